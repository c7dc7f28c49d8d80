//! Permissions: every endpoint, called by every kind of user.

use std::collections::BTreeSet;

use fracti_core::caller::telegram;
use serde_json::{Value, json};

use crate::harness::{Api, Busy, Caller, TOKEN};
use fracti_tests::operations::{OPEN, Operation, operation, operations};

/// The kind of user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    NoHeader,
    Forged,
    OtherBot,
    Expired,
    Future,
    Doubled,
    Stranger,
    Member,
    Payer,
    Party,
}

use Asker::{Doubled, Expired, Forged, Future, Member, NoHeader, OtherBot, Party, Payer, Stranger};

/// A caller of the kind, to the busy group: 9 is not a member of it.
fn caller(busy: &Busy, asker: Asker) -> Caller {
    let [alice, bob, carol] = [0, 1, 2].map(|index| &busy.group.members[index]);
    let api = &alice.api;
    let at = |seconds: i64| {
        let millis = api.now().millis().checked_add_signed(seconds * 1000).unwrap();
        fracti_core::values::time::Timestamp::from_millis(millis).unwrap()
    };
    let header = |init_data: String| Some(("authorization", format!("tma {init_data}")));
    let valid = telegram::sign(&alice.user, TOKEN, api.now());
    match asker {
        NoHeader => alice.with(None),
        Forged => alice.with(header(valid.replace("%22A%22", "%22E%22"))),
        OtherBot => alice.with(header(telegram::sign(&alice.user, "43:other", api.now()))),
        Expired => alice.with(header(telegram::sign(&alice.user, TOKEN, at(-86_401)))),
        Future => alice.with(header(telegram::sign(&alice.user, TOKEN, at(61)))),
        Doubled => alice.with(header(format!("{valid}&auth_date=1"))),
        Stranger => api.user(9, "Eve"),
        Member => carol.clone(),
        Party => bob.clone(),
        Payer => alice.clone(),
    }
}

const NOBODY: [Asker; 6] = [NoHeader, Forged, OtherBot, Expired, Future, Doubled];

/// A request, with the status for a stranger, a member, the settlement's payer, and the expense's
/// payer (the settlement's recipient).
type Row = (Operation, [u16; 4]);

/// A read of a group is open to its members, and one of a user's own data to every user.
fn reads() -> Vec<Row> {
    let protected = |it: &Operation| it.reads() && !OPEN.contains(&it.id);
    let reads = operations().into_iter().filter(protected);
    let row = |operation: Operation| {
        let statuses = match operation.id {
            "getImport" => [403, 404, 404, 404],
            "getSpending" | "getFundTransaction" => [404, 404, 404, 200],
            // The stranger shares nothing, and the party is the other user.
            "getShared" => [404, 200, 400, 200],
            // The edit of another's expense, and the work of operators.
            "previewExpenseEdit" | "listFundWork" | "listFundTotals" => [403, 403, 403, 200],
            _ if operation.is_of_group() => [403, 200, 200, 200],
            _ => [200; 4],
        };
        (operation, statuses)
    };
    reads.map(row).collect()
}

/// The writes.
fn writes() -> Vec<Row> {
    // Not even the creator: an expense is deleted, not reverted.
    let expenses_entry = || json!(["$entryId"]);
    let update = |body: Value| operation("updateSettlement").sends(body);
    let token = json!({ "name": "x", "scopes": ["read"], "groupId": "$groupId" });
    vec![
        (operation("createGroup"), [201; 4]),
        // The init data has no `chat_instance`.
        (operation("openGroup"), [400; 4]),
        (operation("updateGroup"), [403, 200, 200, 200]),
        (operation("importFile"), [403, 200, 200, 200]),
        (operation("undoImport"), [403, 404, 404, 404]),
        // Balances are open. Only the creator may remove a user.
        (operation("leaveGroup"), [403, 409, 409, 409]),
        (operation("removeMember").of("memberId", "3"), [403, 403, 403, 409]),
        (operation("restoreMember").of("memberId", "3"), [403, 200, 200, 200]),
        // Others are in it, too.
        (operation("deleteGroup"), [403, 403, 403, 409]),
        (operation("joinGroup"), [200; 4]),
        (operation("setWallet"), [403, 200, 200, 200]),
        (operation("deleteWallet"), [403, 200, 200, 200]),
        (operation("createInvitation"), [403, 201, 201, 201]),
        (operation("deleteInvitation"), [403, 200, 200, 200]),
        (operation("createExpense"), [403, 201, 201, 201]),
        (operation("deleteExpense"), [403, 403, 403, 200]),
        (operation("editExpense"), [403, 403, 403, 200]),
        (operation("restoreExpense"), [403, 403, 403, 200]),
        // Any member may.
        (operation("createSchedule"), [403, 201, 201, 201]),
        (operation("editSchedule"), [403, 200, 200, 200]),
        (operation("deleteSchedule"), [403, 200, 200, 200]),
        (operation("pushEntries"), [403, 200, 200, 200]),
        (operation("revertEntries").sends(expenses_entry()), [403; 4]),
        (operation("revertEntriesByPost").sends(expenses_entry()), [403; 4]),
        (operation("createSettlement"), [403, 403, 201, 201]),
        (operation("updateSettlement"), [403, 403, 403, 200]),
        (update(json!({ "status": "failed" })), [403, 403, 200, 200]),
        (update(json!({ "txHash": "a".repeat(64) })), [403, 403, 200, 403]),
        (operation("askQuestion"), [403, 201, 201, 201]),
        (operation("answerQuestion"), [403, 201, 201, 201]),
        (operation("claimItems"), [403, 200, 200, 200]),
        (operation("closeQuestion"), [403, 403, 403, 200]),
        (operation("applyReceipt"), [403, 403, 403, 200]),
        (operation("createToken"), [201; 4]),
        (operation("createToken").sends(token), [403, 201, 201, 201]),
        (operation("deleteToken"), [404, 404, 404, 200]),
        (operation("rebuildMyDays"), [200; 4]),
        (operation("createSpending"), [201; 4]),
        (operation("editSpending"), [404, 404, 404, 200]),
        (operation("deleteSpending"), [404, 404, 404, 200]),
        (operation("updateTargets"), [200; 4]),
        (operation("setSubscription"), [200; 4]),
        (operation("deleteSubscription"), [200; 4]),
        (operation("setAcceptance"), [200; 4]),
        // The stranger is in no group. Of the others, only the payer is an operator and has cash.
        (operation("createFundCredit"), [404, 201, 201, 201]),
        (operation("createBonus"), [403, 403, 403, 201]),
        (operation("createFundDebit"), [402, 402, 402, 201]),
        (operation("captureFundTransaction"), [403, 403, 403, 200]),
        // The owner calls it off. The others have no such transaction.
        (operation("voidFundTransaction"), [404, 404, 404, 200]),
        (operation("checkFunds"), [200; 4]),
    ]
}

fn of_guests() -> Vec<Row> {
    let user_3 = |id: &str| operation(id).of("memberId", "3");
    let pays = |to: &str, from: &str| {
        let body = json!({ "toId": to, "fromId": from, "amount": 1 });
        operation("createSettlement").sends(body)
    };
    vec![
        (operation("createGuest"), [403, 201, 201, 201]),
        (operation("renameGuest"), [403, 200, 200, 200]),
        (user_3("renameGuest"), [403; 4]),
        (operation("linkGuest"), [403, 202, 202, 202]),
        (user_3("linkGuest"), [403; 4]),
        (operation("withdrawLink"), [403, 404, 404, 404]),
        // Any member acts for a guest.
        (pays("$memberId", "1"), [403, 201, 201, 201]),
        (pays("1", "$memberId"), [403, 201, 201, 201]),
    ]
}

#[tokio::test]
async fn every_endpoint_allows_exactly_its_principals() {
    let rows = [reads(), writes(), of_guests()].concat();
    let listed: BTreeSet<_> = rows.iter().map(|(operation, _)| operation.id).collect();
    let all = operations().into_iter().filter(|operation| !OPEN.contains(&operation.id));
    assert_eq!(listed, all.map(|operation| operation.id).collect());
    for (operation, statuses) in rows {
        let mut busy = Busy::new().await;
        let known = [
            (Stranger, statuses[0]),
            (Member, statuses[1]),
            (Party, statuses[2]),
            (Payer, statuses[3]),
        ];
        for (asker, status) in NOBODY.map(|asker| (asker, 401)).into_iter().chain(known) {
            let before = busy.group.api.rows().await;
            let reply = caller(&busy, asker).perform(&operation, &busy.ids).await;
            assert_eq!(reply.status, status, "{asker:?}: {operation:?}: {}", reply.text);
            if asker == Stranger && status == 403 {
                for name in ["Alps", "Dinner", "\"A\""] {
                    assert!(!reply.text.contains(name), "{operation:?}: {}", reply.text);
                }
            }
            let code = match status {
                401 => Some(match asker {
                    NoHeader => "NO_CREDENTIALS",
                    Expired => "SIGN_IN_AGAIN",
                    Future => "CLOCK",
                    Doubled => "INVALID_INIT_DATA",
                    _ => "WRONG_BOT",
                }),
                403 if asker == Stranger && !operation.route.contains("/funds") => {
                    Some("NOT_A_MEMBER")
                }
                403 => Some("NOT_ALLOWED"),
                _ => None,
            };
            if let Some(code) = code {
                assert_eq!(reply.body["error"], code, "{asker:?}: {operation:?}");
                assert_eq!(busy.group.api.rows().await, before, "{asker:?}: {operation:?}");
            } else {
                // The request may have succeeded, so the next one gets a new group.
                busy.group.verify().await;
                busy = Busy::new().await;
            }
        }
    }
}

#[tokio::test]
async fn past_member_is_refused_by_every_route_of_the_group() {
    let busy = Busy::new().await;
    let group = &busy.group;
    let [left, removed] = [(8, "Left"), (9, "Removed")].map(|(id, name)| group.api.user(id, name));
    for past in [&left, &removed] {
        past.post(&group.path("/join"), json!({})).await.data(200);
    }
    left.post(&group.path("/leave"), json!({})).await.data(200);
    group.members[0].delete(&group.path("/members/9")).await.data(200);
    let before = group.api.rows().await;
    for past in [&left, &removed] {
        for operation in operations().into_iter().filter(Operation::is_of_group) {
            let joins = operation.id == "joinGroup";
            if joins && past.id == "8" {
                continue;
            }
            let reply = past.perform(&operation, &busy.ids).await;
            let code = if past.id == "8" { "LEFT" } else { "REMOVED" };
            assert_eq!(reply.code(), (403, code), "{}: {operation:?}", past.user.name);
        }
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn archived_group_can_be_read_but_not_written() {
    let busy = Busy::new().await;
    let group = &busy.group;
    let alice = caller(&busy, Payer);
    alice.perform(&operation("pushEntries"), &busy.ids).await.data(200);
    let archive = json!({ "archived": true });
    alice.patch(&group.path(""), archive).await.data(200);
    let before = group.api.rows().await;
    let mut refused = 0;
    let of_group = |(operation, _): &Row| operation.is_of_group();
    for (operation, statuses) in [reads(), writes()].concat().into_iter().filter(of_group) {
        let allowed = statuses[1..].iter().position(|status| *status != 403);
        let asker = [Member, Party, Payer][allowed.unwrap_or(2)];
        // The entry of an expense cannot be reverted in any group.
        let operation =
            if allowed.is_none() { operation.sends(json!(["opening"])) } else { operation };
        let reply = caller(&busy, asker).perform(&operation, &busy.ids).await;
        if statuses[3] == 404 {
            assert_eq!(reply.status, 404, "{operation:?}: {}", reply.text);
        } else if operation.reads() {
            assert_eq!(reply.status, 200, "{operation:?}: {}", reply.text);
        } else if operation.id == "deleteGroup" {
            assert_eq!(reply.code(), (409, "NOT_ALONE"), "an archived group is deleted as well");
        } else {
            assert_eq!(reply.code(), (409, "GROUP_ARCHIVED"), "{operation:?}: {}", reply.text);
            refused += 1;
        }
    }
    assert!(refused >= 17, "{refused}");
    let stranger = caller(&busy, Stranger).post(&group.path("/join"), json!({})).await;
    assert_eq!(stranger.code(), (409, "GROUP_ARCHIVED"));
    assert_eq!(group.api.rows().await, before);
    let reopened = json!({ "archived": false, "title": "Again" });
    let reopened = caller(&busy, Member).patch(&group.path(""), reopened).await;
    assert_eq!(reopened.data(200)["archived"], false);
    group.spend(0, json!({ "amount": 3 })).await;
    group.verify().await;
}

#[tokio::test]
async fn missing_group_is_a_404_for_every_user() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let id = "0190a1b2-0000-7000-8000-000000000001";
    let names = [
        "groupId",
        "expenseId",
        "scheduleId",
        "settlementId",
        "importId",
        "entryId",
        "questionId",
        "textId",
    ];
    let users = [("alice", "1"), ("bob", "2"), ("memberId", &*format!("guest-{id}"))];
    let ids = names.map(|name| (name, id)).into_iter().chain(users);
    let ids = ids.map(|(name, id)| (name, id.to_owned())).collect();
    let other = [
        operation("getLedgerBalance").asks("at=2020-01-01T00:00:00Z"),
        operation("getDebts").asks("verify=true"),
        operation("removeMember").of("memberId", "2"),
        operation("restoreMember").of("memberId", "2"),
    ];
    for operation in operations().into_iter().filter(Operation::is_of_group).chain(other) {
        let reply = alice.perform(&operation, &ids).await;
        assert_eq!(reply.code(), (404, "GROUP_NOT_FOUND"), "{operation:?}");
    }
    assert!(api.rows().await.is_empty());
}
