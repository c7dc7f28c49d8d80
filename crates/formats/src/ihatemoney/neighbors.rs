//! Names that may be parts of one name.

use std::collections::HashMap;

/// The neighbors of a name in all lists.
struct Neighbors<'t> {
    before: Option<&'t str>,
    after: Option<&'t str>,
}

/// Sequences of names that appear only together and in this order. Each may be a single name that
/// contains the separator. `is_known` says which names are known to be complete.
pub(super) fn sequences<'t>(
    lists: &[Vec<&'t str>],
    is_known: impl Fn(&str) -> bool,
) -> Vec<Vec<&'t str>> {
    let mut names: HashMap<&str, Neighbors<'t>> = HashMap::new();
    let mut order = Vec::new();
    for list in lists {
        for (index, name) in list.iter().enumerate().filter(|(_, name)| !is_known(name)) {
            let at = |index: Option<usize>| index.and_then(|index| list.get(index).copied());
            let unknown = |name: Option<&'t str>| name.filter(|name| !is_known(name));
            let before = unknown(at(index.checked_sub(1)));
            let after = unknown(at(index.checked_add(1)));
            let neighbors = names.entry(name).or_insert_with(|| {
                order.push(*name);
                Neighbors { before, after }
            });
            neighbors.before = neighbors.before.filter(|name| before == Some(name));
            neighbors.after = neighbors.after.filter(|name| after == Some(name));
        }
    }
    let next = |name: &str| -> Option<&'t str> {
        let after = names.get(name)?.after?;
        (names.get(after)?.before? == name).then_some(after)
    };
    let has_previous = |name: &str| {
        let before = names.get(name).and_then(|neighbors| neighbors.before);
        before.is_some_and(|before| next(before) == Some(name))
    };
    let starts = order.iter().filter(|name| !has_previous(name));
    let sequence = |start: &&'t str| -> Vec<&'t str> {
        std::iter::successors(Some(*start), |name| next(name)).collect()
    };
    starts.map(sequence).filter(|names| names.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_always_follow_each_other_are_found() {
        for (lists, found) in [
            (&["Smith Jo", "Bob Smith Jo Eve", "Anna Smith Jo"][..], &["Smith Jo"][..]),
            (&["Smith Jo", "Jo Smith"], &[]),
            (&["Smith Jo", "Smith"], &[]),
            (&["Smith Jo", "Jo"], &[]),
            (&["Smith Jo X", "Smith Jo X Bob"], &["Smith Jo X"]),
            (&["Smith Jo X", "Smith Jo"], &["Smith Jo"]),
            (&["Bob Smith", "Smith Anna"], &[]),
        ] {
            let lists: Vec<Vec<&str>> = lists.iter().map(|it| it.split(' ').collect()).collect();
            let known = ["Anna", "Bob", "Eve"];
            let sequences = sequences(&lists, |name| known.contains(&name));
            let sequences: Vec<_> = sequences.iter().map(|names| names.join(" ")).collect();
            assert_eq!(sequences, found, "{lists:?}");
        }
    }
}
