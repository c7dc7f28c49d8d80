//! Pagination: lists are complete. Forged and foreign cursors are in `security/cursors.rs`.

use std::{collections::BTreeSet, time::Duration};

use fracti_tests::operations::receipt;
use serde_json::{Value, json};

use crate::{
    harness::{Api, Caller, Group},
    import::splitwise,
};

/// All items of a list, in pages of `limit`.
async fn all(caller: &Caller, path: &str, limit: usize) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = caller.get(&format!("{path}?limit={limit}{cursor}")).await;
        let data = page.data(200).as_array().unwrap();
        assert!(data.len() <= limit, "{path}");
        items.extend(data.clone());
        let pagination = &page.body["pagination"];
        assert_eq!(pagination["hasMore"], pagination["nextCursor"].is_string(), "{path}");
        match pagination["nextCursor"].as_str() {
            None => return items,
            Some(next) => {
                assert_eq!(data.len(), limit, "{path}: only the last page is short");
                cursor = format!("&cursor={next}");
            }
        }
    }
}

/// A group in which user 1 paid five expenses and five settlements, and user 2 owes.
async fn busy() -> Group {
    let group = Group::new(2, "EUR").await;
    for n in 1..=5 {
        group.spend(0, json!({ "amount": n })).await;
        let body = json!({ "toId": "2", "amount": n });
        group.members[0].post(&group.path("/settlements"), body).await.data(201);
        let chat = json!({ "title": format!("G{n}"), "chatId": n });
        group.members[0].post("/api/groups", chat).await.data(201);
    }
    group
}

#[tokio::test]
async fn every_list_is_complete_at_any_page_size() {
    let group = busy().await;
    for (caller, path, length) in [
        (0, "/api/groups".to_owned(), 6),
        (0, group.path("/expenses"), 5),
        (0, group.path("/settlements"), 5),
        (0, "/api/users/me/groups".to_owned(), 6),
        (0, "/api/users/me/expenses".to_owned(), 5),
        (1, "/api/users/me/debts".to_owned(), 5),
        (0, "/api/users/me/settlements".to_owned(), 5),
        (0, "/api/users/me/activity".to_owned(), 10),
        (1, "/api/users/me/activity".to_owned(), 10),
    ] {
        let caller = &group.members[caller];
        let whole = caller.get(&path).await.data(200).as_array().unwrap().clone();
        assert_eq!(whole.len(), length, "{path}");
        for limit in [1, 2, 5, length, 100] {
            assert_eq!(all(caller, &path, limit).await, whole, "{path} by {limit}");
        }
        let times: Vec<_> = whole.iter().map(|it| it["createdAt"].to_string()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{path}: newest first: {times:?}");
    }
}

/// A group, of whose lists user 1 has two pages of one item each, and an expense with a history.
async fn two_pages_of_each_list() -> (Group, String) {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let mut expense = String::new();
    for amount in 1..=2 {
        let made = group.spend(0, json!({ "amount": amount, "category": "food" })).await;
        expense = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
        group.spend(1, json!({ "amount": amount })).await;
        alice
            .post(&group.path("/settlements"), json!({ "toId": "2", "amount": 1 }))
            .await
            .data(201);
        // The second file is a later export of the first one.
        let row = |day| (day, "General", "Tea", "EUR", vec![100, -100]);
        let rows = [row("2026-01-11"), row("2026-01-12")];
        let file = splitwise(&["A", "B"], &rows[..amount]);
        let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
        let import = json!({ "file": file, "options": options });
        bob.post(&group.path("/import"), import).await.data(200);
        let archived = json!({ "title": "Old", "chatId": -5 });
        let archived = alice.post("/api/groups", archived).await;
        let archived = format!("/api/groups/{}", archived.data(201)["id"].as_str().unwrap());
        for group in [group.path(""), archived.clone()] {
            let questions = format!("{group}/questions");
            let mut question = receipt();
            question["receipt"]["category"] = json!("food");
            let asked = alice.post(&questions, question.clone()).await.id();
            let claims = format!("{questions}/{asked}/claims");
            alice.put(&claims, json!({ "items": [] })).await.data(200);
            bob.post(&questions, question).await;
        }
        alice.patch(&archived, json!({ "archived": true })).await.data(200);
        let rent = json!({ "expense": { "amount": 2, "description": "Rent" },
            "repeat": { "every": "year", "start": "2027-01-01" } });
        alice.post(&group.path("/schedules"), rent).await.data(201);
        let spending = json!({ "title": "Tea", "amount": 1, "currency": "EUR" });
        alice.post("/api/users/me/spendings", spending).await.data(201);
        let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 1 });
        alice.post("/api/users/me/funds/credits", cash).await.data(201);
        let token = json!({ "name": "Script", "scopes": ["read"] });
        alice.post("/api/users/me/tokens", token).await.data(201);
        group.api.pass(Duration::from_hours(13));
    }
    for amount in 3..=4 {
        group.api.user(1, "A").put(&expense, json!({ "amount": amount })).await.data(200);
    }
    let expense = expense.rsplit('/').next().unwrap().to_owned();
    (group, expense)
}

/// Names of the query parameters of an operation.
fn query_parameters(document: &Value, operation: &Value) -> BTreeSet<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let resolved = parameters.map(|it| match it["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).unwrap(),
        None => it,
    });
    let query = resolved.filter(|it| it["in"] == "query");
    query.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn next_page_of_every_list_is_the_same_request_with_a_cursor() {
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let (group, expense) = two_pages_of_each_list().await;
    let alice = group.api.user(1, "A");
    let paths = document["paths"].as_object().unwrap().iter();
    let lists = paths.map(|(path, it)| (path, query_parameters(&document, &it["get"])));
    let mut checked = 0;
    for (template, parameters) in lists.filter(|(_, parameters)| parameters.contains("cursor")) {
        let chat = if template == "/api/groups" { "&chatId=-5&archived=true" } else { "" };
        let value = |name: &str| match name {
            "from" => "2026-01-15",
            "to" => "2026-01-17",
            "order" if template.ends_with("/expenses") => "date",
            "order" => "asc",
            "category" => "food",
            "q" => "dinner",
            "limit" | "userId" | "payerId" => "1",
            "memberId" => "2",
            "format" => "json",
            "amounts" => "text",
            "kind" => "topup",
            "deleted" => "false",
            "status" if template.ends_with("/settlements") => "pending",
            "status" => "OPEN,PARTIAL",
            name => unreachable!("{template}: {name}"),
        };
        // Those of the questions that the user asked.
        let of_asked =
            if template.ends_with("/me/questions") { "asked agentId status" } else { "" };
        let others =
            ["cursor", "chatId", "archived", "waiting"].into_iter().chain(of_asked.split(' '));
        let others: BTreeSet<&str> = others.collect();
        let own = parameters.iter().filter(|it| !others.contains(&***it));
        let query: Vec<String> = own.map(|name| format!("{name}={}", value(name))).collect();
        let path = template.replace("{groupId}", &group.id).replace("{userId}", "me");
        let path = path.replace("{expenseId}", &expense).replace("{entryId}", &expense);
        let first = format!("{path}?{}{chat}", query.join("&"));
        let items = |page: &Value| {
            let list =
                if page["data"].is_array() { &page["data"] } else { &page["data"]["entries"] };
            list.as_array().unwrap().clone()
        };
        let mut request = first.clone();
        let mut seen = Vec::new();
        loop {
            let page = alice.get(&request).await;
            page.data(200);
            seen.extend(items(&page.body));
            let Some(cursor) = page.body["pagination"]["nextCursor"].as_str() else { break };
            request = format!("{first}&cursor={cursor}");
        }
        let whole = alice.get(&first.replace("limit=1", "limit=100")).await;
        assert_eq!(seen, items(&whole.body), "{first}");
        assert!(seen.len() >= 2, "{first}: {}", whole.text);
        checked += 1;
    }
    assert!(checked >= 15);
}

#[tokio::test]
async fn next_page_follows_a_deleted_row() {
    let group = busy().await;
    let alice = &group.members[0];
    let path = group.path("/expenses");
    let whole = alice.get(&path).await.data(200).as_array().unwrap().clone();
    let first = alice.get(&format!("{path}?limit=2")).await;
    let cursor = first.body["pagination"]["nextCursor"].as_str().unwrap();
    alice.delete(&format!("{path}/{}", whole[1]["id"].as_str().unwrap())).await.data(200);
    group.spend(0, json!({ "amount": 1 })).await;
    let second = alice.get(&format!("{path}?limit=2&cursor={cursor}")).await;
    assert_eq!(second.data(200).as_array().unwrap(), &whole[2..4]);
}

#[tokio::test]
async fn lists_without_items_are_empty() {
    let alice = Api::new().await.user(1, "Alice");
    for path in [
        "/api/groups",
        "/api/users/me/groups",
        "/api/users/me/expenses",
        "/api/users/me/debts",
        "/api/users/me/settlements",
        "/api/users/me/activity",
    ] {
        let list = alice.get(path).await;
        assert_eq!(list.data(200), &json!([]), "{path}");
        assert_eq!(list.body["pagination"], json!({ "hasMore": false }), "{path}");
    }
}
