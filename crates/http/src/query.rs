//! Query parameters: each endpoint has a type that names those that it knows, and any other is refused.

use std::{fmt, str::FromStr};

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::input::FieldErrors;

use crate::{
    App, Problem,
    amounts::{Form, PARAMETER},
    body::shortened,
};

/// The query parameters of an endpoint.
pub trait Parameters: Sized {
    /// Reads them. A mistake is reported by the reader.
    fn read(query: &mut QueryReader) -> Self;
}

/// An endpoint without parameters of its own.
impl Parameters for () {
    fn read(_: &mut QueryReader) -> Self {}
}

/// The query parameters of a request, of which all are known and valid.
#[derive(Clone, Copy, Debug)]
pub struct Query<Q>(pub Q);

/// Reads parameters by name, and collects what is wrong with them.
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
        // The layer around all routes applies it.
        reader.read::<Form>(PARAMETER);
        reader.finish()?;
        Ok(Self(parameters))
    }
}

impl QueryReader {
    /// The parameter `name`; none if it was left out, or is invalid.
    pub fn read<T: FromStr<Err: fmt::Display>>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        self.errors.expect(name);
        let mut values = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, it)| it);
        let value = values.next()?;
        if values.next().is_some() {
            self.errors.push(name, format!("{name} must be given only once"));
            return None;
        }
        self.errors.keep(name, value.parse())
    }

    /// Whether the parameter `name` was sent.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, _)| known == name)
    }

    /// Reports that the parameter `name` breaks a rule that depends on others.
    pub fn refuse(&mut self, name: &'static str, rule: impl fmt::Display) {
        self.errors.push(name, rule);
    }

    /// What the parameters are read for.
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
                errors.push(name, rule);
            }
        }
        Ok(errors.finish(Some(()))?)
    }
}
