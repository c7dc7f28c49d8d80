//! A group's default split, which people call the usual one: its rules, saved as a whole.

use axum::extract::State;
use fracti_core::{
    group::{DefaultSplit, Group, Member, links::Links},
    values::{
        category::{Category, ExpenseCategory},
        decimal::Decimal,
    },
};
use fracti_http::{App, AsMember, Problem};
use maud::{Markup, html};

use super::frame::archived;
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members) = app.table.group(member_key).await?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let links: Links = members.iter().collect();
    let group = group.resolved(&links);
    let members = links.unlinked(&members);
    let names = Names::new(l, member_key.user.into(), &members);
    let form = Rules { l, group: &group, members: &members, names: &names };
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/settings" } { (l.settings()) }
        h1 tabindex="-1" data-title { (l.usual_split()) }
        p.hint { (l.usual_split_about()) }
        (form.html())
    }))
}

struct Rules<'a> {
    l: Texts,
    group: &'a Group,
    members: &'a [Member],
    names: &'a Names<'a>,
}

impl Rules<'_> {
    fn html(&self) -> Markup {
        let (l, rules) = (self.l, &self.group.default_splits);
        html! {
            form action={ "/api/groups/" (self.group.id) } data-method="PATCH" data-then="" data-list="defaultSplits"
                data-done=(l.saved()) novalidate {
                @for (index, rule) in rules.iter().enumerate() { (self.rule(&index.to_string(), Some(rule))) }
                template #rule { (self.rule("#", None)) }
                button.small-button type="button" data-add="rule" data-next=(rules.len()) { (l.add_rule()) }
                p.error data-problem role="alert" hidden {}
                button.main-button data-main { (l.save()) }
            }
        }
    }

    /// A rule; `index` is `#` in a template, in which all who are present have the weight 1.
    fn rule(&self, index: &str, rule: Option<&DefaultSplit>) -> Markup {
        let l = self.l;
        let at = |field: &str| format!("defaultSplits[{index}].{field}");
        let named = |member: &Member| {
            rule.is_some_and(|it| it.splits.iter().any(|share| share.user_id == member.id))
        };
        let people = self.members.iter().filter(|it| it.is_present() || named(it));
        let category = rule.and_then(|it| it.category);
        html! {
            fieldset data-part {
                div.card.fields { div.line-fields {
                    select.grow name=(at("category")) aria-label=(l.category_label()) {
                        option value="" { (l.other_expenses()) }
                        @for it in Category::all() {
                            option value=(it) selected[category == Some(it.into())] { (it.emoji()) " " (l.category(it)) }
                        }
                        @for it in &self.group.categories {
                            option value=(it.key) selected[category == Some(ExpenseCategory::Own(it.key))] { (it.name) }
                        }
                    }
                    button.small-button type="button" data-remove aria-label=(l.remove_rule()) { "✕" }
                } }
                ul.card.list.shares {
                    @for (place, member) in people.enumerate() {
                        @let weight = rule.map_or(Decimal::new(1, 0), |it| {
                            it.splits.iter().find(|share| share.user_id == member.id).map_or(Decimal::ZERO, |it| it.weight)
                        });
                        @let is_on = rule.is_none() || named(member);
                        (self.weight(&at(&format!("splits[{place}]")), Some(member), is_on, weight))
                    }
                    (self.weight(&at("others"), None, rule.is_some_and(|it| it.others.is_some()), rule.and_then(|it| it.others).unwrap_or_default()))
                }
            }
        }
    }

    /// The weight of a member, or of all who have none of their own.
    fn weight(&self, at: &str, member: Option<&Member>, is_on: bool, weight: Decimal) -> Markup {
        let l = self.l;
        let name = member.map_or(l.others(), |member| self.names.of(member.id));
        let is_me = member.is_some_and(|member| self.names.is_me(member.id));
        let shares_it = if is_me { l.you_share_it().to_owned() } else { l.shares_it(name) };
        let weight = if is_on { weight } else { Decimal::new(1, 0) };
        let field = if member.is_some() { format!("{at}.weight") } else { at.to_owned() };
        html! {
            li.row data-row {
                label.grow.check {
                    @if let Some(member) = member {
                        input type="checkbox" data-counts name={ (at) ".userId" } value=(member.id) checked[is_on] aria-label=(shares_it);
                        (self.names.avatar(member.id))
                        span.name { (ui::name(name)) @if !member.is_present() { " " small.tag { (l.has_left()) } } }
                    } @else {
                        input type="checkbox" data-counts checked[is_on];
                        span.name { (name) }
                    }
                }
                span.stepper {
                    button type="button" data-step="-1" aria-label=(l.less_for(name)) { "−" }
                    input.num name=(field) inputmode="decimal" autocomplete="off" data-number value=(weight) aria-label=(l.value_of(name));
                    button type="button" data-step="1" aria-label=(l.more_for(name)) { "+" }
                }
            }
        }
    }
}
