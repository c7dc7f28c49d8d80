//! Lists of names that may contain the separator of the list.

use std::collections::HashSet;

use fracti_texts::{Message, rule};

/// Maximum number of parts of a list between separators. A row has far fewer members, but a name
/// may consist of several parts.
const MAX_PARTS: usize = 200;

/// Maximum number of characters of a name in a list.
const MAX_NAME: usize = 300;

/// Maximum number of separators in a name of a list.
const MAX_SEPARATORS: usize = 50;

/// Why a list of names cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// It can be read in several ways.
    Ambiguous,
    /// A name is not known.
    Unknown,
    /// A name is in it twice.
    Repeated,
    /// It is too long.
    TooLong,
}

impl Unclear {
    /// The rule that the list breaks.
    pub(crate) fn rule(self) -> Message {
        match self {
            Self::Ambiguous => rule!(
                "{field} can be read in several ways, because names contain the separator; rename \
                 the members, and export again",
                "{field} можно прочитать по-разному: в именах есть разделитель; переименуйте \
                 участников и выгрузите файл заново"
            ),
            Self::Unknown => rule!(
                "{field} must only have names of members",
                "в {field} должны быть только имена участников"
            ),
            Self::Repeated => rule!(
                "{field} must have each name only once",
                "имена в {field} не должны повторяться"
            ),
            Self::TooLong => rule!("{field} has too many names", "в {field} слишком много имён"),
        }
    }
}

/// The best way to read the rest of a list.
#[derive(Clone, Copy)]
struct Rest {
    /// Number of names that are not known.
    unknown: usize,
    /// Whether another way has as few of them.
    is_ambiguous: bool,
    /// Number of parts between separators that the first name consists of.
    parts: usize,
}

/// Names that are known, and the separator between them.
#[derive(Debug)]
pub(crate) struct Names<'n> {
    known: HashSet<&'n str>,
    separator: &'static str,
    /// Maximum number of parts of a name between separators.
    most_parts: usize,
    /// Maximum number of bytes of a name.
    longest: usize,
}

impl<'n> Names<'n> {
    pub(crate) fn new(names: impl Iterator<Item = &'n str>, separator: &'static str) -> Self {
        // No app has longer names, which must not make every list expensive to read.
        let is_short = |name: &&str| {
            name.chars().count() <= MAX_NAME && name.matches(separator).count() <= MAX_SEPARATORS
        };
        let known: HashSet<&str> = names.filter(is_short).collect();
        let separators = known.iter().map(|name| name.matches(separator).count()).max();
        let most_parts = separators.unwrap_or_default().saturating_add(1);
        let longest = known.iter().map(|name| name.len()).max().unwrap_or_default();
        Self { known, separator, most_parts, longest }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// Splits a list into known names. If `allows_new`, other names without a separator are read
    /// as well, but as few of them as possible.
    ///
    /// # Errors
    ///
    /// [`Unclear`] if there is not exactly one best way.
    pub(crate) fn split<'t>(
        &self,
        list: &'t str,
        allows_new: bool,
    ) -> Result<Vec<&'t str>, Unclear> {
        let Self { known, separator, most_parts, longest } = self;
        let mut starts = vec![0];
        for (index, _) in list.match_indices(separator).take(MAX_PARTS) {
            starts.push(index.saturating_add(separator.len()));
        }
        let count = starts.len();
        if count > MAX_PARTS {
            return Err(Unclear::TooLong);
        }
        let name = |first: usize, parts: usize| -> Option<&'t str> {
            let next = first.checked_add(parts).filter(|next| *next <= count)?;
            let end =
                starts.get(next).map_or(Some(list.len()), |it| it.checked_sub(separator.len()));
            list.get(*starts.get(first)?..end?)
        };
        let done = Rest { unknown: 0, is_ambiguous: false, parts: 0 };
        // The best ways to read what begins at each part, from the end of the list.
        let mut rests: Vec<Option<Rest>> = vec![None; count];
        rests.push(Some(done));
        for first in (0..count).rev() {
            let mut best: Option<Rest> = None;
            for parts in 1..=*most_parts {
                let Some(name) = name(first, parts) else { break };
                if name.len() > *longest && parts > 1 {
                    break;
                }
                let is_known = known.contains(name);
                let after = rests.get(first.saturating_add(parts)).copied().flatten();
                let Some(after) = after.filter(|_| is_known || (allows_new && parts == 1)) else {
                    continue;
                };
                let unknown = after.unknown.saturating_add((!is_known).into());
                let is_ambiguous = after.is_ambiguous;
                match &mut best {
                    Some(it) if it.unknown < unknown => {}
                    Some(it) if it.unknown == unknown => it.is_ambiguous = true,
                    _ => best = Some(Rest { unknown, is_ambiguous, parts }),
                }
            }
            if let Some(slot) = rests.get_mut(first) {
                *slot = best;
            }
        }
        let mut names = Vec::new();
        let mut first = 0;
        while first < count {
            let rest = rests.get(first).copied().flatten().ok_or(Unclear::Unknown)?;
            if rest.is_ambiguous {
                return Err(Unclear::Ambiguous);
            }
            names.extend(name(first, rest.parts));
            first = first.saturating_add(rest.parts);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_separators_are_found() {
        use Unclear::{Ambiguous, Unknown};
        for (list, known, allows_new, names) in [
            ("Anna, Bob", &["Anna", "Bob"][..], false, Ok(&["Anna", "Bob"][..])),
            ("Smith, Jo, Bob", &["Smith, Jo", "Bob"], false, Ok(&["Smith, Jo", "Bob"])),
            ("Bob, Smith, Jo", &["Smith, Jo", "Bob"], false, Ok(&["Bob", "Smith, Jo"])),
            ("Smith, Jo", &["Smith, Jo", "Smith", "Jo"], false, Err(Ambiguous)),
            ("Bob, Smith, Jo", &["Smith, Jo", "Smith", "Jo", "Bob"], false, Err(Ambiguous)),
            ("Smith, Jo", &["Smith, Jo", "Smith"], true, Ok(&["Smith, Jo"])),
            ("Smith, Eve", &["Smith, Jo", "Smith"], true, Ok(&["Smith", "Eve"])),
            ("Smith, Eve", &["Smith, Jo", "Smith"], false, Err(Unknown)),
            ("A, B, C, D", &["A, B", "C, D", "B, C"], true, Ok(&["A, B", "C, D"])),
            ("Eve, Dan", &[], true, Ok(&["Eve", "Dan"])),
            ("", &["Anna"], true, Ok(&[""])),
        ] {
            let names_of = Names::new(known.iter().copied(), ", ");
            let read = names_of.split(list, allows_new);
            assert_eq!(read, names.map(<[&str]>::to_vec), "{list:?} of {known:?}");
        }
        let known = Names::new(["a", "a,a"].into_iter(), ",");
        assert_eq!(known.split(&vec!["a"; 200].join(","), false), Err(Ambiguous));
        assert_eq!(known.split(&vec!["a"; 201].join(","), false), Err(Unclear::TooLong));
        assert_eq!(known.split(&",".repeat(1_000_000), false), Err(Unclear::TooLong));
        let long = vec!["a"; 100].join(",");
        let known = Names::new([&*long].into_iter(), ",");
        assert_eq!(known.split(&long, false), Err(Unknown));
    }
}
