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
    pairs::{Explored, Finding, Pair, Stage, pairs, writes},
};

/// Pairs of writes that once had an outcome of neither order.
const FELL: [[&str; 2]; 51] = [
    ["change the default split", "edit a schedule"],
    ["join", "edit a schedule"],
    ["open a chat", "edit a schedule"],
    ["add a guest", "edit a schedule"],
    ["join", "record a date of a schedule"],
    ["open a chat", "record a date of a schedule"],
    ["add a guest", "record a date of a schedule"],
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

/// Number of other pairs that are explored over an engine, each time the same.
const SAMPLE: usize = 10;

/// Of so many pairs, one is explored in memory.
const EVERY: usize = 20;

/// Stages, each with a table of its own.
const STAGES: usize = 2;

/// Explores pairs, and fails with what is of neither order.
async fn explore(pairs: Vec<Pair>, over_engine: bool) -> Explored {
    let pairs = Arc::new(pairs);
    let next = Arc::new(AtomicUsize::new(0));
    let explore = |_| {
        let pairs = pairs.clone();
        let next = next.clone();
        tokio::spawn(async move {
            let mut stage =
                if over_engine { Stage::over_engine().await } else { Stage::new().await };
            let mut all = Explored::default();
            while let Some(pair) = pairs.get(next.fetch_add(1, SeqCst)) {
                let explored = stage.explore(pair).await;
                let text = |it: &Finding| format!("{:?}\n{}", it.schedule, it.text);
                let texts: String = explored.findings.iter().map(text).collect();
                assert!(texts.is_empty(), "{pair}\n{texts}");
                all.extend(explored);
            }
            all
        })
    };
    let mut all = Explored::default();
    for stage in (0..STAGES).map(explore).collect::<Vec<_>>() {
        all.extend(stage.await.unwrap());
    }
    all
}

/// Whether the pair once had an outcome of neither order.
fn fell(pair: &Pair) -> bool {
    FELL.iter().any(|[a, b]| pair.is(a, b))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_of_two_writes_are_those_of_an_order() {
    let all = pairs();
    let known: BTreeSet<_> = writes().iter().map(|write| write.name).collect();
    assert!(FELL.as_flattened().iter().all(|name| known.contains(name)));
    let chosen = |(index, pair): &(usize, Pair)| fell(pair) || index % EVERY == 0;
    let chosen = all.into_iter().enumerate().filter(chosen);
    explore(chosen.map(|(_, pair)| pair).collect(), false).await;
}

/// The table in memory is ours, and an engine is not: both go through the same requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_over_an_engine_are_those_of_an_order() {
    let mut random = fastrand::Rng::with_seed(41);
    let sample = random.choose_multiple(pairs().into_iter(), SAMPLE);
    let [engine, memory] = [explore(sample.clone(), true).await, explore(sample, false).await];
    // Of reads at the same time, memory answers the first before the others are sent: if it refuses
    // the request, the others are not.
    for (kind, number) in &memory.schedules {
        let over_engine = engine.schedules[kind];
        assert!((*number..=number + 2).contains(&over_engine), "{kind}: {number}, {over_engine}");
    }
}

#[test]
fn every_operation_that_writes_is_one_of_a_pair() {
    let listed: BTreeSet<_> = writes().iter().map(|write| write.operation.id).collect();
    let all = operations().into_iter().filter(|operation| !operation.reads());
    let all: BTreeSet<_> = all.map(|operation| operation.id).collect();
    assert_eq!(
        listed.symmetric_difference(&all).collect::<Vec<_>>(),
        [&"bot", &"occur", &"tell"],
        "the chat, and the keeper's work"
    );
}
