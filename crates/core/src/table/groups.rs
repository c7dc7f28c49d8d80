//! Groups and their members: patterns 1 to 3 of the seed.

use super::{
    Claim, Moment, Table,
    idempotency::{Once, Outcome},
    range::Range,
    write::{Expression, Otherwise, Write, persist},
};
use crate::{
    Error,
    book::Book,
    currency::Currency,
    group::{ChatId, Group, MAX_MEMBERS, Member},
    id::GroupId,
    keys::{self, prefix},
    row,
    telegram::User,
    text::Title,
    wallet::Wallet,
};

/// A group as somebody wants it made.
#[derive(Clone, Debug)]
pub struct NewGroup {
    /// The Telegram chat it belongs to.
    pub chat_id: ChatId,
    /// What its members call it.
    pub title: Title,
    /// The currency of an expense that names none.
    pub currency: Currency,
}

impl Table {
    /// Makes a group; `creator` is its first member.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_group(
        &self,
        new: NewGroup,
        creator: &User,
        at: Moment,
        once: &Once<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let group = Group {
            id: GroupId::new(at.now, at.random),
            chat_id: new.chat_id,
            title: new.title,
            currency: new.currency,
            created_at: at.now,
            member_count: 1,
        };
        let creator = Member::new(creator, None, at.now);
        persist(|| async {
            if let Some(recorded) = self.recorded(once.request.as_ref()).await? {
                return Ok(Outcome::Replayed(recorded));
            }
            let row = Write::put(&keys::group(group.id).into(), &group)?;
            let mut writes = vec![
                row.only(Expression::absent(), Otherwise::Lost),
                Write::put(&keys::member_row(group.id, creator.id), &creator)?,
            ];
            writes.extend(once.write(&group)?);
            self.write(writes, once, group.clone()).await
        })
        .await
    }

    /// Makes `user` a member of a group. Of a member it renews name, username and picture, and nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::TooManyMembers`]; [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn join(
        &self,
        group: GroupId,
        user: &User,
        wallet: Option<Wallet>,
        at: Moment,
        once: &Once<Member>,
    ) -> Result<Outcome<Member>, Error> {
        persist(|| async {
            let (found, member, recorded) = tokio::try_join!(
                self.get::<Group>(keys::group(group)),
                self.get::<Member>(keys::member(group, user.id)),
                self.recorded(once.request.as_ref()),
            )?;
            found.ok_or(Error::NoGroup)?;
            if let Some(recorded) = recorded {
                return Ok(Outcome::Replayed(recorded));
            }
            let (member, mut writes) = match member {
                None => {
                    let member = Member::new(user, wallet.clone(), at.now);
                    let put = Write::put(&keys::member_row(group, user.id), &member)?
                        .only(Expression::absent(), Otherwise::Lost);
                    let count = Write::increment(keys::group(group), "memberCount").only(
                        Expression::less("memberCount", row::to_value(&MAX_MEMBERS)?),
                        Otherwise::Because(|| Error::TooManyMembers),
                    );
                    (member, vec![put, count])
                }
                Some(before) => renewed(group, &before, user)?,
            };
            writes.extend(once.write(&member)?);
            self.write(writes, once, member).await
        })
        .await
    }

    /// Sets where the claimant wants to be paid.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn set_wallet(&self, claim: Claim, wallet: &Wallet) -> Result<(), Error> {
        let set = persist(|| async {
            let wallet = [("wallet", Some(row::to_value(wallet)?))];
            let update = Write::update(keys::member(claim.group, claim.user), wallet)
                .only(Expression::present(), Otherwise::Because(|| Error::NotMember));
            self.transact(vec![update]).await
        });
        match set.await {
            Err(Error::NotMember) => Err(self.refusal(claim.group).await),
            set => set,
        }
    }

    /// A group and its members, by id.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn group(&self, claim: Claim) -> Result<(Group, Vec<Member>), Error> {
        let members = Range::table(keys::group_partition(claim.group), prefix::MEMBER);
        let (group, mut members) = tokio::try_join!(
            self.get::<Group>(keys::group(claim.group)),
            self.all::<Member>(&members),
        )?;
        let group = group.ok_or(Error::NoGroup)?;
        if !members.iter().any(|member| member.id == claim.user) {
            return Err(Error::NotMember);
        }
        members.sort_by_key(|member| member.id);
        Ok((group, members))
    }

    /// A group, its members and its book: all that the next event or the debts need.
    ///
    /// # Errors
    ///
    /// As [`Table::group`].
    pub async fn ledger(&self, claim: Claim) -> Result<(Group, Vec<Member>, Book), Error> {
        let ((group, members), book) = tokio::try_join!(self.group(claim), self.book(claim.group))?;
        Ok((group, members, book))
    }
}

/// The member with the name, username and picture that Telegram knows now, and what that writes.
fn renewed(group: GroupId, before: &Member, user: &User) -> Result<(Member, Vec<Write>), Error> {
    let member = Member {
        name: user.name.clone(),
        username: user.username.clone(),
        avatar_url: user.avatar_url.clone(),
        ..before.clone()
    };
    if member == *before {
        return Ok((member, Vec::new()));
    }
    let optional = |text: &Option<String>| text.as_ref().map(row::to_value).transpose();
    let attributes = [
        ("name", Some(row::to_value(&member.name)?)),
        ("username", optional(&member.username)?),
        ("avatarUrl", optional(&member.avatar_url)?),
    ];
    Ok((member, vec![Write::update(keys::member(group, user.id), attributes)]))
}
