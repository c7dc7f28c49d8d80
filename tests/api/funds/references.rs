//! References of payments: each counts once, however it is spelt.

use base64::{Engine, prelude::BASE64_STANDARD, prelude::BASE64_URL_SAFE};
use serde_json::{Value, json};

use super::{Friends, sums};
const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";

fn topped_up(currency: &str, ref_id: &str) -> Value {
    json!({ "fund": "cash", "currency": currency, "amount": 9, "refId": ref_id })
}

fn correction(fund: &str, currency: &str, ref_id: &str) -> Value {
    json!({ "type": "correction", "fund": fund, "currency": currency, "amount": 1,
        "refId": ref_id, "description": "Mistyped" })
}

#[tokio::test]
async fn the_hash_of_a_payment_captures_one_cash_out_in_each_form() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    let paid = [0xfb_u8; 32];
    let forms = [
        hex::encode(paid),
        hex::encode_upper(paid),
        BASE64_STANDARD.encode(paid),
        BASE64_URL_SAFE.encode(paid),
    ];
    for (number, currency) in (1..).zip(["TON", "USDT"]) {
        let topped = topped_up(currency, &hex::encode([number; 32]));
        dave.post("/api/users/2/funds/credits", topped).await.data(201);
    }
    let mut captured = 0;
    for (form, currency) in forms.iter().zip(["TON", "USDT", "TON", "USDT"]) {
        let ask = json!({ "type": "cashout", "currency": currency, "amount": 1, "to": WALLET });
        let asked = bob.post("/api/users/me/funds/debits", ask).await.id();
        let by_bank = friends.capture("2", &asked, "bank 1").await;
        assert_eq!(by_bank.code(), (400, "VALIDATION_ERROR"));
        assert_eq!(by_bank.body["details"][0]["path"], "refId");
        let reply = friends.capture("2", &asked, form).await;
        if captured == 0 {
            assert_eq!(reply.data(200)["refId"], hex::encode(paid));
            for form in &forms {
                friends.capture("2", &asked, form).await.data(200);
            }
            captured += 1;
        } else {
            assert_eq!(reply.code(), (409, "REFERENCE_USED"), "{form}");
        }
    }
    // The same hash does not top up, either; and a correction has one form, too.
    let again = dave.post("/api/users/3/funds/credits", topped_up("TON", &forms[2])).await;
    assert_eq!(again.code(), (409, "REFERENCE_USED"));
    let debits = "/api/users/2/funds/debits";
    let by_bank = dave.post(debits, correction("cash", "TON", "bank 1")).await;
    assert_eq!(by_bank.body["details"][0]["path"], "refId");
    let corrected = dave.post(debits, correction("cash", "TON", &forms[2])).await;
    assert_eq!(corrected.data(201)["refId"], hex::encode(paid));
    let twice = dave.post(debits, correction("cash", "TON", &forms[0])).await;
    assert_eq!(twice.code(), (409, "REFERENCE_USED"));
}

#[tokio::test]
async fn a_reference_of_a_bank_counts_once_in_each_spelling() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    let credits = "/api/users/2/funds/credits";
    let first = dave.post(credits, topped_up("EUR", "Bank  4711")).await;
    assert_eq!(first.data(201)["refId"], "Bank  4711", "it is shown as typed");
    for same in ["bank 4711", "Bank 4711", "BANK   4711", "Bank  4711"] {
        let again = dave.post(credits, topped_up("EUR", same)).await;
        assert_eq!(again.code(), (409, "REFERENCE_USED"), "{same}");
        let of_another = dave.post("/api/users/3/funds/credits", topped_up("USD", same)).await;
        assert_eq!(of_another.code(), (409, "REFERENCE_USED"), "{same}");
    }
    dave.post(credits, topped_up("EUR", "bank4711")).await.data(201);
    let ask = json!({ "type": "cashout", "currency": "EUR", "amount": 1, "to": "DE12 3456" });
    let asked = bob.post("/api/users/me/funds/debits", ask).await.id();
    assert_eq!(friends.capture("2", &asked, "BANK 4711").await.code(), (409, "REFERENCE_USED"));
    let captured = friends.capture("2", &asked, "Out 1").await.data(200).clone();
    let repeated = friends.capture("2", &asked, "out  1").await;
    assert_eq!(repeated.data(200), &captured, "another spelling repeats it");
    assert_eq!(sums(bob).await[0], "17");
}

#[tokio::test]
async fn a_correction_names_its_mistake_and_takes_no_reference_from_a_payment() {
    let friends = Friends::new().await;
    let dave = friends.dave();
    friends.top_up("2", "9", "bank 4711").await;
    let debits = "/api/users/2/funds/debits";
    let corrected = dave.post(debits, correction("cash", "EUR", "bank 4711")).await;
    assert_eq!(corrected.data(201)["refId"], "bank 4711");
    let twice = dave.post(debits, correction("cash", "EUR", "Bank 4711")).await;
    assert_eq!(twice.code(), (409, "REFERENCE_USED"), "one mistake is corrected once");
    // A mistake that no payment has, and then a payment of that name.
    dave.post(debits, correction("cash", "EUR", "bank 4712")).await.data(201);
    friends.top_up("2", "9", "bank 4712").await;
    assert_eq!(sums(friends.bob()).await[0], "16");
    let again = topped_up("EUR", "bank 4712");
    let again = dave.post("/api/users/2/funds/credits", again).await;
    assert_eq!(again.code(), (409, "REFERENCE_USED"));
}

#[tokio::test]
async fn totals_hold_more_than_one_users_funds() {
    const MOST: &str = "92233720368547758.07";
    let friends = Friends::new().await;
    let dave = friends.dave();
    for (user, ref_id) in [("2", "one"), ("3", "two")] {
        for fund in ["cash", "credit"] {
            let body = json!({ "fund": fund, "currency": "USD", "amount": MOST,
                "refId": format!("{fund} {ref_id}") });
            dave.post(&format!("/api/users/{user}/funds/credits"), body).await.data(201);
        }
        let until = "2026-12-01T00:00:00Z";
        let bonus = json!({ "currency": "USD", "amount": MOST, "expiresAt": until });
        dave.post(&format!("/api/users/{user}/funds/bonuses"), bonus).await.data(201);
    }
    friends.top_up("2", "1", "three").await;
    let totals = dave.get("/api/funds/totals").await;
    let euros = &totals.data(200)["currencies"][0];
    assert_eq!((&euros["cash"], &euros["toppedUp"]), (&json!(1), &json!(1)));
    for (name, sum) in [("cash", "184467440737095516.14"), ("credit", "368934881474191032.28")] {
        assert!(totals.text.contains(&format!("\"{name}\":{sum}")), "{}", totals.text);
    }
    let body = correction("cash", "USD", "wrong");
    dave.post("/api/users/2/funds/debits", body).await.data(201);
    let totals = dave.get("/api/funds/totals").await;
    assert!(totals.text.contains("\"cash\":184467440737095515.14"), "{}", totals.text);
    friends.audit().await;
}
