//! Prepaid money of the reader, and the work of operators.

use axum::extract::State;
use fracti_core::{
    funds::{
        fund::FundKind,
        fund_total::FundTotal,
        fund_transaction::{FundTransaction, FundTransactionType},
        user_funds::Funds,
    },
    values::{
        currency::Currency,
        fund_key::FundWork,
        fund_status::FundStatus,
        id::FundTransactionId,
        time::{Day, Timestamp},
    },
};
use fracti_http::{
    App, AppPrincipal, Caller, Context, Id, ListId, Operator, Paging, Parameters, Problem,
    QueryReader,
};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    text::{Texts, sentence},
    ui,
};

/// Transactions on a screen.
const TRANSACTIONS: usize = 30;

/// The part of the transactions that is shown.
pub(crate) struct TransactionsQuery(Paging);

impl Parameters for TransactionsQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self(Paging::read(query).or_limit(TRANSACTIONS))
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, TransactionsQuery(paging)): Caller<TransactionsQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let list_id = ListId::new("screen of funds", &user.id);
    let page = paging.page(&list_id)?;
    let (funds, transactions) = tokio::try_join!(
        app.table.funds_in_detail(user.id, now),
        app.table.fund_transactions(user.id, &page),
    )?;
    let next = transactions.next.as_ref().map(|after| paging.cursor(&list_id, after));
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.funds()) }
        @if app.operators.is_empty() { p.card.empty { (l.no_operator()) } }
        @else { p.hint.about { (l.funds_about()) }
            @if funds.currencies().is_empty() { p.card.empty { (l.no_funds()) } } }
        @for currency in funds.currencies() {
            (of(l, &funds, currency, now))
            @if !app.operators.is_empty() { (acceptance(l, &funds, currency)) }
        }
        @if !app.operators.is_empty() { (forms(l)) }
        @if !transactions.items.is_empty() {
            section { h2 { (l.transactions()) }
                ul.card.list { @for it in &transactions.items { (row(l, it, now.day())) } } }
        }
        @if let Some(next) = next { (ui::show_more(l, "/app/me/funds", None, &next)) }
    }))
}

fn of(l: Texts, funds: &Funds, currency: Currency, now: Timestamp) -> Markup {
    let kinds = [
        (FundKind::Cash, l.cash()),
        (FundKind::Credit, l.credit()),
        (FundKind::Bonus, l.bonuses()),
    ];
    let sums = kinds.map(|(kind, label)| (label, funds.sums(currency, kind, now)));
    let all = sums
        .iter()
        .fold(fracti_core::funds::user_funds::FundSums::default(), |all, (_, it)| all.plus(*it));
    let all_kinds = funds.of(currency).filter(|fund| !fund.is_spent());
    let timed: Vec<_> = all_kinds.filter_map(|fund| Some((fund, fund.until?))).collect();
    let is_empty =
        timed.is_empty() && all.withheld == 0 && sums.iter().all(|(_, it)| it.balance == 0);
    html! {
        section.card.hero {
            p { span.hint { (l.available()) } (ui::big(&l.minor(all.available, currency))) }
        }
        @if !is_empty { dl.card {
            @for (label, it) in sums {
                @if it.balance != 0 {
                    div { dt { (label) } dd { (ui::minor(l, it.balance, currency)) } }
                }
            }
            @if all.withheld != 0 {
                div { dt { (l.withheld()) } dd { (ui::minor(l, all.withheld, currency)) } }
            }
            @for (fund, until) in timed {
                @let when = ui::moment(l, until, now.day());
                div {
                    dt {
                        @if fund.held.is_some() {
                            (sentence([when], |[when]| l.held_until(when)))
                        } @else {
                            (l.bonuses())
                            ", "
                            (sentence([when], |[when]| l.until(when)))
                        }
                    }
                    dd { (ui::minor(l, fund.balance, currency)) }
                }
            }
        } }
    }
}

/// The choice whether payments are taken without confirming each.
fn acceptance(l: Texts, funds: &Funds, currency: Currency) -> Markup {
    let accepts = funds.accepts(currency);
    html! {
        form.card.fields action="/api/users/me/funds" data-method="PUT" data-then=""
            data-done=(l.saved()) {
            input type="hidden" name="currency" value=(currency.code());
            input type="hidden" name="accepts" value=(!accepts) data-json;
            p.hint { (if accepts { l.funds_count() } else { l.funds_wait() }) }
            (ui::save(if accepts { l.ask_me_first() } else { l.count_at_once() }))
        }
    }
}

/// Reports money that was paid to the operator, and asks for money back.
fn forms(l: Texts) -> Markup {
    html! {
        details.card.fields { summary { (l.top_up()) }
            p.hint { (l.top_up_about()) }
            form action="/api/users/me/funds/credits" data-method="POST" data-then=""
                data-done=(l.top_up_waits()) novalidate {
                input type="hidden" name="fund" value="cash";
                (amount(l, "top-up"))
                (ui::field("top-up-about", l.description_label(),
                    &html! { input #top-up-about name="description" autocomplete="off"; }))
                (ui::save(l.top_up()))
            }
        }
        details.card.fields { summary { (l.cash_out()) }
            form action="/api/users/me/funds/debits" data-method="POST" data-then=""
                data-done=(l.cash_out_waits()) novalidate {
                input type="hidden" name="type" value="cashout";
                (amount(l, "cash-out"))
                (ui::field("cash-out-to", l.account(),
                    &html! { input #cash-out-to name="to" autocomplete="off" required; }))
                (ui::save(l.cash_out()))
            }
        }
    }
}

fn amount(l: Texts, id: &str) -> Markup {
    html! {
        (ui::field(&format!("{id}-amount"), l.amount_label(), &html! {
            input id={ (id) "-amount" } name="amount" inputmode="decimal" autocomplete="off"
                data-decimal placeholder="0";
        }))
        div.field { (ui::currency_field(l, &format!("{id}-currency"), "currency",
            "EUR".parse().unwrap_or(Currency::TON))) }
    }
}

fn row(l: Texts, it: &FundTransaction, today: Day) -> Markup {
    html! {
        li { a.row href={ "/app/me/funds/" (it.id) } {
            span.grow { (l.fund_transaction(it.kind))
                small.hint { (ui::moment(l, it.created_at, today)) " · " (l.fund_status(it.status))
                    @if let Some(text) = &it.description { " · " (ui::name(text)) } } }
            (ui::minor(l, it.amount, it.currency))
        } }
    }
}

pub(crate) async fn transaction(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, ()): Caller,
    Id(id): Id<FundTransactionId>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let it = app.table.fund_transaction(user.id, id).await?;
    let is_own = [FundTransactionType::Topup, FundTransactionType::Cashout].contains(&it.kind);
    Ok(Fragment(html! {
        a.back href="/app/me/funds" { (l.funds()) }
        h1 tabindex="-1" data-title { (l.transaction_title()) }
        section.card.hero { p {
            span.hint {
                (l.fund_transaction(it.kind))
                " · "
                (l.fund_status(it.status))
                " · "
                (ui::moment(l, it.created_at, now.day()))
            }
            (ui::big(&l.minor(it.amount, it.currency)))
            @if let Some(text) = &it.description { span { (ui::name(text)) } }
            @if let Some(account) = &it.to { span { (l.account()) ": " (ui::name(account)) } }
            @if let Some(reference) = &it.ref_id {
                span.hint { (l.reference()) ": " (reference.as_str()) }
            }
            @if let Some(until) = it.expires_at.filter(|_| it.status == FundStatus::Authorised) {
                span.hint {
                    (sentence([ui::moment(l, until, now.day())], |[when]| l.ends_unconfirmed(when)))
                }
            }
        } }
        @if let Some((group, settlement)) = it.group_id.zip(it.settlement_id) {
            a.more href={ (ui::group_path(group)) "/settlements/" (settlement) } { (l.payment()) }
        }
        @if is_own && it.status == FundStatus::Authorised {
            form.card.actions action={ "/api/users/me/funds/transactions/" (it.id) "/void" }
                data-method="POST" data-then=""
                data-done=(l.called_off(
                    l.fund_transaction(it.kind),
                    l.minor(it.amount, it.currency),
                )) {
                p.error data-problem role="alert" hidden {}
                button.small-button.danger { (l.void()) }
            }
            @if it.kind == FundTransactionType::Topup {
                p.note.hint { (l.no_money_back()) }
            }
        }
    }))
}

/// The kind of work, and the part of it that is shown.
pub(crate) struct WorkQuery(FundWork, Paging);

impl Parameters for WorkQuery {
    fn read(query: &mut QueryReader) -> Self {
        let schema = fracti_http::Description::inline::<String>;
        let kind = query.read("kind", "What to list.", schema).unwrap_or(FundWork::Topup);
        Self(kind, Paging::read(query).or_limit(TRANSACTIONS))
    }
}

pub(crate) async fn work(
    State(app): State<App>,
    Operator(caller, WorkQuery(kind, paging)): Operator<WorkQuery>,
    Context { now, .. }: Context,
    l: Texts,
) -> Result<Fragment, Problem> {
    let list_id = ListId::new("screen of funds/work", &caller).filtered(&kind);
    let page = paging.page(&list_id)?;
    let (work, totals) =
        tokio::try_join!(app.table.fund_work(kind, &page), app.table.fund_totals())?;
    let next = work.next.as_ref().map(|after| paging.cursor(&list_id, after));
    let tab = |it| (l.fund_work(it), format!("/app/funds/work?kind={it}"));
    Ok(Fragment(html! {
        a.back href="/app/me" { (l.me()) }
        h1 tabindex="-1" data-title { (l.work()) }
        (ui::tabs(l.work(), &[tab(FundWork::Topup), tab(FundWork::Cashout)],
            usize::from(kind == FundWork::Cashout)))
        @if work.items.is_empty() { p.card.empty { (l.nothing_to_do()) } }
        @for it in &work.items {
            @let api = format!("/api/users/{}/funds/transactions/{}", it.owner, it.id);
            section.card.fields {
                div.line {
                    span {
                        @if let Some(name) = &it.owner_name { (ui::name(name)) " · " }
                        (l.telegram_id(it.owner))
                        " · "
                        (ui::moment(l, it.created_at, now.day()))
                    }
                    (ui::minor(l, it.amount, it.currency))
                }
                @if let Some(account) = &it.to { p { (l.account()) ": " code { (account) } } }
                @if let Some(link) = it.payment_link() {
                    a.more href=(link) { (l.pay_by_wallet()) }
                }
                @if let Some(text) = &it.description { p.hint { (text) } }
                @let kind = l.fund_transaction(it.kind);
                @let amount = l.minor(it.amount, it.currency);
                form action={ (api) "/capture" } data-method="POST" data-then=""
                    data-done=(l.captured(kind, &amount)) novalidate {
                    @let id = format!("ref-{}", it.id);
                    (ui::field(&id, l.reference(),
                        &html! { input id=(id) name="refId" autocomplete="off"; }))
                    (ui::save(l.capture()))
                }
                form action={ (api) "/void" } data-method="POST" data-then=""
                    data-done=(l.called_off(kind, &amount)) {
                    p.error data-problem role="alert" hidden {}
                    button.small-button.danger { (l.void()) }
                }
            }
        }
        @if let Some(next) = next {
            (ui::show_more(l, "/app/funds/work", Some(format!("kind={kind}")), &next))
        }
        (sums(l, &totals))
    }))
}

/// What the operator must have, and what was promised, over all users.
fn sums(l: Texts, totals: &[FundTotal]) -> Markup {
    html! {
        @if !totals.is_empty() {
            section { h2 { (l.all_users()) }
                dl.card { @for total in totals {
                    div { dt { (l.cash()) } dd { (ui::minor(l, total.cash(), total.currency)) } }
                    div {
                        dt { (l.credit_and_bonuses()) }
                        dd { (ui::minor(l, total.credit(), total.currency)) }
                    }
                } } }
        }
    }
}
