//! The description of a request in the OpenAPI document. It follows from what the arguments of the
//! handler read.

use std::{collections::BTreeMap, fmt};

use axum::extract::State;
use fracti_core::values::text_form::TextForm;
use serde_json::{Map, Value as Json, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema, path::Operation},
};

use crate::{
    app::App,
    caller::{
        context::Context,
        principal::{AppPrincipal, Credential, Webhook},
    },
    request::path::Id,
    response::{
        etag::{IfMatch, IfNoneMatch},
        language::AcceptLanguage,
        schemas::{Text, with},
    },
};

/// An argument of a handler, or all of them, whose type says what it reads of a request.
pub trait Described {
    /// Adds the query parameters and the body that are read.
    fn describe(_: &mut Description) {}
}

impl Described for State<App> {}
impl Described for Context {}
impl Described for AcceptLanguage {}
impl Described for Credential {}
impl Described for AppPrincipal {}
impl Described for Webhook {}
// The document has the ids of a path and `If-Match` by the path and the method, and `If-None-Match`
// by the response 304.
impl<T> Described for Id<T> {}
impl Described for IfMatch {}
impl Described for IfNoneMatch {}

macro_rules! arguments {
    ($($argument:ident)*) => {
        /// The arguments of a handler, after axum's mark of how the last one is extracted.
        impl<M, $($argument: Described),*> Described for (M, $($argument,)*) {
            fn describe(_request: &mut Description) {
                $($argument::describe(_request);)*
            }
        }
    };
}

arguments! {}
arguments! { A }
arguments! { A B }
arguments! { A B C }
arguments! { A B C D }
arguments! { A B C D E }
arguments! { A B C D E F }
arguments! { A B C D E F G }

/// The query parameters and the body of a request, and the schemas to which they refer.
#[derive(Debug, Default)]
pub struct Description {
    schemas: BTreeMap<String, Json>,
    parameters: Vec<Json>,
    body: Option<Json>,
    /// The fields described so far of the objects that are being described, outer ones first.
    fields: Vec<DescribedField>,
}

#[derive(Debug)]
struct DescribedField {
    name: String,
    schema: Json,
    required: bool,
}

impl Description {
    /// A reference to the schema of `T`.
    pub fn reference<T: ToSchema>(&mut self) -> Json {
        let name = T::name();
        if !self.schemas.contains_key(&*name) {
            let schema = self.inline::<T>();
            self.schemas.insert(name.clone().into_owned(), schema);
        }
        reference(&name)
    }

    /// A reference to the schema of a text.
    pub fn text<T: TextForm>(&mut self) -> Json {
        self.reference::<Text<T>>()
    }

    /// The schema of `T` itself.
    pub fn inline<T: PartialSchema>(&mut self) -> Json {
        json!(T::schema())
    }

    /// Adds an optional query parameter.
    pub(super) fn parameter(&mut self, name: &str, about: impl fmt::Display, schema: &Json) {
        self.parameters.push(json!({
            "name": name, "in": "query", "required": false, "description": about.to_string(),
            "schema": schema,
        }));
    }

    /// Adds the body, which is sent as `media_type`.
    pub(super) fn body(&mut self, media_type: &str, required: bool, schema: &Json) {
        let content = json!({ media_type: { "schema": schema } });
        self.body = Some(if required {
            json!({ "content": content, "required": true })
        } else {
            json!({ "content": content })
        });
    }

    /// Adds a field of the object that is being described.
    pub(super) fn field(&mut self, name: &str, schema: Json, required: bool) {
        self.fields.push(DescribedField { name: name.to_owned(), schema, required });
    }

    /// The number of fields described so far.
    pub(super) const fn mark(&self) -> usize {
        self.fields.len()
    }

    /// The schema of the first value described since `mark`, which the others are a part of.
    pub(super) fn take_value(&mut self, mark: usize) -> Json {
        let mut values = self.fields.drain(mark..);
        values.next().map(|value| value.schema).unwrap_or_default()
    }

    /// A reference to the object whose fields were described since `mark`.
    pub(super) fn take_object(
        &mut self,
        mark: usize,
        name: &str,
        about: &str,
        example: Option<Json>,
    ) -> Json {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in self.fields.drain(mark..) {
            if field.required {
                required.push(field.name.clone());
            }
            properties.insert(field.name, field.schema);
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema = with(schema, "required", required);
        }
        if let Some(example) = example {
            schema = with(schema, "example", example);
        }
        self.schemas.insert(name.to_owned(), with(schema, "description", about.trim()));
        reference(name)
    }

    /// Adds all of it to the document of an operation, and to its schemas.
    pub(crate) fn complete(
        self,
        operation: &mut Operation,
        schemas: &mut Vec<(String, RefOr<Schema>)>,
    ) {
        let Self { schemas: own, parameters, body, fields: _ } = self;
        schemas.extend(own.into_iter().map(|(name, schema)| (name, parsed(schema))));
        operation.request_body = body.map(parsed);
        let parameters = parameters.into_iter().map(parsed);
        operation.parameters.get_or_insert_default().extend(parameters);
    }
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A part of the document.
fn parsed<T: serde::de::DeserializeOwned>(part: Json) -> T {
    serde_json::from_value(part)
        .unwrap_or_else(|error| unreachable!("the description is valid: {error}"))
}
