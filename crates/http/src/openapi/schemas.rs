//! Schemas that several fields share, written as JSON Schema.
//!
//! Schemas of input are as strict as JSON Schema allows. A stored value that may not fit, like a
//! wallet in a v0 row, has the schema of plain text.

use fracti_core::{entry_id, group, text};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, ObjectBuilder, Ref, RefOr, Schema, Type, schema::AnyOfBuilder},
};

use crate::{JsonDecimal, limits::MAX_LIMIT};

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
    /// Id of a group, an expense or a settlement.
    ResourceId { "type": "string", "format": "uuid", "example": "0190a1b2-0000-7000-8000-000000000001" }

    /// A moment in UTC with millisecond precision. Timestamps in responses sort as text.
    Timestamp { "type": "string", "format": "date-time", "example": "2024-01-20T18:30:00.000Z" }

    /// Telegram id of a user, as text.
    UserId { "type": "string", "pattern": "^[1-9][0-9]{0,15}$", "example": "123456789" }

    /// Id of a Telegram chat: its number, a Mini App's `chat_instance`, or any other text without
    /// whitespace.
    ChatId {
        "oneOf": [
            { "type": "string", "minLength": 1, "maxLength": group::ChatId::MAX_LENGTH, "pattern": r"^[^\s\x00-\x1f\x7f-\x9f]+$" },
            { "type": "integer", "format": "int64" },
        ],
        "example": "-1001234567890",
    }

    /// Title of a group, not all blank, without control characters.
    GroupTitle { "type": "string", "minLength": 1, "maxLength": text::Title::MAX_LENGTH, "pattern": TEXT, "example": "Roommates" }

    /// Description of an expense, not all blank, without control characters.
    ExpenseDescription { "type": "string", "minLength": 1, "maxLength": text::Description::MAX_LENGTH, "pattern": TEXT, "example": "Dinner" }

    /// Currency code: an ISO 4217 currency that has a minor unit, or TON, USDT, USDC, BTC or ETH.
    Currency { "type": "string", "pattern": "^([A-Z]{3}|USDT|USDC)$", "example": "EUR" }

    /// Amount in major units, above zero, with at most as many decimals as the currency has. A
    /// number or a string; a string keeps its digits in clients whose numbers are floats.
    AmountInput {
        "oneOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": 100,
    }

    /// Amount of a share in major units, zero or above. A number or a string.
    ShareAmountInput {
        "oneOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": "33.34",
    }

    /// Percentage of an expense, zero or above, with at most four decimals. A number or a string.
    PercentageInput {
        "oneOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": 33.3333,
    }

    /// Percentage of an expense. With `amounts=text` it is a string.
    Percentage { "type": "number", "minimum": 0, "maximum": 100, "example": 25 }

    /// Signed amount in major units, with all digits. A negative balance is owed by the member.
    /// With `amounts=text` it is a string.
    Balance { "type": "number", "example": -33.34 }

    /// Currency in which the public Mini App pays.
    PaymentType { "type": "string", "enum": ["TON", "USDT"], "example": "USDT" }

    /// TON mainnet address, in user-friendly form (its checksum is verified) or in raw form.
    WalletAddress {
        "type": "string",
        "pattern": "^([A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48}|0:[0-9A-Fa-f]{64})$",
        "example": "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF",
    }

    /// Hash of a blockchain transaction: 64 hexadecimal digits, or 32 bytes in base64.
    TxHash {
        "type": "string",
        "pattern": "^([0-9A-Fa-f]{64}|[A-Za-z0-9_-]{43}=?|[A-Za-z0-9+/]{43}=?)$",
        "example": "97a6ae7d5f3ce4b0c1b4bd5b2e5bb5b5d2a1a1d0c3f4e5b6a7988796a5b4c3d2",
    }

    /// How an expense is split: equally, by exact amounts, or by percentages.
    SplitType { "type": "string", "enum": ["equal", "exact", "percentage"], "example": "equal" }

    /// Category of an expense.
    ExpenseCategory {
        "type": "string",
        "enum": [
            "food", "transport", "entertainment", "shopping", "utilities", "rent", "travel", "health", "education",
            "other",
        ],
        "example": "food",
    }

    /// Id of a ledger entry, not all blank, without control characters. The entry of an expense or a
    /// settlement has the id of that expense or settlement.
    EntryId { "type": "string", "minLength": 1, "maxLength": entry_id::MAX_LENGTH, "pattern": TEXT, "example": "opening-balance" }

    /// Note of an adjustment, not all blank, without control characters.
    EntryNote { "type": "string", "minLength": 1, "maxLength": text::Note::MAX_LENGTH, "pattern": TEXT, "example": "Opening balance" }

    /// Signed amount in major units by which a balance changes; not zero. A number or a string.
    ChangeAmountInput {
        "oneOf": [{ "type": "number", "not": { "const": 0 } }, { "type": "string", "pattern": SIGNED }],
        "example": -12.5,
    }

    /// Signed balance in major units. A number or a string.
    BalanceInput {
        "oneOf": [{ "type": "number" }, { "type": "string", "pattern": SIGNED }],
        "example": 0,
    }

    /// Status of a ledger entry.
    EntryStatus { "type": "string", "enum": ["applied", "reverted", "revert"], "example": "applied" }

    /// Kind of event that a ledger entry records.
    EntryRefType { "type": "string", "enum": ["expense", "settlement", "adjustment"], "example": "expense" }

    /// Order of a list: oldest first, or newest first.
    SortOrder { "type": "string", "enum": ["asc", "desc"], "default": "desc" }

    /// End of a period: a moment as in RFC 3339, or a whole day in UTC.
    PeriodBound {
        "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?$", "example": "2024-01-20",
    }

    /// Maximum number of items on a page.
    PageLimit { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT }

    /// Maximum number of days on a page.
    DaysLimit { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": MAX_LIMIT }

    /// A day in UTC.
    CalendarDate { "type": "string", "format": "date", "example": "2024-01-20" }

    /// An OpenAPI document.
    OpenApiDocument {
        "type": "object",
        "required": ["openapi", "info", "paths"],
        "properties": {
            "openapi": { "type": "string", "description": "OpenAPI version.", "example": "3.1.0" },
            "info": { "type": "object", "description": "Name and version of the API." },
            "paths": { "type": "object", "description": "Paths and their operations." },
        },
    }

    /// Status of a settlement. `pending` becomes `completed` or `failed`, both of which are final.
    /// Only a `completed` settlement changes balances.
    SettlementStatus { "type": "string", "enum": ["pending", "completed", "failed"], "example": "pending" }
}

/// Text without control characters that is not all blank.
const TEXT: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

/// A JSON number that is not negative.
const NUMBER: &str = r"^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

/// A JSON number of either sign.
const SIGNED: &str = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

impl PartialSchema for JsonDecimal {
    fn schema() -> RefOr<Schema> {
        let description = "Amount in major units, with all digits: parse it as a decimal, not as a \
            float. With `amounts=text` it is a string.";
        described(description, json!({ "type": "number", "minimum": 0, "example": 100 }))
    }
}

impl ToSchema for JsonDecimal {
    fn name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }
}

/// Category of an edited expense, where `null` removes the category.
///
/// An `anyOf`, because the document removes every `oneOf` with `null`, which utoipa writes for all
/// optional fields.
#[must_use]
pub fn category_or_null() -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    AnyOfBuilder::new()
        .description(Some("New category; `null` removes it."))
        .item(Ref::from_schema_name(ExpenseCategory::name()))
        .item(null)
        .into()
}

fn described(description: &str, mut schema: Value) -> RefOr<Schema> {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), description.trim().into());
    }
    serde_json::from_value(schema)
        .unwrap_or_else(|error| unreachable!("the schema is a literal: {error}"))
}

/// A reference to the schema of `T`.
pub(crate) fn one<T: ToSchema>() -> Ref {
    let mut one = Ref::from_schema_name(T::name());
    "The requested resource.".clone_into(&mut one.description);
    one
}

/// A list of `T`.
pub(crate) fn many<T: ToSchema>() -> ArrayBuilder {
    let items = Ref::from_schema_name(T::name());
    ArrayBuilder::new().description(Some("The items of this page.")).items(items)
}
