//! A group's default split: who shares an expense, and by which weights, if the request says
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{message, rule};
use serde::{Deserialize, Serialize};

use super::{Group, GroupUpdate, Member, links::Links, named::NamesMembers, not_a_member};
use crate::{
    input::{Field, FieldErrors, Path},
    split::{Split, split_weight},
    values::{
        category::{ExpenseCategory, UnknownCategory},
        decimal::Decimal,
        id::MemberId,
    },
};

/// Maximum number of rules of a group's default split.
pub const MAX_DEFAULT_SPLITS: usize = 10;

/// Maximum number of weights in all rules of a group together.
pub const MAX_DEFAULT_WEIGHTS: usize = 100;

/// A rule of a group's default split. Weights are those of a split by weights: 0 to 10 000, with at
/// most four decimals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefaultSplit {
    /// Category of the expenses that it divides. Without one, it divides those that no other rule
    /// does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<ExpenseCategory>,
    /// Weights of single members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<DefaultWeight>,
    /// Weight of each present member who has none in `splits`, above zero. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Decimal>,
}

/// The weight of a member in a default split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefaultWeight {
    /// The member.
    pub user_id: MemberId,
    /// Weight, from 0 to 10 000, with at most four decimals.
    pub weight: Decimal,
}

/// A rule of a default split, before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultSplitInput {
    /// Category of the expenses. Default: all without a rule of their own.
    pub category: Field<ExpenseCategory>,
    /// Weights of single members. Default: none.
    pub splits: Field<Vec<DefaultWeightInput>>,
    /// Weight of each other member. Default: zero.
    pub others: Field<Decimal>,
}

/// The weight of a member in a default split, before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultWeightInput {
    /// The member.
    pub user: Field<MemberId>,
    /// Weight, from 0 to 10 000, with at most four decimals.
    pub weight: Field<Decimal>,
}

impl NamesMembers for GroupUpdate {
    fn members_mut(&mut self) -> Vec<&mut MemberId> {
        let rules = self.default_splits.value_mut().into_iter().flatten();
        let weights = rules.flat_map(|rule| rule.splits.value_mut().into_iter().flatten());
        weights.filter_map(|weight| weight.user.value_mut()).collect()
    }
}

impl Group {
    /// The rule by which an expense of a category is divided; all share it equally without one.
    #[must_use]
    pub fn default_split(&self, category: Option<ExpenseCategory>) -> Option<&DefaultSplit> {
        let of = |category| self.default_splits.iter().find(|rule| rule.category == category);
        category.and_then(|category| of(Some(category))).or_else(|| of(None))
    }

    /// The group, whose default split names users instead of guests who are linked to them. A
    /// weight under the user's own id comes before those of guests.
    #[must_use]
    pub fn resolved(mut self, links: &Links) -> Self {
        for rule in self.default_splits.iter_mut().filter(|_| !links.is_empty()) {
            let (own, linked): (Vec<_>, Vec<_>) =
                rule.splits.drain(..).partition(|weight| !links.has(weight.user_id));
            let all = own.into_iter().chain(linked).rev();
            let weights = all.map(|it| (links.resolve(it.user_id), it.weight));
            let weights: BTreeMap<MemberId, Decimal> = weights.collect();
            let weights = weights.into_iter();
            rule.splits =
                weights.map(|(user_id, weight)| DefaultWeight { user_id, weight }).collect();
        }
        self
    }
}

impl DefaultSplit {
    /// Split of an expense among these present members: by their weights, without weights of zero,
    /// or equally if all weights are the same. `None` if no weight is above zero.
    pub(crate) fn among(&self, present: impl Iterator<Item = MemberId>) -> Option<Split> {
        let weight = |member| split_weight(self.weight_of(member)?).ok();
        let weights = present.filter_map(|member| Some((member, weight(member)?)));
        let weights: Vec<_> = weights.filter(|(_, weight)| *weight > 0).collect();
        let (_, first) = weights.first()?;
        Some(if weights.iter().all(|(_, weight)| weight == first) {
            Split::Equal(weights.into_iter().map(|(member, _)| member).collect())
        } else {
            Split::Shares(weights)
        })
    }

    /// Whether the member shares by it.
    #[must_use]
    pub fn has(&self, member: MemberId) -> bool {
        self.weight_of(member).is_some_and(|weight| weight != Decimal::ZERO)
    }

    fn weight_of(&self, member: MemberId) -> Option<Decimal> {
        let named = self.splits.iter().find(|it| it.user_id == member);
        named.map(|it| it.weight).or(self.others)
    }
}

/// Reads the list that replaces a group's default split. `group` has the categories after the
/// change and the list before it, whose members may stay in it although they are past.
pub(super) fn read(
    inputs: &[DefaultSplitInput],
    group: &Group,
    members: &[Member],
    errors: &mut FieldErrors,
) -> Option<Vec<DefaultSplit>> {
    let before = group.default_splits.iter().flat_map(|rule| &rule.splits).map(|it| it.user_id);
    let present = members.iter().filter(|it| it.is_present()).map(|it| it.id);
    let known: BTreeSet<MemberId> = present.chain(before).collect();
    let weights = inputs.iter().filter_map(|rule| rule.splits.value()).map(Vec::len);
    if weights.fold(0, usize::saturating_add) > MAX_DEFAULT_WEIGHTS {
        errors.push(
            "defaultSplits",
            rule!(
                "{field} must have at most {most} weights in all",
                "{field}: всего не больше {most} долей",
                most = MAX_DEFAULT_WEIGHTS
            ),
        );
    }
    let mut categories = BTreeSet::new();
    let mut read = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let path = Path::from("defaultSplits").index(index);
        let category = input.category.value().copied();
        if category.is_some_and(|it| !group.has_category(it)) {
            errors.push(path.field("category"), UnknownCategory);
        } else if !input.category.is_invalid()
            && !categories.insert(category.map(|it| it.to_string()))
        {
            errors.push(
                path.field("category"),
                message!(
                    "defaultSplits must have one rule for each category, and one without",
                    "в defaultSplits может быть одно правило на категорию и одно без категории"
                ),
            );
        }
        let others = match input.others {
            Field::Absent => Some(None),
            Field::Invalid => None,
            Field::Value(weight) => errors
                .keep(path.field("others"), split_weight(weight))
                .map(|scaled| Some(weight).filter(|_| scaled > 0)),
        };
        let splits = match &input.splits {
            Field::Absent => Some(Vec::new()),
            Field::Invalid => None,
            Field::Value(weights) => read_weights(weights, &known, &path, errors),
        };
        let rule = splits.zip(others);
        let rule = rule.map(|(splits, others)| DefaultSplit { category, splits, others });
        if rule.as_ref().is_some_and(|rule| {
            rule.others.is_none() && rule.splits.iter().all(|it| it.weight == Decimal::ZERO)
        }) {
            errors.push(
                path.field("splits"),
                message!(
                    "a weight in splits, or others, must be above 0",
                    "в splits или в others должна быть доля больше 0"
                ),
            );
        }
        read.push(rule);
    }
    read.into_iter().collect()
}

fn read_weights(
    inputs: &[DefaultWeightInput],
    known: &BTreeSet<MemberId>,
    path: &Path,
    errors: &mut FieldErrors,
) -> Option<Vec<DefaultWeight>> {
    let mut seen = BTreeSet::new();
    let mut read = Vec::new();
    for (index, DefaultWeightInput { user, weight }) in inputs.iter().enumerate() {
        let path = path.field("splits").index(index);
        if let Some(user) = user.value() {
            if !known.contains(user) {
                errors.push(path.field("userId"), not_a_member());
            } else if !seen.insert(*user) {
                errors.push(
                    path.field("userId"),
                    message!(
                        "splits must have each member only once",
                        "участник не должен повторяться в splits"
                    ),
                );
            }
        }
        if weight.is_absent() {
            errors.missing(path.field("weight"));
        }
        let valid = weight.value().and_then(|number| {
            errors.keep(path.field("weight"), split_weight(*number)).map(|_| *number)
        });
        let weight = || Some(DefaultWeight { user_id: *user.value()?, weight: valid? });
        read.push(weight());
    }
    read.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::id::UserId;

    fn member(number: u64) -> MemberId {
        UserId::new(number).unwrap().into()
    }

    fn rule(weights: &[(u64, i128)], others: Option<i128>) -> DefaultSplit {
        let weight = |(user, weight): &(u64, i128)| DefaultWeight {
            user_id: member(*user),
            weight: Decimal::new(*weight, 1),
        };
        DefaultSplit {
            category: None,
            splits: weights.iter().map(weight).collect(),
            others: others.map(|weight| Decimal::new(weight, 1)),
        }
    }

    #[test]
    fn weights_are_of_those_who_are_present() {
        let among =
            |rule: &DefaultSplit, present: &[u64]| rule.among(present.iter().copied().map(member));
        let couple = rule(&[(1, 600), (2, 400)], None);
        let shares = |weights: &[(u64, u32)]| {
            Some(Split::Shares(weights.iter().map(|(user, it)| (member(*user), *it)).collect()))
        };
        let equal = |users: &[u64]| Some(Split::Equal(users.iter().copied().map(member).collect()));
        assert_eq!(among(&couple, &[1, 2, 3]), shares(&[(1, 600_000), (2, 400_000)]));
        assert_eq!(among(&couple, &[2, 3]), equal(&[2]));
        assert_eq!(among(&couple, &[3]), None);
        let child = rule(&[(7, 5)], Some(10));
        assert_eq!(among(&child, &[1, 7, 9]), shares(&[(1, 10_000), (7, 5_000), (9, 10_000)]));
        assert_eq!(among(&child, &[1, 9]), equal(&[1, 9]));
        assert_eq!(among(&rule(&[(1, 0)], Some(10)), &[1, 2, 3]), equal(&[2, 3]));
    }
}
