//! Dates that other apps accept, and that members may not enter.

use serde_json::{Value, json};

use super::{
    Import, counts,
    round_trip::{contents, empty, imported_again},
    splitwise,
};
use crate::{export::exported, harness::Group};

#[tokio::test]
async fn dates_far_ahead_are_imported_with_a_warning_and_hold_everywhere() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let days = ["2027-01-15", "2062-01-31", "9999-12-31", "1970-01-01"];
    let rows = days.map(|day| (day, "Groceries", day, "EUR", vec![300, -300]));
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    let plan = import.send(alice, &group).await;
    let warning = |line: u64, day: &str| {
        let message = format!("the date {day} is more than one year ahead");
        json!({ "line": line, "column": 1, "message": message })
    };
    assert_eq!(plan.data(200)["warnings"], json!([warning(4, days[1]), warning(5, days[2])]));
    assert_eq!(plan.data(200)["errors"], json!([]));
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    assert_eq!(counts(&import.send(alice, &group).await), [4, 0, 4, 0]);
    group.verify().await;

    let found = async |query: &str| -> Vec<Value> {
        let lists = [group.path("/expenses"), "/api/users/me/expenses".to_owned()];
        let [of_group, own] = [&lists[0], &lists[1]].map(|list| format!("{list}?{query}"));
        let of_group = alice.pages(&of_group, 10).await;
        let own = alice.pages(&own, 10).await;
        let [of_group, own] = [of_group, own]
            .map(|list| list.iter().map(|it| it["date"].clone()).collect::<Vec<_>>());
        assert_eq!(of_group, own, "{query}");
        of_group
    };
    for (query, expected) in [
        ("from=2062-01-31", &days[1..3]),
        ("to=1970-01-01", &days[3..]),
        ("from=9999-12-31&to=9999-12-31", &days[2..3]),
    ] {
        let mut found = found(query).await;
        found.reverse();
        assert_eq!(found, expected, "{query}");
    }
    let stats = alice.get(&group.path("/stats?from=9999-12-01&to=9999-12-31&by=day")).await;
    let stats = &stats.data(200)["currencies"][0];
    assert_eq!([&stats["total"], &stats["series"][0]["period"]], [&json!(3), &json!(days[2])]);
    for (query, day) in [("month=9999-12", days[2]), ("to=1970-01-10", days[3])] {
        let consumed = bob.get(&format!("/api/users/me/days?{query}")).await;
        let consumed = &consumed.data(200)["days"];
        assert_eq!([&consumed[0]["date"], &consumed[1]], [&json!(day), &json!(null)], "{query}");
    }
    let day = bob.get("/api/users/me/days/9999-12-31").await;
    assert_eq!(day.data(200)["groups"][0]["amount"], 3);

    let last = alice.get(&group.path("/expenses?from=9999-12-31")).await.data(200)[0].clone();
    let path = group.path(&format!("/expenses/{}", last["id"].as_str().unwrap()));
    let kept = json!({ "description": "Sent again", "date": last["date"] });
    assert_eq!(alice.put(&path, kept).await.data(200)["date"], "9999-12-31");
    let other = alice.put(&path, json!({ "date": "9999-12-30" })).await;
    assert_eq!(other.body["message"], "date must be at most one year ahead.");

    let export = exported(alice, &group.id, 2).await;
    let copy = imported_again(&export, &empty(&group.api).await).await;
    assert_eq!(contents(&copy), contents(&export));
    let csv = alice.get(&group.path("/export?format=csv")).await;
    assert!(csv.text.contains("\n9999-12-31,Expense,Sent again,"), "{}", csv.text);
}
