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
    ui::{self, ID, NAME, Names},
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
        p.hint.about data-no-rules hidden[!group.default_splits.is_empty()] {
            (l.no_usual_split())
        }
        p.hint.about data-rules hidden[group.default_splits.is_empty()] { (l.usual_split_about()) }
        (form.html())
    }))
}

/// Whose weight a row has.
#[derive(Clone, Copy)]
enum Who<'a> {
    /// That of each member who is present.
    Each { is_on: bool },
    /// That of a member who has left.
    Past(&'a Member, Decimal),
    /// That of all who have none of their own.
    Others(Option<Decimal>),
}

struct Rules<'a> {
    l: Texts,
    group: &'a Group,
    members: &'a [Member],
    names: &'a Names<'a>,
}

impl Rules<'_> {
    fn html(&self) -> Markup {
        let l = self.l;
        let rules = &self.group.default_splits;
        html! {
            form action={ "/api/groups/" (self.group.id) } data-method="PATCH" data-then=""
                data-list="defaultSplits"
                data-done=(l.saved()) novalidate {
                datalist data-people data-takes=(l.shares_it(NAME)) {
                    @for it in self.present() { (self.names.person(it.id, false, false)) }
                }
                @for (index, rule) in rules.iter().enumerate() {
                    (self.rule(&index.to_string(), Some(rule)))
                }
                template #rule { (self.rule("#", None)) }
                button.small-button type="button" data-add="rule" data-next=(rules.len()) {
                    (l.add_rule())
                }
                p.error data-problem role="alert" hidden {}
                button.main-button data-main { (l.save()) }
            }
        }
    }

    fn present(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|it| it.is_present())
    }

    /// A rule; `index` is `#` in a template, in which all who are present have the weight 1.
    fn rule(&self, index: &str, rule: Option<&DefaultSplit>) -> Markup {
        let l = self.l;
        let at = |field: &str| format!("defaultSplits[{index}].{field}");
        let shares = rule.map(|it| &*it.splits).unwrap_or_default();
        let given = shares.iter().map(|it| (it.user_id, self.l.number_field(it.weight))).collect();
        // Past members stay in a rule until it is changed.
        let past = self.members.iter().filter(|it| !it.is_present());
        let past = past.filter_map(|it| {
            Some((it, shares.iter().find(|share| share.user_id == it.id)?.weight))
        });
        let places = self.present().count()..;
        let category = rule.and_then(|it| it.category);
        html! {
            fieldset data-part {
                div.card.fields { div.line-fields {
                    select.grow name=(at("category")) aria-label=(l.category_label()) {
                        option value="" data-alone=(l.all_expenses())
                            data-among=(l.other_expenses()) {
                            (l.other_expenses())
                        }
                        @for it in Category::all() {
                            option value=(it) selected[category == Some(it.into())] {
                                (it.emoji())
                                " "
                                (l.category(it))
                            }
                        }
                        @for it in &self.group.categories {
                            option value=(it.key)
                                selected[category == Some(ExpenseCategory::Own(it.key))] {
                                (it.name)
                            }
                        }
                    }
                    button.small-button type="button" data-remove aria-label=(l.remove_rule()) {
                        "✕"
                    }
                } }
                ul.card.list.shares {
                    (ui::each(&self.weight(&at("splits[{at}]"),
                        Who::Each { is_on: rule.is_none() }), rule.map(|_| &given)))
                    @for (place, (member, weight)) in places.zip(past) {
                        (self.weight(&at(&format!("splits[{place}]")), Who::Past(member, weight)))
                    }
                    (self.weight(&at("others"), Who::Others(rule.and_then(|it| it.others))))
                }
                p.note.hint data-who-shares aria-live="polite" {}
            }
        }
    }

    /// The row of a weight.
    fn weight(&self, at: &str, who: Who<'_>) -> Markup {
        let l = self.l;
        let (name, is_on, weight) = match who {
            Who::Each { is_on } => (NAME, is_on, None),
            Who::Past(member, weight) => (self.names.of(member.id), true, Some(weight)),
            Who::Others(weight) => (l.others(), weight.is_some(), weight),
        };
        let weight = weight.unwrap_or(Decimal::new(1, 0));
        let field =
            if matches!(who, Who::Others(_)) { at.to_owned() } else { format!("{at}.weight") };
        let user = format!("{at}.userId");
        html! {
            li.row data-row {
                label.grow.check {
                    @match who {
                        Who::Each { .. } => {
                            input type="checkbox" data-counts name=(user) value=(ID) checked[is_on]
                                aria-label="{takes}";
                            (ui::each_avatar())
                            span {
                                span.name { (ui::name(name)) }
                                " "
                                small.hint data-like hidden { (l.like_others()) }
                            }
                        },
                        Who::Past(member, _) => {
                            input type="checkbox" data-counts data-past name=(user)
                                value=(member.id) checked[is_on] aria-label=(l.shares_it(name));
                            (self.names.avatar(member.id))
                            span {
                                span.name { (ui::name(name)) }
                                " "
                                small.hint { (l.has_left()) }
                            }
                        },
                        Who::Others(_) => {
                            input type="checkbox" data-counts data-others checked[is_on];
                            span.name { (name) }
                        },
                    }
                }
                span.stepper {
                    button type="button" data-step="-1" aria-label=(l.less_for(name)) { "−" }
                    input.num name=(field) inputmode="decimal" autocomplete="off" data-number
                        value=(l.number_field(weight))
                        data-value[matches!(who, Who::Each { .. })] aria-label=(l.value_of(name));
                    button type="button" data-step="1" aria-label=(l.more_for(name)) { "+" }
                }
            }
        }
    }
}
