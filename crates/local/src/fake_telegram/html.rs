//! HTML as Telegram reads it: tags become entities with offsets in UTF-16 units.
//!
//! <https://core.telegram.org/bots/api#html-style>

use std::cmp::Reverse;

use serde_json::{Value, json};

/// A text with entities.
pub(super) type Formatted = (String, Vec<Value>);

/// A tag that is not closed yet.
struct Open {
    tag: String,
    kind: &'static str,
    url: Option<String>,
    offset: usize,
}

struct Entity {
    offset: usize,
    end: usize,
    kind: &'static str,
    url: Option<String>,
}

/// Parses HTML, without blanks at its ends.
///
/// # Errors
///
/// The reason, which stands after `Bad Request: can't parse entities: `.
pub(super) fn parse(html: &str) -> Result<Formatted, String> {
    let mut text = String::new();
    let mut entities = Vec::new();
    let mut open = Vec::<Open>::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (plain, marked) = rest.split_at(at);
        text.push_str(plain);
        let byte = html.len().saturating_sub(marked.len());
        let Some(tag) = marked.strip_prefix('<') else {
            let (char, after) = entity(marked, byte)?;
            text.push(char);
            rest = after;
            continue;
        };
        let offset = units(&text);
        if let Some(tag) = tag.strip_prefix('/') {
            let (name, after) = tag
                .split_once('>')
                .ok_or_else(|| format!("Unclosed end tag at byte offset {byte}"))?;
            let name = name.trim_end().to_ascii_lowercase();
            let Some(begun) = open.pop() else {
                return Err(format!("Unexpected end tag at byte offset {byte}"));
            };
            if begun.tag != name {
                return Err(format!(
                    "Unmatched end tag at byte offset {byte}, expected \"</{}>\", \
                     found \"</{name}>\"",
                    begun.tag
                ));
            }
            let Open { kind, url, offset: start, .. } = begun;
            if kind != "text_link" || url.is_some() {
                entities.push(Entity { offset: start, end: offset, kind, url });
            }
            rest = after;
        } else {
            let end =
                tag_end(tag).ok_or_else(|| format!("Unclosed start tag at byte offset {byte}"))?;
            let (inside, after) = tag.split_at(end);
            let (name, attributes) =
                inside.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((inside, ""));
            let tag = name.to_ascii_lowercase();
            let kind = kind(&tag)
                .ok_or_else(|| format!("Unsupported start tag \"{tag}\" at byte offset {byte}"))?;
            let url = if tag == "a" { href(attributes, byte)? } else { None };
            open.push(Open { tag, kind, url, offset });
            rest = after.strip_prefix('>').unwrap_or(after);
        }
    }
    if let Some(Open { tag, .. }) = open.last() {
        return Err(format!("Can't find end tag corresponding to start tag \"{tag}\""));
    }
    text.push_str(rest);
    Ok(trimmed(&text, entities))
}

/// Length in UTF-16 units, in which Telegram measures.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn kind(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "b" | "strong" => "bold",
        "i" | "em" => "italic",
        "u" => "underline",
        "s" => "strikethrough",
        "a" => "text_link",
        "code" => "code",
        "pre" => "pre",
        "blockquote" => "blockquote",
        "tg-spoiler" => "spoiler",
        _ => return None,
    })
}

/// Index of the end of the tag: a `>` outside quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quoted = None;
    for (at, char) in tag.char_indices() {
        match (char, quoted) {
            ('>', None) => return Some(at),
            ('"' | '\'', None) => quoted = Some(char),
            (char, Some(quote)) if char == quote => quoted = None,
            _ => {}
        }
    }
    None
}

/// The address of a link.
fn href(attributes: &str, byte: usize) -> Result<Option<String>, String> {
    let Some((_, value)) = attributes.split_once("href=") else { return Ok(None) };
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value.split(quote).nth(1),
        None => value.split_ascii_whitespace().next(),
    };
    let mut url = String::new();
    let mut rest = value.unwrap_or_default();
    while let Some(at) = rest.find('&') {
        let (plain, marked) = rest.split_at(at);
        url.push_str(plain);
        let (char, after) = entity(marked, byte)?;
        url.push(char);
        rest = after;
    }
    url.push_str(rest);
    Ok(Some(url).filter(|url| !url.is_empty()))
}

/// The character of an entity like `&lt;`, and what follows it.
fn entity(marked: &str, byte: usize) -> Result<(char, &str), String> {
    let unsupported = || format!("Unsupported HTML entity at byte offset {byte}");
    let (name, after) = marked.split_once(';').ok_or_else(unsupported)?;
    let char = match name {
        "&lt" => Some('<'),
        "&gt" => Some('>'),
        "&amp" => Some('&'),
        "&quot" => Some('"'),
        _ => name.strip_prefix("&#").and_then(|number| {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32).filter(|char| *char != '\0')
        }),
    };
    Ok((char.ok_or_else(unsupported)?, after))
}

/// Cuts blanks at both ends, as Telegram does, and fits the entities to what is left.
fn trimmed(text: &str, mut entities: Vec<Entity>) -> Formatted {
    let cut = units(text).saturating_sub(units(text.trim_start()));
    let text = text.trim();
    let length = units(text);
    entities.sort_by_key(|entity| (entity.offset, Reverse(entity.end)));
    let entities = entities.into_iter().filter_map(|Entity { offset, end, kind, url }| {
        let offset = offset.saturating_sub(cut);
        let end = end.saturating_sub(cut).min(length);
        let length = end.checked_sub(offset).filter(|length| *length > 0)?;
        let mut entity = json!({ "type": kind, "offset": offset, "length": length });
        if let (Some(entity), Some(url)) = (entity.as_object_mut(), url) {
            entity.insert("url".to_owned(), url.into());
        }
        Some(entity)
    });
    (text.to_owned(), entities.collect())
}
