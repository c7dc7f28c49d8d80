//! Comparison of a stored row with the right one, attribute by attribute.

use std::collections::{BTreeMap, BTreeSet};

use super::{Audit, Mend};
use crate::{
    input::Error,
    ledger::{Change, Totals},
    storage::{
        keys::Primary,
        row::{
            AttributeValue, FORMAT_VERSION, INDEXES, Item, KIND, Row, from_item, to_item,
            wrong_indexes,
        },
    },
};

/// A row that can be read, with its entity.
#[derive(Clone, Debug)]
pub(super) struct Kept<T> {
    pub(super) key: Primary,
    pub(super) item: Item,
    pub(super) row: T,
}

/// A row as it was read.
pub(super) enum Read<T> {
    Kept(Kept<T>),
    /// A v0 row, which no migration has taken over; `None` if it cannot be read, which is reported.
    V0(Option<Kept<T>>),
    /// The row cannot be read, or its attributes are those of another key.
    Bad,
}

impl Audit {
    /// [`Audit::read_own`] for a row of a kind that the TypeScript Fracti wrote, too.
    pub(super) fn read<T: Row>(&mut self, item: Item) -> Read<T> {
        if !is_v0(&item) {
            return self.read_own(item).map_or(Read::Bad, Read::Kept);
        }
        let Some(key) = Primary::of(&item) else { return Read::Bad };
        match from_item::<T>(item.clone()) {
            Ok(row) => Read::V0(Some(Kept { key, item, row })),
            Err(error) => {
                self.lost(key, cause(&error), Some(&item));
                Read::V0(None)
            }
        }
    }

    /// Reads a row that nothing replaces. If it cannot be read, is at the key of another one, or
    /// has lost its version, it is reported.
    pub(super) fn read_own<T: Row>(&mut self, item: Item) -> Option<Kept<T>> {
        let key = Primary::of(&item)?;
        let stored = item.clone();
        let item = with_version::<T>(item);
        match from_item::<T>(item.clone()) {
            Err(error) => {
                self.lost(key, cause(&error), Some(&stored));
                None
            }
            Ok(row) => {
                let own = row.keys().primary;
                if own != key {
                    let what = format!("has the attributes of the row {} {}", own.pk, own.sk);
                    self.lost(key, what, Some(&stored));
                    return None;
                }
                if lacks_version(&stored) {
                    let what = format!("has lost its {FORMAT_VERSION}");
                    self.find(key.clone(), what, Some(&stored), Some(Mend::Set(marks::<T>())));
                }
                Some(Kept { key, item, row })
            }
        }
    }

    /// Compares the index attributes of a row with those that follow from its other attributes.
    pub(super) fn check_indexes<T: Row>(&mut self, kept: &Kept<T>) {
        self.check_indexes_but(kept, &[]);
    }

    /// [`Audit::check_indexes`], without the attributes `left_out`.
    pub(super) fn check_indexes_but<T: Row>(&mut self, kept: &Kept<T>, left_out: &[&str]) {
        let Ok(right) = to_item(&kept.row) else { return };
        let mut wrong = wrong_indexes(&kept.item, &kept.row);
        wrong.retain(|name| !left_out.contains(name));
        if !wrong.is_empty() {
            let what = format!("its {} should follow from the row", wrong.join(", "));
            let set = wrong.into_iter().map(|name| (name, right.get(name).cloned()));
            self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set.collect())));
        }
    }

    /// Compares rows that follow from others with the right ones. `adapt` changes a stored row
    /// where a difference to the right one is allowed, and may change the right one, too. Rows that
    /// should not exist are deleted.
    pub(super) fn compare<T: Row + Clone>(
        &mut self,
        mut stored: BTreeMap<String, Item>,
        right: impl IntoIterator<Item = T>,
        adapt: impl Fn(&mut T, &mut T),
        from: &str,
    ) {
        for mut right in right {
            let key = right.keys().primary;
            let found = stored.remove(&key.sk);
            let read = found.clone().map(from_item::<T>);
            let mut stored = match read {
                Some(Ok(row)) => Some(row),
                Some(Err(_)) | None => None,
            };
            if let Some(stored) = &mut stored {
                adapt(stored, &mut right);
            }
            let Ok(item) = to_item(&right) else { continue };
            let what = match (&found, stored.as_ref().map(to_item)) {
                (None, _) => format!("is missing, but {from} has it"),
                (Some(_), None | Some(Err(_))) => "cannot be read".to_owned(),
                (Some(found), Some(Ok(read))) => {
                    let wrong = differing(found, &read, &item);
                    if wrong.is_empty() {
                        continue;
                    }
                    format!("differs from {from} in {}", wrong.join(", "))
                }
            };
            self.find(key, what, found.as_ref(), Some(Mend::Put(item)));
        }
        for item in stored.into_values() {
            self.stray(&item, from);
        }
    }

    /// Reports a row that should not exist.
    pub(super) fn stray(&mut self, item: &Item, from: &str) {
        if let Some(key) = Primary::of(item) {
            let what = format!("should not exist: {from} has no such row");
            self.find(key, what, Some(item), Some(Mend::Delete));
        }
    }
}

/// Whether a row has neither a kind nor a version, as those of the TypeScript Fracti.
pub(super) fn is_v0(item: &Item) -> bool {
    lacks_version(item) && !item.contains_key(KIND)
}

/// Whether a row has no version, so that readers take it for a v0 row.
pub(super) fn lacks_version(item: &Item) -> bool {
    !item.contains_key(FORMAT_VERSION)
}

/// The attributes by which a row is told from v0 rows.
pub(super) fn marks<T: Row>() -> Vec<(&'static str, Option<AttributeValue>)> {
    let kind = AttributeValue::S(T::KIND.to_owned());
    let version = AttributeValue::N(T::VERSION.to_string());
    vec![(KIND, Some(kind)), (FORMAT_VERSION, Some(version))]
}

/// The row with the present version if it has none.
fn with_version<T: Row>(mut item: Item) -> Item {
    let version = || AttributeValue::N(T::VERSION.to_string());
    item.entry(FORMAT_VERSION.to_owned()).or_insert_with(version);
    item
}

/// Rows by sort key.
pub(super) fn by_sort_key(items: impl IntoIterator<Item = Item>) -> BTreeMap<String, Item> {
    let keyed = |item: Item| Some((Primary::of(&item)?.sk, item));
    items.into_iter().filter_map(keyed).collect()
}

/// Why a row cannot be read.
pub(super) fn cause(error: &Error) -> String {
    match error {
        Error::Table(cause) => cause.to_string(),
        other => other.to_string(),
    }
}

/// Names of the attributes in which a row differs from the right one. `read` is the row as it would
/// be written, so that an attribute of an earlier form is none of them.
fn differing(stored: &Item, read: &Item, right: &Item) -> Vec<String> {
    let names: BTreeSet<&str> =
        read.keys().chain(right.keys()).map(String::as_str).chain(INDEXES).collect();
    let of = |name: &str| -> Option<&AttributeValue> {
        if INDEXES.contains(&name) { stored.get(name) } else { read.get(name) }
    };
    let is_checked = |name: &&str| ![KIND, FORMAT_VERSION].contains(name);
    let wrong = names.into_iter().filter(is_checked).filter(|name| of(name) != right.get(*name));
    let version = lacks_version(stored).then_some(FORMAT_VERSION);
    wrong.chain(version).map(str::to_owned).collect()
}

/// Whether two lists have the same changes, in any order.
pub(super) fn are_same(a: &[Change], b: &[Change]) -> bool {
    let sorted = |changes: &[Change]| {
        let mut changes: Vec<_> =
            changes.iter().filter(|it| it.totals != Totals::default()).copied().collect();
        changes.sort_by_key(|it| (it.currency, it.user));
        changes
    };
    sorted(a) == sorted(b)
}
