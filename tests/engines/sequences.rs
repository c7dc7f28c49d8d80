//! Random sequences of requests. The same seed gives the same sequence.

use std::collections::{BTreeMap, BTreeSet};

use fracti_tests::database::TABLE;
use serde_json::{Value, json};

use super::{Pair, Request, check_seen, known::IN_SEQUENCES, requests::Requests};

const SEEDS: u64 = 24;
const REQUESTS: usize = 120;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engines_answer_random_sequences_alike() {
    let (mut seen, mut compared) = (BTreeSet::new(), BTreeMap::<_, usize>::new());
    for seed in 0..SEEDS {
        let mut pair = Pair::start(IN_SEQUENCES).await;
        let mut requests = Requests::new(seed);
        let mut last = None;
        let mut repeated = None;
        for step in 0..REQUESTS {
            let request = requests.next(last.as_ref());
            let name = format!("seed {seed}, request {step}");
            let answer = pair.ask(&name, &request).await;
            if request.operation == "Query" {
                last = answer.body.get("LastEvaluatedKey").cloned();
                pages(&mut pair, &name, request, last.clone()).await;
            } else if !request.body["ClientRequestToken"].is_null() {
                repeated = Some(request);
            }
            if let Some(request) = repeated.clone().filter(|_| step.is_multiple_of(10)) {
                // The same transaction again, and another one with its token.
                pair.ask(&format!("{name}, repeated"), &request).await;
                let mut other = request;
                other.body["TransactItems"] = json!([{ "Delete": { "TableName": TABLE,
                    "Key": { "PK": { "S": "other" }, "SK": { "S": "other" } } } }]);
                pair.ask(&format!("{name}, another with its token"), &other).await;
            }
        }
        pair.compare_tables(&format!("seed {seed}, at the end")).await;
        pair.check();
        seen.extend(pair.seen);
        for (operation, count) in pair.compared {
            *compared.entry(operation).or_default() += count;
        }
    }
    assert!(compared.values().all(|count| *count >= 20), "{compared:?}");
    assert_eq!(compared.len(), 8, "{compared:?}");
    check_seen(IN_SEQUENCES, &seen);
}

/// Follows a query to its end, page by page.
async fn pages(pair: &mut Pair, name: &str, mut request: Request, mut last: Option<Value>) {
    for page in 1..=30 {
        let Some(key) = last else { return };
        request.body["ExclusiveStartKey"] = key;
        let answer = pair.ask(&format!("{name}, page {page}"), &request).await;
        last = answer.body.get("LastEvaluatedKey").cloned();
    }
}
