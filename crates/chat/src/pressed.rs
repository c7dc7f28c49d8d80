//! What a press does.

use crate::message::{Buttons, Reply};

/// What a press does to what is seen: an alert for who pressed, and another message in place of the one
/// with the button.
#[derive(Clone, Debug, Default)]
pub struct Pressed {
    /// What is said to who pressed.
    pub alert: Option<String>,
    /// What the message becomes.
    pub edit: Option<Reply>,
    /// The buttons of the message, which keeps its text.
    pub buttons: Option<Buttons>,
}

impl Pressed {
    pub(crate) fn alert(text: impl Into<String>) -> Self {
        Self { alert: Some(text.into()), ..Self::default() }
    }

    pub(crate) fn edit(reply: Reply) -> Self {
        Self { edit: Some(reply), ..Self::default() }
    }
}
