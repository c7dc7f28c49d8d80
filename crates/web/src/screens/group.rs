//! A group: what it owes the reader or they owe, what waits for them, and its expenses by day.

use std::{cmp::Reverse, collections::HashSet};

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::Ledger,
    plan::Plan,
    questions::question::QuestionFilter,
    records::{
        expense::{Expense, Filter, ListOrder},
        settlement::{Settlement, SettlementAction},
    },
    reports::debts::Debts,
    values::{currency::Currency, id::MemberId, question_status::QuestionStatus},
};
use fracti_http::{App, AsMember, Context, FromChat, Paging, Problem};
use fracti_store::{Page, Position, Slice};
use maud::{Markup, html};

use super::{
    chat, expenses,
    frame::{add, head},
    links::Links,
    list::{EXPENSES, List, own_ids},
    me, members, settle,
    settlement::Rights,
};
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Open questions that are looked at.
const QUESTIONS: usize = 10;

/// Expenses recorded last, which the index by day may lack.
const RECORDED: usize = 10;

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
    Context { now, .. }: Context,
    from: Result<FromChat, Problem>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (of_questions, open) = (
        Page { limit: QUESTIONS, after: None },
        QuestionFilter {
            statuses: vec![QuestionStatus::Open, QuestionStatus::Partial],
            ..QuestionFilter::default()
        },
    );
    let ((group, members, ledger), newest, questions) = tokio::try_join!(
        app.table.group_and_ledger(member_key),
        newest(&app, member_key),
        app.table.questions(member_key, &open, &of_questions, now),
    )?;
    let pending = app.table.pending_settlements(group.id, &ledger).await?;
    let moves = chat::moves(l, &app, &group, &ledger, member_key.user, from.ok().as_ref()).await?;
    let me: MemberId = member_key.user.into();
    let names = Names::new(l, me, &members);
    let bot = app.bot_username.as_deref();
    let list =
        List { l, group: &group, names: &names, own: own_ids(me, &members), today: now.day() };
    Ok(Fragment(html! {
        (head(l, &group, 0))
        (own_balance(l, &group, (&ledger, &members), me, &pending))
        (waiting(l, &group, &names, (&Rights::of(&members, member_key.user), &ledger), &pending))
        (Links { l, group: &group, names: &names, ledger: &ledger, me: member_key.user }.waiting())
        (me::questions(l, questions.items.iter().filter(|it| it.can_answer), false))
        (moves)
        (news(l, &group, &ledger))
        section aria-label=(l.expenses()) {
            @if newest.items.is_empty() {
                @if group.archived {
                    p.card.empty { (l.no_entries()) }
                } @else {
                    (first_steps(l, &group, bot))
                }
            }
            @if newest.order == ListOrder::Recorded { p.note.hint { (l.by_recording()) } }
            div data-pages { (list.of(&newest.items)) }
            @if let Some(next) = &newest.next {
                (expenses::more(l, group.id, &paging, newest.order, next))
            }
        }
        (add(&group, if newest.items.is_empty() { l.add_first_expense() } else { l.add_expense() }))
    }))
}

/// What to do in a group without expenses: to bring in the others, and to record one.
fn first_steps(l: Texts, group: &Group, bot: Option<&str>) -> Markup {
    let link = members::invitation(group, &ui::start_link(bot, group.id, ui::Start::Group));
    html! {
        section.card.empty {
            p { (l.no_expenses()) }
            p { (l.friends_join()) }
            @match link {
                Some(link) => button.small-button type="button" data-share-link=(link)
                    data-text=(l.invitation_text(&group.title)) { (l.send_invitation()) },
                None => a.small-button href={ (ui::group_path(group.id)) "/members" } {
                    (l.invite())
                },
            }
        }
    }
}

/// The first expenses of a group's list.
struct Newest {
    items: Vec<Expense>,
    /// Row after which the list continues.
    next: Option<Position>,
    order: ListOrder,
}

/// The newest expenses by day. Their index may lag behind the last writes, so those that were
/// recorded last are read, too. A large group whose expenses are not indexed has them in the order
/// of recording.
async fn newest(app: &App, member_key: MemberKey) -> Result<Newest, Error> {
    let filter = Filter::default();
    let page = |limit| Page { limit, after: None };
    let by_day = page(EXPENSES);
    let recorded = page(RECORDED);
    let (by_day, recorded) = tokio::join!(
        app.table.expenses(member_key, &filter, ListOrder::Date, &by_day),
        app.table.expenses(member_key, &filter, ListOrder::Recorded, &recorded),
    );
    let Slice { items, next, .. } = match by_day {
        Err(Error::NotIndexed) => {
            let all = page(EXPENSES);
            let Slice { items, next, .. } =
                app.table.expenses(member_key, &filter, ListOrder::Recorded, &all).await?;
            return Ok(Newest { items, next, order: ListOrder::Recorded });
        }
        by_day => by_day?,
    };
    let place = |it: &Expense| (it.day(), it.created_at);
    // What is older than the page is on a later one.
    let end = items.last().filter(|_| next.is_some()).map(place);
    let mut all = recorded?.items;
    all.retain(|it| end.is_none_or(|end| place(it) >= end));
    let known: HashSet<_> = all.iter().map(|it| it.id).collect();
    all.extend(items.into_iter().filter(|it| !known.contains(&it.id)));
    all.sort_by_key(|it| Reverse(place(it)));
    Ok(Newest { items: all, next, order: ListOrder::Date })
}

/// Leads to what is new. The script shows it if there are changes that this device has not shown.
fn news(l: Texts, group: &Group, ledger: &Ledger) -> Markup {
    let path = ui::group_path(group.id);
    html! {
        a.more.card hidden href={ (path) "/changes" } data-unread=(group.id)
            data-number=(ledger.state.changes) {
            (l.whats_new()) span.tag data-count {}
        }
    }
}

/// The reader's balance in each currency: first that of the group, then what they owe.
fn own_balance(
    l: Texts,
    group: &Group,
    (ledger, members): (&Ledger, &[Member]),
    me: MemberId,
    pending: &[Settlement],
) -> Markup {
    let net = |currency| (currency, ledger.balances.totals(currency, me).net());
    let mut open: Vec<(Currency, i128)> =
        ledger.balances.currencies().map(net).filter(|(_, net)| *net != 0).collect();
    open.sort_by_key(|(currency, net)| (*currency != group.currency, *net > 0));
    let owes = open.iter().any(|(_, net)| *net < 0);
    let mine = pending.iter().filter(|it| ledger.links.resolve(it.from_user_id) == me);
    let on_the_way = ui::sums(mine.map(|it| (it.currency, it.amount)));
    let to_me = pending.iter().filter(|it| ledger.links.resolve(it.to_user_id) == me);
    let to_confirm = ui::sums(to_me.map(|it| (it.currency, it.amount)));
    let line = |(currency, net): &(Currency, i128)| {
        html! {
            p {
                span.hint { (if *net < 0 { l.you_owe() } else { l.you_are_owed() }) }
                (ui::big_balance(l, *net, *currency))
            }
        }
    };
    html! {
        section.card.hero aria-label=(l.your_balance()) {
            @if open.is_empty() { p.big { (l.you_are_settled()) } }
            (ui::first_ones(l, &open.iter().map(line).collect::<Vec<_>>()))
            @for (currency, sum) in &on_the_way {
                p {
                    span.hint {
                        (sentence([ui::money(l, *sum, *currency)], |[amount]| l.on_the_way(amount)))
                    }
                }
            }
            @for (currency, sum) in &to_confirm {
                p {
                    span.hint {
                        (sentence([ui::money(l, *sum, *currency)], |[amount]| l.to_confirm(amount)))
                    }
                }
            }
            @if owes && !group.archived {
                @if let Some(path) = settle_path(group, members, ledger, me, pending) {
                    a.small-button href=(path) { (l.settle()) }
                }
            }
        }
    }
}

/// Where the reader pays what they owe: the form of their only payment, or the list of payments.
/// `None` if their payments are on their way.
fn settle_path(
    group: &Group,
    members: &[Member],
    ledger: &Ledger,
    me: MemberId,
    pending: &[Settlement],
) -> Option<String> {
    let debts = Debts::of(members, ledger, Some(pending))
        .or_else(|_| Debts::of(members, ledger, None))
        .ok()?;
    let of = |(currency, plan): (&Currency, &Plan)| {
        let own = plan.transfers.iter().filter(|it| it.from == me);
        own.map(|it| settle::path(group.id, *currency, it)).collect::<Vec<_>>()
    };
    let mut own = debts.plans.iter().flat_map(of);
    let first = own.next()?;
    Some(if own.next().is_none() {
        first
    } else {
        format!("{}/balances", ui::group_path(group.id))
    })
}

/// Payments to the reader that they may confirm.
pub(crate) fn waiting(
    l: Texts,
    group: &Group,
    names: &Names<'_>,
    (rights, ledger): (&Rights, &Ledger),
    pending: &[Settlement],
) -> Markup {
    let is_mine = |it: &&Settlement| {
        names.is_me(ledger.links.resolve(it.to_user_id))
            && rights.may(it, SettlementAction::Confirm)
            && !group.archived
    };
    let to_me: Vec<&Settlement> = pending.iter().filter(is_mine).collect();
    html! {
        @if !to_me.is_empty() {
            section {
                h2 { (l.waits_for_you()) }
                ul.card.list {
                    @for settlement in to_me {
                        li.row.wrap {
                            (names.avatar(settlement.from_user_id))
                            @let path = ui::group_path(group.id);
                            a.grow.tall href={ (path) "/settlements/" (settlement.id) } {
                                (sentence([
                                    names.shown_stored(settlement.from_user_id,
                                        &settlement.from_user_name),
                                    ui::money(l, settlement.amount, settlement.currency),
                                ], |[name, amount]| l.payment_to_you(name, amount)))
                            }
                            (rights.buttons(l, names, ledger, settlement))
                        }
                    }
                }
            }
        }
    }
}
