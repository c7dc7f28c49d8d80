//! Request bodies: fields are read by name, and all errors are reported at once, each with its
//! path. Without a request, the same readers write the schemas of the OpenAPI document.
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
use fracti_core::{
    input::{Draft, Field, FieldError, FieldErrors, Path, PathStep, Unreadable},
    values::text_form::TextForm,
};
use fracti_texts::{Message, json_error, rule};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Value as Schema, json, value::RawValue};
use utoipa::ToSchema;

use crate::{
    request::{
        description::Description,
        text::{not_a_flag, shortened, unknown_field},
    },
    response::schemas::with,
};

/// A body of a request, or an object in one. Its reader is also its description: over a request it
/// reads, and over nothing it writes the schema.
///
/// The macro [`body!`](crate::body) declares one.
pub trait Body {
    /// The parsed fields.
    type Fields: fmt::Debug;

    /// Name of the schema. Empty if the document does not have it.
    const NAME: &'static str;

    /// Description of the schema.
    const ABOUT: &'static str;

    /// Example of the body.
    #[must_use]
    fn example() -> Option<Schema> {
        None
    }

    /// Fields of an empty request, if the body is optional.
    #[must_use]
    fn empty() -> Option<Self::Fields> {
        None
    }

    /// Reads the fields of the object.
    fn fields(object: &mut Object<'_, '_>) -> Self::Fields;

    /// Reads the body.
    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        value.object(Self::fields)
    }
}

/// Declares a [`Body`]: each field with its description, its name in JSON (and another name, under
/// which clients may send it, too), and how it is read. What is read is a struct of these fields,
/// or an expression of them.
///
/// ```
/// use fracti_core::{input::Field, values::text::Title};
/// use fracti_http::body;
/// use fracti_texts::rule;
///
/// #[derive(Debug)]
/// struct NewAlbum {
///     title: Field<Title>,
///     shared: Field<bool>,
/// }
///
/// body! {
///     /// An album to create.
///     #[example = { "title": "Alps" }]
///     CreateAlbum => NewAlbum {
///         /// Title of the album.
///         title: "title".required().text(),
///         /// Whether others see it.
///         shared: "isShared".flag(),
///     }
///     also |sent| {
///         if title.is_absent() && shared.value() == Some(&true) {
///             let rule = rule!("{field} needs a title", "для {field} укажите title");
///             sent.refuse("isShared", rule);
///         }
///     }
/// }
///
/// body! {
///     /// A new title.
///     RenameAlbum => Field<Title> {
///         /// The title.
///         title: "title".required().text(),
///     } => title
/// }
/// ```
///
/// `#[empty = …]` are the fields of an optional body that is left out. After the expression,
/// `, or |list| …` reads a list that is sent without an object around it. A body whose fields are
/// not all known has, instead of fields, an expression that reads an [`Object`].
#[macro_export]
macro_rules! body {
    (@result $fields:expr) => { $fields };
    (@result $fields:expr, $result:expr) => { $result };
    (
        $(#[doc = $about:literal])+ $(#[example = $example:tt])? $(#[empty = $empty:expr])?
        $vis:vis $name:ident => $fields:ty {
            $($(#[doc = $doc:literal])+ $field:ident: $json:literal $(| $alias:literal)?
                $(.$read:ident $(::<$type:ty>)? ($($args:tt)*))+,)+
        }
        $(also |$sent:ident| $rules:block)? $(=> $result:expr)? $(, or |$list:ident| $items:expr)?
    ) => {
        $crate::body! {
            $(#[doc = $about])+ $(#[example = $example])? $(#[empty = $empty])?
            $vis $name => $fields, |object| {
                $($(object.alias($json, $alias);)?
                let $field = object.field($json, concat!($($doc),+))
                    $(.$read $(::<$type>)? ($($args)*))+;)+
                $({
                    let $sent = object;
                    $rules
                })?
                $crate::body!(@result Self::Fields { $($field),+ } $(, $result)?)
            } $(, or |$list| $items)?
        }
    };
    (
        $(#[doc = $about:literal])+ $(#[example = $example:tt])? $(#[empty = $empty:expr])?
        $vis:vis $name:ident => $fields:ty, |$object:ident| $read:expr
        $(, or |$list:ident| $items:expr)?
    ) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        $vis struct $name;

        impl $crate::Body for $name {
            type Fields = $fields;
            const NAME: &'static str = stringify!($name);
            const ABOUT: &'static str = concat!($($about),+);

            $(fn example() -> Option<$crate::macros::Json> {
                Some($crate::macros::json!($example))
            })?

            $(fn empty() -> Option<$fields> {
                Some($empty)
            })?

            fn fields($object: &mut $crate::Object<'_, '_>) -> $fields {
                $read
            }

            $(fn read(value: $crate::Value<'_, '_>) -> $crate::macros::Field<$fields> {
                if value.is_list() {
                    let $list = value;
                    return $crate::macros::Field::Value($items);
                }
                value.object(Self::fields)
            })?
        }
    };
}

/// A body without fields, which may be left out.
impl Body for () {
    type Fields = ();
    const NAME: &'static str = "";
    const ABOUT: &'static str = "";

    fn empty() -> Option<()> {
        Some(())
    }

    fn fields(_: &mut Object<'_, '_>) {}
}

/// A value in a body, with its path.
#[derive(Debug)]
pub struct Value<'r, 'a> {
    json: Option<Json<'a>>,
    path: Path,
    required: bool,
    nullable: bool,
    /// Description of the field. Empty while a request is read.
    about: String,
    /// Number of items of a list, as the document has it.
    documented: Option<RangeInclusive<usize>>,
    reader: &'r mut BodyReader,
}

/// A JSON object. Its fields are read one by one, in the order in which errors are reported.
#[derive(Debug)]
pub struct Object<'r, 'a> {
    /// `None` if the value is not an object, or is described.
    fields: Option<Vec<(Cow<'a, str>, &'a RawValue)>>,
    known: Vec<&'static str>,
    path: Path,
    reader: &'r mut BodyReader,
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
struct BodyReader {
    errors: FieldErrors,
    /// Syntax error in a part of the body. The first parse checks only the outer shape.
    syntax: Option<Message>,
    /// Whether the readers describe what they read, because there is no request.
    is_describing: bool,
    description: Description,
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
) -> Result<(Field<T::Fields>, FieldErrors), Message> {
    let json: &RawValue =
        serde_json::from_slice(body).map_err(|error| json_error(&error.to_string()))?;
    let mut reader = BodyReader::default();
    let value = Value::new(Some(Json::Once(json)), path, &mut reader);
    let fields = match T::read(Value { required: T::empty().is_none(), ..value }) {
        Field::Absent => T::empty().map_or(Field::Invalid, Field::Value),
        fields => fields,
    };
    match reader.syntax {
        Some(reason) => Err(reason),
        None => Ok((fields, reader.errors)),
    }
}

/// Describes the body `T`, and returns a reference to its schema.
pub(super) fn describe<T: Body>(description: &mut Description) -> Schema {
    let own = std::mem::take(description);
    let mut reader = BodyReader { is_describing: true, description: own, ..BodyReader::default() };
    let reference = reader.describe::<T>();
    *description = reader.description;
    reference
}

/// Whether the content type is `application/json`, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

impl<'r, 'a> Value<'r, 'a> {
    const fn new(json: Option<Json<'a>>, path: Path, reader: &'r mut BodyReader) -> Self {
        let about = String::new();
        Self { json, path, required: false, nullable: false, about, documented: None, reader }
    }

    /// Makes the value required.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Sets the number of items that the document has, for a list whose length another check limits
    /// further.
    #[must_use]
    pub fn documented(self, lengths: RangeInclusive<usize>) -> Self {
        Self { documented: Some(lengths), ..self }
    }

    /// Parses a string, whose schema follows from its type.
    #[must_use]
    pub fn text<T: TextForm + FromStr<Err: Into<Message>>>(self) -> Field<T> {
        self.text_of(Description::text::<T>)
    }

    /// Parses a string, which has this schema.
    #[must_use]
    pub fn text_of<T: FromStr<Err: Into<Message>>>(
        self,
        schema: impl FnOnce(&mut Description) -> Schema,
    ) -> Field<T> {
        self.parse(schema, |scalar| match scalar {
            JsonScalar::Text(text) => text.parse().map_err(|rule: T::Err| Some(rule.into())),
            JsonScalar::Other(_) => Err(None),
        })
    }

    /// Parses a string or a number by its characters. `S` is the schema of the number.
    #[must_use]
    pub fn number<T: FromStr<Err: Into<Message>>, S: ToSchema>(self, _: S) -> Field<T> {
        self.parse(Description::reference::<S>, |scalar| {
            let text = match &scalar {
                JsonScalar::Text(text) => text,
                JsonScalar::Other(json) => *json,
            };
            text.parse().map_err(|rule: T::Err| Some(rule.into()))
        })
    }

    /// Parses the index of an item of another list, from 0.
    #[must_use]
    pub fn index(self) -> Field<usize> {
        let rule =
            || Some(rule!("{field} must be a whole number", "{field} должно быть целым числом"));
        self.parse(Description::inline::<usize>, |scalar| match scalar {
            JsonScalar::Other(index) => index.parse().map_err(|_| rule()),
            JsonScalar::Text(_) => Err(rule()),
        })
    }

    /// Parses `true` or `false`.
    #[must_use]
    pub fn flag(self) -> Field<bool> {
        self.parse(Description::inline::<bool>, |scalar| match scalar {
            JsonScalar::Other("true") => Ok(true),
            JsonScalar::Other("false") => Ok(false),
            JsonScalar::Other(_) | JsonScalar::Text(_) => Err(Some(not_a_flag())),
        })
    }

    /// Parses a string or another scalar with `read`, which returns the broken rule, or `None` if
    /// the value must be a string.
    pub fn parse<T>(
        mut self,
        schema: impl FnOnce(&mut Description) -> Schema,
        read: impl FnOnce(JsonScalar<'a>) -> Result<T, Option<Message>>,
    ) -> Field<T> {
        if self.is_described(|reader| schema(&mut reader.description)) {
            return Field::Absent;
        }
        self.present(|json, path, reader| {
            let scalar = if json.starts_with('"') {
                JsonScalar::Text(reader.syntax(serde_json::from_str::<Text<'a>>(json))?.0)
            } else {
                JsonScalar::Other(json)
            };
            let must_be_text = || rule!("{field} must be a string", "{field} должно быть строкой");
            let read = read(scalar).map_err(|rule| rule.unwrap_or_else(must_be_text));
            reader.errors.keep(path, read)
        })
    }

    /// Reads `null`, which removes a value, or a value with `read`.
    pub fn nullable<T>(self, read: impl FnOnce(Self) -> Field<T>) -> Field<Option<T>> {
        match self.json {
            Some(Json::Once(json)) if json.get() == "null" => Field::Value(None),
            _ => read(Self { nullable: true, ..self }).map(Some),
        }
    }

    /// Reads the object `T`.
    #[must_use]
    pub fn of<T: Body>(mut self) -> Field<T::Fields> {
        if self.is_described(BodyReader::describe::<T>) {
            return Field::Absent;
        }
        T::read(self)
    }

    /// Reads the fields of an object with `read`.
    pub fn object<T>(self, read: impl FnOnce(&mut Object<'_, 'a>) -> T) -> Field<T> {
        self.present(|json, path, reader| {
            if !json.starts_with('{') {
                reader.refuse(
                    path,
                    rule!("{field} must be a JSON object", "{field} должно быть объектом JSON"),
                );
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
        mut self,
        most: usize,
        path_of: impl Fn(&Path, &str) -> Path,
        mut read: impl FnMut(&str, Value<'_, 'a>) -> T,
    ) -> Field<Vec<(String, T)>> {
        let schema = |reader: &mut BodyReader| {
            json!({
                "type": "object", "maxProperties": most, "propertyNames": { "type": "string" },
                "additionalProperties": reader.schema_of(|it| read("", it)),
            })
        };
        if self.is_described(schema) {
            return Field::Absent;
        }
        self.present(|json, path, reader| {
            if !json.starts_with('{') {
                reader.refuse(
                    path,
                    rule!("{field} must be a JSON object", "{field} должно быть объектом JSON"),
                );
                return None;
            }
            let Fields(fields) = reader.syntax(serde_json::from_str(json))?;
            let mut given: BTreeMap<&str, Json<'a>> = BTreeMap::new();
            for (name, json) in &fields {
                given.entry(name).and_modify(|it| *it = Json::Twice).or_insert(Json::Once(json));
            }
            if given.len() > most {
                reader.refuse(
                    path,
                    rule!(
                        "{field} must have at most {most} fields",
                        "{field} должно содержать не больше {most} полей"
                    ),
                );
                return None;
            }
            let mut entry = |(name, json): (&str, _)| {
                let path = path_of(&path, name);
                (name.to_owned(), read(name, Value::new(Some(json), path, &mut *reader)))
            };
            Some(given.into_iter().map(&mut entry).collect())
        })
    }

    /// Reads an array of objects. The fields of an item that is not an object are invalid.
    #[must_use]
    pub fn objects<T: Body>(self, lengths: RangeInclusive<usize>) -> Field<Vec<T::Fields>> {
        self.list(lengths, |item| {
            let Value { json, path, reader, .. } = item;
            let item = Value::new(json, path.clone(), &mut *reader).required();
            if let Field::Value(fields) = item.of::<T>() {
                return fields;
            }
            T::fields(&mut Object { fields: None, known: Vec::new(), path, reader })
        })
    }

    /// Reads an array of strings.
    #[must_use]
    pub fn texts<T: TextForm + FromStr<Err: Into<Message>>>(
        self,
        lengths: RangeInclusive<usize>,
    ) -> Field<Vec<Field<T>>> {
        self.list(lengths, |text| text.required().text())
    }

    /// Reads the items of an array with `read`.
    pub fn list<T>(
        mut self,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(Value<'_, 'a>) -> T,
    ) -> Field<Vec<T>> {
        let documented = self.documented.take().unwrap_or_else(|| lengths.clone());
        let schema = |reader: &mut BodyReader| {
            let items = reader.schema_of(&mut read);
            let mut schema = json!({ "type": "array", "items": items });
            if *documented.start() > 0 {
                schema = with(schema, "minItems", *documented.start());
            }
            if *documented.end() < usize::MAX {
                schema = with(schema, "maxItems", *documented.end());
            }
            schema
        };
        if self.is_described(schema) {
            return Field::Absent;
        }
        self.present(|json, path, reader| {
            if !json.starts_with('[') {
                reader.refuse(
                    path,
                    rule!("{field} must be an array", "{field} должно быть массивом"),
                );
                return None;
            }
            let items: Vec<&RawValue> = reader.syntax(serde_json::from_str(json))?;
            if items.is_empty() && *lengths.start() > 0 {
                reader.refuse(
                    path,
                    rule!("{field} must not be empty", "{field} не должно быть пустым"),
                );
                return None;
            }
            if items.len() < *lengths.start() {
                let least = lengths.start();
                reader.refuse(
                    path,
                    rule!(
                        "{field} must have at least {least} items",
                        "{field} должно содержать не меньше {least} элементов"
                    ),
                );
                return None;
            }
            if items.len() > *lengths.end() {
                let most = lengths.end();
                reader.refuse(
                    path,
                    rule!(
                        "{field} must have at most {most} items",
                        "{field} должно содержать не больше {most} элементов"
                    ),
                );
                return None;
            }
            let mut item = |(index, json)| {
                let json = Some(Json::Once(json));
                let path = path.index(index);
                read(Value::new(json, path, &mut *reader).required())
            };
            Some(items.into_iter().enumerate().map(&mut item).collect())
        })
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.json, Some(Json::Once(json)) if json.get().starts_with('['))
    }

    /// Whether the value is described instead of read. `schema` is its schema.
    fn is_described(&mut self, schema: impl FnOnce(&mut BodyReader) -> Schema) -> bool {
        if !self.reader.is_describing {
            return false;
        }
        let mut schema = schema(self.reader);
        if self.nullable {
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        if !self.about.is_empty() {
            schema = with(schema, "description", self.about.trim());
        }
        let name = match self.path.steps().last() {
            Some(PathStep::Field(name)) => name,
            _ => "",
        };
        self.reader.description.field(name, schema, self.required);
        true
    }

    /// Reads the JSON with `read`. A missing value and `null` are absent.
    fn present<T>(
        self,
        read: impl FnOnce(&'a str, Path, &mut BodyReader) -> Option<T>,
    ) -> Field<T> {
        let Self { json, path, required, reader, .. } = self;
        match json {
            Some(Json::Twice) => {
                reader.errors.push(
                    path,
                    rule!("{field} must be given only once", "указывайте {field} только один раз"),
                );
                Field::Invalid
            }
            Some(Json::Invalid) => Field::Invalid,
            Some(Json::Once(json)) if json.get() != "null" => {
                read(json.get(), path, reader).map_or(Field::Invalid, Field::Value)
            }
            _ if required && path.steps().is_empty() => {
                reader
                    .refuse(path, rule!("{field} must not be null", "{field} не должно быть null"));
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
    /// The field `field`, which `about` describes.
    pub fn field(&mut self, field: &'static str, about: impl fmt::Display) -> Value<'_, 'a> {
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
        let about = if self.reader.is_describing { about.to_string() } else { String::new() };
        Value { about, ..Value::new(json, path, &mut *self.reader) }
    }

    /// Reads the field `field` also under the name `alias`.
    pub fn alias(&mut self, field: &'static str, alias: &'static str) {
        let sent = self.fields.iter_mut().flatten().filter(|(name, _)| name == alias);
        sent.for_each(|(name, _)| *name = field.into());
    }

    /// Reports that the field `field` breaks a rule about several fields.
    pub fn refuse(&mut self, field: &'static str, rule: impl Into<Message>) {
        self.reader.errors.push(self.path.field(field), rule);
    }

    /// Reports unknown fields: those that were not read.
    fn finish(self) {
        let Self { fields, known, path, reader } = self;
        let unknown = fields.iter().flatten().map(|(name, _)| &**name);
        let mut seen = BTreeSet::new();
        for name in unknown.filter(|name| !known.contains(name)) {
            if seen.insert(name) {
                let path = path.field(shortened(name).into_owned());
                let rule = unknown_field(&path.to_string(), &known);
                reader.errors.push(path, rule);
            }
        }
    }
}

impl BodyReader {
    /// Describes the object `T`, and returns a reference to its schema.
    fn describe<T: Body>(&mut self) -> Schema {
        let mark = self.description.mark();
        let known = Vec::new();
        let path = Path::default();
        T::fields(&mut Object { fields: None, known, path, reader: self });
        self.description.take_object(mark, T::NAME, T::ABOUT, T::example())
    }

    /// The schema of a value that `read` reads.
    fn schema_of<'a, T>(&mut self, read: impl FnOnce(Value<'_, 'a>) -> T) -> Schema {
        let mark = self.description.mark();
        read(Value::new(None, Path::default(), self));
        self.description.take_value(mark)
    }

    /// Reports that the value at `path` breaks `rule`. The body itself is reported as `body`.
    fn refuse(&mut self, path: Path, rule: impl Into<Message>) {
        if path.steps().is_empty() {
            let rule = FieldError::new(path, rule).message();
            self.errors.push("body", rule);
        } else {
            self.errors.push(path, rule);
        }
    }

    /// The parsed value. A syntax error makes the whole body invalid JSON.
    fn syntax<T>(&mut self, parsed: serde_json::Result<T>) -> Option<T> {
        let reason = match parsed {
            Ok(parsed) => return Some(parsed),
            Err(error) => error.to_string(),
        };
        // The position is relative to a part of the body, so it would mislead.
        let reason = reason.rsplit_once(" at line ").map_or(&*reason, |(reason, _)| reason);
        self.syntax.get_or_insert_with(|| json_error(reason));
        None
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
    use crate::response::schemas;
    use fracti_core::{
        input::Error,
        values::{decimal::Decimal, id::UserId},
    };
    use fracti_texts::{Language, Says as _};
    use utoipa::openapi::path::Operation;

    #[derive(Debug)]
    struct NewOrder {
        amount: Field<Decimal>,
        items: Field<Vec<Field<UserId>>>,
        note: Field<Option<UserId>>,
    }

    crate::body! {
        /// An
        /// order.
        #[example = { "amount": 1 }]
        Order => NewOrder {
            /// Amount
            /// of it.
            amount: "amount".required().number(schemas::AmountInput),
            /// Items.
            items: "items".documented(1..=2).objects::<Item>(0..=3),
            /// Note.
            note: "note".nullable(Value::text),
        }
    }

    crate::body! {
        /// An item.
        Item => Field<UserId> {
            /// User.
            user: "userId".required().text(),
        } => user
    }

    fn parsed(json: &str) -> Draft<NewOrder> {
        let headers = [(header::CONTENT_TYPE, "application/json".parse().unwrap())];
        read::<Order>(&headers.into_iter().collect(), json.as_bytes())
    }

    fn errors(json: &str) -> Vec<(String, String)> {
        match parsed(json).checked().unwrap_err() {
            Error::Invalid(errors) => {
                let text =
                    |error: FieldError| (error.path.to_string(), error.message().to_string());
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
    fn reader_without_a_request_writes_the_schemas() {
        let mut description = Description::default();
        let mut schemas = Vec::new();
        let order = describe::<Order>(&mut description);
        assert_eq!(order, json!({ "$ref": "#/components/schemas/Order" }));
        description.complete(&mut Operation::default(), &mut schemas);
        let schemas: BTreeMap<_, _> =
            schemas.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
        assert!(schemas.keys().eq(["AmountInput", "Item", "Order", "UserId"]));
        let order = json!({
            "type": "object", "description": "An order.", "required": ["amount"],
            "properties": {
                "amount": {
                    "$ref": "#/components/schemas/AmountInput", "description": "Amount of it.",
                },
                "items": {
                    "type": "array", "items": { "$ref": "#/components/schemas/Item" },
                    "minItems": 1, "maxItems": 2, "description": "Items.",
                },
                "note": {
                    "anyOf": [{ "$ref": "#/components/schemas/UserId" }, { "type": "null" }],
                    "description": "Note.",
                },
            },
            "example": { "amount": 1 },
        });
        let item = json!({
            "type": "object", "description": "An item.", "required": ["userId"],
            "properties": {
                "userId": { "$ref": "#/components/schemas/UserId", "description": "User." },
            },
        });
        assert_eq!((&schemas["Order"], &schemas["Item"]), (&order, &item));
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
            let Err(Error::Unreadable(reason)) = parsed(json).checked() else { unreachable!() };
            let russian = reason.says();
            let russian = russian.text(Language::Russian);
            let (begins, why) = russian.split_once(": ").unwrap();
            assert_eq!(begins, "тело запроса — не JSON");
            let is_russian = |text: &str| text.chars().any(|it| ('а'..='я').contains(&it));
            assert!(is_russian(why), "{json}: {why}");
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
