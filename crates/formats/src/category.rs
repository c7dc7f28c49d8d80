//! Categories of other apps.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use fracti_core::values::category::Category;

use crate::key::normal;

/// Names of Splitwise's categories in the languages of its export, one row for each category, with
/// ours before them: `none` for no category, `payment` for rows that are settlements.
const SPLITWISE: &str = include_str!("categories.tsv");

/// Names of other apps that Splitwise does not have, in lower case, by ours.
const NAMES: [(Category, &[&str]); 7] = [
    (Category::Food, &["grocery", "bar/party"]),
    (Category::Transport, &["bus", "train"]),
    (Category::Entertainment, &["excursion/culture"]),
    (Category::Shopping, &["gift", "shopping"]),
    (Category::Utilities, &["bill"]),
    (Category::Travel, &["accommodation", "travel"]),
    (Category::Health, &["health"]),
];

/// Ids of Splitwise's categories for anything else of a kind, with those of the kinds.
const SPLITWISE_OTHERS: [(&str, &str); 4] = [("11", "1"), ("23", "19"), ("26", "25"), ("34", "31")];

/// Name of payments in Finnish, whose other names are not known.
const FINNISH_PAYMENT: &str = "maksu";

/// Word for payments in the table of categories.
const PAYMENT: &str = "payment";

/// Known categories of other apps, by their names in lower case.
struct KnownCategories {
    ours: HashMap<String, Option<Category>>,
    /// Ours by the ids of Splitwise.
    ids: HashMap<String, Option<Category>>,
    /// Words after the name of a category that stand for anything else of its kind.
    others: HashSet<String>,
    payments: HashSet<String>,
}

static KNOWN: LazyLock<KnownCategories> = LazyLock::new(|| {
    let mut ours = HashMap::new();
    let mut ids_of = HashMap::new();
    let mut others = HashSet::new();
    let mut payments = HashSet::from([FINNISH_PAYMENT.to_owned()]);
    for (category, names) in NAMES {
        ours.extend(names.iter().map(|name| ((*name).to_owned(), Some(category))));
    }
    for row in SPLITWISE.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(word), Some(ids)) = (cells.next(), cells.next()) else { continue };
        let category = word.parse().ok();
        let known = ids.split(' ').filter(|id| !id.is_empty());
        ids_of.extend(known.map(|id| (id.to_owned(), category)));
        let names = cells.filter(|name| *name != "-").flat_map(spellings);
        for name in names {
            if ids.contains(' ') {
                others.insert(name.clone());
            }
            if word == PAYMENT {
                payments.insert(name.clone());
            }
            ours.entry(name).or_insert(category);
        }
    }
    for (id, kind) in SPLITWISE_OTHERS {
        if let Some(category) = ids_of.get(kind).copied() {
            ids_of.insert(id.to_owned(), category);
        }
    }
    KnownCategories { ours, ids: ids_of, others, payments }
});

/// A name in lower case. Two cells of Splitwise's table have two names.
fn spellings(name: &str) -> Vec<String> {
    let mut spellings = vec![normal(name).to_lowercase()];
    if ["Elektronika/AGD", "Generale/Generali"].contains(&name) {
        spellings.extend(name.split('/').map(|it| normal(it).to_lowercase()));
    }
    spellings
}

/// Our category for the name of another app's category: none if the name is blank or says that
/// there is none, an error if it is not known.
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

/// Our category for the id of Splitwise's category, or an error if it is not known.
pub(crate) fn of_splitwise(id: &str) -> Result<Option<Category>, Unknown> {
    KNOWN.ids.get(id).copied().ok_or(Unknown)
}

/// The category of another app is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown;

/// Whether Splitwise has this name instead of a category for payments.
pub(crate) fn is_payment(name: &str) -> bool {
    KNOWN.payments.contains(&normal(name.trim()).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_other_apps_are_mapped() {
        for (name, ours) in [
            ("Groceries", Some(Category::Food)),
            ("Bar/party", Some(Category::Food)),
            ("Food and drink - Other", Some(Category::Food)),
            ("TV/Phone/Internet", Some(Category::Utilities)),
            ("General", None),
            ("Uncategorized", None),
            ("Ogólne", None),
            ("Zahlung", None),
            ("Lebensmittel", Some(Category::Food)),
            ("Casa - Otro", Some(Category::Other)),
            ("飲食 - その他", Some(Category::Food)),
            ("Elektronika", Some(Category::Shopping)),
            (" ", None),
        ] {
            assert_eq!(known(name), Ok(ours), "{name:?}");
        }
        for name in ["Foo", "Food and drink - Foo", "Foo - Other"] {
            assert_eq!(known(name), Err(Unknown), "{name:?}");
        }
        assert!(is_payment("Zahlung") && is_payment("PAYMENT ") && is_payment("Maksu"));
        assert!(!is_payment("Groceries"));
    }

    #[test]
    fn other_names_are_not_in_the_table() {
        let names = SPLITWISE.lines().skip(1).flat_map(|row| row.split('\t').skip(2));
        let table: HashSet<String> = names.flat_map(spellings).collect();
        for name in NAMES.iter().flat_map(|(_, names)| *names) {
            assert!(!table.contains(*name), "{name}");
        }
    }

    #[test]
    fn ids_of_splitwise_are_mapped() {
        for (id, ours) in [
            ("12", Ok(Some(Category::Food))),
            ("26", Ok(Some(Category::Food))),
            ("34", Ok(Some(Category::Transport))),
            ("28", Ok(Some(Category::Other))),
            ("18", Ok(None)),
            ("51", Err(Unknown)),
            ("", Err(Unknown)),
        ] {
            assert_eq!(of_splitwise(id), ours, "{id}");
        }
        let known = (1..=50).filter(|id: &i32| of_splitwise(&id.to_string()).is_ok());
        assert_eq!(known.count(), 50);
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
