//! v0 rows that an operator has set aside, because Fracti cannot read them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    input::Error,
    storage::{
        keys::{self, Keys},
        row::{AttributeValue, Item, Row},
    },
    values::{id::GroupId, time::Timestamp},
};

/// A v0 row that an operator has set aside. No list reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AsideRow {
    /// Group of the row.
    pub group_id: GroupId,
    /// Sort key that the row had in the partition of the group.
    pub sort_key: String,
    /// Why it was set aside.
    pub reason: String,
    /// Time at which it was set aside.
    pub set_aside_at: Timestamp,
    /// The whole row with its keys, in DynamoDB's JSON, which the AWS CLI puts back as it is.
    pub row: String,
}

impl AsideRow {
    /// A row of a group that is set aside at a moment.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the row has no form in JSON.
    pub fn of(
        group_id: GroupId,
        sort_key: &str,
        item: &Item,
        reason: &str,
        set_aside_at: Timestamp,
    ) -> Result<Self, Error> {
        let sorted: BTreeMap<&String, &AttributeValue> = item.iter().collect();
        let row = serde_json::to_string(&sorted).map_err(|error| Error::Table(error.into()))?;
        let sort_key = sort_key.to_owned();
        let reason = reason.to_owned();
        Ok(Self { group_id, sort_key, reason, set_aside_at, row })
    }
}

impl Row for AsideRow {
    const KIND: &'static str = "aside";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::aside(self.group_id, self.set_aside_at, &self.sort_key).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_kept_in_the_json_of_dynamodb() {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let share = [("amount".to_owned(), AttributeValue::N("1.50".to_owned()))].into();
        let item: Item = [
            ("SK".to_owned(), text("TX#2024")),
            ("splits".to_owned(), AttributeValue::L(vec![AttributeValue::M(share)])),
            ("paid".to_owned(), AttributeValue::Bool(true)),
        ]
        .into();
        let group = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
        let aside = AsideRow::of(group, "TX#2024", &item, "x", Timestamp::default()).unwrap();
        let expected = r#"{"SK":{"S":"TX#2024"},"paid":{"BOOL":true},"splits":{"L":[{"M":{"amount":{"N":"1.50"}}}]}}"#;
        assert_eq!(aside.row, expected);
    }
}
