//! The list of operations from which pairs of writes are made.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use fracti_tests::{
    operations::operations,
    pairs::{Finding, Stage, pairs, writes},
};

/// Pairs of writes that once had an outcome of neither order.
const FELL: [[&str; 2]; 45] = [
    ["change the default split", "edit a schedule"],
    ["push an adjustment", "push an adjustment"],
    ["revert adjustments", "revert adjustments"],
    ["confirm a link", "confirm a link"],
    ["confirm a link", "withdraw a link"],
    ["withdraw a link", "confirm a link"],
    ["withdraw a link", "propose another link"],
    ["propose a link", "propose a link"],
    ["propose a link", "leave"],
    ["leave", "propose a link"],
    ["confirm a link", "remove a guest"],
    ["remove a guest", "confirm a link"],
    ["rename a guest", "remove a guest"],
    ["remove a guest", "rename a guest"],
    ["delete a token", "delete a token"],
    ["create a token", "create a token"],
    ["edit a spending", "edit a spending as it was"],
    ["delete a spending", "edit a spending as it was"],
    ["archive a group", "archive a group"],
    ["archive a group", "set a wallet"],
    ["set another wallet", "set a wallet"],
    ["join", "archive a group"],
    ["edit an expense", "edit an expense as it was"],
    ["delete an expense", "restore an expense"],
    ["undo an import", "undo an import"],
    ["leave", "join with a new name"],
    ["rename a group", "open a chat"],
    ["change the currency", "open a chat"],
    ["join", "open a chat"],
    ["change the currency", "record an expense of members who may go"],
    ["change the currency", "push an adjustment"],
    ["join", "record an expense of all"],
    ["undo an import", "import a file"],
    ["import a file with another name", "import a file"],
    ["import a file", "import a file with another name"],
    ["claim items", "claim items"],
    ["delete a group", "add a guest to an empty group"],
    ["confirm a link", "claim for a guest"],
    ["claim for a guest", "confirm a link"],
    ["confirm a link", "answer for a guest"],
    ["confirm a link", "claim other items"],
    ["claim other items", "confirm a link"],
    ["move a new chat", "rename a group"],
    ["move a new chat", "open a chat"],
    ["move a new chat", "close the group"],
];

/// Number of other pairs that are explored, each time the same.
const SAMPLE: usize = 10;

/// Stages, each with an engine of its own.
const STAGES: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_of_two_writes_are_those_of_an_order() {
    let all = pairs();
    let known: BTreeSet<_> = writes().iter().map(|write| write.name).collect();
    assert!(FELL.as_flattened().iter().all(|name| known.contains(name)));
    let mut random = fastrand::Rng::with_seed(41);
    let sample = random.choose_multiple(all.iter(), SAMPLE).into_iter();
    let fell = all.iter().filter(|pair| FELL.iter().any(|[a, b]| pair.is(a, b)));
    let pairs: Arc<Vec<_>> = Arc::new(fell.chain(sample).cloned().collect());
    let next = Arc::new(AtomicUsize::new(0));
    let explore = |_| {
        let (pairs, next) = (pairs.clone(), next.clone());
        tokio::spawn(async move {
            let mut stage = Stage::new().await;
            while let Some(pair) = pairs.get(next.fetch_add(1, SeqCst)) {
                let explored = stage.explore(pair).await;
                let text = |it: &Finding| format!("{:?}\n{}", it.schedule, it.text);
                let texts: String = explored.findings.iter().map(text).collect();
                assert!(texts.is_empty(), "{pair}\n{texts}");
            }
        })
    };
    for stage in (0..STAGES).map(explore).collect::<Vec<_>>() {
        stage.await.unwrap();
    }
}

#[test]
fn every_operation_that_writes_is_one_of_a_pair() {
    let listed: BTreeSet<_> = writes().iter().map(|write| write.operation.id).collect();
    let all = operations().into_iter().filter(|operation| !operation.reads());
    let all: BTreeSet<_> = all.map(|operation| operation.id).collect();
    assert_eq!(
        listed.symmetric_difference(&all).collect::<Vec<_>>(),
        [&"occur"],
        "the keeper's work"
    );
}
