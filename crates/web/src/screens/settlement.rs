//! A payment, and what the reader may do with it.

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, links::Links},
    ledger::Ledger,
    records::settlement::{Settlement, SettlementAction, Standing},
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{SettlementId, UserId},
        settlement_status::SettlementStatus,
        time::Day,
    },
};
use fracti_http::{App, AsMember, Context, Id, InApp, Problem, SettlementView, tag_of};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<SettlementId>,
    InApp(reader): InApp,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ((group, members, ledger), payment) = tokio::try_join!(
        app.table.group_and_ledger(member_key),
        app.table.settlement(member_key, id),
    )?;
    let names = Names::new(l, member_key.user.into(), &members);
    let rights = Rights::of(&members, member_key.user);
    let view = SettlementScreen {
        l,
        group: &group,
        names: &names,
        ledger: &ledger,
        it: &payment,
        rights: &rights,
        reader,
    };
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/settlements" } { (l.payments()) }
        h1 tabindex="-1" data-title { (l.payment()) }
        (view.head(now.day()))
        @if !group.archived { (view.actions()) }
    }))
}

/// Rights of the reader to payments.
pub(crate) struct Rights {
    standing: Standing,
    links: Links,
    me: UserId,
}

impl Rights {
    /// The rights of the reader `me` among the members of the group.
    pub(crate) fn of(members: &[Member], me: UserId) -> Self {
        Self { standing: Standing::of(members), links: members.iter().collect(), me }
    }

    /// Whether the reader may do this with a payment.
    pub(crate) fn may(&self, it: &Settlement, action: SettlementAction) -> bool {
        it.resolved(&self.links).may(self.me, action, &self.standing)
    }

    /// The buttons that say what became of a pending payment, as far as the reader may.
    pub(crate) fn buttons(
        &self,
        l: Texts,
        names: &Names<'_>,
        ledger: &Ledger,
        it: &Settlement,
    ) -> Markup {
        let may_confirm = self.may(it, SettlementAction::Confirm);
        let ask = self.ask(l, names, ledger, it);
        html! {
            @if may_confirm { (decide(l, self.me, it, Decision::Confirm, ask.as_deref())) }
            @if self.may(it, SettlementAction::Fail) {
                (decide(l, self.me, it,
                    if may_confirm { Decision::NotReceived } else { Decision::CallOff }, None))
            }
        }
    }

    /// The state of a payment; of a pending one, who has to confirm it.
    pub(crate) fn state(&self, l: Texts, names: &Names<'_>, it: &Settlement) -> Markup {
        let is_pending = it.status == SettlementStatus::Pending && it.reverted_at.is_none();
        let to = self.links.resolve(it.to_user_id);
        if is_pending && self.may(it, SettlementAction::Confirm) {
            return html! { (l.waits_for_your_confirmation()) };
        }
        if is_pending && to.user().is_some() && !names.is_me(to) {
            let name = names.shown_stored(to, &it.to_user_name);
            return sentence([name], |[name]| l.waits_for_confirmation(name));
        }
        html! { (l.settlement(it.status, it.reverted_at.is_some())) }
    }

    /// Question to ask before the payment is confirmed.
    fn ask(&self, l: Texts, names: &Names<'_>, ledger: &Ledger, it: &Settlement) -> Option<String> {
        let to = self.links.resolve(it.to_user_id);
        let owed = turns(it, ledger.balances.totals(it.currency, to).net())?;
        let owed = l.minor(owed, it.currency);
        Some(if names.is_me(to) { l.then_you_owe(owed) } else { l.then_owes(names.of(to), owed) })
    }
}

/// What the recipient, whose balance is `net`, would owe if they confirmed the payment, although
/// they owe nothing now.
pub(crate) fn turns(it: &Settlement, net: i128) -> Option<i128> {
    let after = net.saturating_sub(it.currency.to_minor(it.amount).ok()?.into());
    (net >= 0 && after < 0).then(|| after.saturating_neg())
}

/// The entity tag of a payment as `me` sees it in the app. Outside of the app, that of a payment
/// from funds differs, but no form changes it there.
fn seen(me: UserId, it: &Settlement) -> String {
    tag_of(&SettlementView::seen_by(Some(me), it.clone()))
}

/// The sum of those payments of a currency that `is` chooses; they are not confirmed yet.
pub(crate) fn unconfirmed(
    pending: &[Settlement],
    currency: Currency,
    is: impl Fn(&Settlement) -> bool,
) -> Option<Decimal> {
    let amounts = pending.iter().filter(|it| it.currency == currency && is(it));
    ui::sums(amounts.map(|it| (it.currency, it.amount))).remove(&currency)
}

/// A small line that says something of an amount, beside a balance or a payment of the plan.
pub(crate) fn remark(
    l: Texts,
    amount: Decimal,
    currency: Currency,
    says: impl FnOnce(char) -> String,
) -> Markup {
    html! { small.hint { (sentence([ui::money(l, amount, currency)], |[amount]| says(amount))) } }
}

/// What is said of a pending payment.
#[derive(Clone, Copy)]
pub(crate) enum Decision {
    Confirm,
    NotReceived,
    CallOff,
}

/// A button by which `me` says what became of a payment; what it asks first. What funds pay is
/// confirmed in the app.
pub(crate) fn decide(
    l: Texts,
    me: UserId,
    it: &Settlement,
    decision: Decision,
    ask: Option<&str>,
) -> Markup {
    let tag = seen(me, it);
    let amount = l.money(it.amount, it.currency);
    let (status, label, done) = match decision {
        Decision::Confirm => ("completed", l.confirm(), l.payment_confirmed(amount)),
        Decision::NotReceived => ("failed", l.not_received(), l.payment_not_received(amount)),
        Decision::CallOff => ("failed", l.call_off(), l.payment_called_off(amount)),
    };
    html! {
        form.inline action={ "/api/groups/" (it.group_id) "/settlements/" (it.id) }
            data-method="PUT" data-then="" data-done=(done)
            data-etag=(tag) data-ask=[ask] data-token[it.funds.is_some()] {
            input type="hidden" name="status" value=(status);
            button.small-button { (label) }
        }
    }
}

struct SettlementScreen<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    ledger: &'a Ledger,
    it: &'a Settlement,
    rights: &'a Rights,
    /// The reader, if they use the app.
    reader: Option<UserId>,
}

impl SettlementScreen<'_> {
    fn head(&self, today: Day) -> Markup {
        let l = self.l;
        let it = self.it;
        html! {
            section.card.hero { p {
                span.hint {
                    (self.rights.state(l, self.names, it))
                    " · "
                    (ui::day(l, it.day(), today))
                }
                (ui::big(&l.money(it.amount, it.currency)))
                @if let Some(note) = &it.note { span { (ui::name(note)) } }
            } }
            dl.card {
                div {
                    dt { (l.who_pays()) }
                    dd { (self.names.shown_stored(it.from_user_id, &it.from_user_name)) }
                }
                div {
                    dt { (l.who_is_paid()) }
                    dd { (self.names.shown_stored(it.to_user_id, &it.to_user_name)) }
                }
                @if let Some(user) = it.created_by {
                    div { dt { (self.names.recorded(user, ui::moment(l, it.created_at, today))) } }
                }
                @if let Some(user) = it.reverted_by {
                    div { dt {
                        @if self.names.is_me(user.into()) { (l.reverted_by_you()) }
                        @else { (sentence([self.names.shown(user.into())],
                            |[name]| l.reverted_by(name))) }
                    } }
                }
                @if let Some(hash) = &it.tx_hash {
                    div { dt { (l.transaction()) } dd { code { (hash) } } }
                }
                @if let Some(external) = it.external {
                    div { dt { (l.paid_outside()) } dd { (ui::money(l, external, it.currency)) } }
                }
                @if let Some(funds) = &it.funds {
                    div {
                        dt { (l.paid_from_funds()) }
                        dd { (ui::money(l, funds.amount, it.currency)) }
                    }
                    @if self.reader.is_some_and(|reader| it.parties().contains(&reader.into())) {
                        div { dt { (l.cash()) } dd { (ui::money(l, funds.cash, it.currency)) } }
                        div { dt { (l.credit()) } dd { (ui::money(l, funds.credit, it.currency)) } }
                    }
                    @let is_pending = it.status == SettlementStatus::Pending;
                    @if let Some(until) = funds.expires_at.filter(|_| is_pending) {
                        div { dt { (sentence([ui::moment(l, until, today)],
                            |[when]| l.hold_ends(when))) } }
                    }
                }
            }
        }
    }

    /// Forms for what the reader may do.
    fn actions(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        let may = |action| self.rights.may(it, action);
        html! {
            @if may(SettlementAction::Fail) {
                section.card.actions { (self.rights.buttons(l, self.names, self.ledger, it)) }
            }
            @if may(SettlementAction::TakeBack) {
                section.card.actions {
                    form.inline action=(self.api()) data-method="PUT" data-etag=(self.tag())
                        data-then=""
                        data-done=(l.payment_called_off(l.money(it.amount, it.currency)))
                        data-ask=(l.ask_take_back()) data-token[it.funds.is_some()] {
                        input type="hidden" name="status" value="failed";
                        button.small-button.danger {
                            (if it.funds.is_some() { l.give_back() } else { l.take_back() })
                        }
                    }
                }
            }
            @if may(SettlementAction::Edit) { (self.edit()) }
            @if may(SettlementAction::AddTransaction) { (self.transaction()) }
        }
    }

    fn api(&self) -> String {
        format!("/api/groups/{}/settlements/{}", self.group.id, self.it.id)
    }

    fn tag(&self) -> String {
        seen(self.rights.me, self.it)
    }

    fn edit(&self) -> Markup {
        let l = self.l;
        let it = self.it;
        html! {
            details.card.fields { summary { (l.put_right()) }
                form action=(self.api()) data-method="PUT" data-etag=(self.tag()) data-then=""
                    data-done=(l.saved())
                    data-currency=(it.currency.code()) data-digits=(it.currency.exponent())
                    novalidate {
                    (ui::amount_field(l, "amount", it.amount, it.currency))
                    (ui::field("date", l.date(),
                        &html! { input #date type="date" name="date" value=(it.day()); }))
                    (ui::field("note", l.note(), &html! {
                        input #note name="note" maxlength="200" value=[it.note.as_ref()] data-null;
                    }))
                    (ui::save(l.save()))
                }
            }
        }
    }

    fn transaction(&self) -> Markup {
        let l = self.l;
        html! {
            details.card.fields data-token[self.it.funds.is_some()] {
                summary { (l.add_transaction()) }
                form action=(self.api()) data-method="PUT" data-etag=(self.tag()) data-then=""
                    data-done=(l.saved()) novalidate {
                    (ui::field("hash", l.add_transaction(),
                        &html! { input #hash name="txHash" autocomplete="off"; }))
                    (ui::save(l.save()))
                }
            }
        }
    }
}
