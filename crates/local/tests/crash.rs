//! The local server with its data in a file, killed while it serves requests.

use std::path::PathBuf;

use fracti_tests::simulation::crashes;

#[tokio::test]
async fn acknowledged_writes_survive_repeated_kills() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crash");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_fracti-local"));
    let report = crashes(&binary, &directory.join("data.sqlite"), 8).await;
    report.check();
    assert!(report.acknowledged > 8 * 10, "{report}");
}
