//! The Mini App: a document for a browser, and screens as fragments of HTML.
//!
//! `/app/…` is the `shell`, the same document for every path and every user. Its script asks
//! `/screens/…` for the fragment of the path and shows it. Forms in a fragment send JSON to the API
//! itself, so this function only reads: each write has one implementation, and the function that
//! shows money cannot change it.
//!
//! A module of `screens` is a screen: it reads by the methods of the table that the API uses, and
//! renders with the parts of `ui`, the texts of `text` and the figures of `chart`. What the
//! script does with a fragment is said by attributes, which `assets/app.js` lists.

mod chart;
mod compress;
mod fragment;
mod qr;
mod screens;
mod shell;
mod text;
mod ui;

use axum::middleware;
use fracti_http::{Routes, Sender};

/// The routes of the Mini App.
#[must_use]
pub fn routes() -> Routes {
    let shell = Routes::new().page(Sender::Anyone, "/app", shell::document).page(
        Sender::Anyone,
        "/app/{*path}",
        shell::document,
    );
    let mut routes = screens::routes().merge(shell);
    routes.router = routes.router.layer(middleware::from_fn(compress::compress));
    routes
}
