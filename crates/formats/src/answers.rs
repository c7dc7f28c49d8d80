//! Answers of the caller to questions that a file leaves open.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::values::{currency::Currency, decimal::Decimal};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

/// Answers to the [questions](crate::Question) about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answers {
    /// Currency of the amounts for which the file has none.
    pub currency: Option<Currency>,
    /// Names of payers, by the lines of their rows.
    pub payers: BTreeMap<usize, String>,
    /// Weights of members, by their names.
    #[serde(deserialize_with = "weights")]
    pub weights: BTreeMap<String, Decimal>,
    /// Names of columns or fields that Fracti does not know and that do not matter, although they
    /// may carry money.
    pub ignore: BTreeSet<String>,
}

/// Reads weights, which are numbers or the same digits as text.
fn weights<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Decimal>, D::Error> {
    let weights = BTreeMap::<String, Box<RawValue>>::deserialize(from)?;
    let weight = |(name, json): (String, Box<RawValue>)| {
        let weight = json.get().trim_matches('"').parse();
        let weight =
            weight.map_err(|error| D::Error::custom(format!("the weight of {name} {error}")));
        Ok((name, weight?))
    };
    weights.into_iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_exact() {
        let json = r#"{"currency":"EUR","payers":{"12":"Bob"},"weights":{"Bob":0.1,"Eve":"2.5"}}"#;
        let answers: Answers = serde_json::from_str(json).unwrap();
        let weights = answers.weights.values().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(weights, ["0.1", "2.5"]);
        assert_eq!(answers.payers[&12], "Bob");
        for wrong in [r#"{"weight":{}}"#, r#"{"weights":{"Bob":"x"}}"#, r#"{"currency":"€"}"#] {
            assert!(serde_json::from_str::<Answers>(wrong).is_err(), "{wrong}");
        }
    }
}
