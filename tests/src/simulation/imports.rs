//! Requests of several transactions that are interrupted and repeated during other writes.

use super::{Actor, Operation, Outcome, World};

/// Entries of the largest request.
const MOST: usize = 250;

/// Maximum entries of the first transaction.
const FIRST: usize = 97;

impl Actor {
    /// Pushes many adjustments, and reverts them. Both requests are interrupted after some of their
    /// transactions. Then `other` undoes the part that was applied, and the request is repeated
    /// with its key.
    pub(super) async fn import(&mut self, world: &World, other: u64, group: &str) {
        let unique_tag = self.journal.unique_tag();
        let count = self.rng.usize(FIRST + 3..=MOST);
        let names: Vec<String> = (0..count).map(|it| format!("Import {unique_tag} {it}")).collect();
        let adjust = |names: Vec<String>, minor| Operation::Adjust {
            group: group.to_owned(),
            names,
            between: [self.user, other],
            minor,
            currency: "EUR".parse().unwrap(),
        };
        let revert = |names: Vec<String>| Operation::Revert {
            group: group.to_owned(),
            names,
            owners: [self.user, other, other],
        };
        let mut meddler = self.be(other);
        let some = |of: &mut Self| vec![of.rng.choice(&names[..FIRST / 3]).unwrap().clone()];
        let push = adjust(names.clone(), self.rng.i64(1..100_000));
        for request in [push, revert(names.clone())] {
            let key = format!("import-{}", self.journal.unique_tag());
            let place = self.journal.begin(self.user, request.clone(), Some(key.clone()));
            // A name in a later transaction; with its quotes it is part of no other name.
            let text = format!("\"{}\"", self.rng.choice(&names[FIRST..]).unwrap());
            let mut left = 2;
            let _cut = world.proxy.cut(move |call| {
                let is_later = call.operation() == "TransactWriteItems" && call.mentions(&text);
                let cuts = is_later && left > 0;
                left -= u32::from(cuts);
                cuts
            });
            let outcome = loop {
                let outcome = self.ask(&request, Some(&key)).await;
                match &outcome {
                    Outcome::Refused(code) if code != "CONFLICT" => break outcome,
                    Outcome::Done(_) => break outcome,
                    _ => {}
                }
                let names = some(&mut meddler);
                meddler.perform(revert(names.clone())).await;
                meddler.perform(adjust(names, self.rng.i64(100_000..200_000))).await;
            };
            self.journal.end(place, outcome.clone());
            let again = self.ask(&request, Some(&key)).await;
            self.same(&request, &outcome, &again);
        }
    }
}
