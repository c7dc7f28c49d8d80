//! The writes of tallies, which expenses change.

use fracti_texts::{Message, message};

use crate::{
    input::Error,
    records::expense::Expense,
    reports::tally::{Tally, TallyCounters, TallyRow},
    storage::{keys, row, write::Write},
    values::{id::GroupId, tally_key::TallyKey, time::Timestamp},
};

/// Maximum number of shares and payments of expenses that one transaction adds to a tally. Each may
/// be a counter, and the expression that updates them has at most 4 KB.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters>
pub const MAX_COUNTERS: usize = 150;

/// Rule that an expense breaks if the row of its tally would exceed DynamoDB's limit.
fn full() -> Message {
    message!(
        "the group's totals for this day and category are full",
        "итоги группы за этот день и по этой категории переполнены"
    )
}

/// The writes to tallies for expenses that change from `before` to `after` at a moment. The
/// transaction must hold the group's lock, so that no change is applied twice.
pub fn tally_writes<'a>(
    group: GroupId,
    before: impl IntoIterator<Item = &'a Expense>,
    after: impl IntoIterator<Item = &'a Expense>,
    at: Timestamp,
) -> Result<Vec<Write>, Error> {
    let mut tally = Tally::default();
    for before in before {
        tally.subtract(before)?;
    }
    for after in after {
        tally.add(after)?;
    }
    let write = |(of, counters): (TallyKey, TallyCounters)| {
        let counters = counters.into_iter().map(|(counter, number)| (counter.to_string(), number));
        let updated_at = ("updatedAt", row::to_value(&at)?);
        let write = Write::add::<TallyRow>(keys::tally(group, of), counters, [updated_at]);
        Ok(write.or_too_large(|| Error::invalid("date", full())))
    };
    tally.changes().map(write).collect()
}
