//! Links that open the Mini App in Telegram.

use std::fmt::Display;

use crate::values::id::{GroupId, QuestionId};

/// Destination of a link.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// To the expenses of a group; a user who is not a member, to the invitation.
    Group,
    /// To the members of a group.
    Members,
    /// To a question.
    Question(QuestionId),
}

/// The link that opens the page in Telegram at a place in a group: a start parameter has letters,
/// digits, `_` and `-`. Without a bot, it is a path of this server.
///
/// <https://core.telegram.org/bots/webapps#direct-link-mini-apps>
#[must_use]
pub fn start_link(bot: Option<&str>, group: GroupId, start: Start) -> String {
    let plain = |id: &dyn Display| id.to_string().replace('-', "");
    let parameter = match start {
        Start::Group => format!("g_{}", plain(&group)),
        Start::Members => format!("m_{}", plain(&group)),
        Start::Question(question) => format!("q_{}_{}", plain(&group), plain(&question)),
    };
    match bot {
        Some(bot) => format!("https://t.me/{bot}?startapp={parameter}"),
        None => format!("/app?start={parameter}"),
    }
}
