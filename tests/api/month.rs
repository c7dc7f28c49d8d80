//! A month of a user: a phone shortcut records spendings by API token, two groups record expenses
//! on the same days, and the month's budget, the groups' statistics and the rows agree.

use std::collections::BTreeMap;

use fracti_core::{
    personal::spending::Spending,
    records::expense::Expense,
    storage::row::{self, AttributeValue, KIND, Row},
    values::decimal::Decimal,
};
use fracti_store::from_sdk;
use serde_json::{Value, json};

use crate::harness::{Api, Group, number};

const DAYS: [&str; 3] = ["2026-01-13", "2026-01-14", "2026-01-15"];

const NAMES: [(&str, &str, &str); 5] = [
    ("Coffee", "3.50", "food"),
    ("Bus", "2.90", "transport"),
    ("Lunch", "11.80", "food"),
    ("Cinema", "12.00", "entertainment"),
    ("Bread", "4.25", "food"),
];

/// Sums by name.
type Sums = BTreeMap<String, Decimal>;

fn add(sums: &mut Sums, name: String, amount: Decimal) {
    let sum = sums.entry(name).or_insert(Decimal::ZERO);
    *sum = sum.plus(amount).unwrap();
}

fn parse(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// The entities of all rows of a kind.
async fn stored<T: Row>(api: &Api) -> Vec<T> {
    let rows = api.rows().await.into_values().map(|row| from_sdk(row.into_iter().collect()));
    let of_kind = rows.filter(|row| row.get(KIND) == Some(&AttributeValue::S(T::KIND.to_owned())));
    of_kind.map(|row| row::from_item(row).unwrap()).collect()
}

/// What a user consumed, computed from rows: by day and by category, as `2026-01-13` and `food`.
async fn consumed(api: &Api, user: &str) -> Sums {
    let mut sums = Sums::new();
    for spending in stored::<Spending>(api).await {
        add(&mut sums, spending.user_date.to_string(), spending.amount);
        for (category, amount) in spending.categories {
            add(&mut sums, category.to_string(), amount);
        }
    }
    for expense in stored::<Expense>(api).await {
        let share = expense.share_of(user.parse().unwrap());
        add(&mut sums, expense.day().to_string(), share);
        if let Some(category) = expense.category {
            add(&mut sums, category.to_string(), share);
        }
    }
    sums
}

/// The sums of a response with the days of a user, by day and by category.
fn shown(days: &Value) -> Sums {
    let mut sums = Sums::new();
    for day in days["days"].as_array().unwrap() {
        assert_eq!(day["currencies"].as_array().unwrap().len(), 1, "one currency: {day}");
        let of_euro = &day["currencies"][0];
        add(&mut sums, day["date"].as_str().unwrap().to_owned(), number(&of_euro["total"]));
        for (category, sum) in of_euro["categories"].as_object().unwrap() {
            add(&mut sums, category.clone(), number(sum));
        }
    }
    sums
}

#[tokio::test]
async fn a_month_of_spendings_by_token_and_of_expenses_adds_up() {
    let api = Api::new().await;
    let flat = Group::of(&api, 3, "EUR").await;
    let trip = Group::of(&api, 2, "EUR").await;
    let alice = &flat.members[0];
    let targets = json!({ "version": 1, "currency": "EUR", "timeZone": "Europe/Berlin",
        "total": 400, "food": 150 });
    alice.patch("/api/users/me/targets", targets).await.data(200);

    let new = json!({ "name": "Shortcut", "scopes": ["write"] });
    let created = alice.post("/api/users/me/tokens", new).await;
    let shortcut = alice.with_token(&created);
    for index in 0..20 {
        let (title, amount, category) = NAMES[index % 5];
        let new = json!({ "title": title, "amount": amount, "category": category,
            "userDate": DAYS[index % 3] });
        shortcut.post("/api/users/me/spendings", new).await.data(201);
    }
    for (index, date) in DAYS.into_iter().enumerate() {
        let rent = json!({ "amount": "100.00", "category": "rent", "date": date });
        flat.spend(index, rent).await;
        let dinner = json!({ "amount": "45.50", "category": "food", "date": date });
        trip.spend(index % 2, dinner).await;
    }
    let refund = json!({ "amount": "-10.00", "category": "food", "date": DAYS[2] });
    trip.spend(0, refund).await;

    let days = alice.get("/api/users/me/days?month=2026-01").await.data(200).clone();
    assert_eq!(days["uniqueDays"], 3);
    let from_rows = consumed(&api, "1").await;
    assert_eq!(shown(&days), from_rows);
    let total = [&from_rows[DAYS[0]], &from_rows[DAYS[1]], &from_rows[DAYS[2]]];
    let total = total.into_iter().fold(Decimal::ZERO, |sum, day| sum.plus(*day).unwrap());
    let left = |key: &str| {
        let all = days["targets"].as_array().unwrap();
        let target = all.iter().find(|target| target["key"] == key).unwrap();
        (number(&target["spent"]), number(&target["left"]))
    };
    let of = |target: &str, spent: Decimal| (spent, parse(target).minus(spent).unwrap());
    assert_eq!(left("total"), of("400", total));
    // By hand: four times 3.50 + 11.80 + 4.25, three times 22.75, and a refund of 5.
    assert_eq!(from_rows["food"], parse("141.45"));
    assert_eq!(left("food"), of("150", from_rows["food"]));

    for group in [&flat, &trip] {
        let path = group.path("/stats?from=2026-01-01&to=2026-01-31&by=day");
        let stats = group.members[1].get(&path).await.data(200).clone();
        let of_euro = &stats["currencies"][0];
        let expenses = stored::<Expense>(&api).await;
        let expenses = expenses.iter().filter(|it| it.group_id.to_string() == group.id);
        let mut by_day = Sums::new();
        let mut of_alice = Decimal::ZERO;
        let mut count = 0;
        for expense in expenses {
            add(&mut by_day, expense.day().to_string(), expense.amount);
            of_alice = of_alice.plus(expense.share_of("1".parse().unwrap())).unwrap();
            count += 1;
        }
        assert_eq!(of_euro["expenseCount"], count);
        let mut series = Sums::new();
        for period in of_euro["series"].as_array().unwrap() {
            let day = period["period"].as_str().unwrap().to_owned();
            add(&mut series, day, number(&period["total"]));
        }
        assert_eq!(series, by_day);
        let members = of_euro["members"].as_array().unwrap();
        let member = members.iter().find(|member| member["userId"] == "1").unwrap();
        assert_eq!(number(&member["share"]), of_alice);
        group.verify().await;
    }

    let id = created.data(201)["id"].as_str().unwrap();
    alice.delete(&format!("/api/users/me/tokens/{id}")).await.data(200);
    let coffee = json!({ "title": "Coffee", "amount": "3.50" });
    let refused = shortcut.post("/api/users/me/spendings", coffee).await;
    assert_eq!(refused.code(), (401, "TOKEN_REVOKED"));
    assert_eq!(consumed(&api, "1").await, from_rows);
}
