//! Request bodies: fields are read by name, and all errors are reported at once, each with its
//! path.
//!
//! JSON stays text until the type of a field parses it. Numbers therefore keep all their digits,
//! duplicate fields are detected, and fields that no code has read are reported as unknown.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::RangeInclusive,
    str::FromStr,
};

use axum::http::{HeaderMap, header};
use fracti_core::input::{Draft, Field, FieldError, FieldErrors, Path, Unreadable};
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

/// Maximum length of an unknown name in an error message, in characters.
const MAX_NAME: usize = 64;

/// Rule of a value that is `true` or `false`.
pub(crate) const FLAG_RULE: &str = "must be true or false";

/// Reads a request body. Implemented by the type that describes the body in the OpenAPI document.
pub trait Body {
    /// The parsed fields.
    type Fields: fmt::Debug;

    /// Fields of an empty request, if the body is optional.
    #[must_use]
    fn empty() -> Option<Self::Fields> {
        None
    }

    /// Reads the fields.
    fn read(value: Value<'_, '_>) -> Field<Self::Fields>;
}

/// A body without fields, which may be left out.
impl Body for () {
    type Fields = ();

    fn empty() -> Option<()> {
        Some(())
    }

    fn read(value: Value<'_, '_>) -> Field<()> {
        value.object(|_| ())
    }
}

/// A value in a body, with its path.
#[derive(Debug)]
pub struct Value<'r, 'a> {
    json: Option<Json<'a>>,
    path: Path,
    required: bool,
    reader: &'r mut Reader,
}

/// A JSON object. Its fields are read one by one, in the order in which errors are reported.
#[derive(Debug)]
pub struct Object<'r, 'a> {
    /// `None` if the value is not an object.
    fields: Option<Vec<(Cow<'a, str>, &'a RawValue)>>,
    known: Vec<&'static str>,
    path: Path,
    reader: &'r mut Reader,
}

/// A JSON string, or another JSON value as text.
#[derive(Clone, Debug)]
pub enum JsonScalar<'a> {
    /// A JSON string.
    Text(Cow<'a, str>),
    /// Any other value, as written.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug)]
enum Json<'a> {
    Once(&'a RawValue),
    /// A duplicate field, which is ambiguous.
    Twice,
    /// Part of a value whose error is already reported.
    Invalid,
}

#[derive(Debug, Default)]
struct Reader {
    errors: FieldErrors,
    /// Syntax error in a part of the body. The first parse checks only the outer shape.
    syntax: Option<String>,
}

/// Reads a request body.
pub(crate) fn read<T: Body>(headers: &HeaderMap, body: &[u8]) -> Draft<T::Fields> {
    if body.is_empty()
        && let Some(empty) = T::empty()
    {
        return Draft::valid(empty);
    }
    if !is_json(headers) {
        return Draft::unreadable(Unreadable::Format);
    }
    match read_json::<T>(Path::default(), body) {
        Ok((fields, errors)) => Draft::new(fields, errors),
        Err(reason) => Draft::unreadable(Unreadable::Syntax(reason)),
    }
}

/// Reads the fields of the JSON at `path`, and the rules that they break, or returns why it is not
/// JSON.
pub(crate) fn read_json<T: Body>(
    path: Path,
    body: &[u8],
) -> Result<(Field<T::Fields>, FieldErrors), String> {
    let json: &RawValue = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let mut reader = Reader::default();
    let value = Value {
        json: Some(Json::Once(json)),
        path,
        required: T::empty().is_none(),
        reader: &mut reader,
    };
    let fields = match T::read(value) {
        Field::Absent => T::empty().map_or(Field::Invalid, Field::Value),
        fields => fields,
    };
    match reader.syntax {
        Some(reason) => Err(reason),
        None => Ok((fields, reader.errors)),
    }
}

/// Whether the content type is `application/json`, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

impl<'a> Value<'_, 'a> {
    /// Makes the value required.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Parses a string.
    #[must_use]
    pub fn text<T: FromStr<Err: fmt::Display>>(self) -> Field<T> {
        self.parse(|scalar| match scalar {
            JsonScalar::Text(text) => text.parse().map_err(|rule: T::Err| Some(rule.to_string())),
            JsonScalar::Other(_) => Err(None),
        })
    }

    /// Parses a string or a number by its characters.
    #[must_use]
    pub fn scalar<T: FromStr<Err: fmt::Display>>(self) -> Field<T> {
        self.parse(|scalar| {
            let text = match &scalar {
                JsonScalar::Text(text) => text,
                JsonScalar::Other(json) => *json,
            };
            text.parse().map_err(|rule: T::Err| Some(rule.to_string()))
        })
    }

    /// Parses `true` or `false`.
    #[must_use]
    pub fn flag(self) -> Field<bool> {
        self.parse(|scalar| match scalar {
            JsonScalar::Other("true") => Ok(true),
            JsonScalar::Other("false") => Ok(false),
            JsonScalar::Other(_) | JsonScalar::Text(_) => Err(Some(FLAG_RULE.to_owned())),
        })
    }

    /// Parses a string or another scalar with `read`, which returns the broken rule, or `None` if
    /// the value must be a string.
    pub fn parse<T>(
        self,
        read: impl FnOnce(JsonScalar<'a>) -> Result<T, Option<String>>,
    ) -> Field<T> {
        self.present(|json, path, reader| {
            let scalar = if json.starts_with('"') {
                JsonScalar::Text(reader.syntax(serde_json::from_str::<Text<'a>>(json))?.0)
            } else {
                JsonScalar::Other(json)
            };
            let must_be_text = || "must be a string".to_owned();
            let read = read(scalar).map_err(|rule| rule.unwrap_or_else(must_be_text));
            reader.errors.keep(path, read)
        })
    }

    /// Reads `null`, which removes a value, or a value with `read`.
    pub fn nullable<T>(self, read: impl FnOnce(Self) -> Field<T>) -> Field<Option<T>> {
        match self.json {
            Some(Json::Once(json)) if json.get() == "null" => Field::Value(None),
            _ => read(self).map(Some),
        }
    }

    /// Reads the fields of an object with `read`.
    pub fn object<T>(self, read: impl FnOnce(&mut Object<'_, 'a>) -> T) -> Field<T> {
        self.present(|json, path, reader| {
            if !json.starts_with('{') {
                reader.refuse(path, "must be a JSON object");
                return None;
            }
            let Fields(fields) = reader.syntax(serde_json::from_str(json))?;
            let mut object = Object { fields: Some(fields), known: Vec::new(), path, reader };
            let value = read(&mut object);
            object.finish();
            Some(value)
        })
    }

    /// Reads an object whose field names the client chooses, each with `read`.
    pub fn entries<T>(
        self,
        most: usize,
        read: impl FnMut(&str, Value<'_, 'a>) -> T,
    ) -> Field<Vec<(String, T)>> {
        self.entries_at(most, |path, name| path.field(shortened(name).into_owned()), read)
    }

    /// Reads an object with arbitrary keys, and each value with `read`. Its paths are like
    /// `members["Bob"]`.
    pub fn map<T>(
        self,
        most: usize,
        read: impl FnMut(&str, Value<'_, 'a>) -> T,
    ) -> Field<Vec<(String, T)>> {
        self.entries_at(most, |path, name| path.key(shortened(name)), read)
    }

    fn entries_at<T>(
        self,
        most: usize,
        path_of: impl Fn(&Path, &str) -> Path,
        mut read: impl FnMut(&str, Value<'_, 'a>) -> T,
    ) -> Field<Vec<(String, T)>> {
        self.present(|json, path, reader| {
            if !json.starts_with('{') {
                reader.refuse(path, "must be a JSON object");
                return None;
            }
            let Fields(fields) = reader.syntax(serde_json::from_str(json))?;
            let mut given: BTreeMap<&str, Json<'a>> = BTreeMap::new();
            for (name, json) in &fields {
                given.entry(name).and_modify(|it| *it = Json::Twice).or_insert(Json::Once(json));
            }
            if given.len() > most {
                reader.refuse(path, format!("must have at most {most} fields"));
                return None;
            }
            let mut entry = |(name, json): (&str, _)| {
                let path = path_of(&path, name);
                let value = Value { json: Some(json), path, required: false, reader: &mut *reader };
                (name.to_owned(), read(name, value))
            };
            Some(given.into_iter().map(&mut entry).collect())
        })
    }

    /// Reads an array of objects with `read`. The fields of an item that is not an object are
    /// invalid.
    pub fn objects<T>(
        self,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(&mut Object<'_, 'a>) -> T,
    ) -> Field<Vec<T>> {
        self.list(lengths, |item| {
            let Value { json, path, required, reader } = item;
            let item = Value { json, path: path.clone(), required, reader: &mut *reader };
            if let Field::Value(value) = item.object(&mut read) {
                return value;
            }
            read(&mut Object { fields: None, known: Vec::new(), path, reader })
        })
    }

    /// Reads the items of an array with `read`.
    pub fn list<T>(
        self,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(Value<'_, 'a>) -> T,
    ) -> Field<Vec<T>> {
        self.present(|json, path, reader| {
            if !json.starts_with('[') {
                reader.refuse(path, "must be an array");
                return None;
            }
            let items: Vec<&RawValue> = reader.syntax(serde_json::from_str(json))?;
            if items.is_empty() && *lengths.start() > 0 {
                reader.refuse(path, "must not be empty");
                return None;
            }
            if items.len() > *lengths.end() {
                reader.refuse(path, format!("must have at most {} items", lengths.end()));
                return None;
            }
            let mut item = |(index, json)| {
                read(Value {
                    json: Some(Json::Once(json)),
                    path: path.index(index),
                    required: true,
                    reader: &mut *reader,
                })
            };
            Some(items.into_iter().enumerate().map(&mut item).collect())
        })
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.json, Some(Json::Once(json)) if json.get().starts_with('['))
    }

    /// Reads the JSON with `read`. A missing value and `null` are absent.
    fn present<T>(self, read: impl FnOnce(&'a str, Path, &mut Reader) -> Option<T>) -> Field<T> {
        let Self { json, path, required, reader } = self;
        match json {
            Some(Json::Twice) => {
                reader.errors.push(path, "must be given only once");
                Field::Invalid
            }
            Some(Json::Invalid) => Field::Invalid,
            Some(Json::Once(json)) if json.get() != "null" => {
                read(json.get(), path, reader).map_or(Field::Invalid, Field::Value)
            }
            _ if required && path.steps().is_empty() => {
                reader.refuse(path, "must not be null");
                Field::Invalid
            }
            _ if required => {
                reader.errors.missing(path);
                Field::Invalid
            }
            _ => Field::Absent,
        }
    }
}

impl<'a> Object<'_, 'a> {
    /// The field `field`.
    pub fn field(&mut self, field: &'static str) -> Value<'_, 'a> {
        let given = |fields: &Vec<(Cow<'a, str>, &'a RawValue)>| {
            let mut given = fields.iter().filter(|(name, _)| name == field).map(|(_, json)| *json);
            match (given.next(), given.next()) {
                (json, None) => json.map(Json::Once),
                _ => Some(Json::Twice),
            }
        };
        let json = self.fields.as_ref().map_or(Some(Json::Invalid), given);
        self.known.push(field);
        let path = self.path.field(field);
        self.reader.errors.expect(&path);
        Value { json, path, required: false, reader: &mut *self.reader }
    }

    /// The field `field`, which clients may also send under the name `alias`.
    pub fn aliased(&mut self, field: &'static str, alias: &'static str) -> Value<'_, 'a> {
        let sent = self.fields.iter_mut().flatten().filter(|(name, _)| name == alias);
        sent.for_each(|(name, _)| *name = field.into());
        self.field(field)
    }

    /// Reports that the field `field` breaks a rule about several fields.
    pub fn refuse(&mut self, field: &'static str, rule: impl fmt::Display) {
        self.reader.errors.push(self.path.field(field), rule);
    }

    /// Reports unknown fields: those that were not read.
    fn finish(self) {
        let Self { fields, known, path, reader } = self;
        let unknown = fields.iter().flatten().map(|(name, _)| &**name);
        let mut seen = BTreeSet::new();
        let known_fields = if known.is_empty() {
            "this object has no fields".to_owned()
        } else {
            format!("known fields are {}", known.join(", "))
        };
        for field in unknown.filter(|field| !known.contains(field)) {
            if seen.insert(field) {
                let field = path.field(shortened(field).into_owned());
                let rule = format!("unknown field {field}; {known_fields}");
                reader.errors.push(field, rule);
            }
        }
    }
}

impl Reader {
    /// Reports that the value at `path` breaks `rule`. The body itself is reported as `body`.
    fn refuse(&mut self, path: Path, rule: impl fmt::Display) {
        let FieldError { path, rule } = FieldError::new(path, rule);
        let path = if path.steps().is_empty() { "body".into() } else { path };
        self.errors.push(path, rule);
    }

    /// The parsed value. A syntax error makes the whole body invalid JSON.
    fn syntax<T>(&mut self, parsed: serde_json::Result<T>) -> Option<T> {
        let reason = match parsed {
            Ok(parsed) => return Some(parsed),
            Err(error) => error.to_string(),
        };
        // The position is relative to a part of the body, so it would mislead.
        let reason = reason.rsplit_once(" at line ").map_or(&*reason, |(reason, _)| reason);
        self.syntax.get_or_insert_with(|| reason.to_owned());
        None
    }
}

/// Shortens a client's text for an error message.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

/// A JSON string, borrowed unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The fields of an object, including duplicates.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Text(name), json)) = map.next_entry()? {
                    fields.push((name, json));
                }
                Ok(Fields(fields))
            }
        }

        from.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracti_core::{Error, decimal::Decimal, id::UserId};

    #[derive(Debug, Default)]
    struct Order {
        amount: Field<Decimal>,
        note: Field<Option<UserId>>,
        items: Field<Vec<Field<UserId>>>,
    }

    impl Body for Order {
        type Fields = Self;

        fn read(value: Value<'_, '_>) -> Field<Self> {
            value.object(|order| Self {
                amount: order.field("amount").required().scalar(),
                items: order
                    .field("items")
                    .objects(0..=3, |item| item.field("userId").required().text()),
                note: order.field("note").nullable(Value::text),
            })
        }
    }

    fn parsed(json: &str) -> Draft<Order> {
        let headers = [(header::CONTENT_TYPE, "application/json".parse().unwrap())];
        read::<Order>(&headers.into_iter().collect(), json.as_bytes())
    }

    fn errors(json: &str) -> Vec<(String, String)> {
        match parsed(json).checked().unwrap_err() {
            Error::Invalid(errors) => {
                let text = |FieldError { path, rule }| (path.to_string(), rule);
                errors.into_sorted().into_iter().map(text).collect()
            }
            Error::Unreadable(reason) => vec![(String::new(), reason.to_string())],
            error => unreachable!("{error}"),
        }
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        for (json, printed) in [
            (r#"{"amount":0.000000001}"#, "0.000000001"),
            (r#"{"amount":1e-9}"#, "0.000000001"),
            (r#"{"amount":9007199254740993}"#, "9007199254740993"),
            (r#"{"amount":"33.33"}"#, "33.33"),
            (r#"{"amount":"\u0033"}"#, "3"),
            (r#"{"amount": 33.330 , "note":null}"#, "33.33"),
        ] {
            let draft = parsed(json);
            let order = draft.checked().unwrap();
            assert_eq!(order.amount.value().unwrap().to_string(), printed, "{json}");
            assert_eq!(order.note.is_absent(), !json.contains("note"), "{json}");
            assert!(order.items.is_absent(), "{json}");
        }
    }

    #[test]
    fn all_mistakes_are_reported_by_path_in_the_order_of_the_fields() {
        let json =
            r#"{"x":1,"note":7,"items":[{"userId":"1"},{"y":{},"userId":1},[]],"amount":""}"#;
        let paths: Vec<_> = errors(json).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["amount", "items[1].userId", "items[1].y", "items[2]", "note", "x"]);
        for (json, path, rule) in [
            ("{}", "amount", "amount is required"),
            (r#"{"amount":1,"amount":1}"#, "amount", "amount must be given only once"),
            (r#"{"amount":1,"items":{}}"#, "items", "items must be an array"),
            (r#"{"amount":1,"items":[1,2,3,4]}"#, "items", "items must have at most 3 items"),
            (r#"{"amount":1,"items":[null]}"#, "items[0]", "items[0] is required"),
            (
                r#"{"amount":1,"z":1,"z":2}"#,
                "z",
                "unknown field z; known fields are amount, items, note",
            ),
            ("[]", "body", "the body must be a JSON object"),
            ("null", "body", "the body must not be null"),
        ] {
            assert_eq!(errors(json), [(path.to_owned(), rule.to_owned())], "{json}");
        }
    }

    #[test]
    fn bodies_that_are_not_json_are_refused() {
        for json in [
            "",
            "{",
            "{}}",
            r#"{"amount":NaN}"#,
            r#"{"amount":1.}"#,
            r#"{"amount":01}"#,
            r#"{"amount":"\ud800"}"#,
            r#"{"amount":1,"\ud800":1}"#,
        ] {
            let [(path, rule)] = &*errors(json) else { unreachable!("{json}") };
            assert!(
                path.is_empty() && rule.starts_with("the body is not JSON: "),
                "{json}: {rule}"
            );
        }
        assert!(matches!(
            read::<Order>(&HeaderMap::new(), b"{}").checked(),
            Err(Error::Unreadable(Unreadable::Format))
        ));
    }

    #[test]
    fn long_names_of_unknown_fields_are_shortened() {
        let json = format!(r#"{{"amount":1,"{}":1}}"#, "é".repeat(1000));
        assert_eq!(errors(&json)[0].0, format!("{}…", "é".repeat(64)));
    }
}
