//! Sender of the requests of an operation, as the OpenAPI document says it.

use axum::http::Method;
use utoipa::openapi::{
    SecurityRequirement,
    path::{Operation, PathItem},
};

/// Name of the security scheme of Telegram's webhook.
pub(crate) const WEBHOOK: &str = "webhook";

/// Sender of the requests of an operation, which decides the credentials that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A user, by init data or an API token. The handler has a
    /// [`Principal`](crate::caller::principal::Principal).
    User,
    /// A user with a request that changes nothing, though its method may be `POST`: an API token
    /// that may read may send it, and it counts as a read.
    Reader,
    /// Telegram, by the secret of the bot's webhook. The handler takes a
    /// [`Webhook`](crate::caller::principal::Webhook), and there is no principal.
    Telegram,
    /// Anyone, without credentials.
    Anyone,
}

/// The security of operations with this sender, where it is not that of the document.
pub(crate) fn security(sender: Sender) -> Option<Vec<SecurityRequirement>> {
    match sender {
        Sender::User | Sender::Reader => None,
        Sender::Telegram => Some(vec![requirement(WEBHOOK)]),
        Sender::Anyone => Some(vec![SecurityRequirement::default()]),
    }
}

/// Extension of an operation that only reads although its method is not `GET`.
pub(crate) const READS: &str = "x-reads";

/// Marks an operation that only reads although its method is not `GET`.
pub(crate) fn mark_read(operation: &mut Operation, sender: Sender) {
    if sender == Sender::Reader {
        let extensions = operation.extensions.get_or_insert_default();
        extensions.insert(READS.to_owned(), true.into());
    }
}

/// The operations of a path.
pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [
        (Method::GET, get),
        (Method::PUT, put),
        (Method::POST, post),
        (Method::DELETE, delete),
        (Method::PATCH, patch),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

pub(crate) fn requirement(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new(scheme, [""; 0])
}
