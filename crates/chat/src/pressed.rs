//! What a press does.

use fracti_core::input::Error;

use crate::message::{Buttons, Reply};

/// What a press does to what is seen: an alert for who pressed, and another message instead of the
/// one with the button.
#[derive(Debug, Default)]
pub struct Pressed {
    /// What is said to who pressed.
    pub alert: Option<String>,
    /// Why nothing was done, which is said in the words of the API.
    pub refusal: Option<Error>,
    /// What the message becomes.
    pub edit: Option<Reply>,
    /// The buttons of the message, which keeps its text.
    pub buttons: Option<Buttons>,
}

impl Pressed {
    pub(crate) fn alert(text: impl Into<String>) -> Self {
        Self { alert: Some(text.into()), ..Self::default() }
    }

    /// A refusal that a button of the message would always have: what it was for is over. These are
    /// the other buttons, if they are known.
    pub(crate) fn over(refusal: Error, buttons: Option<Buttons>) -> Self {
        Self { refusal: Some(refusal), buttons, ..Self::default() }
    }

    pub(crate) fn edit(reply: Reply) -> Self {
        Self { edit: Some(reply), ..Self::default() }
    }
}
