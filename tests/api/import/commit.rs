//! Recording the rows of a file.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::storage::keys;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Balances, FILES, Import, balances, counts, planned, splitwise};
use crate::harness::{Api, Group};

#[tokio::test]
async fn balances_after_an_import_are_those_of_its_plan() {
    for (file, answers) in FILES {
        let group = Group::new(2, "EUR").await;
        let alice = &group.members[0];
        let import = Import::of(file, answers);
        let plan = import.send(alice, &group).await;
        let plan = plan.data(200);
        assert_eq!([&plan["errors"], &plan["questions"]], [&json!([]), &json!([])], "{plan}");
        let (expenses, settlements) =
            (plan["expenses"].as_u64().unwrap(), plan["settlements"].as_u64().unwrap());
        assert_eq!(balances(&group).await, Balances::new(), "a plan writes nothing");

        let import = import.by(alice, &group, &[]).await;
        let done = import.send(alice, &group).await;
        assert_eq!(counts(&done), [expenses + settlements, 0, expenses, settlements], "{file}");
        let people = plan["members"].as_array().unwrap().len() as u64;
        assert_eq!(done.data(200)["members"], people, "{file}");
        assert_eq!(balances(&group).await, planned(plan), "{file}");
        group.verify().await;

        let before = group.api.rows().await;
        let again = import.send(alice, &group).await;
        assert_eq!(counts(&again), [0, expenses + settlements, 0, 0], "{file}");
        let plan = Import::of(file, answers).send(alice, &group).await.data(200).clone();
        let counts = ["expenses", "settlements", "alreadyThere"].map(|it| plan[it].clone());
        assert_eq!(json!(counts), json!([0, 0, expenses + settlements]), "{file}");
        assert_eq!(balances(&group).await, planned(&plan), "{file}");
        assert_eq!(again.data(200)["members"], 0);
        assert_eq!(group.api.rows().await, before, "a second import changes nothing");
    }
}

#[tokio::test]
async fn plan_knows_what_the_group_has() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 9 })).await;
    let row = |day: &'static str, nets| (day, "General", "Tea", "EUR", nets);
    let first = row("2026-01-01", vec![100, -100]);
    let second = row("2026-01-02", vec![200, -200]);
    let [one, two] =
        [vec![first.clone()], vec![first, second]].map(|it| splitwise(&["A", "D"], &it));
    let import = Import::of(&one, "{}").by(alice, &group, &[("A", "1")]).await;
    import.send(alice, &group).await.data(200);
    let plan = Import::of(&two, "{}").send(alice, &group).await.data(200).clone();
    let counts = ["expenses", "alreadyThere"].map(|name| plan[name].clone());
    assert_eq!(json!(counts), json!([1, 1]), "{plan}");
    let nets: Vec<_> = plan["balances"].as_array().unwrap().iter().collect();
    let nets: Vec<_> = nets.iter().map(|it| [&it["name"], &it["net"]]).collect();
    assert_eq!(json!(nets), json!([["A", 9], ["D", -3], ["B", -3], ["C", -3]]));
    let import = Import::of(&two, "{}").by(alice, &group, &[("A", "1")]).await;
    import.send(alice, &group).await.data(200);
    assert_eq!(balances(&group).await, planned(&plan));
}

#[tokio::test]
async fn an_expense_keeps_what_the_file_has() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let (file, answers) = FILES[0];
    let known = [("Anna Smith", "1"), ("O'Neil, Bob", "2")];
    let import = Import::of(file, answers).by(alice, &group, &known).await;
    let done = import.send(alice, &group).await;
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    // The newest is the last one of the file.
    let texts: Vec<_> = expenses.iter().map(|it| it["description"].as_str().unwrap()).collect();
    assert_eq!(texts.first(), Some(&"Settle all balances"));
    assert_eq!(texts.last(), Some(&"Train to the Alps"));
    let train = expenses.last().unwrap();
    assert_eq!(
        [
            &train["amount"],
            &train["date"],
            &train["category"],
            &train["payerId"],
            &train["splitType"]
        ],
        [&json!(100), &json!("2025-12-28"), &json!("transport"), &json!("1"), &json!("exact")]
    );
    let shares: Vec<_> =
        train["splits"].as_array().unwrap().iter().map(|it| it["amount"].to_string()).collect();
    assert_eq!(shares, ["33.33", "33.34", "33.33"]);
    let several = expenses.iter().find(|it| it["payers"].as_array().unwrap().len() > 1).unwrap();
    assert!(several["description"].as_str().unwrap().starts_with("Ski pass"), "{several}");

    let settlements = alice.pages(&group.path("/settlements"), 100).await;
    assert_eq!(settlements.len(), 1);
    let paid = &settlements[0];
    assert_eq!(
        [&paid["amount"], &paid["status"], &paid["toUserId"]],
        [&json!(45.5), &json!("completed"), &json!("1")]
    );

    let import = &done.data(200)["importId"];
    let shown = alice.get(&group.path(&format!("/import/{}", import.as_str().unwrap()))).await;
    let shown = shown.data(200);
    assert_eq!(
        [
            &shown["importId"],
            &shown["format"],
            &shown["status"],
            &shown["createdBy"],
            &shown["expenses"],
            &shown["settlements"],
            &shown["members"]
        ],
        [
            import,
            &json!("splitwise-csv"),
            &json!("done"),
            &json!("1"),
            &json!(10),
            &json!(1),
            &json!(2)
        ]
    );
    let all = alice.get(&group.path("/imports")).await;
    assert_eq!(all.data(200), &json!([shown]));

    // Each expense and settlement is found by its id, in the history and in the lists of its
    // members.
    for expense in &expenses {
        let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
        assert_eq!(alice.get(&path).await.data(200), expense);
        assert_eq!(
            alice.get(&format!("{path}/history")).await.data(200).as_array().unwrap().len(),
            1
        );
    }
    let path = group.path(&format!("/settlements/{}", paid["id"].as_str().unwrap()));
    assert_eq!(alice.get(&path).await.data(200), paid);
    let stats = alice.get(&group.path("/stats?from=2025-12-01&to=2026-01-31")).await;
    assert_eq!(stats.data(200)["currencies"][0]["expenseCount"], 8, "{}", stats.text);
}

#[tokio::test]
async fn an_imported_expense_is_edited_deleted_and_restored_like_any_other() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows = [
        ("2025-12-01", "General", "Tea", "EUR", vec![150, -150]),
        ("2025-12-01", "General", "Hut", "EUR", vec![-500, 500]),
    ];
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    import.send(alice, &group).await.data(200);
    let expenses = alice.pages(&group.path("/expenses"), 10).await;
    let path =
        |expense: &Value| group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    let tea = path(&expenses[1]);
    alice
        .put(
            &tea,
            json!({ "amount": 4, "splitType": "equal",
            "splits": [{ "userId": "1" }, { "userId": "2" }] }),
        )
        .await
        .data(200);
    group.verify().await;
    assert_eq!(group.balances().await, ["-3", "3"]);
    alice.delete(&tea).await.data(200);
    group.verify().await;
    assert_eq!(alice.get(&tea).await.code(), (404, "EXPENSE_NOT_FOUND"));
    alice.post(&format!("{tea}/restore"), json!({})).await.data(200);
    assert_eq!(alice.get(&tea).await.data(200)["amount"], 4);
    assert_eq!(
        counts(&import.send(alice, &group).await),
        [0, 2, 0, 0],
        "an edited expense is there"
    );
    alice.delete(&tea).await.data(200);
    group.verify().await;
    // An expense that was deleted by hand is imported again, as in the file.
    assert_eq!(counts(&import.send(alice, &group).await), [1, 1, 1, 0]);
    assert_eq!(alice.get(&tea).await.data(200)["amount"], 1.5);
    let deleted = alice.get(&group.path("/expenses?deleted=true")).await;
    assert_eq!(deleted.data(200), &json!([]), "it is there again");
    group.verify().await;
    assert_eq!(group.balances().await, ["-3.5", "3.5"]);
}

#[tokio::test]
async fn a_longer_export_adds_only_what_is_new() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let tea = |day| (day, "General", "Tea", "EUR", vec![150, -150]);
    let rows = [tea("2025-12-01"), tea("2025-12-01"), tea("2025-12-02"), tea("2025-12-01")];
    let known = [("A", "1"), ("B", "2")];
    for (count, expected) in
        [(2, [2, 0, 2, 0]), (4, [2, 2, 2, 0]), (4, [0, 4, 0, 0]), (1, [0, 1, 0, 0])]
    {
        let import = Import::of(&splitwise(&["A", "B"], &rows[..count]), "{}");
        let mut import = import.by(alice, &group, &known).await;
        if count == 1 {
            // The three others are gone, so the file may be of another group.
            assert_eq!(import.send(alice, &group).await.code(), (409, "IMPORT_DIFFERS"));
            import = import.confirmed(alice, &group).await;
        }
        assert_eq!(counts(&import.send(alice, &group).await), expected, "{count} rows");
        group.verify().await;
    }
    assert_eq!(group.balances().await, ["6", "-6"]);
    let imports = alice.pages(&group.path("/imports"), 1).await;
    assert_eq!(imports.len(), 3, "one for each file");
}

#[tokio::test]
async fn ten_imports_at_once_record_each_row_once() {
    let group = Group::new(3, "EUR").await;
    let (file, answers) = FILES[0];
    let known = [("Anna Smith", "1")];
    let import = Import::of(file, answers).by(&group.members[0], &group, &known).await;
    let api: Api = group.api.another();
    let sent = (0..10).map(|number| {
        let caller = group.members[number % 3].at(if number % 2 == 0 { &group.api } else { &api });
        let import = import.clone();
        let group = &group;
        async move { import.send(&caller, group).await }
    });
    let replies = join_all(sent).await;
    let recorded: u64 = replies.iter().map(|reply| counts(reply)[0]).sum();
    let guests: u64 = replies.iter().map(|it| it.data(200)["members"].as_u64().unwrap()).sum();
    assert_eq!((recorded, guests), (11, 3));
    assert_eq!(group.members[0].pages(&group.path("/expenses"), 100).await.len(), 10);
    group.verify().await;
}

#[tokio::test]
async fn an_import_that_goes_over_midnight_closes_each_day() {
    let group = Group::new(2, "EUR").await;
    let rows: Vec<_> =
        (0..100).map(|_| ("2025-12-01", "General", "Tea", "EUR", vec![100, -100])).collect();
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    // The test begins at noon, and 50 events are on the first day.
    group.api.pass(Duration::from_millis(12 * 3_600_000 - 50));
    let [alice, _] = [0, 1]
        .map(|index: u64| group.api.user(index + 1, ["A", "B"][usize::try_from(index).unwrap()]));
    let import = import.by(&alice, &group, &[("A", "1"), ("B", "2")]).await;
    assert_eq!(counts(&import.send(&alice, &group).await)[0], 100);
    let days = alice.get(&group.path("/ledger/days")).await;
    let days: Vec<_> = days
        .data(200)
        .as_array()
        .unwrap()
        .iter()
        .map(|day| (day["day"].clone(), day["sequence"].clone()))
        .collect();
    assert_eq!(days, [(json!("2026-01-15"), json!(50)), (json!("2026-01-16"), json!(100))]);
    group.verify().await;
}

#[tokio::test]
async fn past_balances_between_imported_rows_are_exact() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows: Vec<_> =
        (0..300).map(|_| ("2025-12-01", "General", "Tea", "EUR", vec![100, -100])).collect();
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    import.send(alice, &group).await.data(200);
    let entries = alice.pages(&group.path("/ledger/entries?order=asc"), 100).await;
    assert_eq!(entries.len(), 300);
    // The events of one request are later than its time.
    group.api.pass(Duration::from_mins(1));
    for sequence in [0, 1, 17, 62, 63, 64, 65, 126, 127, 128, 191, 192, 250, 299] {
        let at = entries[sequence]["createdAt"].as_str().unwrap();
        let past = alice.get(&group.path(&format!("/ledger/balance?at={at}&userId=1"))).await;
        assert_eq!(past.data(200)["balances"][0]["net"], sequence + 1, "{sequence}");
    }
}

#[tokio::test]
async fn a_guest_who_was_linked_is_the_user_when_the_file_is_imported_again() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let row = |text| ("2025-12-01", "General", text, "EUR", vec![1000, -1000]);
    let import = Import::of(&splitwise(&["A", "Robert"], &[row("Tea")]), "{}");
    import.by(alice, &group, &[("A", "1")]).await.send(alice, &group).await.data(200);
    let members = alice.get(&group.path("")).await.data(200)["members"].clone();
    let guest =
        members.as_array().unwrap().iter().find(|it| it["guest"] == true).unwrap()["id"].clone();
    group.link(guest.as_str().unwrap(), "2").await.data(200);
    assert_eq!(group.balances().await, ["10", "-10"]);
    for target in ["new guest", guest.as_str().unwrap(), "2"] {
        let import = Import::of(&splitwise(&["A", "Robert"], &[row("Tea"), row("Hut")]), "{}");
        let import = import.by(alice, &group, &[("A", "1"), ("Robert", target)]).await;
        let [imported, already_there, ..] = counts(&import.send(alice, &group).await);
        assert_eq!(imported + already_there, 2);
        group.verify().await;
    }
    assert_eq!(group.balances().await, ["20", "-20"]);
    let hut = &alice.pages(&group.path("/expenses"), 10).await[0];
    assert_eq!(hut["splits"][0]["userId"], "2", "the new expense names the user: {hut}");
}

#[tokio::test]
async fn a_line_whose_tally_is_full_is_named() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let own = json!({ "amount": 1, "date": "2025-12-02", "category": "food" });
    group.spend(0, own).await;
    let key = keys::tally(group.id.parse().unwrap(), "2025-12-02#food".parse().unwrap());
    let filler = AttributeValue::S("x".repeat(400 * 1024 - 185));
    group.api.set_attribute(key, "filler", filler).await;
    let before = balances(&group).await;
    let days = ["2025-12-01", "2025-12-02", "2025-12-03"];
    let rows = days.map(|day| (day, "Groceries", "Tea", "USD", vec![100, -100]));
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    for _ in 0..2 {
        let refused = import.send(alice, &group).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{}", refused.text);
        let rule = "line 4: the group's totals for this day and category are full";
        let expected = json!([{ "path": "file", "message": rule }]);
        assert_eq!(refused.body["details"], expected);
        group.verify().await;
    }
    // The line before it is recorded, and can be deleted.
    let imports = alice.get(&group.path("/imports")).await.data(200).clone();
    assert_eq!((&imports[0]["status"], &imports[0]["expenses"]), (&json!("running"), &json!(1)));
    let path = group.path(&format!("/import/{}", imports[0]["importId"].as_str().unwrap()));
    assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
    assert_eq!(balances(&group).await, before);
    group.verify().await;
}
