//! Spendings: recording, editing and deleting them, each together with the summary of its day.
//!
//! A summary is only added to, so spendings of one day need no lock. DynamoDB rejects concurrent
//! transactions with one summary, which then retry. Each transaction also writes the row of the
//! spending, on condition that it is absent or as it was read: so none is committed twice.

use fracti_core::{
    decisions::spendings as decide,
    input::{Draft, Error},
    personal::{
        spending::{NewSpending, Spending, SpendingEdit},
        targets::Targets,
    },
    storage::keys::{self, prefix},
    values::{id::UserId, spending_id::SpendingId, time::Day},
};

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// A page of a user's spendings on the days of a range, newest first. It may be shorter than
    /// its limit although the list continues.
    pub async fn spendings(
        &self,
        user: UserId,
        (from, to): (Option<Day>, Option<Day>),
        page: &Page,
    ) -> Result<Slice<Spending>, Error> {
        let partition = keys::own_partition(user);
        if from.is_none() && to.is_none() {
            return self.db.page(&Range::table(partition, prefix::SPENDING), page).await;
        }
        let range = spendings_of(user, from, to);
        let accepts = |spending: &Spending| {
            from.is_none_or(|from| from <= spending.user_date)
                && to.is_none_or(|to| spending.user_date <= to)
        };
        self.db.page_of(&range, page, accepts).await
    }

    /// A spending of a user.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpending`].
    pub async fn spending(&self, user: UserId, id: &SpendingId) -> Result<Spending, Error> {
        self.db.get(keys::spending(user, id)).await?.ok_or(Error::NoSpending)
    }

    /// Records a spending.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`]; [`Error::KeyReused`].
    pub async fn create_spending(
        &self,
        user: UserId,
        new: &Draft<NewSpending>,
        idempotency: &Idempotency<Spending>,
    ) -> Result<Outcome<Spending>, Error> {
        self.write(None, idempotency, || async {
            let targets = self.targets_if(new.needs_targets(), user).await?;
            decide::record(user, new, &targets, idempotency.context())
        })
        .await
    }

    /// Edits a spending that is as `expected`. With a new time, its row gets another key.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpending`]; [`Error::Changed`] if it is not as expected; [`Error::Invalid`] or
    /// [`Error::Unreadable`].
    pub async fn edit_spending(
        &self,
        user: UserId,
        id: &SpendingId,
        edit: &Draft<SpendingEdit>,
        expected: impl Fn(&Spending) -> bool,
        idempotency: &Idempotency<Spending>,
    ) -> Result<Outcome<Spending>, Error> {
        let now = idempotency.now();
        self.write(None, idempotency, || async {
            let (before, targets) =
                tokio::join!(self.spending(user, id), self.targets_if(edit.needs_targets(), user));
            decide::edit(edit, &expected, &before?, targets, now)
        })
        .await
    }

    /// Deletes a spending that is as `expected`.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpending`]; [`Error::Changed`] if it is not as expected.
    pub async fn delete_spending(
        &self,
        user: UserId,
        id: &SpendingId,
        expected: impl Fn(&Spending) -> bool,
        idempotency: &Idempotency<SpendingId>,
    ) -> Result<Outcome<SpendingId>, Error> {
        self.write(None, idempotency, || async {
            let spending = self.spending(user, id).await?;
            decide::delete(&expected, spending, idempotency.now())
        })
        .await
    }

    /// The targets of a user if they are needed, or else no targets.
    pub(crate) async fn targets_if(&self, needed: bool, user: UserId) -> Result<Targets, Error> {
        if needed { self.targets(user).await } else { Ok(Targets::none(user)) }
    }
}

/// The range of keys of all spendings on some days, and some of the days before and after.
pub(crate) fn spendings_of(user: UserId, from: Option<Day>, to: Option<Day>) -> Range {
    let (first, last) =
        keys::spendings_between(from.map(|it| it.plus(-1)), to.map(|it| it.plus(1)));
    let sort = Sort::Between(first, last);
    Range { index: None, partition: keys::own_partition(user), sort, order: Order::Desc }
}
