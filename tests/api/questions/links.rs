//! Guests who are linked to users: of every question, the two are one member.

use std::time::Duration;

use super::*;
use crate::harness::{Api, Caller};

/// A receipt with four salads of 3.00 each.
fn salads() -> Value {
    json!({ "type": "items", "prompt": "Who had what?", "receipt": {
        "description": "Lunch", "items": [{ "name": "Salad", "quantity": 4, "amount": 12 }] } })
}

/// Claims of so many salads, as a body; none for 0.
fn salads_of(user: &str, count: u64) -> Value {
    let items = if count > 0 { json!([{ "item": 0, "count": count }]) } else { json!([]) };
    json!({ "userId": user, "items": items })
}

impl Asked<'_> {
    async fn claims_by(&self, by: usize, body: Value) -> Value {
        self.group.members[by].put(&self.at("/claims"), body).await.data(200).clone()
    }

    /// The claims to the first item, by member.
    async fn claimed(&self) -> Vec<(String, String)> {
        let seen = self.get(0).await;
        let claims = seen["receipt"]["items"][0]["claims"].as_array().unwrap().clone();
        let claim = |it: &Value| {
            (it["userId"].as_str().unwrap().to_owned(), number(&it["count"]).to_string())
        };
        claims.iter().map(claim).collect()
    }
}

#[tokio::test]
async fn statement_of_a_user_replaces_that_of_the_linked_guest() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let asked = Asked::by(&group, 0, salads()).await;
    asked.claims_by(0, salads_of(&guest, 1)).await;
    asked.claims_by(1, salads_of("2", 3)).await;
    assert_eq!(asked.get(0).await["requiredResponses"], 4);
    group.link(&guest, "3").await.data(200);
    let seen = asked.get(2).await;
    assert_eq!((&seen["requiredResponses"], &seen["currentResponses"]), (&json!(3), &json!(2)));
    assert_eq!(asked.claimed().await, of(&[("2", "3"), ("3", "1")]));

    // Before the link, another member has claimed for the user, so the claims are changed ones.
    let stated = asked.claims_by(2, salads_of("3", 1)).await;
    assert_eq!((&stated["currentResponses"], &stated["points"]), (&json!(2), &json!(0)));
    assert_eq!(asked.claimed().await, of(&[("2", "3"), ("3", "1")]));
    assert_eq!(shares(&asked.get(0).await["preview"]), of(&[("2", "9"), ("3", "3")]));
    asked.claims_by(2, salads_of(&guest, 0)).await;
    assert_eq!(asked.claimed().await, of(&[("2", "3")]));
    asked.claims_by(2, salads_of(&guest, 1)).await;
    let seen = asked.get(0).await;
    let answers = seen["answers"].as_array().unwrap();
    assert_eq!(answers.iter().map(|it| &it["userId"]).collect::<Vec<_>>(), ["2", "3"]);
    let expense = asked.apply(0, json!({})).await.data(200).clone();
    assert_eq!(shares(&expense["splits"]), of(&[("2", "9"), ("3", "3")]));
    group.verify().await;
}

#[tokio::test]
async fn newest_of_several_statements_of_one_person_counts() {
    let api = Api::new().await;
    let claims = [(0, 1), (1, 2), (0, 3)];
    for (order, newest) in [([0, 2, 1], "2"), ([1, 0, 2], "3"), ([2, 1, 0], "1")] {
        let group = Group::of(&api, 2, "EUR").await;
        let own = group.guest(0, "Caro").await;
        let other = group.guest(0, "Lina").await;
        let asked = Asked::by(&group, 0, salads()).await;
        for index in order {
            let (by, count) = claims[index];
            group.api.pass(Duration::from_millis(1));
            asked.claims_by(by, salads_of([&*own, "2", &*other][index], count)).await;
        }
        for guest in [&own, &other] {
            group.link(guest, "2").await.data(200);
        }
        assert_eq!(asked.claimed().await, of(&[("2", newest)]), "{order:?}");
        let seen = asked.get(1).await;
        assert_eq!((&seen["currentResponses"], &seen["requiredResponses"]), (&json!(1), &json!(2)));
        assert_eq!(seen["answers"].as_array().unwrap().len(), 1);
        asked.claims_by(1, salads_of("2", 0)).await;
        assert_eq!(asked.claimed().await, of(&[]), "{order:?}");
    }
}

#[tokio::test]
async fn member_whose_guest_has_answered_has_answered() {
    let group = Group::new(3, "EUR").await;
    for (mut question, answer) in
        [(text(), json!({ "answer": "Home" })), (choice(), json!({ "selectedOption": 0 }))]
    {
        let guest = group.guest(0, &format!("Caro {}", question["type"])).await;
        question["audience"] = json!(["2", "3", guest]);
        let asked = Asked::by(&group, 0, question).await;
        let mut of_guest = answer.clone();
        of_guest["userId"] = json!(guest);
        asked.answer(&group.members[1], of_guest.clone()).await.data(201);
        let open = async |user: &Caller| {
            let open = user.get("/api/users/me/questions").await.data(200).clone();
            open.as_array().unwrap().iter().any(|it| it["id"] == *asked.id)
        };
        assert!(open(&group.members[2]).await);
        group.link(&guest, "3").await.data(200);
        let seen = asked.get(2).await;
        assert_eq!(seen["canAnswer"], false);
        assert_eq!(seen["audience"], json!(["2", "3"]));
        assert_eq!((&seen["requiredResponses"], &seen["currentResponses"]), (&json!(2), &json!(1)));
        assert!(!open(&group.members[2]).await);
        for body in [answer.clone(), of_guest] {
            let refused = asked.answer(&group.members[2], body).await;
            assert_eq!(refused.code(), (409, "ALREADY_ANSWERED"));
        }
        let listed = group.members[2].get(&group.path("/questions")).await.data(200)[0].clone();
        assert_eq!(listed["canAnswer"], false);
        let last = asked.answer(&group.members[1], answer).await.data(201).clone();
        assert_eq!((&last["status"], &last["currentResponses"]), (&json!("CLOSED"), &json!(2)));
    }
}

#[tokio::test]
async fn of_a_guest_and_a_user_who_answered_the_first_answer_counts() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let mut question = choice();
    question["audience"] = json!(["2", "3", guest]);
    let asked = Asked::by(&group, 0, question).await;
    let of_guest = json!({ "selectedOption": 1, "userId": guest });
    asked.answer(&group.members[1], of_guest).await.data(201);
    group.api.pass(Duration::from_millis(1));
    asked.answer(&group.members[2], json!({ "selectedOption": 0 })).await.data(201);
    group.link(&guest, "3").await.data(200);
    let seen = asked.get(0).await;
    assert_eq!((&seen["requiredResponses"], &seen["currentResponses"]), (&json!(2), &json!(1)));
    asked.answer(&group.members[1], json!({ "selectedOption": 0 })).await.data(201);
    let seen = asked.get(0).await;
    assert_eq!(seen["summary"], json!({ "Pizza": 1, "Sushi": 1 }));
    assert_eq!((&seen["status"], &seen["currentResponses"]), (&json!("CLOSED"), &json!(2)));
}

#[tokio::test]
async fn link_closes_a_question_that_has_all_answers_it_can_get() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let mut question = text();
    question["audience"] = json!(["2", "3", guest]);
    let asked = Asked::by(&group, 0, question).await;
    asked.answer(&group.members[1], json!({ "answer": "Home" })).await.data(201);
    asked.answer(&group.members[2], json!({ "answer": "Here" })).await.data(201);
    assert_eq!(asked.get(0).await["status"], "PARTIAL");
    group.link(&guest, "3").await.data(200);
    let seen = asked.get(0).await;
    assert_eq!((&seen["status"], &seen["requiredResponses"]), (&json!("CLOSED"), &json!(2)));
    assert_eq!(seen["closedAt"], group.api.now().to_string());
}

#[tokio::test]
async fn statements_of_an_expired_receipt_are_those_of_one_member() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let mut question = salads();
    question["timeoutSeconds"] = json!(60);
    let asked = Asked::by(&group, 0, question).await;
    asked.claims_by(0, salads_of(&guest, 4)).await;
    group.api.pass(Duration::from_millis(1));
    asked.claims_by(2, salads_of("3", 4)).await;
    group.api.pass(Duration::from_mins(1));
    group.link(&guest, "3").await.data(200);
    assert_eq!(asked.claimed().await, of(&[("3", "4")]));
    assert_eq!(asked.get(0).await["currentResponses"], 1);
    let expense = asked.apply(0, json!({})).await.data(200).clone();
    assert_eq!(shares(&expense["splits"]), of(&[("3", "12")]));
    group.verify().await;
}

#[tokio::test]
async fn repeated_claims_are_answered_as_of_one_moment() {
    let api = Api::new().await;
    let group = Group::of(&api, 3, "EUR").await;
    let asked = Asked::by(&group, 0, salads()).await;
    let first = asked.claims_by(1, salads_of("2", 1)).await;
    asked.claims_by(2, salads_of("3", 1)).await;
    let again = asked.claims_by(1, salads_of("2", 1)).await;
    assert_eq!((&first["currentResponses"], &again["currentResponses"]), (&json!(1), &json!(2)));
    assert_eq!((&again["points"], &again["totalPoints"]), (&json!(0), &json!(10)));
}

#[tokio::test]
async fn answers_for_a_linked_guest_are_the_users_own() {
    let api = Api::new().await;
    let group = Group::of(&api, 3, "EUR").await;
    let guest = group.guest(0, "Caro").await;
    let text =
        |prompt: &str| json!({ "type": "text", "prompt": prompt, "audience": ["3", &guest] });
    let mut asked = Vec::new();
    for prompt in ["First", "Second", "Third", "Fourth"] {
        asked.push(Asked::by(&group, 0, text(prompt)).await);
    }
    let claimed = Asked::by(&group, 0, salads()).await;
    for (index, by, member) in [(0, 1, &*guest), (1, 2, "3"), (2, 1, &guest), (0, 2, "3")] {
        api.pass(Duration::from_millis(1));
        let answer = json!({ "userId": member, "answer": format!("{member} {index}") });
        group.members[by].post(&asked[index].at("/answers"), answer).await.data(201);
    }
    api.pass(Duration::from_millis(1));
    claimed.claims_by(1, salads_of(&guest, 1)).await;
    api.pass(Duration::from_millis(1));
    claimed.claims_by(2, salads_of("3", 2)).await;
    let cara = &group.members[2];
    let shown = async || {
        let list = cara.pages("/api/users/me/answers", 1).await;
        let prompt = |it: &Value| it["prompt"].as_str().unwrap().to_owned();
        list.iter().map(prompt).collect::<Vec<_>>()
    };
    assert_eq!(shown().await, ["Who had what?", "First", "Second"]);
    group.link(&guest, "3").await.data(200);
    // Of two answers to a question the first counts, and of two statements the last.
    assert_eq!(shown().await, ["Who had what?", "Third", "Second", "First"]);
    let all = cara.get("/api/users/me/answers").await.data(200).clone();
    assert_eq!(all[0]["claims"][0]["count"], 2, "{all}");
    assert_eq!(all[3]["answer"], format!("{guest} 0"));
    api.pass(Duration::from_millis(1));
    claimed.claims_by(2, salads_of(&guest, 3)).await;
    assert_eq!(cara.get("/api/users/me/answers").await.data(200)[0]["claims"][0]["count"], 3);
}
