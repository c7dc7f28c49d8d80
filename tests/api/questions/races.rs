//! Answers, claims and applications at the same moment, and under faults.

use fracti_tests::faults::{Fault, Plan, Proxy};
use tokio::task::JoinSet;

use super::*;
use crate::harness::Api;

/// Makes all calls at once.
async fn at_once<F: Future<Output = Reply> + Send + 'static>(
    calls: impl IntoIterator<Item = F>,
) -> Vec<Reply> {
    calls.into_iter().collect::<JoinSet<_>>().join_all().await
}

fn count(replies: &[Reply], code: (u16, &str)) -> usize {
    replies.iter().filter(|reply| reply.code() == code).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_answers_are_stored_as_are_required() {
    let group = Group::new(13, "EUR").await;
    let mut question = text();
    question["requiredResponses"] = json!(5);
    let asked = Asked::by(&group, 0, question).await;
    let answers = group.members[1..].iter().cloned().map(|member| {
        let path = asked.at("/answers");
        async move { member.post(&path, json!({ "answer": "x" })).await }
    });
    let replies = at_once(answers).await;
    assert_eq!(count(&replies, (201, "")), 5);
    assert_eq!(count(&replies, (409, "QUESTION_CLOSED")), 7);
    let closed = replies.iter().filter(|it| it.body["data"]["status"] == "CLOSED").count();
    assert_eq!(closed, 1);
    let over = asked.get(0).await;
    assert_eq!(over["answers"].as_array().unwrap().len(), 5);
    let board = group.members[0].get(&group.path("/leaderboard?limit=100")).await;
    assert_eq!(board.data(200)["entries"].as_array().unwrap().len(), 5);

    // Ten answers of one member.
    let asked = Asked::by(&group, 0, choice()).await;
    let replies = at_once((0..10).map(|_| {
        let member = group.members[1].clone();
        let path = asked.at("/answers");
        async move { member.post(&path, json!({ "selectedOption": 0 })).await }
    }))
    .await;
    assert_eq!(count(&replies, (201, "")), 1);
    assert_eq!(count(&replies, (409, "ALREADY_ANSWERED")), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expense_has_exactly_the_claims_acknowledged_before_it() {
    let group = Group::new(13, "EUR").await;
    let mut question = dinner();
    question["receipt"]["items"] = json!([{ "name": "Wine", "amount": "120.12" }]);
    let asked = Asked::by(&group, 0, question).await;
    asked.claim(0, &[(0, Value::Null)]).await.data(200);
    let claims = group.members[1..].iter().cloned().map(|member| {
        let path = asked.at("/claims");
        let call = async move { member.put(&path, json!({ "items": [{ "item": 0 }] })).await };
        Box::pin(call) as std::pin::Pin<Box<dyn Future<Output = Reply> + Send>>
    });
    let applications = (0..10).map(|_| {
        let asker = group.members[0].clone();
        let path = asked.at("/apply");
        let call = async move { asker.post(&path, json!({})).await };
        Box::pin(call) as std::pin::Pin<Box<dyn Future<Output = Reply> + Send>>
    });
    let replies = at_once(claims.chain(applications)).await;
    let claimed = replies.iter().filter(|it| it.body["data"]["questionId"].is_string()).count();
    assert_eq!(claimed + count(&replies, (409, "QUESTION_CLOSED")), 12);
    let expenses: Vec<_> =
        replies.iter().filter(|it| it.body["data"]["splits"].is_array()).collect();
    assert_eq!(expenses.len(), 10);
    let first = expenses[0].data(200);
    assert!(expenses.iter().all(|it| it.body["data"]["id"] == first["id"]));
    assert_eq!(first["splits"].as_array().unwrap().len(), claimed + 1);
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);
    group.verify().await;
}

#[tokio::test]
async fn each_write_is_done_once_under_every_fault() {
    use Fault::{Conflict, CutAfter, CutBefore, Fail, FailAfter, Throttle};
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.behind(&proxy);
    let group = Group::of(&api, 3, "EUR").await;
    for (round, fault) in
        [CutAfter, CutBefore, Fail, FailAfter, Throttle, Conflict].into_iter().enumerate()
    {
        let forced = || proxy.force("TransactWriteItems", [fault]);
        forced();
        let asked = Asked::by(&group, 0, dinner()).await;
        forced();
        asked.claim(1, &[(0, Value::Null)]).await.data(200);
        forced();
        let all = [(0, Value::Null), (1, Value::Null), (2, Value::Null)];
        asked.claim(1, &all).await.data(200);
        forced();
        let expense = asked.apply(0, json!({})).await.data(200).clone();
        assert_eq!(shares(&expense["splits"]), of(&[("2", "38.15")]), "{fault:?}");
        let asked = Asked::by(&group, 0, text()).await;
        forced();
        let answered = asked.answer(&group.members[2], json!({ "answer": "x" })).await;
        assert_eq!(answered.data(201)["totalPoints"], 10 * (round + 1), "{fault:?}");
        forced();
        group.members[0].post(&asked.at("/close"), Value::Null).await.data(200);
        let count = group.debts().await["summary"]["expenseCount"].as_u64();
        assert_eq!(count, u64::try_from(round + 1).ok(), "{fault:?}");
    }
    group.verify().await;
}
