//! Imports the export of a group into a new group, and compares the two.

use aws_sdk_dynamodb::Client;
use fracti_core::{
    caller::telegram::User,
    group::{MemberKey, NewGroup},
    input::{Draft, Field},
    records::import::ImportStatus,
    values::{
        id::{GroupId, UserId},
        time::Timestamp,
    },
};
use fracti_formats::{Destination, Import, Movement, PersonPart, Target};
use fracti_store::{Idempotency, ImportPart, Outcome, Table};

use super::{Finding, exports::read};
use crate::simulation::{Report, state::State};

/// Telegram id of the user who imports all exports, and is in no simulated group.
const IMPORTER: u64 = 4_000_000;

/// Time of imports, after all dates of the simulation.
const NOW: &str = "2100-01-01T00:00:00.000Z";

/// Imports the export of each group of a table into a new group, which must have the same export,
/// except for ids and times.
///
/// # Panics
///
/// If an export cannot be read or imported.
pub async fn copies(table: &Table, client: &Client, report: &mut Report) {
    for group in State::read(client).await.groups.keys() {
        let import = read(table, *group).await;
        if !import.is_ready() {
            // A group without events has nothing to import. The audit reports other errors.
            continue;
        }
        let Some(copy) = imported(table, &import).await else { continue };
        let before = contents(&import);
        let after = contents(&read(table, copy).await);
        let differing = before.iter().zip(&after).find(|(before, after)| before != after);
        let differing = differing.map(|(before, after)| format!("{before} became {after}"));
        let shorter = (before.len() != after.len())
            .then(|| format!("{} rows became {}", before.len(), after.len()));
        if let Some(what) = differing.or(shorter) {
            report.find(Finding::Off(format!("copy of {group}: {what}")));
        }
    }
}

/// Imports what was read of a group's export into a new group, twice, and returns that group.
async fn imported(table: &Table, import: &Import) -> Option<GroupId> {
    let now: Timestamp = NOW.parse().unwrap();
    let user = UserId::new(IMPORTER).unwrap();
    let creator =
        User { id: user, name: "The importer".to_owned(), username: None, avatar_url: None };
    let new = NewGroup {
        title: Field::Value("Copy".parse().unwrap()),
        chat_id: Field::Value("-4000000".parse().unwrap()),
        currency: Field::Absent,
    };
    let once = Idempotency::own_work("create-group", now);
    let made = table.create_group(&Draft::valid(new), &creator, &once).await.unwrap();
    let Outcome::Done(made) = made else { return None };

    let member_key = MemberKey { group: made.id, user };
    let (group, members) = table.group(member_key).await.unwrap();
    let to = Destination { group: &group, members: &members, user, now };
    let people = import.people.iter().map(|person| person.name.to_string());
    let targets = people.map(|name| (name, Target::NewGuest)).collect();
    let new = import.recorded_in(&to, &targets).unwrap();
    // All rows may be of the past, or left out.
    let has_rows = !new.records.is_empty();
    for is_first in [true, false] {
        loop {
            let once = Idempotency::own_work("import-file", now);
            let done = table
                .import(member_key, &members, &new, ImportPart::default(), &once)
                .await
                .unwrap();
            let Outcome::Done(done) = done else { return None };
            let recorded = done.expenses + done.settlements + done.adjustments > 0;
            assert_eq!(recorded, is_first && has_rows, "an import records each row once");
            if done.import.status == ImportStatus::Done {
                break;
            }
        }
    }
    table.verify(made.id, now).await.unwrap();
    Some(made.id)
}

/// Contents of a file: its expenses, payments and adjustments, by the names of people, in a fixed
/// order. Shares are in the order of the file.
fn contents(import: &Import) -> Vec<String> {
    let name = |member: usize| import.people[member].name.to_string();
    let part = |part: &PersonPart| (name(part.person), part.minor);
    let mut rows = Vec::new();
    for row in &import.rows {
        match &row.movement {
            Movement::Expense { payers, shares, split } => {
                let mut payers: Vec<_> = payers.iter().map(part).collect();
                payers.sort();
                let shares: Vec<_> = shares.iter().map(part).collect();
                let split = split.clone().map(|split| split.among(|member| Some(name(member))));
                let category = row.category.as_ref().map(ToString::to_string);
                let about = (&row.description, category, &row.notes, row.date, row.currency);
                rows.push(format!("{about:?}: {payers:?} paid, {shares:?} owe by {split:?}"));
            }
            Movement::Payment(transfers) => rows.extend(transfers.iter().map(|it| {
                let from = name(it.from);
                let to = name(it.to);
                format!("{from:?} paid {to:?} {} {}", it.minor, row.currency)
            })),
            Movement::Pending(it) => {
                let from = name(it.from);
                let to = name(it.to);
                rows.push(format!("{from:?} wants to pay {to:?} {} {}", it.minor, row.currency));
            }
        }
    }
    for adjustment in &import.adjustments {
        let changes = adjustment.changes.iter();
        let mut changes: Vec<_> =
            changes.map(|it| (it.currency, name(it.person), it.totals)).collect();
        changes.sort_by_key(|(currency, name, _)| (*currency, name.clone()));
        rows.push(format!("adjustment {:?}: {changes:?}", adjustment.note));
    }
    rows.sort();
    rows
}
