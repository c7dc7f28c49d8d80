//! Request bodies: fields are read by name, mistakes are reported by path, and none of them hides another.
//!
//! JSON is kept as text until a field's own type reads it. So numbers keep all their digits, a field that is given twice
//! is noticed, and a field that was not read at the end is one that the API does not know.

use std::{borrow::Cow, collections::BTreeSet, fmt, ops::RangeInclusive, str::FromStr};

use axum::http::{HeaderMap, header};
use fracti_core::input::{Draft, Field, FieldErrors, Unreadable, name};
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

/// How much of an unknown field's name is shown, in characters.
const MAX_NAME: usize = 64;

/// A request body: the type that describes it in the OpenAPI document says how it is read.
pub trait Body {
    /// What is read of it.
    type Fields: fmt::Debug;

    /// What a request without a body says, if its body is optional.
    #[must_use]
    fn empty() -> Option<Self::Fields> {
        None
    }

    /// Reads a body.
    fn read(value: Value<'_, '_>) -> Field<Self::Fields>;
}

/// A place in a body, and the JSON that stands there.
#[derive(Debug)]
pub struct Value<'r, 'a> {
    json: Option<Json<'a>>,
    /// Its path, and the same without indexes.
    path: String,
    template: String,
    required: bool,
    reader: &'r mut Reader,
}

/// The fields of a JSON object, which are read one after the other, in the order in which mistakes are reported.
#[derive(Debug)]
pub struct Object<'r, 'a> {
    /// None if what stands there is no object.
    fields: Option<Vec<(Cow<'a, str>, &'a RawValue)>>,
    known: Vec<&'static str>,
    path: String,
    template: String,
    reader: &'r mut Reader,
}

/// A JSON text or number by its characters; anything else as it is written.
#[derive(Clone, Debug)]
pub enum JsonScalar<'a> {
    /// A JSON string.
    Text(Cow<'a, str>),
    /// Something else.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug)]
enum Json<'a> {
    Once(&'a RawValue),
    /// Given more than once: it could mean either.
    Twice,
    /// Reported already, with what it is a part of.
    Invalid,
}

#[derive(Debug, Default)]
struct Reader {
    errors: FieldErrors,
    /// Why a part of it is no JSON, of which only the shape was looked at before.
    syntax: Option<String>,
}

/// Reads a body.
pub(crate) fn read<T: Body>(headers: &HeaderMap, body: &[u8]) -> Draft<T::Fields> {
    if body.is_empty()
        && let Some(empty) = T::empty()
    {
        return Draft::valid(empty);
    }
    if !is_json(headers) {
        return Draft::unreadable(Unreadable::Format);
    }
    let json: &RawValue = match serde_json::from_slice(body) {
        Ok(json) => json,
        Err(error) => return Draft::unreadable(Unreadable::Syntax(error.to_string())),
    };
    let mut reader = Reader::default();
    let value = Value {
        json: Some(Json::Once(json)),
        path: String::new(),
        template: String::new(),
        required: T::empty().is_none(),
        reader: &mut reader,
    };
    let fields = match T::read(value) {
        Field::Absent => T::empty().map_or(Field::Invalid, Field::Value),
        fields => fields,
    };
    match reader.syntax {
        Some(reason) => Draft::unreadable(Unreadable::Syntax(reason)),
        None => Draft::new(fields, reader.errors),
    }
}

/// `application/json` with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

impl<'a> Value<'_, 'a> {
    /// The same, where it must not be left out.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// A string that stands for a `T`.
    #[must_use]
    pub fn text<T: FromStr<Err: fmt::Display>>(self) -> Field<T> {
        self.parse(|scalar| match scalar {
            JsonScalar::Text(text) => text.parse().map_err(|rule: T::Err| Some(rule.to_string())),
            JsonScalar::Other(_) => Err(None),
        })
    }

    /// A string or a number that stands for a `T` by its characters.
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

    /// What `read` makes of it, or the rule that it breaks: without one, that it must be a string.
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
            let must_be_text = || format!("{} must be a string", name(path));
            let read = read(scalar).map_err(|rule| rule.unwrap_or_else(must_be_text));
            reader.errors.keep(path, read)
        })
    }

    /// `null`, which stands for a value that is removed, or what `read` reads.
    pub fn nullable<T>(self, read: impl FnOnce(Self) -> Field<T>) -> Field<Option<T>> {
        match self.json {
            Some(Json::Once(json)) if json.get() == "null" => Field::Value(None),
            _ => read(self).map(Some),
        }
    }

    /// An object of which `read` reads the fields.
    pub fn object<T>(self, read: impl FnOnce(&mut Object<'_, 'a>) -> T) -> Field<T> {
        let template = self.template.clone();
        self.present(|json, path, reader| {
            if !json.starts_with('{') {
                let what = if path.is_empty() { "the body" } else { name(path) };
                reader.errors.push(place(path), format!("{what} must be a JSON object"));
                return None;
            }
            let Fields(fields) = reader.syntax(serde_json::from_str(json))?;
            let (path, fields, known) = (path.to_owned(), Some(fields), Vec::new());
            let mut object = Object { fields, known, path, template, reader };
            let value = read(&mut object);
            object.finish();
            Some(value)
        })
    }

    /// An array of objects of which `read` reads the fields. Those of an item that is no object are invalid.
    pub fn objects<T>(
        self,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(&mut Object<'_, 'a>) -> T,
    ) -> Field<Vec<T>> {
        self.list(lengths, |item| {
            let Value { json, path, template, required, reader } = item;
            let again = (path.clone(), template.clone());
            let item = Value { json, path, template, required, reader: &mut *reader };
            if let Field::Value(value) = item.object(&mut read) {
                return value;
            }
            let (path, template) = again;
            read(&mut Object { fields: None, known: Vec::new(), path, template, reader })
        })
    }

    /// An array of which `read` reads each item.
    pub fn list<T>(
        self,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(Value<'_, 'a>) -> T,
    ) -> Field<Vec<T>> {
        let template = format!("{}[]", self.template);
        self.present(|json, path, reader| {
            let what = || if path.is_empty() { "the list" } else { name(path) };
            if !json.starts_with('[') {
                reader.errors.push(place(path), format!("{} must be an array", what()));
                return None;
            }
            let items: Vec<&RawValue> = reader.syntax(serde_json::from_str(json))?;
            if items.is_empty() && *lengths.start() > 0 {
                reader.errors.push(place(path), format!("{} must not be empty", what()));
                return None;
            }
            if items.len() > *lengths.end() {
                let rule = format!("{} must have at most {} items", what(), lengths.end());
                reader.errors.push(place(path), rule);
                return None;
            }
            let mut item = |(index, json)| {
                read(Value {
                    json: Some(Json::Once(json)),
                    path: format!("{path}[{index}]"),
                    template: template.clone(),
                    required: true,
                    reader: &mut *reader,
                })
            };
            Some(items.into_iter().enumerate().map(&mut item).collect())
        })
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.json, Some(Json::Once(json)) if json.get().starts_with('['))
    }

    /// What `read` makes of the JSON, unless it was left out, or sent as `null`.
    fn present<T>(self, read: impl FnOnce(&'a str, &str, &mut Reader) -> Option<T>) -> Field<T> {
        let Self { json, path, required, reader, .. } = self;
        match json {
            Some(Json::Twice) => {
                reader.errors.push(&*path, format!("{} must be given only once", name(&path)));
                Field::Invalid
            }
            Some(Json::Invalid) => Field::Invalid,
            Some(Json::Once(json)) if json.get() != "null" => {
                read(json.get(), &path, reader).map_or(Field::Invalid, Field::Value)
            }
            _ if required && path.is_empty() => {
                reader.errors.push(place(""), "the body must not be null");
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
    /// The field of this name.
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
        let (path, template) = (join(&self.path, field), join(&self.template, field));
        self.reader.errors.expect(&template);
        Value { json, path, template, required: false, reader: &mut *self.reader }
    }

    /// Reports that the field of this name breaks a rule that depends on others.
    pub fn refuse(&mut self, field: &'static str, rule: impl fmt::Display) {
        self.reader.errors.push(join(&self.path, field), rule);
    }

    /// Reports the fields that were not read.
    fn finish(self) {
        let Self { fields, known, path, reader, .. } = self;
        let unknown = fields.iter().flatten().map(|(name, _)| &**name);
        let mut seen = BTreeSet::new();
        let known_fields = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("known fields are {}", known.join(", "))
        };
        for field in unknown.filter(|field| !known.contains(field)) {
            if seen.insert(field) {
                let field = shortened(field);
                let rule = format!("unknown field {field}; {known_fields}");
                reader.errors.push(join(&path, &field), rule);
            }
        }
    }
}

impl Reader {
    /// What was parsed; a part that is no JSON makes the body none.
    fn syntax<T>(&mut self, parsed: serde_json::Result<T>) -> Option<T> {
        let reason = match parsed {
            Ok(parsed) => return Some(parsed),
            Err(error) => error.to_string(),
        };
        // Where it stands in this part of the body says nothing about the whole.
        let reason = reason.rsplit_once(" at line ").map_or(&*reason, |(reason, _)| reason);
        self.syntax.get_or_insert_with(|| reason.to_owned());
        None
    }
}

/// The path of a field of an object.
fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

/// What the body itself is called.
fn place(path: &str) -> &str {
    if path.is_empty() { "body" } else { path }
}

/// A text of a client that is shown to it again.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

/// A JSON string, borrowed unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The fields of an object, each as often as it is given.
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
                errors.into_sorted().into_iter().map(|error| (error.path, error.rule)).collect()
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
    fn what_is_no_json_anywhere_is_no_json() {
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
