//! Schemas that many fields share, each written as the JSON Schema that the document shows.
//!
//! What a client sends is described as far as a schema can say it; what a row is trusted with, like a wallet of
//! the earlier system, goes out as plain text.

use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, Object, ObjectBuilder, Ref, RefOr, Schema, Type},
};

use crate::Exact;

macro_rules! schemas {
    ($($(#[doc = $description:literal])+ $name:ident $schema:tt)+) => {$(
        $(#[doc = $description])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                described(concat!($($description),+), json!($schema))
            }
        }

        impl ToSchema for $name {}
    )+};
}

schemas! {
    /// Names a group, an expense or a settlement.
    Id { "type": "string", "format": "uuid", "example": "0190a1b2-0000-7000-8000-000000000001" }

    /// A moment in UTC, with three digits behind the second: such texts sort as the moments do.
    Timestamp { "type": "string", "format": "date-time", "example": "2024-01-20T18:30:00.000Z" }

    /// A Telegram user's id, as text.
    UserId { "type": "string", "pattern": "^[1-9][0-9]{0,15}$", "example": "123456789" }

    /// What names a Telegram chat: its number, a Mini App's `chat_instance`, or another word of up to 64 characters.
    ChatId {
        "oneOf": [
            { "type": "string", "minLength": 1, "maxLength": 64, "pattern": r"^[^\s\x00-\x1f\x7f-\x9f]+$" },
            { "type": "integer", "format": "int64" },
        ],
        "example": "-1001234567890",
    }

    /// What a group's members call it: 1 to 100 characters, not all of them blank and none a control character.
    Title { "type": "string", "minLength": 1, "maxLength": 100, "pattern": TEXT, "example": "Roommates" }

    /// What an expense was for: 1 to 200 characters, not all of them blank and none a control character.
    Description { "type": "string", "minLength": 1, "maxLength": 200, "pattern": TEXT, "example": "Dinner" }

    /// A currency of ISO 4217 that has a smallest unit, or TON, USDT, USDC, BTC or ETH.
    Currency { "type": "string", "pattern": "^([A-Z]{3}|USDT|USDC)$", "example": "EUR" }

    /// How much, in major units, with at most the decimals of the currency: above zero, as a number or as the text
    /// of one. A text keeps all digits on its way through a client that knows floats only.
    AmountToSend {
        "oneOf": [
            { "type": "number", "format": "decimal", "exclusiveMinimum": 0 },
            { "type": "string", "format": "decimal", "pattern": NUMBER },
        ],
        "example": 100,
    }

    /// What a member owes, in major units: not below zero, as a number or as the text of one.
    ShareToSend {
        "oneOf": [
            { "type": "number", "format": "decimal", "minimum": 0 },
            { "type": "string", "format": "decimal", "pattern": NUMBER },
        ],
        "example": "33.34",
    }

    /// How much of an expense, with at most four decimals, as a number or as the text of one; all of it is 100.
    PercentageToSend {
        "oneOf": [
            { "type": "number", "format": "decimal", "minimum": 0 },
            { "type": "string", "format": "decimal", "pattern": NUMBER },
        ],
        "example": 33.3333,
    }

    /// How much of an expense, of 100.
    Percentage { "type": "number", "format": "decimal", "minimum": 0, "maximum": 100, "example": 25 }

    /// What is owed to somebody, in major units, with all digits; below zero where they owe.
    Balance { "type": "number", "format": "decimal", "example": -33.34 }

    /// A TON address of the main network, in its user-friendly form (checked by its checksum) or in its raw form.
    Wallet {
        "type": "string",
        "pattern": "^([A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48}|0:[0-9A-Fa-f]{64})$",
        "example": "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF",
    }

    /// The hash of a chain transaction: 64 hexadecimal digits, or the base64 form of 32 bytes.
    TxHash {
        "type": "string",
        "pattern": "^([0-9A-Fa-f]{64}|[A-Za-z0-9_-]{43}=?|[A-Za-z0-9+/]{43}=?)$",
        "example": "97a6ae7d5f3ce4b0c1b4bd5b2e5bb5b5d2a1a1d0c3f4e5b6a7988796a5b4c3d2",
    }

    /// How an expense is divided: all the same, by amounts, or by percentages.
    SplitType { "type": "string", "enum": ["equal", "exact", "percentage"], "example": "equal" }

    /// What kind of expense.
    Category {
        "type": "string",
        "enum": [
            "food", "transport", "entertainment", "shopping", "utilities", "rent", "travel", "health", "education",
            "other",
        ],
        "example": "food",
    }

    /// What names an entry of a group's book: 1 to 64 characters, not all of them blank and none a control character. An
    /// expense's or a settlement's entry has its id.
    EntryId { "type": "string", "minLength": 1, "maxLength": 64, "pattern": TEXT, "example": "opening-balance" }

    /// What an adjustment is for: 1 to 200 characters, not all of them blank and none a control character.
    Note { "type": "string", "minLength": 1, "maxLength": 200, "pattern": TEXT, "example": "Opening balance" }

    /// By how much a balance moves, in major units: below zero is possible, zero is not, as a number or as the text of one.
    ChangeToSend {
        "oneOf": [
            { "type": "number", "format": "decimal", "not": { "const": 0 } },
            { "type": "string", "format": "decimal", "pattern": SIGNED },
        ],
        "example": -12.5,
    }

    /// What a balance is at least, in major units: below zero is possible, as a number or as the text of one.
    BalanceToSend {
        "oneOf": [
            { "type": "number", "format": "decimal" },
            { "type": "string", "format": "decimal", "pattern": SIGNED },
        ],
        "example": 0,
    }

    /// Whether an entry counts.
    EntryStatus { "type": "string", "enum": ["applied", "reverted", "revert"], "example": "applied" }

    /// What kind of event an entry stands for.
    RefType { "type": "string", "enum": ["expense", "settlement", "adjustment"], "example": "expense" }

    /// In which order a list is: oldest first, or newest first.
    Order { "type": "string", "enum": ["asc", "desc"], "default": "desc" }

    /// An end of a period: a moment in UTC, or a whole day.
    Bound {
        "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "string", "format": "date" }],
        "example": "2024-01-20",
    }

    /// How many days a page has.
    DaysLimit { "type": "integer", "minimum": 1, "maximum": 100, "default": 100 }

    /// A day in UTC.
    Day { "type": "string", "format": "date", "example": "2024-01-20" }

    /// An OpenAPI document.
    OpenApi { "type": "object", "required": ["openapi", "info", "paths"] }

    /// How far a settlement is: `pending` becomes `completed` or `failed`, and stays so. Only `completed` moves money.
    SettlementStatus { "type": "string", "enum": ["pending", "completed", "failed"], "example": "pending" }
}

/// No control character, and one that is not blank.
const TEXT: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

/// A number, not below zero, as JSON writes it.
const NUMBER: &str = r"^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

/// A number, of either sign, as JSON writes it.
const SIGNED: &str = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

impl PartialSchema for Exact {
    fn schema() -> RefOr<Schema> {
        let description = "How much, in major units, as a number with all its digits: read it as a decimal, not as a float.";
        described(
            description,
            json!({ "type": "number", "format": "decimal", "minimum": 0, "example": 100 }),
        )
    }
}

impl ToSchema for Exact {
    fn name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }
}

fn described(description: &str, mut schema: Value) -> RefOr<Schema> {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), description.trim().into());
    }
    serde_json::from_value(schema)
        .unwrap_or_else(|error| unreachable!("the schema is a literal: {error}"))
}

/// A boolean that is always `VALUE`.
pub(crate) fn always<const VALUE: bool>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some(format!("Always `{VALUE}`.")))
        .enum_values(Some([VALUE]))
        .build()
}

/// A `T`, by reference: it is described once.
pub(crate) fn one<T: ToSchema>() -> Ref {
    let mut one = Ref::from_schema_name(T::name());
    "The thing.".clone_into(&mut one.description);
    one
}

/// A list of `T`.
pub(crate) fn many<T: ToSchema>() -> ArrayBuilder {
    let items = Ref::from_schema_name(T::name());
    ArrayBuilder::new().description(Some("The things.")).items(items)
}
