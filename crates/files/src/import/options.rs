//! The options of a request to import a file.

use std::collections::BTreeMap;

use fracti_core::{
    input::Field,
    records::import::Confirmed,
    values::{currency::Currency, decimal::Decimal},
};
use fracti_formats::{Answers, MAX_ERRORS, MAX_MEMBERS, MAX_ROWS, Target};
use fracti_http::{Description, JsonScalar, Value, body, schemas};
use fracti_texts::rule;
use serde_json::json;

body! {
    /// Options of an import.
    #[example = {
        "commit": true, "members": { "Bob Jones": "987654321", "Grandma": "new guest" },
    }]
    #[empty = SentOptions::default()]
    pub(crate) ImportOptions => SentOptions {
        /// Whether to import the file. By default, the response is only the plan.
        commit: "commit".flag(),
        /// Maps the name of each person in the file to a member. With `commit`, every name is
        /// required.
        members: "members".map(MAX_MEMBERS, |_, target| {
            target.required().text_of(Description::reference::<schemas::ImportTarget>)
        }),
        /// Weights of people in all rows, by name. Required if the plan asks for them.
        weights: "weights".map(MAX_MEMBERS, |_, it| it.required().number(schemas::WeightInput)),
        /// Names of the payers of rows, by their lines in the CSV file, from 1. Required if the
        /// plan asks for them.
        payers: "payers".map(MAX_ROWS, payer),
        /// Currency of amounts without one in the file.
        currency: "currency".text(),
        /// Names of columns or fields that Fracti does not know and that do not matter, although
        /// they may carry money: each is the `ignore` of an error of the plan.
        ignore: "ignore".list(0..=MAX_ERRORS, |name| {
            name.required().text_of(|_| json!({ "type": "string", "example": "payers" }))
        }),
        /// The `confirm` of the plan. Required with `commit` if the plan has one.
        confirm: "confirm".text_of(|_| json!({
            "type": "string", "maxLength": 32, "example": "5f3c0a1b9d2e4f60718293a4b5c6d7e8",
        })),
        /// Whether rows that have changed in the app are edited, and those that the file no longer
        /// has are deleted. By default, they stay. Needs `confirm`.
        update: "update".flag(),
    }
}

/// Reads the payer of a row, and the line of the row, which is the key.
fn payer(line: &str, payer: Value<'_, '_>) -> Field<(usize, String)> {
    payer.required().parse(Description::inline::<String>, |name| {
        let line = line.parse().map_err(|_| {
            rule!(
                "{field} must have a line number as key",
                "ключом в {field} должен быть номер строки"
            )
        });
        match name {
            JsonScalar::Text(name) => Ok((line?, name.into_owned())),
            JsonScalar::Other(_) => Err(None),
        }
    })
}

/// A map in a request, whose keys are names or line numbers.
type SentMap<T> = Field<Vec<(String, Field<T>)>>;

/// The options of an import, as they were sent.
#[derive(Debug, Default)]
pub(crate) struct SentOptions {
    commit: Field<bool>,
    members: SentMap<Target>,
    weights: SentMap<Decimal>,
    payers: SentMap<(usize, String)>,
    currency: Field<Currency>,
    ignore: Field<Vec<Field<String>>>,
    confirm: Field<String>,
    update: Field<bool>,
}

impl SentOptions {
    /// Whether the file is to be imported, rather than planned.
    pub(crate) fn commits(&self) -> bool {
        self.commit.value() == Some(&true)
    }

    /// What the request confirms.
    pub(crate) fn confirmed(&self) -> Option<Confirmed> {
        let text = self.confirm.value()?.clone();
        Some(Confirmed { text, updates: self.updates() })
    }

    /// Whether rows that have changed or are gone are to be edited or deleted.
    pub(crate) fn updates(&self) -> bool {
        self.update.value() == Some(&true)
    }

    /// The names to be ignored.
    fn ignored(&self) -> impl Iterator<Item = &String> {
        self.ignore.value().into_iter().flatten().filter_map(Field::value)
    }

    /// The member or new guest for each person, by name.
    pub(crate) fn targets(&self) -> BTreeMap<String, Target> {
        valid(&self.members).map(|(name, target)| (name.to_owned(), *target)).collect()
    }
}

impl From<&SentOptions> for Answers {
    fn from(options: &SentOptions) -> Self {
        Self {
            currency: options.currency.value().copied(),
            payers: valid(&options.payers).map(|(_, payer)| payer.clone()).collect(),
            weights: valid(&options.weights).map(|(name, it)| (name.to_owned(), *it)).collect(),
            ignore: options.ignored().cloned().collect(),
        }
    }
}

/// The entries of a map. All are valid once the form has been checked.
fn valid<T>(map: &SentMap<T>) -> impl Iterator<Item = (&str, &T)> {
    let entries = map.value().into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.as_str(), value.value()?)))
}
