//! An expense: who paid, who owes how much and why, its lines, its history.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, links::Links},
    input::Error,
    ledger::EntryStatus,
    records::{
        entry::Entry,
        expense::{Expense, ShareBreakdown},
    },
    split::{Line, Sharing},
    values::{
        decimal::Decimal,
        id::{ExpenseId, MemberId},
        time::Day,
    },
};
use fracti_http::{App, AsMember, Context, ExpenseView, Id, Problem, tag_of};
use fracti_store::Page;
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Entries of the history on the screen.
const ENTRIES: usize = 20;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ExpenseId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let page = Page { limit: ENTRIES, after: None };
    let (group, expense, history) = tokio::join!(
        app.table.group(member_key),
        app.table.expense(member_key, id),
        app.table.expense_history(member_key, id, &page),
    );
    let ((group, members), history) = (group?, history?);
    let is_deletion = |it: &&Entry| it.status == EntryStatus::Revert;
    let deletion = history.items.iter().find(is_deletion).filter(|_| expense.is_err());
    // A deleted expense is shown as it was.
    let was = || history.items.iter().find_map(|it| it.snapshot.as_deref().cloned());
    let expense = match expense {
        Err(Error::NoExpense) => was().ok_or(Error::NoExpense),
        expense => expense,
    }?;
    let schedule = match expense.schedule_id {
        None => None,
        Some(id) => match app.table.schedule(member_key, id).await {
            Err(Error::NoSchedule) => None,
            schedule => Some(schedule?),
        },
    };
    let names = Names::new(l, member_key.user.into(), &members);
    let view =
        ExpenseScreen { l, group: &group, names: &names, expense: &expense, today: now.day() };
    let path = format!("{}/expenses/{id}", ui::group_path(group.id));
    let links: Links = members.iter().collect();
    let may_edit = expense.may_edit(member_key.user, &links, &members);
    Ok(Fragment(html! {
        a.back href=(ui::group_path(group.id)) { (ui::name(&group.title)) }
        h1 tabindex="-1" data-title { (ui::name(&expense.description)) }
        (view.head(deletion))
        @if let Some(it) = schedule {
            @let how = l.repeats(&it.repeat);
            a.more href={ (ui::group_path(group.id)) "/schedules/" (it.id) } {
                (if it.next_date.is_some() { l.repeats_as(how) } else { l.repeated_as(how) })
            }
        }
        div.columns {
            section {
                @if expense.payers.len() > 1 { (view.payers()) }
                (view.shares())
            }
            section {
                @if let Some(lines) = &expense.items { (view.lines(lines)) }
                (view.breakdown())
                (view.history(&history.items))
            }
        }
        @if !group.archived {
            @if deletion.is_some() { @if may_edit { (view.restore()) } }
            @else { (view.actions(&path, may_edit)) }
            @if !may_edit { (only(l, &names, &members, &expense)) }
        }
    }))
}

struct ExpenseScreen<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    expense: &'a Expense,
    today: Day,
}

impl ExpenseScreen<'_> {
    fn money(&self, amount: Decimal) -> Markup {
        ui::money(self.l, amount, self.expense.currency)
    }

    /// What it was, and who recorded or deleted it.
    fn head(&self, deletion: Option<&Entry>) -> Markup {
        let l = self.l;
        let expense = self.expense;
        let category = expense.category.map(|it| ui::category_name(l, self.group, it));
        let when = ui::moment(l, expense.created_at, self.today);
        html! {
            section.card.hero {
                p {
                    span.hint {
                        (ui::emoji(self.group, expense.category)) " "
                        @if let Some(category) = category { (category) " · " }
                        (ui::day(l, expense.day(), self.today))
                    }
                    (ui::big(&l.money(expense.amount, expense.currency)))
                    span.hint { (super::list::paid(l, self.names, expense)) }
                    @if let Some(notes) = &expense.notes { span { (ui::name(notes)) } }
                    small.hint {
                        @match expense.created_by {
                            _ if expense.schedule_id.is_some() => (sentence([when],
                                |[when]| l.recorded_by_itself(when))),
                            Some(user) => (self.names.recorded(user, when)),
                            None => (sentence([when], |[when]| l.recorded(when))),
                        }
                        @if let Some(at) = expense.updated_at {
                            " · "
                            (sentence([ui::moment(l, at, self.today)], |[when]| l.edited(when)))
                        }
                        @if expense.import_id.is_some() { " · " (l.imported()) }
                    }
                    @if let Some(it) = deletion {
                        b.minus { (deleted(l, self.names, (it.actor_id.into(), "?"),
                            ui::moment(l, it.created_at, self.today))) }
                    }
                }
            }
        }
    }

    fn payers(&self) -> Markup {
        html! {
            h2 { (self.l.payers()) }
            ul.card.list { @for payer in &self.expense.payers {
                li.row { (self.names.avatar(payer.user_id))
                    span.grow { (self.names.shown_stored(payer.user_id, &payer.user_name)) }
                    (self.money(payer.amount))
                    }
            } }
        }
    }

    /// The shares, the reader's first.
    fn shares(&self) -> Markup {
        let l = self.l;
        let (mine, others): (Vec<_>, Vec<_>) =
            self.expense.splits.iter().partition(|it| self.names.is_me(it.user_id));
        html! {
            h2 { (l.shares()) " · " (l.split_type(self.expense.split_type)) }
            ul.card.list { @for share in mine.into_iter().chain(others) {
                li.row.mine[self.names.is_me(share.user_id)] { (self.names.avatar(share.user_id))
                    span.grow { (self.names.shown_stored(share.user_id, &share.user_name)) }
                    @if let Some(weight) = share.weight { span.hint { "× " (l.number(weight)) } }
                    @if let Some(percentage) = share.percentage {
                        span.hint { (l.number(percentage)) "\u{a0}%" }
                    }
                    (self.money(share.amount)) }
            } }
        }
    }

    fn lines(&self, lines: &[Line<Decimal>]) -> Markup {
        let l = self.l;
        html! {
            h2 { (l.lines()) }
            ul.card.list { @for line in lines {
                li.row {
                    span.grow {
                        @if Texts::is_name_of(line.kind, line.name.as_str()) {
                            (l.line(line.kind))
                        } @else {
                            (ui::name(&line.name))
                        }
                        small.hint {
                            @match &line.sharing {
                                // The name of one that has none of its own is its kind.
                                Sharing::Over { over, split } => {
                                    @let is_named = !Texts::is_name_of(line.kind,
                                        line.name.as_str());
                                    @if is_named { (l.line(line.kind)) " · " }
                                    (l.line_split(*split))
                                    @if let Some(over) = over {
                                        " · "
                                        (applies_to(l, lines, over))
                                    }
                                },
                                Sharing::Sharers { sharers } => (self.sharers(line.quantity,
                                    sharers)),
                            }
                        }
                    }
                    (self.money(line.added()))
                }
            } }
        }
    }

    /// Who shares a line: how many pieces each had, and how many all of them share. Where weights
    /// are no pieces, they are named.
    fn sharers(&self, quantity: Option<Decimal>, sharers: &BTreeMap<MemberId, Decimal>) -> Markup {
        let l = self.l;
        if let Some((own, shared)) = quantity.and_then(|it| pieces(it, sharers)) {
            let named = own.iter().filter(|(_, count)| shared == 0 || *count > 0);
            let had = |(member, count): &(MemberId, i128)| {
                html! { (self.names.shown(*member)) " ×\u{a0}" (count) }
            };
            let by_all = (shared > 0).then(|| html! { (l.shared_by_all(shared)) });
            return ui::listed(named.map(had).chain(by_all));
        }
        weighted(l, self.names, sharers)
    }

    fn breakdown(&self) -> Markup {
        let l = self.l;
        let expense = self.expense;
        let amount = |amount| l.amount(amount, expense.currency);
        let row = |ShareBreakdown { share, parts, rounding }: &ShareBreakdown<'_>| {
            html! {
                li.row { span.grow {
                    (self.names.shown_stored(share.user_id, &share.user_name))
                    small.hint {
                        @for (index, part) in parts.iter().enumerate() {
                            @if index > 0 { " + " }
                            @match &part.line { Some((_, name)) => (ui::name(name)),
                                None => (l.part(part.kind)) } " "
                            bdi dir="ltr" { (amount(part.amount)) }
                        }
                        @if *rounding != Decimal::ZERO {
                            " + "
                            (l.rounding())
                            " "
                            bdi dir="ltr" { (amount(*rounding)) }
                        }
                    }
                } (self.money(share.amount)) }
            }
        };
        html! {
            details.card.fields { summary { (l.show_breakdown()) }
                ul.list { @for share in expense.breakdown() { (row(&share)) } } }
        }
    }

    fn history(&self, entries: &[Entry]) -> Markup {
        let l = self.l;
        let shown = entries.iter().filter(|it| it.status != EntryStatus::Revert);
        let before = |entry: &Entry| {
            entry.snapshot.as_ref().map(|it| (it.description.clone(), it.amount, it.currency))
        };
        html! {
            details.card.fields { summary { (l.history()) }
                ul.list { @for entry in shown {
                    li.row { span.grow {
                        (l.entry(entry.status))
                        small.hint {
                            (self.names.shown(MemberId::from(entry.actor_id)))
                            ", "
                            (ui::moment(l, entry.created_at, self.today))
                        }
                        @if let Some((description, ..)) = before(entry) {
                            small { (ui::name(&description)) }
                        }
                    } @if let Some((_, amount,
                        currency)) = before(entry) { (ui::money(l, amount, currency)) } }
                } } }
        }
    }

    fn restore(&self) -> Markup {
        let l = self.l;
        let api = format!("/api/groups/{}/expenses/{}", self.group.id, self.expense.id);
        html! {
            form.card.actions action={ (api) "/restore" } data-method="POST" data-then=""
                data-undo={ "DELETE " (api) } data-done=(l.restored(&self.expense.description)) {
                p.error data-problem role="alert" hidden {}
                button.small-button { (l.restore()) }
            }
        }
    }

    fn actions(&self, path: &str, may_edit: bool) -> Markup {
        let l = self.l;
        let expense = self.expense;
        let api = format!("/api/groups/{}/expenses/{}", self.group.id, expense.id);
        html! {
            section.card.actions {
                @if may_edit { a.small-button href={ (path) "/edit" } { (l.edit()) } }
                a.small-button
                    href={ (ui::group_path(self.group.id)) "/expenses/new?from=" (expense.id) } {
                    (l.duplicate())
                }
                @if may_edit {
                    form.inline action=(api) data-method="DELETE"
                        data-etag=(tag_of(&ExpenseView::from(expense.clone())))
                        data-then=(ui::group_path(self.group.id))
                        data-undo={ "POST " (api) "/restore" }
                        data-done=(l.deleted(&expense.description)) {
                        button.small-button.danger { (l.delete()) }
                    }
                }
            }
        }
    }
}

/// The members who share a line, with their weights unless these are all 1.
pub(crate) fn weighted(
    l: Texts,
    names: &Names<'_>,
    sharers: &BTreeMap<MemberId, Decimal>,
) -> Markup {
    let is_weighted = sharers.values().any(|it| *it != Decimal::new(1, 0));
    ui::listed(sharers.iter().map(|(member, weight)| {
        html! {
            (names.shown(*member))
            @if is_weighted { " ×\u{a0}" (l.number(*weight)) }
        }
    }))
}

/// The items that a tax, a tip, a fee or a discount applies to.
fn applies_to(l: Texts, lines: &[Line<Decimal>], over: &[usize]) -> Markup {
    let items = over.iter().filter_map(|it| lines.get(*it)).map(|line| ui::name(&line.name));
    sentence([ui::listed(items)], |[items]| l.applies_to(items))
}

/// Decimals of weights and numbers of pieces.
const DECIMALS: u8 = 4;

/// The whole pieces that each sharer of several has, and those that all share. `None` if the
/// weights do not say that.
fn pieces(
    quantity: Decimal,
    sharers: &BTreeMap<MemberId, Decimal>,
) -> Option<(Vec<(MemberId, i128)>, i128)> {
    let scaled = |it: Decimal| it.at_scale(DECIMALS);
    let all = sharers.values().try_fold(0_i128, |sum, it| sum.checked_add(scaled(*it)?))?;
    // A piece, in the unit of a product of the quantity and a weight.
    let piece = all.checked_mul(scaled(Decimal::new(1, 0))?)?;
    let quantity = scaled(quantity)?;
    let part = |weight| scaled(weight)?.checked_mul(quantity);
    let rest = part(*sharers.values().next()?)?.checked_rem(piece)?;
    let whole = |(id, weight): (&MemberId, &Decimal)| {
        let part = part(*weight)?;
        (part.checked_rem(piece)? == rest).then_some((*id, part.checked_div(piece)?))
    };
    let own: Vec<_> = sharers.iter().map(whole).collect::<Option<_>>()?;
    let shared = rest.checked_mul(own.len().try_into().ok()?)?;
    let is_plain = own.len() < 2 || shared.checked_rem(piece)? != 0;
    if is_plain { None } else { Some((own, shared.checked_div(piece)?)) }
}

/// Who deleted an expense, and when. The user has the name that is stored, unless they are a
/// member.
pub(crate) fn deleted(
    l: Texts,
    names: &Names<'_>,
    (by, stored): (MemberId, &str),
    when: Markup,
) -> Markup {
    if names.is_me(by) {
        return sentence([when], |[when]| l.deleted_by_you(when));
    }
    sentence([names.shown_stored(by, stored), when], |[name, when]| l.deleted_by(name, when))
}

/// Says who may change an expense that the reader may not, and how to reach them.
pub(crate) fn only(l: Texts, names: &Names<'_>, members: &[Member], of: &Expense) -> Markup {
    let links: Links = members.iter().collect();
    let present = |id| members.iter().find(|it| it.id == links.resolve(id) && it.is_present());
    let recorder = of.created_by.and_then(|user| present(user.into()));
    let line = if let Some(member) = recorder {
        sentence([names.shown(member.id)], |[name]| l.only_recorder(name))
    } else {
        let payer = names.shown(links.resolve(of.payer_id));
        sentence([payer], |[name]| l.only_payer(name))
    };
    let username = recorder.or_else(|| present(of.payer_id)).and_then(|it| it.username.as_ref());
    html! {
        p.note.hint {
            (line)
            @if let Some(username) = username {
                " "
                button.small-button type="button" data-open={ "https://t.me/" (username) } {
                    bdi dir="ltr" { "@" (username) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fracti_core::values::id::UserId;

    use super::*;

    #[test]
    fn pieces_are_those_that_each_had_and_those_that_all_share() {
        let of = |quantity, weights: &[i128]| {
            let weights = (1..)
                .zip(weights)
                .map(|(id, weight)| (UserId::new(id).unwrap().into(), Decimal::new(*weight, 0)));
            let (own, shared) = pieces(Decimal::new(quantity, 0), &weights.collect())?;
            Some((own.into_iter().map(|(_, count)| count).collect::<Vec<_>>(), shared))
        };
        // Two of four beers, one, and one that both share.
        assert_eq!(of(4, &[5, 3]), Some((vec![2, 1], 1)));
        assert_eq!(of(4, &[3, 1]), Some((vec![3, 1], 0)));
        assert_eq!(of(1, &[1, 1]), Some((vec![0, 0], 1)));
        assert_eq!(of(4, &[2, 1]), None);
        assert_eq!(of(4, &[1]), None);
    }
}
