//! Counters of a row: attributes that are Numbers, which writes change by adding to them.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserializer, Serialize, Serializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::{input::Error, values::decimal::Decimal};

/// Numbers by counter, without zeros. The text of a counter is the name of its attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters<K: Ord = String>(BTreeMap<K, Decimal>);

/// Error returned for a sum that has more digits than a DynamoDB Number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a counter has too many digits")]
pub struct CounterOverflow;

impl From<CounterOverflow> for Error {
    fn from(overflow: CounterOverflow) -> Self {
        Self::Table(overflow.into())
    }
}

impl<K: Ord> Default for Counters<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Counters<K> {
    /// Adds a number to a counter.
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`] if the sum has too many digits.
    pub fn add(&mut self, counter: K, number: Decimal) -> Result<(), CounterOverflow> {
        match self.get(&counter).plus(number).ok_or(CounterOverflow)? {
            Decimal::ZERO => self.0.remove(&counter),
            sum => self.0.insert(counter, sum),
        };
        Ok(())
    }

    /// Whether all counters are zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of a counter.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, counter: &Q) -> Decimal
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.get(counter).copied().unwrap_or(Decimal::ZERO)
    }

    /// The counters that are not zero, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Decimal)> {
        self.0.iter().map(|(counter, number)| (counter, *number))
    }

    /// Reads the counters of a row: the attributes that `counter` recognizes by their names.
    /// Several attributes of one counter are added up.
    pub(crate) fn read<'de, D: Deserializer<'de>>(
        from: D,
        counter: impl Fn(&str) -> Option<K>,
    ) -> Result<Self, D::Error> {
        struct Attributes<F>(F);

        impl<'de, K: Ord, F: Fn(&str) -> Option<K>> Visitor<'de> for Attributes<F> {
            type Value = Counters<K>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the attributes of a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counters<K>, A::Error> {
                let mut counters = Counters::default();
                while let Some(name) = map.next_key::<String>()? {
                    if let Some(counter) = self.0(&name) {
                        counters.add(counter, map.next_value()?).map_err(A::Error::custom)?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(counters)
            }
        }

        from.deserialize_map(Attributes(counter))
    }
}

impl<K: Ord + Clone> Counters<K> {
    /// Adds all counters of `other`.
    ///
    /// # Errors
    ///
    /// As [`Counters::add`].
    pub fn add_all(&mut self, other: &Self) -> Result<(), CounterOverflow> {
        other.iter().try_for_each(|(counter, number)| self.add(counter.clone(), number))
    }

    /// Differences between these counters and `before`.
    ///
    /// # Errors
    ///
    /// As [`Counters::add`].
    pub fn since(&self, before: &Self) -> Result<Self, CounterOverflow> {
        let mut change = self.clone();
        for (counter, number) in before.iter() {
            change.add(counter.clone(), number.negated())?;
        }
        Ok(change)
    }
}

impl<K: Ord> IntoIterator for Counters<K> {
    type Item = (K, Decimal);
    type IntoIter = std::collections::btree_map::IntoIter<K, Decimal>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Ord + fmt::Display> Serialize for Counters<K> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter().map(|(counter, number)| (counter.to_string(), number)))
    }
}
