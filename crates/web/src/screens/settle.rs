//! The form of a payment, filled in from the plan.

use axum::extract::State;
use fracti_core::{
    funds::user_funds::Payable,
    group::Member,
    plan::Transfer,
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, MemberId},
        money::Money,
    },
};
use fracti_http::{App, AsMember, Context, Description, Parameters, Problem, QueryReader, schemas};
use maud::{Markup, html};

use super::frame::archived;
use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui::{self, Names},
};

/// Initial values of the form.
pub(crate) struct SettleQuery {
    from: Option<MemberId>,
    to: Option<MemberId>,
    amount: Option<Decimal>,
    currency: Option<Currency>,
}

impl Parameters for SettleQuery {
    fn read(query: &mut QueryReader) -> Self {
        let member = Description::inline::<schemas::MemberId>;
        let amount = Description::inline::<schemas::AmountInput>;
        Self {
            from: query.read("from", "Member who pays.", member),
            to: query.read("to", "Member who is paid.", member),
            amount: query.read("amount", "Amount.", amount),
            currency: query.text("currency", "Currency."),
        }
    }
}

/// The form of a payment of the plan.
pub(crate) fn path(group: GroupId, currency: Currency, it: &Transfer) -> String {
    format!(
        "{}/settle?from={}&to={}&amount={}&currency={}",
        ui::group_path(group),
        it.from,
        it.to,
        currency.to_major(it.minor),
        currency.code()
    )
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<SettleQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let funds = async {
        let has_funds = !app.operators.is_empty();
        if has_funds { app.table.funds(member_key.user).await.map(Some) } else { Ok(None) }
    };
    let ((group, members, ledger), funds) =
        tokio::try_join!(app.table.group_and_ledger(member_key), funds)?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let names = Names::new(l, member_key.user.into(), &members);
    let path = format!("{}/balances", ui::group_path(group.id));
    // The payer is as the plan says, and not replaced by the reader.
    let from = query.from.unwrap_or_else(|| member_key.user.into());
    let people = || members.iter().filter(|it| it.linked_to.is_none());
    let present = people().filter(|it| it.is_present()).count();
    let choices = |chosen: Option<MemberId>, except: Option<MemberId>| {
        html! {
            @for member in people().filter(|it| it.is_present() || Some(it.id) == chosen) {
                @if Some(member.id) != except || chosen == except {
                    option value=(member.id) selected[Some(member.id) == chosen] {
                        (names.of(member.id))
                    }
                }
            }
        }
    };
    let currency = query.currency.unwrap_or(group.currency);
    // What the reader's funds can pay, if they can pay all of it.
    let all = Money { minor: i64::MAX, currency };
    let available = funds.map_or(0, |funds| funds.allocate(all, Payable::All, now).total());
    let least = query.amount.and_then(|it| currency.to_minor(it).ok()).unwrap_or(1).max(1);
    let available = (available >= least && names.is_me(from)).then_some(available);
    let to = query.to.and_then(|id| people().find(|it| it.id == id));
    Ok(Fragment(html! {
        a.back href=(path) { (l.balances()) }
        h1 tabindex="-1" data-title { (l.record_payment()) }
        form action={ "/api/groups/" (group.id) "/settlements" } data-method="POST" data-then=(path)
            data-done=(l.payment_recorded()) data-pending=(l.payment_waits())
            data-undo={ "PUT /api/groups/" (group.id) "/settlements/{id}" }
            data-undo-body=r#"{"status":"failed"}"#
            data-me=(member_key.user) data-used=(ui::used(&ledger)) novalidate {
            div.card.fields {
                div.amount {
                    label.sr for="amount" { (l.amount_label()) }
                    input #amount.big name="amount" inputmode="decimal" autocomplete="off"
                        placeholder="0" data-decimal
                        value=[query.amount.map(|it| l.amount_field(it,
                            currency))] autofocus[query.amount.is_none()];
                    (ui::currency_field(l, "currency", "currency", currency))
                }
                (ui::field("from", l.who_pays(),
                    &html! { select #from name="fromId" { (choices(Some(from), None)) } }))
                (ui::field("to", l.who_is_paid(), &html! { select #to name="toId" {
                    // The first of several members is no likelier than the others.
                    @if query.to.is_none() && present > 2 { option value="" { (l.choose()) } }
                    (choices(query.to, query.to.is_none().then_some(from)))
                } }))
                @if let Some(to) = to { (wallet(l, to, &names)) }
                (ui::field("note", l.note(),
                    &html! { input #note name="note" maxlength="200" autocomplete="off"; }))
                (ui::field("date", l.date(),
                    &html! { input #date type="date" name="date" data-today; }))
                @if let Some(available) = available {
                    label.check {
                        input type="checkbox" name="payFrom" value="funds";
                        (l.pay_from_funds(l.minor(available, currency)))
                    }
                }
            }
            p.note.hint { (l.recipient_confirms()) }
            (ui::submit(l.record_payment()))
        }
    }))
}

/// The address at which the recipient is paid.
fn wallet(l: Texts, to: &Member, names: &Names<'_>) -> Markup {
    html! {
        @if let Some(wallet) = &to.wallet {
            div.field {
                span.label { (sentence([names.shown(to.id)], |[name]| l.wallet_of(name))) }
                code { (wallet) }
                button.small-button type="button" data-copy=(wallet) { (l.copy()) }
            }
        }
    }
}
