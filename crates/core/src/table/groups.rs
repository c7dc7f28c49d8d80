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
    input::{Draft, Field},
    keys::{self, prefix},
    row,
    telegram::User,
    text::Title,
    wallet::Wallet,
};

/// A group to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGroup {
    /// Title.
    pub title: Field<Title>,
    /// Telegram chat that it belongs to.
    pub chat_id: Field<ChatId>,
    /// Currency of expenses that name none. Default: TON.
    pub currency: Field<Currency>,
}

impl Table {
    /// Makes a group; `creator` is its first member.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn create_group(
        &self,
        new: &Draft<NewGroup>,
        creator: &User,
        at: Moment,
        once: &Once<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let creator = Member::new(creator, None, at.now);
        persist(|| async {
            if let Some(recorded) = self.recorded(once.request.as_ref()).await? {
                return Ok(Outcome::Replayed(recorded));
            }
            let group = new.check(at)?;
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
        wallet: &Draft<Field<Wallet>>,
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
            let wallet = wallet.checked()?.value();
            let (member, mut writes) = match member {
                None => {
                    let member = Member::new(user, wallet.cloned(), at.now);
                    let put = Write::put(&keys::member_row(group, user.id), &member)?
                        .only(Expression::absent(), Otherwise::Stale);
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
    pub async fn set_wallet(
        &self,
        claim: Claim,
        wallet: &Draft<Field<Wallet>>,
    ) -> Result<Wallet, Error> {
        let wallet = match wallet.required() {
            Ok(wallet) => wallet,
            // Who is no member learns that first.
            Err(invalid) => return self.checked(claim, async { Err(invalid) }).await,
        };
        let set = persist(|| async {
            let wallet = [("wallet", Some(row::to_value(wallet)?))];
            let update = Write::update(keys::member(claim.group, claim.user), wallet)
                .only(Expression::present(), Otherwise::Because(|| Error::NotMember));
            self.transact(vec![update]).await
        });
        match set.await {
            Err(Error::NotMember) => Err(self.refusal(claim.group).await),
            set => set.map(|()| wallet.clone()),
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

impl Draft<NewGroup> {
    fn check(&self, at: Moment) -> Result<Group, Error> {
        let (new, errors) = self.open()?;
        let group = || {
            Some(Group {
                id: GroupId::new(at.now, at.random),
                chat_id: new.chat_id.value()?.clone(),
                title: new.title.value()?.clone(),
                currency: new.currency.or(Currency::TON)?,
                created_at: at.now,
                member_count: 1,
            })
        };
        errors.finish(group())
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
