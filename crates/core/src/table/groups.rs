//! Groups and their members: patterns 1 to 3 of the seed.

use super::{
    Claim, Moment, Table,
    idempotency::{Once, Outcome},
    range::Range,
    write::{Expression, Otherwise, Rejected, Retry, Write},
};
use crate::{
    Error,
    book::Book,
    currency::Currency,
    group::{ChatId, Group, Member},
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
        if let Some(recorded) = self.recorded(once.request.as_ref()).await? {
            return Ok(Outcome::Replayed(recorded));
        }
        let group = Group {
            id: GroupId::new(at.now, at.random),
            chat_id: new.chat_id,
            title: new.title,
            currency: new.currency,
            created_at: at.now,
            member_count: 1,
        };
        let creator = Member::new(creator, None, at.now);
        let mut writes = vec![
            Write::put(&keys::group(group.id).into(), &group)?
                .only(Expression::absent(), Otherwise::Lost),
            Write::put(&keys::member_row(group.id, creator.id), &creator)?,
        ];
        writes.extend(once.write(&group)?);
        self.write(writes, once, group).await?.ok_or(Error::Contended)
    }

    /// Makes `user` a member of a group. Of a member it renews name, username and picture, and nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn join(
        &self,
        group: GroupId,
        user: &User,
        wallet: Option<Wallet>,
        at: Moment,
        once: &Once<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let mut retry = Retry::new();
        loop {
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
                    (member, vec![put, Write::increment(keys::group(group), "memberCount")])
                }
                Some(before) => renewed(group, &before, user)?,
            };
            writes.extend(once.write(&member)?);
            if let Some(outcome) = self.write(writes, once, member).await? {
                return Ok(outcome);
            }
            if !retry.pause().await {
                return Err(Error::Contended);
            }
        }
    }

    /// Sets where the claimant wants to be paid.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn set_wallet(&self, claim: Claim, wallet: &Wallet) -> Result<(), Error> {
        let mut retry = Retry::new();
        loop {
            let wallet = [("wallet", Some(row::to_value(wallet)?))];
            let update = Write::update(keys::member(claim.group, claim.user), wallet)
                .only(Expression::present(), Otherwise::Because(|| Error::NotMember));
            match self.transact(vec![update]).await {
                Ok(()) => return Ok(()),
                Err(Rejected::Because(Error::NotMember)) => {
                    return Err(self.refusal(claim.group).await);
                }
                Err(Rejected::Because(error)) => return Err(error),
                Err(Rejected::Lost | Rejected::Stale | Rejected::Replay) => {}
            }
            if !retry.pause().await {
                return Err(Error::Contended);
            }
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

    /// Writes what `value` stands for; `None` where somebody else was first.
    async fn write<T>(
        &self,
        writes: Vec<Write>,
        once: &Once<T>,
        value: T,
    ) -> Result<Option<Outcome<T>>, Error> {
        if writes.is_empty() {
            return Ok(Some(Outcome::Done(value)));
        }
        match self.transact(writes).await {
            Ok(()) => Ok(Some(Outcome::Done(value))),
            Err(Rejected::Because(error)) => Err(error),
            Err(Rejected::Lost | Rejected::Stale) => Ok(None),
            Err(Rejected::Replay) => {
                Ok(self.recorded(once.request.as_ref()).await?.map(Outcome::Replayed))
            }
        }
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
