//! Compares a file with what earlier imports of the same app have recorded in the group.
//!
//! A row is the same as a recorded one if both have one id. The ids of apps without ids are made of
//! the contents of their rows, with the names of people. A person may have another name in a later
//! file, so a row whose id is unknown is also the same as a recorded one with the same contents
//! among the members of the group.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use serde::Serialize;

use super::{Confirmed, Format, Record, RowPlace, SourceApp, hash, was_pending};
use crate::{
    group::links::Links,
    input::Error,
    ledger::Totals,
    records::expense::Expense,
    values::{
        currency::Currency,
        decimal::Decimal,
        entry_id::EntryId,
        id::{GroupId, MemberId},
        settlement_status::SettlementStatus,
    },
};

/// Records of an earlier import that the group still has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The expense, the settlement or the adjustment as it is now.
    pub record: Record,
    /// Format of the file.
    pub format: Format,
    /// Whether a member has edited it since.
    pub is_edited: bool,
}

/// A row of a file that the group has in another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Place in the file.
    pub place: RowPlace,
    /// Record of the file, under the id of the group's.
    pub after: Record,
    /// Record of the group.
    pub before: Earlier,
    /// Names of the fields that differ.
    pub fields: Vec<&'static str>,
}

/// A file compared with what earlier imports of the same app have recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Records of the file. Those that the group has under another id have that id.
    pub records: Vec<(RowPlace, Record)>,
    /// Ids of the records that earlier imports have made.
    pub found: HashSet<EntryId>,
    /// Rows that the group has in another version, in the order of the file.
    pub changed: Vec<Changed>,
    /// Records that the file no longer has, in the order in which they were recorded.
    pub gone: Vec<Earlier>,
    /// Number of rows that the group has, and that the file rounds otherwise. They are not among
    /// the changed ones.
    pub rounded: usize,
}

impl Comparison {
    /// Compares a file with what earlier imports of the same app have recorded, in that order.
    /// `is_recorded` says whether the ledger has the id of a row.
    #[must_use]
    pub fn of(
        format: Format,
        mut records: Vec<(RowPlace, Record)>,
        earlier: Vec<Earlier>,
        links: &Links,
        is_recorded: impl Fn(&Record) -> bool,
    ) -> Self {
        let ids: HashMap<EntryId, usize> =
            earlier.iter().enumerate().map(|(index, it)| (it.record.entry_id(), index)).collect();
        let mut found: Vec<Option<usize>> =
            records.iter().map(|(_, it)| ids.get(&it.entry_id()).copied()).collect();
        let mut taken = vec![false; earlier.len()];
        for index in found.iter().flatten() {
            if let Some(taken) = taken.get_mut(*index) {
                *taken = true;
            }
        }
        let mut contents: HashMap<Contents, VecDeque<usize>> = HashMap::new();
        for (index, it) in earlier.iter().enumerate() {
            if taken.get(index) == Some(&false) && format.may_have_other_ids(it.format) {
                contents.entry(Contents::of(&it.record, links)).or_default().push_back(index);
            }
        }
        for ((_, record), found) in records.iter_mut().zip(&mut found) {
            if found.is_some() || contents.is_empty() || is_recorded(record) {
                continue;
            }
            let Some(alike) = contents.get_mut(&Contents::of(record, links)) else { continue };
            let is_same = |index: &usize| {
                let before = earlier.get(*index);
                before.is_some_and(|it| have_same_shares(format, record, &it.record, links))
            };
            let Some(place) = alike.iter().position(is_same) else { continue };
            *found = alike.remove(place);
            if let Some((index, before)) = found.and_then(|it| Some((it, earlier.get(it)?))) {
                record.take_id(&before.record);
                if let Some(taken) = taken.get_mut(index) {
                    *taken = true;
                }
            }
        }
        let mut changed = Vec::new();
        let mut ids = HashSet::new();
        let mut rounded = 0_usize;
        let mut parts: BTreeMap<RowPlace, usize> = BTreeMap::new();
        for (place, _) in &records {
            let parts = parts.entry(*place).or_default();
            *parts = parts.saturating_add(1);
        }
        for ((place, record), found) in records.iter().zip(found) {
            let Some(before) = found.and_then(|index| earlier.get(index)) else { continue };
            ids.insert(record.entry_id());
            let mut fields = differences(format, record, &before.record, links);
            // The amounts of a payment to several people are rounded as shares are.
            let is_part = parts.get(place).is_some_and(|parts| *parts > 1);
            if is_part && is_rounded(format, record, &before.record) {
                fields.retain(|field| *field != AMOUNT);
            }
            if fields.is_empty() {
                let is_other = !before.is_edited && differs_by_rounding(record, before, links);
                rounded = rounded.saturating_add(usize::from(is_other));
            } else {
                let after = record.clone();
                let before = before.clone();
                changed.push(Changed { place: *place, after, before, fields });
            }
        }
        let gone = earlier.into_iter().zip(taken).filter(|(_, taken)| !taken);
        Self { records, found: ids, changed, gone: gone.map(|(it, _)| it).collect(), rounded }
    }

    /// The members for whom earlier imports have recorded the rows of strangers: people who are not
    /// matched to a member. Those of one stranger may be several members: the one with the most
    /// rows counts.
    #[must_use]
    pub fn recorded_for(&self, strangers: &BTreeSet<MemberId>) -> BTreeMap<MemberId, MemberId> {
        let mut rows: BTreeMap<MemberId, BTreeMap<MemberId, usize>> = BTreeMap::new();
        for Changed { after, before, .. } in &self.changed {
            for (stranger, member) in roles(after, &before.record) {
                if strangers.contains(&stranger) {
                    let count = rows.entry(stranger).or_default().entry(member).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
        let most = |members: BTreeMap<MemberId, usize>| {
            members.into_iter().max_by_key(|(_, count)| *count).map(|(member, _)| member)
        };
        rows.into_iter().filter_map(|(it, members)| Some((it, most(members)?))).collect()
    }

    /// Number of rows that have changed in the app, but not in the group.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.changed.iter().filter(|it| !it.before.is_edited).count()
    }

    /// Records of the group that an update replaces, each with its replacement, if the file still
    /// has it. Records that a member has edited since are not among them.
    pub fn replacements(&self) -> impl Iterator<Item = (&Record, Option<&Record>)> {
        let changed = self.changed.iter().filter(|it| !it.before.is_edited);
        let changed = changed.map(|it| (&it.before.record, Some(&it.after)));
        let gone = self.gone.iter().filter(|it| !it.is_edited);
        changed.chain(gone.map(|it| (&it.record, None)))
    }

    /// Text that a request must send to import the file although rows have changed or are gone.
    /// `None` if there are no such rows. Rows that a member has edited since stay as they are, so
    /// their changes need no confirmation.
    #[must_use]
    pub fn confirmation(&self, group: GroupId) -> Option<String> {
        let of = |record: &Record| serde_json::to_vec(&Contents::of(record, &Links::default()));
        let changed = self.changed.iter().filter(|it| !it.before.is_edited);
        let changed = changed.flat_map(|it| [&it.before.record, &it.after]);
        let gone = self.gone.iter().map(|it| &it.record);
        let id = |record: &Record| record.entry_id().to_string().into_bytes();
        let [changed, gone] = [changed.collect::<Vec<_>>(), gone.collect()].map(|records| {
            let parts = records.into_iter().flat_map(|it| [id(it), of(it).unwrap_or_default()]);
            parts.collect::<Vec<_>>()
        });
        if changed.is_empty() && gone.is_empty() {
            return None;
        }
        let count = changed.len().to_be_bytes().to_vec();
        let parts: Vec<_> = [count].into_iter().chain(changed).chain(gone).collect();
        let parts: Vec<&[u8]> = parts.iter().map(|part| &**part).collect();
        let hash = hash("differences", group, &parts);
        Some(hex::encode(hash.first_chunk::<16>().unwrap_or(&[0; 16])))
    }

    /// Checks that a request with this confirmation may import the file.
    ///
    /// # Errors
    ///
    /// [`Error::ImportDiffers`].
    pub fn check(&self, group: GroupId, sent: Option<&Confirmed>) -> Result<(), Error> {
        match self.confirmation(group) {
            Some(needed) if sent.is_none_or(|sent| sent.text != needed) => {
                let changed = self.changed();
                let gone = self.gone.len();
                Err(Error::ImportDiffers { changed, gone })
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl Format {
    /// Whether one row may have two ids in files of these formats: the ids of the rows are made of
    /// their contents in one of them.
    fn may_have_other_ids(self, earlier: Self) -> bool {
        let has_ids = |format| match format {
            Self::SpliitJson | Self::SplitwiseJson | Self::TricountJson | Self::FractiJson => true,
            Self::SplitwiseCsv
            | Self::SpliitCsv
            | Self::IhatemoneyJson
            | Self::IhatemoneyCsv
            | Self::CospendCsv
            | Self::SpliitCloudCsv
            | Self::SettleUpCsv
            | Self::TricountCsv => false,
        };
        !(has_ids(self) && has_ids(earlier))
    }

    /// By how many minor units shares of one row may differ. Some apps have no minor units in their
    /// shares, which are rounded so that the balances add up: with other rows before it, a row may
    /// be rounded differently.
    fn rounding(self) -> u64 {
        match self.app() {
            SourceApp::Fracti => 0,
            SourceApp::Splitwise
            | SourceApp::Spliit
            | SourceApp::Ihatemoney
            | SourceApp::Cospend
            | SourceApp::SpliitCloud
            | SourceApp::SettleUp
            | SourceApp::Tricount => 1,
        }
    }
}

impl Record {
    /// Takes the id of a recorded row of the same kind.
    fn take_id(&mut self, recorded: &Self) {
        match (self, recorded) {
            (Self::Expense(it), Self::Expense(recorded)) => it.id = recorded.id,
            (Self::Settlement(it), Self::Settlement(recorded)) => it.id = recorded.id,
            (Self::Expense(_) | Self::Settlement(_) | Self::Adjustment(_), _) => {}
        }
    }

    /// Whether a member has edited a settlement that was imported as pending, or given it another
    /// status.
    #[must_use]
    pub fn has_changed_since(&self) -> bool {
        match self {
            Self::Settlement(it) => {
                let has_ended = it.status != SettlementStatus::Pending && was_pending(it);
                has_ended || it.updated_at.is_some()
            }
            Self::Expense(_) | Self::Adjustment(_) => false,
        }
    }
}

/// Name of the amount among the fields that differ.
const AMOUNT: &str = "amount";

/// The totals of a member in a currency: paid, owed, sent and received.
type Sums = (i64, i64, i64, i64);

/// Contents that tell rows apart. Amounts are minor units, and linked guests are the users.
#[derive(PartialEq, Eq, Hash, Serialize)]
enum Contents {
    Expense {
        description: String,
        date: String,
        currency: Currency,
        amount: Option<i64>,
        payers: BTreeMap<MemberId, i64>,
        sharers: Vec<MemberId>,
    },
    Settlement {
        from: MemberId,
        to: MemberId,
        currency: Currency,
        amount: Option<i64>,
    },
    Adjustment {
        note: Option<String>,
        changes: Vec<(MemberId, Currency, Sums)>,
    },
}

impl Contents {
    fn of(record: &Record, links: &Links) -> Self {
        match record {
            Record::Expense(it) => Self::Expense {
                description: it.description.clone(),
                date: it.day().to_string(),
                currency: it.currency,
                amount: minor(it.currency, it.amount),
                payers: payers(it, links),
                sharers: shares(it, links).into_keys().collect(),
            },
            Record::Settlement(it) => Self::Settlement {
                from: links.resolve(it.from_user_id),
                to: links.resolve(it.to_user_id),
                currency: it.currency,
                amount: minor(it.currency, it.amount),
            },
            Record::Adjustment(event) => {
                let mut sums: BTreeMap<(MemberId, Currency), Totals> = BTreeMap::new();
                for change in &event.changes {
                    let key = (links.resolve(change.user), change.currency);
                    let sum = sums.entry(key).or_default();
                    *sum = sum.plus(change.totals).unwrap_or(*sum);
                }
                let sums = sums.into_iter().filter(|(_, sum)| *sum != Totals::default());
                let change = |((member, currency), sum): ((MemberId, Currency), Totals)| {
                    (member, currency, (sum.paid, sum.owed, sum.sent, sum.received))
                };
                Self::Adjustment { note: event.note.clone(), changes: sums.map(change).collect() }
            }
        }
    }
}

/// Names of the fields of a row that differ from what the group has. A category and notes that the
/// row does not have are not compared: not every app exports them.
fn differences(
    format: Format,
    after: &Record,
    before: &Record,
    links: &Links,
) -> Vec<&'static str> {
    let new = Contents::of(after, links);
    let old = Contents::of(before, links);
    // Earlier releases read only the nets of a row of Splitwise that several members paid.
    let same_nets = format == Format::SplitwiseCsv && have_same_nets(after, before, links);
    let mut fields = Vec::new();
    let mut note = |field, differs: bool| {
        if differs {
            fields.push(field);
        }
    };
    match (&new, &old) {
        (
            Contents::Expense { description, date, currency, amount, payers, sharers: _ },
            Contents::Expense {
                description: old_description,
                date: old_date,
                currency: old_currency,
                amount: old_amount,
                payers: old_payers,
                sharers: _,
            },
        ) => {
            note("description", description != old_description);
            note("date", date != old_date);
            note("currency", currency != old_currency);
            note(AMOUNT, amount != old_amount && !same_nets);
            note("payers", payers != old_payers && !same_nets);
            note("shares", !have_same_shares(format, after, before, links) && !same_nets);
        }
        (
            Contents::Settlement { from, to, currency, amount },
            Contents::Settlement {
                from: old_from,
                to: old_to,
                currency: old_currency,
                amount: old_amount,
            },
        ) => {
            note("payer", from != old_from);
            note("recipient", to != old_to);
            note("currency", currency != old_currency);
            note(AMOUNT, amount != old_amount);
        }
        (
            Contents::Adjustment { note: text, changes },
            Contents::Adjustment { note: old_text, changes: old_changes },
        ) => {
            note("note", text != old_text);
            note("changes", changes != old_changes);
        }
        // An id has the kind of the row in it.
        (
            Contents::Expense { .. } | Contents::Settlement { .. } | Contents::Adjustment { .. },
            _,
        ) => {
            note("kind", true);
        }
    }
    match (after, before) {
        (Record::Expense(after), Record::Expense(before)) => {
            // More of Splitwise's categories are known than before.
            let is_compared = after.category.is_some() && format.app() != SourceApp::Splitwise;
            note("category", is_compared && after.category != before.category);
            note("notes", after.notes.is_some() && after.notes != before.notes && !same_nets);
        }
        (Record::Settlement(after), Record::Settlement(before)) => {
            note("status", after.status != before.status);
        }
        (Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_), _) => {}
    }
    fields
}

/// Whether two expenses change the balances alike.
fn have_same_nets(after: &Record, before: &Record, links: &Links) -> bool {
    let (Record::Expense(after), Record::Expense(before)) = (after, before) else { return false };
    let nets = |it: &Expense| {
        let mut nets = payers(it, links);
        for (member, minor) in shares(it, links) {
            let net = nets.entry(member).or_default();
            *net = net.saturating_sub(minor);
        }
        nets.retain(|_, net| *net != 0);
        nets
    };
    after.currency == before.currency && nets(after) == nets(before)
}

/// The members of a row, each with the member who has the same part in what was recorded.
fn roles(after: &Record, before: &Record) -> Vec<(MemberId, MemberId)> {
    match (after, before) {
        (Record::Expense(after), Record::Expense(before)) => {
            let has_one = after.payers.is_empty() && before.payers.is_empty();
            let payer = has_one.then_some((after.payer_id, before.payer_id));
            let shares = after.splits.iter().zip(&before.splits);
            let shares = shares.filter(|(after, before)| after.amount == before.amount);
            let shares = shares.map(|(after, before)| (after.user_id, before.user_id));
            payer.into_iter().chain(shares).collect()
        }
        (Record::Settlement(after), Record::Settlement(before)) => {
            after.parties().into_iter().zip(before.parties()).collect()
        }
        (Record::Adjustment(after), Record::Adjustment(before)) => {
            let changes = after.changes.iter().zip(&before.changes);
            let changes = changes.filter(|(after, before)| after.totals == before.totals);
            changes.map(|(after, before)| (after.user, before.user)).collect()
        }
        (Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_), _) => Vec::new(),
    }
}

/// Whether the amounts of two payments differ by no more than rounding.
fn is_rounded(format: Format, after: &Record, before: &Record) -> bool {
    let (Record::Settlement(after), Record::Settlement(before)) = (after, before) else {
        return false;
    };
    let amounts = [after, before].map(|it| minor(after.currency, it.amount));
    let [Some(after), Some(before)] = amounts else { return false };
    after.abs_diff(before) <= format.rounding()
}

/// Whether a row that is the same as a recorded one has other shares, or another amount.
fn differs_by_rounding(after: &Record, before: &Earlier, links: &Links) -> bool {
    match (after, &before.record) {
        (Record::Expense(after), Record::Expense(before)) => {
            shares(after, links) != shares(before, links)
        }
        (Record::Settlement(after), Record::Settlement(before)) => after.amount != before.amount,
        (Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_), _) => false,
    }
}

/// Whether members have the same shares of both, apart from rounding.
fn have_same_shares(format: Format, after: &Record, before: &Record, links: &Links) -> bool {
    let (Record::Expense(after), Record::Expense(before)) = (after, before) else { return true };
    let new = shares(after, links);
    let old = shares(before, links);
    let is_rounded = after.amount == before.amount && after.currency == before.currency;
    let most = if is_rounded { format.rounding() } else { 0 };
    let mut pairs = new.iter().zip(&old);
    new.len() == old.len()
        && pairs.all(|((member, share), (of, old))| member == of && share.abs_diff(*old) <= most)
}

/// Payments of each payer, in minor units.
fn payers(expense: &Expense, links: &Links) -> BTreeMap<MemberId, i64> {
    let payers = expense.all_payers().into_iter();
    sums(expense.currency, links, payers.map(|it| (it.user_id, it.amount)))
}

/// Shares of each member, in minor units.
fn shares(expense: &Expense, links: &Links) -> BTreeMap<MemberId, i64> {
    let shares = expense.splits.iter();
    sums(expense.currency, links, shares.map(|it| (it.user_id, it.amount)))
}

fn sums(
    currency: Currency,
    links: &Links,
    amounts: impl Iterator<Item = (MemberId, Decimal)>,
) -> BTreeMap<MemberId, i64> {
    let mut sums: BTreeMap<MemberId, i64> = BTreeMap::new();
    for (member, amount) in amounts {
        let sum = sums.entry(links.resolve(member)).or_default();
        *sum = sum.saturating_add(minor(currency, amount).unwrap_or_default());
    }
    sums
}

fn minor(currency: Currency, amount: Decimal) -> Option<i64> {
    currency.to_minor(amount).ok()
}
