//! Changing targets: fields that are left out stay as they are.

use std::collections::BTreeSet;

use fracti_texts::{Says, message, rule};

use super::{
    CategoryKey, CategoryStatus, MAX_OWN_CATEGORIES, OwnCategory, Period, Targets, is_reserved,
};
use crate::{
    input::{Draft, Error, Field, FieldErrors, Path},
    values::{
        currency::Currency,
        decimal::Decimal,
        money::Money,
        text::CategoryLabel,
        time::{Timestamp, Zone},
    },
};

/// Changes to targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetsUpdate {
    /// Version of the targets that the client has read.
    pub version: Field<u64>,
    /// New period.
    pub period: Field<Period>,
    /// New currency.
    pub currency: Field<Currency>,
    /// New zone of the user's days.
    pub time_zone: Field<Zone>,
    /// New targets by category or [`TOTAL`](crate::values::category::TOTAL); 0 removes one.
    pub targets: Vec<(&'static str, Field<Decimal>)>,
    /// New and changed categories, by key.
    pub registry: Field<Vec<(String, Field<OwnCategoryUpdate>)>>,
}

/// A new category of a user's own, or changes to one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnCategoryUpdate {
    /// Currency of the target.
    pub unit: Field<Currency>,
    /// New name for people.
    pub label: Field<CategoryLabel>,
    /// New target; 0 removes it.
    pub target: Field<Decimal>,
    /// New status.
    pub status: Field<CategoryStatus>,
}

impl Draft<TargetsUpdate> {
    /// The targets after the update. If it changes nothing, they are returned as they are.
    ///
    /// # Errors
    ///
    /// [`Error::VersionConflict`] if `before` has another version, unless the update is a
    /// repetition that has made this version; [`Error::Invalid`]; [`Error::Unreadable`].
    pub fn apply(&self, before: &Targets, now: Timestamp) -> Result<Targets, Error> {
        let sent = self.fields().and_then(|update| update.version.value());
        if let Some(sent) = sent.filter(|sent| **sent != before.version) {
            let is_next = sent.checked_add(1) == Some(before.version);
            return match self.patched(before) {
                Ok(after) if is_next && after == *before => Ok(after),
                _ => Err(Error::VersionConflict(before.version)),
            };
        }
        let after = self.patched(before)?;
        if after == *before {
            return Ok(after);
        }
        let version = before.version.saturating_add(1);
        Ok(Targets { version, updated_at: Some(now), ..after })
    }

    /// The targets with the new values, if they break no rule.
    fn patched(&self, before: &Targets) -> Result<Targets, Error> {
        let (update, mut errors) = self.open()?;
        let mut after = before.clone();
        after.period = update.period.or(before.period).unwrap_or(before.period);
        after.currency = update.currency.value().copied().or(before.currency);
        after.time_zone = update.time_zone.value().copied().or(before.time_zone);
        if !update.currency.is_invalid() {
            update.set_targets(before, &mut after, &mut errors);
        }
        for (key, own) in update.registry.value().into_iter().flatten() {
            if let Some(own) = own.value() {
                own.set(key, &mut after, &mut errors);
            }
        }
        if after.registry.len() > MAX_OWN_CATEGORIES {
            let rule = rule!(
                "{field} must have at most {MAX_OWN_CATEGORIES} categories",
                "категорий в {field} должно быть не больше {MAX_OWN_CATEGORIES}"
            );
            errors.push("registry", rule);
        }
        errors.finish(Some(after))
    }
}

impl TargetsUpdate {
    fn set_targets(&self, before: &Targets, after: &mut Targets, errors: &mut FieldErrors) {
        let mut unsent: BTreeSet<&str> = before.targets.keys().map(String::as_str).collect();
        for (key, target) in &self.targets {
            if !target.is_absent() {
                unsent.remove(key);
            }
            match target.value() {
                None => {}
                Some(target) if *target == Decimal::ZERO => {
                    after.targets.remove(*key);
                }
                Some(target) => {
                    let Some(currency) = after.currency else {
                        errors.push(
                            *key,
                            message!("{key} needs a currency", "для {key} нужна валюта"),
                        );
                        continue;
                    };
                    if let Some(target) = amount((*key).into(), *target, currency, errors) {
                        after.targets.insert((*key).to_owned(), target);
                    }
                }
            }
        }
        if after.currency != before.currency && !unsent.is_empty() {
            let unsent: Vec<_> = unsent.into_iter().collect();
            let unsent = unsent.join(", ");
            let rule = rule!(
                "{field} must not change without new values of {unsent}",
                "{field} нельзя изменить без новых значений {unsent}"
            );
            errors.push("currency", rule);
        }
    }
}

impl OwnCategoryUpdate {
    fn set(&self, key: &str, targets: &mut Targets, errors: &mut FieldErrors) {
        let path = Path::from("registry").field(key.to_owned());
        let parsed = match key.parse::<CategoryKey>() {
            Ok(_) if is_reserved(key) => Err(message!(
                "{key} is reserved; use another key",
                "ключ {key} зарезервирован; выберите другой"
            )),
            parsed => parsed.map_err(|rule| {
                rule.says().about(&message!("a key of registry", "имя ключа в registry"))
            }),
        };
        let Some(key) = errors.keep(path.clone(), parsed) else { return };
        let before = targets.registry.get(&key);
        let unit = match (before, self.unit) {
            (Some(before), Field::Value(unit)) if unit != before.unit => {
                errors.push(
                    path.field("unit"),
                    rule!("{field} must not change", "{field} нельзя изменить"),
                );
                return;
            }
            (Some(before), _) => before.unit,
            (None, Field::Value(unit)) => unit,
            (None, Field::Invalid) => return,
            (None, Field::Absent) => return errors.missing(path.field("unit")),
        };
        let target = match self.target {
            Field::Value(target) if target == Decimal::ZERO => None,
            Field::Value(target) => amount(path.field("target"), target, unit, errors),
            Field::Absent | Field::Invalid => before.and_then(|before| before.target),
        };
        let label = self.label.value().or(before.and_then(|before| before.label.as_ref()));
        let status = before.map_or(CategoryStatus::Active, |before| before.status);
        let own = OwnCategory {
            unit,
            label: label.cloned(),
            target,
            status: self.status.value().copied().unwrap_or(status),
        };
        targets.registry.insert(key, own);
    }
}

/// The number at `path` as an amount that is not negative. Reports the rule that it breaks.
fn amount(
    path: Path,
    number: Decimal,
    currency: Currency,
    errors: &mut FieldErrors,
) -> Option<Decimal> {
    if number.is_negative() {
        errors.push(
            path,
            rule!("{field} must not be negative", "{field} не должно быть отрицательным"),
        );
        return None;
    }
    errors.keep(path, Money::from_major(number, currency)).map(Money::to_major)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> Targets {
        let pets = OwnCategory {
            unit: "USD".parse().unwrap(),
            label: None,
            target: None,
            status: CategoryStatus::Active,
        };
        Targets {
            version: 7,
            currency: Some("USD".parse().unwrap()),
            targets: [("food".to_owned(), "300".parse().unwrap())].into(),
            registry: [("pets".parse().unwrap(), pets)].into(),
            ..Targets::none("1".parse().unwrap())
        }
    }

    fn update(version: u64, targets: &[(&'static str, &str)]) -> TargetsUpdate {
        let target = |(key, number): &(_, &str)| (*key, Field::Value(number.parse().unwrap()));
        let targets = targets.iter().map(target).collect();
        TargetsUpdate { version: Field::Value(version), targets, ..TargetsUpdate::default() }
    }

    fn apply(update: TargetsUpdate) -> Result<Targets, Error> {
        Draft::valid(update).apply(&before(), Timestamp::default())
    }

    #[test]
    fn update_of_another_version_is_refused_unless_it_took_effect() {
        assert_eq!(apply(update(7, &[("food", "300")])).unwrap(), before());
        assert_eq!(apply(update(6, &[("food", "300")])).unwrap(), before());
        let changed = apply(update(7, &[("food", "0"), ("total", "9.50")])).unwrap();
        assert_eq!((changed.version, changed.targets.len()), (8, 1));
        for (version, food) in [(5, "300"), (6, "301"), (8, "300"), (8, "301"), (6, "-1")] {
            let refused = apply(update(version, &[("food", food)]));
            assert!(matches!(refused, Err(Error::VersionConflict(7))), "{version} {food}");
        }
    }

    #[test]
    fn a_new_currency_needs_new_values_of_all_targets() {
        let eur = |targets: &[_]| {
            let currency = Field::Value("EUR".parse().unwrap());
            apply(TargetsUpdate { currency, ..update(7, targets) })
        };
        assert_eq!(eur(&[("food", "250")]).unwrap().targets["food"].to_string(), "250");
        assert_eq!(eur(&[("food", "0")]).unwrap().targets.len(), 0);
        let refused = eur(&[("total", "250")]).unwrap_err().to_string();
        assert_eq!(refused, "currency must not change without new values of food");
    }

    #[test]
    fn own_categories_follow_their_rules() {
        let own = |key: &str, own| {
            let registry = Field::Value(vec![(key.to_owned(), Field::Value(own))]);
            apply(TargetsUpdate { registry, ..update(7, &[]) })
        };
        let unit = |code: &str| OwnCategoryUpdate {
            unit: Field::Value(code.parse().unwrap()),
            ..OwnCategoryUpdate::default()
        };
        assert!(own("cars", unit("JPY")).unwrap().registry.contains_key("cars"));
        assert_eq!(own("pets", unit("USD")).unwrap(), before());
        let fine =
            OwnCategoryUpdate { target: Field::Value("1.5".parse().unwrap()), ..unit("JPY") };
        let long = "a".repeat(33);
        for (key, change, rule) in [
            ("pets", unit("EUR"), "registry.pets.unit must not change"),
            ("cars", OwnCategoryUpdate::default(), "registry.cars.unit is required"),
            ("cars", fine, "registry.cars.target must have at most 0 decimals in JPY"),
            ("food", unit("USD"), "food is reserved"),
            ("total", unit("USD"), "total is reserved"),
            ("none", unit("USD"), "none is reserved"),
            ("version", unit("USD"), "version is reserved"),
            ("__proto__", unit("USD"), "a key of registry must be"),
            ("a#b", unit("USD"), "a key of registry must be"),
            (&long, unit("USD"), "a key of registry must be"),
            ("Pets", unit("USD"), "a key of registry must be"),
        ] {
            let refused = own(key, change).unwrap_err().to_string();
            assert!(refused.starts_with(rule), "{key}: {refused}");
        }
    }
}
