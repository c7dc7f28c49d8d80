//! The direction of dependencies between the crates, and between the folders of a crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use fracti_local::FUNCTIONS;

/// The crates from the lowest layer to the highest. Crates of one layer do not depend on each
/// other.
const LAYERS: [&str; 9] =
    ["core", "formats", "store", "runtime", "http", "functions", "admin", "local", "tests"];

/// Crates that do I/O or know a transport, which only some layers may use.
const IO: [(&str, &str); 7] = [
    ("aws-config", "runtime"),
    ("aws-sdk-dynamodb", "store"),
    ("axum", "http"),
    ("getrandom", "runtime"),
    ("lambda_http", "http"),
    ("tokio", "store"),
    ("tracing", "runtime"),
];

fn layer(name: &str) -> usize {
    let is_function = name == "keeper" || FUNCTIONS.iter().any(|function| function.package == name);
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

/// The folders of a crate from the lowest to the highest, the macros of its folders, and what a
/// lower folder may use of a higher one.
struct House {
    name: &'static str,
    folders: &'static [&'static str],
    macros: &'static [(&'static str, &'static str)],
    up: &'static [(&'static str, &'static str)],
}

const HOUSES: [House; 3] = [
    House {
        name: "core",
        folders: &[
            "values",
            "input",
            "storage",
            "split",
            "plan",
            "caller",
            "group",
            "ledger",
            "personal",
            "funds",
            "records",
            "questions",
            "reports",
            "v0",
            "rows",
        ],
        macros: &[("words", "values")],
        // A member's v0 row is read as the migration writes it.
        up: &[("group", "v0")],
    },
    House {
        name: "store",
        folders: &[
            "dynamo",
            "table",
            "write",
            "ledger",
            "group",
            "personal",
            "funds",
            "records",
            "questions",
            "files",
            "upkeep",
        ],
        macros: &[],
        up: &[],
    },
    House {
        name: "http",
        folders: &[
            "response", "caller", "app", "request", "document", "layers", "service", "lambda",
        ],
        macros: &[],
        up: &[],
    },
];

/// Folders whose modules are not named at the root of their crate.
const CLOSED: [&str; 5] = ["dynamo", "split", "plan", "v0", "rows"];

/// The Rust files of a folder and of those in it, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().filter(|path| !path.ends_with("tests")).flat_map(|it| sources(it));
    files.into_iter().chain(below).filter(|path| !path.ends_with("tests.rs")).collect()
}

/// The names that the root of a crate takes from its folders, each with its folder.
fn exported(lib: &str) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for statement in lib.split("use ").skip(1) {
        let statement = statement.split(';').next().unwrap();
        let folder = statement.split("::").next().unwrap();
        let (mut module, mut word) = (String::new(), String::new());
        for letter in statement.chars().chain([',']) {
            if letter.is_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            if letter == ':' && !word.is_empty() {
                module.clone_from(&word);
            } else if !word.is_empty() {
                let name = if word == "self" { &module } else { &word };
                exported.insert(name.clone(), folder.to_owned());
            }
            word.clear();
        }
    }
    exported
}

/// The names at the root of the crate that a file uses, in `crate::name` and `crate::{name, …}`.
fn used(text: &str) -> BTreeSet<String> {
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n").replace("$crate::", "");
    let code = code.split("#[cfg(test)]").next().unwrap();
    let mut used = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let Some(list) = after.strip_prefix('{') else {
            let end = after.find(|it: char| !it.is_alphanumeric() && it != '_');
            used.insert(after[..end.unwrap_or(after.len())].to_owned());
            continue;
        };
        let (mut depth, mut outer) = (1, String::new());
        for letter in list.chars() {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            match depth {
                0 => break,
                1 => outer.push(letter),
                _ => {}
            }
        }
        let names = outer.split(',').map(|name| name.split("::").next().unwrap().trim());
        used.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    used
}

#[test]
fn folders_use_only_lower_folders() {
    for House { name, folders, macros, up } in HOUSES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../crates/{name}/src"));
        let parts = |path: &Path| {
            let path = path.strip_prefix(&root).unwrap().with_extension("");
            path.iter().map(|part| part.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let files: Vec<_> = sources(&root).into_iter().map(|path| (parts(&path), path)).collect();
        let mut rooms = exported(&fs::read_to_string(root.join("lib.rs")).unwrap());
        rooms.extend(macros.iter().map(|(name, folder)| ((*name).into(), (*folder).into())));
        rooms.extend(folders.iter().map(|folder| ((*folder).to_owned(), (*folder).to_owned())));
        for (parts, _) in files.iter().filter(|(parts, _)| parts.len() == 2) {
            if !CLOSED.contains(&&*parts[0]) {
                rooms.entry(parts[1].clone()).or_insert_with(|| parts[0].clone());
            }
        }
        let floor = |folder: &str| folders.iter().position(|it| *it == folder).unwrap();
        let mut arrows = BTreeSet::new();
        for (parts, path) in files.iter().filter(|(parts, _)| parts[0] != "lib") {
            let own = &parts[0];
            for name in used(&fs::read_to_string(path).unwrap()) {
                let other = rooms.get(&name);
                assert!(other.is_some(), "{}: crate::{name} is in no folder", path.display());
                let other = other.unwrap();
                let allowed = other == own || up.contains(&(own, other));
                let place = format!("{} uses {name} of {other}", path.display());
                assert!(allowed || floor(other) < floor(own), "{place}");
                arrows.insert((own.clone(), other.clone()));
            }
        }
        assert!(arrows.len() > folders.len(), "{name}: {arrows:?}");
    }
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
