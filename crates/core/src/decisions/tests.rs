//! Tests of decisions without a table: each makes the rows that were read, and looks at the writes.

mod opening;
mod own;
mod paying;
mod prepaid;
mod told;

use std::ops::ControlFlow;

use super::{
    decision::Decision,
    expenses::{self, Recording, SeenDeleted, SeenExpense, SeenGroup},
    guests,
    imports::{
        CANDIDATES, Imported, Recorded, Run, SeenImport,
        undoing::{self, SeenRows, Undoing},
    },
    ledger_transaction::LedgerTransaction,
    members, settlements,
};
use crate::{
    caller::telegram::User,
    group::{Group, Member, MemberKey, MemberRow},
    input::{Draft, Error, Field},
    ledger::{Change, Event, Ledger, RefType, Totals},
    records::{
        entry::Entry,
        expense::{Edit, Expense, NewExpense},
        import::{Format, ImportRow, ImportStatus, NewImport, Record, RowPlace, import_id},
        settlement::{NewSettlement, Settlement, SettlementUpdate, Transition},
    },
    split::PreviewedShare,
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row::{self, Row},
        write::{Action, Transaction, Write, WriteError},
    },
    values::{
        id::{GroupId, UserId},
        request_context::RequestContext,
        settlement_status::SettlementStatus,
        time::{Timestamp, Zone},
    },
};

fn user(number: u64) -> UserId {
    UserId::new(number).unwrap()
}

fn now() -> Timestamp {
    "2026-11-20T18:00:00.000Z".parse().unwrap()
}

fn context() -> RequestContext {
    RequestContext { now: now(), random: [7; 10] }
}

fn by(number: u64) -> MemberKey {
    MemberKey { group: group().id, user: user(number) }
}

fn group() -> Group {
    let row = [
        ("id", GroupId::new(now(), [1; 10]).to_string()),
        ("chatId", "-1".to_owned()),
        ("title", "Alps".to_owned()),
        ("currency", "EUR".to_owned()),
        ("createdAt", now().to_string()),
    ];
    let mut item: row::Item = row
        .into_iter()
        .map(|(name, text)| (name.to_owned(), row::AttributeValue::S(text)))
        .collect();
    item.insert("memberCount".to_owned(), row::AttributeValue::N("2".to_owned()));
    row::from_item(item).unwrap()
}

fn members() -> Vec<Member> {
    let member = |number: u64| {
        let name = format!("User {number}");
        let user = User { id: user(number), name, username: None, avatar_url: None };
        Member::new(&user, None, now())
    };
    [1, 2].map(member).into()
}

fn dinner() -> Draft<NewExpense> {
    Draft::valid(NewExpense {
        amount: Field::Value("30".parse().unwrap()),
        description: Field::Value("Dinner".parse().unwrap()),
        ..NewExpense::default()
    })
}

/// The rows of a decision to write, and its result.
fn written<T>(decided: Result<Decision<T>, WriteError>) -> (Transaction, T) {
    decided.and_then(Decision::into_write).unwrap()
}

/// What a decision comes to: its error, to try again, or whether it writes.
fn outcome<T, E: Into<WriteError>>(decided: Result<Decision<T>, E>) -> String {
    match decided.map_err(Into::into) {
        Err(WriteError::Fail(error)) => format!("{error:?}"),
        Err(other) => format!("{other:?}"),
        Ok(Decision::Done(_)) => "Done".to_owned(),
        Ok(Decision::Write(..)) => "Write".to_owned(),
        Ok(Decision::Renew(..)) => "Renew".to_owned(),
        Ok(Decision::Refuse { error, .. }) => format!("Refuse {error:?}"),
    }
}

/// The same of what is no decision yet.
fn checked<T, E: Into<WriteError>>(result: Result<T, E>) -> String {
    outcome(result.map(Decision::Done))
}

/// The ledger of an archived group.
fn archived(mut ledger: Ledger) -> Ledger {
    ledger.state.archived = true;
    ledger
}

/// The ledger that a transaction puts.
fn ledger_of(transaction: &Transaction) -> Ledger {
    put::<crate::ledger::balance::Balance>(transaction).ledger
}

/// The row of a kind that a transaction puts.
fn put<T: Row>(transaction: &Transaction) -> T {
    let mut puts = transaction.clone().into_writes().into_iter().filter_map(|write| {
        match write.into_parts().1 {
            Action::Put(row) => row::from_item::<T>(row).ok(),
            Action::Delete | Action::Update(_) | Action::Check => None,
        }
    });
    puts.next_back().unwrap()
}

/// The condition on a row.
fn condition(transaction: &Transaction, key: &Primary) -> Condition {
    let writes = transaction.clone().into_writes().into_iter();
    let mut of_row = writes.filter(|write| write.key() == key).map(|write| write.into_parts().2);
    of_row.next().unwrap()
}

/// An expense of user 1 that 1 and 2 share, its entry, and the ledger with it.
fn recorded() -> (Expense, Entry, Ledger) {
    let transaction = LedgerTransaction::new(by(1), Ledger::default(), now()).unwrap();
    let group = group();
    let members = members();
    let recording = Recording {
        group: &group,
        members: &members,
        user: user(1),
        context: context(),
        zone: Zone::default(),
    };
    let (transaction, expense) =
        expenses::record_expense(&dinner(), recording, transaction, None).unwrap();
    let (transaction, expense) = written(transaction.commit(expense));
    let ledger = ledger_of(&transaction);
    (expense, put(&transaction), ledger)
}

fn seen() -> SeenExpense {
    let (expense, entry, ledger) = recorded();
    SeenExpense { expense, entry: Some(entry), ledger, payers: Vec::new() }
}

/// What a user owes or is owed, in minor units.
fn net(ledger: &Ledger, number: u64) -> i128 {
    ledger.balances.totals("EUR".parse().unwrap(), user(number).into()).net()
}

#[test]
fn expense_is_recorded_on_condition_of_the_ledger_that_was_read() {
    let (expense, _, ledger) = recorded();
    assert_eq!([1, 2].map(|number| net(&ledger, number)), [1500, -1500]);
    let edit = Edit { amount: Field::Value("20".parse().unwrap()), ..Edit::default() };
    let all = |_: &Expense| true;
    let seen = seen();
    let version = seen.ledger.version;
    let group = group();
    let members = members();
    let decided =
        expenses::edit_expense(by(1), &Draft::valid(edit), all, now(), seen, (&group, &members));
    let (transaction, edited) = written(decided);
    let of_balance = condition(&transaction, &keys::balance(group.id));
    assert_eq!(of_balance, Condition::at_version(version));
    assert_eq!(put::<Expense>(&transaction), edited);
    let after = ledger_of(&transaction);
    assert_eq!([1, 2].map(|number| net(&after, number)), [1000, -1000]);
    assert_eq!((edited.id, edited.amount), (expense.id, "20".parse().unwrap()));
}

#[test]
fn edit_without_a_change_writes_nothing() {
    let edit =
        Draft::valid(Edit { amount: Field::Value("30".parse().unwrap()), ..Edit::default() });
    let group = group();
    let members = members();
    let decided = expenses::edit_expense(by(1), &edit, |_| true, now(), seen(), (&group, &members));
    assert!(matches!(decided, Ok(Decision::Done(_))));
}

#[test]
fn preview_is_of_what_would_be_recorded_also_in_an_archived_group() {
    let (expense, _, ledger) = recorded();
    let mut ledger = archived(ledger);
    // Recording would begin again.
    ledger.state.default_splits_at = Some(now());
    let seen = || SeenGroup { group: group(), members: members(), ledger: ledger.clone() };
    let shown = expenses::preview_expense(user(2), &dinner(), now(), seen(), None).unwrap();
    assert_eq!((shown.amount.minor, shown.payers[0].user_id), (3000, user(2).into()));
    let share = |(share, name): &(PreviewedShare, String)| (share.amount.minor, name.clone());
    let shares: Vec<_> = shown.shares.iter().map(share).collect();
    assert_eq!(shares, [(1500, "User 1".to_owned()), (1500, "User 2".to_owned())]);
    let edit = |number, amount: &str| {
        let edit = Edit { amount: Field::Value(amount.parse().unwrap()), ..Edit::default() };
        expenses::preview_edit(user(number), &Draft::valid(edit), now(), expense.clone(), seen())
    };
    for amount in ["20", "30"] {
        let shown = edit(1, amount).unwrap();
        let sum: i64 = shown.shares.iter().map(|(share, _)| share.amount.minor).sum();
        assert_eq!((shown.amount.to_major(), sum), (amount.parse().unwrap(), shown.amount.minor));
    }
    assert!(checked(edit(2, "20")).starts_with("NotYourExpense"));
}

#[test]
fn expense_is_deleted_by_who_paid_as_it_was_expected() {
    let delete =
        |number, expected: bool| expenses::delete_expense(by(number), |_| expected, now(), seen());
    assert!(matches!(delete(2, true), Err(WriteError::Fail(Error::NotYourExpense))));
    assert!(matches!(delete(1, false), Err(WriteError::Fail(Error::Changed))));
    let (transaction, id) = written(delete(1, true));
    assert_eq!(id, recorded().0.id);
    let after = ledger_of(&transaction);
    assert_eq!([1, 2].map(|number| net(&after, number)), [0, 0]);
}

#[test]
fn deleted_expense_is_restored_once() {
    let before = seen();
    let expense = before.expense.clone();
    let entry = before.entry.clone().unwrap();
    let (transaction, _) = written(expenses::delete_expense(by(1), |_| true, now(), before));
    let ledger = ledger_of(&transaction);
    let puts =
        transaction.into_writes().into_iter().filter_map(|write| match write.into_parts().1 {
            Action::Put(row) => row::from_item::<Entry>(row).ok(),
            Action::Delete | Action::Update(_) | Action::Check => None,
        });
    let mut history: Vec<Entry> = puts.collect();
    history.sort_by_key(|entry| std::cmp::Reverse(entry.sequence));
    let body = Draft::valid(());
    let id = expense.id;
    let deleted =
        SeenDeleted { expense: None, history, ledger: ledger.clone(), payers: Vec::new() };
    let (transaction, restored) =
        written(expenses::restore_expense(by(1), id, &body, now(), &deleted));
    assert_eq!((restored.id, restored.splits), (expense.id, expense.splits.clone()));
    let after = ledger_of(&transaction);
    assert_eq!(net(&after, 2), -1500);
    // It is there, or was restored between the two reads.
    let there = SeenDeleted { expense: Some(expense), ..deleted.clone() };
    let again = expenses::restore_expense(by(1), id, &body, now(), &there);
    assert!(matches!(again, Ok(Decision::Done(_))));
    let current = SeenDeleted { history: vec![entry], ..deleted };
    let again = expenses::restore_expense(by(1), id, &body, now(), &current);
    assert!(matches!(again, Err(WriteError::Retry)));
}

/// A payment of 5.00 EUR from user 2 to user 1, recorded by this user after the dinner.
fn paid(recorder: u64) -> (Settlement, Ledger) {
    let new = Draft::valid(NewSettlement {
        from: Field::Value(user(2).into()),
        to: Field::Value(user(1).into()),
        amount: Field::Value("5".parse().unwrap()),
        ..NewSettlement::default()
    });
    let transaction = LedgerTransaction::new(by(recorder), recorded().2, now()).unwrap();
    let group = group();
    let members = members();
    let who = (user(recorder), context(), Zone::default());
    let (transaction, settlement) =
        settlements::record_settlement(&new, (&group, &members), transaction, who).unwrap();
    let (transaction, settlement) = written(transaction.commit(settlement));
    (settlement, ledger_of(&transaction))
}

#[test]
fn payment_counts_once_its_recipient_confirms_it() {
    let (settlement, ledger) = paid(2);
    assert_eq!((settlement.status, net(&ledger, 2)), (SettlementStatus::Pending, -1500));
    let confirmed = SettlementUpdate {
        status: Field::Value(SettlementStatus::Completed),
        ..SettlementUpdate::default()
    };
    let confirm = |number, of: &Settlement, ledger: &Ledger| {
        settlements::transition(
            user(number),
            &Draft::valid(confirmed.clone()),
            of,
            ledger,
            Some(&members()),
        )
    };
    assert!(confirm(2, &settlement, &ledger).is_err());
    assert_eq!(confirm(1, &settlement, &ledger).unwrap(), Some(Transition::Complete));
    let transaction = LedgerTransaction::new(by(1), ledger, now()).unwrap();
    let (transaction, done) = settlements::completed(transaction, settlement, []).unwrap();
    let (transaction, done) = written(transaction.commit(done));
    let after = ledger_of(&transaction);
    assert_eq!([1, 2].map(|number| net(&after, number)), [1000, -1000]);
    assert_eq!(confirm(1, &done, &after).unwrap(), Some(Transition::Nothing));
}

#[test]
fn chain_transaction_of_another_settlement_stays_its_own() {
    let (settlement, _) = paid(2);
    assert!(settlements::release_hash(&settlement, None).unwrap().is_none());
    let hash = "a".repeat(64).parse().unwrap();
    let settlement = Settlement { tx_hash: Some(hash), ..settlement };
    assert!(settlements::release_hash(&settlement, None).unwrap().is_none());
}

#[test]
fn member_with_a_balance_does_not_leave() {
    let member = members().pop();
    let leave = |ledger: Ledger| {
        members::begin_leave(by(2), (group(), member.clone()), ledger, now()).unwrap()
    };
    let ControlFlow::Continue(change) = leave(recorded().2) else { panic!("decided") };
    assert!(matches!(change.check_settled(None), Err(Error::NotSettled(_))));
    let ControlFlow::Continue(change) = leave(Ledger::default()) else { panic!("decided") };
    change.check_settled(None).unwrap();
    let (transaction, left) = written(change.leave(&Draft::valid(())));
    assert_eq!(left.left_at, Some(now()));
    let group = condition(&transaction, &keys::group(group().id));
    assert_eq!(group, Condition::present().and(Condition::without("proposedLinks")));
}

#[test]
fn two_guests_have_two_names() {
    let name = Draft::valid(Field::Value("User 2".parse().unwrap()));
    let group = group();
    let members = members();
    let ledger = Ledger::default();
    let seen = (&group, &*members, &ledger);
    let taken = guests::add_guest(by(1), &name, seen, context());
    assert!(matches!(taken, Err(WriteError::Fail(Error::NameTaken))));
    let name = Draft::valid(Field::Value("Gus".parse().unwrap()));
    let (transaction, gus) = written(guests::add_guest(by(1), &name, seen, context()));
    assert_eq!(put::<MemberRow>(&transaction).member, gus);
    // The lock keeps another guest from getting the name at the same time.
    let of_balance = condition(&transaction, &keys::balance(group.id));
    assert_eq!(of_balance, Condition::at_version(0));
    let written: Vec<Write> = transaction.into_writes();
    assert_eq!(written.len(), 4, "{written:?}");
}

/// Adjustments of a file, each of 1.00 EUR from user 2 to user 1.
fn rows_of_file(number: usize) -> Vec<(RowPlace, Record)> {
    let currency = "EUR".parse().unwrap();
    let change = |of: u64, paid| Change {
        user: user(of).into(),
        currency,
        totals: Totals { paid, ..Totals::default() },
    };
    let row = |index: usize| {
        let event = Event {
            ref_type: RefType::Adjustment,
            entry_id: format!("row {index}").parse().unwrap(),
            ref_created_at: None,
            note: None,
            changes: vec![change(1, 100), change(2, -100)],
        };
        (RowPlace::Line(index), Record::Adjustment(event.into()))
    };
    (0..number).map(row).collect()
}

#[test]
fn import_stops_where_a_transaction_is_full_and_goes_on_from_there() {
    let new = NewImport {
        id: import_id(group().id, &[]),
        format: Format::FractiJson,
        source: None,
        guests: Vec::new(),
        records: rows_of_file(150),
        confirmed: None,
    };
    let mut run = Run {
        member_key: by(1),
        new: &new,
        members: members(),
        now: now(),
        number: 1,
        version: 0,
        others: Vec::new(),
        left_out: Vec::new(),
        needs_guests: false,
    };
    let (mut seen, mut done) =
        (Ledger::default(), Imported::none(new.row(group().id, user(1), now())));
    let mut row = None::<ImportRow>;
    let mut left = &*new.records;
    let mut parts = Vec::new();
    while !left.is_empty() {
        // The group has the first row of each part already.
        let there = keys::entry(group().id, &left[0].1.entry_id());
        let entries = [(there, recorded().1)].into();
        let recorded = Recorded { group: group().id, entries, pending: [].into() };
        let candidates: Vec<_> = left.iter().take(CANDIDATES).collect();
        let import = SeenImport { ledger: seen.clone(), row: row.clone() };
        let decided = run.record(import, &recorded, (&candidates, left.len()), &done);
        let (transaction, rows) = written(decided);
        let (taken, next, version) = rows.unwrap();
        let key = keys::import(group().id, new.id);
        let expected = row.as_ref().map_or_else(Condition::absent, |it| {
            Condition::equal("updatedAt", row::to_value(&it.updated_at).unwrap())
        });
        assert_eq!(condition(&transaction, &key), expected, "another request may have undone it");
        row = Some(put::<ImportRow>(&transaction));
        seen = ledger_of(&transaction);
        assert_eq!(seen.version, version);
        (left, done, run.version) = (&left[taken..], next, version);
        parts.push(taken);
    }
    assert!(parts.len() > 2 && parts[0] <= CANDIDATES, "{parts:?}");
    let number = u64::try_from(parts.len()).unwrap();
    assert_eq!((done.adjustments, done.already_there), (150 - number, number));
    assert_eq!(net(&seen, 1), i128::from(150 - number) * 100);
    assert_eq!(row.map(|it| it.status), Some(ImportStatus::Done));
    // A run of the import that was undone since records nothing.
    let undoing = ImportRow { status: ImportStatus::Undoing, ..done.import.clone() };
    let import = SeenImport { ledger: seen, row: Some(undoing) };
    let recorded = Recorded { group: group().id, entries: [].into(), pending: [].into() };
    let records: Vec<_> = new.records.iter().collect();
    let refused = run.record(import, &recorded, (&records[..1], 1), &done);
    assert!(matches!(refused, Err(WriteError::Fail(Error::ImportUndoing))));
}

#[test]
fn undo_deletes_what_was_read_and_ends_once_there_is_no_more() {
    let (expense, entry, ledger) = recorded();
    let id = import_id(group().id, &[]);
    let expense = Expense { import_id: Some(id), ..expense };
    let new = NewImport {
        id,
        format: Format::FractiJson,
        source: None,
        guests: Vec::new(),
        records: Vec::new(),
        confirmed: None,
    };
    let import = new.row(group().id, user(1), now());
    let (transaction, (row, passed)) =
        written(undoing::begin(by(1), &import, (ledger.clone(), import.clone()), now()));
    assert_eq!(put::<ImportRow>(&transaction), row);
    assert_eq!((row.status, passed.version), (ImportStatus::Undoing, ledger.version + 1));
    let end = undoing::Reached { after: None, ended: true };
    let rows = |entries| SeenRows {
        row: row.clone(),
        records: vec![Record::Expense(Box::new(expense.clone()))],
        entries,
        hashes: [].into(),
        read: [end.clone(), end.clone()],
    };
    // The entry and the expense were read at different moments.
    let missing = Undoing::of(by(1), ledger.clone(), rows([].into()), &passed, now());
    assert!(matches!(missing, Err(WriteError::Retry)));
    let entries = [(keys::entry(group().id, &entry.entry_id), entry)].into();
    let mut undo = Undoing::of(by(1), ledger, rows(entries), &passed, now()).unwrap();
    assert_eq!(undo.reverts(), None, "it has no adjustments");
    assert!(!undo.removes_guests());
    let (transaction, (undone, _)) = written(undo.finish(false));
    assert_eq!(undone.status, ImportStatus::Undone);
    let after = ledger_of(&transaction);
    assert_eq!([1, 2].map(|number| net(&after, number)), [0, 0]);
}
