//! Texts and choices: who may answer, once, and what others see.

use std::time::Duration;

use super::*;

#[tokio::test]
async fn enough_choices_close_a_question_with_a_summary() {
    let group = Group::new(4, "EUR").await;
    let mut question = choice();
    question["requiredResponses"] = json!(3);
    question["category"] = json!("food");
    let asked = Asked::by(&group, 0, question).await;
    // The asker is not asked.
    let own = asked.answer(&group.members[0], json!({ "selectedOption": 0 })).await;
    assert_eq!(own.code(), (403, "NOT_ALLOWED"));
    let body = json!({ "selectedOption": 0, "confidence": 4, "responseTimeMs": 5200 });
    let first = asked.answer(&group.members[1], body).await.data(201).clone();
    let result = json!({ "questionId": asked.id, "status": "PARTIAL", "currentResponses": 1,
        "requiredResponses": 3, "points": 5, "totalPoints": 5, "streakDays": 1,
        "newBadges": ["first_answer"] });
    assert_eq!(first, result);
    let again = asked.answer(&group.members[1], json!({ "selectedOption": 1 })).await;
    assert_eq!(again.code(), (409, "ALREADY_ANSWERED"));
    assert_eq!(asked.get(1).await.get("summary"), None, "not over yet");
    asked.answer(&group.members[2], json!({ "selectedOption": 1 })).await.data(201);
    let last = asked.answer(&group.members[3], json!({ "selectedOption": 0 })).await;
    assert_eq!(last.data(201)["status"], "CLOSED");
    let over = asked.get(0).await;
    assert_eq!(over["summary"], json!({ "Pizza": 2, "Sushi": 1 }));
    assert!(over["closedAt"].is_string() && over["answers"][0]["confidence"] == 4, "{over}");
    let closed = group.members[0].post(&asked.at("/close"), Value::Null).await;
    assert_eq!(closed.data(200)["closedAt"], over["closedAt"], "it stays as it is");
}

#[tokio::test]
async fn fields_of_a_question_are_checked_at_their_edges() {
    let group = Group::new(4, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let with = |question: Value, field: &str, value: Value| {
        let mut question = question;
        question[field] = value;
        question
    };
    let texts = |count: usize| (0..count).map(|n| json!(format!("Option {n}"))).collect::<Value>();
    let long = |length: usize| json!("x".repeat(length));
    let before = group.api.rows().await;
    let refused: Vec<(Value, &str)> = vec![
        (with(text(), "prompt", json!(" ")), "prompt"),
        (with(text(), "prompt", long(2001)), "prompt"),
        (with(text(), "options", texts(2)), "options"),
        (with(text(), "receipt", dinner()["receipt"].clone()), "receipt"),
        (with(choice(), "options", Value::Null), "options"),
        (with(choice(), "options", texts(1)), "options"),
        (with(choice(), "options", texts(11)), "options"),
        (with(choice(), "options", json!(["Same", "Same"])), "options[1]"),
        (with(choice(), "options", json!(["x", "y".repeat(101)])), "options[1]"),
        (with(text(), "audience", json!([])), "audience"),
        (with(text(), "audience", json!(["77"])), "audience[0]"),
        (with(text(), "audience", json!(["2", "2"])), "audience[1]"),
        (with(text(), "requiredResponses", json!(0)), "requiredResponses"),
        (with(text(), "requiredResponses", json!(4)), "requiredResponses"),
        (with(text(), "requiredResponses", json!("1.5")), "requiredResponses"),
        (with(dinner(), "requiredResponses", json!(1)), "requiredResponses"),
        (with(text(), "timeoutSeconds", json!(59)), "timeoutSeconds"),
        (with(text(), "timeoutSeconds", json!(86_401)), "timeoutSeconds"),
        (with(dinner(), "timeoutSeconds", json!(2_592_001)), "timeoutSeconds"),
        (with(dinner(), "category", json!("food")), "category"),
        (with(dinner(), "anonymous", json!(true)), "anonymous"),
        (with(with(text(), "anonymous", json!(true)), "requiredResponses", json!(2)), "anonymous"),
        (
            with(with(text(), "anonymous", json!(true)), "audience", json!(["2", "3", guest])),
            "anonymous",
        ),
        (with(text(), "type", json!("poll")), "type"),
    ];
    for (body, path) in refused {
        let reply = group.members[0].post(&group.path("/questions"), body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}");
        assert_eq!(reply.body["details"][0]["path"], path, "{body}: {}", reply.text);
        assert_eq!(reply.body["details"].as_array().unwrap().len(), 1, "{}", reply.text);
    }
    assert_eq!(group.api.rows().await, before);
    for body in [
        with(text(), "prompt", long(2000)),
        with(text(), "prompt", json!("Two\nlines 🍕")),
        with(choice(), "options", texts(10)),
        with(text(), "audience", json!(["1", "2", guest])),
        with(text(), "requiredResponses", json!(3)),
        with(text(), "timeoutSeconds", json!(60)),
        with(dinner(), "timeoutSeconds", json!(2_592_000)),
        with(text(), "anonymous", json!(true)),
    ] {
        let asked = group.members[0].post(&group.path("/questions"), body.clone()).await;
        assert_eq!(asked.data(201)["prompt"], body["prompt"]);
        let path = group.path(&format!("/questions/{}", asked.id()));
        assert_eq!(group.members[1].get(&path).await.data(200)["prompt"], body["prompt"]);
    }
    // Lists have the beginning of a long prompt.
    let prompts = group.members[0].get(&group.path("/questions")).await.data(200).clone();
    let lengths = prompts.as_array().unwrap().iter();
    let longest = lengths.map(|it| it["prompt"].as_str().unwrap().chars().count()).max();
    assert_eq!(longest, Some(300));
    let alone = Group::of(&group.api, 1, "EUR").await;
    let reply = alone.members[0].post(&alone.path("/questions"), text()).await;
    assert_eq!(reply.body["details"][0]["path"], "audience");
}

#[tokio::test]
async fn answers_are_of_the_type_that_is_asked_for() {
    let group = Group::new(3, "EUR").await;
    let text = Asked::by(&group, 0, text()).await;
    let choice = Asked::by(&group, 0, choice()).await;
    let receipt = Asked::by(&group, 0, dinner()).await;
    let before = group.api.rows().await;
    let bob = &group.members[1];
    for (asked, body, path) in [
        (&text, json!({}), "answer"),
        (&text, json!({ "answer": "" }), "answer"),
        (&text, json!({ "answer": "x".repeat(5001) }), "answer"),
        (&text, json!({ "answer": "Here", "selectedOption": 0 }), "selectedOption"),
        (&text, json!({ "answer": "Here", "confidence": 6 }), "confidence"),
        (&text, json!({ "answer": "Here", "responseTimeMs": 86_400_001 }), "responseTimeMs"),
        (&choice, json!({ "selectedOption": 2 }), "selectedOption"),
        (&choice, json!({ "answer": "Pizza", "selectedOption": 0 }), "answer"),
        (&receipt, json!({ "answer": "All" }), "answer"),
    ] {
        let reply = asked.answer(bob, body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}");
        assert_eq!(reply.body["details"][0]["path"], path, "{body}");
    }
    assert_eq!(group.api.rows().await, before);
    text.answer(bob, json!({ "answer": "x".repeat(5000), "confidence": 5 })).await.data(201);
    assert_eq!(text.get(2).await["answers"][0]["answer"], "x".repeat(5000));
}

#[tokio::test]
async fn members_answer_for_themselves_and_for_guests_who_are_asked() {
    let group = Group::new(3, "EUR").await;
    let [asked_guest, other] = [group.guest(0, "Grandma").await, group.guest(0, "Grandpa").await];
    let mut question = text();
    question["audience"] = json!(["1", asked_guest]);
    let asked = Asked::by(&group, 0, question).await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let answer = |user: &str| json!({ "userId": user, "answer": "Home" });
    for (by, user, message) in [
        (bob, "2", "This member is not asked."),
        (bob, "1", "You can answer only for yourself or for a guest."),
        (bob, &other, "This member is not asked."),
    ] {
        let refused = asked.answer(by, answer(user)).await;
        assert_eq!(
            (refused.code(), &refused.body["message"]),
            ((403, "NOT_ALLOWED"), &json!(message))
        );
    }
    let of_guest = asked.answer(bob, answer(&asked_guest)).await.data(201).clone();
    assert_eq!((&of_guest["points"], of_guest.get("totalPoints")), (&json!(0), None));
    let again = asked.answer(alice, answer(&asked_guest)).await;
    assert_eq!(again.code(), (409, "ALREADY_ANSWERED"));
    assert_eq!(asked.answer(alice, answer("1")).await.data(201)["status"], "CLOSED");
    let answers = asked.get(2).await["answers"].clone();
    assert_eq!(answers[0]["answeredBy"], "1");
    assert_eq!(
        (&answers[1]["userName"], &answers[1]["answeredBy"]),
        (&json!("Grandma"), &json!("2"))
    );
    let close = bob.post(&asked.at("/close"), Value::Null).await;
    assert_eq!(close.code(), (403, "NOT_ALLOWED"));
}

#[tokio::test]
async fn nothing_tells_who_gave_an_anonymous_answer() {
    let group = Group::new(5, "EUR").await;
    let mut question = choice();
    question["anonymous"] = json!(true);
    question["requiredResponses"] = json!(3);
    let asked = Asked::by(&group, 0, question).await;
    for (member, option) in [(1, 0), (2, 1)] {
        let body = json!({ "selectedOption": option, "confidence": 3, "responseTimeMs": 77 });
        let answered = asked.answer(&group.members[member], body).await;
        assert_eq!(answered.data(201)["totalPoints"], 5);
        let again = asked.answer(&group.members[member], json!({ "selectedOption": 0 })).await;
        assert_eq!(again.code(), (409, "ALREADY_ANSWERED"));
        let seen = asked.get(0).await;
        assert_eq!((&seen["answers"], seen.get("summary")), (&json!([]), None));
        assert_eq!(seen["currentResponses"], member);
    }
    // Who has answered and who has not are told alike that nothing can be claimed.
    for member in [1, 3] {
        let claims = asked.claim(member, &[]).await;
        assert_eq!(claims.code(), (400, "VALIDATION_ERROR"), "{}", claims.text);
    }
    asked.answer(&group.members[3], json!({ "selectedOption": 0 })).await.data(201);
    let over = asked.get(4).await;
    assert_eq!(over["summary"], json!({ "Pizza": 2, "Sushi": 1 }));
    let answers = over["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3);
    for answer in answers {
        for field in ["userId", "userName", "answeredBy", "createdAt", "responseTimeMs"] {
            assert_eq!(answer.get(field), None, "{answer}");
        }
    }
    let rows = group.api.rows().await;
    let answers = rows.iter().filter(|((_, sk), _)| sk.starts_with("ANSWER#"));
    for (key, row) in answers {
        assert!(!row.contains_key("GSI1PK") && !row.contains_key("memberId"), "{key:?}");
        assert_eq!(row["createdAt"].as_s().unwrap(), "2026-01-15T00:00:00.000Z");
    }
    for member in 1..=3 {
        let own = group.members[member].get("/api/users/me/answers").await;
        assert_eq!(own.data(200), &json!([]));
    }

    // Below three answers nothing is shown, although the time ran out.
    let mut question = text();
    question["anonymous"] = json!(true);
    let asked = Asked::by(&group, 0, question).await;
    for member in 1..=2 {
        asked.answer(&group.members[member], json!({ "answer": "Here" })).await.data(201);
    }
    group.api.pass(Duration::from_hours(1));
    let seen = group.api.user(1, "A").get(&asked.path).await;
    assert_eq!(
        (&seen.data(200)["status"], &seen.body["data"]["answers"]),
        (&json!("EXPIRED"), &json!([]))
    );
}

#[tokio::test]
async fn answers_after_the_time_ran_out_change_nothing() {
    let group = Group::new(3, "EUR").await;
    let asked = Asked::by(&group, 0, text()).await;
    asked.answer(&group.members[1], json!({ "answer": "Here" })).await.data(201);
    group.api.pass(Duration::from_hours(1));
    let before = group.api.rows().await;
    let carol = group.api.user(3, "C");
    let late = asked.answer(&carol, json!({ "answer": "There" })).await;
    assert_eq!(late.code(), (409, "QUESTION_CLOSED"));
    assert_eq!(group.api.rows().await, before);
    let seen = carol.get(&asked.path).await.data(200).clone();
    assert_eq!((&seen["status"], &seen["canAnswer"]), (&json!("EXPIRED"), &json!(false)));
    assert_eq!(seen["answers"][0]["answer"], "Here");
}

#[tokio::test]
async fn a_key_asks_and_answers_once() {
    let group = Group::new(3, "EUR").await;
    let path = group.path("/questions");
    let alice = &group.members[0];
    let bob = &group.members[1];
    let first = alice.post_once("k", &path, text()).await;
    let again = alice.post_once("k", &path, text()).await;
    assert_eq!(first.data(201), again.data(201));
    let mut other = text();
    other["prompt"] = json!("When?");
    let reused = alice.post_once("k", &path, other).await;
    assert_eq!(reused.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    let answers = format!("{path}/{}/answers", first.id());
    let body = json!({ "answer": "Here" });
    let first = bob.post_once("k", &answers, body.clone()).await;
    let again = bob.post_once("k", &answers, body).await;
    assert_eq!(first.data(201), again.data(201));
    assert_eq!(first.body["data"]["totalPoints"], 10);
    let rows = group.api.rows().await;
    assert_eq!(rows.keys().filter(|(_, sk)| sk.starts_with("QUESTION#")).count(), 1);
}

#[tokio::test]
async fn tokens_ask_within_their_scopes() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let token = async |body: Value| {
        let made = alice.post("/api/users/me/tokens", body).await;
        alice.with_token(&made)
    };
    let reader = token(json!({ "name": "Reader", "scopes": ["read"] })).await;
    let refused = reader.post(&group.path("/questions"), text()).await;
    assert_eq!(refused.code(), (403, "INSUFFICIENT_SCOPE"));
    let scopes = json!(["read", "write"]);
    let limited = json!({ "name": "Limited", "scopes": scopes, "groupId": group.id });
    let limited = token(limited).await;
    limited.post(&group.path("/questions"), text()).await.data(201);
    let own = limited.get("/api/users/me/questions").await;
    assert_eq!(own.code(), (403, "INSUFFICIENT_SCOPE"));
}
