//! Filter lists of expenses.

use serde_json::{Value, json};

use crate::harness::Group;

/// Descriptions of the expenses that a filter selects.
async fn selected(group: &Group, filter: &str) -> Vec<String> {
    let listed = group.members[0].get(&group.path(&format!("/expenses?{filter}"))).await;
    let of = |expense: &Value| expense["description"].as_str().unwrap().to_owned();
    listed.data(200).as_array().unwrap().iter().map(of).collect()
}

/// Five expenses, the newest last.
async fn group() -> Group {
    let group = Group::new(3, "EUR").await;
    for (payer, body) in [
        (
            0,
            json!({ "amount": 9, "description": "Fondue", "date": "2025-12-30",
                "category": "food" }),
        ),
        (
            1,
            json!({ "amount": 8, "description": "TAXI home", "date": "2025-12-31",
            "category": "transport", "notes": "After the fondue\nIt was late" }),
        ),
        (
            2,
            json!({ "amount": 7, "description": "Skis", "date": "2026-01-02",
            "splits": [{ "userId": "1" }, { "userId": "3" }] }),
        ),
        (
            1,
            json!({ "amount": 6, "description": "Käse", "date": "2026-01-02", "category": "food",
            "splits": [{ "userId": "3" }] }),
        ),
        (0, json!({ "amount": 5, "description": "Tea" })),
    ] {
        group.spend(payer, body).await;
    }
    group
}

#[tokio::test]
async fn each_filter_selects_the_expenses_that_fulfil_it() {
    let group = group().await;
    for (filter, expected) in [
        ("from=2026-01-02", &["Tea", "Käse", "Skis"][..]),
        ("to=2025-12-31", &["TAXI home", "Fondue"]),
        ("from=2025-12-31&to=2025-12-31", &["TAXI home"]),
        ("category=food", &["Käse", "Fondue"]),
        ("payerId=2", &["Käse", "TAXI home"]),
        ("memberId=2", &["Tea", "Käse", "TAXI home", "Fondue"]),
        ("memberId=1", &["Tea", "Skis", "TAXI home", "Fondue"]),
        ("q=FONDUE", &["TAXI home", "Fondue"]),
        ("q=taxi", &["TAXI home"]),
        ("q=K%C3%84SE", &["Käse"]),
        ("q=fondue%0AIt", &[]),
        ("category=food&memberId=2&to=2025-12-30", &["Fondue"]),
        ("category=rent", &[]),
        ("payerId=99", &[]),
    ] {
        if filter.contains("%0A") {
            let refused = group.members[0].get(&group.path(&format!("/expenses?{filter}"))).await;
            assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{filter}");
        } else {
            assert_eq!(selected(&group, filter).await, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn pages_of_one_add_up_to_the_filtered_list() {
    let group = group().await;
    for filter in ["category=food", "memberId=1", "q=a", "payerId=2&from=2026-01-01", "q=zzz"] {
        let path = group.path(&format!("/expenses?{filter}"));
        let mut paged = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = group.members[0].get(&format!("{path}&limit=1{cursor}")).await;
            paged.extend(page.data(200).as_array().unwrap().clone());
            match page.body["pagination"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let whole = group.members[0].get(&path).await;
        assert_eq!(Value::from(paged), *whole.data(200), "{filter}");
    }
}

#[tokio::test]
async fn cursor_continues_only_with_the_same_filters() {
    let group = group().await;
    let alice = &group.members[0];
    let page = alice.get(&group.path("/expenses?category=food&limit=1")).await;
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    for (filter, status) in [
        ("category=food", 200),
        ("category=food&limit=2", 200),
        ("category=rent", 400),
        ("category=food&q=a", 400),
        ("", 400),
    ] {
        let path = group.path(&format!("/expenses?cursor={cursor}&{filter}"));
        let reply = alice.get(&path).await;
        assert_eq!(reply.status.as_u16(), status, "{filter}");
        if status == 400 {
            assert_eq!(reply.code(), (400, "INVALID_CURSOR"), "{filter}");
        }
    }
}

#[tokio::test]
async fn ids_of_a_user_and_of_linked_guests_select_the_same() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let one = group.guest(0, "Caro").await;
    let two = group.guest(0, "Lina").await;
    let other = group.guest(0, "Olga").await;
    for (text, member) in [("Own", "3"), ("One", &*one), ("Two", &*two), ("Other", &*other)] {
        let splits = json!([{ "userId": "1" }, { "userId": member }]);
        let body = json!({ "amount": 2, "description": text, "splits": splits });
        alice.post(&group.path("/expenses"), body).await.data(201);
        let payers = json!([{ "userId": "1", "amount": 1 }, { "userId": member, "amount": 1 }]);
        let body = json!({ "amount": 2, "description": format!("{text}, paid"), "payers": payers,
            "splits": [{ "userId": "1" }] });
        alice.post(&group.path("/expenses"), body).await.data(201);
    }
    for guest in [&one, &two] {
        group.link(guest, "3").await.data(200);
    }
    for list in [group.path("/expenses"), "/api/users/me/expenses".to_owned()] {
        for (parameter, expected) in [
            ("memberId", vec!["Two, paid", "Two", "One, paid", "One", "Own, paid", "Own"]),
            ("payerId", vec!["Two, paid", "One, paid", "Own, paid"]),
        ] {
            if parameter == "payerId" && list.starts_with("/api/users") {
                continue;
            }
            for id in ["3", &one, &two] {
                let found = alice.pages(&format!("{list}?{parameter}={id}"), 2).await;
                let found: Vec<_> =
                    found.iter().map(|it| it["description"].as_str().unwrap()).collect();
                assert_eq!(found, expected, "{list} {parameter}={id}");
            }
            let found = alice.pages(&format!("{list}?{parameter}={other}"), 2).await;
            assert_eq!(found[0]["description"], "Other, paid");
        }
    }
}

#[tokio::test]
async fn filters_of_the_callers_expenses_find_those_of_linked_guests() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let guest = bob.post(&group.path("/members"), json!({ "name": "Al" })).await;
    let guest = guest.data(201)["id"].as_str().unwrap().to_owned();
    let of_two =
        |other: &str| json!([{ "userId": "3", "amount": 6 }, { "userId": other, "amount": 3 }]);
    for body in [
        json!({ "amount": 9, "description": "Guest paid", "payerId": guest, "category": "food" }),
        json!({ "amount": 9, "description": "Part", "payers": of_two("1"), "category": "food" }),
        json!({ "amount": 9, "description": "Guest's part", "payers": of_two(&guest) }),
        json!({ "amount": 9, "description": "Bob's", "payerId": "2" }),
        json!({ "amount": 9, "description": "Alone", "payerId": "1",
            "splits": [{ "userId": "2" }] }),
    ] {
        group.spend(1, body).await;
    }
    group.link(&guest, "1").await.data(200);
    let selected = async |filter: &str, limit: usize| {
        let path = format!("/api/users/me/expenses?limit={limit}{filter}");
        let mut all = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = alice.get(&format!("{path}{cursor}")).await;
            let of = |it: &Value| it["description"].as_str().unwrap().to_owned();
            all.extend(page.data(200).as_array().unwrap().iter().map(of));
            match page.body["pagination"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    };
    for (filter, expected) in [
        ("", &["Alone", "Guest's part", "Part", "Guest paid"][..]),
        ("&category=food", &["Part", "Guest paid"]),
        ("&memberId=1", &["Alone", "Guest's part", "Part", "Guest paid"]),
        ("&memberId=3&q=PART", &["Guest's part", "Part"]),
        ("&to=2020-01-01", &[]),
    ] {
        for limit in [1, 2, 20] {
            assert_eq!(selected(filter, limit).await, expected, "{filter} by {limit}");
        }
    }
    let by_payer = alice.get(&group.path("/expenses?payerId=1")).await;
    assert_eq!(by_payer.data(200).as_array().unwrap().len(), 4, "{}", by_payer.text);
    let refused = alice.get("/api/users/me/expenses?payerId=1").await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
}

#[tokio::test]
async fn a_request_examines_at_most_1000_expenses() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 1, "description": "first" })).await;
    for _ in 0..1003 {
        group.spend(0, json!({ "amount": 1, "description": "x" })).await;
    }
    let path = group.path("/expenses?q=first");
    let page = alice.get(&path).await;
    assert_eq!(page.data(200), &json!([]), "{}", page.text);
    assert!(page.cost.requests <= 6, "{:?}", page.cost);
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    let page = alice.get(&format!("{path}&cursor={cursor}")).await;
    assert_eq!(page.data(200)[0]["description"], "first");
    assert_eq!(page.body["pagination"]["hasMore"], false);
    let full = alice.get(&group.path("/expenses?q=x&limit=100")).await;
    assert_eq!(full.data(200).as_array().unwrap().len(), 100);
    assert!(full.cost.requests <= 3, "{:?}", full.cost);
}
