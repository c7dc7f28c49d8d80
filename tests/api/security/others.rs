//! Isolation of groups: no id, own or invented, reaches the rows of another group.

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use fracti_core::values::id::{ExpenseId, SettlementId};
use serde_json::json;

use super::Scene;

#[tokio::test]
async fn rows_of_another_group_are_unreachable_through_ones_own() {
    let scene = Scene::new().await;
    let own = &scene.own;
    let foreign = &scene.foreign;
    let [expense, settlement] = [&foreign.expense, &foreign.settlement];
    // At the same millisecond, so that both groups have a row at the key that the other's id leads
    // to.
    let at = expense.parse::<ExpenseId>().unwrap().created_at();
    assert_eq!(at, own.expense.parse::<ExpenseId>().unwrap().created_at());
    let at = at.unwrap();
    let made_up = [ExpenseId::new(at, [0; 10]), ExpenseId::new(at.next(), [0xff; 10])];
    let mut expenses = vec![expense.clone(), foreign.settlement.clone(), own.settlement.clone()];
    let mut settlements = vec![settlement.clone(), foreign.expense.clone(), own.expense.clone()];
    expenses.extend(made_up.map(|id| id.to_string()));
    let at = settlement.parse::<SettlementId>().unwrap().created_at().unwrap();
    settlements.push(SettlementId::new(at, [0; 10]).to_string());
    for id in ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"] {
        expenses.push(id.to_owned());
        settlements.push(id.to_owned());
    }
    for caller in [&scene.eve, &own.group.members[0], &own.group.members[1]] {
        for id in &expenses {
            for (method, rest) in [
                (Method::GET, ""),
                (Method::DELETE, ""),
                (Method::PUT, ""),
                (Method::POST, "/restore"),
                (Method::GET, "/history"),
            ] {
                let path = own.path(&format!("/api/groups/G/expenses/{id}{rest}"));
                let body = (method == Method::PUT).then(|| json!({ "amount": 1 }));
                let reply = caller.call(method.clone(), &path, body.as_ref()).await;
                scene
                    .refused(&reply, (404, "EXPENSE_NOT_FOUND"), &format!("{method} {path}"))
                    .await;
            }
        }
        for id in &settlements {
            let path = own.path(&format!("/api/groups/G/settlements/{id}"));
            scene.refused(&caller.get(&path).await, (404, "SETTLEMENT_NOT_FOUND"), &path).await;
            for body in [
                json!({ "status": "completed" }),
                json!({ "status": "failed" }),
                json!({ "txHash": "a".repeat(64) }),
            ] {
                let reply = caller.put(&path, body).await;
                scene.refused(&reply, (404, "SETTLEMENT_NOT_FOUND"), &path).await;
            }
        }
    }
}

#[tokio::test]
async fn v0_ids_are_found_only_in_their_own_group() {
    let scene = Scene::new().await;
    let old = "660e8400-e29b-41d4-a716-446655440001";
    let key = (format!("GROUP#{}", scene.foreign.group.id), format!("TX#{}", created_at(&scene)));
    let mut row = scene.rows[&key].clone();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    row.insert("id".to_owned(), text(old));
    row.insert("GSI2PK".to_owned(), text(&format!("EXPENSE#{old}")));
    let put = scene.api.client.put_item().table_name("FractiTable");
    put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
    let before = scene.api.rows().await;

    let path = scene.foreign.path(&format!("/api/groups/G/expenses/{old}"));
    scene.foreign.group.members[0].get(&path).await.data(200);
    assert_eq!(scene.eve.get(&path).await.code(), (403, "NOT_A_MEMBER"));
    let path = scene.own.path(&format!("/api/groups/G/expenses/{old}"));
    for method in [Method::GET, Method::DELETE] {
        let reply = scene.own.group.members[0].call(method.clone(), &path, None).await;
        assert_eq!(reply.code(), (404, "EXPENSE_NOT_FOUND"), "{method}");
    }
    assert_eq!(scene.api.rows().await, before);
}

fn created_at(scene: &Scene) -> String {
    let id: ExpenseId = scene.foreign.expense.parse().unwrap();
    id.created_at().unwrap().to_string()
}

#[tokio::test]
async fn member_cannot_act_for_another_user() {
    let scene = Scene::new().await;
    let own = &scene.own;
    let hash = "b".repeat(64);
    for (method, path, body, refusal) in [
        // Between two other users.
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "fromId": "2", "toId": "1", "amount": 1 })),
            (403, "NOT_ALLOWED"),
        ),
        (
            Method::PUT,
            "/api/groups/G/settlements/S",
            Some(json!({ "status": "failed" })),
            (403, "NOT_ALLOWED"),
        ),
        (
            Method::PUT,
            "/api/groups/G/settlements/S",
            Some(json!({ "txHash": hash })),
            (403, "NOT_ALLOWED"),
        ),
        (Method::DELETE, "/api/groups/G/expenses/E", None, (403, "NOT_ALLOWED")),
        (
            Method::PUT,
            "/api/groups/G/expenses/E",
            Some(json!({ "payerId": "9" })),
            (403, "NOT_ALLOWED"),
        ),
        (Method::POST, "/api/groups/G/expenses/E/restore", None, (403, "NOT_ALLOWED")),
        // To oneself, and to a non-member.
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "toId": "9", "amount": 1 })),
            (400, "VALIDATION_ERROR"),
        ),
        (
            Method::POST,
            "/api/groups/G/settlements",
            Some(json!({ "toId": "77", "amount": 1 })),
            (400, "VALIDATION_ERROR"),
        ),
    ] {
        let path = own.path(path);
        let reply = scene.eve.call(method.clone(), &path, body.as_ref()).await;
        scene.refused(&reply, refusal, &format!("{method} {path} {body:?}")).await;
    }
    // Fields that clients must not set.
    let expense = json!({
        "amount": 1, "description": "x", "id": own.expense, "createdBy": "1",
            "groupId": scene.foreign.group.id,
        "createdAt": "1970-01-01T00:00:00.000Z", "PK": "GROUP#x", "formatVersion": 7,
            "payerName": "B", "ttl": 1,
    });
    let settlement = json!({
        "toId": "1", "amount": 1, "status": "completed", "completedAt": "2024-01-20T18:30:00.000Z",
    });
    for (path, body, unknown) in
        [("/api/groups/G/expenses", expense, 8), ("/api/groups/G/settlements", settlement, 2)]
    {
        let reply = scene.eve.post(&own.path(path), body).await;
        scene.refused(&reply, (400, "VALIDATION_ERROR"), path).await;
        let details = reply.body["details"].as_array().unwrap();
        assert_eq!(details.len(), unknown, "{}", reply.text);
    }
}

#[tokio::test]
async fn largest_amounts_break_no_response() {
    let scene = Scene::new().await;
    let own = &scene.own;
    let most = "92233720368547758.07";
    let (expenses, settlements) =
        (own.path("/api/groups/G/expenses"), own.path("/api/groups/G/settlements"));
    let take = json!({ "fromId": "2", "toId": "9", "amount": "92233720368547755" });
    for (path, body) in [
        (&settlements, take.clone()),
        (&settlements, take),
        (&expenses, json!({ "amount": most, "description": "x" })),
        (
            &expenses,
            json!({ "amount": "92233720368547748.07", "description": "x",
                "splits": [{ "userId": "1" }] }),
        ),
        (&expenses, json!({ "amount": most, "description": "x", "currency": "USD" })),
        (&expenses, json!({ "amount": "0.01", "description": "x", "currency": "USD" })),
    ] {
        let reply = scene.eve.post(path, body.clone()).await;
        assert!(
            reply.status == 201 || reply.code() == (400, "VALIDATION_ERROR"),
            "{body}: {}",
            reply.text
        );
        for path in [
            "/api/groups/G/debts",
            "/api/groups/G",
            "/api/users/me",
            "/api/users/me/groups",
            "/api/users/me/activity",
        ] {
            scene.eve.get(&own.path(path)).await.data(200);
        }
        own.group.verify().await;
    }
    // The expense that filled the ledger can still be deleted.
    let whole = scene.eve.get(&expenses).await;
    for expense in whole.data(200).as_array().unwrap().iter().filter(|it| it["createdBy"] == "9") {
        scene
            .eve
            .delete(&format!("{expenses}/{}", expense["id"].as_str().unwrap()))
            .await
            .data(200);
    }
    own.group.verify().await;
}
