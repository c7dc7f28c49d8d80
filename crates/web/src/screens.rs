//! The screens, each with its route below `/screens`.

mod balances;
mod group;
mod home;

use fracti_http::{Routes, Sender};

/// The routes of all screens.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .page(Sender::User, "/screens", home::show)
        .page(Sender::User, "/screens/groups/{groupId}", group::show)
        .page(Sender::User, "/screens/groups/{groupId}/balances", balances::show)
}
