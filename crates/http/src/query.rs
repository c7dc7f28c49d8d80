//! What the query of a request's address says.

use std::{convert::Infallible, fmt, str::FromStr};

use axum::{extract::FromRequestParts, http::request::Parts};

use crate::Problem;

/// The parameters of a query. One that nobody asks for is passed over; one that is given twice could mean either.
#[derive(Clone, Debug)]
pub struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
    }
}

impl Query {
    /// Whether the parameter is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The parameter `name`, where it is there.
    ///
    /// # Errors
    ///
    /// A [`Problem`] that names it, where it is given twice or breaks its rule.
    pub fn read<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>, Problem> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(Problem::invalid(name, "it is given twice"));
        }
        let parsed =
            value.parse().map_err(|error: T::Err| Problem::invalid(name, error.to_string()));
        parsed.map(Some)
    }
}
