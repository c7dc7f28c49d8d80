//! The answer of Splitwise's API that lists expenses, as clients save it.
//!
//! It says who paid how much and who owes how much. A file may have several pages, one after the
//! other or in a list.

use std::collections::{BTreeMap, HashMap, HashSet};

use fracti_core::values::{category::Category, currency::Currency, decimal::Decimal, money::Money};
use fracti_texts::{Message, message, rule};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{APP, content};
use crate::{
    category::of_splitwise,
    draft::{FieldText, ImportDraft, LeftOut, Named, UncheckedRow},
    import::{FilePlace, Format, Issue, RowPlace},
    json::{self, IdText, NumberText},
    key::{Key, normal},
    number::rounded,
    parts::{Side, Whole, divided},
    rounding::Withheld,
    unknown::{KnownFields, KnownObjects},
};

/// The list of rows, which are numbered through all pages.
const EXPENSES: &str = "expenses";

/// Maximum number of groups that a message names.
const MAX_GROUPS: usize = 10;

/// The fields of a page.
const PAGE: KnownFields =
    KnownFields { objects: &[(EXPENSES, KnownObjects::Rows(&EXPENSE))], ..KnownFields::NONE };

/// The fields of an expense. Repayments follow from the shares of its users.
const EXPENSE: KnownFields = KnownFields {
    read: &[
        "id",
        "group_id",
        "description",
        "details",
        "payment",
        "cost",
        "currency_code",
        "date",
        "deleted_at",
        "updated_at",
        "repeats",
    ],
    passed_over: &[
        "friendship_id",
        "expense_bundle_id",
        "repeat_interval",
        "email_reminder",
        "email_reminder_in_advance",
        "next_repeat",
        "comments",
        "comments_count",
        "creation_method",
        "transaction_method",
        "transaction_confirmed",
        "transaction_id",
        "transaction_status",
        "repayments",
        "created_at",
        "created_by",
        "updated_by",
        "deleted_by",
    ],
    receipts: &["receipt"],
    objects: &[("category", KnownObjects::Parts(&CATEGORY)), ("users", KnownObjects::Parts(&PART))],
};

const CATEGORY: KnownFields = KnownFields {
    read: &["id", "name"],
    passed_over: &["icon", "icon_types", "subcategories"],
    ..KnownFields::NONE
};

const PART: KnownFields = KnownFields {
    read: &["user_id", "paid_share", "owed_share", "net_balance"],
    objects: &[("user", KnownObjects::Parts(&USER))],
    ..KnownFields::NONE
};

const USER: KnownFields = KnownFields {
    read: &["first_name", "last_name"],
    passed_over: &["id", "email", "registration_status", "picture", "custom_picture"],
    ..KnownFields::NONE
};

#[derive(Deserialize)]
#[serde(expecting = "an object with expenses")]
struct PageJson<'a> {
    #[serde(borrow)]
    expenses: Vec<&'a RawValue>,
}

#[derive(Deserialize, PartialEq)]
#[serde(expecting = "an expense")]
struct ExpenseJson {
    id: IdText,
    group_id: Option<IdText>,
    description: Option<String>,
    details: Option<String>,
    payment: bool,
    cost: NumberText,
    currency_code: String,
    date: String,
    deleted_at: Option<String>,
    updated_at: Option<String>,
    repeats: Option<bool>,
    category: Option<CategoryJson>,
    users: Vec<PartJson>,
}

#[derive(Deserialize, PartialEq)]
#[serde(expecting = "a category")]
struct CategoryJson {
    id: Option<IdText>,
    name: Option<String>,
}

#[derive(Deserialize, PartialEq)]
#[serde(expecting = "what a user paid and owes")]
struct PartJson {
    user_id: IdText,
    user: Option<UserJson>,
    paid_share: NumberText,
    owed_share: NumberText,
    net_balance: NumberText,
}

#[derive(Deserialize, PartialEq)]
#[serde(expecting = "a user")]
struct UserJson {
    first_name: Option<String>,
    last_name: Option<String>,
}

impl PartJson {
    /// The full name, as in the app's spreadsheet.
    fn name(&self) -> String {
        let names = self.user.iter().flat_map(|user| [&user.first_name, &user.last_name]);
        let names = names.flatten().map(|name| name.trim()).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" ")
    }
}

/// Whether a JSON file with these fields, which may be cut off, has this format. Spliit's file has
/// expenses, too, but also other fields, most of which come first.
pub(crate) fn has_fields(fields: &[String]) -> bool {
    let has = |name: &str| fields.iter().any(|field| field == name);
    has(EXPENSES) && !["participants", "currency", "currencyCode", "name"].into_iter().any(has)
}

/// Reads all pages of a file.
///
/// # Errors
///
/// An [`Issue`] if one of them is no list of expenses.
pub(crate) fn read(text: &str, draft: &mut ImportDraft<'_>) -> Result<(), Issue> {
    draft.format(Format::SplitwiseJson);
    let mut rows: Vec<(RowPlace, ExpenseJson)> = Vec::new();
    let mut indexes: HashMap<String, usize> = HashMap::new();
    let mut number = 0_usize;
    for page in pages(text)? {
        draft.see_json(page.get(), &PAGE);
        let page: PageJson<'_> = json::file(page.get(), &[EXPENSES])?;
        for json in page.expenses {
            let row = RowPlace::Item(EXPENSES, number);
            number = number.saturating_add(1);
            if !draft.admits_row(row.into()) {
                return Ok(());
            }
            match json::part::<ExpenseJson>(json, row.into()) {
                Ok(expense) => {
                    let known = indexes.get(&expense.id.0).and_then(|index| rows.get_mut(*index));
                    if let Some(known) = known {
                        keep_later(known, (row, expense), draft);
                    } else {
                        indexes.insert(expense.id.0.clone(), rows.len());
                        rows.push((row, expense));
                    }
                }
                Err(issue) => draft.fail(issue),
            }
        }
    }
    rows.retain(|(_, expense)| {
        let is_deleted = expense.deleted_at.is_some();
        if is_deleted {
            draft.leave_out(LeftOut::Deleted);
        }
        !is_deleted
    });
    if !has_one_group(&rows, draft) {
        return Ok(());
    }
    let members = people(&rows, draft);
    let mut reader = ApiReader { members, withheld: Withheld::default(), draft };
    // The app lists the newest first. What rounding withholds must not depend on later rows.
    rows.reverse();
    rows.sort_by(|(_, one), (_, other)| one.date.cmp(&other.date));
    for (row, expense) in &rows {
        reader.row(*row, expense);
    }
    Ok(())
}

/// The pages of a file.
fn pages(text: &str) -> Result<Vec<&RawValue>, Issue> {
    if text.trim_start().starts_with('[') {
        return json::file(text, &[""]);
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut pages = Vec::new();
    while let Some(page) = stream.next() {
        let Ok(page) = page else {
            let rest = text.get(stream.byte_offset()..).unwrap_or_default();
            pages.push(json::file(rest, &[EXPENSES])?);
            break;
        };
        pages.push(page);
    }
    Ok(pages)
}

/// Keeps the later one of two expenses with one id, which an edit between two pages leaves.
fn keep_later(
    known: &mut (RowPlace, ExpenseJson),
    other: (RowPlace, ExpenseJson),
    draft: &mut ImportDraft<'_>,
) {
    if known.1 == other.1 {
        return;
    }
    if known.1.updated_at == other.1.updated_at {
        let id = &other.1.id.0;
        let rule = rule!(
            "{field} {id:.40} must be of one expense only",
            "{field} {id:.40} должно принадлежать только одному расходу"
        );
        draft.refuse(other.0.into(), "id", rule);
    } else if known.1.updated_at < other.1.updated_at {
        *known = other;
    }
}

/// Whether all expenses are of one group, which is noted. If not, it is an error.
fn has_one_group(rows: &[(RowPlace, ExpenseJson)], draft: &mut ImportDraft<'_>) -> bool {
    let mut groups: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for (_, expense) in rows {
        let group = expense.group_id.as_ref().map(|id| id.0.as_str()).filter(|id| *id != "0");
        let count = groups.entry(group).or_default();
        *count = count.saturating_add(1);
    }
    let (Some((first, _)), true) = (groups.first_key_value(), groups.len() <= 1) else {
        let named = groups.iter().take(MAX_GROUPS).map(|(group, rows)| {
            let rows = Message::counted(*rows, ["row", "rows"], ["строка", "строки", "строк"]);
            match group {
                Some(id) => message!("{id:.40} ({rows})", "{id:.40} ({rows})", [rows]),
                None => message!("no group ({rows})", "без группы ({rows})", [rows]),
            }
        });
        let named: Vec<Message> = named.collect();
        let named = Message::new(|language| {
            named.iter().map(|it| it.text(language).to_owned()).collect::<Vec<_>>().join(", ")
        });
        if !groups.is_empty() {
            let rule = message!(
                "the file has expenses of several groups: {named}; take those of one, with its \
                 group_id",
                "в файле расходы нескольких групп: {named}; возьмите расходы одной, с её group_id",
                [named]
            );
            draft.error(FilePlace::FILE, rule);
        }
        return groups.is_empty();
    };
    if let Some(id) = first {
        draft.group(APP, id);
    }
    true
}

/// Adds the people of all expenses, and returns their indexes by their ids.
fn people(rows: &[(RowPlace, ExpenseJson)], draft: &mut ImportDraft<'_>) -> HashMap<String, usize> {
    let mut known = HashSet::new();
    let mut people: Vec<(FilePlace, String, &str)> = Vec::new();
    for (row, expense) in rows {
        for part in &expense.users {
            if known.insert(&part.user_id.0) {
                people.push(((*row).into(), part.name(), &part.user_id.0));
            }
        }
    }
    let people: Vec<_> =
        people.iter().map(|(place, name, id)| (*place, name.as_str(), *id)).collect();
    draft.add_people(&people, APP, "user")
}

struct ApiReader<'d, 'a> {
    /// Indexes of the members by their ids.
    members: HashMap<String, usize>,
    withheld: Withheld,
    draft: &'d mut ImportDraft<'a>,
}

impl ApiReader<'_, '_> {
    fn row(&mut self, row: RowPlace, expense: &ExpenseJson) {
        let place = FilePlace::from(row);
        let day = expense.date.get(..10).unwrap_or(&expense.date);
        let date = self.draft.date(place, "date", day);
        let currency = self.draft.code(place, "currency_code", &expense.currency_code);
        let Some(currency) = currency else { return };
        let read = rounded(expense.cost.0, currency);
        let Some((minor, _)) = self.draft.keep(place, "cost", read) else { return };
        let Some(parts) = self.parts(place, expense, currency) else { return };
        let side = |of: fn(&Part) -> Decimal| -> Vec<(usize, Decimal)> {
            parts.iter().map(|part| (part.member, of(part))).collect()
        };
        let whole = Whole { number: expense.cost.0, rounded: Money { currency, minor } };
        let paid = side(|part| part.paid);
        let owed = side(|part| part.owed);
        let key = self.key(expense, currency, &parts);
        let withheld = &mut self.withheld;
        let payers = divided(place, whole, Side::Paid, &paid, withheld, self.draft);
        let shares = divided(place, whole, Side::Owed, &owed, withheld, self.draft);
        let (Some(date), Some(payers), Some(shares)) = (date, payers, shares) else { return };
        if expense.repeats == Some(true) {
            self.draft.leave_out(LeftOut::Recurrence);
        }
        let category = if expense.payment { None } else { self.category(expense) };
        let details = expense.details.as_deref();
        self.draft.push(&UncheckedRow {
            row,
            key,
            is_payment: expense.payment,
            date,
            description: FieldText {
                field: Named::Field("description"),
                text: expense.description.as_deref().unwrap_or_default(),
            },
            category: category.map(Into::into),
            notes: details.map(|text| FieldText { field: Named::Field("details"), text }),
            currency,
            is_open: false,
            payers,
            shares,
            split: None,
        });
    }

    fn category(&mut self, expense: &ExpenseJson) -> Option<Category> {
        let CategoryJson { id, name } = expense.category.as_ref()?;
        let of_id = id.as_ref().map(|id| of_splitwise(&id.0));
        match of_id {
            Some(Ok(category)) => category,
            Some(Err(_)) | None => self.draft.category(name.as_deref().unwrap_or_default()),
        }
    }

    /// Amounts that the users paid and owe. The sum of each must be the cost.
    fn parts(
        &mut self,
        place: FilePlace,
        expense: &ExpenseJson,
        currency: Currency,
    ) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut known = HashSet::new();
        let mut paid = Some(Decimal::ZERO);
        let mut owed = Some(Decimal::ZERO);
        for (index, it) in expense.users.iter().enumerate() {
            let member = *self.members.get(&it.user_id.0)?;
            let part = Part { member, paid: it.paid_share.0, owed: it.owed_share.0 };
            if !known.insert(member) {
                let rule = rule!(
                    "{field} must have each user_id only once",
                    "значения user_id в {field} не должны повторяться"
                );
                self.draft.refuse(place, "users", rule);
                return None;
            }
            let NumberText(net) = it.net_balance;
            if part.net() != Some(net) {
                let paid = part.paid;
                let owed = part.owed;
                let rule = rule!(
                    "{field} must be paid_share less owed_share, {paid} - {owed}, not {net}",
                    "{field} должно быть разностью paid_share и owed_share, {paid} - {owed}, а не \
                     {net}"
                );
                self.draft.refuse(place, &format!("users[{index}].net_balance"), rule);
                return None;
            }
            paid = paid.and_then(|sum| sum.plus(part.paid));
            owed = owed.and_then(|sum| sum.plus(part.owed));
            parts.push(part);
        }
        let NumberText(cost) = expense.cost;
        for (field, sum) in [("paid_share", paid), ("owed_share", owed)] {
            if sum != Some(cost) {
                let sum = sum.map_or_else(|| "…".to_owned(), |sum| sum.to_string());
                let rule = rule!(
                    "the values of {field} must sum to the cost, {cost}, not to {sum}",
                    "сумма значений {field} должна быть равна стоимости, {cost}, а не {sum}"
                );
                self.draft.refuse(place, field, rule);
                return None;
            }
        }
        let numbers = || parts.iter().flat_map(|part| [part.paid, part.owed]);
        if numbers().any(|it| it != Decimal::ZERO && it.is_negative() != cost.is_negative()) {
            let rule = rule!(
                "{field} must have amounts with the sign of the cost",
                "у сумм в {field} должен быть знак стоимости"
            );
            self.draft.refuse(place, "users", rule);
            return None;
        }
        if numbers().any(|number| number.decimals() > currency.exponent()) {
            self.draft.warn_of_rounding(place, currency);
        }
        Some(parts)
    }

    /// The identity of an expense, whose former one is that of its row in the app's spreadsheet.
    fn key(&mut self, expense: &ExpenseJson, currency: Currency, parts: &[Part]) -> Key {
        let key = Key::exactly(APP, &["id", &expense.id.0]);
        let day = expense.date.get(..10).unwrap_or(&expense.date);
        let description = expense.description.as_deref().unwrap_or_default();
        let net = |part: &Part| (self.draft.name(part.member), part.net().unwrap_or_default());
        let nets: Vec<(&str, Decimal)> = parts.iter().map(net).collect();
        let exact = content(day, description, (expense.cost.0, currency), &nets);
        let normal: Vec<_> = exact.iter().map(|text| normal(text)).collect();
        let normal: Vec<&str> = normal.iter().map(|text| &**text).collect();
        let exact: Vec<&str> = exact.iter().map(|text| &**text).collect();
        self.draft.note_former(key, APP, &normal);
        if normal != exact {
            self.draft.note_former(key, APP, &exact);
        }
        key
    }
}

/// Amounts that a member paid and owes.
struct Part {
    member: usize,
    paid: Decimal,
    owed: Decimal,
}

impl Part {
    fn net(&self) -> Option<Decimal> {
        self.paid.minus(self.owed)
    }
}
