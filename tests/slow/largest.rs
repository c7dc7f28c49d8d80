//! Every endpoint serves the largest groups that the limits allow.

use std::{collections::BTreeSet, time::Duration};

use fracti_tests::{
    largest::Largest,
    operations::{OPEN, operations},
};

/// Maximum size of a response; Lambda's limit is 6 MB.
/// <https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html>
const MAX_RESPONSE: usize = 5_000_000;

#[tokio::test]
async fn every_endpoint_serves_the_largest_groups_within_its_limits() {
    // Longer than in production, because a debug build on a busy machine is slow.
    let largest = Largest::new(Duration::from_mins(5), None).await;
    let calls = largest.calls().await;
    for call in &calls {
        let place =
            format!("{:?} {}: {} bytes, {}", call.operation.id, call.what, call.bytes, call.cost);
        assert!(call.status < 300, "{place}: {}", call.body);
        assert!(call.bytes < MAX_RESPONSE, "{place}");
        assert!(call.cost.requests <= 150, "{place}");
    }
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
    let sizes = largest.sizes();
    assert!(sizes.actions > 95 && sizes.actions <= 100, "{sizes:?}");
    assert!(sizes.row > 100_000 && sizes.row <= 400 * 1024, "{sizes:?}");
    assert!(sizes.transaction <= 4 * 1024 * 1024, "{sizes:?}");
    assert!(sizes.partition_key <= 2048 && sizes.sort_key <= 1024, "{sizes:?}");
    assert!(sizes.expression <= 4096 && sizes.digits <= 38, "{sizes:?}");

    let optimal = |what: &str| {
        let call = calls.iter().find(|call| call.what == what).unwrap();
        call.body["data"]["optimal"].clone()
    };
    assert_eq!(optimal("20 members, 172 currencies"), true, "the steps are enough for all");

    let called: BTreeSet<_> = calls.iter().map(|call| call.operation.id).collect();
    let all = operations().into_iter().map(|it| it.id).filter(|id| !OPEN.contains(id));
    assert_eq!(called, all.collect(), "every endpoint is called");
}
