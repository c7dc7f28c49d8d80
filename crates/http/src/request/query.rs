//! Query parameters. Each endpoint has a type that names its parameters; unknown ones are refused.

use std::{fmt, str::FromStr};

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::input::FieldErrors;

use crate::{
    App, Problem,
    request::body::{FLAG_RULE, shortened},
    response::amounts::{AmountsAs, PARAMETER},
};

/// The query parameters of an endpoint.
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

/// A parameter that is `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag(pub bool);

/// Error returned for a text that is neither `true` nor `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{FLAG_RULE}")]
pub struct FlagError;

impl FromStr for Flag {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        text.parse().map(Self).map_err(|_| FlagError)
    }
}

/// Reads parameters by name and collects errors.
#[derive(Debug)]
pub struct QueryReader {
    pairs: Vec<(String, String)>,
    known: Vec<&'static str>,
    errors: FieldErrors,
    app: App,
}

impl<Q: Parameters> FromRequestParts<App> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let (known, errors) = (Vec::new(), FieldErrors::default());
        let mut reader = QueryReader { pairs, known, errors, app: app.clone() };
        let parameters = Q::read(&mut reader);
        // Known on every route: the layer of `amounts` applies it.
        reader.read::<AmountsAs>(PARAMETER);
        reader.finish()?;
        Ok(Self(parameters))
    }
}

impl QueryReader {
    /// The parameter `name`, or `None` if it is missing or invalid.
    pub fn read<T: FromStr<Err: fmt::Display>>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        self.errors.expect(&name.into());
        let mut values = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, it)| it);
        let value = values.next()?;
        if values.next().is_some() {
            self.errors.push(name, "must be given only once");
            return None;
        }
        self.errors.keep(name, value.parse())
    }

    /// The first and the last day of a period. Reports that the first is after the last.
    pub fn period<T>(&mut self, first: &'static str, last: &'static str) -> (Option<T>, Option<T>)
    where
        T: FromStr<Err: fmt::Display> + PartialOrd,
    {
        let (from, to) = (self.read::<T>(first), self.read::<T>(last));
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
            self.refuse(first, format!("must not be after {last}"));
        }
    }

    /// Whether the parameter `name` was sent.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, _)| known == name)
    }

    /// Reports that the parameter `name` breaks a rule about several parameters.
    pub fn refuse(&mut self, name: &'static str, rule: impl fmt::Display) {
        self.errors.push(name, rule);
    }

    /// The application.
    pub(crate) const fn app(&self) -> &App {
        &self.app
    }

    fn finish(self) -> Result<(), Problem> {
        let Self { pairs, known, mut errors, .. } = self;
        let mut unknown: Vec<&str> = Vec::new();
        for (name, _) in &pairs {
            if !known.contains(&&**name) && !unknown.contains(&&**name) {
                unknown.push(name);
                let name = if name.is_empty() { "query".into() } else { shortened(name) };
                let known = known.join(", ");
                let rule = format!("unknown parameter {name}; known parameters are {known}");
                errors.push(&*name, rule);
            }
        }
        Ok(errors.finish(Some(()))?)
    }
}
