//! The operations of the API, each with a valid request: the one list of the tests.
//!
//! A test, a measurement or a program has only its own column, by operation id: a status, round
//! trips, a place in a story. A request has names instead of ids: `{expenseId}` in a path, and
//! `$alice` or `$expenseId` as a text of a body. They are what the operation needs of its scene. A
//! test compares the list with the OpenAPI document.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Value, json};

/// The ids of a scene by their names: `alice` and `bob`, who are members of its group, `groupId`,
/// `expenseId` and so on.
pub type Ids = BTreeMap<&'static str, String>;

/// The operations without authentication.
pub const OPEN: [&str; 4] = ["getHealth", "getOpenApiDocument", "listCurrencies", "listCategories"];

/// Every screen of the Mini App.
pub const SCREENS: [&str; 50] = [
    "/screens",
    "/screens/groups/{groupId}",
    "/screens/groups/{groupId}/balances",
    "/screens/groups/{groupId}/expenses/new",
    "/screens/groups/{groupId}/expenses/new?from={expenseId}",
    "/screens/groups/{groupId}/expenses/new?spending={spendingId}",
    "/screens/groups/{groupId}/expenses/{expenseId}",
    "/screens/groups/{groupId}/expenses/{expenseId}/edit",
    "/screens/groups/{groupId}/questions",
    "/screens/groups/{groupId}/questions/new",
    "/screens/groups/{groupId}/questions/new?type=text",
    "/screens/groups/{groupId}/questions/new?type=multiple_choice",
    "/screens/groups/{groupId}/questions/{questionId}",
    "/screens/groups/{groupId}/questions/{textId}",
    "/screens/groups/{groupId}/settle",
    "/screens/groups/{groupId}/settlements",
    "/screens/groups/{groupId}/settlements/{settlementId}",
    "/screens/groups/{groupId}/more",
    "/screens/groups/{groupId}/members",
    "/screens/groups/{groupId}/settings",
    "/screens/groups/{groupId}/split",
    "/screens/groups/{groupId}/schedules",
    "/screens/groups/{groupId}/schedules/{scheduleId}",
    "/screens/groups/{groupId}/schedules/{scheduleId}/edit",
    "/screens/join/{groupId}",
    "/screens/groups/{groupId}/welcome",
    "/screens/groups/{groupId}/expenses",
    "/screens/groups/{groupId}/stats",
    "/screens/groups/{groupId}/ledger",
    "/screens/groups/{groupId}/ledger/{memberId}",
    "/screens/groups/{groupId}/changes",
    "/screens/groups/{groupId}/number",
    "/screens/groups/{groupId}/points",
    "/screens/groups/{groupId}/import",
    "/screens/groups/{groupId}/export",
    "/screens/me",
    "/screens/me/days",
    "/screens/me/days/{date}",
    "/screens/me/budgets",
    "/screens/me/notifications",
    "/screens/me/tokens",
    "/screens/me/funds",
    "/screens/me/funds/{transactionId}",
    "/screens/me/friends",
    "/screens/me/friends/2",
    "/screens/funds/work",
    "/screens/groups/{groupId}/settle?to=2&amount=3&currency=EUR",
    "/screens/groups/{groupId}/expenses?q=din&category=food",
    "/screens/groups/{groupId}/expenses?deleted=true",
    "/screens/groups/{groupId}/settlements?status=pending",
];

/// A path with these ids instead of their names in braces.
#[must_use]
pub fn filled(path: &str, ids: &Ids) -> String {
    let replaced =
        |path: String, (name, id): (&&str, &String)| path.replace(&format!("{{{name}}}"), id);
    ids.iter().fold(path.to_owned(), replaced)
}

/// An operation with a request.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The `operationId` of the OpenAPI document.
    pub id: &'static str,
    /// The method.
    pub method: Method,
    /// The path of the OpenAPI document.
    pub route: &'static str,
    /// The path of the request with its query.
    path: String,
    /// The body; null if there is none.
    body: Value,
}

/// An operation whose route may have a query.
fn at(id: &'static str, method: Method, route: &'static str) -> Operation {
    let path = route.to_owned();
    let route = route.split('?').next().unwrap_or_default();
    Operation { id, method, route, path, body: Value::Null }
}

fn get(id: &'static str, route: &'static str) -> Operation {
    at(id, Method::GET, route)
}

/// The request of a screen, as an operation without an id.
#[must_use]
pub fn screen(path: &'static str) -> Operation {
    get("", path)
}

/// An update of the bot, as an operation without an id.
#[must_use]
pub fn webhook(update: Value) -> Operation {
    post("", "/api/telegram/webhook").sends(update)
}

fn post(id: &'static str, route: &'static str) -> Operation {
    at(id, Method::POST, route)
}

fn put(id: &'static str, route: &'static str) -> Operation {
    at(id, Method::PUT, route)
}

fn patch(id: &'static str, route: &'static str) -> Operation {
    at(id, Method::PATCH, route)
}

fn delete(id: &'static str, route: &'static str) -> Operation {
    at(id, Method::DELETE, route)
}

impl Operation {
    /// With another body.
    #[must_use]
    pub fn sends(self, body: Value) -> Self {
        Self { body, ..self }
    }

    /// With another query, which may be empty.
    #[must_use]
    pub fn asks(self, query: &str) -> Self {
        let mark = if query.is_empty() { "" } else { "?" };
        let path = self.path.split('?').next().unwrap_or_default();
        Self { path: format!("{path}{mark}{query}"), ..self }
    }

    /// With an id of its own, or another name of one, instead of a name of the path.
    #[must_use]
    pub fn of(self, name: &str, id: &str) -> Self {
        Self { path: self.path.replace(&format!("{{{name}}}"), id), ..self }
    }

    /// The same operation with another path.
    #[must_use]
    pub fn at(self, path: String) -> Self {
        Self { path, ..self }
    }

    /// Whether it only reads.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.method == Method::GET || self.id.starts_with("preview")
    }

    /// Whether it is about a group.
    #[must_use]
    pub fn is_of_group(&self) -> bool {
        self.route.starts_with("/api/groups/{groupId}")
    }

    /// The path of the request with its query, and names instead of ids.
    #[must_use]
    pub fn template(&self) -> &str {
        &self.path
    }

    /// The path of the request with its query.
    ///
    /// # Panics
    ///
    /// If it names what the scene does not have.
    #[must_use]
    pub fn path(&self, ids: &Ids) -> String {
        let path = filled(&self.path, ids);
        assert!(!path.contains('{'), "{path}");
        path
    }

    /// The body of the request; null if there is none.
    ///
    /// # Panics
    ///
    /// If it names what the scene does not have.
    #[must_use]
    pub fn body(&self, ids: &Ids) -> Value {
        let replaced = |body: String, (name, id): (&&str, &String)| {
            body.replace(&format!("\"${name}\""), &format!("\"{id}\""))
        };
        let body = ids.iter().fold(self.body.to_string(), replaced);
        assert!(!body.contains("\"$"), "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

/// The operation with this id.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn operation(id: &str) -> Operation {
    let operation = operations().into_iter().find(|it| it.id == id);
    operation.unwrap_or_else(|| panic!("no operation {id}"))
}

/// Every operation of the API.
#[must_use]
pub fn operations() -> Vec<Operation> {
    [
        of_groups(),
        of_members(),
        of_expenses(),
        of_the_ledger(),
        of_questions(),
        of_users(),
        of_funds(),
    ]
    .concat()
}

/// The body of a receipt whose items are claimed: three teas and a cake, 12 in all.
#[must_use]
pub fn receipt() -> Value {
    json!({ "type": "items", "prompt": "Who had what?",
        "receipt": { "description": "Café", "items": [
        { "name": "Cake", "amount": 6 }, { "name": "Tea", "amount": 6, "quantity": 3 } ] } })
}

/// The body of a question that Alice, Bob and others answer with a text.
#[must_use]
pub fn text_for<'a>(audience: impl IntoIterator<Item = &'a str>) -> Value {
    let audience: Vec<&str> = audience.into_iter().collect();
    json!({ "type": "text", "prompt": "When do we meet?", "audience": audience })
}

fn of_groups() -> Vec<Operation> {
    vec![
        get("getHealth", "/api/health"),
        get("getOpenApiDocument", "/api/openapi.json"),
        get("listGroups", "/api/groups?limit=20"),
        post("createGroup", "/api/groups").sends(
            json!({ "title": "Alps 2026", "chatId": -1_001_234_567_890_i64, "currency": "EUR" }),
        ),
        post("openGroup", "/api/groups/open").sends(json!({ "title": "Alps", "currency": "EUR" })),
        get("getGroup", "/api/groups/{groupId}"),
        patch("updateGroup", "/api/groups/{groupId}").sends(json!({ "title": "Alps 2027" })),
        get("getDebts", "/api/groups/{groupId}/debts"),
        get("exportGroup", "/api/groups/{groupId}/export?format=csv&limit=100"),
        post("importFile", "/api/groups/{groupId}/import").sends(json!({
            "file": "Date,Description,Category,Cost,Currency,A,B\n\n\
                     2025-12-30,Groceries,Groceries,30.00,EUR,15.00,-15.00\n\
                     2025-12-31,B paid A,Payment,5.00,EUR,-5.00,5.00\n\n\
                     2026-01-15,Total balance, , ,EUR,10.00,-10.00\n\n",
            "options": { "commit": true, "members": { "A": "$alice", "B": "$bob" } }
        })),
        get("listImports", "/api/groups/{groupId}/imports"),
        get("getImport", "/api/groups/{groupId}/import/{importId}"),
        delete("undoImport", "/api/groups/{groupId}/import/{importId}"),
    ]
}

fn of_members() -> Vec<Operation> {
    let wallet = || json!({ "wallet": "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF" });
    vec![
        post("joinGroup", "/api/groups/{groupId}/join").sends(wallet()),
        post("leaveGroup", "/api/groups/{groupId}/leave"),
        delete("deleteGroup", "/api/groups/{groupId}"),
        put("setWallet", "/api/groups/{groupId}/wallet").sends(wallet()),
        delete("deleteWallet", "/api/groups/{groupId}/wallet"),
        get("getInvitation", "/api/groups/{groupId}/invitation"),
        post("createInvitation", "/api/groups/{groupId}/invitation"),
        delete("deleteInvitation", "/api/groups/{groupId}/invitation"),
        post("createGuest", "/api/groups/{groupId}/members").sends(json!({ "name": "Grandpa" })),
        patch("renameGuest", "/api/groups/{groupId}/members/{memberId}")
            .sends(json!({ "name": "Granny" })),
        post("linkGuest", "/api/groups/{groupId}/members/{memberId}/link")
            .sends(json!({ "userId": "$alice" })),
        delete("withdrawLink", "/api/groups/{groupId}/members/{memberId}/link"),
        delete("removeMember", "/api/groups/{groupId}/members/{memberId}"),
        post("restoreMember", "/api/groups/{groupId}/members/{memberId}/restore"),
    ]
}

fn of_expenses() -> Vec<Operation> {
    vec![
        get("listExpenses", "/api/groups/{groupId}/expenses?limit=5"),
        post("createExpense", "/api/groups/{groupId}/expenses").sends(json!({
            "amount": 33.34, "description": "Käsefondue 🫕", "payerId": "$bob",
            "splitType": "equal", "splits": [{ "userId": "$alice" }, { "userId": "$bob" }],
            "category": "food"
        })),
        get("getExpense", "/api/groups/{groupId}/expenses/{expenseId}"),
        put("editExpense", "/api/groups/{groupId}/expenses/{expenseId}")
            .sends(json!({ "amount": 100, "description": "Hut and a guide" })),
        delete("deleteExpense", "/api/groups/{groupId}/expenses/{expenseId}"),
        post("restoreExpense", "/api/groups/{groupId}/expenses/{expenseId}/restore"),
        post("previewExpense", "/api/groups/{groupId}/expenses/preview").sends(json!({
            "amount": 33.35, "splits": [{ "userId": "$alice" }, { "userId": "$bob" }],
        })),
        post("previewExpenseEdit", "/api/groups/{groupId}/expenses/{expenseId}/preview")
            .sends(json!({ "amount": 100 })),
        get("getExpenseBreakdown", "/api/groups/{groupId}/expenses/{expenseId}/breakdown"),
        get("listExpenseHistory", "/api/groups/{groupId}/expenses/{expenseId}/history"),
        get("listSchedules", "/api/groups/{groupId}/schedules?limit=5"),
        post("createSchedule", "/api/groups/{groupId}/schedules").sends(json!({
            "expense": {
                "amount": 900, "description": "Miete", "splitType": "shares", "category": "rent",
                "splits": [{ "userId": "$alice", "weight": 2 }, { "userId": "$bob", "weight": 1 }],
            },
            "repeat": { "every": "month", "timeZone": "Europe/Berlin" },
        })),
        get("getSchedule", "/api/groups/{groupId}/schedules/{scheduleId}"),
        put("editSchedule", "/api/groups/{groupId}/schedules/{scheduleId}")
            .sends(json!({ "expense": { "amount": 950 } })),
        delete("deleteSchedule", "/api/groups/{groupId}/schedules/{scheduleId}"),
        get("listSettlements", "/api/groups/{groupId}/settlements?limit=5"),
        // Pending if Bob records it, and completed if Alice does.
        post("createSettlement", "/api/groups/{groupId}/settlements")
            .sends(json!({ "fromId": "$bob", "toId": "$alice", "amount": "10.50" })),
        get("getSettlement", "/api/groups/{groupId}/settlements/{settlementId}"),
        put("updateSettlement", "/api/groups/{groupId}/settlements/{settlementId}")
            .sends(json!({ "status": "completed" })),
    ]
}

fn of_the_ledger() -> Vec<Operation> {
    let entries = "/api/groups/{groupId}/ledger/entries";
    let opening = json!({ "entryId": "opening", "note": "From the old app", "changes": [
        { "userId": "$alice", "amount": "12.50" }, { "userId": "$bob", "amount": -12.5 } ] });
    vec![
        get("getLedgerBalance", "/api/groups/{groupId}/ledger/balance?userId={alice}"),
        get("listLedgerDays", "/api/groups/{groupId}/ledger/days?from=2026-01-01&limit=31"),
        get(
            "listLedgerEntries",
            "/api/groups/{groupId}/ledger/entries?order=asc&limit=5&userId={bob}",
        ),
        get("listLedgerEntryHistory", "/api/groups/{groupId}/ledger/entries/{entryId}"),
        post("pushEntries", entries).sends(json!({ "entries": [opening] })),
        delete("revertEntries", entries).sends(json!({ "entryIds": ["opening"] })),
        post("revertEntriesByPost", "/api/groups/{groupId}/ledger/entries/revert")
            .sends(json!({ "entryIds": ["opening"] })),
        get("getGroupStats", "/api/groups/{groupId}/stats?by=day"),
        get("listChanges", "/api/groups/{groupId}/changes"),
    ]
}

/// A receipt of Alice is asked as `{questionId}`, and a text as `{textId}`.
fn of_questions() -> Vec<Operation> {
    vec![
        get("listQuestions", "/api/groups/{groupId}/questions?limit=5&status=OPEN,PARTIAL"),
        post("askQuestion", "/api/groups/{groupId}/questions").sends(json!({
            "type": "multiple_choice", "prompt": "Fondue 🫕 oder Pizza?",
            "options": ["Fondue", "Pizza"], "category": "food", "audience": ["$alice", "$bob"],
            "requiredResponses": 2, "timeoutSeconds": 7200
        })),
        get("getQuestion", "/api/groups/{groupId}/questions/{questionId}"),
        post("answerQuestion", "/api/groups/{groupId}/questions/{questionId}/answers")
            .of("questionId", "{textId}")
            .sends(json!({ "answer": "Um acht.", "confidence": 4, "responseTimeMs": 5200 })),
        put("claimItems", "/api/groups/{groupId}/questions/{questionId}/claims")
            .sends(json!({ "items": [{ "item": 0 }, { "item": 1, "count": 2 }] })),
        post("closeQuestion", "/api/groups/{groupId}/questions/{questionId}/close"),
        post("applyReceipt", "/api/groups/{groupId}/questions/{questionId}/apply")
            .sends(json!({ "unclaimed": "payers" })),
        get("getLeaderboard", "/api/groups/{groupId}/leaderboard?limit=3"),
        get("listOwnQuestions", "/api/users/me/questions"),
        get("listOwnAnswers", "/api/users/me/answers"),
        get("listOwnPoints", "/api/users/me/points"),
    ]
}

/// The caller, who is an operator, has cash, and asked for a part of it as `{transactionId}`.
fn of_funds() -> Vec<Operation> {
    let of = |operation: Operation| operation.of("userId", "me");
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 10,
        "to": "DE89 3704 0044 0532 0130 00", "description": "My savings 🐷" });
    vec![
        of(get("getFunds", "/api/users/{userId}/funds?detail=true")),
        of(put("setAcceptance", "/api/users/{userId}/funds"))
            .sends(json!({ "currency": "EUR", "accepts": false })),
        of(get("listFundTransactions", "/api/users/{userId}/funds/transactions?limit=5")),
        of(get("getFundTransaction", "/api/users/{userId}/funds/transactions/{transactionId}")),
        of(post("createFundCredit", "/api/users/{userId}/funds/credits"))
            .sends(json!({ "fund": "cash", "currency": "EUR", "amount": 50,
                "description": "Überweisung" })),
        of(post("createBonus", "/api/users/{userId}/funds/bonuses")).sends(json!({
            "currency": "EUR", "amount": 5, "expiresAt": "2030-06-01T00:00:00Z",
                "note": "Willkommen"
        })),
        of(post("createFundDebit", "/api/users/{userId}/funds/debits")).sends(cash_out),
        of(post(
            "captureFundTransaction",
            "/api/users/{userId}/funds/transactions/{transactionId}/capture",
        ))
        .sends(json!({ "refId": "bank 4711" })),
        of(post(
            "voidFundTransaction",
            "/api/users/{userId}/funds/transactions/{transactionId}/void",
        )),
        of(post("checkFunds", "/api/users/{userId}/funds/check")),
        get("listFundWork", "/api/funds/work?limit=5"),
        get("listFundTotals", "/api/funds/totals"),
    ]
}

fn of_users() -> Vec<Operation> {
    vec![
        get("getMe", "/api/users/me"),
        get("listMyGroups", "/api/users/me/groups"),
        get("listMyExpenses", "/api/users/me/expenses"),
        get("listMyDebts", "/api/users/me/debts"),
        get("listMySettlements", "/api/users/me/settlements"),
        get("listMyActivity", "/api/users/me/activity?limit=10"),
        get("getMySummary", "/api/users/me/summary"),
        get("getShared", "/api/users/me/with/{otherId}").of("otherId", "{bob}"),
        get("listCurrencies", "/api/currencies"),
        get("listCategories", "/api/categories"),
        get("getUsage", "/api/users/me/usage"),
        get("getTargets", "/api/users/me/targets"),
        patch("updateTargets", "/api/users/me/targets").sends(json!({
            "version": 1, "currency": "EUR", "timeZone": "Europe/Berlin", "food": 300,
            "registry": { "pets": { "unit": "EUR", "label": "Pets 🐈" } }
        })),
        get("getSubscription", "/api/users/me/subscription"),
        put("setSubscription", "/api/users/me/subscription").sends(json!({
            "minIntervalMinutes": 60, "topics": ["expenses", "settlements"],
            "quietHours": { "from": 22, "to": 8 }, "language": "en"
        })),
        delete("deleteSubscription", "/api/users/me/subscription"),
        get("listTokens", "/api/users/me/tokens"),
        post("createToken", "/api/users/me/tokens").sends(json!({
            "name": "Phone shortcut", "scopes": ["write"], "expiresAt": "2099-12-31T00:00:00Z"
        })),
        delete("deleteToken", "/api/users/me/tokens/{tokenId}"),
        get("listSpendings", "/api/users/me/spendings?from=2026-01-01&to=2026-01-31"),
        post("createSpending", "/api/users/me/spendings").sends(json!({
            "title": "Flat white", "emoji": "☕", "amount": 12.5, "currency": "USD",
            "categories": { "food": 12.5 }, "userDate": "2026-01-15"
        })),
        get("getSpending", "/api/users/me/spendings/{spendingId}"),
        put("editSpending", "/api/users/me/spendings/{spendingId}")
            .sends(json!({ "amount": 4, "notes": "With oat milk" })),
        delete("deleteSpending", "/api/users/me/spendings/{spendingId}"),
        get("getMyDays", "/api/users/me/days?month=2026-01"),
        get("getMyDay", "/api/users/me/days/{date}"),
        post("rebuildMyDays", "/api/users/me/days/rebuild?from=2026-01-01&to=2026-01-31"),
    ]
}
