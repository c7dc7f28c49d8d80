//! The OpenAPI document of all routes.
//!
//! A handler's annotation says what only it does: its body, its success, and the codes that no other rule gives it,
//! as the description of their status. [`document`] adds what holds for many: parameters, headers, security, and the
//! problems that follow from the path and the method. So a new route is described in full by its own few lines.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use serde::{Deserialize, de::value::StrDeserializer};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, Content, ContentBuilder, Info, License, OpenApi, Ref, RefOr, Response,
        ResponseBuilder, SecurityRequirement, Server, Tag,
        example::ExampleBuilder,
        header::Header,
        path::{Operation, PathItem},
    },
};

use crate::{Code, ProblemBody, Routes};

/// The document as it is served: the one that the repository has.
///
/// It is of all endpoint groups, which no function links; `tests/api/openapi.rs` fails where it is not what
/// [`document`] makes of them, and renews it.
pub const DOCUMENT: &str = include_str!("../../../openapi.json");

const DESCRIPTION: &str = "\
The shared money of a Telegram group: who paid, who owes and who has settled, in any currency, exact to the last unit.

* **Who calls** is told by the init data that Telegram signs for a Mini App, in one of two headers. It is good for 24 hours.
* **A success** is `{\"success\":true,\"data\":…}`; a list also has `pagination`. **A failure** is a `Problem`, whose \
`error` is for programs and never changes, and whose `message` is for people. Every response has the header `x-request-id`.
* **Amounts** are in major units. They go out as JSON numbers with all their digits (`33.333333334`) and come in as numbers \
or as their text.
* **Lists** are newest first. `pagination.nextCursor` is the `cursor` of the next page, and nothing else: it is opaque.
* **A POST happens once** for its `Idempotency-Key`: within 24 hours the same key and body give the first response again.
* **In a body** `null` is as good as nothing, and fields that are not known are ignored.
* **A path that is not here** is a 404 `ROUTE_NOT_FOUND`; a method that is not here is a 405 `METHOD_NOT_ALLOWED`, and `Allow` \
says which ones are.
";

const TAGS: [(&str, &str); 6] = [
    ("groups", "Groups and their members."),
    ("expenses", "What somebody paid for several."),
    ("settlements", "Who owes whom, and the payments that reduce it."),
    ("users", "What the caller has over all groups."),
    (
        "ledger",
        "The book: what the group owed whom at any moment, how it came to that, and adjustments by hand.",
    ),
    ("service", "That Fracti runs, and what it offers. Answers everybody."),
];

/// The document of these routes.
#[must_use]
pub fn document(routes: Routes) -> OpenApi {
    let mut document = routes.into_openapi();
    let mut shared = shared();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            complete(path, &method, operation, &mut shared.responses);
        }
    }
    for code in [Code::RouteNotFound, Code::MethodNotAllowed] {
        problem(&[code], &mut shared.responses);
    }

    let mut schemas = vec![("Problem".to_owned(), ProblemBody::schema())];
    ProblemBody::schemas(&mut schemas);
    shared.schemas = document.components.take().unwrap_or_default().schemas;
    shared.schemas.extend(schemas);
    document.components = Some(shared);

    let mut license = License::new("MIT");
    license.identifier = Some("MIT".to_owned());
    document.info = Info::new("Fracti", env!("CARGO_PKG_VERSION"));
    document.info.description = Some(DESCRIPTION.to_owned());
    document.info.license = Some(license);
    document.servers = Some(vec![Server::new("/")]);
    let tag = |(name, description): (&str, &str)| {
        let mut tag = Tag::new(name);
        tag.description = Some(description.to_owned());
        tag
    };
    document.tags = Some(TAGS.map(tag).into());
    let scheme = |name: &str| SecurityRequirement::new(name, [""; 0]);
    document.security = Some(vec![scheme("authorization"), scheme("miniApp")]);
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let PathItem { get, put, post, delete, .. } = item;
    [(Method::GET, get), (Method::PUT, put), (Method::POST, post), (Method::DELETE, delete)]
        .into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// Adds to an operation what follows from its path and its method.
fn complete(
    path: &str,
    method: &Method,
    operation: &mut Operation,
    shared: &mut BTreeMap<String, RefOr<Response>>,
) {
    operation.operation_id = operation.operation_id.as_deref().map(camel_case);
    let own = std::mem::take(&mut operation.responses.responses);
    let (successes, refusals): (BTreeMap<_, _>, _) =
        own.into_iter().partition(|(status, _)| status.starts_with('2'));

    let mut codes: BTreeSet<Code> = refusals.values().flat_map(named).collect();
    let lists = successes.values().any(is_list);
    codes.extend(common(path, method, operation, lists));
    let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_str().to_owned()).or_default().push(code);
    }
    for (status, codes) in by_status {
        operation.responses.responses.insert(status, problem(&codes, shared).into());
    }

    for (status, mut response) in successes {
        if let RefOr::T(response) = &mut response {
            let made = status == "201";
            let what = if made { "What was made." } else { "What was asked for." };
            what.clone_into(&mut response.description);
            let mut headers = vec![("x-request-id", "RequestId")];
            headers
                .extend((*method == Method::POST).then_some(("idempotent-replayed", "Replayed")));
            headers.extend(is_tagged(response).then_some(("ETag", "ETag")));
            response.headers.extend(headers.into_iter().map(header));
        }
        operation.responses.responses.insert(status, response);
    }

    let in_path = path.split(['{', '}']).skip(1).step_by(2);
    let parameters = in_path
        .chain(["limit", "cursor"].into_iter().filter(|_| lists))
        .chain((*method == Method::POST).then_some("Idempotency-Key"))
        .chain(changes_state(path, method).then_some("If-Match"));
    let own = operation.parameters.get_or_insert_default();
    for name in parameters {
        let said = own.iter().any(|it| matches!(it, RefOr::T(parameter) if parameter.name == name));
        if !said {
            own.push(RefOr::Ref(Ref::new(format!("#/components/parameters/{name}"))));
        }
    }
}

/// The codes that an operation answers with because of what it takes.
fn common(
    path: &str,
    method: &Method,
    operation: &Operation,
    lists: bool,
) -> impl Iterator<Item = Code> {
    let in_group = path.contains("{groupId}");
    // Who joins is no member yet.
    let of_members = in_group && !path.ends_with("/join");
    let rules: [(bool, &[Code]); 11] = [
        (operation.security.is_none(), &[Code::Unauthorized, Code::Internal, Code::Unavailable]),
        (in_group, &[Code::ValidationError, Code::GroupNotFound]),
        (of_members, &[Code::NotAMember]),
        (path.contains("{expenseId}"), &[Code::ExpenseNotFound]),
        (path.contains("{settlementId}"), &[Code::SettlementNotFound]),
        (path.contains("{entryId}"), &[Code::EntryNotFound]),
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
        (method == Method::POST, &[Code::ValidationError, Code::IdempotencyKeyReused]),
        (method != Method::GET, &[Code::Conflict]),
    ];
    rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, codes)| codes).copied()
}

/// Whether it changes a thing that has a tag.
fn changes_state(path: &str, method: &Method) -> bool {
    let tagged = ["{expenseId}", "{settlementId}"].iter().any(|id| path.ends_with(id));
    tagged && (method == Method::PUT || method == Method::DELETE)
}

/// The codes that an annotation names.
fn named(response: &RefOr<Response>) -> Vec<Code> {
    let RefOr::T(response) = response else { return Vec::new() };
    let code = |text| {
        let text = StrDeserializer::<serde::de::value::Error>::new(text);
        Code::deserialize(text).unwrap_or_else(|error| unreachable!("an annotation: {error}"))
    };
    response.description.split(", ").map(code).collect()
}

fn is_list(response: &RefOr<Response>) -> bool {
    matches!(response, RefOr::T(response) if shows(response, |schema| schema.contains("/List_")))
}

/// Whether it shows one thing whose states have tags.
fn is_tagged(response: &Response) -> bool {
    let tagged = ["/Data_Expense", "/Data_Settlement"];
    shows(response, |schema| tagged.iter().any(|tagged| schema.ends_with(tagged)))
}

fn shows(response: &Response, what: impl Fn(&str) -> bool) -> bool {
    response.content.values().any(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) => what(&schema.ref_location),
        _ => false,
    })
}

/// The response that says one of these codes, which have one status: described once, and referred to.
fn problem(codes: &[Code], shared: &mut BTreeMap<String, RefOr<Response>>) -> Ref {
    let name = codes.iter().map(|code| format!("{code:?}")).collect::<Vec<_>>().join("Or");
    let examples = codes
        .iter()
        .map(|code| (word(*code), ExampleBuilder::new().value(Some(example(*code))).build()));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .examples_from_iter(examples)
        .build();
    let meanings = codes.iter().map(|code| format!("`{}`: {}", word(*code), code.meaning()));
    let mut response = ResponseBuilder::new()
        .description(meanings.collect::<Vec<_>>().join("\n\n"))
        .content("application/json", content)
        .build();
    let mut headers = vec![("x-request-id", "RequestId")];
    headers.extend(codes.iter().filter_map(|code| match code {
        Code::Conflict | Code::Unavailable => Some(("Retry-After", "RetryAfter")),
        Code::MethodNotAllowed => Some(("Allow", "Allow")),
        Code::Unauthorized => Some(("WWW-Authenticate", "Authenticate")),
        _ => None,
    }));
    response.headers.extend(headers.into_iter().map(header));
    let reference = Ref::from_response_name(&name);
    shared.insert(name, response.into());
    reference
}

/// A code as the wire spells it.
fn word(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
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
            json!({ "path": "limit", "message": "a limit is a whole number from 1 to 100" })
        }
        Code::TooManySplits => {
            json!({ "path": "splits", "message": "an expense has at most 45 shares" })
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

/// `list_groups` as `listGroups`.
fn camel_case(snake: &str) -> String {
    let mut camel = String::new();
    for (index, word) in snake.split('_').enumerate() {
        let (first, rest) = word.split_at(word.len().min(usize::from(index > 0)));
        camel.extend([&*first.to_ascii_uppercase(), rest]);
    }
    camel
}

/// Parameters, headers and security schemes.
fn shared() -> Components {
    let id = |name: &str, what: &str| {
        json!({
            "name": name, "in": "path", "required": true, "description": what,
            "schema": { "type": "string", "format": "uuid" }, "example": "0190a1b2-0000-7000-8000-000000000001",
        })
    };
    let shared = json!({
        "parameters": {
            "groupId": id("groupId", "The group."),
            "expenseId": id("expenseId", "The expense."),
            "settlementId": id("settlementId", "The settlement."),
            "entryId": {
                "name": "entryId", "in": "path", "required": true, "description": "What the entry is called.",
                "schema": { "type": "string", "minLength": 1, "maxLength": 64 }, "example": "opening-balance",
            },
            "If-Match": {
                "name": "If-Match", "in": "header", "required": false,
                "description": "The `ETag` of the state that is meant: in another one nothing is done.",
                "schema": { "type": "string" },
            },
            "limit": {
                "name": "limit", "in": "query", "required": false, "description": "How many at the most.",
                "schema": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 },
            },
            "cursor": {
                "name": "cursor", "in": "query", "required": false,
                "description": "Where to go on: `pagination.nextCursor` of the page before.",
                "schema": { "type": "string" },
            },
            "Idempotency-Key": {
                "name": "Idempotency-Key", "in": "header", "required": false,
                "description": "Makes it happen once: the same key and body give the first response again.",
                "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
                "example": "7f3a0c52-dinner",
            },
        },
        "headers": {
            "RequestId": {
                "description": "Names the request: what to say when asking about it.",
                "schema": { "type": "string" },
            },
            "Replayed": {
                "description": "There where this is the first response again.",
                "schema": { "type": "string", "enum": ["true"] },
            },
            "ETag": {
                "description": "The tag of the state that is shown: what to send as `If-Match`.",
                "schema": { "type": "string" },
            },
            "RetryAfter": {
                "description": "After how many seconds to try again.",
                "schema": { "type": "integer", "minimum": 0 },
            },
            "Allow": { "description": "The methods that the path has.", "schema": { "type": "string" } },
            "Authenticate": {
                "description": "How to say who is calling.", "schema": { "type": "string", "enum": ["tma"] },
            },
        },
        "securitySchemes": {
            "authorization": {
                "type": "apiKey", "in": "header", "name": "Authorization",
                "description": "`tma <init data>`, as Telegram's documentation says.",
            },
            "miniApp": {
                "type": "apiKey", "in": "header", "name": "X-Telegram-Init-Data",
                "description": "`<init data>`, as the Fracti Mini App sends it.",
            },
        },
    });
    serde_json::from_value(shared)
        .unwrap_or_else(|error| unreachable!("the components are literals: {error}"))
}
