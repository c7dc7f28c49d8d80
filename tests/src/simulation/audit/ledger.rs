//! Compares a group's ledger, entries, history, participants and payers with its expenses and
//! settlements.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::{
    ledger::{Balances, EntryStatus, Ledger, RefType, Totals, balance::Checkpoint},
    records::{
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Expense, PaidExpense, Participant},
        group_change::ChangeKind,
        settlement::Settlement,
    },
    values::{
        currency::Currency,
        entry_id::EntryId,
        id::{GroupId, MemberId},
        settlement_status::SettlementStatus,
        time::{Day, Timestamp},
    },
};

use crate::simulation::{Finding, state::State};

/// The four totals of each member in each currency.
type Sums = BTreeMap<(Currency, MemberId), [i64; 4]>;

/// Findings about a group.
pub(super) fn check(state: &State, group: GroupId) -> Vec<Finding> {
    let ledger = state.ledgers.get(&group).cloned().unwrap_or_default();
    let entries = state.entries_of(group);
    let expenses = state.expenses_of(group);
    let settlements = state.settlements_of(group);
    let mut findings = Vec::new();
    let sums = sums(&expenses, &settlements, &entries);
    for currency in ledger.balances.currencies().chain(sums.keys().map(|(it, _)| *it)) {
        let Totals { paid, owed, sent, received } = ledger.balances.sums(currency);
        if paid != owed || sent != received {
            findings.push(Finding::Off(format!("{group}: the sums in {currency}: {ledger:?}")));
        }
    }
    if sums != of_ledger(&ledger) {
        findings.push(Finding::Off(format!("{group}: {sums:?} of the rows, and {ledger:?}")));
    }
    let members = state.members.iter().filter(|((of, _), _)| *of == group);
    let members = members.filter(|(_, it)| it.linked_to.is_none() && it.is_present());
    let members = members.count() as u64;
    if state.groups[&group].member_count != members {
        findings.push(Finding::Twice(format!("{group} counts its {members} members otherwise")));
    }
    findings.extend(participants(state, group, &expenses));
    findings.extend(further_payers(state, group, &expenses));
    findings.extend(deleted_expenses(state, group, &entries));
    findings.extend(names(&expenses, &settlements, &entries));
    findings.extend(sequences(&ledger, &entries));
    findings.extend(closings(state, group, &settlements, &entries));
    findings.extend(checkpoints(state, group, &entries));
    findings
}

/// The totals according to expenses, settlements and adjustments.
fn sums(expenses: &[Expense], settlements: &[Settlement], entries: &[Entry]) -> Sums {
    let links = links(entries);
    let meant = |user: MemberId| links.get(&user).copied().unwrap_or(user);
    let mut sums = Sums::new();
    let mut add = |currency: Currency, user, total: usize, amount| {
        let minor = currency.to_minor(amount).unwrap();
        sums.entry((currency, meant(user))).or_insert([0; 4])[total] += minor;
    };
    for expense in expenses {
        expense.all_payers().iter().for_each(|it| add(expense.currency, it.user_id, 0, it.amount));
        expense.splits.iter().for_each(|it| add(expense.currency, it.user_id, 1, it.amount));
    }
    for settlement in settlements.iter().filter(|it| it.status == SettlementStatus::Completed) {
        add(settlement.currency, settlement.from_user_id, 2, settlement.amount);
        add(settlement.currency, settlement.to_user_id, 3, settlement.amount);
    }
    for change in entries.iter().filter(|it| adjusts(it)).flat_map(|it| &it.changes) {
        let totals = sums.entry((change.currency, meant(change.user))).or_insert([0; 4]);
        totals[2] += change.totals.sent;
        totals[3] += change.totals.received;
    }
    sums.retain(|_, totals| *totals != [0; 4]);
    sums
}

/// The users to whom guests were linked.
fn links(entries: &[Entry]) -> BTreeMap<MemberId, MemberId> {
    let link = |entry: &Entry| match &entry.entry_id {
        EntryId::Link(guest) => Some(((*guest).into(), entry.linked_to?.into())),
        EntryId::Record(_) | EntryId::Adjustment(_) => None,
    };
    entries.iter().filter_map(link).collect()
}

/// Whether an entry is an applied adjustment.
fn adjusts(entry: &Entry) -> bool {
    entry.ref_type == RefType::Adjustment && entry.status == EntryStatus::Applied
}

fn of_ledger(ledger: &Ledger) -> Sums {
    let currencies = ledger.balances.currencies();
    let totals = currencies.flat_map(|it| ledger.balances.of(it).map(move |of| (it, of)));
    let four = |totals: Totals| [totals.paid, totals.owed, totals.sent, totals.received];
    totals.map(|(currency, (user, totals))| ((currency, user), four(totals))).collect()
}

/// A participant row exists exactly for each member who owes more than they paid.
fn participants(state: &State, group: GroupId, expenses: &[Expense]) -> Option<Finding> {
    let mut expected: Vec<Participant> = expenses.iter().flat_map(Expense::participants).collect();
    let of_group = state.participants.iter().filter(|it| it.group_id == group);
    let mut found: Vec<Participant> = of_group.cloned().collect();
    for rows in [&mut expected, &mut found] {
        rows.sort_by_key(|it| (it.expense_id, it.user_id));
    }
    let text = || format!("{group}: {found:?} participate instead of {expected:?}");
    (expected != found).then(|| Finding::Wrong(text()))
}

/// A payer row exists exactly for each payer but the main one.
fn further_payers(state: &State, group: GroupId, expenses: &[Expense]) -> Option<Finding> {
    let mut expected: Vec<PaidExpense> =
        expenses.iter().flat_map(Expense::further_payers).collect();
    let of_group = state.payers.iter().filter(|it| it.expense.group_id == group);
    let mut found: Vec<PaidExpense> = of_group.cloned().collect();
    for rows in [&mut expected, &mut found] {
        rows.sort_by_key(|it| (it.expense.id, it.paid_by));
    }
    let text = || format!("{group}: {found:?} paid instead of {expected:?}");
    (expected != found).then(|| Finding::Wrong(text()))
}

/// A row exists exactly for each expense whose last entry is that of a deletion by a user. The undo
/// of an import puts none, and what is imported again may keep it.
fn deleted_expenses(state: &State, group: GroupId, entries: &[Entry]) -> Option<Finding> {
    let of_expenses = entries.iter().filter(|it| it.ref_type == RefType::Expense);
    let last: BTreeMap<&EntryId, &Entry> = of_expenses.map(|it| (&it.entry_id, it)).collect();
    let told = state.changes.iter().filter(|it| it.group_id == group);
    let told = told.filter(|it| it.subject.kind == ChangeKind::ExpenseDeleted);
    let told: BTreeSet<u64> = told.filter_map(|it| Some(it.entries?.sequence)).collect();
    let deletions = last
        .into_iter()
        .filter(|(_, it)| it.status == EntryStatus::Revert && told.contains(&it.sequence));
    let row = |(id, entry): (&EntryId, &Entry)| match id {
        EntryId::Record(id) => Some((*id, entry.created_at, entry.actor_id, entry.other_sequence)),
        EntryId::Adjustment(_) | EntryId::Link(_) => None,
    };
    let expected: BTreeSet<_> = deletions.filter_map(row).collect();
    let of_group = state.deleted_expenses.iter().filter(|it| it.group_id == group);
    let row = |it: &DeletedExpense| (it.id.into(), it.deleted_at, it.deleted_by, Some(it.sequence));
    let mut found: BTreeSet<_> = of_group.map(row).collect();
    let imported = entries.iter().filter(|it| it.import_id.is_some());
    let imported: BTreeSet<_> = imported.map(|it| it.entry_id.to_string()).collect();
    found.retain(|it| expected.contains(it) || !imported.contains(&it.0.to_string()));
    let text = || format!("{group}: {found:?} are deleted instead of {expected:?}");
    (expected != found).then(|| Finding::Wrong(text()))
}

/// Every applied event has an entry, and every deleted one has two rows of history.
fn names(expenses: &[Expense], settlements: &[Settlement], entries: &[Entry]) -> Vec<Finding> {
    let completed = settlements.iter().filter(|it| it.status == SettlementStatus::Completed);
    let counts: BTreeSet<String> = expenses
        .iter()
        .map(|it| it.id.to_string())
        .chain(completed.map(|it| it.id.to_string()))
        .chain(entries.iter().filter(|it| adjusts(it)).map(|it| it.entry_id.to_string()))
        .chain(links(entries).keys().map(|guest| format!("link:{guest}")))
        .collect();
    let of = |status: EntryStatus| {
        let entries = entries.iter().filter(move |it| it.status == status);
        entries.map(|it| it.entry_id.to_string()).collect::<Vec<_>>()
    };
    let (applied, reverted, revert) =
        (of(EntryStatus::Applied), of(EntryStatus::Reverted), of(EntryStatus::Revert));
    let mut findings = Vec::new();
    if applied.iter().cloned().collect::<BTreeSet<_>>() != counts || applied.len() != counts.len() {
        findings.push(format!("the applied entries {applied:?} differ from {counts:?}"));
    }
    let sorted = |mut names: Vec<String>| {
        names.sort_unstable();
        names
    };
    if sorted(reverted.clone()) != sorted(revert.clone()) {
        findings.push(format!("{reverted:?} were reverted by {revert:?}"));
    }
    findings.into_iter().map(Finding::Wrong).collect()
}

/// Sequence numbers are unique and without gaps.
fn sequences(ledger: &Ledger, entries: &[Entry]) -> Option<Finding> {
    let mut sequences: Vec<u64> = entries.iter().map(|it| it.sequence).collect();
    sequences.sort_unstable();
    let right = sequences == (0..ledger.sequence).collect::<Vec<_>>();
    (!right).then(|| {
        Finding::Wrong(format!("sequence {sequences:?} has gaps or duplicates in {ledger:?}"))
    })
}

/// Every past day with entries has its closing balances.
fn closings(
    state: &State,
    group: GroupId,
    settlements: &[Settlement],
    entries: &[Entry],
) -> Vec<Finding> {
    let moments = entries.iter().map(|it| it.created_at);
    let mut days: BTreeSet<Day> =
        moments.chain(settlements.iter().map(|it| it.created_at)).map(Timestamp::day).collect();
    days.pop_last();
    let found = state.closings.iter().filter(|((of, _), _)| *of == group);
    let found: BTreeMap<&Day, &Ledger> = found.map(|((_, day), ledger)| (day, ledger)).collect();
    let mut findings = Vec::new();
    // A change that is told may be an event without an entry, like the expiry of a hold.
    let told = state.changes.iter().filter(|it| it.group_id == group).map(|it| it.at.day());
    let told: BTreeSet<Day> = told.collect();
    let may_be = |day: &Day| days.contains(day) || told.contains(day);
    let of_day = |(day, closing): (&&Day, &&Ledger)| {
        closing.last_event_at.is_some_and(|it| it.day() == **day)
    };
    let is_complete = days.iter().all(|day| found.contains_key(day))
        && found.iter().all(of_day)
        && (found.keys().all(|day| may_be(day)) || settlements.iter().any(|it| it.expired));
    if !is_complete {
        findings
            .push(Finding::Wrong(format!("{group} has the days {found:?} instead of {days:?}")));
    }
    for (day, closing) in found {
        if closing.balances != balances(entries, |it| it.created_at.day() <= *day) {
            findings.push(Finding::Off(format!("{group} closed {day} with {closing:?}")));
        }
    }
    findings
}

/// Every event that reaches a multiple of 64 entries has its checkpoint.
fn checkpoints(state: &State, group: GroupId, entries: &[Entry]) -> Vec<Finding> {
    let reaches = |it: &&Entry| (it.sequence + 1).is_multiple_of(Checkpoint::EVERY);
    let moments: BTreeSet<_> = entries.iter().filter(reaches).map(|it| it.created_at).collect();
    let found = state.checkpoints.iter().filter(|((of, _), _)| *of == group);
    let found: BTreeMap<_, _> = found.map(|((_, at), ledger)| (*at, ledger)).collect();
    let mut findings = Vec::new();
    if !found.keys().eq(&moments) {
        findings.push(Finding::Wrong(format!("{group} has {found:?} instead of {moments:?}")));
    }
    for (at, checkpoint) in found {
        if checkpoint.balances != balances(entries, |it| it.created_at <= at) {
            findings.push(Finding::Off(format!("{group} at {at}: {checkpoint:?}")));
        }
    }
    findings
}

/// The balances after the first entries, as long as they are chosen.
fn balances(entries: &[Entry], chosen: impl Fn(&Entry) -> bool) -> Balances {
    let chosen = entries.iter().filter(|it| chosen(it));
    chosen.fold(Balances::default(), |balances, entry| balances.after(&entry.changes).unwrap())
}
