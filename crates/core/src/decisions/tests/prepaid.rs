//! Prepaid funds: what operators and owners change, and what is due.

use std::collections::BTreeSet;

use super::{paying::with_cash, *};
use crate::{
    decisions::funds::{self as decide, Entered},
    funds::{
        fund_queue::{FundQueue, MAX_WAITING},
        fund_transaction::{FundTransaction, FundTransactionType},
        new_fund::{FundCredit, FundDebit, GivenBonus, PlainFund},
        user_funds::Funds,
    },
    values::{
        currency::Currency, fund_key::FundKey, fund_status::FundStatus, id::FundTransactionId,
        money::Money, ref_id::RefId,
    },
};

fn eur(minor: i64) -> Money {
    Money { minor, currency: "EUR".parse().unwrap() }
}

fn actor(number: u64) -> User {
    User { id: user(number), name: format!("User {number}"), username: None, avatar_url: None }
}

fn reference() -> RefId {
    "bank 1".parse().unwrap()
}

fn topup(ref_id: Option<RefId>) -> FundCredit {
    FundCredit { fund: PlainFund::Cash, amount: eur(700), ref_id, description: None }
}

fn cashout(minor: i64) -> FundDebit {
    FundDebit::Cashout { amount: eur(minor), to: "IBAN".parse().unwrap(), description: None }
}

fn correction(fund: PlainFund, bonus_id: Option<FundTransactionId>, minor: i64) -> FundDebit {
    let ref_id = reference();
    let description = "A mistake".parse().unwrap();
    FundDebit::Correction { fund, bonus_id, amount: eur(minor), ref_id, description }
}

/// A report of the owner that waits, and the funds with it.
fn reported() -> (FundTransaction, Funds) {
    let entered = decide::credit(with_cash(2, 1000), &actor(2), topup(None), context());
    let ControlFlow::Continue((funds, entered)) = entered.unwrap() else { panic!("decided") };
    let begun = decide::begin(funds, FundQueue::none(user(2)), &BTreeSet::new(), entered);
    let (transaction, entered) = written(begun);
    (entered, Funds::new(user(2), [put(&transaction)]))
}

fn cash(transaction: &Transaction) -> i64 {
    put::<crate::funds::fund::Fund>(transaction).balance
}

fn entered(entered: Result<Entered, WriteError>) -> String {
    match entered {
        Ok(ControlFlow::Continue((_, entered))) => format!("{:?} waits", entered.kind),
        Ok(ControlFlow::Break(decision)) => {
            format!("{:?} at once", decision.result().unwrap().kind)
        }
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn credit_counts_at_once_by_its_reference_and_waits_as_a_report() {
    let credit = |new| decide::credit(with_cash(2, 1000), &actor(2), new, context());
    assert_eq!(entered(credit(topup(None))), "Topup waits");
    let promise = FundCredit { fund: PlainFund::Credit, ..topup(Some(reference())) };
    assert_eq!(entered(credit(promise)), "Credit at once");
    let ControlFlow::Break(decision) = credit(topup(Some(reference()))).unwrap() else { panic!() };
    let (transaction, done) = written(Ok(decision));
    assert_eq!((done.status, cash(&transaction)), (FundStatus::Completed, 1700));
}

#[test]
fn debit_takes_what_is_available() {
    let funds = with_cash(2, 1000);
    let bonus = Some(FundTransactionId::new(now(), [4; 10]));
    for (new, expected) in [
        (cashout(1001), "Insufficient"),
        (cashout(1000), "Cashout waits"),
        (correction(PlainFund::Cash, None, 1001), "Insufficient"),
        (correction(PlainFund::Credit, None, 1), "Insufficient"),
        (correction(PlainFund::Credit, bonus, 1), "bonusId"),
        (correction(PlainFund::Cash, None, 1000), "Correction at once"),
    ] {
        let is_short = decide::is_short(&funds, &new, now());
        let found = entered(decide::debit(funds.clone(), &actor(2), new, context()));
        assert!(found.contains(expected), "{found} is not {expected}");
        assert_eq!(is_short, !found.contains(' ') || found.contains("Fail"), "{found}");
    }
}

#[test]
fn only_so_many_wait_for_an_operator() {
    let ids = (0_u8..).take(MAX_WAITING).map(|it| FundTransactionId::new(now(), [it; 10]));
    let unclear: BTreeSet<_> = ids.collect();
    let queue = || FundQueue { waiting: unclear.clone(), ..FundQueue::none(user(2)) };
    let begin = |unclear| {
        let credit = decide::credit(with_cash(2, 1000), &actor(2), topup(None), context());
        let ControlFlow::Continue((funds, entered)) = credit.unwrap() else { panic!("decided") };
        decide::begin(funds, queue(), unclear, entered)
    };
    assert!(outcome(begin(&unclear)).contains("TooMany"));
    // They have ended.
    let (transaction, entered) = written(begin(&BTreeSet::new()));
    assert_eq!(entered.waits_behind, Some(0));
    assert_eq!(put::<FundQueue>(&transaction).waiting, [entered.id].into());
}

#[test]
fn what_waits_is_ended_once() {
    let (row, funds) = reported();
    let by_reference = Draft::valid(Field::Value(reference()));
    let capture = |row: &FundTransaction| decide::captured(row, &by_reference, user(9), now());
    let void = |row: &FundTransaction| decide::voided(row, user(9), &Draft::valid(()), now());
    let done = capture(&row).unwrap();
    let voided = void(&row).unwrap();
    let of_payment = FundTransaction { kind: FundTransactionType::Settlement, ..row.clone() };
    let expired = row.clone().ended(FundStatus::Expired, now(), None);
    let later = row.expires_at.unwrap();
    for (row, asked, at, expected) in [
        (&of_payment, capture(&of_payment), now(), "Fund(OfSettlement)"),
        (&done, capture(&done), now(), "Done"),
        (&done, void(&done), now(), "Fund(Final(Completed))"),
        (&voided, capture(&voided), now(), "Fund(Final(Voided))"),
        (&row, capture(&row), later, "Fund(Over("),
        (&expired, void(&expired), now(), "Fund(Over("),
        (&row, Err(Error::Changed), now(), "Changed"),
        (&row, capture(&row), now(), "goes on"),
        (&row, void(&row), now(), "goes on"),
    ] {
        let found = match decide::end_waiting(row.clone(), asked, at) {
            Ok(ControlFlow::Continue(_)) => "goes on".to_owned(),
            Ok(ControlFlow::Break(decision)) => outcome::<_, Error>(Ok(decision)),
            Err(error) => format!("{error:?}"),
        };
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
    for (ended, balance) in [(&done, 1700), (&voided, 1000)] {
        let writes = decide::ended(funds.clone(), ended, now()).unwrap();
        assert_eq!((put::<FundTransaction>(&writes), cash(&writes)), (ended.clone(), balance));
        let mismatch = decide::ended(with_cash(3, 1), ended, now());
        assert!(checked(mismatch).starts_with("FundsMismatch"));
    }
}

#[test]
fn bonus_lapses_but_for_what_is_withheld() {
    let expires_at = now().plus_seconds(7200);
    let note = None;
    let bonus = GivenBonus { amount: eur(300), expires_at, note };
    let none = Funds::new(user(2), []);
    let (transaction, given) = written(decide::give_bonus(none, user(9), bonus, context()));
    let funds = Funds::new(user(2), [put(&transaction)]);
    let fund = funds.get(FundKey::Bonus(given.id)).unwrap().clone();
    let later = RequestContext { now: expires_at, random: [9; 10] };
    let (transaction, ()) = written(decide::lapse(funds.clone(), &fund, later));
    let lapsed = put::<FundTransaction>(&transaction);
    assert_eq!((lapsed.kind, lapsed.amount), (FundTransactionType::Lapse, 300));
    let plain = with_cash(2, 5);
    let cash = plain.all().next().unwrap();
    assert!(outcome(decide::lapse(plain.clone(), cash, later)).starts_with("FundsMismatch"));
}

#[test]
fn payments_from_funds_are_taken_if_said_so() {
    let accept = |currency: Field<Currency>, accepts| {
        let draft = Draft::valid((currency, Field::Value(accepts)));
        decide::accept(Funds::new(user(2), []), &draft, now())
    };
    let eur = eur(0).currency;
    let (_, seen) = written(accept(Field::Value(eur), true));
    assert!(seen.funds.accepts(eur));
    assert!(outcome(accept(Field::Absent, true)).starts_with("Internal"));
}
