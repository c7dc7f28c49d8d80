//! Requests that are held back until they are released.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::Call;

/// Decides which requests are held; it is asked about each request once, in the order of arrival.
type Choice = Box<dyn FnMut(&Call) -> bool + Send>;

/// The holds on the requests to a table.
#[derive(Debug, Default)]
pub(crate) struct Holds(Mutex<Vec<Arc<Hold>>>);

impl Holds {
    /// Holds the requests for which `chosen` returns true.
    pub(crate) fn add(
        &self,
        effect: Effect,
        chosen: impl FnMut(&Call) -> bool + Send + 'static,
    ) -> Held {
        let hold = Arc::new(Hold::new(Box::new(chosen), effect));
        let mut holds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        holds.retain(|hold| !hold.is_released());
        holds.push(hold.clone());
        Held(hold)
    }

    /// The hold that takes a request.
    pub(crate) fn taking(&self, call: &Call) -> Option<Arc<Hold>> {
        let holds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        holds.iter().find(|hold| hold.takes(call)).cloned()
    }
}

/// Requests that the proxy holds back. Dropping it releases them.
#[derive(Debug)]
pub struct Held(Arc<Hold>);

/// Effect of a hold on the chosen requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The requests are held, and their clients wait.
    Hold,
    /// The requests are held, and their clients lose the connection.
    HoldLate,
    /// The connection is cut, and the requests never reach the engine.
    Cut,
}

/// State of a hold.
pub(crate) struct Hold {
    chosen: Mutex<Choice>,
    pub(crate) effect: Effect,
    released: watch::Sender<bool>,
    /// The number of requests that arrived, and of those that the engine has answered.
    progress: watch::Sender<(usize, usize)>,
}

impl Held {
    /// Waits until a chosen request has arrived.
    ///
    /// # Panics
    ///
    /// Never: the sender lives as long as this.
    pub async fn arrived(&self) {
        self.0.progress.subscribe().wait_for(|(arrived, _)| *arrived > 0).await.unwrap();
    }

    /// Whether a chosen request has arrived.
    #[must_use]
    pub fn has_arrived(&self) -> bool {
        self.0.progress.borrow().0 > 0
    }

    /// Forwards the held requests, and waits until the engine has answered them. Later requests are
    /// not held.
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
    fn new(chosen: Choice, effect: Effect) -> Self {
        let released = watch::Sender::new(false);
        let progress = watch::Sender::new((0, 0));
        Self { chosen: Mutex::new(chosen), effect, released, progress }
    }

    /// A hold of one request, which has arrived.
    pub(super) fn of_one() -> Self {
        let hold = Self::new(Box::new(|_| false), Effect::HoldLate);
        hold.progress.send_modify(|(arrived, _)| *arrived = 1);
        hold
    }

    /// Whether this hold takes the request.
    fn takes(&self, call: &Call) -> bool {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = !*self.released.borrow() && chosen(call);
        if takes {
            self.progress.send_modify(|(arrived, _)| *arrived += 1);
        }
        takes
    }

    /// Waits until the requests are released.
    pub(crate) async fn opened(&self) {
        self.released.subscribe().wait_for(|released| *released).await.unwrap();
    }

    /// Notes that the engine has answered one of them.
    pub(crate) fn answered(&self) {
        self.progress.send_modify(|(_, answered)| *answered += 1);
    }

    fn is_released(&self) -> bool {
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
