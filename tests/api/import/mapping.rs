//! The mapping from people in a file to members.

use axum::http::Method;
use serde_json::{Value, json};

use super::{FILES, Import, balances, counts, splitwise};
use crate::harness::{Group, Reply};

fn details(reply: &Reply) -> Vec<(String, String)> {
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{}", reply.text);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let details = reply.body["details"].as_array().unwrap().iter();
    details.map(|it| (text(&it["path"]), text(&it["message"]))).collect()
}

#[tokio::test]
async fn every_name_must_be_mapped_to_a_present_member_or_a_new_guest() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let past = group.guest(0, "Past").await;
    alice.delete(&group.path(&format!("/members/{past}"))).await.data(200);
    let (file, answers) = FILES[0];
    let import = Import::of(file, answers).with("commit", json!(true));
    let before = group.api.rows().await;
    let missing = details(&import.send(alice, &group).await);
    assert_eq!(missing.len(), 4);
    assert_eq!(
        missing[1],
        (
            r#"options.members["O'Neil, Bob"]"#.to_owned(),
            r#"options.members["O'Neil, Bob"] is required"#.to_owned()
        )
    );
    let rule = "must be the id of a present member of the group, or \"new guest\"";
    let members = json!({ "Anna Smith": "7", "O'Neil, Bob": past, "Zoë \"Zed\" Ünal": "2",
        "דנה כהן": "new guest", "Nobody": "1" });
    let wrong = details(&import.clone().with("members", members).send(alice, &group).await);
    assert_eq!(
        wrong,
        [
            (
                r#"options.members["Anna Smith"]"#.to_owned(),
                format!(r#"options.members["Anna Smith"] {rule}"#)
            ),
            (
                r#"options.members["O'Neil, Bob"]"#.to_owned(),
                format!(r#"options.members["O'Neil, Bob"] {rule}"#)
            ),
            (
                r#"options.members["Nobody"]"#.to_owned(),
                r#"options.members["Nobody"] must name a person in the file"#.to_owned()
            ),
        ]
    );
    let members = json!({ "Anna Smith": 7, "O'Neil, Bob": null, "Zoë \"Zed\" Ünal": "carol" });
    let wrong = details(&import.with("members", members).send(alice, &group).await);
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn a_new_guest_must_not_have_the_name_of_a_member() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows = [("2025-12-01", "General", "Tea", "EUR", vec![100, -100])];
    let import = Import::of(&splitwise(&["A", "b"], &rows), "{}");
    let wrong = import.clone().with("commit", json!(true));
    let wrong = wrong.with("members", json!({ "A": "1", "b": "new guest" }));
    let wrong = details(&wrong.send(alice, &group).await);
    let rule = r#"options.members["b"] must be the id of a member: another member of the group has this name"#;
    assert_eq!(wrong, [(r#"options.members["b"]"#.to_owned(), rule.to_owned())]);

    // A guest of an earlier import comes back, unless an earlier release added the guest.
    let guest = Import::of(&splitwise(&["A", "Gus"], &rows), "{}");
    let guest = guest.by(alice, &group, &[("A", "1")]).await;
    let done = guest.send(alice, &group).await;
    let path = group.path(&format!("/import/{}", done.data(200)["importId"].as_str().unwrap()));
    let members = alice.get(&group.path("")).await.data(200)["members"].clone();
    let gus = members.as_array().unwrap().iter().find(|it| it["name"] == "Gus").unwrap();
    let id = gus["id"].as_str().unwrap();
    let gus = group.path(&format!("/members/{id}"));
    alice.delete(&path).await.data(200);
    assert_eq!(alice.get(&group.path("")).await.data(200)["memberCount"], 2);
    assert_eq!(counts(&guest.send(alice, &group).await)[0], 1);
    assert_eq!(alice.get(&group.path("")).await.data(200)["memberCount"], 3);
    alice.delete(&path).await.data(200);
    let partition = format!("GROUP#{}", group.id);
    group
        .api
        .change_row(&partition, &format!("USER#{id}"), |row| drop(row.remove("importId")))
        .await;
    let removed = details(&guest.send(alice, &group).await);
    assert_eq!(
        removed[0].1,
        r#"options.members["Gus"] must be the id of a member: the guest with this name was removed"#
    );
    alice.post(&format!("{gus}/restore"), json!({})).await.data(200);
    assert_eq!(counts(&guest.send(alice, &group).await)[0], 1);
}

#[tokio::test]
async fn a_new_guest_must_not_mean_a_user_who_has_left() {
    let group = Group::new(4, "EUR").await;
    let alice = &group.members[0];
    let people = ["A", "Bob", "Carl", "Dan"];
    let mut rows = vec![("2025-12-01", "General", "Tea", "EUR", vec![100, -100, 0, 0])];
    let targets = json!({ "A": "1", "Bob": "new guest", "Carl": "2", "Dan": "3" });
    let import = |rows: &[_]| {
        let import = Import::of(&splitwise(&people, rows), "{}");
        import.with("members", targets.clone()).with("commit", json!(true))
    };
    assert_eq!(counts(&import(&rows).send(alice, &group).await), [1, 0, 1, 0]);
    let members = alice.get(&group.path("")).await.data(200)["members"].clone();
    let bob = members.as_array().unwrap().iter().find(|it| it["name"] == "Bob").unwrap();
    group.link(bob["id"].as_str().unwrap(), "4").await.data(200);

    // The guest means the user.
    rows.push(("2025-12-02", "General", "Cake", "EUR", vec![200, -200, 0, 0]));
    assert_eq!(counts(&import(&rows).send(alice, &group).await), [1, 1, 1, 0]);
    assert_eq!(group.balances().await, ["3", "0", "0", "-3"]);
    group.pay(3, 0, "3").await;
    group.members[3].call(Method::POST, &group.path("/leave"), None).await.data(200);

    // Without the user, nobody else takes the place.
    rows.push(("2025-12-03", "General", "Hut", "EUR", vec![3000, 0, -1000, -2000]));
    rows.push(("2025-12-04", "Payment", "Dan paid", "EUR", vec![0, 0, -500, 500]));
    let before = group.api.rows().await;
    let rule = "must be the id of a member: the user to whom the guest with this name was \
                linked has left";
    let refused = details(&import(&rows).send(alice, &group).await);
    let path = r#"options.members["Bob"]"#.to_owned();
    assert_eq!(refused, [(path, format!(r#"options.members["Bob"] {rule}"#))]);
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn two_names_may_be_one_member() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows = [
        ("2025-12-01", "General", "Hut", "EUR", vec![3000, -1000, -2000]),
        ("2025-12-02", "General", "Both paid", "EUR", vec![-500, 200, 300]),
        ("2025-12-03", "Payment", "B paid Bob", "EUR", vec![0, 700, -700]),
        ("2025-12-04", "Payment", "B paid A", "EUR", vec![-900, 900, 0]),
    ];
    let known = [("A", "1"), ("B", "2"), ("Bob", "2")];
    let import =
        Import::of(&splitwise(&["A", "B", "Bob"], &rows), "{}").by(alice, &group, &known).await;
    let plan = import.clone().with("commit", json!(false)).send(alice, &group).await;
    let plan = plan.data(200);
    assert_eq!(
        [&plan["expenses"], &plan["settlements"], &plan["skipped"]],
        [&json!(2), &json!(1), &json!(1)]
    );
    let warnings = plan["warnings"].as_array().unwrap();
    let reported = json!({ "line": 5,
        "message": "the payment is left out, because payer and recipient are one member" });
    assert!(warnings.contains(&reported), "{plan}");
    assert_eq!(counts(&import.send(alice, &group).await), [3, 0, 2, 1]);
    assert_eq!(group.balances().await, ["16", "-16"]);
    let hut = &alice.pages(&group.path("/expenses"), 10).await[1];
    assert_eq!(hut["splits"], json!([{ "userId": "2", "userName": "B", "amount": 30 }]));
    group.verify().await;
}

#[tokio::test]
async fn errors_and_questions_of_a_file_are_all_reported_and_nothing_is_written() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let (file, _) = FILES[2];
    let open = Import::of(file, "{}").by(alice, &group, &[]).await;
    let reported = details(&open.send(alice, &group).await);
    assert_eq!(reported[0].0, r#"options.payers["9"]"#, "{reported:?}");
    assert!(
        reported[0].1.contains("is required: who paid 25 EUR for Reimbursement"),
        "{reported:?}"
    );
    let rows = [("2025-12-01", "General", "Tea", "EUR", vec![100, -100])];
    let good = splitwise(&["A", "B"], &rows);
    let broken =
        good.replace("1.00,-1.00\n\n", "1.00,-0.99\n2025-13-01,x,y,1.00,EUR,1.00,-1.00\n\n");
    let broken = Import::of(&broken, "{}").by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    let reported = details(&broken.send(alice, &group).await);
    assert!(reported.len() >= 2 && reported.iter().all(|(path, _)| path == "file"), "{reported:?}");
    assert!(reported[0].1.starts_with("line 3"), "{reported:?}");
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn nothing_is_written_if_the_ledger_cannot_take_one_row() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let most = 4_000_000_000_000_000_000;
    let mut reported = Vec::new();
    for day in ["2025-12-01", "2025-12-02", "2025-12-03"] {
        let mut rows = vec![(day, "General", "Tea", "EUR", vec![100, -100]); 60];
        rows.push((day, "General", "Huge", "EUR", vec![most, -most]));
        let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
        let mut import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
        if day > "2025-12-01" {
            import = import.confirmed(alice, &group).await;
        }
        let before = group.api.rows().await;
        let reply = import.send(alice, &group).await;
        if day < "2025-12-03" {
            assert_eq!(counts(&reply)[0], 61);
        } else {
            reported = details(&reply);
            assert_eq!(group.api.rows().await, before);
        }
    }
    assert_eq!(reported[0].0, "file");
    assert!(
        reported[0].1.starts_with("line 63: amount must keep the group's totals in EUR"),
        "{reported:?}"
    );
    assert_eq!(balances(&group).await.len(), 2);
}

#[tokio::test]
async fn an_open_question_ends_with_its_mark() {
    let group = Group::new(2, "EUR").await;
    let file = r#"[{"what":"Tea","amount":9.0,"date":"2026-01-01","payer_name":"A",
        "payer_weight":1.0,"owers":["A","B"]}]"#;
    let import = Import::of(file, r#"{"commit":true,"members":{"A":"1","B":"2"}}"#);
    let refused = import.send(&group.members[0], &group).await;
    let question = "options.currency is required: which currency do the amounts have?";
    assert_eq!(refused.body["message"], question);
}
