//! The envelope of a successful response.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::response::schemas;

/// A single resource.
#[expect(clippy::struct_field_names, reason = "the wire calls it `data`")]
#[derive(Debug, Serialize, ToSchema)]
pub struct Data<T> {
    /// Always `true`.
    #[schema(example = true)]
    success: bool,
    /// The requested resource.
    #[schema(schema_with = schemas::one::<T>)]
    data: T,
    /// Message for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Expense deleted")]
    message: Option<&'static str>,
}

impl<T> Data<T> {
    /// Wraps a resource.
    pub const fn new(data: T) -> Self {
        Self { success: true, data, message: None }
    }

    /// Adds a message for the user.
    #[must_use]
    pub fn with_message(self, message: &'static str) -> Self {
        Self { message: Some(message), ..self }
    }
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    /// Always `true`.
    #[schema(example = true)]
    success: bool,
    /// The items of this page.
    #[schema(schema_with = schemas::many::<T>)]
    data: Vec<T>,
    /// Where the list continues.
    pagination: Pagination,
    /// Number of records of the TypeScript Fracti that cannot be read, and are missing on this
    /// page. Two pages may count the same record. Without it there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 1)]
    unreadable: Option<u64>,
}

/// Where a list continues.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ListPagination)]
pub struct Pagination {
    /// Whether there is a next page.
    pub has_more: bool,
    /// Value of `cursor` for the next page. That of a list of changes is always there, and a value
    /// of `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of a resource that is too large for one response.
#[derive(Debug, Serialize, ToSchema)]
pub struct Part<T> {
    /// Always `true`.
    #[schema(example = true)]
    success: bool,
    /// The part of the resource on this page.
    #[schema(schema_with = schemas::part::<T>)]
    data: T,
    /// Position of the next page.
    pagination: Pagination,
}

impl<T> Part<T> {
    /// Wraps a part of a resource.
    pub const fn new(data: T, next_cursor: Option<String>) -> Self {
        let pagination = Pagination { has_more: next_cursor.is_some(), next_cursor };
        Self { success: true, data, pagination }
    }
}

impl<T> List<T> {
    /// Wraps the items of a page.
    pub fn new(data: impl IntoIterator<Item = T>, next_cursor: Option<String>) -> Self {
        let pagination = Pagination { has_more: next_cursor.is_some(), next_cursor };
        Self { success: true, data: data.into_iter().collect(), pagination, unreadable: None }
    }

    /// Wraps the items of a page of a list that is followed: its cursor is always there.
    pub fn following(data: impl IntoIterator<Item = T>, cursor: String, has_more: bool) -> Self {
        let pagination = Pagination { has_more, next_cursor: Some(cursor) };
        Self { success: true, data: data.into_iter().collect(), pagination, unreadable: None }
    }

    /// Says how many rows cannot be read and are left out.
    #[must_use]
    pub fn leaving_out(self, unreadable: u64) -> Self {
        Self { unreadable: Some(unreadable).filter(|number| *number > 0), ..self }
    }
}

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

impl<T: Serialize> IntoResponse for Part<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

impl<T: Serialize> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// A response with this envelope around the JSON of a view.
pub(crate) fn of_json(status: StatusCode, data: &Data<&RawValue>) -> Response {
    let json = (header::CONTENT_TYPE, "application/json");
    let body = serde_json::to_vec(data).unwrap_or_default();
    (status, [json], body).into_response()
}
