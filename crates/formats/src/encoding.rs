//! The text of a file.

use std::str;

use crate::import::{FilePlace, Issue};

/// Number of bytes of a mebibyte.
const MIB: usize = 1024 * 1024;

/// Maximum size of a file that a client sends, in bytes.
pub const MAX_FILE: usize = 5 * MIB;

/// Maximum size of a file that an operator reads, in bytes.
pub const MAX_LARGE_FILE: usize = 64 * MIB;

/// First bytes of files that are no text, and what the files are.
const NO_TEXT: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet like XLSX; unpack it, or export it as CSV"),
    (b"\x1f\x8b", "compressed; unpack it"),
    (b"%PDF", "a PDF; export it as CSV or JSON"),
    (b"\xd0\xcf\x11\xe0", "an Excel spreadsheet; export it as CSV"),
    (b"\xff\xfe", "in the encoding UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "in the encoding UTF-16; save it as UTF-8"),
];

/// The text of a file in UTF-8, without its byte order mark.
///
/// # Errors
///
/// An [`Issue`] if the file is empty, has more than `limit` bytes, or is not text in UTF-8.
pub(crate) fn text(file: &[u8], limit: usize) -> Result<&str, Issue> {
    let refused = |what: &str| Err(FilePlace::FILE.issue(format!("the file is {what}")));
    if file.len() > limit {
        let mib = limit.div_ceil(MIB);
        return Err(FilePlace::FILE.issue(format!("the file must have at most {mib} MiB")));
    }
    if let Some((_, what)) = NO_TEXT.iter().find(|(magic, _)| file.starts_with(magic)) {
        return refused(what);
    }
    // Most letters of an export are ASCII, which have a zero byte in UTF-16.
    if let [0, other, ..] | [other, 0, ..] = file
        && *other != 0
    {
        return refused("in the encoding UTF-16; save it as UTF-8");
    }
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let text = str::from_utf8(file).map_err(|_| {
        let valid = file.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let undefined = |byte: &u8| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | ..0x09);
        let guess = if file.contains(&0) {
            ", but probably in UTF-16"
        } else if file.iter().any(undefined) {
            ""
        } else {
            ", but probably in Windows-1252"
        };
        line_after(valid).issue(format!("the file is not in UTF-8{guess}; save it as UTF-8"))
    })?;
    if let Some((before, _)) = text.split_once('\0') {
        return Err(line_after(before).issue("the file has a NUL byte, so it is no text"));
    }
    match text.trim_start() {
        "" => refused("empty"),
        web if web.starts_with('<') => refused("a web page (HTML); download the export itself"),
        _ => Ok(text),
    }
}

/// The line at which `text` ends.
fn line_after(text: &str) -> FilePlace {
    FilePlace::line(text.matches('\n').count().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_in_utf_8_is_read() {
        let utf_16 =
            |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (file, line, message) in [
            (b"".to_vec(), None, "empty"),
            (b"\xef\xbb\xbf \r\n".to_vec(), None, "empty"),
            (b"PK\x03\x04\x14\0".to_vec(), None, "ZIP"),
            (b"\x1f\x8b\x08".to_vec(), None, "compressed"),
            (b"\n<!DOCTYPE html>".to_vec(), None, "HTML"),
            ([b"\xff\xfe".to_vec(), utf_16("Date")].concat(), None, "UTF-16"),
            (utf_16("Date"), None, "UTF-16"),
            (b"Date\n\nCaf\xe9,1".to_vec(), Some(3), "Windows-1252"),
            (b"Date\nCaf\x81,1".to_vec(), Some(2), "not in UTF-8;"),
            (utf_16("日付,概要\n"), Some(1), "not in UTF-8, but probably in UTF-16;"),
            (b"Date\nCaf\0".to_vec(), Some(2), "NUL"),
            (vec![b'a'; MAX_FILE + 1], None, "at most 5 MiB"),
        ] {
            let issue = text(&file, MAX_FILE).unwrap_err();
            assert_eq!(issue.line(), line, "{issue:?}");
            assert!(issue.message.contains(message), "{issue:?} has no {message}");
        }
        assert_eq!(text("\u{feff}Café".as_bytes(), MAX_FILE), Ok("Café"));
        let large = vec![b'a'; MAX_FILE + 1];
        assert!(text(&large, MAX_LARGE_FILE).is_ok());
    }
}
