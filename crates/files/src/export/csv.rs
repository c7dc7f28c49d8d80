//! The export of a group as CSV (RFC 4180), for spreadsheets.
//!
//! Each line has an expense, a payment, an adjustment or a link that counts, and the change of each
//! member's balance. The last lines are the balances, which are the sums of the columns. A linked
//! guest has no column: their amounts are in the user's.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
};

use csv::{Terminator, WriterBuilder};
use fracti_core::{
    group::{Member, links::Links},
    ledger::{EntryStatus, RefType},
    records::{entry::Entry, expense::Expense, settlement::Settlement},
    values::{currency::Currency, entry_id::EntryId, id::MemberId, time::Timestamp},
};
use fracti_store::{ExportPage, Exported, ExportedRow};
use sha2::{Digest, Sha256};

/// Columns before those of the members.
const COLUMNS: [&str; 7] =
    ["Date", "Type", "Description", "Category", "Currency", "Amount", "Paid by"];

/// The byte order mark, by which spreadsheets recognize UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// First characters that make a spreadsheet take text for a formula.
///
/// <https://owasp.org/www-community/attacks/CSV_Injection>
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// Length of the hash of the columns, in bytes.
const HASH: usize = 16;

/// The columns of an export.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// Ids and names of the members who have a column, in order of joining.
    members: Vec<(MemberId, String)>,
    /// Index of each member's column.
    columns: HashMap<MemberId, usize>,
    /// Names of linked guests.
    guests: HashMap<MemberId, String>,
    links: Links,
    until: Timestamp,
}

/// Error returned for a line that cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    /// An entry names a member who does not exist in the group.
    #[error("entry {0} names a member who does not exist in the group")]
    NoMember(u64),
    /// The line cannot be written as CSV.
    #[error("a line cannot be written as CSV")]
    Csv(#[from] csv::Error),
}

/// The cells of a line before those of the members.
#[derive(Default)]
struct Cells<'a> {
    date: String,
    kind: &'static str,
    description: Cow<'a, str>,
    category: String,
    currency: Option<Currency>,
    amount: Option<i128>,
    paid_by: String,
}

impl Sheet {
    /// The columns of an export: one for each member, or, after the first page, for each member who
    /// joined no later than `until`.
    pub(crate) fn of(exported: &Exported, until: Option<Timestamp>) -> Self {
        let links = exported.ledger.links.clone();
        let joined = |member: &&Member| until.is_none_or(|until| member.joined_at <= until);
        let mut members: Vec<&Member> = exported.members.iter().filter(joined).collect();
        members.sort_by_key(|member| (member.joined_at, member.id));
        let until = members.last().map(|member| member.joined_at).or(until).unwrap_or_default();
        let guests = members.iter().filter(|member| links.has(member.id));
        let guests = guests.map(|guest| (guest.id, guest.name.clone())).collect();
        members.retain(|member| !links.has(member.id));
        let mut taken: HashSet<String> = COLUMNS.iter().map(|name| name.to_lowercase()).collect();
        let members: Vec<_> =
            members.into_iter().map(|it| (it.id, unique(&it.name, &mut taken))).collect();
        let columns =
            members.iter().enumerate().map(|(index, (member, _))| (*member, index)).collect();
        Self { members, columns, guests, links, until }
    }

    /// Time of joining of the newest member who has a column.
    pub(crate) const fn until(&self) -> Timestamp {
        self.until
    }

    /// A hash of the columns and their names.
    pub(crate) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for (member, name) in &self.members {
            hash.update(format!("{member} {} {name}\n", name.len()));
        }
        hex::encode(hash.finalize().get(..HASH).unwrap_or_default())
    }

    /// A page of the file: the header if it is the first one, the lines, and the balances if it is
    /// the last one.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a line cannot be written.
    pub(crate) fn page(&self, page: &ExportPage, is_first: bool) -> Result<String, LineError> {
        let mut text = String::new();
        if is_first {
            text.push_str(BYTE_ORDER_MARK);
            let fixed = COLUMNS.iter().map(|name| Cow::Borrowed(*name));
            let names = self.members.iter().map(|(_, name)| guarded(name));
            text.push_str(&line(fixed.chain(names))?);
        }
        text.extend(page.entries.iter().map(String::as_str));
        if page.next.is_none() {
            let balances = &page.exported.ledger.balances;
            for currency in balances.currencies() {
                let nets = balances.of(currency).map(|(member, totals)| (member, totals.net()));
                let cells = Cells { kind: "Total", currency: Some(currency), ..Cells::default() };
                text.push_str(&self.line(
                    &cells,
                    &nets.collect(),
                    page.exported.ledger.sequence,
                )?);
            }
        }
        Ok(text)
    }

    /// The lines of a row: one for each currency of an adjustment, one for any other event that
    /// counts, and none for others.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a line cannot be written.
    pub(crate) fn lines(&self, row: ExportedRow) -> Result<Option<String>, LineError> {
        let ExportedRow::Entry { entry, settlement } = row else { return Ok(None) };
        match entry.status {
            EntryStatus::Applied => {}
            EntryStatus::Reverted | EntryStatus::Revert => return Ok(None),
        }
        let mut nets: BTreeMap<Currency, BTreeMap<MemberId, i128>> = BTreeMap::new();
        for change in &entry.changes {
            let member = self.links.resolve(change.user);
            let net = nets.entry(change.currency).or_default().entry(member).or_default();
            *net = net.saturating_add(change.totals.net());
        }
        let lines: Result<String, _> = match entry.ref_type {
            RefType::Link => {
                // The guest shares the user's column, so the link changes no balance.
                return self.line(&self.link(&entry), &BTreeMap::new(), entry.sequence).map(Some);
            }
            RefType::Expense => {
                let Some(expense) = &entry.snapshot else { return Ok(None) };
                let cells = self.expense(expense);
                let nets = nets.remove(&expense.currency).unwrap_or_default();
                self.line(&cells, &nets, entry.sequence)
            }
            RefType::Settlement => {
                let Some(settlement) = &settlement else { return Ok(None) };
                let cells = self.payment(settlement, &entry);
                let nets = nets.remove(&settlement.currency).unwrap_or_default();
                self.line(&cells, &nets, entry.sequence)
            }
            RefType::Adjustment => nets
                .iter()
                .map(|(currency, nets)| {
                    self.line(&adjustment(&entry, *currency, nets), nets, entry.sequence)
                })
                .collect(),
        };
        lines.map(Some)
    }

    fn expense<'a>(&self, expense: &'a Expense) -> Cells<'a> {
        let mut payers: Vec<&str> = Vec::new();
        for payer in expense.all_payers() {
            let name = self.name(payer.user_id);
            if !payers.contains(&name) {
                payers.push(name);
            }
        }
        Cells {
            date: expense.day().to_string(),
            kind: "Expense",
            description: (&expense.description).into(),
            category: expense.category.map(|it| it.to_string()).unwrap_or_default(),
            currency: Some(expense.currency),
            amount: expense.currency.to_minor(expense.amount).ok().map(i128::from),
            paid_by: payers.join(", "),
        }
    }

    fn payment(&self, settlement: &Settlement, entry: &Entry) -> Cells<'static> {
        let [from, to] = settlement.parties().map(|member| self.name(member));
        Cells {
            date: entry.created_at.day().to_string(),
            kind: "Payment",
            description: format!("Payment to {to}").into(),
            currency: Some(settlement.currency),
            amount: settlement.currency.to_minor(settlement.amount).ok().map(i128::from),
            paid_by: from.to_owned(),
            ..Cells::default()
        }
    }

    fn link(&self, entry: &Entry) -> Cells<'static> {
        let user = entry.linked_to.map(|user| self.name(user.into())).unwrap_or_default();
        Cells {
            date: entry.created_at.day().to_string(),
            kind: "Link",
            description: format!("{} is {user}", self.guest(entry)).into(),
            ..Cells::default()
        }
    }

    /// The name of the guest of a link.
    fn guest(&self, entry: &Entry) -> &str {
        let guest = match &entry.entry_id {
            EntryId::Link(guest) => self.guests.get(&MemberId::from(*guest)),
            EntryId::Record(_) | EntryId::Adjustment(_) => None,
        };
        guest.map_or("", String::as_str)
    }

    /// The name of a member's column.
    fn name(&self, member: MemberId) -> &str {
        let column = self.columns.get(&self.links.resolve(member));
        column.and_then(|index| self.members.get(*index)).map_or("", |(_, name)| name)
    }

    /// A line with what it adds to the balances of members, in minor units.
    fn line(
        &self,
        cells: &Cells<'_>,
        nets: &BTreeMap<MemberId, i128>,
        sequence: u64,
    ) -> Result<String, LineError> {
        if nets.keys().any(|member| !self.columns.contains_key(member)) {
            return Err(LineError::NoMember(sequence));
        }
        let number = |minor: i128| {
            cells.currency.map(|currency| currency.to_major(minor).to_string()).unwrap_or_default()
        };
        let fixed = [
            cells.date.as_str().into(),
            cells.kind.into(),
            guarded(&cells.description),
            cells.category.as_str().into(),
            cells.currency.map(Currency::code).unwrap_or_default().into(),
            cells.amount.map(number).unwrap_or_default().into(),
            guarded(&cells.paid_by),
        ];
        let net = |(member, _): &(MemberId, String)| {
            Cow::Owned(nets.get(member).map(|net| number(*net)).unwrap_or_default())
        };
        line(fixed.into_iter().chain(self.members.iter().map(net)))
    }
}

/// The cells of an adjustment in one currency.
fn adjustment<'a>(
    entry: &'a Entry,
    currency: Currency,
    nets: &BTreeMap<MemberId, i128>,
) -> Cells<'a> {
    let description =
        entry.note.as_deref().map_or_else(|| entry.entry_id.to_string().into(), Cow::from);
    Cells {
        date: entry.created_at.day().to_string(),
        kind: "Adjustment",
        description,
        currency: Some(currency),
        amount: Some(nets.values().map(|net| (*net).max(0)).fold(0, i128::saturating_add)),
        ..Cells::default()
    }
}

/// A line of these cells.
fn line<'a>(cells: impl Iterator<Item = Cow<'a, str>>) -> Result<String, LineError> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(cells.map(Cow::into_owned))?;
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text, with a `'` before it if a spreadsheet would take it for a formula.
fn guarded(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { format!("'{text}").into() } else { text.into() }
}

/// The name, with a number if it is taken: the second of two Bobs is `Bob (2)`.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 1_u32;
    while !taken.insert(unique.to_lowercase()) {
        number = number.saturating_add(1);
        unique = format!("{name} ({number})");
    }
    unique
}
