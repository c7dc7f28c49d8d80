//! Groups, and joining them.

use std::collections::BTreeSet;

use fracti_core::{
    Error,
    group::{Group, Member, MemberRow, NewGroup},
    id::{GroupId, MemberId},
    input::{Draft, Field},
    keys::{self, prefix},
    ledger::Ledger,
    row::{self, Row},
    telegram::User,
    ton::TonAddress,
};

use crate::{
    access::MemberKey,
    commit::Decision,
    dynamo::{Expression, MAX_VALUES, OnConflict, Range, Transaction, Write},
    guests::count_in,
    idempotency::{Idempotency, Outcome},
    table::{RequestContext, Table},
};

impl Table {
    /// Creates a group with `creator` as its first member.
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
        self.write(|| async {
            if let Some(stored) = self.stored_result(idempotency.request.as_ref()).await? {
                return Ok(Decision::Done(Outcome::Replayed(stored)));
            }
            let group = new.check(context.now, context.random)?;
            let row = Write::put(&group)?;
            let mut writes = Transaction::default();
            writes.add(row.when(Expression::absent(), OnConflict::Retry));
            writes.add(Write::put(&MemberRow { group_id: group.id, member: creator.clone() })?);
            writes.extend(idempotency.write(&group)?);
            Ok(Decision::write(writes, Outcome::Done(group)))
        })
        .await
    }

    /// Adds `user` to a group. If the user is a member already, only name, username and picture are
    /// updated.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::TooManyMembers`]; [`Error::KeyReused`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn join(
        &self,
        group: GroupId,
        user: &User,
        wallet: &Draft<Field<TonAddress>>,
        context: RequestContext,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        self.write(|| async {
            let (found, member, stored) = tokio::join!(
                self.db.get::<Group>(keys::group(group)),
                self.db.get::<MemberRow>(keys::member(group, user.id.into())),
                self.stored_result(idempotency.request.as_ref()),
            );
            found?.ok_or(Error::NoGroup)?;
            if let Some(stored) = stored? {
                return Ok(Decision::Done(Outcome::Replayed(stored)));
            }
            let wallet = wallet.checked()?.value();
            let (member, mut writes) = match member? {
                None => {
                    let member = Member::new(user, wallet.cloned(), context.now);
                    let row = MemberRow { group_id: group, member: member.clone() };
                    let put = Write::put(&row)?.when(Expression::absent(), OnConflict::Retry);
                    (member, Transaction::from_iter([put, count_in(group)?]))
                }
                Some(before) => renewed(group, &before.member, user)?,
            };
            writes.extend(idempotency.write(&member)?);
            Ok(Decision::write(writes, Outcome::Done(member)))
        })
        .await
    }

    /// Sets the TON address of a member.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Contended`], [`Error::Unavailable`] or
    /// [`Error::Table`].
    pub async fn set_wallet(
        &self,
        member_key: MemberKey,
        wallet: &Draft<Field<TonAddress>>,
    ) -> Result<TonAddress, Error> {
        let wallet = match wallet.required() {
            Ok(wallet) => wallet,
            // A missing membership is reported before an invalid address.
            Err(invalid) => return self.checked(member_key, async { Err(invalid) }).await,
        };
        let set = self.write(|| async {
            let wallet = [("wallet", Some(row::to_value(wallet)?))];
            let update =
                Write::update(keys::member(member_key.group, member_key.user.into()), wallet)
                    .when(readable::<MemberRow>()?, OnConflict::Fail(|| Error::NotMember));
            Ok(Decision::write(Transaction::from_iter([update]), ()))
        });
        match set.await {
            Err(Error::NotMember) => {
                self.checked(member_key, async { Err(Error::NotMember) }).await
            }
            set => set.map(|()| wallet.clone()),
        }
    }

    /// A group and its members, ordered by id.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::Unavailable`] or [`Error::Table`].
    pub async fn group(&self, member_key: MemberKey) -> Result<(Group, Vec<Member>), Error> {
        self.group_naming(member_key, None).await
    }

    /// A group and its members, ordered by id. If only users are named, other members than these
    /// and the caller may be missing. A guest who is named may mean any user.
    ///
    /// A read by key would cost one unit for each of them, the query one unit for about ten members
    /// of the group. So the query is cheaper in most groups, and never much dearer.
    ///
    /// # Errors
    ///
    /// As [`Table::group`].
    pub(crate) async fn group_naming(
        &self,
        member_key: MemberKey,
        named: Option<&BTreeSet<MemberId>>,
    ) -> Result<(Group, Vec<Member>), Error> {
        let members = Range::table(keys::group_partition(member_key.group), prefix::MEMBER);
        let named = named.filter(|named| named.iter().all(|member| member.user().is_some()));
        let filter = named.map(|named| among(named, member_key.user.into())).transpose()?;
        let filter = filter.unwrap_or_default();
        let (group, members) = tokio::try_join!(
            self.db.get::<Group>(keys::group(member_key.group)),
            self.db.filtered::<MemberRow>(&members, &filter),
        )?;
        let group = group.ok_or(Error::NoGroup)?;
        if !members.iter().any(|row| row.member.id == member_key.user) {
            return Err(Error::NotMember);
        }
        let mut members: Vec<Member> = members.into_iter().map(|row| row.member).collect();
        members.sort_by_key(|member| member.id);
        Ok((group, members))
    }

    /// A group, its members and its ledger.
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

/// The member is one of these users or the caller. There is no condition if they are too many.
fn among(named: &BTreeSet<MemberId>, caller: MemberId) -> Result<Expression, Error> {
    let users = named | &BTreeSet::from([caller]);
    if users.len() > MAX_VALUES {
        return Ok(Expression::default());
    }
    let users: Result<Vec<_>, _> = users.iter().map(row::to_value).collect();
    Ok(Expression::one_of("id", users?))
}

/// The row exists, and has no later version than this Fracti reads.
fn readable<T: Row>() -> Result<Expression, Error> {
    let earlier =
        Expression::less(row::FORMAT_VERSION, row::to_value(&T::VERSION.saturating_add(1))?);
    Ok(Expression::present().and(Expression::without(row::FORMAT_VERSION)).or(earlier))
}

/// The member with the current name, username and picture, and the writes that update them.
fn renewed(group: GroupId, before: &Member, user: &User) -> Result<(Member, Transaction), Error> {
    let member = Member {
        name: user.name.clone(),
        username: user.username.clone(),
        avatar_url: user.avatar_url.clone(),
        ..before.clone()
    };
    if member == *before {
        return Ok((member, Transaction::default()));
    }
    let optional = |text: &Option<String>| text.as_ref().map(row::to_value).transpose();
    let attributes = [
        ("name", Some(row::to_value(&member.name)?)),
        ("username", optional(&member.username)?),
        ("avatarUrl", optional(&member.avatar_url)?),
    ];
    let update = Write::update(keys::member(group, user.id.into()), attributes);
    Ok((member, Transaction::from_iter([update])))
}
