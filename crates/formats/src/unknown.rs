//! Names of columns and fields that a reader does not know.
//!
//! Nothing in a file is dropped silently. Each reader has closed lists of what it
//! [knows](KnownFields). Any other name with a value is an error if it may carry money, because the
//! balances may then be wrong, and otherwise a warning. The name alone may say that it carries
//! money, or one of its values.

use std::{
    borrow::{Borrow, Cow},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use fracti_core::values::decimal::Decimal;
use fracti_texts::{Message, message};
use serde_json::{Value as Json, value::RawValue};

use crate::{
    csv::CsvRecord,
    import::{FilePlace, Issue},
    quote::unguarded,
};

/// Words in the names of what carries money, in the singular.
const MONEY: [&str; 35] = [
    "amount",
    "balance",
    "cost",
    "creditor",
    "currency",
    "debt",
    "debtor",
    "discount",
    "fee",
    "income",
    "net",
    "owe",
    "owed",
    "ower",
    "owner",
    "paid",
    "pay",
    "payer",
    "payment",
    "percent",
    "percentage",
    "price",
    "rate",
    "ratio",
    "refund",
    "repayment",
    "settled",
    "settlement",
    "share",
    "split",
    "sum",
    "tax",
    "tip",
    "total",
    "weight",
];

/// Maximum number of characters of a value in an error.
const SHOWN: usize = 40;

/// The names of columns, or of the fields of an object, that a reader knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownFields {
    /// Those that it reads.
    pub(crate) read: &'static [&'static str],
    /// Those that it passes over, because they say nothing that a group keeps: colours, pictures,
    /// the times of changes.
    pub(crate) passed_over: &'static [&'static str],
    /// Those with receipts, whose rows are counted.
    pub(crate) receipts: &'static [&'static str],
    /// Those with an object, or with a list of objects.
    pub(crate) objects: &'static [(&'static str, KnownObjects)],
}

/// Known fields of the objects in a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KnownObjects {
    /// They are rows of the file: their fields are named without a path.
    Rows(&'static KnownFields),
    /// They are parts of the object around them, whose path comes before the names of their fields.
    Parts(&'static KnownFields),
}

impl KnownFields {
    /// No names, to be filled in.
    pub(crate) const NONE: Self = Self { read: &[], passed_over: &[], receipts: &[], objects: &[] };

    /// Whether the value of this name is read or passed over.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.read.contains(&name) || self.passed_over.contains(&name)
    }

    /// Known fields of the objects in the field of this name, if it has any.
    pub(crate) fn objects_in(&self, name: &str) -> Option<KnownObjects> {
        self.objects.iter().find(|(field, _)| *field == name).map(|(_, objects)| *objects)
    }
}

/// The names that a reader does not know, while it reads.
#[derive(Debug, Default)]
pub(crate) struct UnknownNames {
    /// The names, with the places of their columns.
    seen: BTreeMap<(FilePlace, String), Seen>,
    /// Names and ids of the members of the file.
    members: HashSet<String>,
    /// Number of rows seen so far.
    rows: usize,
    /// Number of rows with a receipt.
    receipts: usize,
}

/// Occurrences of a name. Only values that are not empty count.
#[derive(Debug, Default)]
struct Seen {
    /// Number of rows with a value; 0 for a field of the whole file.
    rows: usize,
    /// The last of these rows.
    last: Option<usize>,
    /// The beginning of the first value, as it is in the file.
    first: String,
    carries_money: bool,
    /// Texts in lists and objects, which may name a member.
    texts: HashSet<String>,
}

impl UnknownNames {
    /// Notes the name or the id of a member.
    pub(crate) fn note_member(&mut self, text: &str) {
        self.members.insert(text.trim().to_owned());
    }

    /// Number of rows with a receipt.
    pub(crate) const fn receipts(&self) -> usize {
        self.receipts
    }

    /// Sees the columns of a table. A column is known by its name, or by its index, from 0, if
    /// `is_read` has it. Of several columns with one name, only the first is known.
    pub(crate) fn see_columns<'r, R: Borrow<CsvRecord<'r>>>(
        &mut self,
        header: &CsvRecord<'_>,
        lines: impl Iterator<Item = R>,
        known: &KnownFields,
        is_read: impl Fn(usize) -> bool,
    ) {
        let mut names = HashSet::new();
        let mut unknown = Vec::new();
        let mut receipts = Vec::new();
        let columns = header.cells.iter().enumerate().filter(|(index, _)| !is_read(*index));
        for (index, name) in columns {
            let is_first = names.insert(name);
            if known.receipts.contains(&&**name) {
                receipts.push(index);
            } else if !known.has(name) || !is_first {
                let number = index.saturating_add(1);
                let name = unguarded(name.trim());
                let name =
                    if name.is_empty() { format!("column {number}") } else { name.to_owned() };
                unknown.push((index, name));
            }
        }
        if unknown.is_empty() && receipts.is_empty() {
            return;
        }
        for line in lines {
            let line = line.borrow();
            self.rows = self.rows.saturating_add(1);
            let has_receipt = receipts.iter().any(|index| !line.cell(*index).trim().is_empty());
            self.receipts = self.receipts.saturating_add(has_receipt.into());
            for (index, name) in &unknown {
                let cell = line.cell(*index);
                let value = Value::of_text(cell);
                self.see(header.place(*index), name, Some(self.rows), cell, value);
            }
        }
    }

    /// Sees the fields of a JSON file, which is an object or a list of rows.
    pub(crate) fn see_json(&mut self, json: &str, known: &'static KnownFields) {
        self.see_objects(json.trim_start(), KnownObjects::Rows(known), "", None);
    }

    /// Sees the fields of an object, or of those in a list.
    fn see_objects(&mut self, json: &str, known: KnownObjects, path: &str, row: Option<usize>) {
        let (known, path, is_part) = match known {
            KnownObjects::Rows(known) => (known, "", false),
            KnownObjects::Parts(known) => (known, path, true),
        };
        let Some('[') = json.chars().next() else { return self.see_object(json, known, path, row) };
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else { return };
        for item in items {
            let row = row.filter(|_| is_part).unwrap_or_else(|| {
                self.rows = self.rows.saturating_add(1);
                self.rows
            });
            self.see_object(item.get(), known, path, Some(row));
        }
    }

    fn see_object(&mut self, json: &str, known: &KnownFields, path: &str, row: Option<usize>) {
        // The reader says what is wrong with a value that is no object.
        let Ok(fields) = serde_json::from_str::<HashMap<String, &RawValue>>(json) else { return };
        for (name, value) in fields {
            if let Some(objects) = known.objects_in(&name) {
                self.see_objects(value.get(), objects, &format!("{path}{name}."), row);
            } else if known.receipts.contains(&&*name) {
                let has_receipt = !Value::of_json(value.get()).is_empty;
                self.receipts = self.receipts.saturating_add(has_receipt.into());
            } else if !known.has(&name) {
                let name = format!("{path}{name}");
                let text = text_of_json(value.get());
                self.see(FilePlace::FILE, &name, row, &text, Value::of_json(value.get()));
            }
        }
    }

    fn see(&mut self, place: FilePlace, name: &str, row: Option<usize>, text: &str, value: Value) {
        if value.is_empty {
            return;
        }
        let seen = self.seen.entry((place, name.to_owned())).or_default();
        if seen.first.is_empty() {
            seen.first = unguarded(text.trim()).trim().chars().take(SHOWN).collect();
        }
        if row.is_some() && seen.last != row {
            seen.rows = seen.rows.saturating_add(1);
            seen.last = row;
        }
        seen.carries_money = seen.carries_money || value.carries_money;
        if !seen.carries_money {
            seen.texts.extend(value.texts);
        }
    }

    /// The errors and the warnings. The names in `ignored` that would be errors are warnings. The
    /// others of `ignored` are the last part.
    pub(crate) fn issues(
        &self,
        ignored: &BTreeSet<String>,
    ) -> (Vec<Issue>, Vec<Issue>, BTreeSet<String>) {
        let mut errors = Vec::new();
        let mut warnings = Vec::new();
        let mut idle = ignored.clone();
        for ((place, name), seen) in &self.seen {
            let carries_money = seen.carries_money
                || is_of_money(name)
                || seen.texts.iter().any(|text| self.members.contains(text));
            if carries_money && !ignored.contains(name) {
                let message = may_carry_money(name, seen);
                errors.push(Issue { ignore: Some(name.clone()), ..place.issue(message) });
            } else {
                if carries_money {
                    idle.remove(name);
                }
                warnings.push(place.issue(is_not_imported(name, seen.rows)));
            }
        }
        (errors, warnings, idle)
    }
}

/// The error of a name that may carry money.
fn may_carry_money(name: &str, seen: &Seen) -> Message {
    if seen.rows == 0 {
        return message!(
            "Fracti does not know “{name}” in the file, and money in it would be missing; if it \
             does not matter, import without {name}",
            "Fracti не знает, что в файле значит «{name}»: если это деньги, их не будет в суммах; \
             если это неважно, импортируйте без {name}"
        );
    }
    let (rows, first) = (in_rows(seen.rows), &seen.first);
    message!(
        "Fracti does not know “{name}” in the file, and money in it would be missing: it has \
         values in {rows}, the first is “{first}”; if it does not matter, import without {name}",
        "Fracti не знает, что в файле значит «{name}»: если это деньги, их не будет в суммах; \
         значения есть в {rows}, первое — «{first}»; если это неважно, импортируйте без {name}",
        [rows]
    )
}

/// The warning of a name that carries no money, or is to be ignored.
fn is_not_imported(name: &str, rows: usize) -> Message {
    if rows == 0 {
        return message!(
            "Fracti does not know “{name}” in the file, and does not import it",
            "Fracti не знает, что в файле значит «{name}», и это не записывает"
        );
    }
    let rows = in_rows(rows);
    message!(
        "Fracti does not know “{name}” in the file, and does not import it: it has values in {rows}",
        "Fracti не знает, что в файле значит «{name}», и это не записывает: значения есть в {rows}",
        [rows]
    )
}

fn in_rows(rows: usize) -> Message {
    Message::counted(rows, ["row", "rows"], ["строке", "строках", "строках"])
}

/// The text of a JSON string, or another JSON value as it is.
fn text_of_json(json: &str) -> Cow<'_, str> {
    if json.starts_with('"') {
        Cow::Owned(serde_json::from_str(json).unwrap_or_default())
    } else {
        Cow::Borrowed(json)
    }
}

/// Whether the name says that money is meant. Only the last name of a path counts.
fn is_of_money(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut before = None::<char>;
    while let Some(letter) = letters.next() {
        let follows_small = before.is_some_and(|it| !it.is_uppercase());
        let begins_word = letters.peek().is_some_and(|it| it.is_lowercase());
        if !letter.is_alphanumeric() || (letter.is_uppercase() && (follows_small || begins_word)) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    let is_money = |word: &str| MONEY.contains(&word);
    let singular = |word: &str| {
        let ends = [("ies", "y"), ("es", ""), ("s", "")];
        ends.iter().any(|(end, instead)| {
            word.strip_suffix(end).is_some_and(|stem| is_money(&format!("{stem}{instead}")))
        })
    };
    words.iter().any(|word| is_money(word) || singular(word))
}

/// A value of a name that is not known.
struct Value {
    is_empty: bool,
    /// Whether it has a number with a fraction, or a list or an object with a number.
    carries_money: bool,
    /// Texts in a list or an object.
    texts: Vec<String>,
}

impl Value {
    const EMPTY: Self = Self { is_empty: true, carries_money: false, texts: Vec::new() };

    /// A value without money.
    const PLAIN: Self = Self { is_empty: false, carries_money: false, texts: Vec::new() };

    const MONEY: Self = Self { is_empty: false, carries_money: true, texts: Vec::new() };

    /// The value of a JSON field.
    fn of_json(json: &str) -> Self {
        match json.chars().next() {
            Some('"') => Self::of_text(&text_of_json(json)),
            // A value that is too deep to be read may have anything in it.
            Some('[' | '{') => Self::of_parts(json).unwrap_or(Self::MONEY),
            _ => Self::of_text(json),
        }
    }

    /// The value of a cell.
    fn of_text(text: &str) -> Self {
        let text = unguarded(text.trim()).trim();
        if let "" | "null" | "false" = text {
            return Self::EMPTY;
        }
        if text.starts_with(['[', '{'])
            && let Some(value) = Self::of_parts(text)
        {
            return value;
        }
        match NumberForm::of(text) {
            Some(NumberForm::Zero) => Self::EMPTY,
            Some(NumberForm::Fraction) => Self::MONEY,
            Some(NumberForm::Whole) | None => Self::PLAIN,
        }
    }

    /// The value of a list or an object; `None` if it is no JSON.
    fn of_parts(json: &str) -> Option<Self> {
        let mut value = Self::EMPTY;
        value.add(serde_json::from_str(json).ok()?);
        Some(value)
    }

    fn add(&mut self, part: Json) {
        match part {
            Json::Null | Json::Bool(false) => {}
            Json::Bool(true) => self.is_empty = false,
            Json::Number(number) => self.add_text(number.to_string()),
            Json::String(text) => self.add_text(text.trim().to_owned()),
            Json::Array(parts) => parts.into_iter().for_each(|part| self.add(part)),
            Json::Object(parts) => parts.into_iter().for_each(|(_, part)| self.add(part)),
        }
    }

    fn add_text(&mut self, text: String) {
        match NumberForm::of(&text) {
            Some(NumberForm::Zero) => {}
            Some(NumberForm::Whole | NumberForm::Fraction) => {
                (self.is_empty, self.carries_money) = (false, true);
            }
            None if text.is_empty() => {}
            None => {
                self.is_empty = false;
                self.texts.push(text);
            }
        }
    }
}

/// Form of a number. It may have thousands separators, and a sign of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberForm {
    Zero,
    Whole,
    /// It has decimals, even if they are zeros.
    Fraction,
}

impl NumberForm {
    fn of(text: &str) -> Option<Self> {
        if let Ok(number) = text.parse::<Decimal>() {
            return Some(match number {
                Decimal::ZERO => Self::Zero,
                _ if number.decimals() > 0 || text.contains('.') => Self::Fraction,
                _ => Self::Whole,
            });
        }
        let digits = text.trim_matches(|letter: char| !letter.is_alphanumeric());
        let is_of_number =
            |letter: char| letter.is_ascii_digit() || ".,'\u{a0}\u{202f} ".contains(letter);
        if digits.is_empty() || !digits.chars().all(is_of_number) {
            return None;
        }
        if !digits.contains(|letter: char| matches!(letter, '1'..='9')) {
            return Some(Self::Zero);
        }
        let mark = digits.chars().rev().find(|letter| matches!(letter, '.' | ','));
        let has_decimals = mark.is_some_and(|mark| digits.matches(mark).count() == 1);
        Some(if has_decimals { Self::Fraction } else { Self::Whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_money_are_known_by_their_words() {
        for name in [
            "paidBy",
            "payers",
            "PAID",
            "totalUSD",
            "USDTotal",
            "tax_rate",
            "Amount (EUR)",
            "fees",
            "currencies",
            "Net",
            "exchange-rate",
            "paidFor.weight",
            "taxes",
            "owedByMember",
        ] {
            assert!(is_of_money(name), "{name}");
        }
        for name in
            ["tags", "payload", "network", "generated", "Betrag", "paidFor.color", "", "moderate"]
        {
            assert!(!is_of_money(name), "{name}");
        }
    }

    #[test]
    fn values_tell_whether_they_may_be_money() {
        for empty in [
            "",
            " ",
            "null",
            "false",
            "0",
            "0.00",
            "-0",
            "0,0",
            "\"\"",
            "\"0\"",
            "[]",
            "{}",
            "[null,\"\",{\"a\":0}]",
        ] {
            assert!(Value::of_json(empty).is_empty, "{empty}");
        }
        for money in [
            "12.5",
            "\"12.50\"",
            "\"12,00\"",
            "\"1,234.50 €\"",
            "\"'-0,5\"",
            "1e-3",
            "[1]",
            "{\"a\":[{\"b\":\"12.50\"}]}",
            "\"[{\\\"a\\\":5}]\"",
        ] {
            assert!(Value::of_json(money).carries_money, "{money}");
        }
        assert!(Value::of_json(&"[".repeat(1_000_000)).carries_money);
        for plain in ["12", "true", "\"12.03.2024\"", "\"Tea\"", "[\"a\"]", "\"1.2.3\"", "\"🍔\""]
        {
            let value = Value::of_json(plain);
            assert!(!value.carries_money && !value.is_empty, "{plain}");
        }
        assert_eq!(Value::of_json("{\"a\":[\"Bob \"]}").texts, ["Bob"]);
    }
}
