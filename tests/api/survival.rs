//! What was acknowledged is there once, whatever the table does meanwhile, and however many write.

use fracti_tests::survival::{self, Crowd};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_seeds_lose_nothing() {
    let report = survival::runs(0..200).await;
    report.check();
    assert!(report.acknowledged > 10 * report.runs && report.faults.len() > 10, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_write_at_once_each_is_done_or_told_to_come_again() {
    // The example lets 200 write at once: here others have the machine too.
    for (writers, groups, user, processes) in
        [(60, 1, None, 1), (60, 1, None, 8), (60, 60, None, 1), (50, 50, Some(1), 1)]
    {
        let (pace, report) = Crowd { writers, groups, user, processes }.write().await;
        report.check();
        assert_eq!(pace.acknowledged + pace.refused + pace.unknown, writers, "{pace}");
        assert_eq!(pace.late, 0, "{pace}");
        assert!(pace.acknowledged * 2 > writers, "{pace}");
        // Whoever waits in the process of the others reads once and writes once.
        let retried = pace.requests.saturating_sub(4 * pace.acknowledged);
        assert!(processes > 1 || pace.acknowledged < writers || retried == 0, "{pace}");
    }
}
