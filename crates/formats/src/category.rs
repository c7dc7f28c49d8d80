//! Categories of other apps.

use fracti_core::records::expense::Category;

/// Names of categories, in lower case, by ours. Spliit took over the names of Splitwise.
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

/// Our category for the name of another app's category.
pub(crate) fn category(name: &str) -> Option<Category> {
    let name = name.trim().to_lowercase();
    // Splitwise writes "Food and drink - Other".
    let name = name.strip_suffix(" - other").unwrap_or(&name);
    let ours = NAMES.iter().find(|(_, names)| names.contains(&name));
    (!name.is_empty()).then(|| ours.map_or(Category::Other, |(category, _)| *category))
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
            ("General", Some(Category::Other)),
            ("Lebensmittel", Some(Category::Other)),
            (" ", None),
        ] {
            assert_eq!(category(name), ours, "{name:?}");
        }
    }
}
