//! DynamoDB's expression language: conditions and updates as text. Nothing else writes an
//! expression.

use std::collections::HashMap;

use fracti_core::storage::{
    condition::Condition,
    row::{AttributeValue, Item},
    write::Update,
};

/// The names and values to which the expressions of one request refer.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    names: Vec<String>,
    values: Vec<AttributeValue>,
}

impl Parameters {
    /// The text of a condition, if it requires anything.
    pub(super) fn condition(&mut self, condition: &Condition) -> Option<String> {
        (!condition.is_empty()).then(|| self.text(condition))
    }

    /// The text of an update.
    pub(super) fn update(&mut self, update: &Update) -> String {
        let mut add = Vec::new();
        let mut set = Vec::new();
        let mut remove = Vec::new();
        for (name, number) in &update.add {
            let name = self.name(name);
            add.push(format!("{name} {}", self.value(AttributeValue::N(number.to_string()))));
        }
        for (name, value) in &update.set {
            let name = self.name(name);
            match value {
                Some(value) => set.push(format!("{name} = {}", self.value(value.clone()))),
                None => remove.push(name),
            }
        }
        let clauses = [("ADD", add), ("SET", set), ("REMOVE", remove)].into_iter();
        let clauses = clauses.filter(|(_, parts)| !parts.is_empty());
        let clauses = clauses.map(|(verb, parts)| format!("{verb} {}", parts.join(", ")));
        clauses.collect::<Vec<_>>().join(" ")
    }

    /// The placeholder of an attribute's name.
    pub(super) fn name(&mut self, name: &str) -> String {
        let known = self.names.iter().position(|it| it == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len().saturating_sub(1)
        });
        format!("#n{index}")
    }

    /// The placeholder of a value.
    pub(super) fn value(&mut self, value: AttributeValue) -> String {
        self.values.push(value);
        format!(":v{}", self.values.len().saturating_sub(1))
    }

    /// The names and values by their placeholders, as a request carries them.
    pub(super) fn into_parts(self) -> (Option<HashMap<String, String>>, Option<Item>) {
        let names = self.names.into_iter().enumerate();
        let names: HashMap<_, _> = names.map(|(index, it)| (format!("#n{index}"), it)).collect();
        let values = self.values.into_iter().enumerate();
        let values: Item = values.map(|(index, it)| (format!(":v{index}"), it)).collect();
        (Some(names).filter(|it| !it.is_empty()), Some(values).filter(|it| !it.is_empty()))
    }

    fn text(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Has(name) => format!("attribute_exists({})", self.name(name)),
            Condition::Lacks(name) => format!("attribute_not_exists({})", self.name(name)),
            Condition::Equal(name, value) => self.compared(name, "=", value),
            Condition::Less(name, value) => self.compared(name, "<", value),
            Condition::Greater(name, value) => self.compared(name, ">", value),
            Condition::BeginsWith(name, prefix) => {
                let name = self.name(name);
                let prefix = self.value(AttributeValue::S(prefix.clone()));
                format!("begins_with({name}, {prefix})")
            }
            Condition::OneOf(name, values) => {
                let name = self.name(name);
                let values: Vec<_> = values.iter().map(|it| self.value(it.clone())).collect();
                format!("{name} IN ({})", values.join(", "))
            }
            Condition::All(all) => self.joined(all, " AND "),
            Condition::Any(any) => self.joined(any, " OR "),
        }
    }

    fn compared(&mut self, name: &str, operator: &str, value: &AttributeValue) -> String {
        let name = self.name(name);
        format!("{name} {operator} {}", self.value(value.clone()))
    }

    fn joined(&mut self, conditions: &[Condition], operator: &str) -> String {
        let part = |condition: &Condition| {
            let text = self.text(condition);
            let is_group = matches!(condition, Condition::All(_) | Condition::Any(_));
            if is_group { format!("({text})") } else { text }
        };
        conditions.iter().map(part).collect::<Vec<_>>().join(operator)
    }
}

#[cfg(test)]
mod tests {
    use fracti_core::values::decimal::Decimal;

    use super::*;

    fn number(number: u32) -> AttributeValue {
        AttributeValue::N(number.to_string())
    }

    #[test]
    fn condition_keeps_its_groups() {
        let either = Condition::absent().or(Condition::equal("attempt", number(1)));
        let both = either.and(Condition::without("archived").and(Condition::present()));
        let mut parameters = Parameters::default();
        let text = parameters.condition(&both).unwrap();
        assert_eq!(
            text,
            "(attribute_not_exists(#n0) OR #n1 = :v0) AND attribute_not_exists(#n2) \
             AND attribute_exists(#n0)"
        );
        let (names, values) = parameters.into_parts();
        assert_eq!(names.unwrap()["#n1"], "attempt");
        assert_eq!(values.unwrap().len(), 1);
    }

    #[test]
    fn update_has_each_clause_once() {
        let update = Update {
            add: vec![("a".to_owned(), Decimal::new(1, 0)), ("b".to_owned(), Decimal::new(-2, 0))],
            set: vec![("c".into(), Some(number(3))), ("d".into(), None)],
        };
        let text = Parameters::default().update(&update);
        assert_eq!(text, "ADD #n0 :v0, #n1 :v1 SET #n2 = :v2 REMOVE #n3");
    }

    #[test]
    fn nothing_is_required_without_a_condition() {
        assert_eq!(Parameters::default().condition(&Condition::default()), None);
    }
}
