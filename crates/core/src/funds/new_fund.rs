//! Requests that change funds.

use fracti_texts::rule;

use crate::{
    input::{Draft, Error, Field, FieldErrors, numbers::positive},
    values::{
        currency::Currency,
        decimal::Decimal,
        id::FundTransactionId,
        money::Money,
        ref_id::RefId,
        text::{FundNote, PayTo},
        time::Timestamp,
        ton::TonAddress,
        tx_hash::{TxHash, TxHashError},
    },
    words,
};

/// The least and the most time after which a bonus lapses, in seconds: an hour and five years.
const BONUS_S: [u64; 2] = [3_600, 5 * 365 * 24 * 3_600];

words! {
    /// Kind of the value that is added to a user's funds, or taken from them.
    pub enum PlainFund as "PlainFund" {
        /// Money, which can be cashed out.
        Cash = "cash",
        /// A promise of the operator, which can only be spent.
        Credit = "credit",
    }
}

words! {
    /// Type of a debit.
    pub enum DebitType as "FundDebitType" {
        /// The user asks for their cash.
        Cashout = "cashout",
        /// An operator puts a mistake right.
        Correction = "correction",
    }
}

/// Cash or credit to add to a user's funds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewFundCredit {
    /// Its kind.
    pub fund: Field<PlainFund>,
    /// Currency.
    pub currency: Field<Currency>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// Reference of the payment, by which an operator records it. Without one, the user reports it.
    pub ref_id: Field<RefId>,
    /// Note about it.
    pub description: Field<FundNote>,
}

/// A credit that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundCredit {
    /// Its kind.
    pub fund: PlainFund,
    /// Amount, above zero.
    pub amount: Money,
    /// Reference of the payment, if an operator records it.
    pub ref_id: Option<RefId>,
    /// Note about it.
    pub description: Option<FundNote>,
}

impl Draft<NewFundCredit> {
    /// Whether only an operator may ask for it.
    #[must_use]
    pub fn needs_operator(&self) -> bool {
        let credit = Some(&PlainFund::Credit);
        self.fields().is_some_and(|new| new.fund.value() == credit || !new.ref_id.is_absent())
    }

    /// The credit, which an operator records, or the user reports.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Unreadable`].
    pub fn check(&self, by_operator: bool) -> Result<FundCredit, Error> {
        let (new, mut errors) = self.open()?;
        let by_operator = by_operator || self.needs_operator();
        let amount = amount(new.currency, new.amount, &mut errors);
        if by_operator && new.ref_id.is_absent() {
            errors.missing("refId");
        }
        if let (Some(currency), false) = (new.currency.value(), by_operator)
            && is_on_chain(*currency)
        {
            errors.push(
                "currency",
                rule!(
                    "{field} must not be {currency}: an operator records it",
                    "{field} не может быть {currency}: такие пополнения записывает оператор"
                ),
            );
        }
        let ref_id = check_reference(&new.ref_id, new.fund, new.currency, &mut errors);
        let credit = || {
            Some(FundCredit {
                fund: new.fund.value().copied()?,
                amount: amount?,
                ref_id: ref_id?,
                description: optional(&new.description)?,
            })
        };
        let credit = credit();
        errors.finish(credit)
    }
}

/// A bonus to give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBonus {
    /// Currency.
    pub currency: Field<Currency>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// Time from which it has lapsed.
    pub expires_at: Field<Timestamp>,
    /// Note about it.
    pub note: Field<FundNote>,
}

/// A bonus that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenBonus {
    /// Amount, above zero.
    pub amount: Money,
    /// Time from which it has lapsed.
    pub expires_at: Timestamp,
    /// Note about it.
    pub note: Option<FundNote>,
}

impl Draft<NewBonus> {
    /// The bonus.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Unreadable`].
    pub fn check(&self, now: Timestamp) -> Result<GivenBonus, Error> {
        let (new, mut errors) = self.open()?;
        let amount = amount(new.currency, new.amount, &mut errors);
        let [least, most] = BONUS_S.map(|seconds| now.plus_seconds(seconds));
        let expires_at = new.expires_at.value().copied();
        if expires_at.is_some_and(|at| at < least || at > most) {
            errors.push(
                "expiresAt",
                rule!(
                    "{field} must be an hour to five years ahead",
                    "{field} должно быть не раньше чем через час и не позже чем через пять лет"
                ),
            );
        }
        let bonus = || {
            let amount = amount?;
            let expires_at = expires_at?;
            Some(GivenBonus { amount, expires_at, note: optional(&new.note)? })
        };
        let bonus = bonus();
        errors.finish(bonus)
    }
}

/// A cash-out, or a correction by an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewFundDebit {
    /// Type: a cash-out or a correction.
    pub debit_type: Field<DebitType>,
    /// Currency.
    pub currency: Field<Currency>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// Account to which a cash-out is paid.
    pub to: Field<PayTo>,
    /// Kind of the value that a correction takes.
    pub fund: Field<PlainFund>,
    /// Bonus that a correction takes from, instead of the credit.
    pub bonus_id: Field<FundTransactionId>,
    /// Reference of the mistake.
    pub ref_id: Field<RefId>,
    /// Note about it.
    pub description: Field<FundNote>,
}

/// Right to ask for a debit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebitRight {
    /// Only the owner of the funds.
    Owner,
    /// Only an operator.
    Operator,
}

/// A debit that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FundDebit {
    /// The user asks for their cash.
    Cashout {
        /// Amount, above zero.
        amount: Money,
        /// Account to which it is paid.
        to: PayTo,
        /// Note about it.
        description: Option<FundNote>,
    },
    /// An operator takes value back.
    Correction {
        /// Kind of the value.
        fund: PlainFund,
        /// Bonus that it is taken from, instead of the credit.
        bonus_id: Option<FundTransactionId>,
        /// Amount, above zero.
        amount: Money,
        /// Reference of the mistake.
        ref_id: RefId,
        /// Note about it.
        description: FundNote,
    },
}

impl Draft<NewFundDebit> {
    /// Right that it needs, if its type can be read.
    #[must_use]
    pub fn right(&self) -> Option<DebitRight> {
        self.fields().and_then(|new| new.debit_type.value()).map(|of_type| match of_type {
            DebitType::Cashout => DebitRight::Owner,
            DebitType::Correction => DebitRight::Operator,
        })
    }

    /// The debit.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all broken rules; [`Error::Unreadable`].
    pub fn check(&self) -> Result<FundDebit, Error> {
        let (new, mut errors) = self.open()?;
        let amount = amount(new.currency, new.amount, &mut errors);
        let debit = match new.debit_type.value() {
            None => None,
            Some(DebitType::Cashout) => check_cashout(new, amount, &mut errors),
            Some(DebitType::Correction) => check_correction(new, amount, &mut errors),
        };
        errors.finish(debit)
    }
}

fn check_cashout(
    new: &NewFundDebit,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Option<FundDebit> {
    let of_correction = [
        ("fund", new.fund.is_absent()),
        ("bonusId", new.bonus_id.is_absent()),
        ("refId", new.ref_id.is_absent()),
    ];
    for (field, _) in of_correction.into_iter().filter(|(_, is_absent)| !is_absent) {
        errors.push(
            field,
            rule!(
                "{field} must be given only with type correction",
                "указывайте {field} только при type correction"
            ),
        );
    }
    let on_chain = new.currency.value().copied().filter(|it| is_on_chain(*it));
    match (&new.to, on_chain) {
        (Field::Absent, Some(currency)) => {
            errors.push(
                "to",
                rule!(
                    "{field} must be an address for {currency}",
                    "для {currency} укажите в {field} адрес"
                ),
            );
        }
        (Field::Absent, None) => errors.missing("to"),
        (Field::Value(to), Some(_)) => {
            errors.keep("to", to.as_str().parse::<TonAddress>());
        }
        (Field::Invalid, _) | (Field::Value(_), None) => {}
    }
    let to = new.to.value().cloned()?;
    let description = optional(&new.description)?;
    Some(FundDebit::Cashout { amount: amount?, to, description })
}

fn check_correction(
    new: &NewFundDebit,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Option<FundDebit> {
    for (field, is_absent) in [
        ("fund", new.fund.is_absent()),
        ("refId", new.ref_id.is_absent()),
        ("description", new.description.is_absent()),
    ] {
        if is_absent {
            errors.missing(field);
        }
    }
    if !new.to.is_absent() {
        errors.push(
            "to",
            rule!(
                "{field} must be given only with type cashout",
                "указывайте {field} только при type cashout"
            ),
        );
    }
    let bonus_id = optional(&new.bonus_id);
    if new.fund == Field::Value(PlainFund::Cash) && !new.bonus_id.is_absent() {
        errors.push(
            "bonusId",
            rule!(
                "{field} must be given only with fund credit",
                "указывайте {field} только при fund credit"
            ),
        );
    }
    let ref_id = check_reference(&new.ref_id, new.fund, new.currency, errors);
    Some(FundDebit::Correction {
        fund: new.fund.value().copied()?,
        bonus_id: bonus_id?,
        amount: amount?,
        ref_id: ref_id??,
        description: new.description.value().cloned()?,
    })
}

/// Whether money in the currency is paid on the TON blockchain.
#[must_use]
pub fn is_on_chain(currency: Currency) -> bool {
    [Currency::TON, Currency::USDT].contains(&currency)
}

/// A reference in one form: cash in a currency of the chain is referred to by its transaction.
///
/// # Errors
///
/// [`TxHashError`] if it is not the hash of a transaction.
pub fn reference_in(
    reference: &RefId,
    fund: PlainFund,
    currency: Currency,
) -> Result<RefId, TxHashError> {
    if fund == PlainFund::Cash && is_on_chain(currency) {
        return reference.as_str().parse::<TxHash>().map(RefId::from);
    }
    Ok(reference.clone())
}

#[expect(clippy::option_option, reason = "a field is absent, invalid or a value")]
fn check_reference(
    reference: &Field<RefId>,
    fund: Field<PlainFund>,
    currency: Field<Currency>,
    errors: &mut FieldErrors,
) -> Option<Option<RefId>> {
    let reference = match reference {
        Field::Absent => return Some(None),
        reference => reference.value()?,
    };
    let fund = fund.value().copied()?;
    let currency = currency.value().copied()?;
    errors.keep("refId", reference_in(reference, fund, currency)).map(Some)
}

fn amount(
    currency: Field<Currency>,
    amount: Field<Decimal>,
    errors: &mut FieldErrors,
) -> Option<Money> {
    positive("amount", amount.value().copied()?, currency.value().copied(), errors)
}

/// The value of a field that may be left out; `None` if it is invalid.
#[expect(clippy::option_option, reason = "a field is absent, invalid or a value")]
fn optional<T: Clone>(field: &Field<T>) -> Option<Option<T>> {
    field.as_ref().map(|value| Some(value.clone())).or(None)
}
