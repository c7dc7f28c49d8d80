//! The repair of what the audit of a group finds.

use std::collections::HashSet;

use crate::{
    decisions::{
        balance::{put_balance, put_lock},
        decision::Decision,
    },
    input::Error,
    ledger::Ledger,
    reports::audit::{Finding, Mend},
    storage::{
        condition::Condition,
        row,
        write::{Transaction, Write},
    },
    values::id::GroupId,
};

/// Maximum number of rows that one transaction mends. It also writes the balance row.
const MAX_MENDED: usize = Transaction::ROOM - 1;

/// Maximum size of the rows that one transaction mends, in bytes, unless it mends one. A
/// transaction has at most 4 MB, with the conditions.
const MAX_BYTES: usize = 1024 * 1024;

/// Mends as many rows as fit into one transaction under the group's lock, and returns their
/// findings. `ledger` is the balance row, if it is there and can be read.
///
/// # Errors
///
/// [`Error::Table`] if a row cannot be written.
pub fn mending(
    group: GroupId,
    ledger: Option<&Ledger>,
    findings: Vec<Finding>,
) -> Result<Decision<Vec<Finding>>, Error> {
    let of_balance = |it: &Finding| matches!(it.mend, Some(Mend::Balance(_)));
    // Without the balance row there is no lock, so it comes first.
    let is_in_turn = |it: &Finding| it.mend.is_some() && (ledger.is_some() || of_balance(it));
    let mut findings: Vec<_> = findings.into_iter().filter(is_in_turn).collect();
    findings.sort_by_key(|finding| !of_balance(finding));
    let mut transaction = Transaction::default();
    let mut mended = Vec::new();
    let mut bytes = 0_usize;
    let mut is_locked = false;
    let mut keys = HashSet::new();
    for finding in findings {
        // A transaction writes each row once; the next one mends what else is wrong with it.
        if !keys.insert(finding.key.clone()) {
            continue;
        }
        let Some(write) = write(group, &finding, ledger)? else { continue };
        let size = finding.stored.as_ref().map_or(0, row::size);
        bytes = bytes.saturating_add(write.size()).saturating_add(size);
        let is_full = mended.len() >= MAX_MENDED || bytes > MAX_BYTES;
        if is_full && !mended.is_empty() {
            break;
        }
        is_locked |= of_balance(&finding);
        transaction.add(write);
        mended.push(finding);
    }
    if mended.is_empty() {
        return Ok(Decision::Done(mended));
    }
    if let Some(ledger) = ledger.filter(|_| !is_locked) {
        transaction.add(put_lock(group, ledger)?);
    }
    Ok(Decision::Write(transaction, mended))
}

/// The write that mends a row, if the row is as it was read.
fn write(
    group: GroupId,
    finding: &Finding,
    ledger: Option<&Ledger>,
) -> Result<Option<Write>, Error> {
    let Finding { key, stored, mend, .. } = finding;
    // A row under the lock changes with the version of the balance row only. The others, those of
    // members and of used hashes, are small.
    let as_read = || match stored {
        None => Condition::absent(),
        Some(_) => Condition::present(),
    };
    Ok(match mend {
        None => None,
        Some(Mend::Balance(next)) => {
            let read = ledger.cloned().unwrap_or_default();
            Some(put_balance(group, &read, next)?)
        }
        Some(Mend::Put(item)) => Some(Write::put_item(key.clone(), item.clone()).when(as_read())),
        Some(Mend::Delete) => Some(Write::delete(key.clone()).when(as_read())),
        Some(Mend::Set(attributes)) => {
            let same = |name: &'static str| match stored.as_ref().and_then(|it| it.get(name)) {
                None => Condition::without(name),
                Some(value) => Condition::equal(name, value.clone()),
            };
            let names = attributes.iter().map(|(name, _)| same(name));
            let unchanged = names.fold(Condition::present(), Condition::and);
            let update = Write::update(key.clone(), attributes.clone());
            Some(update.when(unchanged))
        }
    })
}
