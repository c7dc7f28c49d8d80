//! The texts of messages in all languages, as the sources have them.

use std::{collections::BTreeSet, fs, path::Path};

use crate::crates::modules;

/// A message that a source has.
struct Texts {
    place: String,
    english: String,
    russian: String,
}

/// The string literal with which code begins, and what follows it.
fn literal(code: &str) -> Option<(String, &str)> {
    let inner = code.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inner.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    })?;
    let lines = inner[..end].split("\\\n").map(str::trim_start);
    Some((lines.collect(), &inner[end + 1..]))
}

/// The names of the arguments of a text.
fn arguments(text: &str) -> BTreeSet<String> {
    let parts = text.split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once(['}', ':']));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// All messages of the crates, without their tests.
fn messages() -> Vec<Texts> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let folders = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let mut messages = Vec::new();
    for (module, code) in folders.flat_map(|folder| modules(&folder.join("src"))) {
        let place = module.join("/");
        for (at, start) in code.match_indices("message!(").chain(code.match_indices("rule!(")) {
            let Some((english, rest)) = literal(&code[at + start.len()..]) else { continue };
            let russian = rest.strip_prefix(',').and_then(literal);
            let Some((russian, _)) = russian else { continue };
            // Texts that the code has from elsewhere.
            if english == "{english}" {
                continue;
            }
            messages.push(Texts { place: place.clone(), english, russian });
        }
    }
    messages
}

#[test]
fn texts_of_a_message_have_the_same_arguments() {
    let messages = messages();
    assert!(messages.len() > 400, "only {} messages were found", messages.len());
    for Texts { place, english, russian } in messages {
        let of_english = arguments(&english);
        let of_russian = arguments(&russian);
        assert!(of_russian.is_subset(&of_english), "{place}: {russian}");
        // The kind of a person in a file has no Russian name.
        let left_out: Vec<_> = of_english.difference(&of_russian).collect();
        assert!(left_out.is_empty() || left_out == ["kind"], "{place}: {russian}");
        for text in [&english, &russian] {
            assert!(!text.contains("  ") && !text.ends_with('.'), "{place}: {text}");
        }
    }
}

#[test]
fn every_text_of_another_language_is_in_it() {
    let is_russian = |letter| matches!(letter, 'а'..='я' | 'ё');
    for Texts { place, english, russian } in messages() {
        let has_words = |text: &str| {
            let bare = text.split('{').map(|part| part.split_once('}').map_or(part, |it| it.1));
            bare.collect::<String>().contains(char::is_alphabetic)
        };
        let fits = russian.contains(is_russian) || !has_words(&russian);
        assert!(fits, "{place}: {english}: {russian}");
    }
}
