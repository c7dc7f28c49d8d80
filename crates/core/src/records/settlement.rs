//! Settlements, and the rules for who may change their status.

mod sides;

use std::collections::BTreeSet;

use fracti_texts::{message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    group::{Group, Member, links::Links, not_a_member},
    input::{Draft, Error, Field, FieldErrors, fund_error::FundError, numbers::positive},
    ledger::{Change, Event, Ledger, LedgerError, RefType, Totals},
    records::expense::check_date,
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{FundTransactionId, GroupId, ImportId, MemberId, SettlementId, UserId},
        text::SettlementNote,
        time::{Day, Timestamp, Zone, day_of},
    },
    words,
};

use crate::values::{
    settlement_status::{SettlementError, SettlementStatus},
    tx_hash::TxHash,
};
use sides::Sides;

pub use sides::{SettlementAction, Standing};

/// A payment from one member to another that reduces a debt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settlement {
    /// Identifier.
    pub id: SettlementId,
    /// Group that the settlement belongs to.
    pub group_id: GroupId,
    /// Title of the group at that time. v0 rows, written by the TypeScript Fracti, have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_title: Option<String>,
    /// The payer.
    pub from_user_id: MemberId,
    /// Name of the payer at that time.
    pub from_user_name: String,
    /// The recipient.
    pub to_user_id: MemberId,
    /// Name of the recipient at that time.
    pub to_user_name: String,
    /// The amount in major units. In a v0 row it may be finer than a minor unit, so it is not a
    /// [`Money`](crate::values::money::Money).
    pub amount: Decimal,
    /// The currency of the amount.
    pub currency: Currency,
    /// Blockchain transaction that pays the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_hash: Option<TxHash>,
    /// Only a `completed` settlement changes balances.
    pub status: SettlementStatus,
    /// Time at which the settlement was recorded.
    pub created_at: Timestamp,
    /// Member who recorded the settlement. Imported ones and rows of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// Time at which the settlement was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Import that recorded the settlement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<ImportId>,
    /// Part that the payer's funds pay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub funds: Option<PaidFromFunds>,
    /// Part that is paid outside of funds, in major units, if funds pay only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<Decimal>,
    /// Time from which the recipient can use the cash of the payer's funds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_until: Option<Timestamp>,
    /// Whether it failed because the time of the hold ran out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Day of the payment, if it is not that of the recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// Note about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time of the last edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Time at which it was taken back. It was completed, and its status is `failed` since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_at: Option<Timestamp>,
    /// Member who took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<UserId>,
}

/// The part of a settlement that the payer's funds pay, in major units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaidFromFunds {
    /// Transaction of the payer's funds.
    pub transaction_id: FundTransactionId,
    /// All of it.
    pub amount: Decimal,
    /// Part that the recipient gets as cash.
    pub cash: Decimal,
    /// Part that the recipient gets as credit.
    pub credit: Decimal,
    /// Time at which the hold ends, unless it was paid at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Row for Settlement {
    const KIND: &'static str = "settlement";
    // Version 2 may be paid from funds, which an earlier Fracti must not complete. Version 3 may
    // have been edited or taken back, which an earlier Fracti would not compare, or lose.
    const VERSION: u32 = 3;

    fn keys(&self) -> Keys {
        let primary = keys::settlement(self.group_id, self.created_at);
        let received = format!("{}{}", keys::prefix::RECEIVED, self.created_at);
        let by_recipient = Index { pk: keys::user_partition(self.to_user_id), sk: received };
        let by_id =
            Index { pk: keys::settlement_partition(self.id), sk: self.group_id.to_string() };
        let by_payer =
            Index { pk: keys::user_partition(self.from_user_id), sk: primary.sk.clone() };
        Keys { gsi1: Some(by_recipient), gsi2: Some(by_id), gsi3: Some(by_payer), ..primary.into() }
    }
}

/// The row that ensures that a blockchain transaction pays only one settlement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsedHash {
    /// The blockchain transaction.
    pub tx_hash: TxHash,
    /// The settlement that it pays.
    pub settlement_id: SettlementId,
    /// Group of the settlement.
    pub group_id: GroupId,
}

impl Row for UsedHash {
    const KIND: &'static str = "usedHash";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::tx_hash(&self.tx_hash).into()
    }
}

/// A settlement to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSettlement {
    /// The recipient.
    pub to: Field<MemberId>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// The payer. Default: the caller.
    pub from: Field<MemberId>,
    /// Currency. Default: the one in which the payer owes and the recipient is owed, if there is
    /// exactly one; otherwise the group's.
    pub currency: Field<Currency>,
    /// Blockchain transaction that pays the settlement.
    pub tx_hash: Field<TxHash>,
    /// Whether the payer's funds pay it.
    pub pay_from: Field<PayFrom>,
    /// Whether the payer may pay outside of funds what they do not cover.
    pub allow_external: Field<bool>,
    /// Whether it is completed at once.
    pub pay_now: Field<bool>,
    /// Time from which the recipient can use the cash.
    pub hold_until: Field<Timestamp>,
    /// Day of the payment. Default: today in the caller's zone.
    pub date: Field<Day>,
    /// Note about it.
    pub note: Field<SettlementNote>,
    /// Whether it is another payment than an equal one that is pending.
    pub separate: Field<bool>,
}

words! {
    /// What pays a settlement.
    pub enum PayFrom as "PayFrom" {
        /// Money outside of Fracti.
        Outside = "outside",
        /// The payer's funds.
        Funds = "funds",
    }
}

/// Terms on which the payer's funds pay a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromFunds {
    /// Whether the payer may pay outside of funds what they do not cover.
    pub allow_external: bool,
    /// Whether it is completed at once.
    pub pay_now: bool,
    /// Time from which the recipient can use the cash.
    pub hold_until: Option<Timestamp>,
}

/// The least and the most time for which cash is held, in seconds: a minute and 90 days.
const HELD_S: [u64; 2] = [60, 90 * 24 * 3_600];

/// A requested change of a settlement: a status, a transaction hash or both; or an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettlementUpdate {
    /// The new status.
    pub status: Field<SettlementStatus>,
    /// Blockchain transaction that pays the settlement.
    pub tx_hash: Field<TxHash>,
    /// The new amount, in major units.
    pub amount: Field<Decimal>,
    /// The new currency.
    pub currency: Field<Currency>,
    /// The new day of the payment.
    pub date: Field<Day>,
    /// The new note; `None` removes it.
    pub note: Field<Option<SettlementNote>>,
}

impl SettlementUpdate {
    /// Names of the fields that edit the settlement, of those that are sent.
    fn edits(&self) -> impl Iterator<Item = &'static str> {
        let fields = [
            ("amount", self.amount.is_absent()),
            ("currency", self.currency.is_absent()),
            ("date", self.date.is_absent()),
            ("note", self.note.is_absent()),
        ];
        fields.into_iter().filter(|(_, is_absent)| !is_absent).map(|(name, _)| name)
    }
}

/// The effect of a [`SettlementUpdate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Nothing changes.
    Nothing,
    /// The hash is stored, and the settlement remains pending.
    Attach(TxHash),
    /// The settlement fails.
    Fail,
    /// The settlement is completed and changes balances.
    Complete,
    /// The pending settlement is edited.
    Edit,
    /// The completed settlement is taken back, which changes balances.
    Revert,
}

impl Settlement {
    /// Whether the settlement is completed, so that it changes balances.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.status == SettlementStatus::Completed
    }

    /// Whether funds paid it at once, without the recipient's confirmation.
    #[must_use]
    pub fn is_paid_at_once(&self) -> bool {
        self.funds.as_ref().is_some_and(|funds| funds.expires_at.is_none())
    }

    /// The payer and the recipient.
    #[must_use]
    pub const fn parties(&self) -> [MemberId; 2] {
        [self.from_user_id, self.to_user_id]
    }

    /// The day of the payment.
    #[must_use]
    pub fn day(&self) -> Day {
        self.date.unwrap_or(self.created_at.day())
    }

    /// Whether `caller`, who acts for these sides, may edit it: the member who recorded it, or who
    /// acts for the payer of one that does not say who did.
    fn is_edited_by(&self, caller: UserId, sides: Sides) -> bool {
        self.created_by.map_or(sides.payer, |recorder| recorder == caller)
    }

    /// The settlement after an edit at `at`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the amount is not positive, or finer than a minor unit of the
    /// currency, or if the date is more than a year ahead.
    pub fn edited(&self, update: &SettlementUpdate, at: Timestamp) -> Result<Self, Error> {
        let mut errors = FieldErrors::default();
        let currency = update.currency.value().copied().unwrap_or(self.currency);
        let amount = update.amount.value().copied().unwrap_or(self.amount);
        let amount = positive("amount", amount, Some(currency), &mut errors);
        let mut edited = Self { currency, ..self.clone() };
        if let Field::Value(date) = check_date(update.date, self.date, at, &mut errors) {
            edited.date = Some(date);
        }
        if let Some(note) = update.note.value() {
            edited.note = note.as_ref().map(ToString::to_string);
        }
        let edited = amount.map(|amount| {
            let amount = amount.to_major();
            // Funds pay nothing of a settlement that is edited.
            Self { amount, external: edited.external.map(|_| amount), ..edited }
        });
        let edited = errors.finish(edited)?;
        Ok(if edited == *self { edited } else { Self { updated_at: Some(at), ..edited } })
    }

    /// Whether it is pending at `now` and pays the same as another one: the same amount, between
    /// the same members. On a blockchain, the transaction tells two payments apart.
    #[must_use]
    pub fn repeats(&self, other: &Self, links: &Links, now: Timestamp) -> bool {
        let hold = self.funds.as_ref().and_then(|funds| funds.expires_at);
        let has_own_hash = self.tx_hash.is_some() && other.tx_hash.is_some();
        self.status == SettlementStatus::Pending
            && !has_own_hash
            && hold.is_none_or(|end| now < end)
            && (self.amount, self.currency) == (other.amount, other.currency)
            && self.resolved(links).parties() == other.resolved(links).parties()
    }

    /// The settlement between the members whom its parties mean.
    #[must_use]
    pub fn resolved(&self, links: &Links) -> Self {
        Self {
            from_user_id: links.resolve(self.from_user_id),
            to_user_id: links.resolve(self.to_user_id),
            ..self.clone()
        }
    }

    /// The ledger event of the completed settlement: the payer sent, and the recipient received.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if the amount is not a whole number of minor units.
    pub fn event(&self) -> Result<Event, LedgerError> {
        let currency = self.currency;
        let minor = currency.to_minor(self.amount)?;
        let sent = Totals { sent: minor, ..Totals::default() };
        let received = Totals { received: minor, ..Totals::default() };
        Ok(Event {
            ref_type: RefType::Settlement,
            entry_id: self.id.into(),
            ref_created_at: self.id.created_at().is_none().then_some(self.created_at),
            note: None,
            changes: vec![
                Change { user: self.from_user_id, currency, totals: sent },
                Change { user: self.to_user_id, currency, totals: received },
            ],
        })
    }

    /// The effect of `update`, if `caller` may request it.
    ///
    /// A member who acts for the payer may send the transaction hash, and one who acts for either
    /// side may set the status to `failed`. The side that has not confirmed the settlement yet may
    /// set it to `completed`. If the payer sends a hash with the status `completed`, only the hash
    /// is stored, and the settlement waits for the recipient. The user who recorded it may edit it
    /// while it is pending. A member who acts for the recipient may take back a completed
    /// settlement with the status `failed`, unless it was paid from funds or imported; only the
    /// recipient may take back one that funds paid at once. Rules that need an invalid field are
    /// skipped; the effect is then [`Transition::Nothing`].
    ///
    /// # Errors
    ///
    /// [`SettlementError`] if the caller may not make this change, or the settlement has another
    /// final status.
    pub fn transition(
        &self,
        caller: UserId,
        update: &SettlementUpdate,
        standing: &Standing,
    ) -> Result<Transition, SettlementError> {
        let sides = standing.sides(caller, self.parties());
        if !sides.payer && !sides.recipient {
            return Err(SettlementError::NotParty);
        }
        let status = update.status.value().copied();
        let hash = update.tx_hash.value();
        let same_hash = hash.is_none() || hash == self.tx_hash.as_ref();
        let edits = update.edits().next().is_some();
        if edits && !self.is_edited_by(caller, sides) {
            return Err(SettlementError::NotRecorder);
        }
        if self.status != SettlementStatus::Pending {
            let repeated = same_hash && status.is_none_or(|status| status == self.status) && !edits;
            let reverts = status == Some(SettlementStatus::Failed) && hash.is_none() && !edits;
            let by_recipient = match self.funds {
                None => sides.recipient && self.import_id.is_none(),
                Some(_) => self.is_paid_at_once() && self.to_user_id == MemberId::from(caller),
            };
            return if repeated || update.status.is_invalid() {
                Ok(Transition::Nothing)
            } else if reverts && self.is_completed() && by_recipient {
                Ok(Transition::Revert)
            } else {
                Err(SettlementError::Final(self.status))
            };
        }
        if !same_hash && !sides.payer {
            return Err(SettlementError::NotPayer);
        }
        match (status, hash) {
            _ if update.status.is_invalid() || update.tx_hash.is_invalid() => {
                Ok(Transition::Nothing)
            }
            (Some(SettlementStatus::Failed), _) => Ok(Transition::Fail),
            (_, Some(hash)) if !same_hash => Ok(Transition::Attach(hash.clone())),
            (Some(SettlementStatus::Completed), _) if self.is_completed_by(caller, standing) => {
                Ok(Transition::Complete)
            }
            (Some(SettlementStatus::Completed), None) => Err(SettlementError::NotOtherSide),
            (None, None) if edits => Ok(Transition::Edit),
            _ => Ok(Transition::Nothing),
        }
    }
}

impl Draft<NewSettlement> {
    /// The users that the request names. [`Draft::check`] needs them besides the caller.
    #[must_use]
    pub fn named(&self) -> BTreeSet<MemberId> {
        let fields = self.fields().map(|new| [&new.to, &new.from]);
        fields.into_iter().flatten().filter_map(Field::value).copied().collect()
    }

    /// Whether the payer's funds pay it.
    #[must_use]
    pub fn is_from_funds(&self) -> bool {
        self.fields().is_some_and(|new| new.pay_from == Field::Value(PayFrom::Funds))
    }

    /// Terms on which funds pay it, if they do and the request can be read.
    #[must_use]
    pub fn from_funds(&self) -> Option<FromFunds> {
        let new = self.fields().filter(|_| self.is_from_funds())?;
        Some(FromFunds {
            allow_external: new.allow_external.or(false)?,
            pay_now: new.pay_now.or(false)?,
            hold_until: new.hold_until.map(Some).or(None)?,
        })
    }

    /// Whether the request says that it is another payment than an equal one that is pending.
    #[must_use]
    pub fn is_separate(&self) -> bool {
        self.fields().is_some_and(|new| new.separate == Field::Value(true))
    }

    /// Whether the request says the date, so that [`Draft::check`] does not need a zone.
    #[must_use]
    pub fn has_date(&self) -> bool {
        self.fields().is_none_or(|new| !new.date.is_absent())
    }

    /// Checks the settlement against the group. Its id and time are set when it is recorded.
    /// `members` has at least the caller and the users of [`Draft::named`]. `now` is the time of
    /// day, and `zone` is that of the caller's days.
    ///
    /// The caller's right is checked before the other rules, as far as the request can be read. A
    /// settlement that its recipient records is completed at once, unless a past member paid it.
    ///
    /// # Errors
    ///
    /// [`Error::Settlement`] if the caller may not record it; [`Error::Invalid`] with all rules
    /// that are broken; [`Error::Unreadable`].
    pub fn check(
        &self,
        group: &Group,
        members: &[Member],
        ledger: &Ledger,
        caller: UserId,
        (now, zone): (Timestamp, Zone),
    ) -> Result<Settlement, Error> {
        let member = MemberId::from(caller);
        let standing = Standing::of(members);
        if let Some(new) = self.fields() {
            let parties = new.from.or(member).zip(new.to.value().copied());
            let sides = parties.map(|(from, to)| standing.sides(caller, [from, to]));
            if sides.is_some_and(|sides| !sides.payer && !sides.recipient) {
                return Err(SettlementError::NotParty.into());
            }
            if sides.is_some_and(|sides| !sides.payer) && new.tx_hash.value().is_some() {
                return Err(SettlementError::NotPayer.into());
            }
            let from = new.from.or(member);
            if self.is_from_funds() && from.is_some_and(|from| from != member) {
                return Err(FundError::NotPayer.into());
            }
        }
        let (new, mut errors) = self.open()?;
        let mut named = |path: &str, user: MemberId| {
            let member = members.iter().find(|member| member.id == user);
            let name =
                errors.keep(path, member.map(|it| it.name.clone()).ok_or_else(not_a_member))?;
            Some((user, name))
        };
        let to = new.to.value().copied();
        let from = new.from.or(member);
        let to = to.and_then(|user| named("toId", user));
        let from = from.and_then(|user| named("fromId", user));
        let parties = from.as_ref().zip(to.as_ref()).map(|((from, _), (to, _))| (*from, *to));
        if parties.is_some_and(|(from, to)| from == to) {
            errors.push(
                "toId",
                message!(
                    "toId must not be the payer",
                    "получатель toId не должен совпадать с плательщиком"
                ),
            );
        }
        check_funding(new, members, now, &mut errors);
        let owed = parties.and_then(|(from, to)| ledger.balances.owed_currency(from, to));
        // The default depends on both parties.
        let default = parties.map(|_| owed.unwrap_or(group.currency));
        let currency = match new.currency {
            Field::Absent => default,
            currency => currency.value().copied(),
        };
        let amount = new.amount.value().copied();
        let amount = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let date = check_date(new.date, None, now, &mut errors);
        let today = Some(day_of(now, zone)).filter(|day| *day != now.day());
        let settlement = || {
            let ((from_user_id, from_user_name), (to_user_id, to_user_name)) = (from?, to?);
            let is_paid = standing.completes_at_once(caller, [from_user_id, to_user_id]);
            let amount = amount?;
            Some(Settlement {
                id: SettlementId::new(group.created_at, [0; 10]),
                group_id: group.id,
                group_title: Some(group.title.to_string()),
                from_user_id,
                from_user_name,
                to_user_id,
                to_user_name,
                amount: amount.to_major(),
                currency: amount.currency,
                tx_hash: new.tx_hash.as_ref().map(|hash| Some(hash.clone())).or(None)?,
                status: if is_paid {
                    SettlementStatus::Completed
                } else {
                    SettlementStatus::Pending
                },
                created_at: group.created_at,
                created_by: Some(caller),
                completed_at: None,
                import_id: None,
                funds: None,
                external: None,
                hold_until: None,
                expired: false,
                date: date.map(Some).or(today)?,
                note: new.note.as_ref().map(|note| Some(note.to_string())).or(None)?,
                updated_at: None,
                reverted_at: None,
                reverted_by: None,
            })
        };
        let settlement = settlement();
        errors.finish(settlement)
    }
}

/// Checks the fields about funds.
fn check_funding(
    new: &NewSettlement,
    members: &[Member],
    now: Timestamp,
    errors: &mut FieldErrors,
) {
    if new.pay_from.is_invalid() {
        return;
    }
    if new.pay_from.or(PayFrom::Outside) != Some(PayFrom::Funds) {
        for (field, is_absent) in [
            ("allowExternal", new.allow_external.is_absent()),
            ("payNow", new.pay_now.is_absent()),
            ("holdUntil", new.hold_until.is_absent()),
        ] {
            if !is_absent {
                errors.push(
                    field,
                    rule!(
                        "{field} must be given only with payFrom funds",
                        "указывайте {field} только при payFrom funds"
                    ),
                );
            }
        }
        return;
    }
    let to = new.to.value();
    let is_user = |member: &Member| member.is_present() && member.id.user().is_some();
    if members.iter().any(|member| to == Some(&member.id) && !is_user(member)) {
        let rule = rule!(
            "{field} must be a present user, because funds pay it",
            "{field} должно быть id пользователя, который состоит в группе: платёж идёт из средств"
        );
        errors.push("toId", rule);
    }
    if !new.tx_hash.is_absent() {
        errors.push(
            "txHash",
            rule!(
                "{field} must not be given with payFrom funds",
                "не указывайте {field} при payFrom funds"
            ),
        );
    }
    let [allow_external, pay_now] =
        [new.allow_external, new.pay_now].map(|flag| flag == Field::Value(true));
    if allow_external && pay_now {
        errors.push(
            "allowExternal",
            rule!(
                "{field} must not be true with payNow",
                "{field} не должно быть true вместе с payNow"
            ),
        );
    }
    let Field::Value(until) = new.hold_until else { return };
    let [least, most] = HELD_S.map(|seconds| now.plus_seconds(seconds));
    if allow_external || pay_now {
        errors.push(
            "holdUntil",
            rule!(
                "{field} must not be given with allowExternal or payNow",
                "не указывайте {field} вместе с allowExternal или payNow"
            ),
        );
    } else if until < least || until > most {
        errors.push(
            "holdUntil",
            rule!(
                "{field} must be a minute to 90 days ahead",
                "{field} должно быть не раньше чем через минуту и не позже чем через 90 дней"
            ),
        );
    }
}

impl Draft<SettlementUpdate> {
    /// The requested change, if it breaks no rule.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::Unreadable`].
    pub fn check(&self) -> Result<&SettlementUpdate, Error> {
        let (update, mut errors) = self.open()?;
        let is_change = !update.status.is_absent() || !update.tx_hash.is_absent();
        let mut edits = update.edits().peekable();
        if !is_change && edits.peek().is_none() {
            errors.push(
                "status",
                message!(
                    "status, txHash, amount, currency, date or note is required",
                    "укажите status, txHash, amount, currency, date или note"
                ),
            );
        }
        for edit in edits.filter(|_| is_change) {
            errors.push(
                edit,
                rule!(
                    "{field} must not be sent with status or txHash",
                    "не отправляйте {field} вместе с status или txHash"
                ),
            );
        }
        if update.status == Field::Value(SettlementStatus::Failed)
            && update.tx_hash.value().is_some()
        {
            errors.push(
                "txHash",
                rule!(
                    "{field} must be left out if status is failed",
                    "не указывайте {field} при status failed"
                ),
            );
        }
        errors.finish(Some(update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settlement(status: SettlementStatus, tx_hash: Option<&str>) -> Settlement {
        let at: Timestamp = "2024-01-21T10:00:00.000Z".parse().unwrap();
        Settlement {
            id: SettlementId::new(at, [1; 10]),
            group_id: GroupId::new(at, [2; 10]),
            group_title: None,
            from_user_id: PAYER.parse().unwrap(),
            from_user_name: "Bob".to_owned(),
            to_user_id: RECIPIENT.parse().unwrap(),
            to_user_name: "Alice".to_owned(),
            amount: "25".parse().unwrap(),
            currency: Currency::TON,
            tx_hash: tx_hash.map(|hash| hash.parse().unwrap()),
            status,
            created_at: at,
            created_by: None,
            completed_at: None,
            import_id: None,
            funds: None,
            external: None,
            hold_until: None,
            expired: false,
            date: None,
            note: None,
            updated_at: None,
            reverted_at: None,
            reverted_by: None,
        }
    }

    const PAYER: &str = "1";
    const RECIPIENT: &str = "2";
    const STRANGER: &str = "3";
    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    #[test]
    fn each_party_may_make_only_its_own_transitions() {
        use SettlementError::{Final, NotOtherSide, NotParty, NotPayer};
        use SettlementStatus::{Completed, Failed, Pending};
        let attach = |hash: &str| Ok(Transition::Attach(hash.parse().unwrap()));
        for (state, stored, caller, status, hash, expected) in [
            (Pending, None, STRANGER, Some(Completed), None, Err(NotParty)),
            (Completed, None, STRANGER, Some(Completed), None, Err(NotParty)),
            (Pending, None, RECIPIENT, Some(Completed), None, Ok(Transition::Complete)),
            (Pending, None, RECIPIENT, Some(Failed), None, Ok(Transition::Fail)),
            (Pending, None, RECIPIENT, Some(Pending), None, Ok(Transition::Nothing)),
            (Pending, None, RECIPIENT, None, Some(A), Err(NotPayer)),
            (Pending, None, RECIPIENT, Some(Completed), Some(A), Err(NotPayer)),
            (Pending, Some(A), RECIPIENT, Some(Completed), Some(A), Ok(Transition::Complete)),
            (Pending, None, PAYER, Some(Completed), None, Err(NotOtherSide)),
            (Pending, Some(A), PAYER, Some(Completed), None, Err(NotOtherSide)),
            (Pending, None, PAYER, Some(Completed), Some(A), attach(A)),
            (Pending, None, PAYER, Some(Pending), Some(A), attach(A)),
            (Pending, None, PAYER, None, Some(A), attach(A)),
            (Pending, Some(A), PAYER, Some(Completed), Some(A), Ok(Transition::Nothing)),
            (Pending, Some(A), PAYER, None, Some(B), attach(B)),
            (Pending, None, PAYER, Some(Failed), None, Ok(Transition::Fail)),
            (Completed, None, RECIPIENT, Some(Completed), None, Ok(Transition::Nothing)),
            (Completed, None, PAYER, Some(Completed), None, Ok(Transition::Nothing)),
            (Completed, Some(A), PAYER, Some(Completed), Some(A), Ok(Transition::Nothing)),
            (Completed, None, PAYER, Some(Completed), Some(A), Err(Final(Completed))),
            (Completed, None, PAYER, None, Some(A), Err(Final(Completed))),
            (Completed, None, RECIPIENT, Some(Failed), None, Ok(Transition::Revert)),
            (Completed, Some(A), RECIPIENT, Some(Failed), None, Ok(Transition::Revert)),
            (Completed, None, PAYER, Some(Failed), None, Err(Final(Completed))),
            (Completed, None, RECIPIENT, Some(Pending), None, Err(Final(Completed))),
            (Failed, None, RECIPIENT, Some(Failed), None, Ok(Transition::Nothing)),
            (Failed, None, RECIPIENT, Some(Completed), None, Err(Final(Failed))),
            (Failed, None, PAYER, Some(Completed), Some(A), Err(Final(Failed))),
        ] {
            let update = SettlementUpdate {
                status: status.map_or(Field::Absent, Field::Value),
                tx_hash: hash.map_or(Field::Absent, |hash| Field::Value(hash.parse().unwrap())),
                ..SettlementUpdate::default()
            };
            let caller_id = caller.parse().unwrap();
            let transition =
                settlement(state, stored).transition(caller_id, &update, &Standing::default());
            assert_eq!(
                transition, expected,
                "{state}, {stored:?}: {caller} asks {status:?}, {hash:?}"
            );
        }
    }
}
