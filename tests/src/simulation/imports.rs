//! Requests for many entries that are interrupted and repeated during other writes.

use super::{Actor, Operation, Outcome, World};

/// Entries of the largest request: as many as one may revert.
const MOST: usize = 30;

impl Actor {
    /// Pushes many adjustments, and reverts them. The transactions of both requests are cut. Then
    /// `other` reverts one of the entries and pushes another with its name, and the request is
    /// repeated with its key.
    pub(super) async fn import(&mut self, world: &World, other: u64, group: &str) {
        let unique_tag = self.journal.unique_tag();
        let count = self.rng.usize(3..=MOST);
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
        let some = |of: &mut Self| vec![of.rng.choice(&names).unwrap().clone()];
        let push = adjust(names.clone(), self.rng.i64(1..100_000));
        for request in [push, revert(names.clone())] {
            let key = format!("import-{}", self.journal.unique_tag());
            let place = self.journal.begin(self.user, request.clone(), Some(key.clone()));
            // Those of `other` name one entry. With its quotes, a name is part of no other name.
            let first = format!("\"{}\"", names[0]);
            let last = format!("\"{}\"", names[count - 1]);
            let mut left = 2;
            let _cut = world.proxy.cut(move |call| {
                let is_own = call.operation() == "TransactWriteItems"
                    && call.mentions(&first)
                    && call.mentions(&last);
                let cuts = is_own && left > 0;
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
