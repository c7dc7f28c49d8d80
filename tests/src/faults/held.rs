//! Requests that are held back until they are released.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::Call;

/// Decides which requests are held; it is asked about each request once, in the order of arrival.
type Choice = Box<dyn FnMut(&Call) -> bool + Send>;

/// Requests that the proxy holds back. Dropping it releases them.
#[derive(Debug)]
pub struct Held(pub(super) Arc<Hold>);

/// What happens to the chosen requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// They are held, and their clients wait.
    Hold,
    /// They are held, and their clients lose the connection.
    HoldLate,
    /// Their clients lose the connection, and the engine never hears of them.
    Cut,
}

/// What the proxy knows of held requests.
pub(super) struct Hold {
    chosen: Mutex<Choice>,
    pub(super) effect: Effect,
    released: watch::Sender<bool>,
    /// How many requests arrived, and how many of them the engine has answered.
    progress: watch::Sender<(usize, usize)>,
}

impl Held {
    /// Waits until a chosen request is there.
    ///
    /// # Panics
    ///
    /// Never: the sender lives as long as this.
    pub async fn arrived(&self) {
        self.0.progress.subscribe().wait_for(|(arrived, _)| *arrived > 0).await.unwrap();
    }

    /// Whether a chosen request is there.
    #[must_use]
    pub fn has_arrived(&self) -> bool {
        self.0.progress.borrow().0 > 0
    }

    /// Lets the held requests go on, and waits until the engine has answered them. No other request is held any more.
    pub async fn release(&self) {
        self.0.release().await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.released.send_replace(true);
    }
}

impl Hold {
    pub(super) fn new(chosen: Choice, effect: Effect) -> Self {
        let (released, progress) = (watch::Sender::new(false), watch::Sender::new((0, 0)));
        Self { chosen: Mutex::new(chosen), effect, released, progress }
    }

    /// A hold of one request, which has arrived.
    pub(super) fn of_one() -> Self {
        let hold = Self::new(Box::new(|_| false), Effect::HoldLate);
        hold.progress.send_modify(|(arrived, _)| *arrived = 1);
        hold
    }

    /// Whether it takes this request.
    pub(super) fn takes(&self, call: &Call) -> bool {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = !*self.released.borrow() && chosen(call);
        if takes {
            self.progress.send_modify(|(arrived, _)| *arrived += 1);
        }
        takes
    }

    /// Waits until the requests are released.
    pub(super) async fn opened(&self) {
        self.released.subscribe().wait_for(|released| *released).await.unwrap();
    }

    /// Notes that the engine has answered one of them.
    pub(super) fn answered(&self) {
        self.progress.send_modify(|(_, answered)| *answered += 1);
    }

    pub(super) fn is_released(&self) -> bool {
        *self.released.borrow()
    }

    pub(super) async fn release(&self) {
        self.released.send_replace(true);
        let all = |(arrived, answered): &(usize, usize)| arrived == answered;
        self.progress.subscribe().wait_for(all).await.unwrap();
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold").field("progress", &*self.progress.borrow()).finish_non_exhaustive()
    }
}
