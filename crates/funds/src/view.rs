//! Funds and their transactions as clients see them.

use std::collections::BTreeMap;

use fracti_core::{
    decisions::funds::SeenFunds,
    funds::{
        fund::{Fund, FundFlow, FundKind},
        fund_total::FundTotal,
        fund_transaction::FundTransaction,
        user_funds::{FundSums, Funds},
    },
    values::{currency::Currency, fund_key::FundKey, id::FundTransactionId, time::Timestamp},
};
use fracti_http::{JsonDecimal, Text, schemas};
use fracti_store::Slice;
use serde::Serialize;
use utoipa::ToSchema;

/// A user's funds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Funds)]
pub(crate) struct FundsView {
    /// The funds by currency, in order.
    currencies: Vec<CurrencyFundsView>,
    /// Number of entries that were left behind, and that a check has released.
    #[serde(skip_serializing_if = "Option::is_none")]
    released: Option<usize>,
}

/// A user's funds in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CurrencyFunds)]
struct CurrencyFundsView {
    /// The currency.
    currency: schemas::Currency,
    /// Cash, credit and bonuses together.
    #[serde(flatten)]
    sums: FundSumsView,
    /// Cash, which can be cashed out.
    cash: FundView,
    /// Credit, which can only be spent.
    credit: FundView,
    /// Bonuses, which lapse.
    bonus: BonusesView,
    /// Cash that can be used from a date on. It is not part of the balance.
    held: HeldView,
    /// Transactions that are authorised; with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<PendingView>>,
    /// Entries without their transaction, which count nowhere; with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    orphaned: Option<Vec<PendingView>>,
}

/// What a user has.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = FundSums)]
struct FundSumsView {
    /// All of it, with what is withheld.
    balance: JsonDecimal,
    /// What can be used.
    available: JsonDecimal,
    /// What is withheld for transactions that are authorised.
    withheld: JsonDecimal,
}

/// Cash or credit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fund)]
struct FundView {
    #[serde(flatten)]
    sums: FundSumsView,
    /// Number of changes of it.
    version: u64,
    /// Whether the user takes payments from funds in this currency without confirming each; of cash
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepts: Option<bool>,
}

/// Bonuses.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Bonuses)]
struct BonusesView {
    #[serde(flatten)]
    sums: FundSumsView,
    /// The bonuses, soonest end first; with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<BonusView>>,
}

/// A bonus.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Bonus)]
struct BonusView {
    /// Its id, which is that of the transaction that gave it.
    id: schemas::ResourceId,
    /// Amount that was given.
    awarded: JsonDecimal,
    #[serde(flatten)]
    sums: FundSumsView,
    /// Time from which it has lapsed.
    expires_at: schemas::Timestamp,
    /// What the operator says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Welcome")]
    note: Option<String>,
}

/// Cash that can be used from a date on.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HeldCash)]
struct HeldView {
    /// Sum of it.
    balance: JsonDecimal,
    /// The payments; with `detail=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<HeldItemView>>,
}

/// A payment that can be used from a date on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HeldPayment)]
struct HeldItemView {
    /// The transaction.
    transaction_id: schemas::ResourceId,
    /// Amount.
    amount: JsonDecimal,
    /// Time from which it can be used.
    held_until: schemas::Timestamp,
    /// User who paid it.
    from_user_id: schemas::UserId,
}

/// A transaction that is authorised, with its amount in these funds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PendingFund)]
struct PendingView {
    /// The transaction.
    transaction_id: schemas::ResourceId,
    /// Direction.
    flow: schemas::FundFlow,
    /// Amount.
    amount: JsonDecimal,
}

/// A change of a user's funds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FundTransaction)]
pub(crate) struct TransactionView {
    /// Its id.
    id: schemas::ResourceId,
    /// Its type.
    #[serde(rename = "type")]
    kind: schemas::FundTransactionType,
    /// Its direction.
    fund_flow: schemas::FundFlow,
    /// Its status.
    status: schemas::FundStatus,
    /// Reference of the payment outside of Fracti.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "bank 4711")]
    ref_id: Option<String>,
    /// Currency.
    currency: schemas::Currency,
    /// Amount: the sum of the three parts.
    amount: JsonDecimal,
    /// Part that is cash.
    cash: JsonDecimal,
    /// Part that is credit.
    credit: JsonDecimal,
    /// Part that bonuses are.
    bonus: JsonDecimal,
    /// This part by bonus.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    bonus_usage: Vec<BonusUsageView>,
    /// What was available before it in the funds that it changes.
    available: AvailableView,
    /// What its creator says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Transfer of 24 November")]
    description: Option<String>,
    /// Account to which a cash-out is paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "DE89 3704 0044 0532 0130 00")]
    to: Option<String>,
    /// Group of the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    group_id: Option<schemas::ResourceId>,
    /// Settlement of which it is one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ResourceId)]
    settlement_id: Option<schemas::ResourceId>,
    /// User of the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_user_id: Option<schemas::UserId>,
    /// User who created it.
    actor_id: schemas::UserId,
    /// Time of creation.
    created_at: schemas::Timestamp,
    /// Time from which it is no longer completed; of a bonus, time from which it has lapsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<schemas::Timestamp>,
    /// Time from which its cash can be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_until: Option<schemas::Timestamp>,
    /// Time at which it reached its final status.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<schemas::Timestamp>,
    /// User who gave it its final status; none if its time did.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<schemas::UserId>,
}

/// What a transaction takes from a bonus.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BonusUsage)]
struct BonusUsageView {
    /// The bonus.
    bonus_id: schemas::ResourceId,
    /// Amount.
    amount: JsonDecimal,
}

/// What was available, by kind. Only the kinds that the transaction changes have a number.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AvailableFunds)]
struct AvailableView {
    /// Cash.
    #[serde(skip_serializing_if = "Option::is_none")]
    cash: Option<JsonDecimal>,
    /// Credit.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<JsonDecimal>,
    /// The bonuses that it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    bonus: Option<JsonDecimal>,
}

/// A transaction that waits for an operator.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FundWorkItem)]
pub(crate) struct FundWorkView {
    #[serde(flatten)]
    transaction: TransactionView,
    /// User whose funds it changes.
    owner: schemas::UserId,
    /// Name of the user when they asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Alice Smith")]
    owner_name: Option<String>,
    /// Link that pays a cash-out in TON from the operator's wallet, with the id of the transaction
    /// as comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "ton://transfer/EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF?amount=3000000000"
    )]
    link: Option<String>,
}

/// Sums over all users.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FundTotals)]
pub(crate) struct FundTotalsView {
    /// The sums by currency, in order.
    currencies: Vec<FundTotalView>,
    /// Number of sums that cannot be read, and are missing. Without it there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 1)]
    unreadable: Option<u64>,
}

/// Sums over all users in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FundTotal)]
struct FundTotalView {
    /// The currency.
    currency: schemas::Currency,
    /// Cash that was topped up, less corrections.
    #[schema(value_type = schemas::Balance)]
    topped_up: JsonDecimal,
    /// Cash that was cashed out.
    cashed_out: JsonDecimal,
    /// Credit and bonuses that were given, less corrections.
    #[schema(value_type = schemas::Balance)]
    given: JsonDecimal,
    /// Rests of bonuses that lapsed.
    lapsed: JsonDecimal,
    /// Cash and held cash that all users have: `toppedUp` less `cashedOut`.
    #[schema(value_type = schemas::Balance)]
    cash: JsonDecimal,
    /// Credit and bonuses that all users have: `given` less `lapsed`.
    #[schema(value_type = schemas::Balance)]
    credit: JsonDecimal,
}

impl From<SeenFunds> for FundsView {
    fn from(seen: SeenFunds) -> Self {
        Self { released: Some(seen.released), ..Self::of(&seen, None, true) }
    }
}

impl FundsView {
    /// The funds in all currencies or in one.
    pub(crate) fn of(seen: &SeenFunds, currency: Option<Currency>, detail: bool) -> Self {
        let currencies = seen.funds.currencies().into_iter();
        let asked = currencies.filter(|it| currency.is_none_or(|only| only == *it));
        let view = |currency| CurrencyFundsView::of(&seen.funds, currency, seen.now, detail);
        Self { currencies: asked.map(view).collect(), released: None }
    }
}

impl CurrencyFundsView {
    fn of(funds: &Funds, currency: Currency, now: Timestamp, detail: bool) -> Self {
        let sums = |kind| funds.sums(currency, kind, now);
        let [cash, credit, bonus] = [FundKind::Cash, FundKind::Credit, FundKind::Bonus].map(sums);
        let fund = |key, sums| FundView {
            sums: FundSumsView::of(sums, currency),
            version: funds.get(key).map_or(0, |fund| fund.version),
            accepts: None,
        };
        let of_kind =
            |kind| funds.of(currency).filter(move |fund| fund.kind == kind && !fund.is_spent());
        let mut bonuses: Vec<_> = of_kind(FundKind::Bonus).collect();
        bonuses.sort_by_key(|bonus| (bonus.until, bonus.id));
        let bonuses = bonuses.into_iter().filter_map(|fund| BonusView::of(fund, funds, now));
        let held: Vec<_> = of_kind(FundKind::Held).collect();
        let of_held = |fund: &Fund| {
            let transaction = fund.id?;
            let until = fund.until?;
            let of = fund.held?;
            Some(HeldItemView {
                transaction_id: Text(transaction.into()),
                amount: amount(currency, fund.balance),
                held_until: Text(until),
                from_user_id: Text(of.from_user_id),
            })
        };
        let pending = |orphaned: bool| {
            let all = pending(funds, currency);
            all.into_iter().filter(move |(id, _)| funds.orphans.contains(id) == orphaned)
        };
        let view = |(id, (flow, minor)): (FundTransactionId, (FundFlow, i64))| PendingView {
            transaction_id: Text(id.into()),
            flow: Text(flow),
            amount: amount(currency, minor),
        };
        Self {
            currency: Text(currency),
            sums: FundSumsView::of(cash.plus(credit).plus(bonus), currency),
            cash: FundView {
                accepts: Some(funds.accepts(currency)),
                ..fund(FundKey::Cash(currency), cash)
            },
            credit: fund(FundKey::Credit(currency), credit),
            bonus: BonusesView {
                sums: FundSumsView::of(bonus, currency),
                items: detail.then(|| bonuses.collect()),
            },
            held: HeldView {
                balance: JsonDecimal(
                    currency.to_major(held.iter().map(|it| i128::from(it.balance)).sum::<i128>()),
                ),
                items: detail.then(|| held.into_iter().filter_map(of_held).collect()),
            },
            pending: detail.then(|| pending(false).map(view).collect()),
            orphaned: detail.then(|| pending(true).map(view).collect()),
        }
    }
}

/// The transactions that are pending in a currency, each with its sum, oldest first.
fn pending(funds: &Funds, currency: Currency) -> Vec<(FundTransactionId, (FundFlow, i64))> {
    let mut all = BTreeMap::new();
    for (id, entry) in funds.of(currency).flat_map(|fund| &fund.pending) {
        let (_, sum) = all.entry(*id).or_insert((entry.flow, 0_i64));
        *sum = sum.saturating_add(entry.amount);
    }
    let mut all: Vec<_> = all.into_iter().collect();
    // Those of one moment have ids in any order.
    all.sort_by_key(|(id, what)| (id.created_at(), *what, *id));
    all
}

impl FundSumsView {
    fn of(sums: FundSums, currency: Currency) -> Self {
        let FundSums { balance, available, withheld } = sums;
        let [balance, available, withheld] =
            [balance, available, withheld].map(|minor| JsonDecimal(currency.to_major(minor)));
        Self { balance, available, withheld }
    }
}

impl BonusView {
    fn of(fund: &Fund, funds: &Funds, now: Timestamp) -> Option<Self> {
        let id = fund.id?;
        let terms = fund.bonus.as_ref()?;
        let expires_at = fund.until?;
        let sums = FundSums {
            balance: fund.balance.into(),
            available: fund.available(&funds.orphans, now).into(),
            withheld: fund.withheld(&funds.orphans).into(),
        };
        Some(Self {
            id: Text(id.into()),
            awarded: amount(fund.currency, terms.awarded),
            sums: FundSumsView::of(sums, fund.currency),
            expires_at: Text(expires_at),
            note: terms.note.as_ref().map(ToString::to_string),
        })
    }
}

impl From<FundTransaction> for TransactionView {
    fn from(of: FundTransaction) -> Self {
        let major = |minor| amount(of.currency, minor);
        let usage = |(id, minor): (&FundTransactionId, &i64)| BonusUsageView {
            bonus_id: Text((*id).into()),
            amount: major(*minor),
        };
        Self {
            id: Text(of.id.into()),
            kind: Text(of.kind),
            fund_flow: Text(of.flow),
            status: Text(of.status),
            ref_id: of.ref_id.as_ref().map(ToString::to_string),
            currency: Text(of.currency),
            amount: major(of.amount),
            cash: major(of.cash_amount),
            credit: major(of.credit_amount),
            bonus: major(of.bonus_amount),
            bonus_usage: of.bonus_usage.iter().map(usage).collect(),
            available: AvailableView {
                cash: of.cash_available.map(major),
                credit: of.credit_available.map(major),
                bonus: of.bonus_available.map(|sum| amount(of.currency, sum)),
            },
            description: of.description.as_ref().map(ToString::to_string),
            to: of.to.as_ref().map(ToString::to_string),
            group_id: of.group_id.map(|id| Text(id.into())),
            settlement_id: of.settlement_id.map(|id| Text(id.into())),
            other_user_id: of.other_user_id.map(Text),
            actor_id: Text(of.actor_id),
            created_at: Text(of.created_at),
            expires_at: of.expires_at.map(Text),
            held_until: of.held_until.map(Text),
            ended_at: of.ended_at.map(Text),
            ended_by: of.ended_by.map(Text),
        }
    }
}

impl From<FundTransaction> for FundWorkView {
    fn from(of: FundTransaction) -> Self {
        let owner = Text(of.owner);
        let owner_name = of.owner_name.clone();
        let link = of.payment_link();
        Self { transaction: of.into(), owner, owner_name, link }
    }
}

impl From<Slice<FundTotal>> for FundTotalsView {
    fn from(totals: Slice<FundTotal>) -> Self {
        let unreadable = Some(totals.unreadable).filter(|number| *number > 0);
        Self { currencies: totals.items.iter().map(FundTotalView::from).collect(), unreadable }
    }
}

impl From<&FundTotal> for FundTotalView {
    fn from(total: &FundTotal) -> Self {
        let currency = total.currency;
        Self {
            currency: Text(currency),
            topped_up: amount(currency, total.topped_up),
            cashed_out: amount(currency, total.cashed_out),
            given: amount(currency, total.given),
            lapsed: amount(currency, total.lapsed),
            cash: amount(currency, total.cash()),
            credit: amount(currency, total.credit()),
        }
    }
}

fn amount(currency: Currency, minor: impl Into<i128>) -> JsonDecimal {
    JsonDecimal(currency.to_major(minor))
}
