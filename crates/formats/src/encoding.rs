//! The text of a file.

use std::{borrow::Cow, str};

use fracti_texts::{Message, Says, message};

use crate::import::{FilePlace, Issue};

/// Number of bytes of a mebibyte.
const MIB: usize = 1024 * 1024;

/// Maximum size of a file that a client sends, in bytes.
pub const MAX_FILE: usize = 5 * MIB;

/// Maximum size of a file that an operator reads, in bytes.
pub const MAX_LARGE_FILE: usize = 64 * MIB;

/// Bytes that show that a file is no text, with their position in it.
const NO_TEXT: [(usize, &[u8], Other); 14] = [
    (0, b"PK\x03\x04", Other::Zip),
    (0, b"\x1f\x8b", Other::Compressed),
    (0, b"%PDF", Other::Pdf),
    (0, b"\xd0\xcf\x11\xe0", Other::Excel),
    (0, b"\xff\xd8\xff", Other::Photo("JPEG")),
    (0, b"\x89PNG", Other::Photo("PNG")),
    (0, b"GIF8", Other::Photo("GIF")),
    (8, b"WEBP", Other::Photo("WebP")),
    (4, b"ftypheic", Other::Photo("HEIC")),
    (4, b"ftypheix", Other::Photo("HEIC")),
    (4, b"ftypheim", Other::Photo("HEIC")),
    (4, b"ftyphevc", Other::Photo("HEIC")),
    (4, b"ftypmif1", Other::Photo("HEIC")),
    (4, b"ftypmsf1", Other::Photo("HEIC")),
];

/// A file that is no text in a known encoding.
#[derive(Clone, Copy)]
enum Other {
    Zip,
    Compressed,
    Pdf,
    Excel,
    /// A photo of this kind.
    Photo(&'static str),
    /// Text in another encoding.
    Encoding,
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
            Self::Photo(kind) => message!(
                "the file is a photo ({kind}), not an export",
                "это фото ({kind}), а не выгрузка"
            ),
            Self::Encoding => message!(
                "a spreadsheet has saved it anew; take the file as the app wrote it",
                "файл пересохранён в таблице; возьмите его таким, каким его записало приложение"
            ),
            Self::WebPage => message!(
                "the file is a web page (HTML); download the export itself",
                "это веб-страница (HTML); скачайте саму выгрузку"
            ),
            Self::Empty => message!("the file is empty", "файл пуст"),
        }
    }
}

/// The text of a file in UTF-8 or UTF-16, without its byte order mark.
///
/// # Errors
///
/// An [`Issue`] if the file is empty, has more than `limit` bytes, or is no such text.
pub(crate) fn text(file: &[u8], limit: usize) -> Result<Cow<'_, str>, Issue> {
    let refused = |what: Other| Err(FilePlace::FILE.issue(what.says()));
    if file.len() > limit {
        let mib = limit.div_ceil(MIB);
        return Err(FilePlace::FILE.issue(message!(
            "the file must have at most {mib} MiB",
            "файл должен быть не больше {mib} МиБ"
        )));
    }
    let begins = |(at, magic, _): &&(usize, &[u8], Other)| {
        file.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    if let Some((.., what)) = NO_TEXT.iter().find(begins) {
        return refused(*what);
    }
    let bare = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    // Most letters of an export are ASCII, which have a zero byte in UTF-16.
    let is_wide = matches!(file, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(file, [0, other, ..] | [other, 0, ..] if *other != 0);
    let text = match str::from_utf8(bare) {
        Ok(text) if !is_wide => Cow::Borrowed(text),
        Err(_) if !is_wide && !file.contains(&0) => {
            let valid = bare.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            return Err(line_after(valid).issue(Other::Encoding.says()));
        }
        Ok(_) | Err(_) => match utf_16(file) {
            Some(text) => Cow::Owned(text),
            None => return refused(Other::Encoding),
        },
    };
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

/// The text of a file in UTF-16. Without a byte order mark, the zero bytes of ASCII letters tell
/// the order.
fn utf_16(file: &[u8]) -> Option<String> {
    let (pairs, []) = file.as_chunks::<2>() else { return None };
    let count = |is_zero: fn(&&[u8; 2]) -> bool| pairs.iter().filter(is_zero).count();
    let is_big = match pairs.first()? {
        [0xff, 0xfe] => false,
        [0xfe, 0xff] => true,
        _ => count(|[first, _]| *first == 0) > count(|[_, second]| *second == 0),
    };
    let unit = if is_big { u16::from_be_bytes } else { u16::from_le_bytes };
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: String = char::decode_utf16(units).collect::<Result<_, _>>().ok()?;
    Some(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

/// The line at which `text` ends.
fn line_after(text: &str) -> FilePlace {
    FilePlace::line(text.matches('\n').count().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_read() {
        for (file, line, message) in [
            (b"".to_vec(), None, "empty"),
            (b"\xef\xbb\xbf \r\n".to_vec(), None, "empty"),
            (b"\xff\xfe".to_vec(), None, "empty"),
            (b"PK\x03\x04\x14\0".to_vec(), None, "ZIP"),
            (b"\x1f\x8b\x08".to_vec(), None, "compressed"),
            (b"\n<!DOCTYPE html>".to_vec(), None, "HTML"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), None, "a photo (JPEG), not an export"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), None, "a photo (PNG)"),
            (b"GIF89a\x01\0".to_vec(), None, "a photo (GIF)"),
            (b"RIFF\x24\0\0\0WEBPVP8 ".to_vec(), None, "a photo (WebP)"),
            (b"\0\0\0\x18ftypheic\0\0\0\0".to_vec(), None, "a photo (HEIC)"),
            (b"Date\n\nCaf\xe9,1".to_vec(), Some(3), "take the file as the app wrote it"),
            (b"Date\nCaf\x81,1".to_vec(), Some(2), "a spreadsheet has saved it anew"),
            (b"D\0a\0t".to_vec(), None, "a spreadsheet has saved it anew"),
            (b"\xff\xfe\0\xd8".to_vec(), None, "a spreadsheet has saved it anew"),
            (b"\xff\xfea\0\n\0\0\0".to_vec(), Some(2), "NUL"),
            (b"Date\nCaf\0".to_vec(), Some(2), "NUL"),
            (vec![b'a'; MAX_FILE + 1], None, "at most 5 MiB"),
        ] {
            let issue = text(&file, MAX_FILE).unwrap_err();
            assert_eq!(issue.line(), line, "{issue:?}");
            assert!(issue.message.to_string().contains(message), "{issue:?} has no {message}");
        }
        assert_eq!(text("\u{feff}Café".as_bytes(), MAX_FILE), Ok("Café".into()));
        let large = vec![b'a'; MAX_FILE + 1];
        assert!(text(&large, MAX_LARGE_FILE).is_ok());
    }

    #[test]
    fn utf_16_is_read_in_both_orders_with_and_without_a_mark() {
        for words in ["Date,Description\nCafé 🍔", "日付,概要\n"] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                for mark in ["\u{feff}", ""] {
                    let file: Vec<u8> =
                        format!("{mark}{words}").encode_utf16().flat_map(bytes).collect();
                    assert_eq!(text(&file, MAX_FILE), Ok(words.into()), "{file:?}");
                }
            }
        }
    }
}
