//! The order of checks: a request with several mistakes is refused for the first one, on all
//! endpoints alike.

use axum::{
    body::Body,
    http::{Method, header},
};
use fracti_tests::operations::{OPEN, Operation, operation, operations};
use serde_json::{Value, json};

use crate::harness::{Busy, Caller, FORM, Reply};

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

/// The stages of an operation beyond those that its path implies, with the invalid bodies of its
/// stages, which also have an unknown field.
type Column = (&'static [Stage], Vec<(Stage, Value)>);

const ID: &str = "0190a1b2-0000-7000-8000-000000000001";

/// The column of an operation. A read of one thing has only its existence.
fn column(operation: &Operation) -> Column {
    let body: &[Stage] = &[Format, Syntax, Fields];
    let unknown = || vec![(Fields, json!({ "?": 1 }))];
    let reverts = || {
        vec![
            (Right, json!({ "entryIds": ["$expenseId"], "?": 1 })),
            (Fields, json!({ "entryIds": ["unknown"], "?": 1 })),
        ]
    };
    let names = |taken: &str| {
        vec![(State, json!({ "name": taken, "?": 1 })), (Fields, json!({ "name": "new", "?": 1 }))]
    };
    let amount = || vec![(Fields, json!({ "amount": -1, "?": 1 }))];
    match operation.id {
        "openGroup" | "deleteInvitation" | "deleteWallet" | "deleteSubscription" => {
            (&[], Vec::new())
        }
        "createGroup" | "updateGroup" | "joinGroup" | "setWallet" | "createExpense"
        | "createSchedule" | "setSubscription" | "createInvitation" | "pushEntries"
        | "createToken" | "rebuildMyDays" | "createSpending" | "askQuestion" | "setAcceptance"
        | "checkFunds" => (body, unknown()),
        "answerQuestion" => {
            let of = |user: &str| json!({ "userId": user, "?": 1 });
            let bodies = vec![(Right, of("$alice")), (State, of("$memberId"))];
            (&[Existence, Right, State, Format, Syntax, Fields], [bodies, unknown()].concat())
        }
        "claimItems" => {
            let right = vec![(Right, json!({ "userId": "$alice", "?": 1 }))];
            (&[Existence, Right, Format, Syntax, Fields], [right, unknown()].concat())
        }
        "closeQuestion" | "applyReceipt" => {
            (&[Existence, Right, Format, Syntax, Fields], unknown())
        }
        "createBonus" => (&[Right, Format, Syntax, Fields], unknown()),
        "createFundCredit" => {
            let of_operator = json!({ "fund": "credit", "refId": "x", "?": 1 });
            (&[Right, Format, Syntax, Fields], [vec![(Right, of_operator)], unknown()].concat())
        }
        "createFundDebit" => {
            let of_operator = json!({ "type": "correction", "?": 1 });
            (&[Right, Format, Syntax, Fields], [vec![(Right, of_operator)], unknown()].concat())
        }
        // Only an operator learns whether it exists.
        "captureFundTransaction" => (&[Right, Existence, Format, Syntax, Fields], unknown()),
        "listFundWork" | "listFundTotals" => (&[Right], Vec::new()),
        "leaveGroup" => (&[State], Vec::new()),
        "deleteGroup" => (&[Right, State], Vec::new()),
        "removeMember" => (&[Existence, Right, State], Vec::new()),
        "restoreMember" | "voidFundTransaction" => {
            (&[Existence, Format, Syntax, Fields], unknown())
        }
        "importFile" => (&[Format, Fields], unknown()),
        "undoImport" | "deleteToken" | "linkGuest" | "withdrawLink" => (&[Existence], Vec::new()),
        "createGuest" => (&[State, Format, Syntax, Fields], names("Grandma")),
        "renameGuest" => (&[Existence, Right, State, Format, Syntax, Fields], names("a")),
        "editExpense" => (&[Existence, Right, Precondition, Format, Syntax, Fields], amount()),
        "editSchedule" => (&[Existence, Precondition, Format, Syntax, Fields], unknown()),
        "deleteExpense" => (&[Existence, Right, Precondition], Vec::new()),
        "restoreExpense" => (&[Existence, Right, Format, Syntax, Fields], unknown()),
        "createSettlement" => {
            let of_others = json!({ "fromId": "1", "toId": "2", "amount": -1, "?": 1 });
            (&[Right, Format, Syntax, Fields], [vec![(Right, of_others)], amount()].concat())
        }
        "updateSettlement" => {
            let becomes = |status: &str| json!({ "status": status, "txHash": "?", "?": 1 });
            let bodies = vec![(State, becomes("pending")), (Fields, becomes("completed"))];
            (&[Existence, Right, State, Precondition, Format, Syntax, Fields], bodies)
        }
        "revertEntries" | "revertEntriesByPost" => (&[Right, Format, Syntax, Fields], reverts()),
        "editSpending" => (&[Existence, Precondition, Format, Syntax, Fields], amount()),
        "deleteSchedule" | "deleteSpending" => (&[Existence, Precondition], Vec::new()),
        "updateTargets" => {
            let version = |version: u8| json!({ "version": version, "?": 1 });
            (&[State, Format, Syntax, Fields], vec![(State, version(7)), (Fields, version(1))])
        }
        id => {
            assert!(operation.reads(), "{id} has no column");
            let names = [
                "{expenseId}",
                "{scheduleId}",
                "{settlementId}",
                "{importId}",
                "{entryId}",
                "{spendingId}",
                "{questionId}",
                "{transactionId}",
            ];
            let finds = names.iter().any(|name| operation.route.contains(name));
            (if finds { &[Existence] } else { &[] }, Vec::new())
        }
    }
}

/// The busy group, with a settlement that is completed and an entry.
async fn scene() -> Busy {
    let mut busy = Busy::new().await;
    busy.group.members[0].perform(&operation("updateSettlement"), &busy.ids).await.data(200);
    let answer = json!({ "userId": "$memberId", "answer": "x" });
    let answer = operation("answerQuestion").sends(answer);
    busy.group.members[1].perform(&answer, &busy.ids).await.data(201);
    // No token and no import has its own stage before its existence.
    busy.ids.insert("tokenId", ID.to_owned());
    busy
}

/// A request that is valid before `stage`, and invalid in it and all later ones.
async fn send(busy: &Busy, operation: &Operation, (stage, bodies): (Stage, &Column)) -> Reply {
    let wrong = |at: Stage| stage <= at;
    let mut ids = busy.ids.clone();
    if wrong(NoGroup) {
        ids.insert("groupId", ID.to_owned());
    }
    if wrong(Existence) {
        let unknown = [("expenseId", ID), ("settlementId", ID), ("entryId", "unknown")];
        ids.insert("scheduleId", ID.to_owned());
        let questions = [("questionId", ID), ("textId", ID), ("transactionId", ID)];
        let others = [("spendingId", "2026-01-15T12:00:00.000Z~0"), ("memberId", "77")];
        ids.extend(
            unknown
                .into_iter()
                .chain(questions)
                .chain(others)
                .map(|(name, id)| (name, id.to_owned())),
        );
    } else if stage == Right {
        ids.insert("memberId", "2".to_owned());
    } else if stage == State && operation.method == Method::DELETE {
        ids.insert("memberId", "3".to_owned());
    }
    let operation = operation.clone().asks(if wrong(Request) { "offset=1" } else { "" });
    let alice = &busy.group.members[0];
    let caller: Caller = match stage {
        Identity => alice.with(None),
        Request | NoGroup | Membership => busy.group.api.user(9, "Eve"),
        Existence if operation.route.contains("/funds/") => alice.clone(),
        Existence | Right => busy.group.members[2].clone(),
        _ => alice.clone(),
    };
    let mut request = caller.request(operation.method.clone(), &operation.path(&ids));
    if wrong(Precondition) && bodies.0.contains(&Precondition) {
        request = request.header(header::IF_MATCH, "\"stale\"");
    }
    // A stage that depends on fields needs a readable body.
    let body = match bodies.1.iter().find(|(of, _)| *of == stage) {
        Some((_, body)) => operation.clone().sends(body.clone()).body(&busy.ids).to_string(),
        None if bodies.1.is_empty() => String::new(),
        None => "{".to_owned(),
    };
    let format = match stage {
        Fields if operation.id == "importFile" => FORM,
        _ if body == "{" && wrong(Format) => "text/plain",
        _ => "application/json",
    };
    let request = request.header(header::CONTENT_TYPE, format);
    busy.group.api.send(request.body(Body::from(body)).unwrap()).await
}

/// The expected refusal of a stage.
fn refusal(operation: &Operation, stage: Stage) -> (u16, &'static str) {
    let has = |name: &str| operation.route.contains(name);
    match stage {
        Identity => (401, "NO_CREDENTIALS"),
        Request | Fields => (400, "VALIDATION_ERROR"),
        NoGroup => (404, "GROUP_NOT_FOUND"),
        Membership => (403, "NOT_A_MEMBER"),
        Existence if has("{expenseId}") => (404, "EXPENSE_NOT_FOUND"),
        Existence if has("{memberId}") => (404, "MEMBER_NOT_FOUND"),
        Existence if has("{scheduleId}") => (404, "SCHEDULE_NOT_FOUND"),
        Existence if has("{settlementId}") => (404, "SETTLEMENT_NOT_FOUND"),
        Existence if has("{importId}") => (404, "IMPORT_NOT_FOUND"),
        Existence if has("{tokenId}") => (404, "TOKEN_NOT_FOUND"),
        Existence if has("{transactionId}") => (404, "TRANSACTION_NOT_FOUND"),
        Existence if has("{questionId}") => (404, "QUESTION_NOT_FOUND"),
        Existence if has("{spendingId}") => (404, "SPENDING_NOT_FOUND"),
        Existence => (404, "ENTRY_NOT_FOUND"),
        Right => (403, "NOT_ALLOWED"),
        State => match operation.id {
            "updateSettlement" => (409, "SETTLEMENT_FINAL"),
            "leaveGroup" | "removeMember" => (409, "NOT_SETTLED"),
            "deleteGroup" => (409, "NOT_ALONE"),
            "updateTargets" => (409, "VERSION_CONFLICT"),
            "answerQuestion" => (409, "ALREADY_ANSWERED"),
            _ => (409, "NAME_TAKEN"),
        },
        Precondition => (412, "PRECONDITION_FAILED"),
        Format => (415, "UNSUPPORTED_MEDIA_TYPE"),
        Syntax => (400, "INVALID_JSON"),
    }
}

#[tokio::test]
async fn every_endpoint_checks_a_request_in_the_same_order() {
    let busy = scene().await;
    let before = busy.group.api.rows().await;
    for operation in operations().into_iter().filter(|it| !OPEN.contains(&it.id)) {
        let column = column(&operation);
        let joins = operation.id == "joinGroup";
        let in_group = operation.is_of_group();
        let of_group = [(NoGroup, in_group), (Membership, in_group && !joins)];
        let of_group = of_group.into_iter().filter(|(_, has)| *has).map(|(stage, _)| stage);
        let stages = [Identity, Request].into_iter().chain(of_group);
        for stage in stages.chain(column.0.iter().copied()) {
            let reply = send(&busy, &operation, (stage, &column)).await;
            let place = format!("{} {stage:?}: {}", operation.id, reply.text);
            assert_eq!(reply.code(), refusal(&operation, stage), "{place}");
        }
        assert_eq!(busy.group.api.rows().await, before, "{}", operation.id);
    }
}

#[tokio::test]
async fn request_line_is_checked_before_membership() {
    let group = Busy::new().await.group;
    let eve = group.api.user(9, "Eve");
    let expenses = group.path("/expenses");
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
    let alice = &group.members[0];
    let spend = json!({ "amount": 1, "description": "x" });
    alice.post_once("key", &expenses, spend).await.data(201);
    let reply = alice.post_once("key", &expenses, json!({ "?": 1 })).await;
    assert_eq!(reply.code(), (422, "IDEMPOTENCY_KEY_REUSED"), "{}", reply.text);
}
