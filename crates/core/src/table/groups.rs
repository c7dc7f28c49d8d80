//! Groups and their members: patterns 1 to 3 of the seed.

use super::{
    MemberKey, RequestContext, Table,
    idempotency::{Idempotency, Outcome},
    range::Range,
    write::{Expression, OnConflict, Write, with_retries},
};
use crate::{
    Error,
    currency::Currency,
    group::{ChatId, Group, MAX_MEMBERS, Member},
    id::GroupId,
    input::{Draft, Field},
    keys::{self, prefix},
    ledger::Ledger,
    row,
    telegram::User,
    text::Title,
    ton::TonAddress,
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
        context: RequestContext,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let creator = Member::new(creator, None, context.now);
        with_retries(|| async {
            if let Some(stored) = self.stored_result(idempotency.request.as_ref()).await? {
                return Ok(Outcome::Replayed(stored));
            }
            let group = new.check(context)?;
            let row = Write::put(&keys::group(group.id).into(), &group)?;
            let mut writes = vec![
                row.when(Expression::absent(), OnConflict::Lost),
                Write::put(&keys::member_row(group.id, creator.id), &creator)?,
            ];
            writes.extend(idempotency.write(&group)?);
            self.write(writes, idempotency, group.clone()).await
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
        wallet: &Draft<Field<TonAddress>>,
        context: RequestContext,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        with_retries(|| async {
            let (found, member, stored) = tokio::try_join!(
                self.get::<Group>(keys::group(group)),
                self.get::<Member>(keys::member(group, user.id)),
                self.stored_result(idempotency.request.as_ref()),
            )?;
            found.ok_or(Error::NoGroup)?;
            if let Some(stored) = stored {
                return Ok(Outcome::Replayed(stored));
            }
            let wallet = wallet.checked()?.value();
            let (member, mut writes) = match member {
                None => {
                    let member = Member::new(user, wallet.cloned(), context.now);
                    let put = Write::put(&keys::member_row(group, user.id), &member)?
                        .when(Expression::absent(), OnConflict::Stale);
                    let count = Write::increment(keys::group(group), "memberCount").when(
                        Expression::less("memberCount", row::to_value(&MAX_MEMBERS)?),
                        OnConflict::Fail(|| Error::TooManyMembers),
                    );
                    (member, vec![put, count])
                }
                Some(before) => renewed(group, &before, user)?,
            };
            writes.extend(idempotency.write(&member)?);
            self.write(writes, idempotency, member).await
        })
        .await
    }

    /// Sets the caller's TON address.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`].
    pub async fn set_wallet(
        &self,
        member_key: MemberKey,
        wallet: &Draft<Field<TonAddress>>,
    ) -> Result<TonAddress, Error> {
        let wallet = match wallet.required() {
            Ok(wallet) => wallet,
            // Who is no member learns that first.
            Err(invalid) => return self.checked(member_key, async { Err(invalid) }).await,
        };
        let set = with_retries(|| async {
            let wallet = [("wallet", Some(row::to_value(wallet)?))];
            let update = Write::update(keys::member(member_key.group, member_key.user), wallet)
                .when(Expression::present(), OnConflict::Fail(|| Error::NotMember));
            self.transact(vec![update]).await
        });
        match set.await {
            Err(Error::NotMember) => Err(self.refusal(member_key.group).await),
            set => set.map(|()| wallet.clone()),
        }
    }

    /// A group and its members, by id.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn group(&self, member_key: MemberKey) -> Result<(Group, Vec<Member>), Error> {
        let members = Range::table(keys::group_partition(member_key.group), prefix::MEMBER);
        let (group, mut members) = tokio::try_join!(
            self.get::<Group>(keys::group(member_key.group)),
            self.all::<Member>(&members),
        )?;
        let group = group.ok_or(Error::NoGroup)?;
        if !members.iter().any(|member| member.id == member_key.user) {
            return Err(Error::NotMember);
        }
        members.sort_by_key(|member| member.id);
        Ok((group, members))
    }

    /// A group, its members and its ledger: all that the next event or the debts need.
    ///
    /// # Errors
    ///
    /// As [`Table::group`].
    pub async fn group_and_ledger(
        &self,
        member_key: MemberKey,
    ) -> Result<(Group, Vec<Member>, Ledger), Error> {
        let ((group, members), ledger) =
            tokio::try_join!(self.group(member_key), self.ledger(member_key.group))?;
        Ok((group, members, ledger))
    }
}

impl Draft<NewGroup> {
    fn check(&self, context: RequestContext) -> Result<Group, Error> {
        let (new, errors) = self.open()?;
        let group = || {
            Some(Group {
                id: GroupId::new(context.now, context.random),
                chat_id: new.chat_id.value()?.clone(),
                title: new.title.value()?.clone(),
                currency: new.currency.or(Currency::TON)?,
                created_at: context.now,
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
