//! Fields of a request that may be absent or invalid, and the rules that they break.

use std::{borrow::Cow, fmt};

use fracti_texts::{Message, Says, errors, message, rule};
use serde_json::json;

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

/// Path of a field in a request: the steps from the body to the field. The empty path is that of
/// the body itself. A parameter or a header has one step, its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<PathStep>);

/// A step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Name of a field: one of the API, or an unknown one that the client sent.
    Field(Cow<'static, str>),
    /// Index of an item of a list, from zero.
    Index(usize),
    /// Key of an entry of a map. The client chose it.
    Key(String),
}

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field.
    pub path: Path,
    /// The rule, whose subject is the field.
    pub rule: Message,
}

/// The rules that the fields of a request break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
    /// Paths of all known fields, in the order in which errors are reported. Their indexes do not
    /// matter: a field of the items of a list has one path.
    order: Vec<Path>,
    too_many_shares: Option<usize>,
}

/// Error returned for a request that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The body is not sent as JSON.
    Format,
    /// The body is not a form.
    Form,
    /// The body is not valid JSON.
    Syntax(Message),
}

impl Says for Unreadable {
    fn says(&self) -> Message {
        match self {
            Self::Format => message!(
                "the body must be sent as `Content-Type: application/json`",
                "тело запроса нужно отправить с `Content-Type: application/json`"
            ),
            Self::Form => message!(
                "the body must be sent as `Content-Type: multipart/form-data` with a boundary",
                "тело запроса нужно отправить с `Content-Type: multipart/form-data` и boundary"
            ),
            Self::Syntax(rule) => {
                message!("the body is not JSON: {rule}", "тело запроса — не JSON: {rule}", [rule])
            }
        }
    }
}

errors!(Unreadable);

impl<T> Field<T> {
    /// The value, if there is a valid one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Invalid => None,
        }
    }

    /// The value, to change it, if there is a valid one.
    pub(crate) const fn value_mut(&mut self) -> Option<&mut T> {
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

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Value)
    }
}

impl Path {
    /// The path of the field `name` of the object at this path.
    ///
    /// ```
    /// use fracti_core::input::Path;
    ///
    /// let weight = Path::from("items").index(3).field("sharers").index(1).field("weight");
    /// assert_eq!(weight.to_string(), "items[3].sharers[1].weight");
    /// ```
    #[must_use]
    pub fn field(&self, name: impl Into<Cow<'static, str>>) -> Self {
        self.then(PathStep::Field(name.into()))
    }

    /// The path of the item at `index`, from zero, of the list at this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.then(PathStep::Index(index))
    }

    /// The path of the entry with this key of the map at this path.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.then(PathStep::Key(key.into()))
    }

    fn then(&self, step: PathStep) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// The steps from the body.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// The names of the fields on the path, which are the same for all items of a list or a map.
    fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            PathStep::Field(name) => Some(&**name),
            PathStep::Index(_) | PathStep::Key(_) => None,
        })
    }

    /// Sort key of the path: for each of its steps, the position of the field in `order`, or the
    /// index.
    fn place(&self, order: &[Self]) -> Vec<usize> {
        let mut fields = Vec::new();
        let place = self.0.iter().map(|step| match step {
            PathStep::Index(index) => *index,
            // The entries of a map are reported in the order in which they are checked.
            PathStep::Key(_) => 0,
            PathStep::Field(name) => {
                fields.push(&**name);
                let is_known = |known: &Self| known.fields().eq(fields.iter().copied());
                order.iter().position(is_known).unwrap_or(order.len())
            }
        });
        place.collect()
    }
}

/// The path as messages and error details have it, like `splits[1].amount` or `members["Bob"]`.
/// That of the body is empty.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) => write!(f, "[{}]", json!(key))?,
                PathStep::Field(name) if position == 0 => f.write_str(name)?,
                PathStep::Field(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

impl From<&str> for Path {
    /// The path of a field of the body, or of a parameter or a header.
    fn from(name: &str) -> Self {
        Self::default().field(name.to_owned())
    }
}

impl FieldError {
    /// The error of the field at `path`, which breaks `rule`.
    pub fn new(path: impl Into<Path>, rule: impl Into<Message>) -> Self {
        Self { path: path.into(), rule: rule.into() }
    }

    /// The rule with its subject: the whole path, like `splits[1].userId`, or the body.
    #[must_use]
    pub fn message(&self) -> Message {
        if self.path.steps().is_empty() {
            self.rule.about(&message!("the body", "тело запроса"))
        } else {
            self.rule.about_field(&self.path.to_string())
        }
    }
}

impl FieldErrors {
    /// Reports that the field at `path` breaks `rule`.
    pub fn push(&mut self, path: impl Into<Path>, rule: impl Into<Message>) {
        self.errors.push(FieldError::new(path, rule));
    }

    /// Reports that the field at `path` is missing.
    pub fn missing(&mut self, path: impl Into<Path>) {
        self.push(path, rule!("{field} is required", "укажите {field}"));
    }

    /// The value that a check of the field at `path` returned. Reports the rule if the check
    /// failed.
    pub fn keep<T, E: Into<Message>>(
        &mut self,
        path: impl Into<Path>,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|rule| self.push(path, rule)).ok()
    }

    /// The errors within the object at the field `name`, with their paths from there.
    pub(crate) fn within(&self, name: &str) -> Self {
        let inner = |error: &FieldError| {
            let (first, rest) = error.path.0.split_first()?;
            let path = Path(rest.to_vec());
            let is_within = matches!(first, PathStep::Field(field) if field == name);
            is_within.then(|| FieldError { path, rule: error.rule.clone() })
        };
        Self { errors: self.errors.iter().filter_map(inner).collect(), ..Self::default() }
    }

    /// Replaces the errors within the object at the field `name` by these, whose paths begin there.
    pub fn replace_within(&mut self, name: &'static str, inner: Self) {
        let is_within = |error: &FieldError| matches!(error.path.0.first(), Some(PathStep::Field(field)) if field == name);
        self.errors.retain(|error| !is_within(error));
        for FieldError { path, rule } in inner.errors {
            let steps = [PathStep::Field(name.into())].into_iter().chain(path.0.iter().cloned());
            let outer = Path(steps.collect());
            self.errors.push(FieldError { path: outer, rule });
        }
    }

    /// Reports that an expense has more shares than one transaction can write.
    pub const fn too_many_shares(&mut self, shares: usize) {
        self.too_many_shares = Some(shares);
    }

    /// Adds a known field after the earlier ones in the order in which errors are reported. The
    /// fields of a list's items are known if those of one item are.
    pub fn expect(&mut self, path: &Path) {
        if !self.order.iter().any(|known| known.fields().eq(path.fields())) {
            self.order.push(path.clone());
        }
    }

    /// The broken rules, in the order in which they were found.
    #[must_use]
    pub fn as_slice(&self) -> &[FieldError] {
        &self.errors
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
        errors.sort_by_cached_key(|error| error.path.place(&order));
        errors.truncate(MAX_REPORTED);
        errors
    }
}

impl From<FieldError> for FieldErrors {
    fn from(error: FieldError) -> Self {
        Self { errors: vec![error], ..Self::default() }
    }
}

impl Says for FieldErrors {
    fn says(&self) -> Message {
        Message::joined(&self.errors.iter().map(FieldError::message).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_reported_in_the_order_of_the_fields() {
        let mut errors = FieldErrors::default();
        let split = |index| Path::from("splits").index(index);
        for known in ["amount", "splits"] {
            errors.expect(&known.into());
        }
        for known in ["userId", "amount"] {
            errors.expect(&split(0).field(known));
        }
        errors.expect(&"currency".into());
        let paths = [
            "amount".into(),
            "splits".into(),
            split(2).field("userId"),
            split(2).field("amount"),
            split(2).field("unknown"),
            split(10).field("userId"),
            "currency".into(),
            "another".into(),
        ];
        for path in paths.iter().rev() {
            errors.push(path.clone(), Message::same("rule"));
        }
        let sorted: Vec<_> = errors.into_sorted().into_iter().map(|error| error.path).collect();
        assert_eq!(sorted, paths);
    }

    #[test]
    fn reported_errors_are_bounded() {
        let mut errors = FieldErrors::default();
        (0..1000).for_each(|index| errors.missing(Path::default().index(index).field("userId")));
        let sorted = errors.into_sorted();
        assert_eq!(sorted.len(), MAX_REPORTED);
        assert_eq!(sorted[99].path, Path::default().index(99).field("userId"));
        assert_eq!(sorted[99].message().to_string(), "[99].userId is required");
    }

    #[test]
    fn paths_have_the_form_of_json_paths() {
        let weight = Path::from("items").index(3).field("sharers").index(1).field("weight");
        let member = Path::from("members").key("Bob \"B\"");
        for (path, text) in [
            (member, r#"members["Bob \"B\""]"#),
            (weight, "items[3].sharers[1].weight"),
            (Path::default().index(0).field("note"), "[0].note"),
            ("amount".into(), "amount"),
        ] {
            assert_eq!(path.to_string(), text);
        }
    }

    #[test]
    fn messages_name_the_whole_path() {
        let (text, array) = (
            rule!("{field} must be a string", "{field} должно быть строкой"),
            rule!("{field} must be an array", "{field} должно быть массивом"),
        );
        let weights =
            message!("weights must not all be 0", "хотя бы один вес должен быть больше 0");
        for (path, rule, message) in [
            (
                Path::from("splits").index(1).field("userId"),
                &text,
                "splits[1].userId must be a string",
            ),
            ("splits".into(), &weights, "weights must not all be 0"),
            (Path::default(), &array, "the body must be an array"),
        ] {
            assert_eq!(FieldError::new(path, rule.clone()).message().to_string(), message);
        }
        let mut errors = FieldErrors::default();
        errors.push("receipt", text.clone());
        let mut inner = FieldErrors::default();
        inner.push(Path::from("items").index(2), text);
        errors.replace_within("receipt", inner);
        assert_eq!(errors.says().to_string(), "receipt.items[2] must be a string");
    }
}
