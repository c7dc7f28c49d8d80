//! Round trips to the table of each endpoint. Parallel requests are one round trip.

use std::num::NonZeroU32;

use axum::http::Method;
use fracti_http::Quotas;
use serde_json::{Value, json};

use crate::{
    harness::{Api, Busy, Caller, Group},
    import::splitwise,
    quotas::quotas,
};
use fracti_tests::operations::{Ids, OPEN, Operation, operation, operations};

#[tokio::test]
async fn every_endpoint_stays_within_its_round_trips() {
    let scene = Scene::new().await;
    scene.assert_round_trips(&scene.group.members[0], 1).await;
}

/// A group is created without a read, so its transaction waits for the counter.
#[tokio::test]
async fn quotas_add_a_round_trip_only_to_a_write_without_a_read() {
    let sampled = quotas(1000, 1000);
    let never = NonZeroU32::new(1 << 31).unwrap();
    for quotas in [sampled, Quotas { sample: never, ..sampled }] {
        let scene = Scene::new().await;
        scene.assert_round_trips(&scene.group.members[0].with_quotas(quotas), 2).await;
    }
}

#[tokio::test]
async fn a_known_token_with_quotas_takes_the_round_trips_of_quotas() {
    let scene = Scene::new().await;
    let script = scene.token().await.with_quotas(quotas(1000, 1000));
    // The first request finds the token, and notes the day of its use.
    let path = "/api/users/me/usage";
    let [first, second] = [script.get(path).await, script.get(path).await];
    assert_eq!((first.cost.round_trips, second.cost.round_trips), (3, 1));
    scene.assert_round_trips(&script, 2).await;
}

#[tokio::test]
async fn a_token_that_an_instance_sees_for_the_first_time_adds_one_round_trip() {
    let scene = Scene::new().await;
    let token = scene.token().await;
    token.get("/api/groups").await.data(200);
    for (read, round_trips) in reads() {
        if read.route.contains("/funds") {
            continue;
        }
        let reply = token.at(&scene.group.api.another()).perform(&read, &scene.ids).await;
        let of_token = u32::from(!OPEN.contains(&read.id));
        assert_eq!(reply.status, 200, "{read:?}: {}", reply.text);
        assert!(reply.cost.round_trips <= round_trips + of_token, "{read:?}: {}", reply.cost);
    }
}

/// A file of one expense to import.
fn one_row() -> Value {
    let file = splitwise(&["A", "B"], &[("2026-01-01", "General", "Tea", "EUR", vec![100, -100])]);
    let members = json!({ "A": "1", "B": "2" });
    json!({ "file": file, "options": { "commit": true, "members": members } })
}

/// A request, and the round trips that it may take.
type Row = (Operation, u32);

/// The operations of groups that an API token may not use.
const IN_APP: [&str; 6] = [
    "setWallet",
    "deleteWallet",
    "getInvitation",
    "createInvitation",
    "deleteInvitation",
    "deleteGroup",
];

/// A group of four with a history and an import.
struct Scene {
    group: Group,
    ids: Ids,
}

impl Scene {
    /// Checks the round trips of every endpoint that `caller` may use; `to_create` are those of the
    /// creation of a group.
    async fn assert_round_trips(&self, caller: &Caller, to_create: u32) {
        let by_token = caller.authorization().1.starts_with("Bearer ");
        for (operation, round_trips) in reads().into_iter().chain(writes(to_create)) {
            let in_app =
                IN_APP.contains(&operation.id) || operation.body(&self.ids)["payFrom"] == "funds";
            if by_token && (in_app || operation.route.contains("/funds")) {
                continue;
            }
            let reply = caller.perform(&operation, &self.ids).await;
            assert!(reply.status.is_success(), "{operation:?}: {}", reply.text);
            // Fewer if a dependent read begins while others are still pending.
            assert!(reply.cost.round_trips <= round_trips, "{operation:?}: {}", reply.cost);
        }
    }

    async fn new() -> Self {
        let group = Group::new(4, "EUR").await;
        for n in 1..=30 {
            group.spend(0, json!({ "amount": n })).await;
            group.pay(1, 0, "0.01").await;
        }
        let Busy { group, mut ids } = Busy::of(group).await;
        ids.insert("other", group.guest(0, "Uncle").await);
        let imported = group.members[0].perform(&operation("importFile"), &ids).await;
        let import = imported.data(200)["importId"].as_str().unwrap();
        ids.insert("importId", import.to_owned());
        let empty = group.members[0].perform(&operation("createGroup"), &ids).await;
        ids.insert("empty", empty.id());
        Self { group, ids }
    }

    /// The first member, by an API token.
    async fn token(&self) -> Caller {
        let new = json!({ "name": "x", "scopes": ["read", "write"] });
        let alice = &self.group.members[0];
        alice.with_token(&alice.post("/api/users/me/tokens", new).await)
    }
}

/// The round trips of a read: the second one of a user's lists is for the groups.
fn of_read(id: &str) -> u32 {
    match id {
        "getHealth" | "listCurrencies" | "listCategories" => 0,
        "getGroup"
        | "getInvitation"
        | "listExpenses"
        | "listSettlements"
        | "getExpense"
        | "getSettlement"
        | "getDebts"
        | "getExpenseBreakdown"
        | "previewExpense"
        | "previewExpenseEdit"
        | "listExpenseHistory"
        | "getLedgerBalance"
        | "getGroupStats"
        | "listChanges"
        | "listLedgerEntryHistory"
        | "listImports"
        | "getImport"
        | "getTargets"
        | "getUsage"
        | "listTokens"
        | "listSpendings"
        | "getSpending"
        | "listQuestions"
        | "getQuestion"
        | "getLeaderboard"
        | "listOwnAnswers"
        | "listFundTransactions"
        | "getFundTransaction"
        | "listFundWork"
        | "listFundTotals" => 1,
        "listGroups" | "listLedgerDays" | "listLedgerEntries" | "getMe" | "listMyGroups"
        | "getMySummary" | "listMyExpenses" | "listMyDebts" | "listMySettlements"
        | "listMyActivity" | "getMyDays" | "getMyDay" | "listOwnQuestions" | "listOwnPoints"
        | "getFunds" => 2,
        // The groups, the other's memberships, the ledgers, and the settlements with their groups.
        "getShared" => 5,
        // The ledger, the group with its members, the entries and their rows.
        "exportGroup" => 4,
        unknown => {
            assert_eq!(unknown, "", "a read without round trips");
            0
        }
    }
}

fn reads() -> Vec<Row> {
    let reads = operations().into_iter().filter(Operation::reads);
    // The document has no envelope, and no token lists tokens.
    let reads = reads.filter(|read| !["getOpenApiDocument", "listTokens"].contains(&read.id));
    let mut reads: Vec<_> = reads.map(|read| (read.clone(), of_read(read.id))).collect();
    reads.extend([
        (operation("getLedgerBalance").asks(""), 1),
        (operation("getLedgerBalance").asks("at=2026-01-15T11:00:00Z"), 2),
        (operation("listLedgerEntries").asks(""), 2),
        // JSON also has the settlements that are not completed.
        (operation("exportGroup").asks(""), 5),
        (operation("listMyActivity").asks("limit=50"), 2),
    ]);
    reads
}

/// The writes; `to_create` are the round trips of the creation of a group.
fn writes(to_create: u32) -> Vec<Row> {
    let from_funds = json!({ "toId": "$bob", "amount": 1, "currency": "EUR", "payFrom": "funds" });
    vec![
        (operation("updateGroup"), 2),
        (operation("removeMember").of("memberId", "{other}"), 2),
        (operation("importFile").sends(json!({ "file": "" })), 2),
        // The import, its rows, and the transaction with its reads.
        (operation("undoImport"), 7),
        // The group, the import, the rows that are recorded already, and the transaction with its
        // reads.
        (operation("importFile").sends(one_row()), 5),
        // Another member must not have the guest's name.
        (operation("restoreMember").of("memberId", "{other}"), 3),
        (operation("createExpense"), 2),
        // It is compared with those that are pending between the two.
        (operation("createSettlement"), 3),
        (operation("updateSettlement"), 2),
        // The members are read after the lock, because a name must be free.
        (operation("createGuest"), 3),
        (operation("renameGuest"), 3),
        (operation("linkGuest").sends(json!({ "userId": "$bob" })), 3),
        (operation("withdrawLink"), 3),
        (operation("setWallet"), 2),
        (operation("deleteWallet"), 2),
        (operation("createInvitation"), 2),
        (operation("deleteInvitation"), 2),
        (operation("createGroup"), to_create),
        // The members count only as of a balance that was read before them.
        (operation("deleteGroup").of("groupId", "{empty}"), 3),
        (operation("editExpense"), 2),
        (operation("deleteExpense"), 2),
        // The history counts only as of a balance that was read before it.
        (operation("restoreExpense"), 3),
        (operation("pushEntries"), 3),
        (operation("revertEntries"), 3),
        (operation("askQuestion"), 2),
        (operation("answerQuestion"), 2),
        (operation("claimItems"), 2),
        (operation("claimItems").sends(json!({ "items": [] })), 2),
        // The question, its answers after it, and the transaction.
        (operation("applyReceipt"), 3),
        (operation("closeQuestion").of("questionId", "{textId}"), 2),
        (operation("setAcceptance"), 2),
        (operation("createFundCredit"), 2),
        (operation("createBonus"), 2),
        (operation("createFundDebit"), 2),
        (operation("captureFundTransaction"), 2),
        // It reads the funds and what is pending in them, and again to release what was left behind.
        (operation("checkFunds"), 4),
        (operation("createSettlement").sends(from_funds), 2),
    ]
}

#[tokio::test]
async fn endpoints_of_tokens_stay_within_their_round_trips() {
    let group = Group::new(1, "EUR").await;
    let (alice, tokens) = (&group.members[0], "/api/users/me/tokens");
    let new = json!({ "name": "x", "scopes": ["read"], "groupId": group.id });
    let created = alice.post_once("key", tokens, new).await;
    let path = format!("{tokens}/{}", created.data(201)["id"].as_str().unwrap());
    // The list, the tokens after it, the transaction, and the query that waits for the index.
    let alone = alice.post(tokens, json!({ "name": "y", "scopes": ["read"] })).await;
    assert_eq!((alone.status.as_u16(), alone.cost.round_trips), (201, 4));
    // The reads of the request's row and of the member run beside the first two, which count as one
    // round trip if one of these takes longer than the first.
    assert!((3..=4).contains(&created.cost.round_trips), "{}", created.cost.round_trips);
    assert_eq!(alice.get(tokens).await.cost.round_trips, 1);
    assert_eq!(alice.delete(&path).await.cost.round_trips, 1);
}

#[tokio::test]
async fn cost_of_debts_does_not_grow_with_the_history() {
    let group = Group::of(&Api::embedded().await, 3, "EUR").await;
    group.spend(0, json!({ "amount": 5 })).await;
    let young = group.members[0].get(&group.path("/debts")).await.cost;
    for n in 1..=60 {
        group.spend(0, json!({ "amount": n })).await;
    }
    let old = group.members[0].get(&group.path("/debts")).await.cost;
    assert_eq!(old, young);
    assert!(old.read_units > 0.0, "{old}");
}

#[tokio::test]
async fn requests_of_a_user_alone_stay_within_their_round_trips() {
    let alice = Api::new().await.user(1, "Alice");
    let targets = "/api/users/me/targets";
    let spendings = "/api/users/me/spendings";
    let body = json!({ "title": "x", "amount": 1, "currency": "EUR" });
    let one = format!("{spendings}/{}", alice.post(spendings, body.clone()).await.id());
    let given =
        json!({ "title": "x", "amount": 1, "currency": "EUR", "spentAt": "2026-01-14T12:00:00Z" });
    let update = json!({ "version": 1, "period": "day" });
    for (method, path, body, round_trips) in [
        (Method::GET, targets, None, 1),
        (Method::PATCH, targets, Some(update), 2),
        (Method::GET, &format!("{spendings}?from=2026-01-01"), None, 1),
        (Method::POST, spendings, Some(body), 2),
        // Nothing has to be read.
        (Method::POST, spendings, Some(given), 1),
        (Method::GET, &one, None, 1),
        (Method::PUT, &one, Some(json!({ "amount": 2 })), 2),
        (Method::DELETE, &one, None, 2),
    ] {
        let reply = alice.call(method.clone(), path, body.as_ref()).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
        assert_eq!(reply.cost.round_trips, round_trips, "{method} {path}: {}", reply.cost);
    }
}
