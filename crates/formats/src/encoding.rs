//! The text of a file.

use std::str;

use fracti_texts::{Message, Says, message};

use crate::import::{FilePlace, Issue};

/// Number of bytes of a mebibyte.
const MIB: usize = 1024 * 1024;

/// Maximum size of a file that a client sends, in bytes.
pub const MAX_FILE: usize = 5 * MIB;

/// Maximum size of a file that an operator reads, in bytes.
pub const MAX_LARGE_FILE: usize = 64 * MIB;

/// The first bytes of files that are no text.
const NO_TEXT: [(&[u8], Other); 6] = [
    (b"PK\x03\x04", Other::Zip),
    (b"\x1f\x8b", Other::Compressed),
    (b"%PDF", Other::Pdf),
    (b"\xd0\xcf\x11\xe0", Other::Excel),
    (b"\xff\xfe", Other::Utf16),
    (b"\xfe\xff", Other::Utf16),
];

/// A file that is no text in UTF-8.
#[derive(Clone, Copy)]
enum Other {
    Zip,
    Compressed,
    Pdf,
    Excel,
    Utf16,
    WebPage,
    Empty,
}

impl Says for Other {
    fn says(&self) -> Message {
        match self {
            Self::Zip => message!(
                "the file is a ZIP archive or a spreadsheet like XLSX; unpack it, or export it as \
                 CSV",
                "это архив ZIP или таблица вроде XLSX; распакуйте его или выгрузите в CSV"
            ),
            Self::Compressed => {
                message!("the file is compressed; unpack it", "файл сжат; распакуйте его")
            }
            Self::Pdf => message!(
                "the file is a PDF; export it as CSV or JSON",
                "это PDF; выгрузите данные в CSV или JSON"
            ),
            Self::Excel => message!(
                "the file is an Excel spreadsheet; export it as CSV",
                "это таблица Excel; выгрузите её в CSV"
            ),
            Self::Utf16 => message!(
                "the file is in the encoding UTF-16; save it as UTF-8",
                "файл в кодировке UTF-16; сохраните его в UTF-8"
            ),
            Self::WebPage => message!(
                "the file is a web page (HTML); download the export itself",
                "это веб-страница (HTML); скачайте саму выгрузку"
            ),
            Self::Empty => message!("the file is empty", "файл пуст"),
        }
    }
}

/// The text of a file in UTF-8, without its byte order mark.
///
/// # Errors
///
/// An [`Issue`] if the file is empty, has more than `limit` bytes, or is not text in UTF-8.
pub(crate) fn text(file: &[u8], limit: usize) -> Result<&str, Issue> {
    let refused = |what: Other| Err(FilePlace::FILE.issue(what.says()));
    if file.len() > limit {
        let mib = limit.div_ceil(MIB);
        return Err(FilePlace::FILE.issue(message!(
            "the file must have at most {mib} MiB",
            "файл должен быть не больше {mib} МиБ"
        )));
    }
    if let Some((_, what)) = NO_TEXT.iter().find(|(magic, _)| file.starts_with(magic)) {
        return refused(*what);
    }
    // Most letters of an export are ASCII, which have a zero byte in UTF-16.
    if let [0, other, ..] | [other, 0, ..] = file
        && *other != 0
    {
        return refused(Other::Utf16);
    }
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let text = str::from_utf8(file).map_err(|_| {
        let valid = file.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let undefined = |byte: &u8| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | ..0x09);
        let rule = if file.contains(&0) {
            message!(
                "the file is not in UTF-8, but probably in {encoding}; save it as UTF-8",
                "файл не в кодировке UTF-8, а, похоже, в {encoding}; сохраните его в UTF-8",
                encoding = "UTF-16"
            )
        } else if file.iter().any(undefined) {
            message!(
                "the file is not in UTF-8; save it as UTF-8",
                "файл не в кодировке UTF-8; сохраните его в UTF-8"
            )
        } else {
            message!(
                "the file is not in UTF-8, but probably in {encoding}; save it as UTF-8",
                "файл не в кодировке UTF-8, а, похоже, в {encoding}; сохраните его в UTF-8",
                encoding = "Windows-1252"
            )
        };
        line_after(valid).issue(rule)
    })?;
    if let Some((before, _)) = text.split_once('\0') {
        return Err(line_after(before).issue(message!(
            "the file has a NUL byte, so it is no text",
            "в файле есть нулевой байт — это не текст"
        )));
    }
    match text.trim_start() {
        "" => refused(Other::Empty),
        web if web.starts_with('<') => refused(Other::WebPage),
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
            assert!(issue.message.to_string().contains(message), "{issue:?} has no {message}");
        }
        assert_eq!(text("\u{feff}Café".as_bytes(), MAX_FILE), Ok("Café"));
        let large = vec![b'a'; MAX_FILE + 1];
        assert!(text(&large, MAX_LARGE_FILE).is_ok());
    }
}
