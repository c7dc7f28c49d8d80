//! Later exports of a group that was imported before: rows were edited, deleted and added in the
//! app, and people were renamed.

use std::time::Duration;

use serde_json::{Value, json};

use super::{FILES, Import, balances, counts, planned, round_trip::empty, splitwise};
use crate::{
    export::exported,
    harness::{Caller, Group, Reply},
};

/// A group in an app at two moments.
struct Moments {
    before: (&'static str, &'static str),
    after: (&'static str, &'static str),
    /// Numbers of rows that are changed, gone and new, as Fracti sees them. Without ids, an edited
    /// row is one that is gone and a new one.
    differences: [u64; 3],
    /// A name in the file, and what it is renamed to.
    renamed: [&'static str; 2],
}

const APPS: [Moments; 8] = [
    Moments {
        before: FILES[0],
        after: (include_str!("../../fixtures/import/later/splitwise.csv"), "{}"),
        differences: [0, 2, 2],
        renamed: ["Anna Smith", "Anna Jones"],
    },
    Moments {
        before: FILES[1],
        after: (include_str!("../../fixtures/import/later/spliit.json"), "{}"),
        differences: [1, 1, 1],
        renamed: ["\"name\":\"Anna\"", "\"name\":\"Anna Jones\""],
    },
    Moments {
        before: FILES[2],
        after: (
            include_str!("../../fixtures/import/later/spliit.csv"),
            r#"{"payers":{"8":"דנה כהן","9":"Anna"}}"#,
        ),
        differences: [0, 2, 2],
        renamed: ["\"Anna\"", "\"Anna Jones\""],
    },
    Moments {
        before: FILES[3],
        after: (include_str!("../../fixtures/import/later/ihatemoney.json"), "{}"),
        differences: [0, 2, 2],
        renamed: ["\"Anna\"", "\"Anna Jones\""],
    },
    Moments {
        before: FILES[5],
        after: (include_str!("../../fixtures/import/later/cospend.csv"), "{}"),
        differences: [0, 2, 2],
        renamed: ["Anna", "Anna Jones"],
    },
    Moments {
        before: FILES[6],
        after: (include_str!("../../fixtures/import/later/splitwise.json"), "{}"),
        differences: [1, 1, 1],
        renamed: ["\"first_name\": \"Anna\"", "\"first_name\": \"Anna Maria\""],
    },
    Moments {
        before: FILES[8],
        after: (include_str!("../../fixtures/import/later/settleup.csv"), "{}"),
        differences: [0, 2, 2],
        renamed: ["Anna", "Anna Jones"],
    },
    Moments {
        before: FILES[10],
        after: (include_str!("../../fixtures/import/later/tricount.json"), "{}"),
        differences: [1, 1, 1],
        renamed: ["\"display_name\": \"Anna\"", "\"display_name\": \"Anna Jones\""],
    },
];

/// A group into which the file was imported; all people are guests but Alice, who is in no file.
async fn imported(file: (&str, &str)) -> (Group, u64) {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(file.0, file.1).by(alice, &group, &[]).await;
    let [imported, ..] = counts(&import.send(alice, &group).await);
    (group, imported)
}

async fn plan(import: &Import, caller: &Caller, group: &Group) -> Value {
    let plan = import.clone().with("commit", json!(false)).send(caller, group).await;
    plan.data(200).clone()
}

/// The members as whom a plan knows the people, as options.
fn recognized(plan: &Value) -> Value {
    let people = plan["members"].as_array().unwrap().iter();
    let people = people.map(|it| (it["name"].as_str().unwrap(), it["match"]["memberId"].clone()));
    people.map(|(name, id)| (name.to_owned(), id)).collect::<serde_json::Map<_, _>>().into()
}

fn refused(reply: &Reply) -> &str {
    assert_eq!(reply.code(), (409, "IMPORT_DIFFERS"), "{}", reply.text);
    reply.body["message"].as_str().unwrap()
}

#[tokio::test]
async fn changed_and_gone_rows_are_shown_and_stay_unless_they_are_confirmed() {
    for Moments { before, after, differences: [changed, gone, new], .. } in APPS {
        let (group, imported) = imported(before).await;
        let alice = &group.members[0];
        let later = Import::of(after.0, after.1);
        let plan = plan(&later, alice, &group).await;
        let of = &plan["differences"];
        let shown = ["changed", "edited", "gone"].map(|it| of[it].as_u64().unwrap());
        assert_eq!(shown, [changed, 0, gone], "{plan}");
        assert_eq!(of["rows"].as_array().unwrap().len() as u64, changed + gone, "{plan}");
        assert_eq!(plan["alreadyThere"], imported - gone, "{plan}");

        let later = later.with("members", recognized(&plan)).with("commit", json!(true));
        let rows = group.api.rows().await;
        let expected = format!(
            "The file is a later export: {changed} of its rows have changed since an earlier \
             import, and {gone} rows of earlier imports are not in it; see the differences in the \
             plan, and send its confirm."
        );
        assert_eq!(refused(&later.send(alice, &group).await), expected);
        let wrong = later.clone().with("confirm", json!("0123456789abcdef0123456789abcdef"));
        assert_eq!(refused(&wrong.send(alice, &group).await), expected);
        assert_eq!(group.api.rows().await, rows, "a refused import writes nothing");

        let later = later.with("confirm", of["confirm"].clone());
        let done = later.send(alice, &group).await;
        assert_eq!(counts(&done)[..2], [new, imported - gone]);
        assert_eq!(done.data(200)["members"], 0, "{}", done.text);
        assert_eq!(balances(&group).await, planned(&plan));
        // The request may be repeated.
        assert_eq!(counts(&later.send(alice, &group).await)[..2], [0, imported - gone + new]);
        group.verify().await;
    }
}

#[tokio::test]
async fn places_and_differences_are_in_words() {
    let row = |text: &'static str, cents: i64| {
        ("2026-01-02", "General", text, "EUR", vec![cents, -cents])
    };
    let (group, _) =
        imported((&splitwise(&["X", "Y"], &[row("Tea", 100), row("Hut", 700)]), "{}")).await;
    let alice = &group.members[0];
    let later = Import::of(&splitwise(&["X", "Y"], &[row("Hut", 700), row("Cake", 300)]), "{}");
    let rows = plan(&later, alice, &group).await["differences"]["rows"].clone();
    assert_eq!(rows[0]["message"], "Tea of 2026-01-02, 1 EUR is not in the file");
    let expense = group.path(&format!("/expenses/{}", rows[0]["entryId"].as_str().unwrap()));
    assert_eq!(alice.get(&expense).await.data(200)["description"], "Tea");

    let Moments { before, after, .. } = &APPS[1];
    let (group, _) = imported(*before).await;
    let later = Import::of(after.0, after.1);
    let rows = plan(&later, &group.members[0], &group).await["differences"]["rows"].clone();
    let message = "Coffee of 2026-01-30, 10.01 EUR, differs in amount, payers, shares; the file has \
                   Coffee of 2026-01-30, 25.01 EUR";
    let expected = json!({ "kind": "changed", "path": "expenses[1]", "entryId": rows[0]["entryId"],
        "message": message });
    assert_eq!(rows[0], expected);
}

#[tokio::test]
async fn a_person_who_was_renamed_keeps_the_rows() {
    for Moments { before, renamed: [from, to], .. } in APPS {
        let (group, imported) = imported(before).await;
        let alice = &group.members[0];
        let renamed = Import::of(&before.0.replace(from, to), &before.1.replace(from, to));
        let people = plan(&renamed, alice, &group).await["members"].clone();
        let people = people.as_array().unwrap();
        let open: Vec<&Value> = people.iter().filter(|it| it["match"].is_null()).collect();
        let has_ids = before.0.starts_with('{');
        if has_ids {
            assert!(open.is_empty(), "{people:?}");
            assert!(people.iter().all(|it| it["match"]["by"] == "id"), "{people:?}");
        } else {
            // The ids of rows in Spliit's CSV are without names, so the rows show who it is.
            let is_known = |it: &&Value| it["match"]["by"] == "import";
            assert_eq!(open.len() + people.iter().filter(is_known).count(), 1, "{people:?}");
        }
        // As a new guest, the person of an app with ids is the same guest; another's rows would be
        // recorded again.
        let as_new = renamed.clone().by(alice, &group, &[]).await.send(alice, &group).await;
        if has_ids {
            assert_eq!(counts(&as_new)[..2], [0, imported]);
            assert_eq!(as_new.data(200)["members"], 0);
            continue;
        }
        refused(&as_new);
        // The member who was Anna has her rows under the old name.
        let members = alice.get(&group.path("")).await.data(200)["members"].clone();
        let was = |it: &&Value| it["name"].as_str().unwrap().starts_with("Anna");
        let anna = members.as_array().unwrap().iter().find(was).unwrap()["id"].clone();
        let mut names = people.iter().map(|it| it["name"].as_str().unwrap());
        let name = names.find(|it| it.starts_with("Anna Jones")).unwrap();
        let names = [(name, anna.as_str().unwrap())];
        let renamed = renamed.by(alice, &group, &names).await;
        let planned = plan(&renamed, alice, &group).await;
        assert_eq!(planned["differences"], Value::Null, "{planned}");
        let done = renamed.send(alice, &group).await;
        assert_eq!(counts(&done)[..2], [0, imported]);
        assert_eq!(done.data(200)["members"], 0);
        group.verify().await;
    }
}

#[tokio::test]
async fn a_person_of_fracti_who_was_renamed_or_linked_keeps_the_guest() {
    let source = Group::new(2, "EUR").await;
    let [alice, _] = [0, 1].map(|index| &source.members[index]);
    let guest = source.guest(0, "Grandma").await;
    source
        .spend(0, json!({ "amount": 30, "splits": [{ "userId": "1" }, { "userId": guest }] }))
        .await;
    let copy = empty(&source.api).await;
    let import = |export: Value| Import::of(&export.to_string(), "{}");
    let owner = &copy.members[0];
    let first = import(exported(alice, &source.id, 10).await);
    let first = first.by(owner, &copy, &[]).await;
    let done = first.send(owner, &copy).await;
    assert_eq!((counts(&done)[0], &done.data(200)["members"]), (1, &json!(3)));

    let member = source.path(&format!("/members/{guest}"));
    alice.patch(&member, json!({ "name": "Granny" })).await.data(200);
    let renamed = import(exported(alice, &source.id, 10).await);
    let done = renamed.by(owner, &copy, &[]).await.send(owner, &copy).await;
    assert_eq!(counts(&done)[..2], [0, 1]);
    assert_eq!(done.data(200)["members"], 0, "the guest stays");

    source.link(&guest, "2").await.data(200);
    let linked = import(exported(alice, &source.id, 10).await);
    let planned = plan(&linked, owner, &copy).await;
    let ids = planned["members"].as_array().unwrap().iter().map(|it| it["match"]["by"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), ["id", "id"], "{planned}");
}

#[tokio::test]
async fn people_are_recognized_by_the_rows_of_an_earlier_import() {
    for Moments { before, .. } in APPS {
        let group = Group::new(2, "EUR").await;
        let alice = &group.members[0];
        let import = Import::of(before.0, before.1);
        let people = plan(&import, alice, &group).await["members"].clone();
        let name = people[0]["name"].as_str().unwrap().to_owned();
        let import = import.by(alice, &group, &[(&name, "2")]).await;
        let [imported, ..] = counts(&import.send(alice, &group).await);
        let planned = plan(&Import::of(before.0, before.1), alice, &group).await;
        let matched = &planned["members"][0]["match"];
        assert_eq!([&matched["memberId"], &matched["by"]], [&json!("2"), &json!("import")]);
        assert_eq!(planned["differences"], Value::Null, "{planned}");
        assert_eq!(planned["alreadyThere"], imported);
    }
}

#[tokio::test]
async fn a_corrected_answer_is_not_ignored() {
    let (file, _) = FILES[4];
    let file = file.replace(",EUR,", ",XXX,");
    let (group, imported) = imported((&file, r#"{"currency":"EUR"}"#)).await;
    let alice = &group.members[0];
    let known = recognized(&plan(&Import::of(&file, r#"{"currency":"EUR"}"#), alice, &group).await);
    let corrected =
        Import::of(&file, r#"{"currency":"USD","commit":true}"#).with("members", known.clone());
    let rows = group.api.rows().await;
    // Those in other currencies stay.
    assert!(refused(&corrected.send(alice, &group).await).contains(": 7 of its rows have changed"));
    let rows_of = |plan: &Value| plan["differences"]["rows"].clone();
    let shown = rows_of(&plan(&corrected, alice, &group).await);
    assert!(shown[0]["message"].as_str().unwrap().contains("differs in currency"), "{shown}");

    // Another member for one of the people.
    let mut members = known;
    members["Anna"] = json!("1");
    let other = Import::of(&file, r#"{"currency":"EUR","commit":true}"#).with("members", members);
    refused(&other.send(alice, &group).await);
    assert_eq!(group.api.rows().await, rows, "nothing is written, nor an import listed");
    assert!(imported > 0);
}

#[tokio::test]
async fn rows_that_a_member_has_edited_since_need_no_confirmation() {
    let (group, imported) = imported(FILES[1]).await;
    let alice = &group.members[0];
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    let coffee = expenses.iter().find(|it| it["description"] == "Coffee").unwrap();
    let path = group.path(&format!("/expenses/{}", coffee["id"].as_str().unwrap()));
    alice.put(&path, json!({ "description": "Espresso" })).await.data(200);
    let again = Import::of(FILES[1].0, "{}");
    let planned = plan(&again, alice, &group).await;
    let of = &planned["differences"];
    assert_eq!([&of["changed"], &of["edited"], &of["gone"]], [0, 1, 0], "{planned}");
    assert_eq!(of["confirm"], Value::Null);
    let message = of["rows"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("it was edited in the group since, and stays as it is"), "{message}");
    let again = again.with("members", recognized(&planned)).with("commit", json!(true));
    assert_eq!(counts(&again.send(alice, &group).await)[..2], [0, imported]);
    assert_eq!(alice.get(&path).await.data(200)["description"], "Espresso");
}

#[tokio::test]
async fn a_file_of_another_group_differs_only_if_the_app_does_not_name_groups() {
    let file = |group: &str, expense: &str| {
        json!({ "id": group, "name": group, "currency": "€", "currencyCode": "EUR",
            "participants": [{ "id": "p1", "name": "Anna" }, { "id": "p2", "name": "Ben" }],
            "expenses": [{ "id": expense, "expenseDate": "2026-01-01T00:00:00.000Z", "title": "Tea",
                "amount": 100, "paidById": "p1", "isReimbursement": false, "splitMode": "EVENLY",
                "paidFor": [{ "participantId": "p2", "shares": 100 }], "category": null }] })
        .to_string()
    };
    let (group, _) = imported((&file("one", "e1"), "{}")).await;
    let alice = &group.members[0];
    let other = Import::of(&file("two", "e2"), "{}").by(alice, &group, &[]).await;
    assert_eq!(counts(&other.send(alice, &group).await)[..2], [1, 0]);
    let same = Import::of(&file("one", "e3"), "{}").by(alice, &group, &[]).await;
    assert!(refused(&same.send(alice, &group).await).contains("and 1 rows of earlier imports"));
}

#[tokio::test]
async fn a_group_that_was_imported_as_json_has_its_rows_in_the_csv() {
    let (group, imported) = imported(FILES[1]).await;
    let alice = &group.members[0];
    let later = Import::of(FILES[2].0, FILES[2].1);
    let planned = plan(&later, alice, &group).await;
    assert_eq!(planned["differences"], Value::Null, "{planned}");
    let before = balances(&group).await;
    let later = later.with("members", recognized(&planned)).with("commit", json!(true));
    assert_eq!(counts(&later.send(alice, &group).await)[..2], [0, imported]);
    assert_eq!(balances(&group).await, before);
}

/// The spreadsheet of the group whose expenses are in Splitwise's JSON. Two people paid for the ski
/// pass, which it does not say.
const SPREADSHEET: &str = r#"Date,Description,Category,Cost,Currency,Anna Smith,Bob,Zoë Ünal

2026-01-30,Train,Bus/train,100.00,EUR,66.66,-33.33,-33.33
2026-01-30,"Dinner, ""Chez Léa""",Dining out,80.10,EUR,-26.70,53.40,-26.70
2026-01-31,Rent,Rent,900.00,EUR,-300.00,-300.00,600.00
2026-01-31,Ramen,Dining out,3000.00,JPY,-1000.00,-1000.00,2000.00
2026-02-01,"Ski pass
for two",Sports,90.00,EUR,30.00,-15.00,-15.00
2026-02-03,Bob paid Anna S.,Payment,50.00,EUR,-50.00,50.00,0.00

2026-02-04,Total balance, , ,EUR,-280.04,-244.93,524.97
2026-02-04,Total balance, , ,JPY,-1000.00,-1000.00,2000.00
"#;

#[tokio::test]
async fn a_group_that_was_imported_from_a_spreadsheet_has_its_rows_in_the_json() {
    let (group, imported) = imported((SPREADSHEET, "{}")).await;
    let alice = &group.members[0];
    let before = balances(&group).await;
    let later = Import::of(FILES[6].0, "{}");
    let planned = plan(&later, alice, &group).await;
    let of = &planned["differences"];
    assert_eq!([&of["changed"], &of["gone"]], [1, 0], "{planned}");
    let message = of["rows"][0]["message"].as_str().unwrap();
    assert!(message.contains("differs in payers, shares"), "{message}");
    assert_eq!(planned["alreadyThere"], imported, "{planned}");
    assert!(planned["members"].as_array().unwrap().iter().all(|it| it["match"].is_object()));

    let later = later.with("members", recognized(&planned)).with("commit", json!(true));
    let later = later.with("update", json!(true)).confirmed(alice, &group).await;
    let done = later.send(alice, &group).await;
    assert_eq!(counts(&done)[..2], [0, imported]);
    assert_eq!([&done.data(200)["updated"], &done.data(200)["deleted"]], [1, 0]);
    assert_eq!(balances(&group).await, before);
    let again = plan(&Import::of(FILES[6].0, "{}"), alice, &group).await;
    assert_eq!((&again["differences"], &again["alreadyThere"]), (&Value::Null, &json!(imported)));
    group.verify().await;
}

#[tokio::test]
async fn an_update_gives_the_balances_of_the_later_file() {
    for Moments { before, after, differences: [changed, gone, new], .. } in APPS {
        let (group, imported) = imported(before).await;
        let alice = &group.members[0];
        let later = Import::of(after.0, after.1).with("update", json!(true));
        let foreseen = plan(&later, alice, &group).await;
        let later = later.with("members", recognized(&foreseen)).with("commit", json!(true));
        refused(&later.send(alice, &group).await);
        let later = later.confirmed(alice, &group).await;
        let done = later.send(alice, &group).await;
        assert_eq!(counts(&done)[..2], [new, imported - gone]);
        let edits = ["updated", "deleted"].map(|it| done.data(200)[it].as_u64().unwrap());
        assert_eq!(edits, [changed, gone], "{}", done.text);
        assert_eq!(balances(&group).await, planned(&foreseen));
        group.verify().await;

        // They are those of a group that has only the later file, apart from rounding.
        let (fresh, _) = self::imported(after).await;
        let one = balances(&group).await;
        let other = balances(&fresh).await;
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (key, net) in &one {
            let [net, of_fresh] = [net, &other[key]].map(|net| net.parse::<f64>().unwrap());
            assert!((net - of_fresh).abs() < 0.011, "{key:?} {net} {of_fresh}");
        }

        // Nothing is left to be done.
        let rows = group.api.rows().await;
        assert_eq!(counts(&later.send(alice, &group).await)[..2], [0, imported - gone + new]);
        let again = plan(&Import::of(after.0, after.1), alice, &group).await;
        assert_eq!(again["differences"], Value::Null, "{again}");
        assert_eq!(group.api.rows().await, rows);
    }
}

#[tokio::test]
async fn an_update_leaves_what_a_member_has_edited_and_what_another_has_imported() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let Moments { before, after, .. } = &APPS[1];
    Import::of(before.0, before.1).by(alice, &group, &[]).await.send(alice, &group).await.data(200);
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    let gone = expenses.iter().find(|it| it["description"] == "Electricity").unwrap();
    let path = group.path(&format!("/expenses/{}", gone["id"].as_str().unwrap()));
    alice.put(&path, json!({ "description": "Power" })).await.data(200);

    let later = Import::of(after.0, after.1).with("update", json!(true));
    let foreseen = plan(&later, alice, &group).await;
    let later = later.with("members", recognized(&foreseen)).with("commit", json!(true));
    let later = later.confirmed(alice, &group).await;
    assert_eq!(later.send(bob, &group).await.code(), (403, "NOT_ALLOWED"));
    let done = later.send(alice, &group).await;
    assert_eq!([&done.data(200)["updated"], &done.data(200)["deleted"]], [1, 0]);
    assert_eq!(alice.get(&path).await.data(200)["description"], "Power");
    group.verify().await;

    // The edit is in the history, and an undo of the first import deletes the edited row, too.
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    let coffee = expenses.iter().find(|it| it["description"] == "Coffee").unwrap();
    assert_eq!([&coffee["amount"], &coffee["createdBy"]], [&json!(25.01), &json!("1")]);
    let history = group.path(&format!("/expenses/{}/history", coffee["id"].as_str().unwrap()));
    assert_eq!(alice.get(&history).await.data(200).as_array().unwrap().len(), 3);
    for import in alice.pages(&group.path("/imports"), 100).await {
        let path = group.path(&format!("/import/{}", import["importId"].as_str().unwrap()));
        assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
    }
    assert!(balances(&group).await.is_empty());
    group.verify().await;
}

#[tokio::test]
async fn an_update_that_ends_at_the_deadline_is_continued() {
    let rows = vec![("2026-01-02", "General", "Tea", "EUR", vec![100, -100]); 80];
    let (group, _) = imported((&splitwise(&["X", "Y"], &rows), "{}")).await;
    let alice = &group.members[0];
    let left = splitwise(&["X", "Y"], &rows[..1]);
    let update = Import::of(&left, "{}").with("update", json!(true));
    let update = update.by(alice, &group, &[]).await.confirmed(alice, &group).await;
    let mut deleted = 0;
    let mut parts = 0;
    for attempt in 0.. {
        assert!(attempt < 100, "the requests make no progress");
        // The first ones are too short on any machine, and later ones long enough.
        let deadline = Duration::from_millis(20 << (attempt / 2).min(10));
        let hurried = alice.at(&group.api.with_deadline(deadline));
        let reply = update.send(&hurried, &group).await;
        // A request may end without a result, after which the rows are counted as done before.
        deleted += reply.body["data"]["deleted"].as_u64().unwrap_or_default();
        parts += 1;
        assert_ne!(reply.body["error"], "IMPORT_DIFFERS", "a part is confirmed with the whole");
        if reply.status == 200 {
            break;
        }
    }
    assert!(parts > 1, "the deadline was too late");
    assert!(deleted <= 79);
    assert_eq!(balances(&group).await.into_values().collect::<Vec<_>>(), ["1", "-1"]);
    group.verify().await;
}

#[tokio::test]
async fn plan_says_that_a_later_bill_with_an_earlier_date_rounds_others_otherwise() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let bill = |day: u32| {
        json!({ "what": format!("Bill {day}"), "amount": 10, "currency": "EUR",
            "date": format!("2026-01-{day:02}"), "payer_name": "A", "payer_weight": 1,
            "owers": ["A", "B", "C"] })
    };
    let file = |first: u32| {
        let bills: Vec<_> = (first..=7).rev().map(bill).collect();
        Import::of(&json!(bills).to_string(), r#"{"weights":{"B":1,"C":1}}"#)
    };
    let members = [("A", "1"), ("B", "2"), ("C", "3")];
    let first = file(2).by(alice, &group, &members).await;
    first.send(alice, &group).await.data(200);
    let plan = async |file: Import| {
        let plan = file.with("commit", json!(false)).send(alice, &group).await;
        plan.data(200).clone()
    };
    assert_eq!(plan(first).await["warnings"], json!([]));
    let plan = plan(file(1).by(alice, &group, &members).await).await;
    assert_eq!((&plan["expenses"], &plan["alreadyThere"]), (&json!(1), &json!(6)));
    assert_eq!(plan.get("differences"), None);
    let said = "rows of the group that this file rounds otherwise: 2; they stay as they are, so \
                balances may differ from those of the app by as many minor units";
    assert_eq!(plan["warnings"], json!([{ "message": said }]));
}
