//! Funds: what users top up, get and cash out, and who may do what.

pub(crate) mod paying;
mod races;
mod references;
mod returning;
mod rights;
mod waiting;

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group, Reply, number};

pub(crate) const DAY: Duration = Duration::from_hours(24);

/// Alice, Bob, Carol, and the operator Dave.
pub(crate) struct Friends {
    pub(crate) group: Group,
}

impl Friends {
    pub(crate) async fn new() -> Self {
        Self::of(&Api::new().await.with_operators(&["4"])).await
    }

    pub(crate) async fn of(api: &Api) -> Self {
        Self { group: Group::of(api, 4, "EUR").await }
    }

    /// The same users, who open the app again.
    pub(crate) fn again(before: &Self) -> Self {
        let Group { api, id, members } = &before.group;
        let again = |it: &Caller| api.user(it.id.parse().unwrap(), &it.user.name);
        let members = members.iter().map(again).collect();
        Self { group: Group { api: api.clone(), id: id.clone(), members } }
    }

    pub(crate) fn alice(&self) -> &Caller {
        &self.group.members[0]
    }

    pub(crate) fn bob(&self) -> &Caller {
        &self.group.members[1]
    }

    pub(crate) fn dave(&self) -> &Caller {
        &self.group.members[3]
    }

    /// Dave records cash of a user.
    pub(crate) async fn top_up(&self, user: &str, amount: &str, ref_id: &str) -> Value {
        let body = json!({ "fund": "cash", "currency": "EUR", "amount": amount, "refId": ref_id });
        let made = self.dave().post(&format!("/api/users/{user}/funds/credits"), body).await;
        made.data(201).clone()
    }

    /// Dave gives a user a bonus until a time.
    pub(crate) async fn bonus(&self, user: &str, amount: &str, until: &str) -> String {
        let body = json!({ "currency": "EUR", "amount": amount, "expiresAt": until });
        let made = self.dave().post(&format!("/api/users/{user}/funds/bonuses"), body).await;
        made.data(201)["id"].as_str().unwrap().to_owned()
    }

    /// Dave captures a transaction of a user.
    pub(crate) async fn capture(&self, user: &str, id: &str, ref_id: &str) -> Reply {
        let path = format!("/api/users/{user}/funds/transactions/{id}/capture");
        self.dave().post(&path, json!({ "refId": ref_id })).await
    }

    /// The sums over all users in EUR: topped up, cashed out, given, lapsed, cash, credit.
    pub(crate) async fn totals(&self) -> [String; 6] {
        let totals = self.dave().get("/api/funds/totals").await.data(200).clone();
        let total = totals["currencies"].as_array().unwrap().first().cloned().unwrap_or_default();
        ["toppedUp", "cashedOut", "given", "lapsed", "cash", "credit"]
            .map(|name| total.get(name).map_or_else(|| "0".to_owned(), |it| number(it).to_string()))
    }
}

/// A user's funds in EUR, in detail.
pub(crate) async fn funds(user: &Caller) -> Value {
    let funds = user.get("/api/users/me/funds?currency=EUR&detail=true").await;
    funds.data(200)["currencies"][0].clone()
}

/// Cash, credit and bonuses, and all that is available.
pub(crate) async fn sums(user: &Caller) -> [String; 4] {
    let funds = funds(user).await;
    let of = |it: &Value| if it.is_null() { "0".to_owned() } else { number(it).to_string() };
    let [cash, credit, bonus] = ["cash", "credit", "bonus"].map(|kind| of(&funds[kind]["balance"]));
    [cash, credit, bonus, of(&funds["available"])]
}

fn report(amount: &str) -> Value {
    json!({ "fund": "cash", "currency": "EUR", "amount": amount })
}

#[tokio::test]
async fn reported_money_counts_once_an_operator_has_it() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let reported = bob.post("/api/users/me/funds/credits", report("50")).await;
    let id = reported.id();
    assert_eq!(reported.data(201)["status"], "authorised");
    assert_eq!(reported.data(201)["expiresAt"], "2026-01-22T12:00:00.000Z");
    assert_eq!(sums(bob).await, ["0", "0", "0", "0"], "a report counts nowhere");
    assert_eq!(funds(bob).await["pending"][0]["flow"], "credit");

    let work = friends.dave().get("/api/funds/work?kind=topup").await;
    assert_eq!(work.data(200)[0]["id"], id.as_str());
    assert_eq!(work.data(200)[0]["owner"], "2");
    let captured = friends.capture("2", &id, "bank 1").await;
    assert_eq!(captured.data(200)["status"], "completed");
    assert_eq!(friends.capture("2", &id, "bank 1").await.data(200), captured.data(200));
    assert_eq!(friends.capture("2", &id, "bank 2").await.code(), (409, "TRANSACTION_FINAL"));
    assert_eq!(sums(bob).await, ["50", "0", "0", "50"]);
    assert_eq!(friends.dave().get("/api/funds/work?kind=topup").await.data(200), &json!([]));

    let again = bob.post("/api/users/me/funds/credits", report("1")).await;
    assert_eq!(friends.capture("2", &again.id(), "bank 1").await.code(), (409, "REFERENCE_USED"));
    let void = format!("/api/users/2/funds/transactions/{}/void", again.id());
    assert_eq!(friends.dave().post(&void, json!({})).await.data(200)["status"], "voided");
    assert_eq!(friends.dave().post(&void, json!({})).await.data(200)["status"], "voided");
    assert_eq!(friends.capture("2", &again.id(), "x").await.code(), (409, "TRANSACTION_FINAL"));
    assert_eq!(sums(bob).await, ["50", "0", "0", "50"]);

    for _ in 0..5 {
        bob.post("/api/users/me/funds/credits", report("1")).await.data(201);
    }
    let sixth = bob.post("/api/users/me/funds/credits", report("1")).await;
    assert_eq!(sixth.code(), (409, "LIMIT_REACHED"));
    assert_eq!(friends.totals().await, ["50", "0", "0", "0", "50", "0"]);
}

#[tokio::test]
async fn a_cash_out_withholds_cash_until_it_is_paid() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 9, "refId": "gift" });
    friends.dave().post("/api/users/2/funds/credits", credit).await.data(201);
    let cash_out = |amount: &str| {
        json!({ "type": "cashout", "currency": "EUR", "amount": amount,
        "to": "DE12 3456" })
    };
    let debits = "/api/users/me/funds/debits";
    let refused = bob.post(debits, cash_out("50.01")).await;
    assert_eq!(refused.code(), (402, "INSUFFICIENT_FUNDS"));
    let message = "50.01 EUR of cash are needed, 50 EUR are available.";
    assert_eq!(refused.body["message"], message, "credit is never paid out");

    let asked = bob.post(debits, cash_out("30")).await;
    assert_eq!(asked.data(201)["available"]["cash"].to_string(), "50");
    assert_eq!(sums(bob).await, ["50", "9", "0", "29"]);
    assert_eq!(friends.totals().await, ["50", "0", "9", "0", "50", "9"]);
    friends.capture("2", &asked.id(), "bank 2").await.data(200);
    assert_eq!(sums(bob).await, ["20", "9", "0", "29"]);
    assert_eq!(friends.totals().await, ["50", "30", "9", "0", "20", "9"]);
    assert_eq!(bob.post(debits, cash_out("25")).await.code(), (402, "INSUFFICIENT_FUNDS"));

    let wallet = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";
    let ton = |to: Value| json!({ "type": "cashout", "currency": "TON", "amount": 3, "to": to });
    let no_address = bob.post(debits, ton(Value::Null)).await;
    assert_eq!(no_address.body["details"][0]["path"], "to");
    let hash = "ab".repeat(32);
    let topped = json!({ "fund": "cash", "currency": "TON", "amount": 3, "refId": hash });
    friends.dave().post("/api/users/2/funds/credits", topped).await.data(201);
    let asked = bob.post(debits, ton(json!(wallet))).await.id();
    let work = friends.dave().get("/api/funds/work").await.data(200).clone();
    let link = format!("ton://transfer/{wallet}?amount=3000000000&text=fracti%3A{asked}");
    assert_eq!(work[0]["link"], link);
}

#[tokio::test]
async fn a_correction_takes_back_what_was_given_by_mistake() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let bonus = friends.bonus("2", "7", "2026-02-15T12:00:00Z").await;
    let debits = "/api/users/2/funds/debits";
    let correct = |fund: &str, amount: &str, ref_id: &str, bonus: Option<&str>| {
        json!({ "type": "correction", "fund": fund, "currency": "EUR", "amount": amount,
            "refId": ref_id, "description": "Mistyped", "bonusId": bonus })
    };
    let dave = friends.dave();
    let corrected = dave.post(debits, correct("cash", "5", "error 1", None)).await;
    assert_eq!(corrected.data(201)["status"], "completed");
    let again = dave.post(debits, correct("cash", "5", "error 1", None)).await;
    assert_eq!(again.code(), (409, "REFERENCE_USED"));
    let too_much = dave.post(debits, correct("credit", "1", "error 2", None)).await;
    assert_eq!(too_much.code(), (402, "INSUFFICIENT_FUNDS"));
    dave.post(debits, correct("credit", "3", "error 3", Some(&bonus))).await.data(201);
    assert_eq!(sums(bob).await, ["45", "0", "4", "49"]);
    assert_eq!(friends.totals().await, ["45", "0", "4", "0", "45", "4"]);
}

#[tokio::test]
async fn what_is_due_is_done_by_a_check() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    friends.top_up("2", "1", "bank 1").await;
    friends.bonus("2", "5", "2026-01-16T12:00:00Z").await;
    friends.bonus("2", "7", "2026-02-15T12:00:00Z").await;
    let reported = bob.post("/api/users/me/funds/credits", report("50")).await.id();
    assert_eq!(sums(bob).await, ["1", "0", "12", "13"]);
    friends.group.api.pass(DAY);
    assert_eq!(sums(bob).await, ["1", "0", "7", "8"], "it lapses before it is written");
    let checked = bob.post("/api/users/me/funds/check", json!({})).await;
    assert_eq!(checked.data(200)["released"], 0);
    assert_eq!(friends.totals().await, ["1", "0", "12", "5", "1", "7"]);
    let list = bob.get("/api/users/me/funds/transactions?limit=1").await;
    assert_eq!(list.data(200)[0]["type"], "lapse");

    friends.group.api.pass(6 * DAY);
    let friends = Friends::again(&friends);
    let bob = friends.bob();
    let late = friends.capture("2", &reported, "bank 2").await;
    assert_eq!(late.code(), (409, "HOLD_EXPIRED"));
    assert_eq!(late.body["message"], "The hold expired on 2026-01-22 at 12:00 UTC.");
    let row = bob.get(&format!("/api/users/me/funds/transactions/{reported}")).await;
    assert_eq!(row.data(200)["status"], "expired", "the refusal has ended it");
    assert_eq!(funds(bob).await["pending"], json!([]));
    assert_eq!(friends.totals().await, ["1", "0", "12", "5", "1", "7"]);
}
