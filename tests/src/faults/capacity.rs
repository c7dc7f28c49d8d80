//! The write capacity of partitions, beyond which DynamoDB throttles.

use std::{collections::HashMap, time::Instant};

use serde_json::Value;

use super::Call;

/// Bytes of a write unit.
const UNIT: usize = 1024;

/// Capacity that is left for each partition key.
///
/// A partition takes a number of write units a second and has saved those of one second at most. An
/// action of a transaction takes two units for each kilobyte of the row that it puts, and two units
/// if it puts none. DynamoDB also saves more for bursts, which is not promised, and indexes have
/// partitions of their own; both are left out.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html>
#[derive(Debug)]
pub(super) struct Capacity {
    /// Units a second, or thousandths of units a millisecond.
    rate: i64,
    /// Thousandths of units that are left, since when.
    left: HashMap<String, (i64, Instant)>,
}

impl Capacity {
    pub(super) fn new(per_second: u32) -> Self {
        Self { rate: per_second.into(), left: HashMap::new() }
    }

    /// Takes the units of a request. False, and nothing is taken, if one of its partitions has none
    /// left; the last request before that may take more than is left.
    pub(super) fn takes(&mut self, call: &Call) -> bool {
        let now = Instant::now();
        let mut units: HashMap<String, i64> = HashMap::new();
        for action in call.json()["TransactItems"].as_array().into_iter().flatten() {
            for (kind, action) in action.as_object().into_iter().flatten() {
                let row = if kind == "Put" { &action["Item"] } else { &action["Key"] };
                let kilobytes = bytes(row).div_ceil(UNIT).max(1);
                let partition = row["PK"]["S"].as_str().unwrap_or_default().to_owned();
                let units_of_action = 2_000 * i64::try_from(kilobytes).unwrap();
                *units.entry(partition).or_default() += units_of_action;
            }
        }
        let most = self.rate * 1_000;
        for partition in units.keys() {
            let (left, since) = self.left.entry(partition.clone()).or_insert((most, now));
            let passed = i64::try_from(now.duration_since(*since).as_millis()).unwrap();
            (*left, *since) = ((*left + passed * self.rate).min(most), now);
        }
        let has_room = units.keys().all(|partition| self.left[partition].0 > 0);
        if has_room {
            for (partition, units) in units {
                self.left.entry(partition).and_modify(|(left, _)| *left -= units);
            }
        }
        has_room
    }
}

/// The size of an attribute value, or of a row, about as DynamoDB counts it.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + bytes(value)).sum(),
        Value::Array(items) => items.iter().map(bytes).sum(),
        Value::String(text) => text.len(),
        _ => 1,
    }
}
