//! Random runs: every acknowledged write is stored exactly once, under faults and contention.

use fracti_tests::{
    database::external,
    simulation::{self, Crowd},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_seed_keeps_each_acknowledged_write_exactly_once() {
    // Fewer over the second engine, since the faults are the same. The example makes a thousand.
    let seeds = if external().is_some() { 24 } else { 60 };
    let report = simulation::runs(0..seeds).await;
    report.check();
    assert!(report.acknowledged > 10 * report.runs && report.faults.len() > 10, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_concurrent_write_is_done_or_asked_to_retry() {
    // The example has 200 concurrent writers; here other tests share the machine.
    for (writers, groups, user, processes) in
        [(60, 1, None, 1), (60, 1, None, 8), (60, 60, None, 1), (50, 50, Some(1), 1)]
    {
        let (throughput, report) = Crowd { writers, groups, user, processes }.write().await;
        report.check();
        assert_eq!(
            throughput.acknowledged + throughput.refused + throughput.unknown,
            writers,
            "{throughput}"
        );
        assert_eq!(throughput.late, 0, "{throughput}");
        assert!(throughput.acknowledged * 2 > writers, "{throughput}");
        // A writer that waits in the same process reads once and writes once.
        let retried = throughput.requests.saturating_sub(4 * throughput.acknowledged);
        assert!(processes > 1 || throughput.acknowledged < writers || retried == 0, "{throughput}");
    }
}
