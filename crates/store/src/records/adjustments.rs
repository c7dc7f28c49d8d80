//! Adjustments of the ledger: many in one request, and in one transaction.

use std::collections::BTreeSet;

use fracti_core::{
    decisions::adjustments::{self as decide, Current},
    group::MemberKey,
    input::{Draft, Error, Field},
    records::{
        adjustment::{Adjustment, BareOrWrapped, Report},
        entry::Entry,
    },
    storage::keys,
    values::{entry_id::EntryId, id::GroupId},
};

use crate::{
    ledger::Attempts,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Pushes adjustments into the ledger, in their order. One that is not applied does not stop
    /// the others.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if one breaks a rule, and none is applied; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::KeyReused`].
    pub async fn push_entries(
        &self,
        member_key: MemberKey,
        adjustments: &Draft<BareOrWrapped<Adjustment>>,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let named = adjustments.named();
        let now = idempotency.now();
        let attempts = Attempts::default();
        self.write(Some(member_key.group), idempotency, || async {
            let current = self.current(member_key.group, adjustments.names());
            let opened = self.open(&attempts, member_key, Some(&named), now, current).await?;
            let ((group, members), transaction, current) = opened;
            decide::push(adjustments, (&group, &members), transaction, &current)
        })
        .await
    }

    /// Reverts adjustments, whose names may then be used again. One that is not current does not
    /// stop the others.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdjustment`] or [`Error::NotYourAdjustment`], and none is reverted;
    /// [`Error::Invalid`] if they have too many changes together; otherwise as
    /// [`Table::push_entries`].
    pub async fn revert_entries(
        &self,
        member_key: MemberKey,
        entries: &Draft<BareOrWrapped<Field<EntryId>>>,
        idempotency: &Idempotency<Report>,
    ) -> Result<Outcome<Report>, Error> {
        let named = entries.fields().and_then(|entries| entries.items.value());
        let named: Vec<_> = named.into_iter().flatten().filter_map(Field::value).collect();
        self.write(Some(member_key.group), idempotency, || async {
            let read = async {
                let current = self.current(member_key.group, named.iter().copied().cloned());
                tokio::try_join!(self.ledger(member_key.group), current)
            };
            let (ledger, current) = self.checked(member_key, read).await?;
            let user = member_key.user;
            let named = || named.iter().copied();
            let check = |members| decide::check_right(user, named(), &current, &ledger, members);
            match check(&[]) {
                // Whether a member is past shows only in the members' rows.
                Err(Error::NotYourAdjustment(_)) => {
                    let (_, members) = self.group_naming(member_key, None).await?;
                    check(&ledger.state.of(&members))?;
                }
                checked => checked?,
            }
            decide::revert(member_key, entries, named(), current, ledger, idempotency.now())
        })
        .await
    }

    /// The current entries of these names.
    async fn current(
        &self,
        group: GroupId,
        entries: impl Iterator<Item = EntryId>,
    ) -> Result<Current, Error> {
        let entries: BTreeSet<_> = entries.collect();
        let keys = entries.iter().map(|entry| keys::entry(group, entry)).collect();
        let entries = self.db.batch::<Entry>(keys).await?.into_values();
        Ok(entries.map(|entry| (entry.entry_id.clone(), entry)).collect())
    }
}
