//! Fields of a request that may be absent or invalid, and the rules that they break.

use std::fmt;

/// Maximum number of broken rules that are reported.
pub const MAX_REPORTED: usize = 100;

/// A field of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The field was left out.
    #[default]
    Absent,
    /// The field breaks a rule, which is already reported. Rules that depend on it are skipped.
    Invalid,
    /// The field has a valid value.
    Value(T),
}

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field, like `splits[1].userId`.
    pub path: String,
    /// The rule, understandable without the path.
    pub rule: String,
}

/// The rules that the fields of a request break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
    /// Paths of all known fields, in the order in which errors are reported. They have no indexes,
    /// like `splits[].userId`.
    order: Vec<String>,
    too_many_shares: Option<usize>,
}

/// Error returned for a request that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The body is not sent as JSON.
    #[error("the body must be sent as `Content-Type: application/json`")]
    Format,
    /// The body is not valid JSON.
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

    /// The value, or `default` if the field was left out; `None` if the field is invalid.
    pub fn or(self, default: T) -> Option<T> {
        match self {
            Self::Absent => Some(default),
            Self::Invalid => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The field with a reference to its value.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Absent => Field::Absent,
            Self::Invalid => Field::Invalid,
            Self::Value(value) => Field::Value(value),
        }
    }

    /// Converts the value, if there is a valid one.
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
    /// The error of the field at `path`, which breaks `rule`. A rule without a subject, like the
    /// message of a type that does not know its field, gets the name of the field as its subject:
    /// "must be a UUID" becomes "payerId must be a UUID".
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

    /// The value that a check of the field at `path` returned. Reports the rule if the check
    /// failed.
    pub fn keep<T, E: fmt::Display>(
        &mut self,
        path: impl Into<String>,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|rule| self.push(path, rule)).ok()
    }

    /// Reports that an expense has more shares than one transaction can write.
    pub const fn too_many_shares(&mut self, shares: usize) {
        self.too_many_shares = Some(shares);
    }

    /// Adds a known field after the earlier ones in the order in which errors are reported. `path`
    /// has no indexes, like `splits[].userId`.
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

    /// Number of shares of an expense, if there are too many for one transaction.
    pub(crate) const fn shares_beyond_limit(&self) -> Option<usize> {
        self.too_many_shares
    }

    /// The broken rules in the order of the fields, at most [`MAX_REPORTED`].
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

/// The name of the field at `path`, such as `userId` for `splits[1].userId`.
#[must_use]
pub fn name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Sort key of a path: for each of its parts, the position of the field in `order`, and the index
/// if there is one.
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
