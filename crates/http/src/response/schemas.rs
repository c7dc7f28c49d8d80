//! Schemas that several fields share.
//!
//! The schema of a text follows from its type in core; other schemas are written as JSON Schema.
//! Schemas of input are as strict as JSON Schema allows. A stored value that may break the rules
//! for input, like a wallet in a v0 row, has the schema of plain text.

use std::borrow::Cow;

use fracti_core::{
    caller::token,
    chat::subscription,
    funds::{fund, fund_transaction, new_fund},
    group, input, ledger,
    personal::targets,
    questions::{points, question},
    records::{group_change, import, schedule},
    reports::tally,
    split,
    values::{
        category, currency, entry_id, fund_key, fund_status, id, question_status,
        settlement_status, spending_id, text,
        text_form::{TextForm, TextRule},
        time, ton,
    },
};
use fracti_texts::Language;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, Ref, RefOr, Schema},
};

use crate::response::{
    amounts::JsonDecimal,
    limits::{MAX_EXPORT_LIMIT, MAX_LIMIT},
};

/// A value that is written as text, with the schema of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text<T>(pub T);

impl<T: TextForm> PartialSchema for Text<T> {
    fn schema() -> RefOr<Schema> {
        let text = match T::rule() {
            TextRule::Format(format) => json!({ "type": "string", "format": format }),
            TextRule::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
            TextRule::Length(max, pattern) => {
                json!({ "type": "string", "minLength": 1, "maxLength": max, "pattern": pattern })
            }
            TextRule::OneOf(words) => match NAME_PREFIXES.iter().find(|(name, _)| *name == T::NAME)
            {
                None => json!({ "type": "string", "enum": words }),
                Some((_, prefix)) => {
                    let name = |word: &&str| format!("{prefix}_{}", word.to_uppercase());
                    let names: Vec<_> = words.iter().map(name).collect();
                    json!({ "type": "string", "enum": words, "x-enum-varnames": names })
                }
            },
        };
        let schema = if T::OR_INTEGER {
            json!({ "oneOf": [text, { "type": "integer", "format": "int64" }] })
        } else {
            text
        };
        described(&T::description(), with(schema, "example", T::EXAMPLE))
    }
}

impl<T: TextForm> ToSchema for Text<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }
}

/// Prefixes of the names that words have in generated clients, for enums whose words another enum
/// has a word, too: in Go, the words of all enums are constants of one package.
const NAME_PREFIXES: [(&str, &str); 16] = [
    (input::Limit::NAME, "LIMIT"),
    (group::InvitationState::NAME, "INVITATION"),
    (fund::FundFlow::NAME, "FLOW"),
    (fund_status::FundStatus::NAME, "FUND_STATUS"),
    (fund_transaction::FundTransactionType::NAME, "FUND_TRANSACTION"),
    (fund_key::FundWork::NAME, "WORK"),
    (new_fund::DebitType::NAME, "DEBIT"),
    (new_fund::PlainFund::NAME, "FUND"),
    (question::QuestionType::NAME, "QUESTION"),
    (ledger::RefType::NAME, "ENTRY"),
    (schedule::RepeatUnit::NAME, "REPEAT"),
    (schedule::ScheduleRefusal::NAME, "REFUSAL"),
    (schedule::ScheduleStatus::NAME, "SCHEDULE"),
    (schedule::SharedBy::NAME, "SHARED_BY"),
    (split::LineSplit::NAME, "LINE"),
    (split::PartKind::NAME, "PART"),
];

/// Id of a group, an expense or a settlement.
pub type ResourceId = Text<uuid::Uuid>;
/// Telegram id of a user.
pub type UserId = Text<id::UserId>;
/// Id of a member: a user or a guest.
pub type MemberId = Text<id::MemberId>;
/// Id of a ledger entry.
pub type EntryId = Text<entry_id::EntryId>;
/// A moment.
pub type Timestamp = Text<time::Timestamp>;
/// A calendar date.
pub type CalendarDate = Text<time::Day>;
/// Time zone.
pub type TimeZone = Text<time::Zone>;
/// Period of targets.
pub type TargetPeriod = Text<targets::Period>;
/// What messages of the bot are about.
pub type MessageTopic = Text<subscription::Topic>;
/// Language of messages of the bot.
pub type MessageLanguage = Text<Language>;
/// Why messages of the bot have stopped.
pub type InactiveReason = Text<subscription::InactiveReason>;
/// Status of a user's own category.
pub type CategoryStatus = Text<targets::CategoryStatus>;
/// Id of a spending.
pub type SpendingId = Text<spending_id::SpendingId>;
/// Emoji.
pub type Emoji = Text<text::Emoji>;
/// Name of a category.
pub type CategoryLabel = Text<text::CategoryLabel>;
/// Currency code.
pub type Currency = Text<currency::Currency>;
/// Where a currency comes from.
pub type CurrencyKind = Text<currency::CurrencyKind>;
/// Name of an API token.
pub type TokenName = Text<text::TokenName>;
/// Scope of an API token.
pub type TokenScope = Text<token::Scope>;
/// Text to search for.
pub type SearchText = Text<text::SearchText>;
/// TON address.
pub type WalletAddress = Text<ton::TonAddress>;
/// Limit of requests.
pub type Limit = Text<input::Limit>;
/// Code of an invitation.
pub type InvitationCode = Text<group::InvitationCode>;
/// How a group is joined.
pub type InvitationState = Text<group::InvitationState>;
/// Status of a settlement.
pub type SettlementStatus = Text<settlement_status::SettlementStatus>;
/// Unit of time between two dates of a schedule.
pub type RepeatUnit = Text<schedule::RepeatUnit>;
/// Why an expense of a schedule was refused.
pub type ScheduleRefusal = Text<schedule::ScheduleRefusal>;
/// Status of a schedule.
pub type ScheduleStatus = Text<schedule::ScheduleStatus>;
/// Who shares each expense of a schedule.
pub type SharedBy = Text<schedule::SharedBy>;
/// How an expense is split.
pub type SplitType = Text<split::SplitType>;
/// Kind of a line of a receipt.
pub type LineKind = Text<split::LineKind>;
/// How a line is divided among the members who share the lines that it applies to.
pub type LineSplit = Text<split::LineSplit>;
/// Kind of a part of a share.
pub type PartKind = Text<split::PartKind>;
/// Category of an expense.
pub type ExpenseCategory = Text<category::ExpenseCategory>;
/// A built-in category.
pub type BuiltInCategory = Text<category::Category>;
/// Key of a category.
pub type CategoryKey = Text<category::CategoryKey>;
/// Type of a question.
pub type QuestionType = Text<question::QuestionType>;
/// Status of a question.
pub type QuestionStatus = Text<question_status::QuestionStatus>;
/// Badge of a member.
pub type Badge = Text<points::Badge>;
/// Kind of value that is added to funds or taken from them.
pub type PlainFund = Text<new_fund::PlainFund>;
/// Direction of a transaction of funds.
pub type FundFlow = Text<fund::FundFlow>;
/// Status of a transaction of funds.
pub type FundStatus = Text<fund_status::FundStatus>;
/// Type of a transaction of funds.
pub type FundTransactionType = Text<fund_transaction::FundTransactionType>;
/// What waits for an operator.
pub type FundWork = Text<fund_key::FundWork>;
/// Status of a ledger entry.
pub type EntryStatus = Text<ledger::EntryStatus>;
/// Length of the periods of a series.
pub type SeriesStep = Text<tally::SeriesStep>;
/// Format of an imported file.
pub type ImportFormat = Text<import::Format>;
/// Kind of a change.
pub type ChangeKind = Text<group_change::ChangeKind>;
/// Status of an import.
pub type ImportStatus = Text<import::ImportStatus>;
/// Kind of event that a ledger entry records.
pub type EntryRefType = Text<ledger::RefType>;

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
    /// Amount in major units, above zero, with at most as many decimals as the currency has. A
    /// number or a string; a string keeps its digits in clients whose numbers are floats.
    AmountInput {
        "oneOf": [{ "type": "number", "exclusiveMinimum": 0 },
            { "type": "string", "pattern": NUMBER }],
        "example": 100,
    }

    /// Target in major units, zero or above, with at most as many decimals as the currency has. 0
    /// removes the target. A number or a string.
    TargetInput {
        "oneOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": 300,
    }

    /// Amount of an expense in major units, not 0, with at most as many decimals as the currency
    /// has. It is negative if the payers received it: a refund or an income. A number or a string;
    /// a string keeps its digits in clients whose numbers are floats.
    ExpenseAmountInput {
        "oneOf": [{ "type": "number", "not": { "const": 0 } },
            { "type": "string", "pattern": SIGNED }],
        "example": 100,
    }

    /// Amount of a payer, of a share or of a line in major units. It is 0 or has the sign of the
    /// expense. A number or a string.
    PartAmountInput {
        "oneOf": [{ "type": "number" }, { "type": "string", "pattern": SIGNED }],
        "example": "33.34",
    }

    /// What a member pays more than an equal part of the rest, in major units, or less if it is
    /// negative. A number or a string.
    AdjustmentInput {
        "oneOf": [{ "type": "number" }, { "type": "string", "pattern": SIGNED }],
        "example": "7.50",
    }

    /// Weight of a member, zero or above, with at most four decimals. A number or a string.
    WeightInput {
        "oneOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": 2,
    }

    /// Number of pieces, above zero, with at most three decimals. A number or a string.
    QuantityInput {
        "oneOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": 10000 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 2,
    }

    /// Price of a piece, zero or above. A number or a string.
    PriceInput {
        "oneOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": NUMBER }],
        "example": "4.50",
    }

    /// Amount of an expense in major units, with all digits: parse it as a decimal, not as a float.
    /// It is negative if the payers received it. With `amounts=text` it is a string.
    ExpenseAmount { "type": "number", "example": 100 }

    /// Weight or quantity. With `amounts=text` it is a string.
    Weight { "type": "number", "minimum": 0, "example": 2 }

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

    /// Signed amount in major units by which a balance changes; not zero. A number or a string.
    ChangeAmountInput {
        "oneOf": [{ "type": "number", "not": { "const": 0 } },
            { "type": "string", "pattern": SIGNED }],
        "example": -12.5,
    }

    /// Signed balance in major units. A number or a string.
    BalanceInput {
        "oneOf": [{ "type": "number" }, { "type": "string", "pattern": SIGNED }],
        "example": 0,
    }

    /// Number of answers that a question needs. A number or a string.
    RequiredResponses {
        "oneOf": [
            { "type": "integer", "minimum": 1, "maximum": 50 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 2,
    }

    /// Number of units between two dates, a whole number from 1 to 365. A number or a string.
    RepeatInterval {
        "oneOf": [
            { "type": "integer", "minimum": 1, "maximum": 365 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 1,
    }

    /// Number of dates, a whole number from 1 to 1000. A number or a string.
    RepeatCount {
        "oneOf": [
            { "type": "integer", "minimum": 1, "maximum": 1000 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 12,
    }

    /// Number of seconds, from 60 to 86400, or to 2592000 for a receipt. A number or a string.
    TimeoutSeconds {
        "oneOf": [
            { "type": "integer", "minimum": 60, "maximum": 2_592_000 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 3600,
    }

    /// Index of an option, from 0. A number or a string.
    OptionIndex {
        "oneOf": [
            { "type": "integer", "minimum": 0, "maximum": 9 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 0,
    }

    /// How sure a member is, from 1 to 5. A number or a string.
    Confidence {
        "oneOf": [
            { "type": "integer", "minimum": 1, "maximum": 5 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 4,
    }

    /// Time in milliseconds, up to a day. A number or a string.
    ResponseTime {
        "oneOf": [
            { "type": "integer", "minimum": 0, "maximum": 86_400_000 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 5200,
    }

    /// Number of pieces that a member had, above zero, with at most four decimals. A number or a
    /// string.
    ClaimCountInput {
        "oneOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": 10000 },
            { "type": "string", "pattern": NUMBER },
        ],
        "example": 2,
    }

    /// Statuses of questions, separated by commas.
    QuestionStatuses {
        "type": "string",
        "pattern": "^(OPEN|PARTIAL|CLOSED|EXPIRED)(,(OPEN|PARTIAL|CLOSED|EXPIRED))*$",
        "example": "OPEN,PARTIAL",
    }

    /// Number of places of a leaderboard.
    PlacesLimit { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": 10 }

    /// A calendar month.
    CalendarMonth { "type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$",
        "example": "2026-11" }

    /// Order of a list: oldest first, or newest first.
    SortOrder { "type": "string", "enum": ["asc", "desc"], "default": "desc" }

    /// Use of pending settlements in a plan: `subtract` takes them as completed.
    PendingUse { "type": "string", "pattern": "^subtract$", "example": "subtract" }

    /// What a group includes in addition: `past` members, who have left or were removed.
    GroupInclude { "type": "string", "pattern": "^past$", "example": "past" }

    /// End of a period: a moment as in RFC 3339, or a whole day in UTC.
    PeriodBound {
        "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?$",
            "example": "2024-01-20",
    }

    /// Maximum number of items on a page.
    PageLimit { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT }

    /// Maximum number of rows on a page of an export.
    ExportLimit {
        "type": "integer", "minimum": 1, "maximum": MAX_EXPORT_LIMIT, "default": MAX_EXPORT_LIMIT
    }

    /// Maximum number of days on a page.
    DaysLimit { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": MAX_LIMIT }

    /// Id of a present member of the group, or `new guest` to add the person as a guest.
    ImportTarget { "type": "string", "example": "new guest" }

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
}

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
    fn name() -> Cow<'static, str> {
        "Amount".into()
    }
}

fn described(description: &str, schema: Value) -> RefOr<Schema> {
    serde_json::from_value(with(schema, "description", description.trim()))
        .unwrap_or_else(|error| unreachable!("the schema is valid: {error}"))
}

/// Adds a keyword to a schema.
pub(crate) fn with(mut schema: Value, keyword: &str, value: impl Into<Value>) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert(keyword.to_owned(), value.into());
    }
    schema
}

/// A reference to the schema of `T`.
pub(crate) fn one<T: ToSchema>() -> Ref {
    let mut one = Ref::from_schema_name(T::name());
    "The requested resource.".clone_into(&mut one.description);
    one
}

/// A part of `T`.
pub(crate) fn part<T: ToSchema>() -> Ref {
    let mut part = Ref::from_schema_name(T::name());
    "The part of the resource on this page.".clone_into(&mut part.description);
    part
}

/// A list of `T`.
pub(crate) fn many<T: ToSchema>() -> ArrayBuilder {
    let items = Ref::from_schema_name(T::name());
    ArrayBuilder::new().description(Some("The items of this page.")).items(items)
}
