//! Lists of questions, answers and points.

use std::time::Duration;

use super::*;
use crate::harness::Api;

/// Prompts of questions.
fn prompts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it["prompt"].as_str().unwrap()).collect()
}

fn asking(prompt: &str, seconds: u64) -> Value {
    json!({ "type": "text", "prompt": prompt, "timeoutSeconds": seconds })
}

#[tokio::test]
async fn questions_are_listed_by_status_and_category() {
    let group = Group::new(3, "EUR").await;
    let ask = async |prompt: &str, seconds, category: Value| {
        group.api.pass(Duration::from_millis(1));
        let mut question = asking(prompt, seconds);
        question["category"] = category;
        Asked::by(&group, 0, question).await
    };
    ask("Expired", 60, json!("food")).await;
    let closed = ask("Closed", 3600, Value::Null).await;
    group.members[0].post(&closed.at("/close"), Value::Null).await.data(200);
    let partial = ask("Partial", 3600, json!("food")).await;
    partial.answer(&group.members[1], json!({ "answer": "x" })).await.data(201);
    ask("Open", 3600, Value::Null).await;
    group.api.pass(Duration::from_mins(1));
    for (query, expected) in [
        ("", vec!["Open", "Partial", "Closed", "Expired"]),
        ("?status=OPEN,PARTIAL", vec!["Open", "Partial"]),
        ("?status=EXPIRED", vec!["Expired"]),
        ("?status=CLOSED", vec!["Closed"]),
        ("?category=food", vec!["Partial", "Expired"]),
        ("?category=food&status=PARTIAL", vec!["Partial"]),
    ] {
        let path = group.path(&format!("/questions{query}"));
        let pages: Value = group.members[2].pages(&path, 1).await.into();
        assert_eq!(prompts(&pages), expected, "{query}");
        assert!(pages.as_array().unwrap().iter().all(|it| it.get("answers").is_none()));
    }
    let refused = group.members[0].get(&group.path("/questions?status=open")).await;
    assert_eq!(refused.body["details"][0]["path"], "status");
}

#[tokio::test]
async fn open_questions_of_all_groups_come_by_their_time() {
    let api = Api::new().await;
    let groups = [
        Group::of(&api, 3, "EUR").await,
        Group::of(&api, 3, "EUR").await,
        Group::of(&api, 3, "EUR").await,
    ];
    let ask = async |group: usize, by: usize, body: Value| {
        api.pass(Duration::from_millis(1));
        Asked::by(&groups[group], by, body).await
    };
    ask(0, 0, asking("Third", 3000)).await;
    ask(1, 0, asking("First", 1000)).await;
    ask(2, 0, asking("Second", 2000)).await;
    ask(2, 1, asking("Own", 2000)).await;
    let mut of_others = asking("Others", 1500);
    of_others["audience"] = json!(["3"]);
    ask(0, 0, of_others).await;
    ask(0, 0, asking("Expired", 60)).await;
    let answered = ask(1, 0, asking("Answered", 1200)).await;
    let bob = &groups[1].members[1];
    answered.answer(bob, json!({ "answer": "x" })).await.data(201);
    let mut receipt = dinner();
    receipt["prompt"] = json!("Receipt");
    ask(1, 1, receipt).await;
    api.pass(Duration::from_mins(1));
    let open: Value = bob.pages("/api/users/me/questions", 1).await.into();
    assert_eq!(prompts(&open), ["First", "Second", "Third", "Receipt"]);
    let whole = bob.get("/api/users/me/questions").await;
    assert_eq!(whole.data(200), &open);
    assert!(open.as_array().unwrap().iter().all(|it| it["canAnswer"] == true));
    groups[2].members[1].post(&groups[2].path("/leave"), Value::Null).await.data(200);
    let open = bob.get("/api/users/me/questions").await;
    assert_eq!(prompts(open.data(200)), ["First", "Third", "Receipt"]);
    // Past members see neither what they asked nor what they answered.
    let asked = bob.get("/api/users/me/questions?asked=true").await;
    assert_eq!(prompts(asked.data(200)), ["Receipt"]);
}

#[tokio::test]
async fn an_agent_finds_what_it_asked() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let new = json!({ "name": "Bot", "scopes": ["read", "write"] });
    let bot = alice.with_token(&alice.post("/api/users/me/tokens", new).await);
    Asked::by(&group, 0, asking("By hand", 3600)).await;
    group.api.pass(Duration::from_millis(1));
    let made = bot.post(&group.path("/questions"), asking("By bot", 3600)).await.data(201).clone();
    let agent = made["agentId"].as_str().unwrap();
    let close = group.path(&format!("/questions/{}/close", made["id"].as_str().unwrap()));
    bot.post(&close, Value::Null).await.data(200);
    for (query, expected) in [
        ("asked=true".to_owned(), vec!["By bot", "By hand"]),
        (format!("asked=true&agentId={agent}"), vec!["By bot"]),
        ("asked=true&status=CLOSED".to_owned(), vec!["By bot"]),
        ("asked=true&status=OPEN".to_owned(), vec!["By hand"]),
    ] {
        let list = alice.get(&format!("/api/users/me/questions?{query}")).await;
        assert_eq!(prompts(list.data(200)), expected, "{query}");
    }
    let refused = bot.get("/api/users/me/questions?status=OPEN").await;
    assert_eq!(refused.body["details"][0]["message"], "status must be given only with asked=true");
}

#[tokio::test]
async fn answers_and_points_are_listed_and_ranked() {
    let group = Group::new(5, "EUR").await;
    let zone = json!({ "version": 1, "timeZone": "Europe/Berlin" });
    group.members[1].patch("/api/users/me/targets", zone).await.data(200);
    // Carol and Dan answer one text, Eve chooses once, Bob answers on three days.
    let asked = Asked::by(&group, 0, text()).await;
    for member in [1, 2, 3] {
        asked.answer(&group.members[member], json!({ "answer": "x" })).await.data(201);
    }
    let mut food = choice();
    food["category"] = json!("food");
    let asked = Asked::by(&group, 0, food.clone()).await;
    asked.answer(&group.members[4], json!({ "selectedOption": 0 })).await.data(201);
    // The clock changes on 29 March.
    group.api.pass(Duration::from_hours(24 * 71));
    for (hours, streak) in [(0, 1), (23, 2), (24, 3)] {
        group.api.pass(Duration::from_hours(hours));
        let [alice, bob] = [group.api.user(1, "A"), group.api.user(2, "B")];
        let made = alice.post(&group.path("/questions"), food.clone()).await;
        let path = group.path(&format!("/questions/{}/answers", made.id()));
        let answered = bob.post(&path, json!({ "selectedOption": 1 })).await;
        assert_eq!(answered.data(201)["streakDays"], streak);
    }
    let [bob, dan, eve] = [group.api.user(2, "B"), group.api.user(4, "D"), group.api.user(5, "E")];
    let board = eve.get(&group.path("/leaderboard?limit=2")).await.data(200).clone();
    let place = |rank: u64,
                 user: &str,
                 name: &str,
                 points: u64,
                 answers: u64,
                 days: u64,
                 me: bool| {
        json!({ "rank": rank, "userId": user, "name": name, "points": points, "answers": answers,
            "streakDays": days, "badges": ["first_answer"], "isMe": me })
    };
    let first = place(1, "2", "B", 25, 4, 3, false);
    assert_eq!(board["entries"], json!([first, place(2, "3", "C", 10, 1, 1, false)]));
    assert_eq!(board["you"], place(4, "5", "E", 5, 1, 1, true));
    let all = dan.get(&group.path("/leaderboard")).await.data(200)["entries"].clone();
    assert_eq!(all[2], place(2, "4", "D", 10, 1, 1, true), "equal points, equal rank");
    eve.post(&group.path("/leave"), Value::Null).await.data(200);
    let all = dan.get(&group.path("/leaderboard")).await.data(200)["entries"].clone();
    assert_eq!(all.as_array().unwrap().len(), 3);
    assert_eq!(eve.get("/api/users/me/points").await.data(200), &json!([]));
    assert_eq!(eve.get("/api/users/me/answers").await.data(200), &json!([]));

    let points = bob.get("/api/users/me/points").await.data(200)[0].clone();
    assert_eq!((&points["groupTitle"], &points["totalPoints"]), (&json!("Alps"), &json!(25)));
    assert_eq!(points["answersByCategory"], json!({ "food": 3, "none": 1 }));
    let answers = bob.pages("/api/users/me/answers", 1).await;
    let kinds: Vec<_> = answers.iter().map(|it| it["type"].as_str().unwrap()).collect();
    // The text is gone: its month is over.
    assert_eq!(kinds, ["multiple_choice", "multiple_choice", "multiple_choice"]);
    assert_eq!(answers[0]["selectedOption"], 1);
}

#[tokio::test]
async fn a_group_has_a_hundred_open_questions() {
    let group = Group::new(2, "EUR").await;
    let mut last = None;
    for _ in 0..100 {
        last = Some(Asked::by(&group, 0, text()).await);
    }
    let refused = group.members[1].post(&group.path("/questions"), text()).await;
    assert_eq!(refused.code(), (422, "TOO_MANY_QUESTIONS"));
    group.members[0].post(&last.unwrap().at("/close"), Value::Null).await.data(200);
    group.members[1].post(&group.path("/questions"), text()).await.data(201);
}
