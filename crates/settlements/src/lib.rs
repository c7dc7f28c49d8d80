//! Endpoints of debts and settlements.

mod debts;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Error,
    records::settlement::{NewSettlement, Settlement, SettlementUpdate},
    values::{currency::Currency, id::SettlementId, settlement_status::SettlementStatus},
    words,
};
use fracti_http::{
    App, AsMember, Code, Context, Credential, Data, Description, Id, IfMatch, InApp, List, ListId,
    Once, Paging, Parameters, Problem, QueryReader, Routes, SettlementView, Tagged, Value, body,
    openapi, respond_tagged, routes, schemas,
};
use fracti_texts::rule;
use tokio::task::spawn_blocking;

use debts::GroupDebts;

/// Maximum number of balances that are planned for in the thread of the request. Such a plan takes
/// less than 10 µs.
const FEW_BALANCES: usize = 10;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([("settlements", "Debts between members, and the payments that settle them.")])
        .routes(routes!(get_debts))
        .routes(routes!(list_settlements, create_settlement))
        .routes(routes!(get_settlement, update_settlement))
}

body! {
    /// A settlement to record.
    #[example = { "toId": "987654321", "amount": 25, "currency": "EUR" }]
    CreateSettlement => NewSettlement {
        /// Member who is paid.
        to: "toId".required().text(),
        /// Amount that is paid.
        amount: "amount".required().number(schemas::AmountInput),
        /// Member who pays. Default: the caller. Either the payer or the recipient must be the
        /// caller, a guest or a past member.
        from: "fromId".text(),
        /// Currency of the amount. Default: the currency in which the payer owes and the recipient
        /// is owed, if there is exactly one; otherwise the group's currency.
        currency: "currency".text::<Currency>(),
        /// Another name of `currency`, as the public Mini App sends it. If both are sent, they must
        /// be the same.
        payment_type: "paymentType".text().map(PaymentType::currency),
        /// Accepted and ignored: wallet addresses are set by `setWallet`.
        _ignored: "recipientWallet".text_of::<String>(Description::inline::<String>),
        /// Blockchain transaction that pays it.
        tx_hash: "txHash".text(),
        /// What pays it: the caller's funds, which are withheld until the recipient confirms it. In
        /// the app only, to a present user. Default: `outside`.
        pay_from: "payFrom".text(),
        /// With `payFrom`: whether the caller pays outside of funds what they do not cover, which
        /// may be all of it.
        allow_external: "allowExternal".flag(),
        /// With `payFrom`: whether it is completed at once, from cash. Only if the recipient
        /// accepts that, and is owed as much by the caller.
        pay_now: "payNow".flag(),
        /// With `payFrom`: time from which the recipient can use the cash, a minute to 90 days
        /// ahead.
        hold_until: "holdUntil".text(),
        /// Day of the payment. Default: the current day in the caller's time zone, where a day
        /// begins at 04:00.
        date: "date".text(),
        /// What is said about it.
        note: "note".text(),
        /// Whether it is another payment than an equal one that is pending. Without it, such a
        /// payment is refused.
        separate: "separate".flag(),
    }
    also |sent| {
        if currency.value().zip(payment_type.value()).is_some_and(|(one, other)| one != other) {
            let rule = rule!("{field} must be the same as currency, or be left out", "{field} \
                                                                                      должно \
                                                                                      совпадать с \
                                                                                      currency; \
                                                                                      его можно не \
                                                                                      указывать");
            sent.refuse("paymentType", rule);
        }
    } => {
        let currency = if currency.is_absent() { payment_type } else { currency };
        NewSettlement {
            to, amount, from, currency, tx_hash, pay_from, allow_external, pay_now, hold_until,
                date,
            note, separate,
        }
    }
}

body! {
    /// Changes to a settlement: a status, a transaction or both; or, while it is pending, an edit
    /// by the member who recorded it.
    #[example = { "status": "completed" }]
    UpdateSettlement => SettlementUpdate {
        /// New status.
        status: "status".text(),
        /// Accepted and ignored: `currency` changes the currency.
        _ignored: "paymentType".text::<PaymentType>(),
        /// Accepted and ignored: wallet addresses are set by `setWallet`.
        _also_ignored: "recipientWallet".text_of::<String>(Description::inline::<String>),
        /// Blockchain transaction that pays it.
        tx_hash: "txHash".text(),
        /// New amount.
        amount: "amount".number(schemas::AmountInput),
        /// New currency of the amount.
        currency: "currency".text(),
        /// New day of the payment.
        date: "date".text(),
        /// New note; `null` removes it.
        note: "note".nullable(Value::text),
    } => SettlementUpdate { status, tx_hash, amount, currency, date, note }
}

words! {
    /// Currency in which the public Mini App pays.
    enum PaymentType as "PaymentType" {
        /// TON.
        Ton = "TON",
        /// USDT.
        Usdt = "USDT",
    }
}

impl PaymentType {
    const fn currency(self) -> Currency {
        match self {
            Self::Ton => Currency::TON,
            Self::Usdt => Currency::USDT,
        }
    }
}

/// Query parameters of the debts.
struct DebtsQuery {
    verify: bool,
    pending: Option<Pending>,
}

words! {
    /// Use of pending settlements in a plan.
    enum Pending as "PendingUse" {
        /// They are taken as completed.
        Subtract = "subtract",
    }
}

impl Parameters for DebtsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "Whether to recompute the balances from the full history. The cost grows with \
            the history.";
        let verify = query.flag("verify", about).unwrap_or_default();
        let about = "Whether to plan as if all pending settlements were completed.";
        let schema = Description::inline::<schemas::PendingUse>;
        Self { verify, pending: query.read("pending", about, schema) }
    }
}

/// Get the debts of a group and a plan that settles them.
///
/// Each currency is planned separately; amounts in different currencies are never added.
/// `verify=true` also computes every row of the group that follows from others again, the balances
/// among them, and fails if one differs. With `pending=subtract`, the plan takes pending
/// settlements as completed, so that no debt is paid twice; balances do not change. It is refused
/// if the balances after them would exceed the limits of the ledger.
#[utoipa::path(get, path = "/api/groups/{groupId}/debts", tag = "settlements",
    responses((status = OK, body = Data<GroupDebts>)),
    extensions(("x-errors" = json!([Code::Conflict, Code::TooMuchHistory]))))]
async fn get_debts(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<DebtsQuery>,
    Context { now, .. }: Context,
    InApp(reader): InApp,
) -> Result<Data<GroupDebts>, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    if query.verify {
        app.table.verify(member_key.group, now).await?;
    }
    let pending = match query.pending {
        None => None,
        Some(Pending::Subtract) => {
            Some(app.table.pending_settlements(member_key.group, &ledger).await?)
        }
    };
    let few = pending.is_none() && ledger.balances.count() <= FEW_BALANCES;
    let debts = move || GroupDebts::of(&group, &members, &ledger, pending, reader);
    if few {
        return Ok(Data::new(debts()?));
    }
    // Planning can take long; this thread must serve other requests and enforce the deadline.
    let debts = spawn_blocking(debts).await;
    Ok(Data::new(debts.map_err(|error| Error::Table(error.into()))??))
}

/// Query parameters of the list of settlements.
struct SettlementsQuery {
    paging: Paging,
    status: Option<SettlementStatus>,
}

impl Parameters for SettlementsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        Self { paging, status: query.text("status", "Return only settlements with this status.") }
    }
}

/// List the settlements of a group.
///
/// Newest first. With `status`, a page may be shorter than its limit although the list continues.
#[utoipa::path(get, path = "/api/groups/{groupId}/settlements", tag = "settlements",
    responses((status = OK, body = List<SettlementView>)))]
async fn list_settlements(
    State(app): State<App>,
    AsMember(member_key, SettlementsQuery { paging, status }): AsMember<SettlementsQuery>,
    InApp(reader): InApp,
) -> Result<List<SettlementView>, Problem> {
    let list_id = ListId::new("settlements", &member_key.group).filtered(&status);
    let page = paging.page(&list_id)?;
    let settlements = app.table.settlements(member_key, status, &page).await?;
    let seen = settlements.map(|it| SettlementView::seen_by(reader, it));
    Ok(paging.list(&list_id, seen))
}

/// Create a settlement.
///
/// A settlement recorded by its recipient is completed at once, unless a past member pays it. Any
/// other is pending until the other side completes it. Any member may act for a guest or a past
/// member, except the other side. While an equal settlement is pending (payer, recipient, amount
/// and currency), another one is refused, unless the request says `separate`.
///
/// With `payFrom`, the caller's funds pay it: they are withheld for seven days, and paid when the
/// recipient confirms it.
#[utoipa::path(post, path = "/api/groups/{groupId}/settlements", tag = "settlements",
    responses((status = CREATED, body = Data<SettlementView>, headers(("ETag")))),
    extensions(("x-errors" = json!([
        Code::InsufficientFunds, Code::NotAllowed, Code::FundsDisabled, Code::LimitReached,
        Code::NotAccepted, Code::PaymentPending, Code::TxHashUsed,
    ]))))]
async fn create_settlement(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    via: Credential,
    InApp(reader): InApp,
    once: Once<CreateSettlement>,
) -> Result<Response, Problem> {
    if once.body.is_from_funds() {
        via.require_app()?;
        app.require_operators()?;
    }
    let view = move |it| SettlementView::seen_by(reader, it);
    let idempotency = once.key.viewed("create-settlement", view);
    let settlement = app.table.create_settlement(member_key, &once.body, &idempotency).await?;
    respond_tagged(StatusCode::CREATED, &idempotency, settlement)
}

/// Get a settlement.
#[utoipa::path(get, path = "/api/groups/{groupId}/settlements/{settlementId}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>, headers(("ETag")))))]
async fn get_settlement(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(settlement): Id<SettlementId>,
    InApp(reader): InApp,
) -> Result<Tagged<SettlementView>, Problem> {
    let settlement = app.table.settlement(member_key, settlement).await?;
    Ok(Tagged(SettlementView::seen_by(reader, settlement)))
}

/// Update a settlement.
///
/// The recipient may complete it, the payer may attach the transaction that pays it, and both may
/// fail it. Who recorded it may edit it while it is pending. The recipient may also take back a
/// completed one with the status `failed`, unless it was imported, or paid from funds that they
/// confirmed. What funds paid at once is given back by the recipient alone, in the app, while they
/// have as much cash available. Any member may act for a guest or a past member, except the other
/// side and, to complete it, the member who recorded it. If the payer sends `completed` with a
/// transaction, the transaction is stored and the settlement stays pending. Repeating a final
/// status has no effect, but another transaction is refused.
#[utoipa::path(put, path = "/api/groups/{groupId}/settlements/{settlementId}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>, headers(("ETag")))),
    extensions(("x-errors" = json!([
        Code::InsufficientFunds, Code::NotAllowed, Code::AlreadyFunded, Code::HoldExpired,
            Code::LimitReached,
        Code::SettlementFinal, Code::TxHashUsed,
    ]))))]
async fn update_settlement(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(settlement): Id<SettlementId>,
    InApp(reader): InApp,
    if_match: IfMatch,
    once: Once<UpdateSettlement>,
) -> Result<Response, Problem> {
    let view = move |it| SettlementView::seen_by(reader, it);
    let expected = |settlement: &Settlement| if_match.accepts(&view(settlement.clone()));
    let idempotency = once.key.viewed("update-settlement", view);
    let body = &once.body;
    let in_app = reader.is_some();
    let updated =
        app.table.update_settlement(member_key, settlement, body, expected, in_app, &idempotency);
    respond_tagged(StatusCode::OK, &idempotency, updated.await?)
}
