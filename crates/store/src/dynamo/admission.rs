//! The admission of a request: the check that runs together with its work.
//!
//! The check and the reads of the work share a round trip. Only a transaction waits for the check,
//! so nothing is written before the request is admitted, and no operation can forget to ask.

use tokio::{join, sync::watch};

tokio::task_local! {
    /// Whether the request is admitted; `None` until the check has ended.
    static ADMITTED: watch::Receiver<Option<bool>>;
}

/// Runs `check` and `work` together, and returns both results once both have ended. No transaction
/// of `work` is sent before the check has succeeded.
///
/// # Errors
///
/// The error of the check. The result of `work`, which has written nothing, is dropped.
pub async fn with_admission<A, E, T>(
    check: impl Future<Output = Result<A, E>>,
    work: impl Future<Output = T>,
) -> Result<(A, T), E> {
    let (decide, decided) = watch::channel(None);
    let check = async {
        let checked = check.await;
        decide.send_replace(Some(checked.is_ok()));
        checked
    };
    let (checked, done) = join!(check, ADMITTED.scope(decided, work));
    Ok((checked?, done))
}

/// Waits until it is known whether the request is admitted. Work outside of [`with_admission`]
/// always is.
pub(super) async fn admitted() -> bool {
    let Ok(mut decided) = ADMITTED.try_with(Clone::clone) else { return true };
    let decided = decided.wait_for(Option::is_some).await;
    decided.is_ok_and(|admitted| *admitted == Some(true))
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::ready};

    use tokio::task::yield_now;

    use super::*;

    /// A check that takes some time.
    async fn later<T>(checked: T, ended: &Cell<bool>) -> T {
        yield_now().await;
        ended.set(true);
        checked
    }

    #[tokio::test]
    async fn work_waits_for_the_check_only_where_it_asks() {
        let ended = Cell::new(false);
        let work = async {
            let before = ended.get();
            (before, admitted().await, ended.get())
        };
        let done = with_admission(later(Ok::<_, ()>(7), &ended), work).await;
        assert_eq!(done, Ok((7, (false, true, true))));
    }

    #[tokio::test]
    async fn work_is_told_of_a_refusal_and_its_result_is_dropped() {
        let ended = Cell::new(false);
        let result = Cell::new(None);
        let work = async { result.set(Some(admitted().await)) };
        assert_eq!(with_admission(later(Err::<(), _>("full"), &ended), work).await, Err("full"));
        assert_eq!(result.get(), Some(false));
    }

    #[tokio::test]
    async fn work_without_a_check_is_admitted() {
        assert!(admitted().await);
        let done = with_admission(ready(Ok::<_, ()>(())), ready(1)).await;
        assert_eq!(done, Ok(((), 1)));
    }
}
