//! The order of checks: a request with several mistakes is refused for the first one, on all
//! endpoints alike.

use std::collections::BTreeSet;

use axum::{
    body::Body,
    http::{Method, header},
};
use fracti_http::openapi;
use serde_json::{Value, json};

use crate::harness::{Caller, FORM, Group, Reply};

/// The stages of checks, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Identity,
    Request,
    Group,
    Membership,
    Existence,
    Right,
    State,
    Precondition,
    Format,
    Syntax,
    Fields,
}

use Stage::{
    Existence, Fields, Format, Group as NoGroup, Identity, Membership, Precondition, Request,
    Right, State, Syntax,
};

/// An endpoint, with an invalid request for each of its stages.
struct Endpoint {
    operation: &'static str,
    /// The invalid bodies of each stage; they also have an unknown field.
    bodies: Vec<(Stage, Value)>,
    stages: &'static [Stage],
}

const ID: &str = "0190a1b2-0000-7000-8000-000000000001";

/// Every endpoint, with its own stages in addition to those that its path implies.
#[expect(clippy::too_many_lines, reason = "a table")]
fn endpoints() -> Vec<Endpoint> {
    let read = |operation| Endpoint { operation, bodies: Vec::new(), stages: &[] };
    let found = |operation| Endpoint { operation, bodies: Vec::new(), stages: &[Existence] };
    let sent =
        |operation, body, stages| Endpoint { operation, bodies: vec![(Fields, body)], stages };
    let body: &[Stage] = &[Format, Syntax, Fields];
    let reverts = || {
        vec![
            (Right, json!({ "entryIds": ["E"], "?": 1 })),
            (Fields, json!({ "entryIds": ["unknown"], "?": 1 })),
        ]
    };
    vec![
        read("GET /api/groups"),
        sent("POST /api/groups", json!({ "?": 1 }), body),
        read("POST /api/groups/open"),
        read("GET /api/groups/{groupId}"),
        sent("PATCH /api/groups/{groupId}", json!({ "?": 1 }), body),
        Endpoint {
            operation: "POST /api/groups/{groupId}/leave",
            bodies: Vec::new(),
            stages: &[State],
        },
        Endpoint {
            operation: "DELETE /api/groups/{groupId}/members/{memberId}",
            bodies: Vec::new(),
            stages: &[Existence, Right, State],
        },
        Endpoint {
            operation: "POST /api/groups/{groupId}/members/{memberId}/restore",
            bodies: vec![(Fields, json!({ "?": 1 }))],
            stages: &[Existence, Format, Syntax, Fields],
        },
        read("GET /api/groups/{groupId}/export"),
        sent("POST /api/groups/{groupId}/import", json!({ "?": 1 }), &[Format, Fields]),
        read("GET /api/groups/{groupId}/imports"),
        found("GET /api/groups/{groupId}/import/{importId}"),
        found("DELETE /api/groups/{groupId}/import/{importId}"),
        sent("POST /api/groups/{groupId}/join", json!({ "?": 1 }), body),
        Endpoint {
            operation: "POST /api/groups/{groupId}/members",
            bodies: vec![
                (State, json!({ "name": "GUEST", "?": 1 })),
                (Fields, json!({ "name": "new", "?": 1 })),
            ],
            stages: &[State, Format, Syntax, Fields],
        },
        Endpoint {
            operation: "PATCH /api/groups/{groupId}/members/{memberId}",
            bodies: vec![
                (State, json!({ "name": "a", "?": 1 })),
                (Fields, json!({ "name": "new", "?": 1 })),
            ],
            stages: &[Existence, Right, State, Format, Syntax, Fields],
        },
        Endpoint {
            operation: "POST /api/groups/{groupId}/members/{memberId}/link",
            bodies: Vec::new(),
            stages: &[Existence, Right],
        },
        sent("PUT /api/groups/{groupId}/wallet", json!({ "?": 1 }), body),
        read("GET /api/groups/{groupId}/expenses"),
        sent("POST /api/groups/{groupId}/expenses", json!({ "?": 1 }), body),
        found("GET /api/groups/{groupId}/expenses/{expenseId}"),
        Endpoint {
            operation: "PUT /api/groups/{groupId}/expenses/{expenseId}",
            bodies: vec![(Fields, json!({ "amount": -1, "?": 1 }))],
            stages: &[Existence, Right, Precondition, Format, Syntax, Fields],
        },
        Endpoint {
            operation: "DELETE /api/groups/{groupId}/expenses/{expenseId}",
            bodies: Vec::new(),
            stages: &[Existence, Right, Precondition],
        },
        Endpoint {
            operation: "POST /api/groups/{groupId}/expenses/{expenseId}/restore",
            bodies: vec![(Fields, json!({ "?": 1 }))],
            stages: &[Existence, Right, Format, Syntax, Fields],
        },
        found("GET /api/groups/{groupId}/expenses/{expenseId}/history"),
        found("GET /api/groups/{groupId}/expenses/{expenseId}/breakdown"),
        read("GET /api/groups/{groupId}/debts"),
        read("GET /api/groups/{groupId}/settlements"),
        Endpoint {
            operation: "POST /api/groups/{groupId}/settlements",
            bodies: vec![
                (Right, json!({ "fromId": "1", "toId": "2", "amount": -1, "?": 1 })),
                (Fields, json!({ "amount": -1, "?": 1 })),
            ],
            stages: &[Right, Format, Syntax, Fields],
        },
        found("GET /api/groups/{groupId}/settlements/{settlementId}"),
        Endpoint {
            operation: "PUT /api/groups/{groupId}/settlements/{settlementId}",
            bodies: vec![
                (State, json!({ "status": "failed", "txHash": "?", "?": 1 })),
                (Fields, json!({ "status": "completed", "txHash": "?", "?": 1 })),
            ],
            stages: &[Existence, Right, State, Precondition, Format, Syntax, Fields],
        },
        read("GET /api/groups/{groupId}/ledger/balance"),
        read("GET /api/groups/{groupId}/ledger/entries"),
        sent("POST /api/groups/{groupId}/ledger/entries", json!({ "?": 1 }), body),
        Endpoint {
            operation: "DELETE /api/groups/{groupId}/ledger/entries",
            bodies: reverts(),
            stages: &[Right, Format, Syntax, Fields],
        },
        Endpoint {
            operation: "POST /api/groups/{groupId}/ledger/entries/revert",
            bodies: reverts(),
            stages: &[Right, Format, Syntax, Fields],
        },
        found("GET /api/groups/{groupId}/ledger/entries/{entryId}"),
        read("GET /api/groups/{groupId}/ledger/days"),
        read("GET /api/groups/{groupId}/stats"),
        read("GET /api/users/me"),
        read("GET /api/users/me/groups"),
        read("GET /api/users/me/expenses"),
        read("GET /api/users/me/debts"),
        read("GET /api/users/me/settlements"),
        read("GET /api/users/me/activity"),
        read("GET /api/users/me/summary"),
        read("GET /api/users/me/targets"),
        read("GET /api/users/me/usage"),
        read("GET /api/users/me/tokens"),
        sent("POST /api/users/me/tokens", json!({ "?": 1 }), body),
        found("DELETE /api/users/me/tokens/{tokenId}"),
        read("GET /api/users/me/days"),
        read("GET /api/users/me/days/{date}"),
        sent("POST /api/users/me/days/rebuild", json!({ "?": 1 }), body),
        read("GET /api/users/me/spendings"),
        sent("POST /api/users/me/spendings", json!({ "?": 1 }), body),
        found("GET /api/users/me/spendings/{spendingId}"),
        Endpoint {
            operation: "PUT /api/users/me/spendings/{spendingId}",
            bodies: vec![(Fields, json!({ "amount": -1, "?": 1 }))],
            stages: &[Existence, Precondition, Format, Syntax, Fields],
        },
        Endpoint {
            operation: "DELETE /api/users/me/spendings/{spendingId}",
            bodies: Vec::new(),
            stages: &[Existence, Precondition],
        },
        Endpoint {
            operation: "PATCH /api/users/me/targets",
            bodies: vec![
                (State, json!({ "version": 7, "?": 1 })),
                (Fields, json!({ "version": 1, "?": 1 })),
            ],
            stages: &[State, Format, Syntax, Fields],
        },
    ]
}

/// User 1 paid an expense and received a completed settlement of 2; 3 is a member, and 9 is not.
struct Scene {
    group: Group,
    expense: String,
    settlement: String,
    guest: String,
    spending: String,
}

impl Scene {
    async fn new() -> Self {
        let group = Group::new(3, "EUR").await;
        let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
        let expense = id(&group.spend(0, json!({ "amount": 9 })).await);
        let settlement = id(&group.pay(1, 0, "3").await);
        let guest = group.guest(0, "Guest").await;
        let tea = json!({ "title": "Tea", "amount": 1, "currency": "EUR" });
        let tea = group.members[0].post("/api/users/me/spendings", tea).await;
        let spending = id(tea.data(201));
        Self { group, expense, settlement, guest, spending }
    }

    /// A request that is valid before `stage`, and invalid in it and all later ones.
    async fn send(&self, endpoint: &Endpoint, stage: Stage) -> Reply {
        let (method, template) = endpoint.operation.split_once(' ').unwrap();
        let wrong = |at: Stage| stage <= at;
        let id = |right: &str, at| if wrong(at) { ID.to_owned() } else { right.to_owned() };
        let mut path = template
            .replace("{groupId}", &id(&self.group.id, NoGroup))
            .replace("{expenseId}", &id(&self.expense, Existence))
            .replace("{settlementId}", &id(&self.settlement, Existence))
            .replace("{date}", "2026-01-15")
            .replace(
                "{spendingId}",
                if wrong(Existence) { "2026-01-15T12:00:00.000Z~0" } else { &self.spending },
            )
            .replace(
                "{memberId}",
                match stage {
                    _ if wrong(Existence) => "77",
                    Right => "2",
                    State if method == "DELETE" => "3",
                    _ => &self.guest,
                },
            )
            .replace("{tokenId}", ID)
            .replace("{importId}", ID)
            .replace("{entryId}", if wrong(Existence) { "unknown" } else { "known" });
        if wrong(Request) {
            path.push_str("?offset=1");
        }
        let alice = &self.group.members[0];
        let caller: Caller = match stage {
            Identity => alice.with(None),
            Request | NoGroup | Membership => self.group.api.user(9, "Eve"),
            Existence | Right => self.group.members[2].clone(),
            _ => alice.clone(),
        };
        let mut request = caller.request(method.parse::<Method>().unwrap(), &path);
        if wrong(Precondition) {
            request = request.header(header::IF_MATCH, "\"stale\"");
        }
        // A stage that depends on fields needs a readable body.
        let body = match endpoint.bodies.iter().find(|(of, _)| *of == stage) {
            Some((_, body)) => body.to_string().replace("\"E\"", &json!(self.expense).to_string()),
            None if endpoint.bodies.is_empty() => String::new(),
            None => "{".to_owned(),
        };
        let format = match stage {
            Fields if endpoint.operation.ends_with("/import") => FORM,
            _ if body == "{" && wrong(Format) => "text/plain",
            _ => "application/json",
        };
        let request = request.header(header::CONTENT_TYPE, format);
        self.group.api.send(request.body(Body::from(body)).unwrap()).await
    }
}

/// The expected refusal of a stage.
fn refusal(endpoint: &Endpoint, stage: Stage) -> (u16, &'static str) {
    match stage {
        Identity => (401, "UNAUTHORIZED"),
        Request | Fields => (400, "VALIDATION_ERROR"),
        NoGroup => (404, "GROUP_NOT_FOUND"),
        Membership => (403, "NOT_A_MEMBER"),
        Existence if endpoint.operation.contains("{expenseId}") => (404, "EXPENSE_NOT_FOUND"),
        Existence if endpoint.operation.contains("{memberId}") => (404, "MEMBER_NOT_FOUND"),
        Existence if endpoint.operation.contains("{settlementId}") => (404, "SETTLEMENT_NOT_FOUND"),
        Existence if endpoint.operation.contains("{importId}") => (404, "IMPORT_NOT_FOUND"),
        Existence if endpoint.operation.contains("{tokenId}") => (404, "TOKEN_NOT_FOUND"),
        Existence if endpoint.operation.contains("{spendingId}") => (404, "SPENDING_NOT_FOUND"),
        Existence => (404, "ENTRY_NOT_FOUND"),
        Right => (403, "NOT_ALLOWED"),
        State if endpoint.operation.contains("{settlementId}") => (409, "SETTLEMENT_FINAL"),
        State if endpoint.bodies.is_empty() => (409, "NOT_SETTLED"),
        State if endpoint.operation.ends_with("/targets") => (409, "VERSION_CONFLICT"),
        State => (409, "NAME_TAKEN"),
        Precondition => (412, "PRECONDITION_FAILED"),
        Format => (415, "UNSUPPORTED_MEDIA_TYPE"),
        Syntax => (400, "INVALID_JSON"),
    }
}

#[tokio::test]
async fn every_endpoint_checks_a_request_in_the_same_order() {
    let scene = Scene::new().await;
    let document: Value = serde_json::from_str(openapi::DOCUMENT).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let operations: BTreeSet<String> = paths
        .flat_map(|(path, item)| {
            let with_identity = item.as_object().unwrap().iter();
            let with_identity =
                with_identity.filter(|(_, operation)| operation["security"].is_null());
            with_identity.map(move |(method, _)| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let table: BTreeSet<_> = endpoints().iter().map(|it| it.operation.to_owned()).collect();
    assert_eq!(table, operations);

    let before = scene.group.api.rows().await;
    for endpoint in endpoints() {
        let in_group = endpoint.operation.contains("{groupId}");
        let joins = endpoint.operation.ends_with("/join");
        let of_group = [(NoGroup, in_group), (Membership, in_group && !joins)];
        let of_group = of_group.into_iter().filter(|(_, has)| *has).map(|(stage, _)| stage);
        let stages = [Identity, Request].into_iter().chain(of_group);
        for stage in stages.chain(endpoint.stages.iter().copied()) {
            let reply = scene.send(&endpoint, stage).await;
            let place = format!("{} {stage:?}: {}", endpoint.operation, reply.text);
            assert_eq!(reply.code(), refusal(&endpoint, stage), "{place}");
        }
        assert_eq!(scene.group.api.rows().await, before, "{}", endpoint.operation);
    }
}

#[tokio::test]
async fn request_line_is_checked_before_membership() {
    let scene = Scene::new().await;
    let eve = scene.group.api.user(9, "Eve");
    let expenses = scene.group.path("/expenses");
    for (method, path, header, body, code) in [
        (Method::GET, format!("{expenses}/7"), None, 0, (400, "VALIDATION_ERROR")),
        (Method::GET, format!("{expenses}?limit=0"), None, 0, (400, "VALIDATION_ERROR")),
        (Method::GET, format!("{expenses}?cursor=x"), None, 0, (400, "INVALID_CURSOR")),
        (Method::POST, expenses.clone(), Some("a b"), 1, (400, "VALIDATION_ERROR")),
        (Method::POST, expenses.clone(), Some("a"), 65 * 1024, (413, "PAYLOAD_TOO_LARGE")),
        (Method::POST, expenses.clone(), Some("a"), 1, (403, "NOT_A_MEMBER")),
    ] {
        let mut request = eve.request(method, &path);
        if let Some(key) = header {
            request = request.header("idempotency-key", key);
        }
        let reply = eve.api.send(request.body(Body::from("x".repeat(body))).unwrap()).await;
        assert_eq!(reply.code(), code, "{path}: {}", reply.text);
    }
    // An idempotency key is looked up with the membership, before the body is compared.
    let alice = &scene.group.members[0];
    let spend = json!({ "amount": 1, "description": "x" });
    alice.post_once("key", &expenses, spend).await.data(201);
    let reply = alice.post_once("key", &expenses, json!({ "?": 1 })).await;
    assert_eq!(reply.code(), (422, "IDEMPOTENCY_KEY_REUSED"), "{}", reply.text);
}
