//! A user's groups, expenses, debts and settlements.

use serde_json::json;

use crate::harness::{Api, Group};

#[tokio::test]
async fn lists_show_what_the_user_paid_owes_and_sent() {
    let group = Group::new(3, "EUR").await;
    let hut = group.spend(0, json!({ "amount": 30, "description": "Hut" })).await;
    group.spend(0, json!({ "amount": 8, "splits": [{ "userId": "2" }] })).await;
    let paid = group.members[0].get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!(paid[0]["yourShare"], 0);
    assert_eq!(paid[1]["yourShare"], 10);
    assert_eq!(paid[1]["groupTitle"], "Alps");
    assert_eq!(paid[1]["id"], hut["id"]);

    let debts = group.members[2].get("/api/users/me/debts").await.data(200).clone();
    assert_eq!(
        debts,
        json!([{
            "expenseId": hut["id"], "groupId": group.id, "groupTitle": "Alps", "amount": 10,
                "currency": "EUR",
            "payerId": "1", "payerName": "A", "description": "Hut", "totalAmount": 30,
                "date": "2026-01-15",
            "createdAt": hut["createdAt"],
        }])
    );

    let made = group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 5 }))
        .await;
    let mut expected = made.data(201).clone();
    expected["groupTitle"] = json!("Alps");
    assert_eq!(
        group.members[1].get("/api/users/me/settlements").await.data(200),
        &json!([expected])
    );
    assert_eq!(group.members[0].get("/api/users/me/settlements").await.data(200), &json!([]));
}

#[tokio::test]
async fn user_of_105_groups_sees_all_of_them() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for n in 1..=105 {
        alice.post("/api/groups", json!({ "title": format!("G{n}"), "chatId": n })).await.data(201);
    }
    let groups = alice.get("/api/users/me/groups").await;
    assert_eq!(groups.data(200).as_array().unwrap().len(), 105);
    assert_eq!(alice.get("/api/users/me/summary").await.data(200)["groupCount"], 105);
    assert_eq!(alice.get("/api/groups").await.data(200).as_array().unwrap().len(), 20);
    assert_eq!(alice.get("/api/groups?limit=100").await.data(200).as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn past_member_reads_amounts_but_no_texts_of_the_group() {
    for by_removal in [false, true] {
        let group = Group::new(3, "EUR").await;
        let [alice, _, carol] = &group.members[..] else { unreachable!("there are three") };
        let spent = |payer: &str| {
            json!({ "amount": 30, "description": "Before", "notes": "Before",
            "payerId": payer })
        };
        let owed = group.spend(0, spent("1")).await;
        let paid = group.spend(0, spent("3")).await;
        let payers = json!([{ "userId": "1", "amount": 4 }, { "userId": "3", "amount": 2 }]);
        let both = group.spend(0, json!({ "amount": 6, "payers": payers })).await;
        group.pay(2, 1, "5").await;
        group.pay(1, 2, "15").await;
        let lists = ["expenses", "debts", "settlements", "activity", "days/2026-01-15"];
        let texts = async || {
            let mut texts = String::new();
            for list in lists {
                let read = carol.get(&format!("/api/users/me/{list}")).await;
                read.data(200);
                texts += &read.text;
            }
            texts
        };
        assert!(texts().await.contains("Before"));
        if by_removal {
            alice.delete(&group.path("/members/3")).await.data(200);
        } else {
            carol.post(&group.path("/leave"), json!({})).await.data(200);
        }
        group.api.user(1, "Secret").post(&group.path("/join"), json!({})).await.data(200);
        for (expense, amount) in [(&owed, 60), (&paid, 30), (&both, 6)] {
            let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
            let secret = json!({ "description": "Secret", "notes": "Secret", "amount": amount });
            alice.put(&path, secret).await.data(200);
        }
        alice.patch(&group.path(""), json!({ "title": "Secret" })).await.data(200);
        let read = texts().await;
        assert!(!read.contains("Secret") && !read.contains("Before"), "{read}");
        assert!(!read.contains("Alps") && !read.contains("\"A\""), "{read}");
        for word in ["Secret", "Before"] {
            let found = carol.get(&format!("/api/users/me/expenses?q={word}")).await;
            assert_eq!(found.data(200), &json!([]), "{word}");
        }
        let own = carol.get("/api/users/me/expenses").await.data(200).clone();
        assert_eq!(own[1]["yourPayment"], 30, "{own}");
        assert_eq!(own[1]["splits"][2], json!({ "userId": "3", "userName": "", "amount": 10 }));
        let debts = carol.get("/api/users/me/debts").await.data(200).clone();
        assert_eq!((&debts[0]["amount"], &debts[0]["totalAmount"]), (&json!(20), &json!(60)));
        let day = carol.get("/api/users/me/days/2026-01-15").await.data(200).clone();
        assert_eq!(
            (&day["groups"][0]["title"], &day["groups"][0]["amount"]),
            (&json!(""), &json!(32))
        );
        let sent = carol.get("/api/users/me/activity").await.data(200)[0].clone();
        assert_eq!(sent["description"], "Payment from", "{sent}");

        if by_removal {
            let restore = group.path("/members/3/restore");
            alice.post(&restore, json!({})).await.data(200);
        } else {
            carol.post(&group.path("/join"), json!({})).await.data(200);
        }
        assert!(texts().await.contains("Secret"));
    }
}
