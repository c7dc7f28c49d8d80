//! Expenses that several members paid.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::path;
use crate::harness::{Api, Caller, Group, Reply, number};

/// Payers of a request.
fn paid<const N: usize>(payers: [(&str, &str); N]) -> Value {
    payers.map(|(user, amount)| json!({ "userId": user, "amount": amount })).into()
}

/// Each payer of a response, with their amount.
fn payers(expense: &Value) -> Vec<String> {
    let payer = |payer: &Value| format!("{} {}", payer["userName"], payer["amount"]);
    expense["payers"].as_array().unwrap().iter().map(|it| payer(it).replace('"', "")).collect()
}

/// The amount and the payer of each debt of a member, with the number of payers if it is shown.
async fn debts(member: &Caller) -> Vec<[Value; 3]> {
    let debts = member.get("/api/users/me/debts").await.data(200).clone();
    let debt =
        |debt: &Value| ["amount", "payerName", "payerCount"].map(|field| debt[field].clone());
    debts.as_array().unwrap().iter().map(debt).collect()
}

/// The members with a row of this kind.
async fn rows(group: &Group, prefix: &str) -> Vec<String> {
    let rows = group.api.rows().await.into_keys().map(|(_, sk)| sk);
    let rows = rows.filter(|sk| sk.starts_with(prefix));
    rows.map(|sk| sk.rsplit('#').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn balances_and_rows_follow_from_what_each_member_paid_and_owes() {
    let two = Value::Null;
    let exact = json!([{ "userId": "1", "amount": 80 }, { "userId": "2", "amount": 20 }]);
    let exact = json!({ "splitType": "exact", "splits": exact });
    for (amount, paid, split, balances, debtors, further) in [
        (
            80_i128,
            paid([("2", "30"), ("1", "50")]),
            json!({}),
            vec!["30", "10", "-20", "-20"],
            vec![("3", json!([20, "A", 2])), ("4", json!([20, "A", 2]))],
            &["2"][..],
        ),
        (
            90,
            paid([("1", "80"), ("2", "10")]),
            json!({}),
            vec!["50", "-20", "-30"],
            vec![("2", json!([20, "A", two])), ("3", json!([30, "A", 2]))],
            &["2"],
        ),
        (
            100,
            paid([("2", "50"), ("1", "50.00")]),
            exact,
            vec!["-30", "30"],
            vec![("1", json!([30, "B", two]))],
            &["2"],
        ),
        (
            -45,
            paid([("1", "-45")]),
            json!({}),
            vec!["-30", "15", "15"],
            vec![("2", json!([-15, "A", two])), ("3", json!([-15, "A", two]))],
            &[],
        ),
        (
            -90,
            paid([("1", "-80"), ("2", "-10")]),
            json!({}),
            vec!["-50", "20", "30"],
            vec![("2", json!([-20, "A", two])), ("3", json!([-30, "A", 2]))],
            &["2"],
        ),
    ] {
        let group = Group::new(balances.len().try_into().unwrap(), "EUR").await;
        let mut body = json!({ "amount": amount.to_string(), "payers": paid });
        body.as_object_mut().unwrap().extend(split.as_object().unwrap().clone());
        let made = group.spend(0, body).await;
        assert_eq!(group.balances().await, balances, "{made}");
        assert_eq!(made["payerId"], "1");
        assert_eq!(rows(&group, "PAID#").await, further, "{made}");
        let expected: Vec<_> = debtors.iter().map(|(member, _)| *member).collect();
        assert_eq!(rows(&group, "PART#").await, expected, "{made}");
        for (member, debt) in debtors {
            let member = group.members.iter().find(|it| it.id == member).unwrap();
            assert_eq!(json!(debts(member).await), json!([debt]), "{made}");
        }
        let entries = group.members[0].get(&group.path("/ledger/entries")).await;
        let changes = entries.data(200)[0]["changes"].as_array().unwrap().clone();
        let sum = |total: &str| {
            let changed = changes.iter().filter(|it| it[total].is_number());
            changed.map(|it| number(&it[total]).at_scale(2).unwrap()).sum::<i128>()
        };
        assert_eq!([sum("paid"), sum("owed")], [amount * 100; 2], "{made}");
        group.verify().await;
        group.members[0].delete(&path(&group, &made)).await.data(200);
        assert!(group.balances().await.iter().all(|balance| balance == "0"));
        assert_eq!(rows(&group, "PAID#").await, [""; 0]);
        assert_eq!(rows(&group, "PART#").await, [""; 0]);
        group.verify().await;
    }
}

#[tokio::test]
async fn payers_are_shown_by_amount_and_one_of_them_may_pay_the_rest() {
    let group = Group::new(4, "EUR").await;
    for (given, shown) in [
        (json!([{ "userId": "3", "amount": 30 }, { "userId": "2" }]), vec!["B 70", "C 30"]),
        (json!([{ "userId": "3" }]), vec!["C 100"]),
        (paid([("4", "100.00")]), vec!["D 100"]),
        (paid([("4", "0"), ("3", "60"), ("2", "40")]), vec!["C 60", "B 40"]),
        (paid([("1", "0"), ("2", "100")]), vec!["B 100"]),
        (json!([{ "userId": "1" }, { "userId": "2", "amount": 100 }]), vec!["B 100"]),
        (
            paid([("4", "25"), ("3", "25"), ("1", "25"), ("2", "25")]),
            vec!["A 25", "B 25", "C 25", "D 25"],
        ),
        (
            paid([("3", "33.33"), ("2", "33.33"), ("1", "33.34")]),
            vec!["A 33.34", "B 33.33", "C 33.33"],
        ),
    ] {
        let made = group.spend(0, json!({ "amount": 100, "payers": given })).await;
        assert_eq!(payers(&made), shown, "{given}");
        assert_eq!(made["payerName"], made["payers"][0]["userName"]);
        assert_eq!(made["payerId"], made["payers"][0]["userId"]);
        let at = path(&group, &made);
        assert_eq!(group.members[3].get(&at).await.data(200), &made);
        assert_eq!(group.members[3].get(&group.path("/expenses")).await.data(200)[0], made);
        group.verify().await;
    }
    let received = json!([{ "userId": "1" }, { "userId": "2", "amount": -100 }]);
    let refund = group.spend(0, json!({ "amount": -100, "payers": received })).await;
    assert_eq!(payers(&refund), ["B -100"]);
    let alone = group.spend(1, json!({ "amount": 12 })).await;
    assert_eq!(payers(&alone), ["B 12"]);
}

#[tokio::test]
async fn every_payer_may_change_an_expense() {
    let group = Group::new(4, "EUR").await;
    let [_, bob, carol, dave] = [0, 1, 2, 3].map(|index| &group.members[index]);
    let body = json!({ "amount": 9, "payers": paid([("2", "5"), ("3", "4")]) });
    let made = group.spend(0, body).await;
    let at = path(&group, &made);
    let refused = |reply: Reply| assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{reply:?}");
    refused(dave.put(&at, json!({ "description": "Taxi" })).await);
    refused(dave.delete(&at).await);
    for payer in [bob, carol] {
        payer.put(&at, json!({ "description": payer.id })).await.data(200);
        payer.delete(&at).await.data(200);
        refused(dave.post(&format!("{at}/restore"), json!({})).await);
        payer.post(&format!("{at}/restore"), json!({})).await.data(200);
    }
    carol.put(&at, json!({ "payerId": "2" })).await.data(200);
    refused(carol.put(&at, json!({ "payerId": "3" })).await);
    group.verify().await;
}

#[tokio::test]
async fn payer_filter_matches_every_payer() {
    let group = Group::new(4, "EUR").await;
    let body = json!({
        "amount": 9, "payers": paid([("2", "5"), ("3", "4")]), "splits": [{ "userId": "1" }],
    });
    let made = group.spend(0, body).await;
    for (filter, found) in [
        ("payerId=2", true),
        ("payerId=3", true),
        ("payerId=1", false),
        ("memberId=3", true),
        ("memberId=1", true),
        ("memberId=4", false),
    ] {
        let listed = group.members[0].get(&group.path(&format!("/expenses?{filter}"))).await;
        let expected = if found { json!([made]) } else { json!([]) };
        assert_eq!(listed.data(200), &expected, "{filter}");
    }
}

#[tokio::test]
async fn payers_stay_as_they_are_until_an_edit_names_others() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let body = json!({ "amount": "10.01", "payers": paid([("2", "6"), ("3", "4.01")]) });
    let made = group.spend(0, body).await;
    let at = path(&group, &made);
    let stored = || async {
        let rows = group.api.rows().await;
        let row = rows.into_iter().find(|((_, sk), _)| sk.starts_with("TX#")).unwrap().1;
        (row["payers"].clone(), row["splits"].clone())
    };
    let before = stored().await;
    // The names of the payers are those of the time when they were recorded.
    let renamed = group.api.user(2, "Bea");
    renamed.post(&group.path("/join"), json!({})).await.data(200);
    for body in [
        json!({ "description": "Taxi" }),
        json!({ "category": "travel", "amount": 10.01 }),
        json!({ "splitType": "equal" }),
    ] {
        let edited = alice.put(&at, body.clone()).await.data(200).clone();
        assert_eq!(edited["payers"], made["payers"], "{body}");
        assert_eq!(stored().await, before, "{body}");
    }
    let unchanged = group.api.rows().await;
    let same = json!({ "payers": [{ "userId": "3", "amount": "4.010" }, { "userId": "2" }] });
    alice.put(&at, same).await.data(200);
    assert_eq!(group.api.rows().await, unchanged, "the same payers change nothing");

    let swapped = paid([("3", "6"), ("2", "4.01")]);
    let edited = alice.put(&at, json!({ "payers": swapped })).await.data(200).clone();
    assert_eq!(payers(&edited), ["C 6", "B 4.01"]);
    let [first, second] = [paid([("1", "20"), ("3", "10")]), paid([("1", "45"), ("2", "45")])];
    for (body, shown, balance) in [
        (json!({ "amount": 30, "payers": first }), vec!["A 20", "C 10"], "10"),
        (json!({ "currency": "TON" }), vec!["A 20", "C 10"], "0"),
        (json!({ "currency": "EUR" }), vec!["A 20", "C 10"], "10"),
        (json!({ "amount": 60, "payerId": "3" }), vec!["C 60"], "-20"),
        (json!({ "amount": 90 }), vec!["C 90"], "-30"),
        (json!({ "payers": second }), vec!["A 45", "Bea 45"], "15"),
        (json!({ "payers": [{ "userId": "1" }], "amount": 9 }), vec!["A 9"], "6"),
    ] {
        let edited = alice.put(&at, body.clone()).await.data(200).clone();
        assert_eq!(payers(&edited), shown, "{body}");
        assert_eq!(alice.get(&at).await.data(200), &edited, "{body}");
        assert_eq!(group.balances().await[0], balance, "{body}");
        group.verify().await;
    }
    assert_eq!(rows(&group, "PAID#").await, [""; 0]);
    let history = alice.pages(&format!("{at}/history"), 100).await;
    let first = history.last().unwrap();
    assert_eq!(first["expense"]["payers"], made["payers"]);
    assert_eq!(first["expense"]["description"], "Dinner");
}

/// Payers who break a rule, of an expense of 80 EUR, with the path and the message.
fn invalid_payers() -> Vec<(Value, &'static str, &'static str)> {
    vec![
        (json!([]), "payers", "payers must not be empty"),
        (json!({}), "payers", "payers must be an array"),
        (json!([{ "amount": 80 }]), "payers[0].userId", "payers[0].userId is required"),
        (
            json!([{ "userId": "1", "amount": 80, "share": 1 }]),
            "payers[0].share",
            "unknown field payers[0].share; known fields are userId, amount",
        ),
        (paid([("1", "79")]), "payers", "the amounts sum to 79, 1 less than the amount"),
        (
            paid([("1", "50"), ("2", "30.01")]),
            "payers",
            "the amounts sum to 80.01, 0.01 more than the amount",
        ),
        (paid([("1", "0"), ("2", "0")]), "payers", "the amounts sum to 0, 80 less than the amount"),
        (
            paid([("1", "40"), ("1", "40")]),
            "payers[1].userId",
            "payers[1].userId must appear only once in payers",
        ),
        (
            paid([("1", "40"), ("9", "40")]),
            "payers[1].userId",
            "payers[1].userId must be the id of a member of the group",
        ),
        (
            paid([("1", "90"), ("2", "-10")]),
            "payers[1].amount",
            "payers[1].amount must not be negative",
        ),
        (
            paid([("1", "40.001"), ("2", "39.999")]),
            "payers[0].amount",
            "payers[0].amount must have at most 2 decimals in EUR",
        ),
        (
            json!([{ "userId": "1" }, { "userId": "2" }]),
            "payers[1].amount",
            "payers[1].amount is required: only one payer may omit it",
        ),
        (
            json!([{ "userId": "1" }, { "userId": "2", "amount": 81 }]),
            "payers",
            "the amounts sum to 81, 1 more than the amount",
        ),
        (
            json!(vec![json!({ "userId": "1", "amount": 1 }); 46]),
            "payers",
            "payers must have at most 45 items",
        ),
    ]
}

/// The same of an expense of -80 EUR.
fn invalid_payers_of_a_refund() -> Vec<(Value, &'static str, &'static str)> {
    vec![
        (paid([("1", "-79")]), "payers", "the amounts sum to -79, 1 more than the amount"),
        (
            json!([{ "userId": "1" }, { "userId": "2", "amount": -81 }]),
            "payers",
            "the amounts sum to -81, 1 less than the amount",
        ),
        (
            paid([("1", "-90"), ("2", "10")]),
            "payers[1].amount",
            "payers[1].amount must not be positive: the expense is negative",
        ),
    ]
}

#[tokio::test]
async fn broken_rules_about_payers_are_named_and_change_nothing() {
    let group = Group::new(4, "EUR").await;
    let alice = &group.members[0];
    let single = group.spend(0, json!({ "amount": 80 })).await;
    let several = paid([("1", "50.05"), ("2", "29.95")]);
    let several = group.spend(0, json!({ "amount": 80, "payers": several })).await;
    let before = group.api.rows().await;
    for (amount, rows) in [(80, invalid_payers()), (-80, invalid_payers_of_a_refund())] {
        for (payers, at, message) in rows {
            let body = json!({ "amount": amount, "description": "x", "payers": payers });
            for reply in [
                alice.post(&group.path("/expenses"), body.clone()).await,
                alice.put(&path(&group, &single), body.clone()).await,
                alice.put(&path(&group, &several), body).await,
            ] {
                assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{payers}");
                assert_eq!(reply.body["details"][0], json!({ "path": at, "message": message }));
            }
        }
    }
    let both = json!({ "payerId": "1", "payers": paid([("1", "40"), ("2", "40")]) });
    let needed = "payers or payerId is required for a new amount of an expense with several payers";
    for (body, at, message) in [
        (both, "payerId", "payerId must be left out if payers is given"),
        (json!({ "amount": 81 }), "payers", needed),
        (json!({ "amount": 81, "currency": "USD" }), "payers", needed),
        (
            json!({ "currency": "JPY" }),
            "payers[0].amount",
            "payers[0].amount must have at most 0 decimals in JPY",
        ),
    ] {
        let reply = alice.put(&path(&group, &several), body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}");
        assert_eq!(reply.body["details"][0], json!({ "path": at, "message": message }), "{body}");
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn payers_follow_the_sum_of_the_lines() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let items = |wine: &str| {
        json!([{ "name": "Wine", "amount": wine },
        { "kind": "tip", "name": "Tip", "amount": 3 }])
    };
    let body = json!({
        "splitType": "itemized", "items": items("27"),
        "payers": [{ "userId": "1", "amount": 20 }, { "userId": "2" }],
    });
    let made = group.spend(0, body).await;
    assert_eq!((&made["amount"], payers(&made)), (&json!(30), vec!["A 20".into(), "B 10".into()]));
    let at = path(&group, &made);
    let reply = bob.put(&at, json!({ "items": items("30") })).await;
    let message =
        "payers or payerId is required for a new amount of an expense with several payers";
    assert_eq!(reply.body["details"], json!([{ "path": "payers", "message": message }]));
    let payers_too = json!({ "items": items("30"), "payers": paid([("1", "11"), ("3", "22")]) });
    let edited = bob.put(&at, payers_too).await.data(200).clone();
    assert_eq!(payers(&edited), ["C 22", "A 11"]);
    assert_eq!(alice.put(&at, json!({ "items": items("30.00") })).await.data(200), &edited);
    assert_eq!(group.balances().await, ["0", "-11", "11"]);

    // The row of a further payer has the number of the lines instead of the lines.
    let rows = group.api.rows().await;
    let row = rows.into_iter().find(|((_, sk), _)| sk.starts_with("PAID#")).unwrap().1;
    assert!(!row.contains_key("items"));
    let mine = alice.get("/api/users/me/expenses").await.data(200)[0].clone();
    let carol = group.members[2].get("/api/users/me/expenses").await.data(200)[0].clone();
    for expense in [mine, carol] {
        assert_eq!((&expense["itemCount"], &expense["items"]), (&json!(2), &Value::Null));
    }
    group.verify().await;
}

#[tokio::test]
async fn all_mistakes_of_payers_are_reported_in_order() {
    let group = Group::new(2, "EUR").await;
    let body = json!({
        "amount": 10, "description": " ", "payerId": "1", "splitType": "half",
        "payers": [{ "userId": "9", "amount": -1 }, { "userId": "2", "amount": "x" },
            { "userId": "2", "amount": 0.001 }, 7],
    });
    let reply = group.members[0].post(&group.path("/expenses"), body).await;
    let details = reply.body["details"].as_array().unwrap();
    let paths: Vec<_> = details.iter().map(|detail| detail["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "description",
            "payerId",
            "payers[0].userId",
            "payers[0].amount",
            "payers[1].amount",
            "payers[2].userId",
            "payers[2].amount",
            "payers[3]",
            "splitType",
        ]
    );
}

#[tokio::test]
async fn splits_and_further_payers_are_at_most_45() {
    let group = Group::new(91, "EUR").await;
    let alice = &group.members[0];
    let shares = |from: u64, to: u64| {
        (from..=to).map(|id| json!({ "userId": id.to_string() })).collect::<Vec<_>>()
    };
    let body = |payers: &Value, shares: &[Value]| {
        json!({ "amount": 90, "description": "x", "payers": payers,
            "splits": shares })
    };
    let three = paid([("1", "30"), ("90", "30"), ("91", "30")]);
    let two = paid([("1", "40"), ("91", "50")]);
    let new = group.path("/expenses");
    let made = alice.post(&new, body(&two, &shares(2, 45))).await.data(201).clone();
    alice.post(&new, body(&paid([("1", "90")]), &shares(2, 46))).await.data(201);
    let before = group.api.rows().await;
    for reply in [
        alice.post(&new, body(&three, &shares(2, 45))).await,
        alice.put(&path(&group, &made), json!({ "payers": three })).await,
        alice.put(&path(&group, &made), json!({ "splits": shares(2, 46) })).await,
    ] {
        assert_eq!(reply.code(), (422, "TOO_MANY_SPLITS"), "{reply:?}");
        let message = "An expense must have at most 45 splits and further payers, not 46.";
        assert_eq!(reply.body["message"], message);
    }
    assert_eq!(group.api.rows().await, before);

    // Every row beside the expense changes, and the first event of a day writes a closing: 96
    // actions.
    group.api.pass(std::time::Duration::from_hours(24));
    let alice = group.api.user(1, "A");
    let other = json!({ "splits": shares(46, 89), "payers": paid([("45", "60"), ("90", "30")]) });
    alice.put(&path(&group, &made), other).await.data(200);
    let others: BTreeSet<String> = (46..=89).map(|id| id.to_string()).collect();
    let debtors = group.api.rows().await.into_keys().map(|(_, sk)| sk);
    let id = made["id"].as_str().unwrap();
    let debtors =
        debtors.filter_map(|sk| Some(sk.strip_prefix(&format!("PART#{id}#"))?.to_owned()));
    assert_eq!(debtors.collect::<BTreeSet<_>>(), others);
    assert_eq!(rows(&group, "PAID#").await, ["90"]);
    group.verify().await;
}

#[tokio::test]
async fn further_payer_finds_the_expense_through_a_row_of_their_own() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let body = json!({ "amount": 30, "payers": paid([("1", "20"), ("2", "10")]) });
    let made = group.spend(0, body).await;
    let at = path(&group, &made);
    let row = || async {
        let rows = group.api.rows().await.into_iter();
        rows.filter(|((_, sk), _)| sk.starts_with("PAID#")).map(|(_, row)| row).collect::<Vec<_>>()
    };
    let first = row().await;
    let [only] = first.as_slice() else { panic!("{first:?}") };
    let text = |name: &str| only[name].as_s().unwrap().clone();
    let id = made["id"].as_str().unwrap();
    let created_at = made["createdAt"].as_str().unwrap();
    assert_eq!(text("PK"), format!("GROUP#{}", group.id));
    assert_eq!(text("SK"), format!("PAID#{id}#2"));
    assert_eq!(
        (text("GSI1PK"), text("GSI1SK")),
        ("USER#2".to_owned(), format!("PAID#{created_at}"))
    );
    assert_eq!((text("paidBy"), text("id")), ("2".to_owned(), id.to_owned()));
    assert!(["GSI2PK", "GSI3PK"].iter().all(|key| !only.contains_key(*key)));

    let mine = bob.get("/api/users/me/expenses").await.data(200).clone();
    let mut expected = made.clone();
    expected["groupTitle"] = json!("Alps");
    expected["yourShare"] = json!(10);
    expected["yourPayment"] = json!(10);
    assert_eq!(mine, json!([expected]));
    assert_eq!(alice.get("/api/users/me/expenses").await.data(200)[0]["yourPayment"], 20);

    alice.put(&at, json!({ "description": "Taxi" })).await.data(200);
    let mine = bob.get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!(mine[0]["description"], "Taxi");
    alice.delete(&at).await.data(200);
    assert!(row().await.is_empty());
    assert_eq!(bob.get("/api/users/me/expenses").await.data(200), &json!([]));
    bob.post(&format!("{at}/restore"), json!({})).await.data(200);
    assert_eq!(row().await.len(), 1);
    // The largest payer is the main one, so the two change places.
    alice.put(&at, json!({ "payers": paid([("1", "10"), ("2", "20")]) })).await.data(200);
    assert_eq!(rows(&group, "PAID#").await, ["1"]);
    let mine = bob.get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!((&mine[0]["yourPayment"], mine.as_array().unwrap().len()), (&json!(20), 1));
    group.verify().await;
}

#[tokio::test]
async fn lists_merge_the_expenses_of_main_and_further_payers() {
    let api = Api::new().await;
    let mut groups = Vec::new();
    for _ in 0..3 {
        groups.push(Group::of(&api, 3, "EUR").await);
    }
    let alice = &groups[0].members[0];
    let mut made = BTreeSet::new();
    // In each round, expenses of all groups share a millisecond.
    for round in 0..5 {
        for (index, group) in groups.iter().enumerate() {
            let payers = match (round + index) % 4 {
                0 => paid([("1", "3")]),
                1 => paid([("1", "1"), ("2", "2")]),
                2 => paid([("1", "2"), ("2", "1")]),
                _ => paid([("3", "1.5"), ("1", "1.50")]),
            };
            let expense = group.spend(1, json!({ "amount": 3, "payers": payers })).await;
            made.insert(expense["id"].as_str().unwrap().to_owned());
            group.spend(1, json!({ "amount": 3, "payers": paid([("2", "2"), ("3", "1")]) })).await;
        }
        api.pass(std::time::Duration::from_millis(500));
    }
    let whole = alice.pages("/api/users/me/expenses", 100).await;
    let ids: Vec<_> = whole.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), made.len());
    assert_eq!(ids.iter().cloned().collect::<BTreeSet<_>>(), made);
    assert!(whole.is_sorted_by(|a, b| a["createdAt"].as_str() >= b["createdAt"].as_str()));
    let feed = alice.pages("/api/users/me/activity", 100).await;
    let of_kind = |kind: &str| feed.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    let paid: Vec<_> = of_kind("expense_paid").iter().map(|it| it["amount"].clone()).collect();
    let payments: Vec<_> = whole.iter().map(|it| it["yourPayment"].clone()).collect();
    assert_eq!(paid, payments);
    assert_eq!(of_kind("expense_owed").len(), 15);
    for limit in [1, 2, 3, 7, 14, 15, 16] {
        assert_eq!(alice.pages("/api/users/me/expenses", limit).await, whole, "by {limit}");
        assert_eq!(alice.pages("/api/users/me/activity", limit).await, feed, "by {limit}");
    }
}

#[tokio::test]
async fn payer_who_still_owes_is_listed_as_payer_and_as_debtor() {
    let group = Group::new(3, "EUR").await;
    let bob = &group.members[1];
    let body = json!({ "amount": 90, "payers": paid([("1", "80"), ("2", "10")]) });
    group.spend(0, body).await;
    let feed = bob.get("/api/users/me/activity").await.data(200).clone();
    let listed: Vec<Value> = feed
        .as_array()
        .unwrap()
        .iter()
        .map(|event| json!([event["type"], event["amount"], event["otherPartyId"]]))
        .collect();
    assert_eq!(listed, [json!(["expense_paid", 10, null]), json!(["expense_owed", 20, "1"])]);
    let summary = bob.get("/api/users/me/summary").await.data(200).clone();
    assert_eq!(
        summary["currencies"],
        json!([{ "currency": "EUR", "paid": 10, "owed": 30, "sent": 0, "received": 0, "net": -20 }])
    );
}

#[tokio::test]
async fn repeated_request_with_payers_gets_the_first_response() {
    let group = Group::new(3, "EUR").await;
    let body = json!({
        "amount": 9, "description": "Hut",
            "payers": [{ "userId": "3", "amount": 4 }, { "userId": "2" }],
    });
    let new = group.path("/expenses");
    let post = || group.members[0].post_once("key", &new, body.clone());
    let first = post().await;
    assert_eq!(payers(first.data(201)), ["B 5", "C 4"]);
    let before = group.api.rows().await;
    let again = post().await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.text, first.text);
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_payers_who_edit_the_same_state_one_is_refused() {
    let group = Group::new(3, "EUR").await;
    let [_, bob, carol] = [0, 1, 2].map(|index| group.members[index].clone());
    let body = json!({ "amount": 9, "payers": paid([("2", "5"), ("3", "4")]) });
    let made = group.spend(0, body).await;
    let at = path(&group, &made);
    let tag = bob.get(&at).await.header("etag").unwrap().to_owned();
    // Each in a separate process, so that they do not queue for the group.
    let [bob, carol] = [bob.at(&group.api.another()), carol.at(&group.api.another())];
    let (one, two) = tokio::join!(
        bob.put_if(&tag, &at, json!({ "payers": paid([("2", "8"), ("3", "1")]) })),
        carol.put_if(&tag, &at, json!({ "payers": paid([("2", "4"), ("3", "5")]) })),
    );
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    let further = if one.status == 200 { "3" } else { "2" };
    assert_eq!(rows(&group, "PAID#").await, [further]);
    group.verify().await;
}

#[tokio::test]
async fn any_member_acts_for_a_guest_among_the_payers() {
    let group = Group::new(3, "EUR").await;
    let [alice, _, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let guest = group.guest(0, "Grandma").await;
    let body = json!({ "amount": 40, "payers": paid([("2", "30"), (&guest, "10")]) });
    let made = group.spend(0, body).await;
    assert_eq!(payers(&made), ["B 30", "Grandma 10"]);
    assert_eq!(rows(&group, "PAID#").await, [&*guest]);
    let at = path(&group, &made);
    carol.put(&at, json!({ "payers": paid([(&guest, "40")]) })).await.data(200);
    assert_eq!(rows(&group, "PAID#").await, [""; 0]);
    carol.put(&at, json!({ "payerId": "2" })).await.data(200);
    let refused = carol.put(&at, json!({ "payerId": "3" })).await;
    assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
    alice.delete(&at).await.data(200);
    group.verify().await;
}
