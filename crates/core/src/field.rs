//! Fields of a request that may be absent or invalid, and the rules that they break.

use std::fmt;

/// How many broken rules are reported at most.
pub const MAX_REPORTED: usize = 100;

/// A field of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// It was left out.
    #[default]
    Absent,
    /// It breaks a rule, which is reported already: rules that depend on it are skipped.
    Invalid,
    /// Its value.
    Value(T),
}

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where the field is, like `splits[1].userId`.
    pub path: String,
    /// The rule, understandable without the path.
    pub rule: String,
}

/// The rules that the fields of a request break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
    /// The paths of all known fields without indexes, like `splits[].userId`, in the order of the
    /// fields.
    order: Vec<String>,
    too_many_shares: Option<usize>,
}

/// Why a request cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is not sent in the format that is read here.
    #[error("the body must be sent as `Content-Type: application/json`")]
    Format,
    /// It breaks the syntax of the format.
    #[error("the body is not JSON: {0}")]
    Syntax(String),
}

impl<T> Field<T> {
    /// The value, if there is a valid one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Invalid => None,
        }
    }

    /// The value, or `default` if the field was left out; nothing if it is invalid.
    pub fn or(self, default: T) -> Option<T> {
        match self {
            Self::Absent => Some(default),
            Self::Invalid => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The field as it is shown to a check that does not consume it.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Absent => Field::Absent,
            Self::Invalid => Field::Invalid,
            Self::Value(value) => Field::Value(value),
        }
    }

    /// The same field with another value.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Invalid => Field::Invalid,
            Self::Value(value) => Field::Value(of(value)),
        }
    }

    /// Whether the field was left out.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether the field breaks a rule.
    pub const fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid)
    }
}

impl FieldError {
    /// The field at `path` breaks `rule`. A rule that has no subject, like the message of a type that
    /// knows no field, gets the field as its subject: "must be a UUID" of `payerId` is "payerId must
    /// be a UUID".
    pub fn new(path: impl Into<String>, rule: impl fmt::Display) -> Self {
        let (path, rule) = (path.into(), rule.to_string());
        let subject = if path.is_empty() { "the body" } else { name(&path) };
        let rule = if rule.starts_with("must ") { format!("{subject} {rule}") } else { rule };
        Self { path, rule }
    }
}

impl FieldErrors {
    /// Reports that the field at `path` breaks `rule`.
    pub fn push(&mut self, path: impl Into<String>, rule: impl fmt::Display) {
        self.errors.push(FieldError::new(path, rule));
    }

    /// Reports that the field at `path` is missing.
    pub fn missing(&mut self, path: impl Into<String>) {
        let path = path.into();
        let rule = format!("{} is required", name(&path));
        self.push(path, rule);
    }

    /// The value of a check of the field at `path`; reports the rule that it breaks.
    pub fn keep<T, E: fmt::Display>(
        &mut self,
        path: impl Into<String>,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|rule| self.push(path, rule)).ok()
    }

    /// Reports that an expense has so many shares that no transaction writes them.
    pub const fn too_many_shares(&mut self, shares: usize) {
        self.too_many_shares = Some(shares);
    }

    /// Says that a field comes after the ones before: `path` has no indexes, like
    /// `splits[].userId`.
    pub fn expect(&mut self, path: &str) {
        if !self.order.iter().any(|known| known == path) {
            self.order.push(path.to_owned());
        }
    }

    /// Whether no rule is broken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// How many shares an expense has, if they are too many for a transaction.
    pub(crate) const fn shares_beyond_limit(&self) -> Option<usize> {
        self.too_many_shares
    }

    /// The first rules that are broken, in the order of the fields.
    #[must_use]
    pub fn into_sorted(self) -> Vec<FieldError> {
        let Self { mut errors, order, .. } = self;
        errors.sort_by_cached_key(|error| place(&error.path, &order));
        errors.truncate(MAX_REPORTED);
        errors
    }
}

impl From<FieldError> for FieldErrors {
    fn from(error: FieldError) -> Self {
        Self { errors: vec![error], ..Self::default() }
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<_> =
            self.errors.iter().map(|FieldError { path, rule }| format!("{path}: {rule}")).collect();
        f.write_str(&rules.join("; "))
    }
}

/// The name of the field at `path`: of `splits[1].userId` it is `userId`.
#[must_use]
pub fn name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Where a path stands among the known ones: for each of its parts the place of the field, and the
/// index.
fn place(path: &str, order: &[String]) -> Vec<usize> {
    let mut template = String::new();
    let mut place = Vec::new();
    for part in path.split('.') {
        let (field, indexes) = part.split_once('[').map_or((part, None), |(field, rest)| {
            (field, Some(rest.trim_end_matches(']').parse::<usize>().unwrap_or_default()))
        });
        if !template.is_empty() {
            template.push('.');
        }
        template.push_str(field);
        place.push(order.iter().position(|known| *known == template).unwrap_or(order.len()));
        if let Some(index) = indexes {
            template.push_str("[]");
            place.push(index);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_reported_in_the_order_of_the_fields() {
        let mut errors = FieldErrors::default();
        for known in ["amount", "splits", "splits[].userId", "splits[].amount", "currency"] {
            errors.expect(known);
        }
        let paths = [
            "amount",
            "splits",
            "splits[2].userId",
            "splits[2].amount",
            "splits[2].unknown",
            "splits[10].userId",
            "currency",
            "another",
        ];
        for path in paths.iter().rev() {
            errors.push(*path, "rule");
        }
        let sorted: Vec<_> = errors.into_sorted().into_iter().map(|error| error.path).collect();
        assert_eq!(sorted, paths);
    }

    #[test]
    fn reported_errors_are_bounded() {
        let mut errors = FieldErrors::default();
        (0..1000).for_each(|index| errors.missing(format!("[{index}].userId")));
        let sorted = errors.into_sorted();
        assert_eq!(sorted.len(), MAX_REPORTED);
        assert_eq!(sorted[99].path, "[99].userId");
        assert_eq!(sorted[99].rule, "userId is required");
    }
}
