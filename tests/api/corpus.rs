//! Every fuzz target over its committed corpus; `tests/fuzz` runs them for longer.

use std::{fs, panic::catch_unwind, path::Path};

use fracti_tests::fuzz::TARGETS;

#[test]
fn every_fuzz_target_holds_over_its_corpus() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    assert_eq!(fs::read_dir(&corpora).unwrap().count(), TARGETS.len(), "a corpus without a target");
    for (name, target) in TARGETS {
        let files = fs::read_dir(corpora.join(name)).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= 3, "{name}");
        for file in files {
            let bytes = fs::read(&file).unwrap();
            assert!(catch_unwind(|| target(&bytes)).is_ok(), "{}", file.display());
        }
    }
}
