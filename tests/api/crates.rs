//! The direction of dependencies between the crates.

use std::{collections::BTreeSet, fs, path::Path};

use fracti_local::FUNCTIONS;

/// The crates from the lowest layer to the highest. Crates of one layer do not depend on each
/// other.
const LAYERS: [&str; 8] =
    ["core", "formats", "store", "http", "functions", "admin", "local", "tests"];

/// Crates that do I/O or know a transport, which only some layers may use.
const IO: [(&str, &str); 7] = [
    ("aws-config", "http"),
    ("aws-sdk-dynamodb", "store"),
    ("axum", "http"),
    ("getrandom", "http"),
    ("lambda_http", "http"),
    ("tokio", "store"),
    ("tracing", "http"),
];

fn layer(name: &str) -> usize {
    let is_function = FUNCTIONS.iter().any(|function| function.name == name);
    let name = if is_function { "functions" } else { name };
    let layer = LAYERS.iter().position(|layer| *layer == name);
    assert!(layer.is_some(), "{name} has no layer");
    layer.unwrap()
}

/// The names under `[dependencies]`. Tests of a crate may use any layer.
fn dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let name = |line: &str| line.split(['.', ' ', '=']).next().unwrap().to_owned();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(name).collect()
}

#[test]
fn crates_depend_only_on_lower_layers() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut checked = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        for dependency in dependencies(&path.join("Cargo.toml")) {
            if let Some(lower) = dependency.strip_prefix("fracti-") {
                assert!(layer(lower) < layer(name), "{name} depends on {lower}");
                checked += 1;
            }
            if let Some((_, lowest)) = IO.iter().find(|(io, _)| *io == dependency) {
                assert!(layer(lowest) <= layer(name), "{name} depends on {dependency}");
            }
        }
    }
    assert!(checked >= 20, "only {checked} dependencies between crates were found");
}

#[test]
fn the_only_cryptography_of_tls_is_ring() {
    let lock = include_str!("../../Cargo.lock");
    let has = |name: &str| lock.contains(&format!("name = \"{name}\"\n"));
    assert!(has("ring"));
    for slow_to_start in ["aws-lc-rs", "aws-lc-sys"] {
        assert!(!has(slow_to_start), "{slow_to_start} makes cold starts slow");
    }
}
