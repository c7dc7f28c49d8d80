//! Programs of this workspace, for tests and examples that run them as processes.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Builds programs of the workspace in the profile of the caller, and returns their folder. Cargo
/// builds only those of the package itself for a test, and none of other packages for an example.
///
/// `chosen` are arguments of `cargo build` that choose the programs.
///
/// # Panics
///
/// If they do not compile, or the caller was not run by Cargo.
pub fn built(chosen: &[&str]) -> PathBuf {
    let mut build = Command::new(env::var_os("CARGO").unwrap());
    build.args(["build", "--quiet", "--locked"]).args(chosen);
    build.args(if cfg!(debug_assertions) { None } else { Some("--release") });
    // Build scripts read what Cargo says of the package that runs. If it differs from the build
    // before, Cargo compiles what depends on them again, and then once more for the next build.
    let of_the_caller = ["CARGO_BIN_", "CARGO_CRATE_", "CARGO_MANIFEST_", "CARGO_PKG_"];
    for (name, _) in env::vars_os() {
        let name_begins = |start: &&str| name.to_str().is_some_and(|name| name.starts_with(*start));
        if of_the_caller.iter().any(name_begins) {
            build.env_remove(name);
        }
    }
    assert!(build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    // A test is in `deps` and an example in `examples`, below the folder of the programs.
    env::current_exe().unwrap().parent().and_then(Path::parent).unwrap().to_owned()
}
