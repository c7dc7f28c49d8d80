//! Exports of groups.

mod csv;
mod json;
mod moment;
mod read;

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group, Reply};

/// All pages of an export, of this number of rows.
async fn pages(caller: &Caller, group: &str, format: &str, limit: usize) -> Vec<Reply> {
    rest(caller, group, format, limit, None).await
}

/// The pages of an export from a cursor on.
async fn rest(
    caller: &Caller,
    group: &str,
    format: &str,
    limit: usize,
    cursor: Option<String>,
) -> Vec<Reply> {
    let mut pages = Vec::new();
    let mut cursor = cursor;
    loop {
        let next = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let path = format!("/api/groups/{group}/export?format={format}&limit={limit}{next}");
        let page = caller.get(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        cursor = next_cursor(&page);
        pages.push(page);
        if cursor.is_none() {
            return pages;
        }
    }
}

fn next_cursor(page: &Reply) -> Option<String> {
    let of_body = page.body["pagination"]["nextCursor"].as_str();
    let cursor = of_body.or_else(|| page.header("next-cursor")).map(str::to_owned);
    if page.body.is_object() {
        assert_eq!(page.body["pagination"]["hasMore"], cursor.is_some());
    }
    cursor
}

/// The JSON export of these pages, as `fracti-admin export` writes it.
fn joined(pages: &[Reply]) -> Value {
    let mut whole = pages[0].body["data"].clone();
    for page in &pages[1..] {
        let data = &page.body["data"];
        for field in ["format", "version", "sequence"] {
            assert_eq!(data[field], whole[field]);
        }
        for field in ["group", "members", "balances"] {
            assert!(data.get(field).is_none(), "{field} is on the first page only");
        }
        for list in ["entries", "settlements"] {
            let rows = data[list].as_array().unwrap().clone();
            whole[list].as_array_mut().unwrap().extend(rows);
        }
    }
    whole
}

/// The JSON export of a group, in pages of this number of rows.
pub(crate) async fn exported(caller: &Caller, group: &str, limit: usize) -> Value {
    joined(&pages(caller, group, "json", limit).await)
}

/// The CSV export of a group, in pages of this number of rows.
pub(crate) async fn sheet(caller: &Caller, group: &str, limit: usize) -> String {
    pages(caller, group, "csv", limit).await.into_iter().map(|page| page.text.clone()).collect()
}

/// The entries that count, and the other ones.
fn entries(export: &Value, status: &str) -> Vec<Value> {
    let entries = export["entries"].as_array().unwrap().iter();
    entries.filter(|entry| entry["status"] == status).cloned().collect()
}

/// A group with every kind of row: present and past members, guests and a link; expenses of all
/// kinds, some edited, deleted and restored; settlements in every status; adjustments.
pub(crate) struct Eventful {
    pub(crate) group: Group,
    /// Ids of expenses: one that was edited, a deleted one, and a restored one.
    edited: String,
    deleted: String,
    restored: String,
    pending: String,
    guest: String,
}

impl Eventful {
    pub(crate) async fn new() -> Self {
        let group = Group::new(4, "EUR").await;
        let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
        let guest = group.guest(0, "Grandma").await;
        let friend = group.guest(1, "Old \"friend\", with a comma").await;
        let sharers =
            |ids: &[&str]| -> Value { ids.iter().map(|id| json!({ "userId": id })).collect() };
        group.spend(0, json!({ "amount": "10.00", "category": "food", "date": "2026-01-03", "notes": "Two\nlines" })).await;
        let edited = group.spend(1, json!({ "amount": 90, "description": "Hotel", "payers": [{ "userId": "2", "amount": 60 }, { "userId": "3" }] })).await;
        let shares = json!([{ "userId": "1", "percentage": "33.3333" }, { "userId": guest, "percentage": "66.6667" }]);
        group.spend(2, json!({ "amount": 1000, "currency": "JPY", "description": "=SUM(A1)", "splitType": "percentage", "splits": shares })).await;
        group.spend(0, json!({ "amount": "1.234", "currency": "KWD", "payerId": friend, "splits": sharers(&["1", "2", &guest]) })).await;
        group.spend(0, json!({ "amount": "-45", "description": "Deposit" })).await;
        let items = json!([
            { "name": "Wine", "amount": "15.50", "sharers": [{ "userId": "1" }, { "userId": "2", "weight": 2 }] },
            { "kind": "tip", "name": "Tip", "amount": "1.55" },
        ]);
        group.spend(3, json!({ "splitType": "itemized", "items": items })).await;
        let weights =
            json!([{ "userId": "1", "weight": "0.5" }, { "userId": friend, "weight": 2 }]);
        let restored =
            group.spend(0, json!({ "amount": 7, "splitType": "shares", "splits": weights })).await;
        let deleted = group.spend(1, json!({ "amount": 20, "description": "Mistake", "splits": sharers(&["1", &guest]) })).await;
        group.pay(1, 0, "5.5").await;
        let new = json!({ "toId": "2", "amount": 1 });
        let settle = async || group.members[0].post(&group.path("/settlements"), new.clone()).await;
        let pending = settle().await;
        let failed = settle().await;
        let fail = json!({ "status": "failed" });
        group.members[0]
            .put(
                &group.path(&format!("/settlements/{}", failed.data(201)["id"].as_str().unwrap())),
                fail,
            )
            .await
            .data(200);
        let adjustment = |name: &str| {
            json!({ "entryId": name, "note": "Opening", "changes": [{ "userId": "1", "amount": 3 }, { "userId": guest, "amount": -2 },
                { "userId": "2", "amount": -1 }, { "userId": "1", "amount": 5, "currency": "JPY" }, { "userId": "3", "amount": -5, "currency": "JPY" }] })
        };
        let push = json!([adjustment("opening"), adjustment("mistake")]);
        group.members[0].post(&group.path("/ledger/entries"), push).await.data(200);
        group.members[0]
            .post(&group.path("/ledger/entries/revert"), json!(["mistake"]))
            .await
            .data(200);
        let this = Self {
            edited: id(&edited),
            deleted: id(&deleted),
            restored: id(&restored),
            pending: id(pending.data(201)),
            guest,
            group,
        };
        let edit = json!({ "amount": 100, "description": "Hotel, and breakfast" , "payerId": "2" });
        this.member(1).put(&this.expense(&this.edited), edit).await.data(200);
        this.group.link(&this.guest, "4").await.data(200);
        this.member(1).delete(&this.expense(&this.deleted)).await.data(200);
        this.member(0).delete(&this.expense(&this.restored)).await.data(200);
        let restore = this.expense(&this.restored) + "/restore";
        this.member(0).post(&restore, json!({})).await.data(200);
        let passer_by = this.group.api.user(9, "Passer-by");
        passer_by.post(&this.group.path("/join"), json!({})).await.data(200);
        passer_by.post(&this.group.path("/leave"), json!({})).await.data(200);
        this.group.verify().await;
        this
    }

    pub(crate) fn member(&self, index: usize) -> &Caller {
        &self.group.members[index]
    }

    fn expense(&self, id: &str) -> String {
        self.group.path(&format!("/expenses/{id}"))
    }

    pub(crate) fn id(&self) -> &str {
        &self.group.id
    }
}

#[tokio::test]
async fn only_members_export_a_group() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 10 })).await;
    let path = group.path("/export");
    let stranger = group.api.user(7, "Stranger");
    let past = &group.members[1];
    for format in ["json", "csv"] {
        let path = format!("{path}?format={format}");
        assert_eq!(stranger.get(&path).await.code(), (403, "NOT_A_MEMBER"));
        let unknown = path.replace(&group.id, "0190a1b2-0000-7000-8000-000000000001");
        assert_eq!(stranger.get(&unknown).await.code(), (404, "GROUP_NOT_FOUND"));
        assert_eq!(stranger.with(None).get(&path).await.code(), (401, "NO_CREDENTIALS"));
    }
    past.post(&group.path("/settlements"), json!({ "toId": "1", "amount": 5 })).await.data(201);
    let settlements = group.path("/settlements");
    let pending = past.get(&settlements).await.data(200)[0]["id"].as_str().unwrap().to_owned();
    let complete = json!({ "status": "completed" });
    group.members[0].put(&format!("{settlements}/{pending}"), complete).await.data(200);
    past.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(past.get(&path).await.code(), (403, "LEFT"));
}

#[tokio::test]
async fn api_token_with_the_scope_read_exports() {
    let group = Group::new(1, "EUR").await;
    let path = group.path("/export");
    for (scope, status) in [("read", 200), ("write", 403)] {
        let new = json!({ "name": "Backup", "scopes": [scope] });
        let made = group.members[0].post("/api/users/me/tokens", new).await;
        let program = group.members[0].with_token(&made);
        assert_eq!(program.get(&path).await.status, status, "{scope}");
    }
}

#[tokio::test]
async fn invalid_parameters_are_refused_by_name() {
    let group = Group::new(1, "EUR").await;
    for (query, name, rule) in [
        ("format=xml", "format", "must be one of json, csv"),
        ("limit=0", "limit", "must be a whole number from 1 to 1000"),
        ("limit=1001", "limit", "must be a whole number from 1 to 1000"),
        ("page=2", "page", "unknown parameter page"),
        ("format=csv&format=json", "format", "must be given only once"),
    ] {
        let reply = group.members[0].get(&group.path(&format!("/export?{query}"))).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{query}");
        assert_eq!(reply.body["details"][0]["path"], name, "{query}");
        let message = reply.body["details"][0]["message"].as_str().unwrap();
        assert!(message.contains(rule), "{query}: {message}");
    }
    let post = group.members[0].call(Method::POST, &group.path("/export"), None).await;
    assert_eq!(post.code(), (405, "METHOD_NOT_ALLOWED"));
}

#[tokio::test]
async fn cursors_of_other_groups_and_formats_are_refused() {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    let other = Group::of(&api, 2, "EUR").await;
    for _ in 0..2 {
        group.spend(0, json!({ "amount": 10 })).await;
    }
    let read = async |group: &Group, query: &str| {
        group.members[0].get(&group.path(&format!("/export?limit=1&{query}"))).await
    };
    let mut cursors = Vec::new();
    for format in ["json", "csv"] {
        let first = read(&group, &format!("format={format}")).await;
        cursors.push((format, next_cursor(&first).unwrap()));
    }
    let list = group.members[0].get(&group.path("/expenses?limit=1")).await;
    let of_list = list.body["pagination"]["nextCursor"].as_str().unwrap().to_owned();
    let (first, others) = cursors[0].1.split_at(1);
    let forged = format!("{}{others}", if first == "A" { "B" } else { "A" });
    for (format, cursor) in &cursors {
        let query = format!("format={format}&cursor={cursor}");
        assert_eq!(read(&group, &query).await.status, 200);
        assert_eq!(read(&other, &query).await.code(), (400, "INVALID_CURSOR"), "{format}");
        let swapped = if *format == "json" { "csv" } else { "json" };
        for cursor in [cursor, &of_list, &forged, "x"] {
            let query = format!("format={swapped}&cursor={cursor}");
            assert_eq!(read(&group, &query).await.code(), (400, "INVALID_CURSOR"), "{query}");
        }
    }
}
