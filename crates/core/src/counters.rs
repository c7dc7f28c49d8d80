//! Counters of a row: attributes that are Numbers, which writes change by adding to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

use crate::{Error, decimal::Decimal, row::camel_case};

/// Numbers by the names of their attributes, without zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Counters(BTreeMap<String, Decimal>);

impl Counters {
    /// Adds a number to a counter.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the sum has more digits than a DynamoDB Number.
    pub fn add(&mut self, name: String, number: Decimal) -> Result<(), Error> {
        let sum = self.0.get(&name).copied().unwrap_or(Decimal::ZERO).plus(number);
        match sum.ok_or_else(|| Error::Table("a counter has too many digits".into()))? {
            Decimal::ZERO => self.0.remove(&name),
            sum => self.0.insert(name, sum),
        };
        Ok(())
    }

    /// Adds all counters of `other`.
    ///
    /// # Errors
    ///
    /// As [`Counters::add`].
    pub fn add_all(&mut self, other: &Self) -> Result<(), Error> {
        other.0.iter().try_for_each(|(name, number)| self.add(name.clone(), *number))
    }

    /// What has to be added to `before` to get these counters.
    ///
    /// # Errors
    ///
    /// As [`Counters::add`].
    pub fn since(&self, before: &Self) -> Result<Self, Error> {
        let mut change = self.clone();
        let mut before = before.0.iter();
        before.try_for_each(|(name, number)| change.add(name.clone(), number.negated()))?;
        Ok(change)
    }

    /// Whether all counters are zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The counter `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Decimal {
        self.0.get(name).copied().unwrap_or(Decimal::ZERO)
    }

    /// The counters that are not zero, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Decimal)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// Reads the counters of a row whose names begin with one of `prefixes`. Rows of earlier
    /// versions have counters in `PascalCase`: both spellings are added up, because writes of this
    /// version add to `camelCase` counters of such a row.
    pub(crate) fn read<'de, D: Deserializer<'de>>(
        from: D,
        prefixes: &[&str],
    ) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Attribute {
            Number(Decimal),
            Other(IgnoredAny),
        }

        let mut counters = Self::default();
        for (name, value) in BTreeMap::<String, Attribute>::deserialize(from)? {
            let (rest, currency) = match name.rsplit_once('#') {
                Some((rest, currency)) => (rest, Some(currency)),
                None => (&*name, None),
            };
            let parts: Vec<_> =
                rest.split('#').map(camel_case).chain(currency.map(str::to_owned)).collect();
            let name = parts.join("#");
            if prefixes.iter().any(|prefix| name.starts_with(prefix))
                && let Attribute::Number(number) = value
            {
                counters.add(name, number).map_err(serde::de::Error::custom)?;
            }
        }
        Ok(counters)
    }
}

impl IntoIterator for Counters {
    type Item = (String, Decimal);
    type IntoIter = std::collections::btree_map::IntoIter<String, Decimal>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
