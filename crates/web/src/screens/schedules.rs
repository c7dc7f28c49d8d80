//! The repeating expenses of a group.

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, links::Links},
    records::schedule::{MAX_SKIPS, Schedule, ScheduleProblem, ScheduleRefusal, ScheduleStatus},
    values::{
        id::{MemberId, ScheduleId},
        time::Day,
    },
};
use fracti_http::{App, AsMember, Context, Id, ListId, Paging, Problem, ScheduleView, tag_of};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Dates to come on the screen.
const DATES: usize = 4;

pub(crate) async fn list(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let list_id = ListId::new("schedules", &member_key.group);
    let page = paging.page(&list_id)?;
    let ((group, _), schedules) =
        tokio::try_join!(app.table.group(member_key), app.table.schedules(member_key, &page),)?;
    let path = ui::group_path(group.id);
    let next = schedules.next.map(|position| paging.cursor(&list_id, &position));
    Ok(Fragment(html! {
        a.back href={ (path) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.repeating()) }
        @if schedules.items.is_empty() { p.card.empty { (l.nothing_repeats()) } }
        @else {
            ul.card.list data-pages {
                @for it in &schedules.items { li { (row(l, &group, it, now.day())) } }
            }
            @if let Some(cursor) = next {
                (ui::show_more(l, &format!("{path}/schedules"), None, &cursor))
            }
        }
        @if !group.archived {
            a.main-button data-main href={ (path) "/expenses/new" } { (l.add_expense()) }
        }
    }))
}

/// A repeating expense in the list.
fn row(l: Texts, group: &Group, it: &Schedule, today: Day) -> Markup {
    let of = &it.template;
    html! {
        a.row href={ (ui::group_path(group.id)) "/schedules/" (it.id) } {
            span.icon aria-hidden="true" { (ui::emoji(group, of.category)) }
            span.grow {
                span.name { (ui::name(&of.description)) }
                small.hint { (l.repeats(&it.repeat)) " · " (state(l, it, today)) }
            }
            (ui::money(l, of.amount, of.currency))
        }
    }
}

/// When it comes next, or why it does not.
fn state(l: Texts, it: &Schedule, today: Day) -> Markup {
    match (it.status(), it.next_date) {
        (ScheduleStatus::Active, Some(next)) => {
            sentence([ui::day(l, next, today)], |[day]| l.next_on(day))
        }
        (ScheduleStatus::Paused, _) if it.problem.is_some() => {
            html! { b.minus { (l.needs_change()) } }
        }
        (ScheduleStatus::Paused, _) => html! { (l.paused()) },
        (ScheduleStatus::Ended | ScheduleStatus::Active, _) => html! { (l.repeat_ended()) },
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ScheduleId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ((group, members), schedule) =
        tokio::try_join!(app.table.group(member_key), app.table.schedule(member_key, id),)?;
    let names = Names::new(l, member_key.user.into(), &members);
    let view = ScheduleScreen {
        l,
        group: &group,
        members: &members,
        names: &names,
        it: &schedule,
        today: now.day(),
    };
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/schedules" } { (l.repeating()) }
        h1 tabindex="-1" data-title { (ui::name(&schedule.template.description)) }
        (view.head())
        (view.dates())
        (view.shares())
        @if !group.archived { (view.actions()) }
    }))
}

struct ScheduleScreen<'a> {
    l: Texts,
    group: &'a Group,
    members: &'a [Member],
    names: &'a Names<'a>,
    it: &'a Schedule,
    today: Day,
}

impl ScheduleScreen<'_> {
    fn head(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        let of = &self.it.template;
        let category = of.category.map(|it| ui::category_name(l, self.group, it));
        html! {
            section.card.hero {
                p {
                    span.hint {
                        (ui::emoji(self.group, of.category)) " "
                        @if let Some(category) = category { (category) " · " }
                        (l.repeats(&it.repeat))
                        @if let Some(until) = it.repeat.until {
                            " "
                            (sentence([ui::day(l, until, self.today)], |[day]| l.until_day(day)))
                        }
                    }
                    (ui::big(&l.money(of.amount, of.currency)))
                    span.hint {
                        (l.who_pays()) ": "
                        (ui::listed(of.all_payers().iter().map(|payer| {
                            self.names.shown_stored(payer.user_id, &payer.user_name)
                        })))
                    }
                    @if let Some(notes) = &of.notes { span { (ui::name(notes)) } }
                    small.hint {
                        (self.set_up())
                        @if let Some(agent) = &it.agent_name { " · " (ui::name(agent)) }
                    }
                    @if let Some(problem) = &it.problem {
                        b.minus { (self.problem(problem)) }
                        small.hint { (sentence([ui::day(l, problem.date, self.today)],
                            |[day]| l.comes_later(day))) }
                    } @else { span { (state(l, it, self.today)) } }
                }
            }
        }
    }

    /// Who made or last changed it, and when.
    fn set_up(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        let when = ui::moment(l, it.updated_at.unwrap_or(it.created_at), self.today);
        let actor = it.actor_id.into();
        if self.names.is_me(actor) {
            return sentence([when], |[when]| l.set_up_by_you(when));
        }
        sentence([self.names.shown(actor), when], |[name, when]| l.set_up_by(name, when))
    }

    /// Why it was paused, in the words of the group.
    fn problem(&self, problem: &ScheduleProblem) -> Markup {
        let l = self.l;
        let of = &self.it.template;
        let links: Links = self.members.iter().collect();
        let is_away = |id: MemberId| {
            let meant = links.resolve(id);
            !self.members.iter().any(|it| it.id == meant && it.is_present())
        };
        let away = |mut ids: Vec<MemberId>| {
            ids.drain(..).find(|id| is_away(*id)).map(|id| self.names.shown(id))
        };
        let path = problem.path.as_deref().unwrap_or_default();
        let stated = || html! { (problem.message().text(l.0)) };
        match problem.code {
            ScheduleRefusal::Left | ScheduleRefusal::Removed => {
                sentence([self.names.shown(self.it.actor_id.into())], |[name]| {
                    l.actor_is_away(name)
                })
            }
            ScheduleRefusal::GroupArchived => html! { (l.was_archived()) },
            ScheduleRefusal::Invalid if path.contains("payer") => {
                let payer = away(of.payer_ids().collect());
                payer.map_or_else(stated, |name| sentence([name], |[name]| l.payer_is_away(name)))
            }
            ScheduleRefusal::Invalid if path.contains("userId") => {
                let sharer = away(of.splits.iter().map(|it| it.user_id).collect());
                sharer.map_or_else(stated, |name| sentence([name], |[name]| l.sharer_is_away(name)))
            }
            ScheduleRefusal::Invalid if path.ends_with("category") => {
                html! { (l.category_is_gone()) }
            }
            ScheduleRefusal::Invalid | ScheduleRefusal::TooManySplits => stated(),
        }
    }

    fn dates(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        let path = ui::group_path(self.group.id);
        html! {
            @if it.next_date.is_some() && !it.paused {
                h2 { (l.next_dates()) }
                ul.card.list { @for date in it.next_dates().into_iter().take(DATES) {
                    li.row { span.grow { (ui::day(l, date, self.today)) } }
                } }
            }
            @if !it.skips.is_empty() {
                h2 { (l.skipped()) }
                ul.card.list { @for (index, skip) in it.skips.iter().enumerate() {
                    li.row {
                        span.grow { (ui::day(l, *skip, self.today)) }
                        @if !self.group.archived {
                            (self.skipping(&self.without(index), l.do_not_skip(), l.saved()))
                        }
                    }
                } }
            }
            @if let (Some(date), Some(id)) = (it.last_date, it.last_expense_id) {
                a.more href={ (path) "/expenses/" (id) } {
                    (sentence([ui::day(l, date, self.today)], |[day]| l.last_one(day)))
                }
            }
        }
    }

    /// The skipped dates but the one with this index.
    fn without(&self, index: usize) -> Vec<Day> {
        let others = self.it.skips.iter().enumerate().filter(|(place, _)| *place != index);
        others.map(|(_, skip)| *skip).collect()
    }

    fn shares(&self) -> Markup {
        let l = self.l;
        let of = &self.it.template;
        html! {
            h2 {
                (l.shares()) " · "
                (match self.it.shared_by {
                    Some(_) => l.by_the_day(),
                    None => l.split_type(of.split_type),
                })
            }
            ul.card.list { @for share in &of.splits {
                li.row.mine[self.names.is_me(share.user_id)] { (self.names.avatar(share.user_id))
                    span.grow { (self.names.shown_stored(share.user_id, &share.user_name)) }
                    @if let Some(weight) = share.weight { span.hint { "× " (l.number(weight)) } }
                    (ui::money(l, share.amount, of.currency)) }
            } }
        }
    }

    /// The operation on the schedule, and its entity tag.
    fn api(&self) -> (String, String) {
        let api = format!("/api/groups/{}/schedules/{}", self.group.id, self.it.id);
        (api, tag_of(&ScheduleView::of(self.it.clone(), self.l.0)))
    }

    /// A button that skips these dates.
    fn skipping(&self, skips: &[Day], label: &str, done: &str) -> Markup {
        let (api, tag) = self.api();
        let before = serde_json::json!({ "skips": self.it.skips });
        html! {
            form.inline action=(api) data-method="PUT" data-etag=(tag) data-then=""
                data-list="skips" data-done=(done)
                data-undo={ "PUT " (api) } data-undo-body=(before) {
                @for (index, skip) in skips.iter().enumerate() {
                    input type="hidden" name={ "skips[" (index) "]" } value=(skip);
                }
                button.small-button { (label) }
            }
        }
    }

    fn actions(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        let (api, tag) = self.api();
        let edit = html! {
            a.small-button href={ (ui::group_path(self.group.id)) "/schedules/" (it.id) "/edit" } {
                (l.edit())
            }
        };
        let next = it.next_date.filter(|_| !it.paused && it.skips.len() < MAX_SKIPS);
        html! {
            section.card.actions {
                @if it.problem.is_some() { (edit) }
                // What needs a change goes on once it is edited.
                @let code = it.problem.as_ref().map(|it| it.code);
                @let needs_change =
                    matches!(code, Some(ScheduleRefusal::Invalid | ScheduleRefusal::TooManySplits));
                @if it.next_date.is_some() && !needs_change {
                    form.inline action=(api) data-method="PUT" data-etag=(tag) data-then=""
                        data-done=(if it.paused { l.goes_on() } else { l.is_paused() }) {
                        input type="hidden" name="paused" value=(!it.paused) data-json;
                        p.error data-problem role="alert" hidden {}
                        button.small-button { (if it.paused { l.resume() } else { l.pause() }) }
                    }
                }
                @if let Some(next) = next {
                    @let skips: Vec<Day> = it.skips.iter().copied().chain([next]).collect();
                    (self.skipping(&skips, &l.skip_on(l.day(next, self.today)),
                        &l.is_skipped(l.day(next, self.today))))
                }
                @if it.problem.is_none() { (edit) }
                form.inline action=(api) data-method="DELETE" data-etag=(tag)
                    data-ask=(l.delete_repeat())
                    data-then={ (ui::group_path(self.group.id)) "/schedules" }
                    data-done=(l.deleted(&it.template.description)) {
                    button.small-button.danger { (l.delete()) }
                }
            }
        }
    }
}
