//! Questions to a group: what is asked and answered, receipts with claims, and points.

mod answers;
mod links;
mod lists;
mod races;
mod receipts;

use serde_json::{Value, json};

use crate::harness::{Caller, Group, Reply, number};

/// The receipt of a dinner of three, which the first of them paid: 38.15 EUR.
fn dinner() -> Value {
    json!({ "type": "items", "prompt": "Who had what?", "receipt": {
        "description": "Luigi's", "items": [
            { "name": "Wine", "amount": "15.50" }, { "name": "Pizza", "amount": "12.00" },
            { "name": "Salad", "quantity": 3, "amount": "7.20" },
            { "kind": "tax", "name": "Service", "amount": "3.45" },
        ] } })
}

fn choice() -> Value {
    json!({ "type": "multiple_choice", "prompt": "Pizza or sushi?", "options": ["Pizza", "Sushi"] })
}

fn text() -> Value {
    json!({ "type": "text", "prompt": "Where shall we eat?" })
}

/// A question in a group.
struct Asked<'a> {
    group: &'a Group,
    path: String,
    id: String,
}

impl<'a> Asked<'a> {
    async fn by(group: &'a Group, asker: usize, body: Value) -> Self {
        let id = group.members[asker].post(&group.path("/questions"), body).await;
        let id = id.data(201)["id"].as_str().unwrap().to_owned();
        Self { group, path: group.path(&format!("/questions/{id}")), id }
    }

    fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }

    async fn get(&self, by: usize) -> Value {
        self.group.members[by].get(&self.path).await.data(200).clone()
    }

    /// Claims items, each with a count or null.
    async fn claim(&self, by: usize, items: &[(usize, Value)]) -> Reply {
        self.group.members[by].put(&self.at("/claims"), claims(items)).await
    }

    async fn answer(&self, by: &Caller, body: Value) -> Reply {
        by.post(&self.at("/answers"), body).await
    }

    async fn apply(&self, by: usize, body: Value) -> Reply {
        self.group.members[by].post(&self.at("/apply"), body).await
    }
}

fn claims(items: &[(usize, Value)]) -> Value {
    let item = |(item, count): &(usize, Value)| json!({ "item": item, "count": count });
    json!({ "items": items.iter().map(item).collect::<Vec<_>>() })
}

/// The shares of an expense or a preview, by member.
fn shares(list: &Value) -> Vec<(String, String)> {
    let share = |it: &Value| {
        let user = it["userId"].as_str().unwrap().to_owned();
        (user, number(&it["amount"]).to_string())
    };
    let mut shares: Vec<_> = list.as_array().unwrap().iter().map(share).collect();
    shares.sort();
    shares
}

fn of(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(user, amount)| ((*user).to_owned(), (*amount).to_owned())).collect()
}

#[tokio::test]
async fn members_claim_a_receipt_which_becomes_the_expense() {
    let group = Group::new(3, "EUR").await;
    let asked = group.members[0].post(&group.path("/questions"), dinner()).await;
    let question = asked.data(201);
    assert_eq!((&question["status"], &question["type"]), (&json!("OPEN"), &json!("items")));
    assert_eq!(question["receipt"]["amount"].to_string(), "38.15");
    assert_eq!((&question["requiredResponses"], &question["canAnswer"]), (&json!(3), &json!(true)));
    assert_eq!(question["groupTitle"], "Alps");
    let id = question["id"].as_str().unwrap().to_owned();
    let asked = Asked { group: &group, path: group.path(&format!("/questions/{id}")), id };

    let none = Value::Null;
    let alice = asked.claim(0, &[(0, none.clone()), (1, none.clone())]).await;
    assert_eq!(alice.data(200)["status"], "PARTIAL");
    assert_eq!(
        (&alice.body["data"]["points"], &alice.body["data"]["newBadges"]),
        (&json!(10), &json!(["first_answer"]))
    );
    asked.claim(1, &[(0, none.clone()), (2, json!(2))]).await.data(200);

    let open = asked.get(2).await;
    assert_eq!((&open["status"], &open["currentResponses"]), (&json!("PARTIAL"), &json!(2)));
    let salad = &open["receipt"]["items"][2];
    let bob = json!([{ "userId": "2", "userName": "B", "count": 2 }]);
    assert_eq!((&salad["claims"], &salad["unclaimed"]), (&bob, &json!(1)));
    assert_eq!(open["answers"][0]["claims"], json!([{ "item": 0 }, { "item": 1 }]));
    // The third salad of those who claimed anything.
    let salads = shares(&open["preview"]);
    assert_eq!(salads.len(), 2, "{open}");

    let refused = asked.apply(0, json!({})).await;
    assert_eq!(refused.code(), (409, "ITEMS_UNCLAIMED"));
    let details = json!([{ "path": "receipt.items[2]", "message": "1 of 3 is unclaimed" }]);
    assert_eq!(refused.body["details"], details);
    asked.claim(2, &[(0, none), (2, json!(1))]).await.data(200);
    let preview = asked.get(1).await["preview"].clone();
    let expense = asked.apply(0, json!({})).await.data(200).clone();
    let by_hand = of(&[("1", "18.87"), ("2", "10.96"), ("3", "8.32")]);
    assert_eq!(shares(&expense["splits"]), by_hand);
    assert_eq!(shares(&preview), by_hand, "what the preview said");
    assert_eq!(group.balances().await, ["19.28", "-10.96", "-8.32"]);
    // As if the lines had been posted with these sharers.
    let sharers = |items: &Value, line: usize| shares_of_line(&items[line]);
    assert_eq!(sharers(&expense["items"], 0), ["1:1", "2:1", "3:1"]);
    assert_eq!(sharers(&expense["items"], 1), ["1:1"]);
    assert_eq!(sharers(&expense["items"], 2), ["2:2", "3:1"]);

    let again = asked.apply(0, json!({})).await;
    assert_eq!(again.data(200), &expense);
    let over = asked.get(0).await;
    assert_eq!((&over["status"], &over["expenseId"]), (&json!("CLOSED"), &expense["id"]));
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);
    let stranger = group.api.user(9, "Eve");
    assert_eq!(stranger.get(&asked.path).await.code(), (403, "NOT_A_MEMBER"));
    group.verify().await;
}

fn shares_of_line(line: &Value) -> Vec<String> {
    let sharer = |it: &Value| format!("{}:{}", it["userId"].as_str().unwrap(), it["weight"]);
    line["sharers"].as_array().unwrap().iter().map(sharer).collect()
}

/// A program asks, one member answers for a guest, one changes their mind, one never answers, and
/// the time runs out.
#[tokio::test]
async fn an_agents_receipt_is_applied_after_its_time_ran_out() {
    let group = Group::new(4, "EUR").await;
    let guest = group.guest(1, "Grandma").await;
    let new = json!({ "name": "Receipt bot", "scopes": ["read", "write"], "groupId": group.id });
    let alice = &group.members[0];
    let bot = alice.with_token(&alice.post("/api/users/me/tokens", new).await);
    let question = bot.post(&group.path("/questions"), dinner()).await.data(201).clone();
    assert_eq!(
        (&question["askedBy"], &question["agentName"]),
        (&json!("1"), &json!("Receipt bot"))
    );
    assert!(question["agentId"].is_string());
    let id = question["id"].as_str().unwrap().to_owned();
    let asked = Asked { group: &group, path: group.path(&format!("/questions/{id}")), id };
    let none = Value::Null;
    asked.claim(0, &[(0, none.clone()), (1, none.clone())]).await.data(200);
    asked.claim(1, &[(0, none.clone()), (1, none.clone())]).await.data(200);
    // Bob changes his mind, and claims for a guest.
    let changed = asked.claim(1, &[(0, none.clone()), (2, json!(2))]).await;
    assert_eq!(
        (&changed.data(200)["points"], &changed.body["data"]["totalPoints"]),
        (&json!(0), &json!(10))
    );
    let mut of_guest = claims(&[(0, none)]);
    of_guest["userId"] = json!(guest);
    let answered = group.members[1].put(&asked.at("/claims"), of_guest).await;
    assert_eq!(
        (&answered.data(200)["points"], answered.body["data"].get("totalPoints")),
        (&json!(0), None)
    );
    group.api.pass(std::time::Duration::from_hours(24 * 8));
    let alice = group.api.user(1, "A");
    let bob = group.api.user(2, "B");
    assert_eq!(alice.get(&asked.path).await.data(200)["status"], "EXPIRED");
    let late = bob.put(&asked.at("/claims"), json!({ "items": [] })).await;
    assert_eq!(late.code(), (409, "QUESTION_CLOSED"));
    // The rest of the salad is shared by the three who claimed anything: 2 x 3 + 1, 1 and 1.
    let applied = alice.post(&asked.at("/apply"), json!({ "unclaimed": "claimers" })).await;
    let expense = applied.data(200);
    let mut salad = shares_of_line(&expense["items"][2]);
    salad.sort();
    assert_eq!(salad, ["1:1".to_owned(), "2:7".to_owned(), format!("{guest}:1")]);
    // Wine 5.1667 each; pizza 12.00; salad 0.80, 5.60, 0.80; 3.45 of service in proportion to
    // 17.9667, 10.7667 and 5.9667 of 34.70.
    let total = of(&[("1", "19.75"), ("2", "11.84"), (&guest, "6.56")]);
    assert_eq!(shares(&expense["splits"]), total);
}
