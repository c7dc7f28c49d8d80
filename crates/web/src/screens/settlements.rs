//! The payments of a group.

use axum::extract::State;
use fracti_core::{
    group::Group,
    records::settlement::Settlement,
    values::{settlement_status::SettlementStatus, time::Day},
};
use fracti_http::{App, AsMember, Context, ListId, Paging, Parameters, Problem, QueryReader};
use maud::{Markup, html};

use super::settlement::Rights;
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Which payments are shown.
pub(crate) struct PaymentsQuery {
    paging: Paging,
    status: Option<SettlementStatus>,
}

impl Parameters for PaymentsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        Self { paging, status: query.text("status", "Show only payments with this status.") }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, PaymentsQuery { paging, status }): AsMember<PaymentsQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let list_id = ListId::new("screen of settlements", &member_key.group).filtered(&status);
    let page = paging.page(&list_id)?;
    let ((group, members), payments) = tokio::try_join!(
        app.table.group(member_key),
        app.table.settlements(member_key, status, &page),
    )?;
    let names = Names::new(l, member_key.user.into(), &members);
    let rights = Rights::of(&members, member_key.user);
    let path = format!("{}/settlements", ui::group_path(group.id));
    let tabs = [(l.all(), path.clone()), (l.to_be_confirmed(), format!("{path}?status=pending"))];
    let next = payments.next.as_ref().map(|after| paging.cursor(&list_id, after));
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.payments()) }
        (ui::tabs(l.payments(), &tabs, usize::from(status == Some(SettlementStatus::Pending))))
        @if payments.items.is_empty() { p.card.empty { (l.no_payments()) } }
        div data-pages {
            ul.card.list {
                @for payment in &payments.items {
                    (row(l, &group, (&names, &rights), payment, now.day()))
                }
            }
        }
        @if let Some(next) = next {
            (ui::show_more(l, &path, status.map(|it| format!("status={it}")), &next))
        }
        @if !group.archived {
            a.main-button data-main href={ (ui::group_path(group.id)) "/settle" } {
                (l.record_payment())
            }
        }
    }))
}

/// A payment in a list.
pub(crate) fn row(
    l: Texts,
    group: &Group,
    (names, rights): (&Names<'_>, &Rights),
    it: &Settlement,
    today: Day,
) -> Markup {
    html! {
        li { a.row href={ (ui::group_path(group.id)) "/settlements/" (it.id) } {
            (names.avatar(it.from_user_id))
            span.grow {
                span.name {
                    (names.parties(
                        (it.from_user_id, &it.from_user_name),
                        (it.to_user_id, &it.to_user_name),
                    ))
                }
                small.hint {
                    (ui::day(l, it.day(), today)) " · " (rights.state(l, names, it))
                    @if let Some(note) = &it.note { " · " (ui::name(note)) }
                }
            }
            (ui::money(l, it.amount, it.currency))
        } }
    }
}
