//! Categories in the input of spendings.

use std::collections::BTreeMap;

use fracti_texts::{Message, Says, message, rule};

use crate::{
    input::{Field, FieldErrors, Path},
    personal::targets::{CategoryStatus, Targets},
    values::{
        category::{Category, CategoryKey, is_reserved},
        decimal::Decimal,
        money::Money,
    },
};

/// Maximum number of categories of a spending.
pub const MAX_CATEGORIES: usize = 20;

/// Parts of an amount by category, as a client sends them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoriesInput {
    /// Category of the whole amount.
    pub category: Field<CategoryKey>,
    /// Parts of the amount by category.
    pub categories: Field<Vec<(String, Field<Decimal>)>>,
    /// Own categories that the client knows. If it sends them, the user's registry is not read, and
    /// other own categories are dropped.
    pub snapshot: Field<Vec<Field<CategoryKey>>>,
}

impl CategoriesInput {
    /// Whether the user's registry decides which keys are valid.
    pub(super) fn need_registry(&self) -> bool {
        let sent = self.categories.value().into_iter().flatten().map(|(key, _)| &**key);
        let one = self.category.value().map(CategoryKey::as_str);
        self.snapshot.is_absent() && sent.chain(one).any(|key| !Category::WORDS.contains(&key))
    }

    /// The parts of `amount`, if they were sent. Reports the rules that they break.
    pub(super) fn read(
        &self,
        amount: Option<Money>,
        targets: &Targets,
        errors: &mut FieldErrors,
    ) -> Field<BTreeMap<CategoryKey, Decimal>> {
        if self.category.is_absent() && self.categories.is_absent() && !self.snapshot.is_invalid() {
            return Field::Absent;
        }
        self.parts(amount, targets, errors).map_or(Field::Invalid, Field::Value)
    }

    fn parts(
        &self,
        amount: Option<Money>,
        targets: &Targets,
        errors: &mut FieldErrors,
    ) -> Option<BTreeMap<CategoryKey, Decimal>> {
        if !self.category.is_absent() && !self.categories.is_absent() {
            errors.push(
                "category",
                rule!(
                    "{field} must be left out if categories are sent",
                    "не указывайте {field} вместе с categories"
                ),
            );
            return None;
        }
        if self.category.is_invalid() || self.categories.is_invalid() || self.snapshot.is_invalid()
        {
            return None;
        }
        if let Some(key) = self.category.value() {
            let kept = errors.keep("category", self.admits(key, targets))?;
            let whole = (*key, amount?.to_major());
            return Some(Some(whole).filter(|_| kept).into_iter().collect());
        }
        let mut parts = BTreeMap::new();
        let mut sum = 0_i128;
        for (name, number) in self.categories.value().into_iter().flatten() {
            let path = Path::from("categories").field(name.clone());
            let key = match name.parse::<CategoryKey>() {
                Ok(key) => self.admits(&key, targets).map(|kept| (key, kept)),
                Err(rule) => Err(rule
                    .says()
                    .about(&message!("a key of categories", "имя ключа в categories"))),
            };
            let Some((key, kept)) = errors.keep(path.clone(), key) else { continue };
            let Some(number) = number.value().filter(|_| kept) else { continue };
            if number.is_negative() {
                errors.push(
                    path,
                    rule!("{field} must not be negative", "{field} не должно быть отрицательным"),
                );
                continue;
            }
            let Some(amount) = amount else { continue };
            let part = errors.keep(path, Money::from_major(*number, amount.currency));
            if let Some(part) = part.filter(|part| part.minor > 0) {
                sum = sum.saturating_add(part.minor.into());
                parts.insert(key, part.to_major());
            }
        }
        if let Some(excess) = amount.and_then(|amount| excess(sum, amount)) {
            errors.push("categories", excess);
            return None;
        }
        Some(parts)
    }

    /// Whether a spending may have a category, or it is dropped without an error.
    fn admits(&self, key: &CategoryKey, targets: &Targets) -> Result<bool, Message> {
        let text = key.as_str();
        if Category::WORDS.contains(&text) {
            return Ok(true);
        }
        if let Field::Value(known) = &self.snapshot
            && !is_reserved(text)
        {
            return Ok(known.iter().any(|known| known.value() == Some(key)));
        }
        match targets.registry.get(key).map(|own| own.status) {
            Some(CategoryStatus::Active) => Ok(true),
            Some(CategoryStatus::Archived) => Err(message!(
                "{key} is archived and takes no new spendings",
                "категория {key} в архиве, новые траты в неё не записать"
            )),
            None => Err(message!(
                "{key} is neither a category nor an own one of your targets",
                "категории {key} нет ни среди встроенных, ни среди ваших собственных"
            )),
        }
    }
}

/// The error of categories that sum to more than the amount, in minor units.
pub(super) fn excess(sum: i128, amount: Money) -> Option<Message> {
    let excess = sum.saturating_sub(amount.minor.into());
    let excess = Some(excess).filter(|excess| *excess > 0)?;
    Some(message!(
        "the categories exceed the amount by {excess}",
        "сумма категорий превышает сумму траты на {excess}",
        excess = amount.currency.to_major(excess)
    ))
}
