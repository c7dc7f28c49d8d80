//! The OpenAPI document of all routes.
//!
//! The arguments of a handler say what it reads: its query parameters and its body, which
//! [`Routes`] adds. The annotation of a handler has its success (with the header `ETag`, if the
//! response has one) and, in the extension `x-errors`, the error codes that only it has.
//! [`document`] adds the parts that follow from these, the path and the method: parameters,
//! headers, security and common error codes.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use axum::http::{Method, StatusCode};
use fracti_core::{
    caller::telegram,
    input::limits::MAX_SHARES,
    storage::idempotency::RETENTION,
    values::{entry_id, id::GroupId, spending_id::SpendingId, text_form::TextForm},
};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, Content, ContentBuilder, Info, License, OpenApi, Ref, RefOr, Response,
        ResponseBuilder, Schema, Server, Tag, Type,
        example::ExampleBuilder,
        header::Header,
        path::{Operation, Parameter},
        schema::SchemaType,
    },
};

use crate::{
    document::{
        routes::Routes,
        sender::{READS, Sender, WEBHOOK, operations, requirement, security},
    },
    request::path::{PATH_PARAMS, PathParam, changes_state, ids},
    response::{
        amounts,
        limits::{DEFAULT_LIMIT, MAX_KEY, MAX_LIMIT},
        problem::{Code, ProblemBody},
    },
};

/// The document of all endpoint groups, as it is served.
///
/// No function links all groups, so the document is a file of the repository.
/// `tests/api/openapi.rs` compares it with [`document`] and can regenerate it.
pub const DOCUMENT: &str = include_str!("../../../../openapi.json");

/// Extension of an annotation with the error codes of the operation, which the document has as
/// responses.
const ERRORS: &str = "x-errors";

/// Bodies of successful responses by operation and status, which the document has as examples.
/// `tests/api/openapi/examples.rs` compares them with the responses of the API and can write them
/// again.
const EXAMPLES: &str = include_str!("examples.json");

/// Description of the API.
fn description() -> String {
    let hours = |time: Duration| time.as_secs() / 3600;
    let init_data = hours(telegram::MAX_AGE);
    let retention = hours(RETENTION);
    format!(
        "\
A backend for splitting expenses in Telegram groups. It records who paid, who owes and who has \
settled up, in any currency, exactly to the minor unit.

* **Authentication.** A request carries the init data that Telegram signs for a Mini App, in one \
of two headers, or an API token as `Authorization: Bearer <token>`. Init data is valid for \
{init_data} hours. A user creates API tokens in the app; their scopes and group restrict them.
* **Responses.** A success is `{{\"success\":true,\"data\":…}}`; a list also has `pagination`. A \
failure is an `ErrorResponse`, where `success` is `false`, `error` is a stable code for programs \
and `message` is a sentence for people. Every response of the API has the header `x-request-id`.
* **Amounts** are in major units. Responses have JSON numbers with all digits (`33.333333334`); \
requests may have numbers or strings. For clients that read numbers as floats, `?amounts=text` or \
`Accept: application/json;amounts=text` makes every amount and percentage of a response a JSON \
string with the same digits.
* **Lists** are newest first unless stated otherwise. To get the next page, send the \
same request with `pagination.nextCursor` as `cursor`. Cursors are opaque.
* **Idempotency.** A write with an `Idempotency-Key` is carried out once: for {retention} hours, the \
same key and body get the first response again. A 4xx answer means that nothing of the request was \
or will be written.
* **Optional fields** of a request body may be `null`, which means the same as leaving them out. \
The exceptions are `category` and `notes` of `EditExpense`, and `emoji` and `notes` of \
`EditSpending`: there, `null` removes the value.
* **Strict input.** Unknown fields and unknown query parameters are refused. All errors of a body, \
or of a query, are reported at once in `details`; `message` is about the first one.
* **Order of errors.** A request with several errors gets the first of these: path and method \
(404, 405); init data or API token (401), and what the token allows (403); path ids, query, cursor, `Idempotency-Key`, form of `If-Match` and size \
of the body (400, 413); group and membership (404, 403), with a reused `Idempotency-Key` (422); expense, settlement, \
entry or spending (404); permission (403); state (409); `If-Match` (412); body (415, 400, 422).
* **Unknown paths** get 404 `ROUTE_NOT_FOUND`. Unknown methods get 405 `METHOD_NOT_ALLOWED`, and \
the header `Allow` lists the supported ones.
* **Quotas.** A deployment may limit the reads and the writes of a user on a day, in UTC. Then \
every response to an authenticated request has `RateLimit-Policy` and `RateLimit`, and a request \
beyond the limit gets 429 `RATE_LIMITED` with `Retry-After`, and changes nothing.
* **Rate limit.** The gateway in front of the API answers 429 by itself, with only a `message`.
"
    )
}

/// Name and status of the shared response to a throttled request.
const THROTTLED: (&str, &str) = ("TooManyRequests", "429");

/// Status of a response without a body, because the client has the state already.
const UNCHANGED: &str = "304";

/// Headers with the state of the quotas, and their names in the document.
const QUOTA_HEADERS: [(&str, &str); 2] =
    [("RateLimit", "RateLimit"), ("RateLimit-Policy", "RateLimitPolicy")];

/// Makes an empty set of routes whose operations have one of these tags. A tag is a name and a
/// description.
#[must_use]
pub fn tagged<const N: usize>(tags: [(&str, &str); N]) -> Routes {
    let tag = |(name, description): (&str, &str)| {
        let mut tag = Tag::new(name);
        tag.description = Some(description.to_owned());
        tag
    };
    let tags = tags.map(tag);
    Routes::new().describe(move |mut document| {
        document.get_openapi_mut().tags.get_or_insert_default().extend(tags);
        document
    })
}

/// Makes the document of these routes.
#[must_use]
pub fn document(routes: Routes) -> OpenApi {
    let mut document = routes.into_openapi();
    let schemas = document.components.take().unwrap_or_default().schemas;
    let mut shared = shared();
    let examples = examples();
    let mut has_webhook = false;
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            has_webhook |= operation.security == security(Sender::Telegram);
            complete(path, &method, operation, &schemas, &mut shared.responses);
            add_examples(operation, &examples);
        }
    }

    shared.security_schemes.retain(|name, _| name != WEBHOOK || has_webhook);
    shared.responses.insert(THROTTLED.0.to_owned(), throttled().into());

    let mut errors = vec![(ProblemBody::name().into_owned(), ProblemBody::schema())];
    ProblemBody::schemas(&mut errors);
    errors.push((RateLimitError::name().into_owned(), RateLimitError::schema()));
    shared.schemas = schemas
        .into_iter()
        .chain(errors)
        .map(|(name, schema)| (response_name(&name), without_null(schema)))
        .collect();
    document.components = Some(shared);

    let mut license = License::new("MIT");
    license.identifier = Some("MIT".to_owned());
    document.info = Info::new("Fracti", env!("CARGO_PKG_VERSION"));
    document.info.description = Some(description());
    document.info.license = Some(license);
    document.servers = Some(vec![Server::new("/")]);
    document.security = Some(["authorization", "miniApp", "bearer"].map(requirement).into());
    document
}

/// Whether an operation of a user may change something.
fn writes(method: &Method, operation: &Operation) -> bool {
    let reads = operation.extensions.as_ref().is_some_and(|it| it.contains_key(READS));
    let is_of_user = operation.security == security(Sender::User);
    is_of_user && *method != Method::GET && !reads
}

/// Examples by operation and status.
type Examples = BTreeMap<String, BTreeMap<String, Value>>;

fn examples() -> Examples {
    serde_json::from_str(EXAMPLES)
        .unwrap_or_else(|error| unreachable!("the examples are a file: {error}"))
}

/// Adds the examples of its responses to an operation.
fn add_examples(operation: &mut Operation, examples: &Examples) {
    let of_operation = operation.operation_id.as_ref().and_then(|id| examples.get(id));
    for (status, example) in of_operation.into_iter().flatten() {
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status)
            && let Some(RefOr::T(content)) = response.content.get_mut("application/json")
        {
            content.example = Some(example.clone());
        }
    }
}

/// Adds the parts of an operation that follow from its path and method.
fn complete(
    path: &str,
    method: &Method,
    operation: &mut Operation,
    schemas: &BTreeMap<String, RefOr<Schema>>,
    shared: &mut BTreeMap<String, RefOr<Response>>,
) {
    operation.operation_id = operation.operation_id.as_deref().map(camel_case);
    // A summary is a heading, without the full stop that a doc comment has.
    operation.summary = operation.summary.as_deref().map(|it| it.trim_end_matches('.').to_owned());
    let is_of_user = operation.security == security(Sender::User);
    let successes = std::mem::take(&mut operation.responses.responses);
    let mut codes = own_errors(operation);
    let lists = successes.values().any(|response| is_list(response, schemas));
    codes.extend(common(path, method, operation, lists));
    let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_str().to_owned()).or_default().push(code);
    }
    for (status, codes) in by_status {
        operation.responses.responses.insert(status, problem(&codes, shared).into());
    }

    let may_be_unchanged = successes.contains_key(UNCHANGED);
    for (status, mut response) in successes {
        if let RefOr::T(response) = &mut response {
            let what = match &*status {
                "201" => "Created.",
                UNCHANGED => "The client has this state already.",
                _ => "Success.",
            };
            what.clone_into(&mut response.description);
            rename_schemas(response);
            let mut headers = vec![("x-request-id", "RequestId")];
            headers
                .extend(writes(method, operation).then_some(("idempotent-replayed", "Replayed")));
            headers.extend(response.headers.contains_key("ETag").then_some(("ETag", "ETag")));
            headers.extend(QUOTA_HEADERS.into_iter().filter(|_| is_of_user));
            response.headers.extend(headers.into_iter().map(header));
        }
        operation.responses.responses.insert(status, response);
    }
    let (name, status) = THROTTLED;
    operation.responses.responses.insert(status.to_owned(), Ref::from_response_name(name).into());

    let parameters = ids(path)
        .chain(["limit", "cursor"].into_iter().filter(|_| lists))
        .chain(is_of_user.then_some(amounts::PARAMETER))
        .chain(writes(method, operation).then_some("Idempotency-Key"))
        .chain(changes_state(path, method).then_some("If-Match"))
        .chain(may_be_unchanged.then_some("If-None-Match"));
    let own = operation.parameters.get_or_insert_default();
    let says = |own: &[RefOr<Parameter>], name: &str| {
        own.iter().any(|it| matches!(it, RefOr::T(parameter) if parameter.name == name))
    };
    if let Some(extensions) = operation.extensions.as_mut() {
        extensions.remove(READS);
    }
    for name in parameters {
        let follows = name == "cursor" && says(own, "after");
        if !follows && !says(own, name) {
            own.push(RefOr::Ref(Ref::new(format!("#/components/parameters/{name}"))));
        }
    }
}

/// Error codes that follow from the path, the method and the input of an operation.
fn common(
    path: &str,
    method: &Method,
    operation: &Operation,
    lists: bool,
) -> impl Iterator<Item = Code> {
    let in_group = ids(path).any(|id| id == GroupId::NAME);
    let of_ids = PATH_PARAMS.iter().filter(|(name, _)| ids(path).any(|id| id == *name));
    // A user who joins is not a member yet.
    let of_members = in_group && !path.ends_with("/join");
    let is_of_user = operation.security == security(Sender::User);
    let writes = writes(method, operation);
    let rules: [(bool, &[Code]); 10] = [
        (
            operation.security == security(Sender::Telegram),
            &[Code::NoCredentials, Code::Internal, Code::Unavailable],
        ),
        (
            is_of_user,
            // Each has the parameter `amounts` and refuses unknown parameters.
            &[
                Code::ValidationError,
                Code::NoCredentials,
                Code::SignInAgain,
                Code::WrongBot,
                Code::Clock,
                Code::InvalidInitData,
                Code::TokenRevoked,
                Code::AmbiguousCredentials,
                Code::InsufficientScope,
                Code::Internal,
                Code::Unavailable,
            ],
        ),
        (in_group, &[Code::ValidationError, Code::NotMigrated]),
        (of_members, &[Code::NotAMember, Code::Left, Code::Removed]),
        (changes_state(path, method), &[Code::PreconditionFailed]),
        (lists, &[Code::ValidationError, Code::InvalidCursor]),
        (
            operation.request_body.is_some(),
            &[
                Code::ValidationError,
                Code::InvalidJson,
                Code::PayloadTooLarge,
                Code::UnsupportedMediaType,
            ],
        ),
        (writes, &[Code::ValidationError, Code::IdempotencyKeyReused]),
        (writes, &[Code::Conflict]),
        (writes && in_group, &[Code::GroupArchived]),
    ];
    let applying = rules.into_iter().filter(|(applies, _)| *applies);
    applying.flat_map(|(_, codes)| codes).copied().chain(of_ids.map(|(_, not_found)| *not_found))
}

/// Takes the error codes out of an annotation.
fn own_errors(operation: &mut Operation) -> BTreeSet<Code> {
    let errors = operation.extensions.as_mut().and_then(|extensions| extensions.remove(ERRORS));
    errors.map_or_else(BTreeSet::new, |codes| {
        serde_json::from_value(codes)
            .unwrap_or_else(|error| unreachable!("an annotation lists values of Code: {error}"))
    })
}

/// Whether the response is a page of a list: its schema has `pagination`.
fn is_list(response: &RefOr<Response>, schemas: &BTreeMap<String, RefOr<Schema>>) -> bool {
    let RefOr::T(response) = response else { return false };
    let is_page = |reference: &Ref| {
        let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
        match schemas.get(name) {
            Some(RefOr::T(Schema::Object(schema))) => schema.properties.contains_key("pagination"),
            _ => false,
        }
    };
    response.content.values().any(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) => is_page(reference),
        _ => false,
    })
}

/// Renames the envelope schema of a successful response.
fn rename_schemas(response: &mut Response) {
    for content in response.content.values_mut() {
        if let RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) = content {
            let (place, name) = schema.ref_location.rsplit_once('/').unwrap_or_default();
            schema.ref_location = format!("{place}/{}", response_name(name));
        }
    }
}

/// Renames utoipa's `Data_Expense` to `ExpenseResponse`, `List_Expense` to `ExpenseListResponse`
/// and `Part_GroupExport` to `GroupExportPageResponse`.
fn response_name(name: &str) -> String {
    match name.split_once('_') {
        Some(("Data", of)) => format!("{of}Response"),
        Some(("List", of)) => format!("{of}ListResponse"),
        Some(("Part", of)) => format!("{of}PageResponse"),
        _ => name.to_owned(),
    }
}

/// Removes the `null` that utoipa adds to optional fields.
///
/// The API accepts `null` for a missing field, but a type that is both optional and nullable is a
/// burden in generated clients.
fn without_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let is_null = |schema: &RefOr<Schema>| match schema {
        RefOr::T(Schema::Object(it)) => it.schema_type == SchemaType::Type(Type::Null),
        _ => false,
    };
    let without = |schema_type: &mut SchemaType| {
        if let SchemaType::Array(types) = schema_type {
            types.retain(|it| *it != Type::Null);
            if let [only] = &**types {
                *schema_type = SchemaType::Type(only.clone());
            }
        }
    };
    match schema {
        RefOr::T(Schema::OneOf(mut one)) if one.items.iter().any(is_null) => {
            one.items.retain(|item| !is_null(item));
            let only = one.items.pop().filter(|_| one.items.is_empty());
            only.unwrap_or_else(|| unreachable!("utoipa adds `null` to one schema"))
        }
        RefOr::T(Schema::Object(mut object)) => {
            without(&mut object.schema_type);
            let fields = std::mem::take(&mut object.properties).into_iter();
            object.properties = fields.map(|(name, schema)| (name, without_null(schema))).collect();
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::AllOf(mut all)) => {
            all.items = all.items.into_iter().map(without_null).collect();
            RefOr::T(Schema::AllOf(all))
        }
        RefOr::T(Schema::Array(mut array)) => {
            without(&mut array.schema_type);
            RefOr::T(Schema::Array(array))
        }
        other => other,
    }
}

/// Body of a response with status 429. The gateway sends only `message`; the API sends the other
/// fields as well, as in `ErrorResponse`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the gateway and `ProblemBody` send it")]
struct RateLimitError {
    /// Error message.
    #[schema(example = "Too Many Requests")]
    message: String,
    /// `false`, if the API sent it.
    #[schema(example = false)]
    success: Option<bool>,
    /// Error code, for programs, if the API sent it.
    error: Option<Code>,
    /// Id of the request, if the API sent it.
    request_id: Option<String>,
}

/// The response to a request that the gateway throttles, or that is beyond a daily quota.
fn throttled() -> Response {
    let gateway = json!({ "message": "Too Many Requests" });
    let examples = [("gateway", gateway), ("RATE_LIMITED", example(Code::RateLimited))];
    let examples = examples.map(|(name, value)| (name, ExampleBuilder::new().value(Some(value))));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(RateLimitError::name())))
        .examples_from_iter(examples.map(|(name, example)| (name, example.build())))
        .build();
    let mut response = ResponseBuilder::new()
        .description(format!(
            "The gateway's rate limit is exceeded; try again later.\n\n`RATE_LIMITED`: {}",
            Code::RateLimited.meaning()
        ))
        .content("application/json", content)
        .build();
    let headers = [("x-request-id", "RequestId"), ("Retry-After", "RetryAfter")];
    response.headers.extend(headers.into_iter().chain(QUOTA_HEADERS).map(header));
    response
}

/// The shared response of these codes, which have the same status.
fn problem(codes: &[Code], shared: &mut BTreeMap<String, RefOr<Response>>) -> Ref {
    let names = codes.iter().map(|code| format!("{code:?}"));
    // Every operation that needs a user has all codes of 401.
    let name = match codes {
        [Code::NoCredentials, ..] => "Unauthorized".to_owned(),
        _ => names.collect::<Vec<_>>().join("Or"),
    };
    let examples = codes
        .iter()
        .map(|code| (code.word(), ExampleBuilder::new().value(Some(example(*code))).build()));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(ProblemBody::name())))
        .examples_from_iter(examples)
        .build();
    let meanings = codes.iter().map(|code| format!("`{}`: {}", code.word(), code.meaning()));
    let mut response = ResponseBuilder::new()
        .description(meanings.collect::<Vec<_>>().join("\n\n"))
        .content("application/json", content)
        .build();
    let mut headers = vec![("x-request-id", "RequestId")];
    headers.extend(codes.iter().filter_map(|code| match code {
        Code::Conflict | Code::Unavailable => Some(("Retry-After", "RetryAfter")),
        Code::InsufficientScope => Some(("WWW-Authenticate", "Authenticate")),
        code if code.status() == StatusCode::UNAUTHORIZED => {
            Some(("WWW-Authenticate", "Authenticate"))
        }
        _ => None,
    }));
    response.headers.extend(headers.into_iter().map(header));
    let reference = Ref::from_response_name(&name);
    shared.insert(name, response.into());
    reference
}

fn example(code: Code) -> Value {
    let mut body = json!({
        "success": false,
        "error": code,
        "message": code.meaning(),
        "requestId": "0190a1b2-0000-7000-8000-00000000000f",
    });
    let detail = match code {
        Code::ValidationError => {
            let message = format!("limit must be a whole number from 1 to {MAX_LIMIT}");
            json!({ "path": "limit", "message": message })
        }
        Code::NotSettled => {
            let message = "the balance in EUR must be 0, but is -0.01";
            json!({ "path": "EUR", "message": message })
        }
        Code::TooManySplits => {
            let message = format!("splits must have at most {MAX_SHARES} items");
            json!({ "path": "splits", "message": message, "limit": "shares" })
        }
        _ => return body,
    };
    if let Some(body) = body.as_object_mut() {
        body.insert("details".to_owned(), json!([detail]));
    }
    body
}

fn header((name, shared): (&str, &str)) -> (String, RefOr<Header>) {
    (name.to_owned(), RefOr::Ref(Ref::new(format!("#/components/headers/{shared}"))))
}

/// Converts `list_groups` to `listGroups`.
fn camel_case(snake: &str) -> String {
    let mut camel = String::new();
    for (index, word) in snake.split('_').enumerate() {
        let (first, rest) = word.split_at(word.len().min(usize::from(index > 0)));
        camel.extend([&*first.to_ascii_uppercase(), rest]);
    }
    camel
}

/// Shared parameters, headers and security schemes.
fn shared() -> Components {
    let id = |name: &str, what: &str| {
        json!({
            "name": name, "in": "path", "required": true, "description": what,
            "schema": { "type": "string", "format": "uuid" }, "example": "0190a1b2-0000-7000-8000-000000000001",
        })
    };
    let shared = json!({
        "parameters": {
            "groupId": id("groupId", "Id of the group."),
            "memberId": {
                "name": "memberId", "in": "path", "required": true, "description": "Id of the \
                    member.",
                "schema": { "type": "string" },
                "example": "guest-0190a1b2-0000-7000-8000-000000000001",
            },
            "expenseId": id("expenseId", "Id of the expense."),
            "scheduleId": id("scheduleId", "Id of the schedule."),
            "settlementId": id("settlementId", "Id of the settlement."),
            "tokenId": id("tokenId", "Id of the API token."),
            "importId": id("importId", "Id of the import."),
            "questionId": id("questionId", "Id of the question."),
            "transactionId": id("transactionId", "Id of the transaction of funds."),
            "otherId": {
                "name": "otherId", "in": "path", "required": true, "description": "Telegram id \
                    of the other user.",
                "schema": { "type": "string" }, "example": "987654321",
            },
            "userId": {
                "name": "userId", "in": "path", "required": true, "description": "`me`, or the \
                    Telegram id of the user, which only an operator may send.",
                "schema": { "type": "string" }, "example": "me",
            },
            "entryId": {
                "name": "entryId", "in": "path", "required": true, "description": "Id of the \
                    entry.",
                "schema": { "type": "string", "minLength": 1, "maxLength": entry_id::MAX_LENGTH },
                "example": "opening-balance",
            },
            "spendingId": {
                "name": "spendingId", "in": "path", "required": true, "description": "Id of the \
                    spending.",
                "schema": { "type": "string" },
                "example": SpendingId::EXAMPLE,
            },
            "date": {
                "name": "date", "in": "path", "required": true, "description": "The day.",
                "schema": { "type": "string", "format": "date" },
                "example": "2026-11-20",
            },
            "If-Match": {
                "name": "If-Match", "in": "header", "required": false,
                "description": "`ETag` of the expected state, with its quotes. In any other state \
                    the request fails and changes nothing. `*` is any state.",
                "schema": { "type": "string" },
            },
            "If-None-Match": {
                "name": "If-None-Match", "in": "header", "required": false,
                "description": "`ETag` of the state that the client has, with its quotes. If it is \
                    still the current one, the response is 304 without a body.",
                "schema": { "type": "string" },
            },
            "limit": {
                "name": "limit", "in": "query", "required": false, "description": "Maximum number \
                    of items on the page.",
                "schema": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT },
            },
            "cursor": {
                "name": "cursor", "in": "query", "required": false,
                "description": "`pagination.nextCursor` of the previous page. The other \
                    parameters are those of the first page; `limit` and `amounts` may change.",
                "schema": { "type": "string" },
            },
            "amounts": {
                "name": "amounts", "in": "query", "required": false,
                "description": "How the response writes amounts and percentages: as JSON numbers, \
                    or as JSON strings with the same digits. Default: the form in `Accept`, \
                    otherwise `number`.",
                "schema": { "type": "string", "enum": amounts::AmountsAs::WORDS },
            },
            "Idempotency-Key": {
                "name": "Idempotency-Key", "in": "header", "required": false,
                "description": "Unique key of the request. A request with the same key and body is \
                    not carried out again but gets the first response.",
                "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": "^[!-~]+$" },
            },
        },
        "headers": headers(),
        "securitySchemes": security_schemes(),
    });
    serde_json::from_value(shared)
        .unwrap_or_else(|error| unreachable!("the components are literals: {error}"))
}

/// Ways of authentication.
fn security_schemes() -> Value {
    json!({
        "authorization": {
            "type": "apiKey", "in": "header", "name": "Authorization",
            "description": "`tma <init data>`, by Telegram's convention.",
        },
        "miniApp": {
            "type": "apiKey", "in": "header", "name": "X-Telegram-Init-Data",
            "description": "The init data alone, as the Fracti Mini App sends it.",
        },
        "bearer": {
            "type": "http", "scheme": "bearer",
            "description": "An API token, by which a program acts for the user who created it.",
        },
        WEBHOOK: {
            "type": "apiKey", "in": "header", "name": "X-Telegram-Bot-Api-Secret-Token",
            "description": "The secret that Telegram sends with each update of the bot.",
        },
    })
}

/// Shared headers.
fn headers() -> Value {
    json!({
        "RequestId": {
            "description": "Id of the request, to quote when reporting a problem.",
            "schema": { "type": "string" },
        },
        "Replayed": {
            "description": "Present if the response is a replay of the first one to the same \
                `Idempotency-Key`.",
            "schema": { "type": "string", "enum": ["true"] },
        },
        "ETag": {
            "description": "Tag of the returned state, for `If-Match` or `If-None-Match`.",
            "schema": { "type": "string" },
        },
        "RetryAfter": {
            "description": "Seconds to wait before trying again.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "RateLimit": {
            "description": "What remains of the quota of reads or of writes (`r`), and the \
                seconds until it resets (`t`), if the deployment has a quota.",
            "schema": { "type": "string" }, "example": "\"reads\";r=4990;t=43200",
        },
        "RateLimitPolicy": {
            "description": "The quotas (`q`) and their window in seconds (`w`), if the \
                deployment has any.",
            "schema": { "type": "string" },
            "example": "\"reads\";q=5000;w=86400, \"writes\";q=500;w=86400",
        },
        "Authenticate": {
            "description": "Authentication schemes, or what is wrong with the API token.",
            "schema": { "type": "string" },
        },
    })
}
