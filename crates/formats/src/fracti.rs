//! Fracti's own JSON of a group.
//!
//! The entries of the ledger that count are imported: expenses with their payers, shares and
//! splits, settlements, and adjustments. So are the pending settlements. A linked guest is imported
//! as the user.

mod file;
mod known;
mod split;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fracti_core::{
    input::limits::MAX_SHARES,
    ledger::{EntryStatus, RefType, Totals},
    records::adjustment::MAX_CHANGES,
    split::Split,
    values::{
        currency::Currency, decimal::Decimal, settlement_status::SettlementStatus, time::Day,
    },
};
use fracti_texts::{Message, message, rule};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    draft::{FieldText, ImportDraft, Named, UncheckedRow},
    import::{
        AdjustmentChange, FilePlace, Format, Issue, Payment, PersonPart, ReadAdjustment, RowPlace,
    },
    json,
    key::Key,
    number::too_large,
};

use file::{
    AmountJson, BalanceJson, ChangeJson, EntryJson, ExpenseJson, ExportJson, MemberJson,
    ResponseJson, SettlementJson, ShareJson,
};
pub(crate) use file::{ExportForm, recognize};

/// Version of the format that is read.
const VERSION: u64 = 1;

/// Reads a file in the form that [`recognize`] found.
///
/// # Errors
///
/// An [`Issue`] if the export is not complete.
pub(crate) fn read(text: &str, form: ExportForm, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    draft.format(Format::FractiJson);
    let lists = Lists::of(form);
    let export = match form {
        ExportForm::Response => json::file::<ResponseJson<'_>>(text, &lists.all())?.data,
        ExportForm::File => json::file::<ExportJson<'_>>(text, &lists.all())?,
    };
    draft.see_json(text, known::fields(form));
    let of_file = |message: Message| Err(FilePlace::FILE.issue(message));
    let ExportJson { version, sequence, group, members, balances, schedules, entries, settlements } =
        export;
    if version != VERSION {
        return of_file(message!(
            "version must be {VERSION}, not {version}",
            "значение version должно быть {VERSION}, а не {version}"
        ));
    }
    let divides = group.as_ref().is_some_and(|group| !group.default_splits.is_empty());
    let source = group.and_then(|group| group.id());
    draft.source(source);
    if let Some(group) = source {
        draft.group("fracti", &group.to_string());
    }
    let (Some(members), Some(balances)) = (members, balances) else {
        return of_file(
            message!(
                "members and balances are missing: the file must have the first page of the export",
                "нет members и balances: в файле должна быть первая страница выгрузки"
            )
            .to_owned(),
        );
    };
    let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    if count != sequence {
        return of_file(message!(
            "the file has {count} of {sequence} entries: it must have all pages of the export, as \
             fracti-admin export writes them",
            "записей в файле — {count} из {sequence}: нужны все страницы выгрузки, как их пишет \
             fracti-admin export"
        ));
    }
    let entries = read_all::<EntryJson>(draft, lists.entries, &entries);
    let settlements = read_all::<SettlementJson>(draft, lists.settlements, &settlements);
    if draft.has_errors() {
        return Ok(());
    }
    let mut reader = ExportReader::new(draft, lists);
    reader.add_members(&members, &entries, &settlements);
    for (index, entry) in entries.iter().enumerate() {
        let row = RowPlace::Item(lists.entries, index);
        if entry.sequence != u64::try_from(index).unwrap_or(u64::MAX) {
            let rule = rule!(
                "{field} must be {index}: the entries must be in order",
                "{field} должно быть {index}: записи должны идти по порядку"
            );
            reader.draft.refuse(row.into(), "sequence", rule);
            return Ok(());
        }
        if entry.status != EntryStatus::Applied {
            reader.past = reader.past.saturating_add(1);
        } else if entry.ref_type != RefType::Link {
            if !reader.draft.admits_row(row.into()) {
                return Ok(());
            }
            reader.row(row, entry);
        }
    }
    for (index, settlement) in settlements.iter().enumerate() {
        let row = RowPlace::Item(lists.settlements, index);
        if !reader.draft.admits_row(row.into()) {
            return Ok(());
        }
        reader.open_settlement(row, settlement);
    }
    reader.check(balances);
    reader.warn();
    if !schedules.is_empty() {
        let count = Message::counted(
            schedules.len(),
            ["schedule is", "schedules are"],
            ["расписание не переносится", "расписания не переносятся", "расписаний не переносится"],
        );
        reader.draft.warn(FilePlace::FILE, message!("{count} not imported", "{count}", [count]));
    }
    if divides {
        reader.draft.warn(
            FilePlace::FILE,
            message!(
                "the default split of the group is not imported",
                "деление группы по умолчанию не переносится"
            ),
        );
    }
    Ok(())
}

/// Paths of the lists of a file.
#[derive(Clone, Copy)]
struct Lists {
    members: &'static str,
    balances: &'static str,
    entries: &'static str,
    settlements: &'static str,
}

impl Lists {
    const fn of(form: ExportForm) -> Self {
        match form {
            ExportForm::File => Self {
                members: "members",
                balances: "balances",
                entries: "entries",
                settlements: "settlements",
            },
            ExportForm::Response => Self {
                members: "data.members",
                balances: "data.balances",
                entries: "data.entries",
                settlements: "data.settlements",
            },
        }
    }

    const fn all(self) -> [&'static str; 4] {
        let Self { members, balances, entries, settlements } = self;
        [members, balances, entries, settlements]
    }
}

/// The items of a list, unless one of them is broken.
fn read_all<'a, T: Deserialize<'a>>(
    draft: &mut ImportDraft<'_>,
    name: &'static str,
    list: &[&'a RawValue],
) -> Vec<T> {
    let mut read = Vec::new();
    for (index, json) in list.iter().enumerate() {
        if draft.is_full() {
            break;
        }
        match json::part(json, FilePlace::item(name, index)) {
            Ok(part) => read.push(part),
            Err(issue) => draft.fail(issue),
        }
    }
    read
}

struct ExportReader<'d, 'a> {
    draft: &'d mut ImportDraft<'a>,
    lists: Lists,
    /// Indexes of the members by their ids, and by those of the guests who are linked to them.
    members: HashMap<String, usize>,
    /// Ids of the rows read.
    ids: BTreeSet<(RefType, String)>,
    /// Sums of the rows by currency and member, in minor units.
    nets: BTreeMap<(Currency, usize), i128>,
    /// Number of entries that do not count.
    past: usize,
    /// Number of settlements that failed.
    failed: usize,
    /// Number of settlements with a blockchain transaction.
    hashes: usize,
}

impl<'d, 'a> ExportReader<'d, 'a> {
    fn new(draft: &'d mut ImportDraft<'a>, lists: Lists) -> Self {
        Self {
            draft,
            lists,
            members: HashMap::new(),
            ids: BTreeSet::new(),
            nets: BTreeMap::new(),
            past: 0,
            failed: 0,
            hashes: 0,
        }
    }

    /// Adds the members: those who are present and those who take part in a row.
    fn add_members(
        &mut self,
        members: &[MemberJson],
        entries: &[EntryJson],
        open: &[SettlementJson],
    ) {
        let applied = || entries.iter().filter(|entry| entry.status == EntryStatus::Applied);
        let links: HashMap<&str, &str> = applied()
            .filter_map(|entry| {
                Some((entry.id.strip_prefix("link:")?, &**entry.linked_to.as_ref()?))
            })
            .collect();
        let resolved =
            |id: &str| links.get(id).map_or_else(|| id.to_owned(), |id| (*id).to_owned());
        let mut active: HashSet<String> = HashSet::new();
        for entry in applied() {
            active.extend(entry.changes.iter().map(|change| resolved(&change.user_id)));
            let expense = entry.expense.iter();
            let named = expense.flat_map(|it| it.payers.iter().chain(&it.splits));
            active.extend(named.map(|it| resolved(&it.user_id)));
        }
        let pending = open.iter().filter(|it| it.status == SettlementStatus::Pending);
        let parties = pending.flat_map(|it| [&it.from_user_id, &it.to_user_id]);
        active.extend(parties.map(|id| resolved(id)));
        let mut people = Vec::new();
        let mut left_out = 0_usize;
        for (index, member) in members.iter().enumerate() {
            let place = FilePlace::item(self.lists.members, index);
            if links.contains_key(&*member.id) {
                continue;
            }
            let is_past = member.left_at.is_some() || member.removed_at.is_some();
            if is_past && !active.contains(&member.id) {
                left_out = left_out.saturating_add(1);
            } else {
                people.push((place, &*member.name, &*member.id));
            }
        }
        self.members = self.draft.add_people(&people, "fracti", "member");
        let linked: Vec<(String, usize)> = links
            .iter()
            .filter_map(|(guest, user)| Some(((*guest).to_owned(), *self.members.get(*user)?)))
            .collect();
        if !linked.is_empty() {
            let what = match linked.len() {
                1 => message!(
                    "1 guest is imported as the user to whom they were linked",
                    "один гость записывается как пользователь, с которым связан"
                ),
                count => message!(
                    "{count} guests are imported as the users to whom they were linked",
                    "гостей, записанных как связанные с ними пользователи: {count}"
                ),
            };
            self.draft.warn(FilePlace::FILE, what);
        }
        for (guest, user) in &linked {
            self.draft.note_id(*user, "fracti", guest);
        }
        self.members.extend(linked);
        if left_out > 0 {
            let what = match left_out {
                1 => message!(
                    "1 past member without an expense or payment is not imported",
                    "один бывший участник без расходов и платежей не переносится"
                ),
                count => message!(
                    "{count} past members without an expense or payment are not imported",
                    "бывшие участники без расходов и платежей не переносятся: {count}"
                ),
            };
            self.draft.warn(FilePlace::FILE, what);
        }
    }

    fn row(&mut self, row: RowPlace, entry: &EntryJson) {
        let place = FilePlace::from(row);
        if !self.ids.insert((entry.ref_type, entry.id.clone())) {
            let id = &entry.id;
            let rule = rule!(
                "{field} {id:.64} must be unique among applied entries",
                "{field} {id:.64} не должно повторяться среди действующих записей"
            );
            return self.draft.refuse(place, "entryId", rule);
        }
        // The keys of rows are made of these ids, so they are unique as those of the entries are.
        let is_of_entry = |id: &str| id == entry.id;
        match (entry.ref_type, &entry.expense, &entry.settlement) {
            (RefType::Expense, Some(expense), _) if is_of_entry(&expense.id) => {
                self.expense(row, expense);
            }
            (RefType::Settlement, _, Some(settlement)) if is_of_entry(&settlement.id) => {
                self.settlement(row, entry, settlement);
            }
            (RefType::Expense, Some(_), _) => {
                self.draft.refuse(
                    place,
                    "expense.id",
                    rule!("{field} must be the entryId", "{field} должно совпадать с entryId"),
                );
            }
            (RefType::Settlement, _, Some(_)) => {
                self.draft.refuse(
                    place,
                    "settlement.id",
                    rule!("{field} must be the entryId", "{field} должно совпадать с entryId"),
                );
            }
            (RefType::Expense, None, _) => self.draft.refuse(
                place,
                "expense",
                rule!("{field} is missing", "не хватает {field}"),
            ),
            (RefType::Settlement, _, None) => self.draft.refuse(
                place,
                "settlement",
                rule!("{field} is missing", "не хватает {field}"),
            ),
            (RefType::Adjustment, ..) => self.adjustment(row, entry),
            (RefType::Link, ..) => {}
        }
    }

    fn expense(&mut self, row: RowPlace, expense: &ExpenseJson) {
        let place = FilePlace::from(row);
        let date = self.draft.date(place, "expense.date", &expense.date);
        let payers = self.parts(place, "expense.payers", &expense.payers, expense.currency);
        let shares = self.parts(place, "expense.splits", &expense.splits, expense.currency);
        let (Some(date), Some(payers), Some(shares)) = (date, payers, shares) else { return };
        self.count(expense.currency, &payers, &shares);
        let split = self.split(place, expense, &shares);
        self.draft.push(&UncheckedRow {
            row,
            key: Key::exactly("fracti", &["expense", &expense.id]),
            is_payment: false,
            date,
            description: FieldText {
                field: Named::Field("expense.description"),
                text: &expense.description,
            },
            category: expense.category,
            notes: expense
                .notes
                .as_deref()
                .map(|text| FieldText { field: Named::Field("expense.notes"), text }),
            currency: expense.currency,
            is_open: false,
            payers,
            shares,
            split,
        });
    }

    /// The split of an expense, if its shares follow from it.
    fn split(
        &mut self,
        place: FilePlace,
        expense: &ExpenseJson,
        shares: &[PersonPart],
    ) -> Option<Split<usize>> {
        let read = split::read(expense, shares, &self.members, self.draft);
        read.unwrap_or_else(|rule| {
            let what = message!(
                "the shares are imported as exact amounts, because the split cannot be kept: \
                 {rule}",
                "доли записываются точными суммами, потому что деление не сохранить: {rule}",
                [rule]
            );
            self.draft.warn(place, what);
            None
        })
    }

    /// Reads a completed settlement.
    fn settlement(&mut self, row: RowPlace, entry: &EntryJson, settlement: &SettlementJson) {
        let place = FilePlace::from(row);
        if settlement.status != SettlementStatus::Completed {
            let rule = rule!(
                "{field} must be completed, as the entry is applied",
                "{field} должно быть completed: запись действует"
            );
            return self.draft.refuse(place, "settlement.status", rule);
        }
        let date = self.day(place, settlement.date.as_ref().unwrap_or(&entry.created_at));
        let Some(payment) = self.payment(place, "settlement.", settlement) else { return };
        let Some(date) = date else { return };
        let Payment { from, to, minor } = payment;
        let (payers, shares) =
            (vec![PersonPart { person: from, minor }], vec![PersonPart { person: to, minor }]);
        self.count(settlement.currency, &payers, &shares);
        self.draft.push(&UncheckedRow {
            row,
            key: key_of(settlement),
            is_payment: true,
            date,
            description: FieldText { field: Named::Field("settlement"), text: "Payment" },
            category: None,
            notes: settlement
                .note
                .as_deref()
                .map(|text| FieldText { field: Named::Field("settlement.note"), text }),
            currency: settlement.currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    /// Reads a settlement that was not completed at the moment of the export.
    fn open_settlement(&mut self, row: RowPlace, settlement: &SettlementJson) {
        let place = FilePlace::from(row);
        if !self.ids.insert((RefType::Settlement, settlement.id.clone())) {
            let id = &settlement.id;
            let rule =
                rule!("{field} {id:.64} must be unique", "{field} {id:.64} не должно повторяться");
            return self.draft.refuse(place, "id", rule);
        }
        match settlement.status {
            SettlementStatus::Pending => {}
            SettlementStatus::Failed => {
                self.failed = self.failed.saturating_add(1);
                return;
            }
            SettlementStatus::Completed => {
                let rule = rule!(
                    "{field} must not be completed, as the settlement has no entry",
                    "{field} не должно быть completed: у расчёта нет записи"
                );
                return self.draft.refuse(place, "status", rule);
            }
        }
        let date = self.day(place, settlement.date.as_ref().unwrap_or(&settlement.created_at));
        let Some(payment) = self.payment(place, "", settlement) else { return };
        let Some(date) = date else { return };
        if payment.from == payment.to {
            return self.draft.skip(
                row,
                &message!("its members pay themselves", "её участники платят сами себе"),
            );
        }
        let note =
            settlement.note.as_deref().map(|text| FieldText { field: Named::Field("note"), text });
        self.draft.pay_later(row, key_of(settlement), date, settlement.currency, payment, note);
    }

    /// The payment of a settlement, whose fields have a common start in the row.
    fn payment(
        &mut self,
        place: FilePlace,
        start: &str,
        settlement: &SettlementJson,
    ) -> Option<Payment> {
        let field = |name| format!("{start}{name}");
        let from = self.member(place, &field("fromUserId"), &settlement.from_user_id);
        let to = self.member(place, &field("toUserId"), &settlement.to_user_id);
        let number = settlement.amount.0;
        let currency = settlement.currency;
        let minor = self.draft.minor(place, &field("amount"), number, currency);
        let from = from?;
        let to = to?;
        let minor = minor?;
        if minor <= 0 {
            self.draft.refuse(
                place,
                &field("amount"),
                rule!("{field} must be positive", "{field} должно быть больше нуля"),
            );
            return None;
        }
        if settlement.tx_hash.is_some() {
            self.hashes = self.hashes.saturating_add(1);
        }
        Some(Payment { from, to, minor })
    }

    fn adjustment(&mut self, row: RowPlace, entry: &EntryJson) {
        let place = FilePlace::from(row);
        let name = self.draft.keep(place, "entryId", entry.id.parse());
        let note = entry.note.as_ref().map(|note| note.parse()).transpose();
        let note = self.draft.keep(place, "note", note);
        let changes = self.changes(place, &entry.changes);
        let (Some(name), Some(note), Some(changes)) = (name, note, changes) else { return };
        let mut sums: BTreeMap<Currency, i128> = BTreeMap::new();
        for AdjustmentChange { person, currency, totals } in &changes {
            let of_all = sums.entry(*currency).or_default();
            *of_all = of_all.saturating_add(totals.net());
            let of_person = self.nets.entry((*currency, *person)).or_default();
            *of_person = of_person.saturating_add(totals.net());
        }
        if let Some((currency, _)) = sums.into_iter().find(|(_, sum)| *sum != 0) {
            self.draft.refuse(
                place,
                "changes",
                rule!(
                    "{field} in {currency} must sum to 0",
                    "сумма {field} в {currency} должна быть равна 0"
                ),
            );
        } else if changes.is_empty() {
            self.draft.skip(row, &message!("it changes nothing", "она ничего не меняет"));
        } else {
            let key = Key::exactly("fracti", &["adjustment", &entry.id]);
            self.draft.adjust(ReadAdjustment { place: row, key, name, note, changes });
        }
    }

    /// The changes of an adjustment. Those of the user and a guest who was linked to them are added
    /// up.
    fn changes(
        &mut self,
        place: FilePlace,
        changes: &[ChangeJson],
    ) -> Option<Vec<AdjustmentChange>> {
        if changes.len() > MAX_CHANGES {
            let rule = rule!(
                "{field} must have at most {MAX_CHANGES} items",
                "{field} должно содержать не больше {MAX_CHANGES} элементов"
            );
            self.draft.refuse(place, "changes", rule);
            return None;
        }
        let mut read: Vec<AdjustmentChange> = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let currency = change.currency;
            let path = format!("changes[{index}]");
            let member = self.member(place, &format!("{path}.userId"), &change.user_id)?;
            let mut minor = |name: &str, amount: Option<AmountJson>| match amount {
                None => Some(0),
                Some(AmountJson(number)) => {
                    self.draft.minor(place, &format!("{path}.{name}"), number, currency)
                }
            };
            let sent = minor("sent", change.sent)?;
            let received = minor("received", change.received)?;
            let others = [change.paid, change.owed].into_iter().flatten();
            if others.into_iter().any(|AmountJson(number)| number != Decimal::ZERO) {
                let rule = rule!(
                    "{field} must change only sent and received in an adjustment",
                    "{field} в корректировке может менять только sent и received"
                );
                self.draft.refuse(place, &path, rule);
                return None;
            }
            if sent < 0 || received < 0 {
                self.draft.refuse(
                    place,
                    &path,
                    rule!(
                        "{field} must not have a negative amount",
                        "в {field} не должно быть отрицательных сумм"
                    ),
                );
                return None;
            }
            let totals = Totals { sent, received, ..Totals::default() };
            let is_same =
                |it: &&mut AdjustmentChange| (it.person, it.currency) == (member, currency);
            match read.iter_mut().find(is_same) {
                None => read.push(AdjustmentChange { person: member, currency, totals }),
                Some(before) => {
                    let sum = before.totals.plus(totals).ok_or_else(too_large);
                    before.totals = self.draft.keep(place, &path, sum)?;
                }
            }
        }
        read.retain(|change| change.totals != Totals::default());
        Some(read)
    }

    /// The day of a time.
    fn day(&mut self, place: FilePlace, time: &str) -> Option<Day> {
        self.draft.date(place, "createdAt", time.get(..10).unwrap_or(time))
    }

    /// The parts of members, one for each member.
    fn parts(
        &mut self,
        place: FilePlace,
        field: &str,
        amounts: &[ShareJson],
        currency: Currency,
    ) -> Option<Vec<PersonPart>> {
        if amounts.len() > MAX_SHARES {
            self.draft.refuse(
                place,
                field,
                rule!(
                    "{field} must have at most {MAX_SHARES} items",
                    "{field} должно содержать не больше {MAX_SHARES} элементов"
                ),
            );
            return None;
        }
        let mut parts: Vec<PersonPart> = Vec::new();
        for (index, ShareJson { user_id, amount, .. }) in amounts.iter().enumerate() {
            let member = self.member(place, &format!("{field}[{index}].userId"), user_id)?;
            let amount_field = format!("{field}[{index}].amount");
            let minor = self.draft.minor(place, &amount_field, amount.0, currency)?;
            match parts.iter_mut().find(|part| part.person == member) {
                None => parts.push(PersonPart { person: member, minor }),
                // The user and a guest who was linked to them.
                Some(part) => {
                    let sum = part.minor.checked_add(minor).ok_or_else(|| {
                        rule!(
                            "{field} are too large to be summed",
                            "суммы в {field} слишком велики, чтобы их сложить"
                        )
                    });
                    part.minor = self.draft.keep(place, field, sum)?;
                }
            }
        }
        Some(parts)
    }

    fn member(&mut self, place: FilePlace, field: &str, id: &str) -> Option<usize> {
        let member = self.members.get(id).copied().ok_or_else(|| {
            rule!(
                "{field} must be the id of a member in members",
                "{field} должно быть id участника из members"
            )
        });
        self.draft.keep(place, field, member)
    }

    /// Adds a row to the sums of its members.
    fn count(&mut self, currency: Currency, payers: &[PersonPart], shares: &[PersonPart]) {
        let paid = payers.iter().map(|part| (part.person, i128::from(part.minor)));
        let owed = shares.iter().map(|it| (it.person, i128::from(it.minor).saturating_neg()));
        for (member, minor) in paid.chain(owed) {
            let net = self.nets.entry((currency, member)).or_default();
            *net = net.saturating_add(minor);
        }
    }

    /// Compares the balances in the file with the sums of its rows.
    fn check(&mut self, balances: Vec<BalanceJson>) {
        for (index, BalanceJson { user_id, currency, net }) in balances.into_iter().enumerate() {
            let place = FilePlace::item(self.lists.balances, index);
            let Some(member) = self.member(place, "userId", &user_id) else { continue };
            let computed = self.nets.remove(&(currency, member)).unwrap_or_default();
            self.compare(place, (currency, member), net.0, computed);
        }
        for (of, net) in std::mem::take(&mut self.nets) {
            if net != 0 {
                self.compare(FilePlace::FILE, of, Decimal::ZERO, net);
            }
        }
    }

    fn compare(
        &mut self,
        place: FilePlace,
        (currency, member): (Currency, usize),
        file: Decimal,
        computed: i128,
    ) {
        let name = self.draft.name(member);
        let what = message!("balance of {name} in {currency}", "баланс {name} в {currency}");
        self.draft.check(place, what, file, currency.to_major(computed));
    }

    /// Warns of what is imported differently from the file, or not at all.
    fn warn(&mut self) {
        let Self { past, failed, hashes, .. } = *self;
        let mut warn = |count: usize, one: Message, many: Message| match count {
            0 => {}
            1 => self.draft.warn(FilePlace::FILE, one),
            _ => self.draft.warn(FilePlace::FILE, many),
        };
        warn(
            past,
            message!(
                "1 entry of the past is not imported; it belongs to edits, to deleted expenses or \
                 to reverted adjustments",
                "одна прошлая запись не переносится: она относится к правкам, удалённым расходам \
                 или отменённым корректировкам"
            ),
            message!(
                "{past} entries of the past are not imported; they belong to edits, to deleted \
                 expenses or to reverted adjustments",
                "прошлые записи не переносятся: {past}; они относятся к правкам, удалённым \
                 расходам или отменённым корректировкам"
            ),
        );
        warn(
            failed,
            message!(
                "1 failed settlement is not imported",
                "один несостоявшийся платёж не переносится"
            ),
            message!(
                "{failed} failed settlements are not imported",
                "несостоявшиеся платежи не переносятся: {failed}"
            ),
        );
        warn(
            hashes,
            message!(
                "1 settlement loses the hash of its blockchain transaction",
                "один платёж теряет хеш транзакции"
            ),
            message!(
                "{hashes} settlements lose the hash of their blockchain transaction",
                "платежей, теряющих хеш транзакции: {hashes}"
            ),
        );
    }
}

/// The identity of a settlement, whether it is completed or not.
fn key_of(settlement: &SettlementJson) -> Key {
    Key::exactly("fracti", &["settlement", &settlement.id])
}
