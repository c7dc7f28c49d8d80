//! Categories of a group's own, which its expenses may have besides the built-in ones.

use std::collections::BTreeSet;

use fracti_texts::message;
use serde::{Deserialize, Serialize};

use super::Group;
use crate::{
    input::{Field, FieldErrors, Path},
    values::{
        category::{CategoryKey, ExpenseCategory, is_reserved},
        text::{CategoryLabel, Emoji},
    },
};

/// Maximum number of categories of a group's own.
pub const MAX_GROUP_CATEGORIES: usize = 20;

/// A category of a group's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupCategory {
    /// Key, which its expenses have.
    pub key: CategoryKey,
    /// Name for people.
    pub name: CategoryLabel,
    /// Emoji, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<Emoji>,
}

/// A category of a group's own, before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupCategoryInput {
    /// Key.
    pub key: Field<CategoryKey>,
    /// Name for people.
    pub name: Field<CategoryLabel>,
    /// Emoji. Default: none.
    pub emoji: Field<Emoji>,
}

impl Group {
    /// Whether a new expense may have the category.
    #[must_use]
    pub fn has_category(&self, category: ExpenseCategory) -> bool {
        match category {
            ExpenseCategory::BuiltIn(_) => true,
            ExpenseCategory::Own(key) => self.categories.iter().any(|own| own.key == key),
        }
    }
}

/// Reads the list that replaces a group's own categories. Each has a key of its own, which is not
/// reserved.
pub(super) fn read(
    inputs: &[GroupCategoryInput],
    errors: &mut FieldErrors,
) -> Option<Vec<GroupCategory>> {
    let mut keys = BTreeSet::new();
    let mut read = Vec::new();
    for (index, GroupCategoryInput { key, name, emoji }) in inputs.iter().enumerate() {
        if let Field::Value(key) = key {
            let path = Path::from("categories").index(index).field("key");
            if is_reserved(key.as_str()) {
                errors.push(
                    path,
                    message!(
                        "{key} is reserved; use another key",
                        "ключ {key} зарезервирован; выберите другой"
                    ),
                );
            } else if !keys.insert(*key) {
                errors.push(
                    path,
                    message!(
                        "categories must have the key {key} only once",
                        "ключ {key} не должен повторяться в categories"
                    ),
                );
            }
        }
        let category = || {
            Some(GroupCategory {
                key: *key.value()?,
                name: name.value()?.clone(),
                emoji: emoji.as_ref().map(Some).or(None)?.cloned(),
            })
        };
        read.push(category());
    }
    read.into_iter().collect()
}
