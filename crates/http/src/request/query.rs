//! Query parameters. Each endpoint has a type that reads its parameters; unknown ones are refused.

use std::{fmt, str::FromStr};

use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{Method, header, request::Parts},
};
use fracti_core::{input::FieldErrors, values::text_form::TextForm};
use fracti_texts::{Message, message, rule};
use serde_json::Value as Schema;

use crate::{
    app::App,
    request::{
        description::Description,
        path::changes_state,
        text::{not_a_flag, shortened},
    },
    response::{
        amounts::{AmountsAs, PARAMETER},
        problem::Problem,
    },
};

/// The query parameters of an endpoint. Their reader is also their description: over a request it
/// reads, and over nothing it describes the parameters.
pub trait Parameters: Sized {
    /// Reads the parameters. The reader collects errors.
    fn read(query: &mut QueryReader) -> Self;
}

/// An endpoint without parameters of its own.
impl Parameters for () {
    fn read(_: &mut QueryReader) -> Self {}
}

/// Valid query parameters of a request.
#[derive(Clone, Copy, Debug)]
pub struct Query<Q>(pub Q);

/// Reads parameters by name and collects errors, or describes them.
#[derive(Debug, Default)]
pub struct QueryReader {
    pairs: Vec<(String, String)>,
    known: Vec<&'static str>,
    errors: FieldErrors,
    /// `None` if the parameters are described.
    app: Option<App>,
    description: Description,
}

/// Describes the parameters `Q`.
pub(super) fn describe<Q: Parameters>(description: &mut Description) {
    let own = std::mem::take(description);
    let mut reader = QueryReader { description: own, ..QueryReader::default() };
    Q::read(&mut reader);
    *description = reader.description;
}

impl<Q: Parameters> FromRequestParts<App> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        refuse_conditions(parts)?;
        let query = parts.uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let app = Some(app.clone());
        let mut reader = QueryReader { pairs, app, ..QueryReader::default() };
        let parameters = Q::read(&mut reader);
        // Known on every route: the layer of `amounts` applies it.
        reader.parse::<AmountsAs>(PARAMETER);
        reader.finish()?;
        Ok(Self(parameters))
    }
}

/// Refuses the conditions of a request that nothing is compared with, so that no client takes
/// itself for protected by them. A GET request changes nothing.
fn refuse_conditions(parts: &Parts) -> Result<(), Problem> {
    let route = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if [Method::GET, Method::HEAD].contains(&parts.method) {
        return Ok(());
    }
    for (name, header, is_used) in [
        ("If-Match", header::IF_MATCH, changes_state(route, &parts.method)),
        ("If-None-Match", header::IF_NONE_MATCH, false),
        ("If-Unmodified-Since", header::IF_UNMODIFIED_SINCE, false),
    ] {
        if !is_used && parts.headers.contains_key(header) {
            let rule = rule!(
                "{field} must not be sent: the operation compares it with nothing",
                "не отправляйте {field}: операция ни с чем его не сравнивает"
            );
            return Err(Problem::invalid(name, rule));
        }
    }
    Ok(())
}

impl QueryReader {
    /// A text, whose schema follows from its type, or `None` if it is missing or invalid.
    pub fn text<T: TextForm + FromStr<Err: Into<Message>>>(
        &mut self,
        name: &'static str,
        about: impl fmt::Display,
    ) -> Option<T> {
        self.read(name, about, Description::text::<T>)
    }

    /// `true` or `false`, or `None` if it is missing or invalid.
    pub fn flag(&mut self, name: &'static str, about: impl fmt::Display) -> Option<bool> {
        self.describe(name, about, Description::inline::<bool>);
        self.value(name, |text| text.parse().map_err(|_| not_a_flag()))
    }

    /// The parameter `name`, which has this schema, or `None` if it is missing or invalid.
    pub fn read<T: FromStr<Err: Into<Message>>>(
        &mut self,
        name: &'static str,
        about: impl fmt::Display,
        schema: impl FnOnce(&mut Description) -> Schema,
    ) -> Option<T> {
        self.describe(name, about, schema);
        self.parse(name)
    }

    /// Describes the parameter `name`, which is read elsewhere.
    pub fn describe(
        &mut self,
        name: &'static str,
        about: impl fmt::Display,
        schema: impl FnOnce(&mut Description) -> Schema,
    ) {
        if self.app.is_none() {
            let schema = schema(&mut self.description);
            self.description.parameter(name, about, &schema);
        }
    }

    /// A parameter that the document describes for all endpoints.
    pub(crate) fn parse<T: FromStr<Err: Into<Message>>>(
        &mut self,
        name: &'static str,
    ) -> Option<T> {
        self.value(name, str::parse)
    }

    fn value<T, E: Into<Message>>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.known.push(name);
        self.errors.expect(&name.into());
        let mut values = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, it)| it);
        let value = values.next()?;
        if values.next().is_some() {
            self.errors.push(
                name,
                rule!("{field} must be given only once", "указывайте {field} только один раз"),
            );
            return None;
        }
        self.errors.keep(name, parse(value))
    }

    /// The first and the last day of a period, each a name and a description. Reports that the
    /// first is after the last.
    pub fn period<T>(
        &mut self,
        (first, about_first): (&'static str, &'static str),
        (last, about_last): (&'static str, &'static str),
    ) -> (Option<T>, Option<T>)
    where
        T: TextForm + FromStr<Err: Into<Message>> + PartialOrd,
    {
        let from = self.text::<T>(first, about_first);
        let to = self.text::<T>(last, about_last);
        self.check_order((first, from.as_ref()), (last, to.as_ref()));
        (from, to)
    }

    /// Reports that the start of a period is after its end.
    pub fn check_order<T: PartialOrd>(
        &mut self,
        (first, from): (&'static str, Option<&T>),
        (last, to): (&'static str, Option<&T>),
    ) {
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            self.refuse(
                first,
                rule!("{field} must not be after {last}", "{field} не должно быть позже {last}"),
            );
        }
    }

    /// Whether the parameter `name` was sent.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, _)| known == name)
    }

    /// Reports that the parameter `name` breaks a rule about several parameters.
    pub fn refuse(&mut self, name: &'static str, rule: impl Into<Message>) {
        self.errors.push(name, rule);
    }

    /// The application. `None` if the parameters are described.
    pub(crate) const fn app(&self) -> Option<&App> {
        self.app.as_ref()
    }

    fn finish(self) -> Result<(), Problem> {
        let Self { pairs, known, mut errors, .. } = self;
        let mut unknown: Vec<&str> = Vec::new();
        for (name, _) in &pairs {
            if !known.contains(&&**name) && !unknown.contains(&&**name) {
                unknown.push(name);
                let name = if name.is_empty() { "query".into() } else { shortened(name) };
                let known = known.join(", ");
                let rule = message!(
                    "unknown parameter {name}; known parameters are {known}",
                    "неизвестный параметр {name}; известные параметры: {known}"
                );
                errors.push(&*name, rule);
            }
        }
        Ok(errors.finish(Some(()))?)
    }
}
