//! Requests that change funds.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    funds::new_fund::{DebitRight, NewBonus, NewFundCredit, NewFundDebit},
    input::Field,
    values::{currency::Currency, id::FundTransactionId, ref_id::RefId},
};
use fracti_http::{App, Code, Data, Description, Id, Once, Owner, Problem, body, respond, schemas};

use crate::view::{FundsView, TransactionView};

body! {
    /// Cash or credit to add to a user's funds.
    #[example = { "fund": "cash", "currency": "EUR", "amount": 50 }]
    pub(crate) CreateFundCredit => NewFundCredit {
        /// Kind of the value. Only an operator may give credit.
        fund: "fund".required().text(),
        /// Currency. Users do not report TON and USDT: an operator records them.
        currency: "currency".required().text(),
        /// Amount.
        amount: "amount".required().number(schemas::AmountInput),
        /// Reference by which an operator records it at once; for cash in TON or USDT, the hash of
        /// the transaction. Each reference counts once, however it is spelt.
        ref_id: "refId".text(),
        /// What is said about it.
        description: "description".text(),
    }
}

body! {
    /// A bonus to give.
    #[example = { "currency": "EUR", "amount": 5, "expiresAt": "2027-01-01T00:00:00Z" }]
    pub(crate) CreateBonus => NewBonus {
        /// Currency.
        currency: "currency".required().text(),
        /// Amount.
        amount: "amount".required().number(schemas::AmountInput),
        /// Time from which it has lapsed: an hour to five years ahead.
        expires_at: "expiresAt".required().text(),
        /// What is said about it.
        note: "note".text(),
    }
}

body! {
    /// A cash-out, or a correction by an operator.
    #[example = { "type": "cashout", "currency": "EUR", "amount": 30,
        "to": "DE89 3704 0044 0532 0130 00" }]
    pub(crate) CreateFundDebit => NewFundDebit {
        /// Which of both.
        debit_type: "type".required().text(),
        /// Currency.
        currency: "currency".required().text(),
        /// Amount.
        amount: "amount".required().number(schemas::AmountInput),
        /// Account to which a cash-out is paid; in TON and USDT an address. Required for a
        /// cash-out.
        to: "to".text(),
        /// Kind of the value that a correction takes. Required for a correction.
        fund: "fund".text(),
        /// Bonus that a correction takes from, instead of the credit.
        bonus_id: "bonusId".text_of::<FundTransactionId>(Description::reference::<schemas::ResourceId>),
        /// Reference of the mistake, which is corrected once. Required for a correction.
        ref_id: "refId".text(),
        /// What is said about it. Required for a correction.
        description: "description".text(),
    }
}

body! {
    /// Reference by which money arrived, or was paid out.
    #[example = { "refId": "bank 4711" }]
    pub(crate) CaptureFundTransaction => Field<RefId> {
        /// The reference; in TON or USDT, the hash of the transaction. Each counts once, however it
        /// is spelt.
        ref_id: "refId".required().text(),
    } => ref_id
}

body! {
    /// Whether the user takes payments from funds in a currency.
    #[example = { "currency": "EUR", "accepts": false }]
    pub(crate) SetAcceptance => (Field<Currency>, Field<bool>) {
        /// The currency.
        currency: "currency".required().text(),
        /// Whether payments from funds may be completed without asking the user each time.
        accepts: "accepts".required().flag(),
    } => (currency, accepts)
}

/// Set whether a user takes payments from funds without confirming each.
///
/// No user does until they have said so.
#[utoipa::path(put, path = "/api/users/{userId}/funds", tag = "funds",
    responses((status = OK, body = Data<FundsView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::FundsDisabled]))))]
pub(crate) async fn set_acceptance(
    State(app): State<App>,
    Owner(of, ()): Owner,
    once: Once<SetAcceptance>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    of.require_owner()?;
    let idempotency = once.key.idempotency::<_, FundsView>("set-acceptance");
    let set = app.table.accept_funds(of.owner, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, set)
}

/// Create a credit: cash or credit that a user gets.
///
/// The user reports cash that they have paid to the operator: it counts once an operator captures
/// the report, and ends after seven days. With `refId`, an operator records it at once.
#[utoipa::path(post, path = "/api/users/{userId}/funds/credits", tag = "funds",
    responses((status = CREATED, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::UserNotFound, Code::FundsDisabled, Code::ReferenceUsed,
        Code::LimitReached,
    ]))))]
pub(crate) async fn create_fund_credit(
    State(app): State<App>,
    Owner(of, ()): Owner,
    once: Once<CreateFundCredit>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    if once.body.needs_operator() {
        of.require_operator()?;
    }
    let idempotency = once.key.idempotency::<_, TransactionView>("create-fund-credit");
    let new = &once.body;
    let credited = app.table.credit_funds(of.owner, &of.caller, new, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, credited)
}

/// Create a bonus: credit that lapses.
///
/// Operators only. Its id is that of the transaction. What its owner pays from it arrives as
/// credit, which does not lapse: a friend who pays it back gives it no end again.
#[utoipa::path(post, path = "/api/users/{userId}/funds/bonuses", tag = "funds",
    responses((status = CREATED, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::UserNotFound, Code::FundsDisabled, Code::LimitReached,
    ]))))]
pub(crate) async fn create_bonus(
    State(app): State<App>,
    Owner(of, ()): Owner,
    once: Once<CreateBonus>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    of.require_operator()?;
    let idempotency = once.key.idempotency::<_, TransactionView>("create-bonus");
    let new = &once.body;
    let given = app.table.give_bonus(of.owner, of.caller.id, new, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, given)
}

/// Create a debit: a cash-out, or the correction of a mistake.
///
/// The amount of a cash-out is withheld until an operator has paid it. A correction is made by an
/// operator, of what is available.
#[utoipa::path(post, path = "/api/users/{userId}/funds/debits", tag = "funds",
    responses((status = CREATED, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([
        Code::InsufficientFunds, Code::NotAllowed, Code::FundsDisabled, Code::ReferenceUsed,
        Code::LimitReached,
    ]))))]
pub(crate) async fn create_fund_debit(
    State(app): State<App>,
    Owner(of, ()): Owner,
    once: Once<CreateFundDebit>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    match once.body.right() {
        Some(DebitRight::Owner) => of.require_owner()?,
        Some(DebitRight::Operator) => of.require_operator()?,
        // The body is refused.
        None => {}
    }
    let idempotency = once.key.idempotency::<_, TransactionView>("create-fund-debit");
    let new = &once.body;
    let debited = app.table.debit_funds(of.owner, &of.caller, new, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, debited)
}

/// Capture a transaction that waits for an operator.
///
/// Operators only: reported money has arrived, or a cash-out was paid. With another reference than
/// before, by another operator, or once it has ended otherwise, it is refused. A report that is
/// over expires.
#[utoipa::path(post, path = "/api/users/{userId}/funds/transactions/{transactionId}/capture",
    tag = "funds", responses((status = OK, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::FundsDisabled, Code::TransactionFinal, Code::HoldExpired,
        Code::ReferenceUsed,
    ]))))]
pub(crate) async fn capture_fund_transaction(
    State(app): State<App>,
    Owner(of, ()): Owner,
    Id(id): Id<FundTransactionId>,
    once: Once<CaptureFundTransaction>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    of.require_operator()?;
    let idempotency = once.key.idempotency::<_, TransactionView>("capture-fund-transaction");
    let body = &once.body;
    let captured =
        app.table.capture_funds((of.owner, id), of.caller.id, body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, captured)
}

/// Void a transaction that waits for an operator.
///
/// An operator says that reported money did not arrive, or that a cash-out will not be paid; or its
/// owner calls it off. Who comes second is refused.
#[utoipa::path(post, path = "/api/users/{userId}/funds/transactions/{transactionId}/void",
    tag = "funds", responses((status = OK, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::FundsDisabled, Code::TransactionFinal, Code::HoldExpired,
    ]))))]
pub(crate) async fn void_fund_transaction(
    State(app): State<App>,
    Owner(of, ()): Owner,
    Id(id): Id<FundTransactionId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    let idempotency = once.key.idempotency::<_, TransactionView>("void-fund-transaction");
    let body = &once.body;
    let voided = app.table.void_funds((of.owner, id), of.caller.id, body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, voided)
}
