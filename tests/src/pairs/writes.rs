//! The writes that pairs are made of, and a scene in which all of them make sense.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use fracti_core::{
    caller::telegram::{self, User},
    chat::button::{Button, TransferKey},
    storage::keys::DueList,
    values::{
        chat_id::ChatId,
        currency::Currency,
        id::{GroupId, SettlementId},
        money::Money,
        time::Timestamp,
    },
};
use fracti_store::{Due, DueState, Table};
use serde_json::{Value, json};

use crate::{
    client::{self, Reply, Transport},
    operations::{Ids, Operation, operation, receipt, text_for},
};

/// The bot of the API.
pub(super) const TOKEN: &str = "42:test-token";

/// The chat whose group has been opened, and one that has no group.
const CHATS: [&str; 2] = ["-3788475317572404878", "7"];

/// The keeper's work on a schedule, which no operation of the API does.
pub(super) const OCCUR: &str = "occur";

/// The keeper's work on a change that is to be told.
pub(super) const TELL: &str = "tell";

/// An update of the bot.
pub(super) const BOT: &str = "bot";

/// The date of schedules that is due.
const DUE: &str = "2026-01-15";

/// One way to use an operation that writes, or the keeper's work.
#[derive(Clone, Debug)]
pub struct Write {
    /// Name of what it does.
    pub name: &'static str,
    /// The operation with the request.
    pub operation: Operation,
    /// The users who may do it, by their numbers in the scene.
    pub by: &'static [u64],
    /// The read whose `ETag` is sent in `If-Match`.
    pub if_match: Option<&'static str>,
}

fn write(name: &'static str, id: &str, by: &'static [u64]) -> Write {
    Write { name, operation: operation(id), by, if_match: None }
}

impl Write {
    fn sends(self, body: Value) -> Self {
        Self { operation: self.operation.sends(body), ..self }
    }

    fn of(self, name: &str, id: &str) -> Self {
        Self { operation: self.operation.of(name, id), ..self }
    }

    /// The write for the funds of this user, instead of the caller's.
    fn of_user(self, id: &str) -> Self {
        let path = self.operation.template().replace("/users/me/", &format!("/users/{id}/"));
        Self { operation: self.operation.at(path), ..self }
    }

    fn expects(self, read: &'static str) -> Self {
        Self { if_match: Some(read), ..self }
    }
}

/// The writes. Amounts can be divided by the number of those who share them, because the odd cent
/// depends on the id. Users 1 to 3 and 7 are members of the group, which 1 created; 4 has left, 5
/// was removed, and 6 and 8 never joined. 3 is alone in another group.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a write each")]
pub fn writes() -> Vec<Write> {
    let hash = "c".repeat(64);
    let adjustment = json!([{ "entryId": "food", "changes": [
        { "userId": "1", "amount": 6 }, { "userId": "3", "amount": -6 } ] }]);
    // A later export of the group that was imported before.
    let file = "Date,Description,Category,Cost,Currency,A,B,C\n\n\
                2026-01-01,Train,Taxi,10.00,EUR,5.00,0.00,-5.00\n\
                2026-01-02,Fuel,Gas/fuel,10.00,EUR,5.00,-5.00,0.00\n\n\
                2026-01-15,Total balance, , ,EUR,10.00,-5.00,-5.00\n\n";
    let mut writes = vec![
        write("create a group", "createGroup", &[1])
            .sends(json!({ "title": "Flat", "chatId": 9, "currency": "EUR" })),
        write("open a chat", "openGroup", &[6, 4]).sends(json!({})),
        write("open a new chat", "openGroup", &[8, 1]).sends(json!({ "title": "New" })),
        write("move a new chat", "openGroup", &[1]).sends(json!({ "groupId": "$groupId" })),
        write("rename a group", "updateGroup", &[2]),
        write("change the currency", "updateGroup", &[2]).sends(json!({ "currency": "USD" })),
        write("archive a group", "updateGroup", &[1]).sends(json!({ "archived": true })),
        write("join", "joinGroup", &[6, 8]).sends(json!({})),
        write("come back", "joinGroup", &[4]).sends(json!({})),
        write("join with a new name", "joinGroup", &[102]).sends(json!({})),
        write("leave", "leaveGroup", &[7]),
        write("delete a group", "deleteGroup", &[3]).of("groupId", "{empty}"),
        write("join an empty group", "joinGroup", &[6]).of("groupId", "{empty}").sends(json!({})),
        write("remove a member", "removeMember", &[1]).of("memberId", "{idle}"),
        write("remove a guest", "removeMember", &[2, 3]),
        write("restore a member", "restoreMember", &[1]).of("memberId", "{past}"),
        write("restore a guest", "restoreMember", &[2]).of("memberId", "{gone}"),
        write("add a guest", "createGuest", &[1, 2]).sends(json!({ "name": "Gus" })),
        write("add a guest to an empty group", "createGuest", &[3])
            .of("groupId", "{empty}")
            .sends(json!({ "name": "Gus" })),
        write("rename a guest", "renameGuest", &[2, 3]).sends(json!({ "name": "Gus" })),
        write("propose a link", "linkGuest", &[3, 7])
            .of("memberId", "{owing}")
            .sends(json!({ "userId": "$idle" })),
        write("propose another link", "linkGuest", &[3]).sends(json!({ "userId": "3" })),
        write("confirm a link", "linkGuest", &[1, 3]).sends(json!({ "userId": "2" })),
        write("withdraw a link", "withdrawLink", &[2, 3]),
        write("record an expense", "createExpense", &[1, 2]).sends(json!({
            "amount": 12, "description": "Tea", "category": "food",
            "splits": [{ "userId": "1" }, { "userId": "2" }]
        })),
        write("record an expense of all", "createExpense", &[1])
            .sends(json!({ "amount": 2520, "description": "Hut" })),
        write("record an expense of members who may go", "createExpense", &[3]).sends(json!({
            "amount": 9, "description": "Boat",
            "splits": [{ "userId": "3" }, { "userId": "$idle" }, { "userId": "$memberId" }]
        })),
        write("share a spending", "createExpense", &[1]).sends(json!({
            "spendingId": "$spendingId", "splits": [{ "userId": "1" }, { "userId": "2" }]
        })),
        write("edit an expense", "editExpense", &[1]).sends(json!({ "amount": 60 })),
        write("edit an expense as it was", "editExpense", &[1])
            .sends(json!({ "amount": 24, "category": "fun" }))
            .expects("getExpense"),
        write("delete an expense", "deleteExpense", &[1]),
        write("delete an expense as it was", "deleteExpense", &[1]).expects("getExpense"),
        write("restore an expense", "restoreExpense", &[1]).of("expenseId", "{deleted}"),
        write("edit an expense of a past member", "editExpense", &[2])
            .of("expenseId", "{ofPast}")
            .sends(json!({ "amount": 8 })),
        write("record a pending settlement", "createSettlement", &[2])
            .sends(json!({ "toId": "1", "amount": 7, "txHash": hash })),
        write("record a completed settlement", "createSettlement", &[1])
            .sends(json!({ "fromId": "3", "toId": "1", "amount": 4 })),
        write("record a payment that is on its way", "createSettlement", &[1, 2])
            .sends(json!({ "fromId": "2", "toId": "1", "amount": 3 })),
        write("record another equal payment", "createSettlement", &[1])
            .sends(json!({ "fromId": "2", "toId": "1", "amount": 3, "separate": true })),
        write("complete a settlement", "updateSettlement", &[1]),
        write("fail a settlement", "updateSettlement", &[1, 2])
            .sends(json!({ "status": "failed" })),
        write("fail a settlement as it was", "updateSettlement", &[2])
            .sends(json!({ "status": "failed" }))
            .expects("getSettlement"),
        write("edit a settlement", "updateSettlement", &[2])
            .sends(json!({ "amount": 8, "note": "In cash" })),
        write("take back a settlement", "updateSettlement", &[1])
            .of("settlementId", "{paidId}")
            .sends(json!({ "status": "failed" })),
        write("name the transaction of a settlement", "updateSettlement", &[2])
            .sends(json!({ "txHash": hash })),
        write("push an adjustment", "pushEntries", &[1, 2]).sends(adjustment),
        write("revert an adjustment", "revertEntries", &[1]).sends(json!(["rent"])),
        write("revert adjustments", "revertEntriesByPost", &[1]).sends(json!(["rent", "unknown"])),
        write("import a file", "importFile", &[1]).sends(json!({
            "file": file, "options": { "commit": true, "members": { "A": "1", "B": "2", "C": "3" } }
        })),
        write("import a file with another name", "importFile", &[1]).sends(json!({
            "file": file.replace(",A,B,C", ",Al,B,C"),
            "options": { "commit": true, "members": { "Al": "1", "B": "2", "C": "3" } }
        })),
        write("delete an imported expense", "deleteExpense", &[1]).of("expenseId", "{imported}"),
        write("undo an import", "undoImport", &[1]),
        write("ask a text", "askQuestion", &[2]),
        write("answer a text", "answerQuestion", &[2, 3]),
        write("answer for a guest", "answerQuestion", &[2, 3])
            .sends(json!({ "userId": "$memberId", "answer": "Soon" })),
        write("claim items", "claimItems", &[1, 2]),
        write("claim other items", "claimItems", &[2]).sends(json!({ "items": [{ "item": 1 }] })),
        write("claim for a guest", "claimItems", &[1])
            .sends(json!({ "userId": "$memberId", "items": [{ "item": 1 }] })),
        write("close a question", "closeQuestion", &[1]),
        write("apply a receipt", "applyReceipt", &[1]),
        write("create a token", "createToken", &[1])
            .sends(json!({ "name": "Phone", "scopes": ["read"] })),
        write("delete a token", "deleteToken", &[1]),
        write("record a spending", "createSpending", &[1])
            .sends(json!({ "title": "Tea", "amount": 1, "currency": "EUR" })),
        write("edit a spending", "editSpending", &[1]).sends(json!({ "amount": 5 })),
        write("edit a spending as it was", "editSpending", &[1])
            .sends(json!({ "amount": 6 }))
            .expects("getSpending"),
        write("delete a spending", "deleteSpending", &[1]),
        write("update the targets", "updateTargets", &[1])
            .sends(json!({ "version": 1, "period": "day", "currency": "EUR" })),
        write("turn messages on", "setSubscription", &[1]),
        write("turn messages off", "deleteSubscription", &[1]),
        write("rebuild the days", "rebuildMyDays", &[1]),
    ];
    writes.extend(of_access());
    writes.extend(of_funds());
    writes.extend(of_schedules());
    writes.extend(of_chats());
    writes
}

/// The writes of chats: messages and presses in the chat of the group or in one that has none, and
/// the keeper's work to tell of them.
fn of_chats() -> Vec<Write> {
    let of_bot = |name, by, update| {
        let mut of = write(name, "openGroup", by);
        of.operation.id = BOT;
        of.operation = of.operation.at("/api/telegram/webhook".to_owned()).sends(update);
        of
    };
    let [chat, new] =
        [-1_001, -1_002].map(|id| json!({ "id": id, "type": "group", "title": "New" }));
    let say = |text: &str| json!({ "message": { "message_id": 1, "chat": chat, "text": text } });
    let press_in = |instance: usize, data: &str| {
        let chat = [&chat, &new][instance];
        let message = json!({ "message_id": 2, "chat": chat, "date": 1 });
        let instance = CHATS[instance];
        json!({ "callback_query": { "id": "1", "message": message, "chat_instance": instance,
            "data": data } })
    };
    let press = |data: &str| press_in(0, data);
    let mut tell = write("tell a payment", "getSettlement", &[1]);
    tell.operation.id = TELL;
    vec![
        of_bot("record an expense in the chat", &[1, 2], say("/expense 2520 Hut")),
        of_bot("say something in the chat", &[6, 4], say("/balance")),
        of_bot("choose a currency in the chat", &[1, 8], press_in(0, "$euro")),
        of_bot("choose a currency in a new chat", &[8, 1], press_in(1, "$euro")),
        of_bot("undo an expense in the chat", &[1], press("$undo")),
        of_bot("pay in the chat", &[3, 1], press("$pay")),
        of_bot("confirm in the chat", &[1], press("$confirm")),
        of_bot("deny in the chat", &[1], press("$deny")),
        of_bot(
            "leave the chat",
            &[1],
            json!({ "my_chat_member": { "chat": chat,
            "old_chat_member": { "status": "member" }, "new_chat_member": { "status": "left" } } }),
        ),
        tell,
    ]
}

/// The writes of schedules and of the default split. Two schedules have a date that is due.
fn of_schedules() -> Vec<Write> {
    let edit = |name, by| write(name, "editSchedule", by);
    let occur = |name| {
        let mut of = write(name, "getSchedule", &[1]);
        of.operation.id = OCCUR;
        of
    };
    let others = json!([{ "splits": [{ "userId": "1", "weight": 2 }], "others": 1 }]);
    vec![
        write("make a schedule", "createSchedule", &[1, 3]).sends(json!({
            "expense": { "amount": 12, "description": "Tea",
                "splits": [{ "userId": "1" }, { "userId": "2" }] },
            "repeat": { "every": "week", "start": "2026-01-22" }
        })),
        edit("edit a schedule", &[1, 2]).sends(json!({ "expense": { "amount": 5040 } })),
        edit("skip a date of a schedule", &[2]).sends(json!({ "skips": [DUE] })),
        edit("pause a schedule", &[1]).sends(json!({ "paused": true })),
        write("delete a schedule", "deleteSchedule", &[1, 2]),
        occur("record a date of a schedule"),
        occur("record a date of a schedule of members who may go").of("scheduleId", "{ofSome}"),
        write("change the default split", "updateGroup", &[2])
            .sends(json!({ "defaultSplits": others })),
    ]
}

/// The writes of wallets and invitations.
fn of_access() -> Vec<Write> {
    let [wallet, other_wallet] = ["a", "b"].map(|digit| format!("0:{}", digit.repeat(64)));
    vec![
        write("set a wallet", "setWallet", &[2]).sends(json!({ "wallet": wallet })),
        write("delete a wallet", "deleteWallet", &[2]),
        write("set another wallet", "setWallet", &[2]).sends(json!({ "wallet": other_wallet })),
        write("invite", "createInvitation", &[1, 2]),
        write("close the group", "deleteInvitation", &[2]),
    ]
}

/// The writes of funds: 1 is the operator.
fn of_funds() -> Vec<Write> {
    vec![
        write("pay from funds", "createSettlement", &[2])
            .sends(json!({ "toId": "1", "amount": 15, "currency": "EUR", "payFrom": "funds" })),
        write("pay a part from funds", "createSettlement", &[2]).sends(json!({ "toId": "1",
            "amount": 40, "currency": "EUR", "payFrom": "funds", "allowExternal": true })),
        write("pay at once", "createSettlement", &[2]).sends(json!({ "toId": "1",
            "amount": 4, "currency": "EUR", "payFrom": "funds", "payNow": true })),
        write("confirm a payment from funds", "updateSettlement", &[1])
            .of("settlementId", "{funded}"),
        write("fail a payment from funds", "updateSettlement", &[2])
            .of("settlementId", "{funded}")
            .sends(json!({ "status": "failed" })),
        write("report a top-up", "createFundCredit", &[2]),
        write("record a top-up", "createFundCredit", &[1])
            .sends(json!({ "fund": "cash", "currency": "EUR", "amount": 5, "refId": "bank 3" })),
        write("give a bonus", "createBonus", &[1]),
        write("cash out", "createFundDebit", &[1, 2]),
        write("capture a cash-out", "captureFundTransaction", &[1]),
        write("void a cash-out", "voidFundTransaction", &[1]),
        write("call off a cash-out", "voidFundTransaction", &[2]).of("transactionId", "{asked}"),
        write("capture another's cash-out", "captureFundTransaction", &[1])
            .of_user("2")
            .of("transactionId", "{asked}"),
        write("give back a payment", "updateSettlement", &[1])
            .of("settlementId", "{atOnce}")
            .sends(json!({ "status": "failed" })),
        write("accept payments no more", "setAcceptance", &[1]),
        write("check funds", "checkFunds", &[1]),
    ]
}

/// The user whom the scene knows by a number: from 100, the user has changed the name.
fn user(number: u64) -> User {
    let names = ["", "A", "B", "C", "D", "E", "F", "G", "H"];
    let id = number % 100;
    let renamed = number >= 100;
    let name = if renamed { "Renamed" } else { names[usize::try_from(id).unwrap()] };
    client::user(id, name)
}

/// The `Authorization` of a user for a write.
fn authorization(write: &Write, number: u64, now: Timestamp) -> String {
    if write.operation.id != "openGroup" {
        return client::authorization(&user(number), TOKEN, now);
    }
    let chat = CHATS[usize::from(write.name.contains("new"))];
    let chat: ChatId = chat.parse().unwrap();
    format!("tma {}", telegram::sign_in_chat(&user(number), &chat, TOKEN, now))
}

/// Sends a write in a scene; `None` if the connection broke.
///
/// # Panics
///
/// If the route or the body names what the scene does not have.
pub(super) async fn send(
    (api, table): (&Transport, &Table),
    ids: &Ids,
    write: &Write,
    by: u64,
    (key, etag): (Option<&str>, Option<&str>),
    now: Timestamp,
) -> Option<Reply> {
    let Write { operation, .. } = write;
    if operation.id == OCCUR {
        return Some(occur(table, &operation.path(ids), now).await);
    }
    if operation.id == TELL {
        return Some(tell(table, ids["settlementId"].parse().unwrap(), now).await);
    }
    if operation.id == BOT {
        let mut reply = api.send(update(operation.body(ids), by, key)).await?;
        // A press that finds other balances than it read does nothing, and says so: a conflict.
        if reply.text.contains("The balances have changed") {
            reply.body = json!({ "error": "CONFLICT" });
        }
        return Some(reply);
    }
    let path = operation.path(ids);
    let body = operation.body(ids);
    let authorization = authorization(write, by, now);
    let mut request = client::request(&operation.method, &path, &authorization, key, &body);
    if let Some(etag) = etag {
        request.headers_mut().insert("if-match", etag.parse().unwrap());
    }
    api.send(request).await
}

/// Lets the keeper record the date of a schedule that is due. What it did shows in the rows only,
/// because another attempt of its own may have recorded it.
async fn occur(table: &Table, path: &str, now: Timestamp) -> Reply {
    let mut ids = path.split('/').skip(3).step_by(2);
    let group = ids.next().unwrap();
    let schedule = ids.next().unwrap();
    let done = table.occur(group.parse().unwrap(), schedule.parse().unwrap(), now).await;
    work_done(done.is_ok())
}

/// An update of a user. With a key it has always the same number, as a repetition has.
fn update(mut update: Value, by: u64, key: Option<&str>) -> Request<Body> {
    static NUMBERS: AtomicU64 = AtomicU64::new(1_000);
    let number = if key.is_some() { 1 } else { NUMBERS.fetch_add(1, SeqCst) };
    update["update_id"] = json!(number);
    let User { id, name, .. } = user(by);
    let from = json!({ "id": id.number(), "first_name": name });
    for of in ["message", "callback_query", "my_chat_member"] {
        if let Some(of) = update.get_mut(of) {
            of["from"] = from.clone();
        }
    }
    let secret = telegram::webhook_secret(TOKEN);
    Request::post("/api/telegram/webhook")
        .header("x-telegram-bot-api-secret-token", secret)
        .body(update.to_string().into())
        .unwrap()
}

/// Lets the keeper tell of a payment, if that is due. What it did shows in the rows only.
async fn tell(table: &Table, of: SettlementId, now: Timestamp) -> Reply {
    let told = async {
        let page = table.due_rows(DueList::Tell, now, None).await?;
        for row in page.rows {
            let DueState::Due(Due::Change(change)) = table.due(&row, now).await? else { continue };
            if change.subject.settlement.as_ref().is_some_and(|it| it.id == of) {
                return table.tell(&change, now).await;
            }
        }
        Ok(false)
    };
    work_done(told.await.is_ok())
}

fn work_done(is_done: bool) -> Reply {
    let status = if is_done { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let (headers, text, body, cost) = Default::default();
    Reply { status, headers, text, body, cost }
}

/// Makes the scene, and returns the ids of what is in it.
///
/// # Panics
///
/// If the API refuses a request.
#[expect(clippy::too_many_lines, reason = "what all writes need")]
pub(super) async fn scene(api: &Transport, table: &Table, now: Timestamp) -> Ids {
    let mut ids: Ids =
        [("alice", "1"), ("bob", "2")].map(|(name, id)| (name, id.to_owned())).into();
    let own = write("create a group", "createGroup", &[3]);
    let own = send((api, table), &ids, &own, 3, (None, None), now).await.unwrap();
    ids.insert("empty", own.id());
    let open = write("open a chat", "openGroup", &[1]);
    let made = send((api, table), &ids, &open, 1, (None, None), now).await.unwrap();
    let group = made.id();
    ids.insert("groupId", group.clone());
    let call = async |by: u64, method: Method, rest: &str, body: Value| {
        let path = if rest.starts_with("/api") {
            rest.to_owned()
        } else {
            format!("/api/groups/{group}{rest}")
        };
        let authorization = client::authorization(&user(by), TOKEN, now);
        let reply = api.send(client::request(&method, &path, &authorization, None, &body)).await;
        let reply = reply.unwrap();
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.body);
        reply
    };
    let post = async |by, rest: &str, body| call(by, Method::POST, rest, body).await;
    for by in [2, 3, 4, 5, 7] {
        post(by, "/join", json!({})).await;
    }
    let own = json!({ "amount": 6, "description": "Map", "splits": [{ "userId": "4" }] });
    ids.insert("ofPast", post(4, "/expenses", own).await.id());
    post(4, "/leave", Value::Null).await;
    call(1, Method::DELETE, "/members/5", Value::Null).await;
    ids.extend([("past", "4".to_owned()), ("idle", "7".to_owned())]);
    for (name, title) in [("memberId", "Grandma"), ("owing", "Olga"), ("gone", "Zoe")] {
        ids.insert(name, post(1, "/members", json!({ "name": title })).await.id());
    }
    call(1, Method::DELETE, &format!("/members/{}", ids["gone"]), Value::Null).await;
    // Member 2 says to be Grandma.
    post(2, &format!("/members/{}/link", ids["memberId"]), json!({ "userId": "2" })).await;
    let splits = json!([{ "userId": "1" }, { "userId": "2" }, { "userId": ids["owing"] }]);
    let hut = json!({ "amount": 30, "description": "Hut", "splits": splits });
    for (name, amount) in [("expenseId", 30), ("deleted", 60)] {
        let mut hut = hut.clone();
        hut["amount"] = json!(amount);
        ids.insert(name, post(1, "/expenses", hut).await.id());
    }
    call(1, Method::DELETE, &format!("/expenses/{}", ids["deleted"]), Value::Null).await;
    // The operator has cash, asks for a part of it, and takes payments at once; member 2 has made
    // one, and asks for cash, too.
    let funds = |rest: &str| format!("/api/users/me/funds{rest}");
    let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 60, "refId": "bank 1" });
    post(1, &funds("/credits"), cash.clone()).await;
    let of_two = json!({ "fund": "cash", "currency": "EUR", "amount": 34, "refId": "bank 2" });
    post(1, "/api/users/2/funds/credits", of_two).await;
    let cash_out = |amount: u32| {
        json!({ "type": "cashout", "currency": "EUR", "amount": amount,
        "to": "DE12 3456" })
    };
    ids.insert("transactionId", post(1, &funds("/debits"), cash_out(20)).await.id());
    ids.insert("asked", post(2, &funds("/debits"), cash_out(2)).await.id());
    let accepts = json!({ "currency": "EUR", "accepts": true });
    call(1, Method::PUT, &funds(""), accepts).await;
    let at_once = json!({ "toId": "1", "amount": 2, "currency": "EUR", "payFrom": "funds",
        "payNow": true });
    ids.insert("atOnce", post(2, "/settlements", at_once).await.id());
    let pay = json!({ "toId": "1", "amount": 3 });
    ids.insert("settlementId", post(2, "/settlements", pay).await.id());
    let paid = json!({ "fromId": "2", "toId": "1", "amount": 2 });
    ids.insert("paidId", post(1, "/settlements", paid).await.id());
    let rent = json!([{ "entryId": "rent", "changes": [
        { "userId": "1", "amount": 5 }, { "userId": "3", "amount": -5 } ] }]);
    post(1, "/ledger/entries", rent).await;
    let file = "Date,Description,Category,Cost,Currency,A,C\n\n\
                2026-01-01,Train,Taxi,10.00,EUR,5.00,-5.00\n\n\
                2026-01-15,Total balance, , ,EUR,5.00,-5.00\n\n";
    let options = json!({ "commit": true, "members": { "A": "1", "C": "3" } });
    let imported = post(1, "/import", json!({ "file": file, "options": options })).await;
    ids.insert("importId", imported.body["data"]["importId"].as_str().unwrap().to_owned());
    let expenses = call(1, Method::GET, "/expenses", Value::Null).await;
    let expenses = expenses.body["data"].as_array().unwrap();
    let train = expenses.iter().find(|it| it["description"] == "Train").unwrap();
    ids.insert("imported", train["id"].as_str().unwrap().to_owned());
    for nth in 0..19 {
        let token = json!({ "name": format!("Bot {nth}"), "scopes": ["read"] });
        ids.insert("tokenId", post(1, "/api/users/me/tokens", token).await.id());
    }
    // Alice answers the text, so that one more answer closes it.
    ids.insert("questionId", post(1, "/questions", receipt()).await.id());
    let mut text = text_for(["1", "2", "3", &ids["memberId"]]);
    text["requiredResponses"] = json!(2);
    ids.insert("textId", post(1, "/questions", text).await.id());
    let answers = format!("/questions/{}/answers", ids["textId"]);
    post(1, &answers, json!({ "answer": "Now" })).await;
    // A part of the cash of member 2 is held for a settlement.
    let pay = json!({ "toId": "1", "amount": 12, "currency": "EUR", "payFrom": "funds" });
    ids.insert("funded", post(2, "/settlements", pay).await.id());
    let coffee = json!({ "title": "Coffee", "amount": 3.5, "currency": "EUR", "category": "food" });
    ids.insert("spendingId", post(1, "/api/users/me/spendings", coffee).await.id());
    let some = json!([{ "userId": "3" }, { "userId": "7" }, { "userId": ids["memberId"] }]);
    for (name, by, expense) in [
        ("scheduleId", 1, json!({ "amount": 2520, "description": "Rent" })),
        ("ofSome", 3, json!({ "amount": 9, "description": "Boat", "splits": some })),
    ] {
        let repeat = json!({ "every": "day", "start": DUE });
        let schedule = json!({ "expense": expense, "repeat": repeat });
        ids.insert(name, post(by, "/schedules", schedule).await.id());
    }
    // The group has a chat with the bot, and its creator gets messages.
    call(1, Method::PUT, "/api/users/me/subscription", json!({})).await;
    let debts = call(1, Method::GET, "/debts?pending=subtract", Value::Null).await;
    ids.extend(buttons(&ids, &debts.body["data"]["suggestedSettlements"]));
    let connect = of_chats().into_iter().find(|it| it.name == "choose a currency in the chat");
    let connected = send((api, table), &ids, &connect.unwrap(), 1, (None, None), now).await;
    assert!(connected.unwrap().status.is_success());
    ids
}

/// The data of the buttons in the chat, by names. `plan` says who pays whom.
fn buttons(ids: &Ids, plan: &Value) -> [(&'static str, String); 5] {
    let transfer =
        plan.as_array().unwrap().iter().find(|it| it["fromUserId"] == "3" && it["toUserId"] == "1");
    let transfer = transfer.unwrap_or_else(|| panic!("no transfer from 3 to 1: {plan:?}"));
    let key = |from: &str, to: &str, amount: &str| {
        let currency = "EUR".parse().unwrap();
        let minor = Currency::to_minor(currency, amount.parse().unwrap()).unwrap();
        TransferKey::of(from.parse().unwrap(), to.parse().unwrap(), Money { currency, minor })
    };
    let group: GroupId = ids["groupId"].parse().unwrap();
    let settlement = ids["settlementId"].parse().unwrap();
    let paid = key("2", "1", "3");
    [
        ("euro", Button::Currency("EUR".parse().unwrap())),
        ("undo", Button::Undo { group, expense: ids["expenseId"].parse().unwrap() }),
        ("pay", Button::Pay { group, transfer: key("3", "1", &transfer["amount"].to_string()) }),
        ("confirm", Button::Confirm { group, settlement, transfer: paid }),
        ("deny", Button::NotReceived { group, settlement, transfer: paid }),
    ]
    .map(|(name, button)| (name, button.encode()))
}
