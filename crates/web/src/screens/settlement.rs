//! A payment, and what the reader may do with it.

use axum::extract::State;
use fracti_core::{
    group::Group,
    id::{SettlementId, UserId},
    settlement::{Settlement, SettlementStatus},
    time::Day,
};
use fracti_http::{App, AsMember, Context, Id, Problem, SettlementView, tag_of};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::Language,
    ui::{self, Names},
};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<SettlementId>,
    Context { now, .. }: Context,
    l: Language,
) -> Result<Fragment, Problem> {
    let ((group, members), payment) = tokio::try_join!(
        app.table.group(member_key, now),
        app.table.settlement(member_key, id, now),
    )?;
    let names = Names::new(l, member_key.user.into(), &members);
    let view = View { l, group: &group, names: &names, it: &payment, me: member_key.user };
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/settlements" } { (l.payments()) }
        h1 tabindex="-1" data-title { (l.payment()) }
        (view.head(now.day()))
        @if !group.archived { (view.actions()) }
    }))
}

struct View<'a> {
    l: Language,
    group: &'a Group,
    names: &'a Names<'a>,
    it: &'a Settlement,
    me: UserId,
}

impl View<'_> {
    fn head(&self, today: Day) -> Markup {
        let (l, it) = (self.l, self.it);
        html! {
            section.card.hero { p {
                span.hint { (l.settlement(it.status, it.reverted_at.is_some())) " · " (l.day(it.day(), today)) }
                bdi.big dir="ltr" { (l.money(it.amount, it.currency)) }
                @if let Some(note) = &it.note { span { (note) } }
            } }
            dl.card {
                div { dt { (l.who_pays()) } dd { (self.names.stored(it.from_user_id, &it.from_user_name)) } }
                div { dt { (l.who_is_paid()) } dd { (self.names.stored(it.to_user_id, &it.to_user_name)) } }
                @if let Some(user) = it.created_by {
                    div { dt { (l.recorded_by(self.names.of(user.into()), l.moment(it.created_at, today))) } }
                }
                @if let Some(user) = it.reverted_by { div { dt { (l.reverted_by(self.names.of(user.into()))) } } }
                @if let Some(hash) = &it.tx_hash { div { dt { (l.transaction()) } dd { code { (hash) } } } }
                @if let Some(funds) = &it.funds {
                    div { dt { (l.paid_from_funds()) } dd { (ui::money(l, funds.amount, it.currency)) } }
                    @if let Some(until) = funds.expires_at.filter(|_| it.status == SettlementStatus::Pending) {
                        div { dt { (l.hold_ends(l.moment(until, today))) } }
                    }
                }
            }
        }
    }

    /// Forms for what the state and the reader's part in it allow; the API decides.
    fn actions(&self) -> Markup {
        let (l, it) = (self.l, self.it);
        let is_pending = it.status == SettlementStatus::Pending;
        let pays = it.from_user_id.is_acted_for_by(self.me);
        let receives = it.to_user_id.is_acted_for_by(self.me);
        let recorded = it.created_by == Some(self.me) && it.funds.is_none();
        html! {
            @if is_pending && (receives || pays) {
                section.card.actions {
                    @if receives || it.created_by != Some(self.me) { (self.decide("completed", l.confirm())) }
                    (self.decide("failed", l.not_received()))
                }
            }
            @if it.status == SettlementStatus::Completed && receives && it.funds.is_none() && it.import_id.is_none() {
                section.card.actions { (self.decide("failed", l.take_back())) }
            }
            @if is_pending && recorded { (self.edit()) }
            @if is_pending && pays && it.funds.is_none() { (self.transaction()) }
        }
    }

    fn api(&self) -> String {
        format!("/api/groups/{}/settlements/{}", self.group.id, self.it.id)
    }

    fn tag(&self) -> String {
        tag_of(&SettlementView::from(self.it.clone()))
    }

    fn decide(&self, status: &str, label: &str) -> Markup {
        html! {
            form.inline action=(self.api()) data-method="PUT" data-etag=(self.tag()) data-then="" {
                input type="hidden" name="status" value=(status);
                button.small-button { (label) }
            }
        }
    }

    fn edit(&self) -> Markup {
        let (l, it) = (self.l, self.it);
        html! {
            details.card.fields { summary { (l.put_right()) }
                form action=(self.api()) data-method="PUT" data-etag=(self.tag()) data-then="" novalidate {
                    (ui::field("amount", l.amount_label(), &html! {
                        input #amount name="amount" inputmode="decimal" autocomplete="off" data-decimal value=(it.amount);
                    }))
                    (ui::field("date", l.date(), &html! { input #date type="date" name="date" value=(it.day()); }))
                    (ui::field("note", l.note(), &html! { input #note name="note" maxlength="200" value=[it.note.as_ref()] data-null; }))
                    (ui::save(l.save()))
                }
            }
        }
    }

    fn transaction(&self) -> Markup {
        let l = self.l;
        html! {
            details.card.fields { summary { (l.add_transaction()) }
                form action=(self.api()) data-method="PUT" data-etag=(self.tag()) data-then="" novalidate {
                    (ui::field("hash", l.add_transaction(), &html! { input #hash name="txHash" autocomplete="off"; }))
                    (ui::save(l.save()))
                }
            }
        }
    }
}
