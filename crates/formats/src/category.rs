//! Categories of other apps.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use fracti_core::records::expense::Category;

use crate::key::normal;

/// Names of Splitwise's categories in the languages of its export, one row for each category, with
/// ours before them: `none` for no category, `payment` for rows that are settlements.
const SPLITWISE: &str = include_str!("categories.tsv");

/// Other names, in lower case, by ours. Spliit took over most names of Splitwise.
const NAMES: [(Category, &[&str]); 9] = [
    (
        Category::Food,
        &[
            "food and drink",
            "dining out",
            "groceries",
            "liquor",
            "grocery",
            "bar/party",
            "restaurant",
        ],
    ),
    (
        Category::Transport,
        &[
            "transportation",
            "bicycle",
            "bus/train",
            "bus",
            "train",
            "car",
            "gas/fuel",
            "parking",
            "taxi",
            "transport",
        ],
    ),
    (
        Category::Entertainment,
        &["entertainment", "games", "movies", "music", "sports", "excursion/culture", "sport"],
    ),
    (
        Category::Shopping,
        &[
            "clothing",
            "electronics",
            "furniture",
            "gifts",
            "gift",
            "household supplies",
            "shopping",
        ],
    ),
    (
        Category::Utilities,
        &[
            "utilities",
            "cleaning",
            "electricity",
            "heat/gas",
            "trash",
            "tv/phone/internet",
            "water",
            "bill",
        ],
    ),
    (Category::Rent, &["rent", "mortgage"]),
    (Category::Travel, &["hotel", "plane", "accommodation", "travel"]),
    (Category::Health, &["medical expenses", "health"]),
    (Category::Education, &["education", "childcare"]),
];

/// What is known of the categories of other apps, by their names in lower case.
struct Known {
    ours: HashMap<String, Option<Category>>,
    /// What stands after the name of a category for anything else of its kind.
    others: HashSet<String>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let (mut ours, mut others) = (HashMap::new(), HashSet::new());
    for (category, names) in NAMES {
        ours.extend(names.iter().map(|name| ((*name).to_owned(), Some(category))));
    }
    for row in SPLITWISE.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(word), Some(ids)) = (cells.next(), cells.next()) else { continue };
        let category = word.parse().ok();
        let names = cells.filter(|name| *name != "-").flat_map(spellings);
        for name in names {
            if ids.contains(' ') {
                others.insert(name.clone());
            }
            ours.entry(name).or_insert(category);
        }
    }
    Known { ours, others }
});

/// A name in lower case. Two cells of Splitwise's table have two names.
fn spellings(name: &str) -> Vec<String> {
    let mut spellings = vec![normal(name).to_lowercase()];
    if ["Elektronika/AGD", "Generale/Generali"].contains(&name) {
        spellings.extend(name.split('/').map(|it| normal(it).to_lowercase()));
    }
    spellings
}

/// Our category for the name of another app's category: none if the name is blank or says that there
/// is none, an error if it is not known.
pub(crate) fn known(name: &str) -> Result<Option<Category>, Unknown> {
    let name = normal(name.trim()).to_lowercase();
    if name.is_empty() {
        return Ok(None);
    }
    // Splitwise writes "Food and drink - Other".
    let parent = name.rsplit_once(" - ").filter(|(_, other)| KNOWN.others.contains(*other));
    let name = parent.map_or(name.as_str(), |(parent, _)| parent);
    KNOWN.ours.get(name).copied().ok_or(Unknown)
}

/// The category of another app is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown;

/// Our category for the name of another app's category; `other` for one that is not known.
pub(crate) fn category(name: &str) -> Option<Category> {
    known(name).unwrap_or(Some(Category::Other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_other_apps_are_mapped() {
        for (name, ours) in [
            ("Groceries", Some(Category::Food)),
            ("Food and drink - Other", Some(Category::Food)),
            ("TV/Phone/Internet", Some(Category::Utilities)),
            ("General", None),
            ("Lebensmittel", Some(Category::Food)),
            ("Casa - Otro", Some(Category::Other)),
            ("飲食 - その他", Some(Category::Food)),
            ("Elektronika", Some(Category::Shopping)),
            ("Foo", Some(Category::Other)),
            (" ", None),
        ] {
            assert_eq!(category(name), ours, "{name:?}");
        }
    }
    #[test]
    fn no_name_means_two_categories() {
        let mut found: HashMap<String, (&str, &str)> = HashMap::new();
        for row in SPLITWISE.lines().skip(1) {
            let (ours, rest) = row.split_once('\t').unwrap();
            let (ids, names) = rest.split_once('\t').unwrap();
            for name in names.split('\t').filter(|it| *it != "-").flat_map(spellings) {
                let (first, of) = *found.entry(name.clone()).or_insert((ours, ids));
                assert_eq!(first, ours, "{name} is of {of} and of {ids}");
            }
        }
        assert!(found.len() > 400, "{}", found.len());
    }
}
