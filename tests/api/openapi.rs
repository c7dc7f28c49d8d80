//! The OpenAPI document: it is generated from the routes, and requests and responses match it.
//!
//! `UPDATE_FILES=1 cargo test --workspace --test api openapi::the_file` renews `openapi.json`.

mod examples;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
};

use axum::{
    Router,
    body::Body,
    http::{Method, Request, StatusCode, header},
};
use fracti_core::{caller::telegram, values::time::Timestamp};
use fracti_http::openapi;
use fracti_local::FUNCTIONS;
use fracti_tests::operations::{Ids, Operation, operations};
use http_body_util::BodyExt;
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use crate::{
    harness::{Api, Busy, Caller, Group, Reply, TOKEN, assert_current},
    import::splitwise,
    quotas::quotas,
};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.json");

/// A transaction hash in its two forms.
const HASH: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const HASH_BASE64: &str = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqo=";

/// Codes and operations that need a failing table, a race, a very large group or v0 rows, and the
/// document itself.
const ELSEWHERE: [&str; 19] = [
    "CONFLICT",
    "FUNDS_DISABLED",
    "GET /api/openapi.json",
    "HOLD_EXPIRED",
    "IMPORT_UNDOING",
    "INTERNAL",
    "INVITATION_REQUIRED",
    "MESSAGES_DISABLED",
    "METHOD_NOT_ALLOWED",
    "NOT_INDEXED",
    "NOT_MIGRATED",
    "PAYER_LEFT",
    "ROUTE_NOT_FOUND",
    "TOO_MANY_LINKS",
    "TOO_MANY_MEMBERS",
    "TOO_MANY_QUESTIONS",
    "TOO_MANY_SCHEDULES",
    "TOO_MUCH_HISTORY",
    "UNAVAILABLE",
];

/// The served document, with the operations and codes that were checked against it.
struct Document {
    json: Value,
    seen: RefCell<BTreeSet<String>>,
}

impl Document {
    fn served() -> Self {
        Self { json: serde_json::from_str(openapi::DOCUMENT).unwrap(), seen: RefCell::default() }
    }

    /// Every operation: path, method and description.
    fn operations(&self) -> Vec<(&str, Method, &Value)> {
        let paths = self.json["paths"].as_object().unwrap();
        paths
            .iter()
            .flat_map(|(path, item)| {
                item.as_object().unwrap().iter().map(move |(method, operation)| {
                    (&**path, method.to_uppercase().parse().unwrap(), operation)
                })
            })
            .collect()
    }

    /// Resolves a reference; returns any other value unchanged.
    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.json.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// The reason why a value does not match a schema of the document.
    fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut schema = schema.clone();
        schema["components"] = self.json["components"].clone();
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        validator
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    /// A body as it is sent: what JSON a part of a form has is checked, and becomes text.
    fn as_sent(&self, schema: &Value, mut body: Value) -> Value {
        let properties = &self.resolve(schema)["properties"];
        for (name, value) in body.as_object_mut().into_iter().flatten() {
            let content = &properties[name]["contentSchema"];
            if content.is_object() && !value.is_string() {
                assert_eq!(self.misfits(content, value), [""; 0], "{name}: {value}");
                *value = value.to_string().into();
            }
        }
        body
    }

    /// Checks the request, if it succeeded, and the response against the document.
    fn check(&self, method: &Method, path: &str, body: Option<&Value>, reply: &Reply) {
        let place = format!("{method} {path}: {}", reply.text);
        let path = path.split('?').next().unwrap();
        let mut operations = self.operations().into_iter();
        let operation = operations
            .find(|(template, its_method, _)| its_method == method && fits(template, path));
        assert!(operation.is_some(), "not in the document: {place}");
        let (template, _, operation) = operation.unwrap();

        let response = &operation["responses"][reply.status.as_str()];
        assert!(response.is_object(), "a status that is not in the document: {place}");
        let response = self.resolve(response);
        if reply.header("content-type") == Some("application/json") {
            let schema = &response["content"]["application/json"]["schema"];
            assert_eq!(self.misfits(schema, &reply.body), [""; 0], "{place}");
        } else {
            assert!(response["content"]["text/csv"].is_object(), "{place}");
        }
        let headers = response["headers"].as_object().unwrap();
        // Common headers, which no client acts on.
        let always = [
            "cache-control",
            "content-length",
            "content-type",
            "x-content-type-options",
            "content-language",
            "vary",
        ];
        for name in reply.headers.keys().filter(|name| !always.contains(&name.as_str())) {
            assert!(headers.keys().any(|known| name == known.as_str()), "{name} of {place}");
        }
        let mut seen = self.seen.borrow_mut();
        if reply.status.is_success() {
            seen.insert(format!("{method} {template}"));
            let schema = input(operation);
            if let Some(body) = body.filter(|_| schema.is_object()) {
                let misfits = self.misfits(schema, &self.as_sent(schema, body.clone()));
                assert_eq!(misfits, [""; 0], "{body} to {place}");
            }
        } else {
            let (_, code) = reply.code();
            assert!(
                response["description"].as_str().unwrap().contains(&format!("`{code}`")),
                "{place}"
            );
            seen.insert(code.to_owned());
        }
    }
}

/// The schema of the body of an operation, which is JSON or a form; null if it has none.
fn input(operation: &Value) -> &Value {
    let content = operation["requestBody"]["content"].as_object();
    let body = content.and_then(|content| content.values().next());
    body.map_or(&Value::Null, |body| &body["schema"])
}

/// Whether a path matches a template such as `/api/groups/{groupId}`.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    let same = |(part, text): (&&str, &&str)| part.starts_with('{') || part == text;
    template.len() == path.len() && template.iter().zip(&path).all(same)
}

/// The response of a router to a request without authentication.
async fn ask(router: &Router, method: &Method, path: &str) -> (StatusCode, String, String) {
    let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let text = String::from_utf8_lossy(&body.collect().await.unwrap().to_bytes()).into_owned();
    let header = |name| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let kind = header(header::CONTENT_TYPE).or_else(|| header(header::LOCATION));
    (parts.status, kind.unwrap_or_default(), text)
}

#[test]
fn the_file_matches_the_routes() {
    let document = openapi::document(fracti_local::routes()).to_pretty_json().unwrap() + "\n";
    let how = "UPDATE_FILES=1 cargo test --workspace --test api openapi::the_file";
    assert_current(FILE, &document, how);
}

#[test]
fn schema_names_are_unique_across_endpoint_groups() {
    let mut schemas: BTreeMap<String, Value> = BTreeMap::new();
    for function in FUNCTIONS {
        let document = json!(openapi::document((function.routes)()));
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let before = schemas.insert(name.clone(), schema.clone());
            assert!(before.is_none_or(|before| before == *schema), "{name} is two things");
        }
    }
}

#[tokio::test]
async fn router_serves_exactly_the_documented_operations() {
    let api = Api::new().await;
    let document = Document::served();
    let mut names = BTreeSet::new();
    let tags = document.json["tags"].as_array().unwrap();
    let mut methods: BTreeMap<&str, Vec<Method>> = BTreeMap::new();
    for (path, method, operation) in document.operations() {
        let place = format!("{method} {path}");
        assert!(names.insert(operation["operationId"].as_str().unwrap()), "{place}");
        assert!(
            operation["summary"].as_str().is_some_and(|summary| !summary.contains('\n')),
            "{place}"
        );
        assert!(tags.iter().any(|tag| tag["name"] == operation["tags"][0]), "{place}");
        let extension = operation.as_object().unwrap().keys().find(|key| key.starts_with("x-"));
        assert_eq!(extension, None, "{place}: not an extension that the document is made from");
        let public = operation["security"] == json!([{}]);
        let (status, ..) = ask(&api.router, &method, path).await;
        assert_eq!(status, if public { 200 } else { 401 }, "{place}");
        assert_eq!(public, operation["responses"]["401"].is_null(), "{place}");
        methods.entry(path).or_default().push(method);
    }
    for (path, known) in methods {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let (status, ..) = ask(&api.router, &method, path).await;
            assert_eq!(status == 405, !known.contains(&method), "{method} {path}");
        }
    }
    assert_eq!(
        document.json["security"],
        json!([{ "authorization": [] }, { "miniApp": [] }, { "bearer": [] }])
    );
}

#[test]
fn list_of_operations_is_that_of_the_document() {
    let document = Document::served();
    let documented = document.operations().into_iter().map(|(path, method, operation)| {
        (operation["operationId"].as_str().unwrap(), method.to_string(), path)
    });
    let mut documented: Vec<_> = documented.collect();
    let list = operations();
    let mut listed: Vec<_> =
        list.iter().map(|it| (it.id, it.method.to_string(), it.route)).collect();
    documented.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, documented);
}

#[tokio::test]
async fn document_is_served_without_authentication() {
    let api = Api::new().await;
    let served = ask(&api.router, &Method::GET, "/api/openapi.json").await;
    let file = fs::read_to_string(FILE).unwrap();
    assert!(served == (StatusCode::OK, "application/json".to_owned(), file), "{served:?}");
}

#[tokio::test]
async fn documentation_page_loads_no_external_resources() {
    let docs = fracti_local::docs();
    let moved = ask(&docs, &Method::GET, "/docs").await;
    assert_eq!((moved.0, &*moved.1), (StatusCode::SEE_OTHER, "/docs/"));
    let (status, _, page) = ask(&docs, &Method::GET, "/docs/").await;
    assert_eq!(status, 200);
    let links = page.split("href=\"").skip(1).chain(page.split("src=\"").skip(1));
    let links: Vec<_> = links.map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 7, "{page}");
    for link in links {
        let asset = format!("/docs/{}", link.trim_start_matches("./"));
        let (status, kind, text) = ask(&docs, &Method::GET, &asset).await;
        assert_eq!(status, 200, "{asset}");
        assert!(kind != "text/html" && !text.is_empty(), "{asset} is {kind}");
    }
    let (_, _, script) = ask(&docs, &Method::GET, "/docs/swagger-initializer.js").await;
    assert!(script.contains(r#""/docs/openapi.json""#), "{script}");
    assert!(script.contains(r#""validatorUrl": "none""#), "{script}");
}

#[test]
fn every_field_is_described_and_every_example_is_valid() {
    let document = Document::served();
    let schemas = document.json["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        walk(schema, &mut |place, part| {
            if let Some(example) = part.get("example") {
                assert_eq!(document.misfits(&json!(part), example), [""; 0], "{name} {place}");
            }
            for (field, schema) in
                part.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                let described = schema["description"].is_string()
                    || schema["oneOf"][0]["description"].is_string();
                assert!(described, "{name}.{field} says nothing");
            }
        });
    }
    for (name, response) in document.json["components"]["responses"].as_object().unwrap() {
        let content = &response["content"]["application/json"];
        if name == "TooManyRequests" {
            for (name, example) in content["examples"].as_object().unwrap() {
                let misfits = document.misfits(&content["schema"], &example["value"]);
                assert_eq!(misfits, [""; 0], "{name}");
            }
            continue;
        }
        assert_eq!(content["schema"], json!({ "$ref": "#/components/schemas/ErrorResponse" }));
        for (code, example) in content["examples"].as_object().unwrap() {
            assert_eq!(document.misfits(&content["schema"], &example["value"]), [""; 0], "{name}");
            assert_eq!(example["value"]["error"], **code);
        }
    }
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    let document = Document::served();
    let mut references = BTreeSet::new();
    walk(&document.json, &mut |place, part| {
        if let Some(reference) = part.get("$ref") {
            let reference = reference.as_str().unwrap();
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.json.pointer(pointer).is_some(), "{place} refers to {reference}");
            references.insert(reference.to_owned());
        }
    });
    for kind in ["schemas", "responses", "parameters", "headers"] {
        for name in document.json["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(references.contains(&reference), "nothing refers to {reference}");
        }
    }
}

#[test]
fn document_avoids_null_default_and_unknown_formats() {
    let document = Document::served();
    let mut nullable = BTreeSet::new();
    for (name, schema) in document.json["components"]["schemas"].as_object().unwrap() {
        walk(schema, &mut |place, part| {
            let place = format!("{name}{place}");
            if part.get("type").is_some_and(|it| *it == "null" || it.is_array()) {
                nullable.insert(place.clone());
            }
            assert!(!part.contains_key("default"), "{place} has a default");
            let formats = ["uuid", "date-time", "date", "int32", "int64", "binary"];
            if let Some(format) = part.get("format").and_then(Value::as_str) {
                assert!(formats.contains(&format), "{place} has the format {format}");
            }
            let one_value = part.get("enum").is_some_and(|it| it.as_array().unwrap().len() < 2);
            assert!(!one_value, "{place} has only one value");
        });
        assert!(!name.contains('_') && schema.get("$ref").is_none(), "{name}");
    }
    let removable = [
        ("EditExpense", "category"),
        ("EditExpense", "notes"),
        ("EditScheduledExpense", "category"),
        ("EditScheduledExpense", "notes"),
        ("EditSpending", "emoji"),
        ("EditSpending", "notes"),
        ("UpdateSettlement", "note"),
    ];
    let removable = removable.map(|(body, field)| format!("{body}.properties.{field}.anyOf"));
    assert_eq!(nullable, removable.into());
    for (path, method, operation) in document.operations() {
        let schema = input(operation);
        assert!(schema.is_null() || schema["$ref"].is_string(), "{method} {path}: {schema}");
        let optional =
            ["/join", "/open", "/apply", "/subscription"].iter().any(|end| path.ends_with(end));
        let required = operation["requestBody"]["required"].as_bool().unwrap_or_default();
        assert_eq!(required, schema.is_object() && !optional, "{method} {path}");
    }
}

/// A generator for Go gives the words of all enums to one package, so they need different names.
#[test]
fn words_of_enums_have_names_that_differ() {
    let document = Document::served();
    let mut names = BTreeMap::new();
    for (schema, fields) in document.json["components"]["schemas"].as_object().unwrap() {
        let words = fields["enum"].as_array().into_iter().flatten();
        let words: Vec<_> = words.map(|it| it.as_str().unwrap().to_uppercase()).collect();
        let given = fields["x-enum-varnames"].as_array();
        let given = given.map(|it| it.iter().map(|it| it.as_str().unwrap().to_owned()).collect());
        let given: Vec<String> = given.unwrap_or_else(|| words.clone());
        assert_eq!(given.len(), words.len(), "{schema}");
        for name in given {
            let other = names.insert(name.clone(), schema);
            assert_eq!(other, None, "{schema} has the name {name}, too");
        }
    }
}

#[test]
fn every_part_of_a_form_is_text() {
    let document = Document::served();
    let mut forms = 0;
    for (path, method, operation) in document.operations() {
        let form = &operation["requestBody"]["content"]["multipart/form-data"];
        if form.is_object() {
            forms += 1;
            let parts = document.resolve(&form["schema"])["properties"].as_object().unwrap();
            for (name, part) in parts {
                assert_eq!(part["type"], "string", "{name} of {method} {path}");
            }
        }
    }
    assert_eq!(forms, 1);
}

#[test]
fn every_operation_documents_throttling() {
    let document = Document::served();
    for (path, method, operation) in document.operations() {
        let response = document.resolve(&operation["responses"]["429"]);
        let schema = &response["content"]["application/json"]["schema"];
        let gateway = json!({ "message": "Too Many Requests" });
        let api = json!({ "success": false, "error": "RATE_LIMITED", "message": "The daily…",
            "requestId": "0190a1b2-0000-7000-8000-00000000000f" });
        assert!(schema.is_object(), "{method} {path}");
        for sent in [gateway, api] {
            assert_eq!(document.misfits(schema, &sent), [""; 0], "{method} {path}");
        }
    }
}

#[test]
fn operation_ids_and_summaries_begin_with_a_verb() {
    let document = Document::served();
    let verbs = [
        "ask", "answer", "claim", "close", "apply", "list", "get", "create", "open", "edit",
        "update", "delete", "remove", "restore", "join", "leave", "rename", "link", "set", "push",
        "revert", "rebuild", "import", "undo", "export", "capture", "void", "check", "preview",
        "withdraw",
    ];
    for (path, method, operation) in document.operations() {
        let id = &operation["operationId"];
        let summary = &operation["summary"];
        let [id, summary] = [id, summary].map(|text| text.as_str().unwrap());
        let verb = verbs.iter().find(|verb| id.starts_with(**verb));
        let verb = verb.unwrap_or_else(|| panic!("{method} {path} is called {id}"));
        assert_eq!(summary.split(' ').next().unwrap().to_lowercase(), *verb, "{id}: {summary}");
        assert!(!summary.ends_with('.'), "{id}: {summary}");
    }
}

/// Calls `visit` with every object in a schema and its path.
fn walk(schema: &Value, visit: &mut impl FnMut(&str, &Map<String, Value>)) {
    fn at(place: &str, value: &Value, visit: &mut impl FnMut(&str, &Map<String, Value>)) {
        match value {
            Value::Object(fields) => {
                visit(place, fields);
                for (name, value) in fields.iter().filter(|(name, _)| *name != "example") {
                    at(&format!("{place}.{name}"), value, visit);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| at(place, item, visit)),
            _ => {}
        }
    }
    at("", schema, visit);
}

/// A client of the API that checks each request and response against the document.
struct Reader<'a> {
    document: &'a Document,
    caller: Caller,
}

impl Reader<'_> {
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        let reply = self.caller.call(method.clone(), path, body.as_ref()).await;
        self.document.check(&method, path, body.as_ref(), &reply);
        reply
    }

    /// Sends the request of an operation.
    async fn perform(&self, operation: &Operation, ids: &Ids) {
        let body = Some(operation.body(ids)).filter(|body| !body.is_null());
        self.call(operation.method.clone(), &operation.path(ids), body).await;
    }

    async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, None).await
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path, Some(body)).await
    }

    async fn put(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PUT, path, Some(body)).await
    }

    /// Creates a resource and returns its id.
    async fn make(&self, path: &str, body: Value) -> String {
        self.post(path, body).await.data(201)["id"].as_str().unwrap().to_owned()
    }
}

/// Every operation is called with its request of the list. Further requests have the forms of
/// bodies and the errors that these do not have.
#[tokio::test]
async fn requests_and_responses_match_the_document() {
    let document = Document::served();
    let reader = |caller: &Caller| Reader { document: &document, caller: caller.clone() };
    let writes = operations().into_iter().filter(|it| !it.reads());
    for write in writes {
        let Busy { group, ids } = Busy::new().await;
        reader(&group.members[0]).perform(&write, &ids).await;
    }

    let Busy { group, mut ids } = Busy::new().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| reader(&group.members[index]));
    the_members(&alice, &bob, &group, &ids).await;
    the_expenses(&alice, &bob, &group, &ids).await;
    the_schedules(&alice, &bob, &group).await;
    ids.insert("importId", the_import(&alice, &group).await);
    the_ledger(&alice, &bob, &group).await;
    ids.insert("entryId", "opening".to_owned());
    ids.insert("settlementId", the_settlements(&alice, &bob, &group).await);
    the_questions(&alice, &bob, &group, &ids).await;
    the_funds(&alice, &bob, &group, &ids).await;
    the_tokens(&alice, &group.id).await;
    the_targets(&alice).await;
    the_spendings(&alice).await;

    // The document has no envelope.
    let reads = operations().into_iter().filter(|it| it.reads() && it.id != "getOpenApiDocument");
    for read in reads {
        for reader in [&alice, &bob, &carol] {
            reader.perform(&read, &ids).await;
            if read.id.starts_with("list") {
                reader.perform(&read.clone().asks("limit=1"), &ids).await;
            }
        }
    }
    leaving_and_archiving(&alice, &bob, &group).await;
    refusals(&alice, &group).await;

    // Everything else was checked.
    let codes = document.json["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap();
    let codes = codes.iter().map(|code| code.as_str().unwrap().to_owned());
    let operations =
        document.operations().into_iter().map(|(path, method, _)| format!("{method} {path}"));
    let all: BTreeSet<_> = codes.chain(operations).collect();
    let unseen: Vec<_> = all.difference(&document.seen.borrow()).cloned().collect();
    assert_eq!(unseen, ELSEWHERE);
}

async fn the_members(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group, ids: &Ids) {
    bob.call(Method::POST, &group.path("/join"), None).await.data(200);
    let raw = format!("0:{}", "a".repeat(64));
    alice.put(&group.path("/wallet"), json!({ "wallet": raw })).await.data(200);
    let guest = json!({ "name": "Grandma" });
    assert_eq!(bob.post(&group.path("/members"), guest.clone()).await.code().1, "NAME_TAKEN");
    for (member, code) in [("1", "NOT_ALLOWED"), ("7", "MEMBER_NOT_FOUND")] {
        let path = group.path(&format!("/members/{member}"));
        let renamed = alice.call(Method::PATCH, &path, Some(guest.clone())).await;
        assert_eq!(renamed.code().1, code);
    }
    let link = group.path(&format!("/members/{}/link", ids["memberId"]));
    assert_eq!(alice.call(Method::DELETE, &link, None).await.code().1, "LINK_NOT_FOUND");
    for (user, code) in [("2", ""), ("1", "LINK_PROPOSED")] {
        let proposed = alice.post(&link, json!({ "userId": user })).await;
        assert_eq!(proposed.code().1, code);
    }
    alice.call(Method::DELETE, &link, None).await.data(200);
    alice.post(&link, json!({ "userId": "2" })).await.data(202);
    bob.post(&link, json!({ "userId": "2" })).await.data(200);
    assert_eq!(alice.post(&link, json!({ "userId": "1" })).await.code().1, "ALREADY_LINKED");
}

async fn the_expenses(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group, ids: &Ids) {
    let expenses = group.path("/expenses");
    for body in [
        json!({ "amount": "0.01", "description": "Gum", "category": "food" }),
        json!({ "amount": 5, "description": "Tea", "payerId": "1", "splits": [{ "userId": "2" }],
            "category": "other" }),
        json!({ "amount": 9, "description": "Hut", "currency": "TON", "splitType": "exact",
            "splits": [{ "userId": "1", "amount": "4.5" }, { "userId": "2", "amount": 4.5 }] }),
        json!({ "amount": 1e3, "description": "Car", "splitType": "percentage",
            "splits": [{ "userId": "1", "percentage": 33.3333 },
                { "userId": "2", "percentage": "66.6667" }] }),
    ] {
        bob.make(&expenses, body).await;
    }
    let page = alice.get(&format!("{expenses}?limit=2")).await;
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    alice.get(&format!("{expenses}?limit=100&cursor={cursor}")).await.data(200);
    other_splits(alice, &expenses).await;
    let expense = format!("{expenses}/{}", ids["expenseId"]);
    for body in [
        json!({ "amount": 40, "category": "travel" }),
        json!({ "description": "Late dinner", "payerId": "2", "category": null,
            "currency": "TON" }),
        json!({ "payerId": "1", "splitType": "percentage",
            "splits": [{ "userId": "1", "percentage": 50 },
                { "userId": "2", "percentage": "50" }] }),
    ] {
        alice.put(&expense, body).await.data(200);
    }
    let stale = alice.caller.put_if("\"0\"", &expense, json!({})).await;
    alice.document.check(&Method::PUT, &expense, None, &stale);
    assert_eq!(stale.code().1, "PRECONDITION_FAILED");
    assert_eq!(bob.call(Method::DELETE, &expense, None).await.code().1, "NOT_ALLOWED");
    alice.call(Method::DELETE, &expense, None).await.data(200);
    assert_eq!(alice.get(&expense).await.code().1, "EXPENSE_NOT_FOUND");
    alice.get(&format!("{expense}/history?limit=3")).await.data(200);
    alice.call(Method::POST, &format!("{expense}/restore"), None).await.data(200);
}

/// Schedules of all rules, one of which has a problem.
async fn the_schedules(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group) {
    let schedules = group.path("/schedules");
    let tea = |more: Value| {
        let mut tea =
            json!({ "amount": "2.50", "description": "Tea", "notes": "Green", "category": "food" });
        tea.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tea
    };
    for body in [
        json!({ "expense": tea(json!({})),
            "repeat": { "every": "day", "interval": 3, "count": 2 } }),
        json!({ "expense": tea(json!({ "splitType": "equal" })),
            "repeat": { "every": "year", "until": "2030-01-01" } }),
        json!({ "expense": tea(json!({})), "repeat": { "every": "week" }, "sharedBy": "everyone" }),
        json!({ "expense": { "description": "Bill", "splitType": "itemized",
            "items": [{ "name": "A", "amount": 4 }] },
                "repeat": { "every": "month", "start": "2026-01-31", "timeZone": "+03:00" } }),
    ] {
        alice.make(&schedules, body).await;
    }
    let guest = group.guest(0, "Uncle").await;
    let of_guest =
        json!({ "expense": tea(json!({ "payerId": guest })), "repeat": { "every": "day" } });
    let path = format!("{schedules}/{}", bob.make(&schedules, of_guest).await);
    bob.call(Method::DELETE, &group.path(&format!("/members/{guest}")), None).await.data(200);
    fracti_keeper::keep(&group.api.table, &group.api.app.clock, None).await.unwrap();
    assert_eq!(alice.get(&path).await.data(200)["problem"]["path"], "expense.payerId");
    for body in [
        json!({ "expense": { "payerId": "1", "category": null, "splits": [{ "userId": "2" }] },
            "paused": false }),
        json!({ "skips": ["2026-01-17"], "paused": true }),
        json!({ "repeat": { "every": "week", "interval": "2" }, "sharedBy": "default" }),
    ] {
        alice.put(&path, body).await.data(200);
    }
    alice.get(&format!("{schedules}?limit=2")).await.data(200);
    alice.call(Method::DELETE, &path, None).await.data(200);
    assert_eq!(alice.get(&path).await.code().1, "SCHEDULE_NOT_FOUND");
}

/// Requests and responses with weights, adjustments and the lines of a receipt.
async fn other_splits(alice: &Reader<'_>, expenses: &str) {
    for body in [
        json!({ "amount": -20, "description": "Deposit", "splitType": "shares",
            "splits": [{ "userId": "1", "weight": 1.5 }, { "userId": "2", "weight": "2" }] }),
        json!({ "amount": 60, "description": "Taxi", "splitType": "adjustment",
            "splits": [{ "userId": "1", "adjustment": "-7.5" }, { "userId": "2" }] }),
    ] {
        alice.make(expenses, body).await;
    }
    let receipt = json!({ "description": "Luigi's", "amount": "38.15", "splitType": "itemized",
        "items": [
        { "name": "Wine", "rest": true, "quantity": 2, "price": "7.75" },
        { "kind": "item", "name": "Pizza", "amount": 12, "sharers": [{ "userId": "1" }] },
        { "name": "Salad", "amount": "7.20",
            "sharers": [{ "userId": "1", "weight": 2 }, { "userId": "2", "weight": "0.5" }] },
        { "kind": "tax", "name": "Service", "amount": 3.45, "over": [0, 1], "split": "equal" },
        { "kind": "discount", "name": "Coupon", "amount": 1, "split": "proportional" },
        { "kind": "tip", "name": "Tip", "amount": 1, "sharers": [{ "userId": "2" }] },
    ] });
    let receipt = format!("{expenses}/{}", alice.make(expenses, receipt).await);
    alice.get(&format!("{receipt}/breakdown")).await.data(200);
    let items =
        json!([{ "name": "All", "amount": 9 }, { "kind": "fee", "name": "Box", "amount": 1 }]);
    alice.put(&receipt, json!({ "items": items })).await.data(200);
    let payers = json!([{ "userId": "1", "amount": "12.50" }, { "userId": "2" }]);
    let shared = json!({ "amount": 20, "description": "Taxi", "payers": payers });
    let shared = format!("{expenses}/{}", alice.make(expenses, shared).await);
    let payers = json!([{ "userId": "1", "amount": 0 }, { "userId": "2", "amount": -20 }]);
    alice.put(&shared, json!({ "amount": -20, "payers": payers })).await.data(200);
    let payers = json!([{ "userId": "2", "amount": -5 }, { "userId": "1", "amount": -15 }]);
    alice.put(&shared, json!({ "payers": payers })).await.data(200);
    alice.get(expenses).await.data(200);
}

async fn the_questions(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group, ids: &Ids) {
    let at = |id: &str, rest: &str| group.path(&format!("/questions/{id}{rest}"));
    let receipt = &*ids["questionId"];
    let text = &*ids["textId"];
    let claim = json!({ "items": [{ "item": 1, "count": "1.5" }], "confidence": 5 });
    bob.put(&at(receipt, "/claims"), claim.clone()).await.data(200);
    let apply = at(receipt, "/apply");
    let unclaimed = alice.post(&apply, json!({})).await;
    assert_eq!(unclaimed.code().1, "ITEMS_UNCLAIMED");
    let by_claimers = json!({ "unclaimed": "claimers" });
    let expense = alice.post(&apply, by_claimers.clone()).await.data(200).clone();
    assert_eq!(bob.put(&at(receipt, "/claims"), claim).await.code().1, "QUESTION_CLOSED");
    alice.get(&at(receipt, "")).await.data(200);
    let expense = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    alice.call(Method::DELETE, &expense, None).await.data(200);
    assert_eq!(alice.post(&apply, by_claimers).await.code().1, "ALREADY_APPLIED");
    let answer = json!({ "answer": "At eight." });
    bob.post(&at(text, "/answers"), answer.clone()).await.data(201);
    let again = bob.post(&at(text, "/answers"), answer).await;
    assert_eq!(again.code().1, "ALREADY_ANSWERED");
    let unknown = bob.get(&at("0190a1b2-0000-7000-8000-000000000001", "")).await;
    assert_eq!(unknown.code().1, "QUESTION_NOT_FOUND");
    let choice = json!({ "type": "multiple_choice", "prompt": "Tea?", "options": ["Yes", "No"],
        "audience": ["2"], "requiredResponses": "1", "timeoutSeconds": 60 });
    let choice = alice.make(&group.path("/questions"), choice).await;
    let chosen = json!({ "selectedOption": 1, "userId": "2", "responseTimeMs": 5 });
    bob.post(&at(&choice, "/answers"), chosen).await.data(201);
    bob.get(&at(&choice, "")).await.data(200);
    bob.get("/api/users/me/answers").await.data(200);
}

async fn the_funds(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group, ids: &Ids) {
    let of = |rest: &str| format!("/api/users/me/funds{rest}");
    let report = json!({ "fund": "cash", "currency": "EUR", "amount": "40.50" });
    let credit = |fund: &str, ref_id: &str| {
        json!({ "fund": fund, "currency": "EUR", "amount": "40.50",
            "refId": ref_id })
    };
    alice.post(&of("/credits"), credit("credit", "gift")).await.data(201);
    let used = alice.post(&of("/credits"), credit("cash", "gift")).await;
    assert_eq!(used.code().1, "REFERENCE_USED");
    let of_nobody = "/api/users/4711/funds/credits";
    let unknown = alice.post(of_nobody, credit("cash", "y")).await;
    assert_eq!(unknown.code().1, "USER_NOT_FOUND");
    for _ in 0..5 {
        bob.post(&of("/credits"), report.clone()).await.data(201);
    }
    let sixth = bob.post(&of("/credits"), report.clone()).await;
    assert_eq!(sixth.code().1, "LIMIT_REACHED");
    let correction = json!({ "type": "correction", "fund": "credit", "currency": "EUR",
        "amount": 1, "refId": "z", "description": "x" });
    alice.post(&of("/debits"), correction).await.data(201);
    let cash_out = of(&format!("/transactions/{}", ids["transactionId"]));
    alice.post(&format!("{cash_out}/void"), json!({})).await.data(200);
    let over = alice.post(&format!("{cash_out}/capture"), json!({ "refId": "w" })).await;
    assert_eq!(over.code().1, "TRANSACTION_FINAL");
    let none = of("/transactions/0190a1b2-0000-7000-8000-000000000001");
    assert_eq!(alice.get(&none).await.code().1, "TRANSACTION_NOT_FOUND");
    let pay = |more: Value| {
        let mut body = json!({ "toId": "2", "amount": 9, "currency": "EUR", "payFrom": "funds" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let settlements = group.path("/settlements");
    bob.put(&of(""), json!({ "currency": "EUR", "accepts": false })).await.data(200);
    let now = alice.post(&settlements, pay(json!({ "payNow": true }))).await;
    assert_eq!(now.code().1, "NOT_ACCEPTED");
    let short = alice.post(&settlements, pay(json!({ "amount": 999 }))).await;
    assert_eq!(short.code().1, "INSUFFICIENT_FUNDS");
    let parts = json!({ "amount": 200, "allowExternal": true });
    let parts = alice.make(&settlements, pay(parts)).await;
    let parts = group.path(&format!("/settlements/{parts}"));
    bob.put(&parts, json!({ "status": "failed" })).await.data(200);
    let held = pay(json!({ "holdUntil": "2026-02-01T00:00:00Z" }));
    let held = alice.make(&settlements, held).await;
    let held = group.path(&format!("/settlements/{held}"));
    let funded = alice.put(&held, json!({ "txHash": "ab".repeat(32) })).await;
    assert_eq!(funded.code().1, "ALREADY_FUNDED");
    bob.put(&held, json!({ "status": "completed" })).await.data(200);
    bob.get(&of("?detail=true&currency=EUR")).await.data(200);
    alice.get(&of("/transactions")).await.data(200);
}

/// Files of another app are imported; returns the id of the import that is not undone.
async fn the_import(alice: &Reader<'_>, group: &Group) -> String {
    let import = group.path("/import");
    let file = "Date,Description,Category,Cost,Currency,Alice,Bob\n\n\
        2025-12-30,Tea,General,3.00,EUR,1.50,-1.50\n";
    let form = json!({ "file": file, "options": { "members": { "Bob": "2" } } });
    alice.post(&import, form).await.data(200);
    let file = splitwise(&["A", "B"], &[("2026-01-01", "General", "Tea", "EUR", vec![100, -100])]);
    let members = json!({ "A": "1", "B": "2" });
    let commit = json!({ "commit": true, "members": members });
    let done = alice.post(&import, json!({ "file": file, "options": commit })).await;
    let later = file.replace("Tea", "Coffee");
    let plan = alice.post(&import, json!({ "file": later })).await;
    let confirm = &plan.data(200)["differences"]["confirm"];
    let refused = alice.post(&import, json!({ "file": later, "options": commit })).await;
    assert_eq!(refused.code().1, "IMPORT_DIFFERS");
    let confirmed = json!({ "commit": true, "members": members, "confirm": confirm });
    let confirmed = alice.post(&import, json!({ "file": later, "options": confirmed })).await;
    let undone = format!("{import}/{}", confirmed.data(200)["importId"].as_str().unwrap());
    alice.call(Method::DELETE, &undone, None).await.data(200);
    let unknown = format!("{import}/0190a1b2-0000-7000-8000-000000000001");
    assert_eq!(alice.get(&unknown).await.code().1, "IMPORT_NOT_FOUND");
    for query in ["", "?limit=1", "?format=csv&limit=1"] {
        let reply = alice.get(&group.path(&format!("/export{query}"))).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    done.data(200)["importId"].as_str().unwrap().to_owned()
}

async fn the_ledger(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group) {
    let entries = group.path("/ledger/entries");
    let opening = json!({ "entryId": "opening", "note": "From the old app",
        "changes": [{ "userId": "1", "amount": "2.50" },
            { "userId": "2", "currency": "EUR", "amount": -2.5 }] });
    let poor = json!({ "entryId": "poor", "changes": opening["changes"],
        "condition": { "userId": "2", "balanceAtLeast": "1e3" } });
    bob.post(&entries, json!({ "entries": [opening, poor] })).await.data(200);
    for query in ["", "?userId=1", "?from=2026-01-01&to=2026-01-15T13:00:00Z"] {
        alice.get(&format!("{entries}{query}")).await.data(200);
    }
    assert_eq!(alice.get(&format!("{entries}/closing")).await.code().1, "ENTRY_NOT_FOUND");
    for query in ["", "?at=2026-01-15T11:00:00.000Z&userId=1"] {
        alice.get(&group.path(&format!("/ledger/balance{query}"))).await.data(200);
    }
    let names = json!({ "entryIds": ["opening"] });
    alice.call(Method::DELETE, &entries, Some(names.clone())).await.data(200);
    alice.post(&format!("{entries}/revert"), names).await.data(200);
    alice.get(&group.path("/debts?verify=true")).await.data(200);
}

/// Settlements with and without a transaction; returns the id of one with it.
async fn the_settlements(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group) -> String {
    let settlements = group.path("/settlements");
    let paid = json!({ "fromId": "1", "toId": "2", "amount": 2 });
    let paid = bob.make(&settlements, paid).await;
    let id = json!({ "toId": "2", "amount": "1.50", "txHash": HASH });
    let id = alice.make(&settlements, id).await;
    let same = json!({ "fromId": "1", "toId": "2", "amount": "1.50" });
    assert_eq!(bob.post(&settlements, same).await.code().1, "PAYMENT_PENDING");
    let paid = format!("{settlements}/{paid}");
    let sent = format!("{settlements}/{id}");
    for hash in [HASH, HASH_BASE64, HASH_BASE64.trim_end_matches('=')] {
        alice.put(&sent, json!({ "txHash": hash, "status": "completed" })).await.data(200);
    }
    let again = json!({ "toId": "2", "amount": 1, "txHash": HASH });
    assert_eq!(alice.post(&settlements, again).await.code().1, "TX_HASH_USED");
    let pending = json!({ "status": "pending" });
    assert_eq!(bob.put(&paid, pending.clone()).await.code().1, "SETTLEMENT_FINAL");
    bob.put(&sent, pending).await.data(200);
    let unknown = sent.replace("/settlements/0", "/settlements/1");
    assert_eq!(alice.get(&unknown).await.code().1, "SETTLEMENT_NOT_FOUND");
    id
}

async fn the_tokens(alice: &Reader<'_>, group: &str) {
    const TOKENS: &str = "/api/users/me/tokens";
    let new = json!({ "name": "Phone", "scopes": ["read"], "groupId": group,
        "expiresAt": "2099-12-31T00:00:00Z" });
    let created = alice.post(TOKENS, new.clone()).await;
    let token = Reader { document: alice.document, caller: alice.caller.with_token(&created) };
    token.get(&format!("/api/groups/{group}")).await.data(200);
    let replayed = json!({ "name": "Phone", "scopes": ["write"] });
    for _ in 0..2 {
        let reply = alice.caller.post_once("token", TOKENS, replayed.clone()).await;
        alice.document.check(&Method::POST, TOKENS, Some(&replayed), &reply);
    }
    let spent = token.post(&format!("/api/groups/{group}/expenses"), json!({})).await;
    assert_eq!(spent.code().1, "INSUFFICIENT_SCOPE");
    let other = format!("{TOKENS}/0190a1b2-0000-7000-8000-000000000001");
    assert_eq!(token.call(Method::DELETE, &other, None).await.code().1, "NOT_ALLOWED");
    assert_eq!(alice.call(Method::DELETE, &other, None).await.code().1, "TOKEN_NOT_FOUND");
    let own = format!("{TOKENS}/{}", created.data(201)["id"].as_str().unwrap());
    token.call(Method::DELETE, &own, None).await.data(200);
    let revoked = token.get(&format!("/api/groups/{group}")).await;
    assert_eq!(revoked.code().1, "TOKEN_REVOKED");
    for _ in 0..18 {
        alice.post(TOKENS, json!({ "name": "x", "scopes": ["read", "write"] })).await.data(201);
    }
    assert_eq!(alice.post(TOKENS, new).await.code().1, "TOO_MANY_TOKENS");
}

async fn the_targets(alice: &Reader<'_>) {
    let targets = "/api/users/me/targets";
    let registry = json!({ "pets": { "unit": "EUR", "label": "Pets", "target": "50" } });
    let body = json!({ "version": 1, "period": "month", "currency": "EUR", "timeZone": "+01:00",
        "total": 900, "food": "300.50", "registry": registry });
    alice.call(Method::PATCH, targets, Some(body)).await.data(200);
    let stale = json!({ "version": 1, "rent": 1 });
    let stale = alice.call(Method::PATCH, targets, Some(stale)).await;
    assert_eq!(stale.code().1, "VERSION_CONFLICT");
}

async fn the_spendings(alice: &Reader<'_>) {
    let spendings = "/api/users/me/spendings";
    let coffee = json!({ "title": "Coffee", "emoji": "☕", "amount": "3.50", "currency": "EUR",
        "category": "food", "notes": "With oat milk", "spentAt": "2026-01-15T08:00:00Z" });
    let coffee = format!("{spendings}/{}", alice.make(spendings, coffee).await);
    let vet = json!({ "title": "Vet", "amount": 60, "categories": { "pets": 50, "health": "9.5" },
        "userDate": "2026-01-14", "registrySnapshot": ["pets"] });
    alice.make(spendings, vet).await;
    alice.get(&coffee).await.data(200);
    alice.put(&coffee, json!({ "amount": 4, "emoji": null, "notes": null })).await.data(200);
    alice.call(Method::POST, "/api/users/me/days/rebuild", None).await.data(200);
    alice.call(Method::DELETE, &coffee, None).await.data(200);
    assert_eq!(alice.get(&coffee).await.code().1, "SPENDING_NOT_FOUND");
}

/// Members leave, are removed and come back; a group is updated, archived and opened from a chat.
async fn leaving_and_archiving(alice: &Reader<'_>, bob: &Reader<'_>, group: &Group) {
    let dave = Reader { document: alice.document, caller: group.api.user(4, "Dave") };
    let [join, leave, dave_in_it] = ["/join", "/leave", "/members/4"].map(|it| group.path(it));
    assert_eq!(bob.call(Method::POST, &leave, None).await.code().1, "NOT_SETTLED");
    dave.post(&join, json!({})).await.data(200);
    dave.call(Method::POST, &leave, None).await.data(200);
    assert_eq!(dave.call(Method::POST, &leave, None).await.code().1, "LEFT");
    alice.get(&group.path("?include=past")).await.data(200);
    alice.call(Method::DELETE, &dave_in_it, None).await.data(200);
    assert_eq!(dave.post(&join, json!({})).await.code().1, "REMOVED");
    let unknown = alice.call(Method::DELETE, &group.path("/members/5"), None).await;
    assert_eq!(unknown.code().1, "MEMBER_NOT_FOUND");
    alice.call(Method::POST, &format!("{dave_in_it}/restore"), None).await.data(200);
    dave.call(Method::POST, &leave, None).await.data(200);

    let path = &group.path("");
    let patch = |body| alice.call(Method::PATCH, path, Some(body));
    patch(json!({ "title": "Andes", "archived": true })).await.data(200);
    assert_eq!(patch(json!({ "currency": "USD" })).await.code().1, "GROUP_ARCHIVED");
    patch(json!({ "archived": false })).await.data(200);
    let other = alice.make("/api/groups", json!({ "title": "🏔", "chatId": "5" })).await;
    alice.get("/api/groups?archived=true&chatId=5").await.data(200);
    assert_eq!(alice.call(Method::DELETE, path, None).await.code().1, "NOT_ALONE");
    alice.call(Method::DELETE, &format!("/api/groups/{other}"), None).await.data(200);

    assert_eq!(alice.post("/api/groups/open", json!({})).await.code().1, "NO_CHAT");
    for (reader, status) in [(alice, 201), (bob, 200)] {
        let reader = Reader { document: reader.document, caller: reader.caller.in_chat("-7") };
        reader.post("/api/groups/open", json!({ "title": "Chat" })).await.data(status);
    }
    let in_chat = Reader { document: alice.document, caller: alice.caller.in_chat("-7") };
    let taken = in_chat.post("/api/groups/open", json!({ "groupId": group.id })).await;
    assert_eq!(taken.code().1, "CHAT_TAKEN");
}

/// Sends the requests that must be refused.
async fn refusals(alice: &Reader<'_>, group: &Group) {
    let document = alice.document;
    let groups = "/api/groups";
    let reader = |caller| Reader { document, caller };
    let nobody = reader(alice.caller.with(None));
    let eve = reader(group.api.user(9, "Eve"));
    let group = group.path("");
    let unknown = group.replace("/0", "/1");
    for (reader, path, code) in [
        (&nobody, groups, "NO_CREDENTIALS"),
        (&eve, &*group, "NOT_A_MEMBER"),
        (alice, &unknown, "GROUP_NOT_FOUND"),
        (alice, "/api/groups/7", "VALIDATION_ERROR"),
        (alice, "/api/groups?limit=101", "VALIDATION_ERROR"),
        (alice, "/api/groups?cursor=x", "INVALID_CURSOR"),
    ] {
        assert_eq!(reader.get(path).await.code().1, code, "{path}");
    }
    let api = &alice.caller.api;
    for (hours, code) in [(-25, "SIGN_IN_AGAIN"), (25, "CLOCK"), (0, "WRONG_BOT")] {
        let at = api.now().millis().checked_add_signed(hours * 3_600_000).unwrap();
        let bot = if hours == 0 { "43:other" } else { TOKEN };
        let at = Timestamp::from_millis(at).unwrap();
        let init_data = telegram::sign(&alice.caller.user, bot, at);
        let caller = alice.caller.with(Some(("authorization", format!("tma {init_data}"))));
        assert_eq!(Reader { document, caller }.get(groups).await.code().1, code);
    }
    let init_data = telegram::sign(&alice.caller.user, TOKEN, api.now());
    let doubled = Some(("authorization", format!("tma {init_data}&auth_date=1")));
    let caller = alice.caller.with(doubled);
    let doubled = Reader { document, caller }.get(groups).await;
    assert_eq!(doubled.code().1, "INVALID_INIT_DATA");
    let two = alice.caller.request(Method::GET, groups).header("x-telegram-init-data", "x");
    let reply = api.send(two.body(Body::empty()).unwrap()).await;
    assert_eq!(reply.code().1, "AMBIGUOUS_CREDENTIALS");
    document.check(&Method::GET, groups, None, &reply);
    let limited = alice.caller.with_quotas(quotas(1, 1));
    let limited = Reader { document, caller: limited };
    for code in ["", "RATE_LIMITED"] {
        assert_eq!(limited.get(groups).await.code().1, code);
    }
    let crowd = json!({ "title": "Party", "chatId": 1 });
    let crowd = format!("{groups}/{}", alice.make(groups, crowd).await);
    for id in 2..47 {
        let guest = alice.caller.api.user(id, "Guest");
        guest.post(&format!("{crowd}/join"), json!({})).await.data(200);
    }
    let shared = json!({ "amount": 100, "description": "Party" });
    assert_eq!(alice.post(&format!("{crowd}/expenses"), shared).await.code().1, "TOO_MANY_SPLITS");
    for body in ["{".to_owned(), "x".repeat(65 * 1024)] {
        let reply = alice.caller.post_text(groups, &body).await;
        document.check(&Method::POST, groups, None, &reply);
    }
    let plain = alice.caller.request(Method::POST, groups).body(Body::from("x")).unwrap();
    document.check(&Method::POST, groups, None, &alice.caller.api.send(plain).await);
    for (title, replayed) in [("x", None), ("x", Some("true")), ("y", None)] {
        let body = json!({ "title": title, "chatId": 1 });
        let reply = alice.caller.post_once("key", groups, body.clone()).await;
        assert_eq!(reply.header("idempotent-replayed"), replayed);
        document.check(&Method::POST, groups, Some(&body), &reply);
    }
}

#[tokio::test]
async fn null_in_an_optional_field_equals_leaving_it_out() {
    let api = Api::new().await;
    let document = Document::served();
    let alice = api.user(1, "Alice");
    let bob = api.user(2, "Bob");
    let with_nulls = |schema: &str, mut body: Value| {
        let schema = &document.json["components"]["schemas"][schema];
        let nulls = schema["properties"].as_object().unwrap().iter();
        for (field, _) in nulls.filter(|(_, schema)| schema["anyOf"].is_null()) {
            let body = body.as_object_mut().unwrap();
            body.entry(field).or_insert(Value::Null);
        }
        body
    };
    let group = with_nulls("CreateGroup", json!({ "title": "Alps", "chatId": 1 }));
    let group = alice.post("/api/groups", group).await;
    let group = format!("/api/groups/{}", group.data(201)["id"].as_str().unwrap());
    bob.post(&format!("{group}/join"), with_nulls("JoinGroup", json!({}))).await.data(200);

    let expenses = format!("{group}/expenses");
    let new = with_nulls("CreateExpense", json!({ "amount": 9, "description": "Tea" }));
    let made = alice.post(&expenses, new).await;
    let made = made.data(201).clone();
    assert_eq!((&made["currency"], &made["splitType"]), (&json!("TON"), &json!("equal")));
    let expense = format!("{expenses}/{}", made["id"].as_str().unwrap());
    let edit = with_nulls("EditExpense", json!({ "description": "Two teas" }));
    let edited = alice.put(&expense, edit).await;
    let mut expected = made;
    expected["description"] = json!("Two teas");
    expected["updatedAt"] = edited.data(200)["updatedAt"].clone();
    assert_eq!(*edited.data(200), expected);

    let settlements = format!("{group}/settlements");
    let new = with_nulls("CreateSettlement", json!({ "toId": "1", "amount": 1 }));
    let settlement = bob.post(&settlements, new).await;
    let settlement = format!("{settlements}/{}", settlement.data(201)["id"].as_str().unwrap());
    let done = with_nulls("UpdateSettlement", json!({ "status": "completed" }));
    assert_eq!(alice.put(&settlement, done).await.data(200)["status"], "completed");

    let change = |user: &str, amount: i8| {
        with_nulls("PushChange", json!({ "userId": user, "amount": amount }))
    };
    let entry = json!({ "entryId": "opening", "changes": [change("1", 1), change("2", -1)] });
    let entries = json!({ "entries": [with_nulls("PushEntry", entry)] });
    let pushed = alice.post(&format!("{group}/ledger/entries"), entries).await;
    assert_eq!(pushed.data(200)["nonApplied"], json!([]));
}
