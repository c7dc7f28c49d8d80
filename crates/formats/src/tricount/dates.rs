//! Dates as Tricount's CSV has them, in the order of the country or with the name of the month.

use fracti_texts::{Message, rule};

/// The names of months in lower case, of each language from January on.
const MONTHS: [[&str; 12]; 7] = [
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    [
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
];

/// A date as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenDate {
    /// The year comes first, or the month has its name: year, month and day.
    Sure(u32, u32, u32),
    /// The year comes last, after the day and the month in either order.
    Unsure(u32, u32, u32),
}

/// Order of the numbers before a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateOrder {
    /// The day comes first.
    DayFirst,
    /// The file does not show it.
    Unknown,
}

impl DateOrder {
    /// The order in a file with these dates. In English, the month may come first, unless a number
    /// above 12 shows that the day does.
    pub(super) fn of<'t>(mut dates: impl Iterator<Item = &'t str>, is_english: bool) -> Self {
        let is_proof = |date: &str| matches!(written(date), Some(WrittenDate::Unsure(first, ..)) if first > 12);
        if !is_english || dates.any(is_proof) { Self::DayFirst } else { Self::Unknown }
    }

    /// The day of a date, like 2024-12-31. It may be one that does not exist.
    ///
    /// # Errors
    ///
    /// The rule that the date breaks.
    pub(super) fn day(self, date: &str) -> Result<String, Message> {
        let (year, month, day) = match (written(date), self) {
            (Some(WrittenDate::Sure(year, month, day)), _)
            | (Some(WrittenDate::Unsure(day, month, year)), Self::DayFirst) => (year, month, day),
            (Some(WrittenDate::Unsure(..)), Self::Unknown) => {
                return Err(rule!(
                    "{field} may have the day or the month first; take Tricount's JSON",
                    "в {field} первым может быть день или месяц; возьмите JSON Tricount"
                ));
            }
            (None, _) => {
                return Err(rule!(
                    "{field} must be a day like 2024-12-31, 31/12/2024 or 31 December 2024",
                    "{field} должно быть днём, например 2024-12-31, 31/12/2024 или 31 December 2024"
                ));
            }
        };
        Ok(format!("{year:04}-{month:02}-{day:02}"))
    }
}

/// Whether a text is a date, with or without a time.
pub(super) fn is_date(text: &str) -> bool {
    written(text).is_some()
}

/// Reads a date, with or without a time.
fn written(text: &str) -> Option<WrittenDate> {
    let text = text.trim();
    let start = text.split(|it: char| it.is_whitespace() || it == 'T' || it == ',').next()?;
    let number = |text: &str, most: usize| {
        let is_number = text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_number)
    };
    let parts: Vec<&str> = start.split(['-', '/', '.']).collect();
    if let [first, second, third] = parts[..] {
        if first.len() == 4 && start.contains('-') {
            return Some(WrittenDate::Sure(
                number(first, 4)?,
                number(second, 2)?,
                number(third, 2)?,
            ));
        }
        if third.len() == 4 {
            return Some(WrittenDate::Unsure(
                number(first, 2)?,
                number(second, 2)?,
                number(third, 4)?,
            ));
        }
    }
    let words = text.split(|it: char| it.is_whitespace() || it == ',');
    let mut words = words.filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("de"));
    let day = number(words.next()?.trim_end_matches('.'), 2)?;
    let name = words.next()?.to_lowercase();
    let month = MONTHS.iter().find_map(|names| (1..).zip(names).find(|(_, it)| **it == name));
    let year = words.next().filter(|year| year.len() == 4).and_then(|year| number(year, 4))?;
    Some(WrittenDate::Sure(year, month?.0, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_written() {
        for (text, order, day) in [
            ("2024-12-22 21:38:05", DateOrder::Unknown, Some("2024-12-22")),
            ("2024-12-22T21:38:05Z", DateOrder::Unknown, Some("2024-12-22")),
            ("31/12/2024 10:00", DateOrder::DayFirst, Some("2024-12-31")),
            ("3.2.2024", DateOrder::DayFirst, Some("2024-02-03")),
            ("3/2/2024", DateOrder::Unknown, None),
            ("12 mars 2024 à 10:00", DateOrder::Unknown, Some("2024-03-12")),
            ("12. März 2024", DateOrder::Unknown, Some("2024-03-12")),
            ("1 de fevereiro de 2024", DateOrder::Unknown, Some("2024-02-01")),
            ("7 Maggio 2024, 10:00", DateOrder::Unknown, Some("2024-05-07")),
            ("7 augustus 2024", DateOrder::Unknown, Some("2024-08-07")),
            ("7 agosto 24", DateOrder::DayFirst, None),
            ("7 foo 2024", DateOrder::DayFirst, None),
            ("Paris", DateOrder::DayFirst, None),
            ("12.50", DateOrder::DayFirst, None),
            ("", DateOrder::DayFirst, None),
        ] {
            assert_eq!(order.day(text).ok().as_deref(), day, "{text}");
        }
    }

    #[test]
    fn a_number_above_12_or_another_language_shows_that_the_day_is_first() {
        for (dates, is_english, order) in [
            (&["3/2/2024", "13/2/2024"][..], true, DateOrder::DayFirst),
            (&["3/2/2024", "2/13/2024"], true, DateOrder::Unknown),
            (&["3/2/2024"], false, DateOrder::DayFirst),
            (&[], true, DateOrder::Unknown),
        ] {
            assert_eq!(DateOrder::of(dates.iter().copied(), is_english), order, "{dates:?}");
        }
    }
}
