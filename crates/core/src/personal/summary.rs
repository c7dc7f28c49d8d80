//! The summary of a user's day: the sums of their own spendings on it.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    input::Error,
    storage::{
        counters::Counters,
        keys::{self, Keys},
        row::{Row, USER_ROWS_VERSION, camel_case},
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::UserId,
        time::{Day, Timestamp},
    },
};

/// Counter of the spendings.
pub const SPENDING_COUNT: &str = "spendingCount";

/// Prefix of the counters of all spendings in one currency.
const TOTAL: &str = "total#";

/// Prefix of the counters of the spendings in one category and currency.
const CATEGORY: &str = "cat#";

/// The sums of a user's own spendings on one day. Shares of expenses are in the tallies of groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DaySummary {
    /// The user.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user_id: UserId,
    /// The day.
    #[serde(rename = "SK", with = "keys::of_summary")]
    pub date: Day,
    /// Name of the kind in the data model that the row is taken from.
    #[serde(rename = "type", skip_deserializing)]
    pub row_type: SummaryType,
    /// Number of changes. A row of an earlier version has none until its first change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Time of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// The sums.
    #[serde(flatten, deserialize_with = "read_counters")]
    pub counters: Counters,
}

/// The attribute `type` of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum SummaryType {
    /// The sums of one day.
    #[default]
    DaySummary,
}

/// Rows of earlier versions have counters in `PascalCase`. Both spellings are added up, because
/// writes of this version add to the `camelCase` counters of such a row.
fn read_counters<'de, D: Deserializer<'de>>(from: D) -> Result<Counters, D::Error> {
    Counters::read(from, |name| {
        // A currency stays in capitals.
        let (rest, currency) = match name.rsplit_once('#') {
            Some((rest, currency)) => (rest, Some(currency)),
            None => (name, None),
        };
        let parts = rest.split('#').map(camel_case).chain(currency.map(str::to_owned));
        let name = parts.collect::<Vec<_>>().join("#");
        let is_counter = [TOTAL, CATEGORY, SPENDING_COUNT].iter().any(|it| name.starts_with(it));
        is_counter.then_some(name)
    })
}

impl Row for DaySummary {
    const KIND: &'static str = "daySummary";
    const VERSION: u32 = USER_ROWS_VERSION;

    fn keys(&self) -> Keys {
        keys::summary(self.user_id, self.date).into()
    }
}

impl DaySummary {
    /// The number of spendings.
    #[must_use]
    pub fn spending_count(&self) -> u64 {
        let count = self.counters.get(SPENDING_COUNT).at_scale(0);
        count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
    }

    /// The sums: currency, category or `None` for all spendings, and amount. Sums in currencies
    /// that Fracti does not know are left out.
    pub fn sums(&self) -> impl Iterator<Item = (Currency, Option<&str>, Decimal)> {
        self.counters.iter().filter_map(|(name, sum)| {
            let (category, currency) = if let Some(currency) = name.strip_prefix(TOTAL) {
                (None, currency)
            } else {
                let (category, currency) = name.strip_prefix(CATEGORY)?.split_once('#')?;
                (Some(category), currency)
            };
            Some((currency.parse().ok()?, category, sum))
        })
    }
}

/// The counters of one spending.
///
/// # Errors
///
/// As [`Counters::add`].
pub(crate) fn counters_of<'a>(
    amount: Decimal,
    currency: Currency,
    categories: impl IntoIterator<Item = (&'a str, Decimal)>,
) -> Result<Counters, Error> {
    let mut counters = Counters::default();
    counters.add(SPENDING_COUNT.to_owned(), Decimal::new(1, 0))?;
    counters.add(format!("{TOTAL}{currency}"), amount)?;
    for (category, amount) in categories {
        counters.add(format!("{CATEGORY}{category}#{currency}"), amount)?;
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::row::{AttributeValue, from_item, to_item};

    #[test]
    fn both_spellings_of_a_counter_are_added_up() {
        let usd = "USD".parse().unwrap();
        let food = ("food", "2.5".parse().unwrap());
        let summary = DaySummary {
            user_id: "1".parse().unwrap(),
            date: "2026-11-20".parse().unwrap(),
            row_type: SummaryType::DaySummary,
            version: Some(1),
            updated_at: None,
            counters: counters_of("3.25".parse().unwrap(), usd, [food]).unwrap(),
        };
        let mut row = to_item(&summary).unwrap();
        assert_eq!(row["type"], AttributeValue::S("DaySummary".to_owned()));
        assert_eq!(from_item::<DaySummary>(row.clone()).unwrap(), summary);
        let old = [
            ("Total#USD", "7"),
            ("Cat#Food#USD", "7"),
            ("Cat#Pets#USD", "1"),
            ("SpendingCount", "2"),
        ];
        for (name, number) in old {
            row.insert(name.to_owned(), AttributeValue::N(number.to_owned()));
        }
        let read: DaySummary = from_item(row).unwrap();
        let sums: Vec<_> = read
            .sums()
            .map(|(currency, category, sum)| format!("{currency} {category:?} {sum}"))
            .collect();
        assert_eq!(sums, ["USD Some(\"food\") 9.5", "USD Some(\"pets\") 1", "USD None 10.25"]);
        assert_eq!(read.spending_count(), 3);
    }
}
