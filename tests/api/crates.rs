//! The direction of dependencies between the crates, and between the folders of a crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    iter::Peekable,
    path::Path,
};

use fracti_local::FUNCTIONS;

/// The crates from the lowest layer to the highest. Crates of one layer do not depend on each
/// other.
const LAYERS: [&str; 12] = [
    "texts",
    "core",
    "formats",
    "store",
    "runtime",
    "reach",
    "chat",
    "http",
    "functions",
    "admin",
    "local",
    "tests",
];

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

/// The folders of a crate from the lowest to the highest, and the macros at its root with what they
/// use.
struct House {
    name: &'static str,
    folders: &'static [&'static str],
    macros: &'static [&'static str],
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
            "chat",
            "decisions",
            "v0",
            "upkeep",
            "rows",
        ],
        macros: &["words"],
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
    },
    House {
        name: "http",
        folders: &[
            "response", "caller", "app", "request", "document", "layers", "service", "lambda",
        ],
        macros: &["body", "describe", "macros", "operation", "paste", "routes", "schemas"],
    },
];

/// A lower folder that uses a higher one: a member's v0 row is read as the migration writes it, as
/// one that it had to leave may stand in a group that is migrated.
const UP: [&str; 2] = ["group", "v0"];

/// A path of modules from the root of a crate.
type ModulePath = Vec<String>;

/// The modules of a crate with their code, without tests and comments.
pub(crate) fn modules(root: &Path) -> BTreeMap<ModulePath, String> {
    let mut modules = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let module = path.strip_prefix(root).unwrap().with_extension("");
            let module: ModulePath =
                module.iter().map(|it| it.to_str().unwrap().to_owned()).collect();
            if module.iter().any(|part| part == "tests") || module == ["main"] {
                continue;
            }
            let code = fs::read_to_string(&path).unwrap();
            let code: Vec<_> = code.lines().map(|it| it.split("//").next().unwrap()).collect();
            let code = code.join("\n").split("#[cfg(test)]").next().unwrap().to_owned();
            modules.insert(if module == ["lib"] { Vec::new() } else { module }, code);
        }
    }
    modules
}

/// The paths that code of a module names, from the root of its crate: those of `use` and others.
fn named(code: &str, module: &[String]) -> Vec<ModulePath> {
    let mut named = Vec::new();
    for (at, start) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|it| it.is_alphanumeric() || "_:$".contains(it)) {
            continue;
        }
        let mut prefix = module.to_vec();
        let mut rest = &code[at..];
        if start == "crate::" {
            prefix.clear();
            rest = &rest[start.len()..];
        }
        while let Some(above) = rest.strip_prefix("super::") {
            prefix.pop();
            rest = above;
        }
        branches(&mut tokens(rest).into_iter().peekable(), &prefix, &mut named);
    }
    named
}

/// The names and braces with which a path begins, up to its end.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut depth = 0;
    let mut rest = code;
    loop {
        rest = rest.trim_start_matches("::");
        let inside = if depth > 0 { rest.trim_start() } else { rest };
        let end = inside.find(|it: char| !it.is_alphanumeric() && it != '_');
        let end = end.unwrap_or(inside.len());
        let (token, after) = match inside.chars().next() {
            _ if end > 0 => inside.split_at(end),
            Some('{') => inside.split_at(1),
            Some('}' | ',' | '*') if depth > 0 => inside.split_at(1),
            _ => return tokens,
        };
        depth += i32::from(token == "{") - i32::from(token == "}");
        tokens.push(token.to_owned());
        let ends = depth == 0 && (token == "}" || !after.starts_with("::"));
        if ends {
            return tokens;
        }
        rest = after;
    }
}

/// The paths of a tree, below a prefix.
fn branches(
    tokens: &mut Peekable<impl Iterator<Item = String>>,
    prefix: &[String],
    named: &mut Vec<ModulePath>,
) {
    let mut path = prefix.to_vec();
    loop {
        match tokens.peek().map(String::as_str) {
            Some("{") => {
                while tokens.next_if(|it| it != "}").is_some() {
                    branches(tokens, &path, named);
                }
                tokens.next();
                return;
            }
            None | Some("," | "}") => break,
            Some(_) => path.extend(tokens.next().filter(|it| it != "self")),
        }
    }
    named.push(path);
}

#[test]
fn folders_use_only_lower_folders() {
    for House { name, folders, macros } in HOUSES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../crates/{name}/src"));
        let floor = |folder: &String| folders.iter().position(|it| it == folder);
        let mut arrows = BTreeSet::new();
        for (module, code) in modules(&root) {
            let Some(own) = module.first() else { continue };
            for path in named(&code, &module) {
                let place = format!("{} names {}", module.join("/"), path.join("::"));
                let Some(other) = path.first().filter(|it| !macros.contains(&it.as_str())) else {
                    continue;
                };
                assert!(floor(other).is_some(), "{name}: {place}, without its folder");
                let up = [own, other] == UP;
                assert!(own == other || up || floor(other) < floor(own), "{name}: {place}");
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

/// The paths that a page names, with or without a place in the file after a colon.
fn paths_of(page: &str) -> Vec<&str> {
    let parts = page.split(|it: char| it.is_whitespace() || "`()\"".contains(it));
    let tops = ["crates/", "tests/", "docs/", "events/", ".ci/"];
    parts
        .filter(|part| tops.iter().any(|top| part.starts_with(top)))
        .filter(|part| !part.contains(['{', '*', '<', '…']))
        .map(|part| part.split(['#', ':']).next().unwrap().trim_end_matches(['.', ',', ';']))
        .collect()
}

#[test]
fn every_path_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let pages =
        pages.chain(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|it| root.join(it)));
    let mut checked = 0;
    let mut missing = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for path in paths_of(&text) {
            checked += 1;
            if !root.join(path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(checked > 50 && missing.is_empty(), "of {checked}: {missing:#?}");
}

#[test]
fn transactions_are_sent_through_the_door_of_writes() {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/store/src");
    let senders = modules(&store).into_iter().filter(|(_, code)| code.contains("db.send("));
    let senders: Vec<String> = senders.map(|(module, _)| module.join("::")).collect();
    assert_eq!(senders, ["write::commit"]);
}

/// A file may use the files below its own folder, and these may use it: together they are one
/// module.
#[test]
fn every_item_has_one_path() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for entry in fs::read_dir(crates).unwrap() {
        let root = entry.unwrap().path().join("src");
        for (module, code) in modules(&root) {
            let is_alias = |line: &str| {
                let after = line.trim().strip_prefix("pub")?;
                let after = after.strip_prefix("(crate)").unwrap_or(after);
                ["use crate::", "use super::"].iter().find(|it| after.trim().starts_with(**it))
            };
            let alias = code.lines().find(|line| is_alias(line).is_some());
            assert_eq!(
                alias,
                None,
                "{}/{}: import it where it is",
                root.display(),
                module.join("/")
            );
        }
    }
}

#[test]
fn files_use_each_other_without_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut circles = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let root = entry.unwrap().path().join("src");
        let modules = modules(&root);
        let file = |path: ModulePath| {
            let ends = (1..=path.len()).rev().map(|end| &path[..end]);
            ends.map(<[String]>::to_vec).find(|it| modules.contains_key(it))
        };
        let mut uses: BTreeMap<&ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
        for (module, code) in modules.iter().filter(|(module, _)| !module.is_empty()) {
            let used = named(code, module).into_iter().filter_map(file);
            let used = used.filter(|it| !it.starts_with(module) && !module.starts_with(it));
            uses.insert(module, used.collect());
        }
        // What uses nothing is in no circle, nor is what uses only such files.
        loop {
            let left: BTreeSet<_> = uses.keys().map(|it| (*it).clone()).collect();
            let before = uses.len();
            uses.retain(|_, used| used.iter().any(|it| left.contains(it)));
            if uses.len() == before {
                break;
            }
        }
        circles.extend(uses.keys().map(|it| format!("{}/{}", root.display(), it.join("/"))));
    }
    assert!(circles.is_empty(), "{circles:#?} use each other in a circle, or files of one");
}
