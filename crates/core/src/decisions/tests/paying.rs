//! Settlements, and funds that pay them.

use super::*;
use crate::{
    decisions::{
        funding::{self, AtOnce, Detail},
        settlements::{UpdateRows, check_update, record_planned, repeated_by, update},
    },
    funds::{
        fund::{FundFlow, Parts},
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        user_funds::Funds,
    },
    records::settlement::{PayFrom, UsedHash},
    values::{
        fund_status::FundStatus,
        id::{FundTransactionId, GuestId},
        tx_hash::TxHash,
    },
};

fn of_status(status: SettlementStatus) -> SettlementUpdate {
    SettlementUpdate { status: Field::Value(status), ..SettlementUpdate::default() }
}

/// A payment of 5.00 EUR from user 2 to user 1.
fn payment(from_funds: bool) -> NewSettlement {
    NewSettlement {
        from: Field::Value(user(2).into()),
        to: Field::Value(user(1).into()),
        amount: Field::Value("5".parse().unwrap()),
        pay_from: if from_funds { Field::Value(PayFrom::Funds) } else { Field::Absent },
        ..NewSettlement::default()
    }
}

/// The funds of a user with so much cash.
pub(super) fn with_cash(number: u64, cash: i64) -> Funds {
    let mut funds = Funds::new(user(number), []);
    let entry = NewEntry {
        id: FundTransactionId::new(now(), [3; 10]),
        kind: FundTransactionType::Topup,
        flow: FundFlow::Credit,
        currency: "EUR".parse().unwrap(),
        parts: Parts::cash(cash),
        actor: user(9),
        now: now(),
    };
    let done = funds.enter(entry).ended(FundStatus::Completed, now(), None);
    funds.apply(&done, now()).unwrap();
    funds.written()
}

/// The payment, withheld from 10.00 EUR of cash: its rows, and the funds after it.
fn withheld() -> (Settlement, FundTransaction, Funds, Ledger) {
    let transaction = LedgerTransaction::new(by(2), recorded().2, now()).unwrap();
    let group = group();
    let members = members();
    let detail = Detail::default();
    let who = (user(2), context(), Zone::default());
    let (transaction, settlement) = funding::record_from_funds(
        &Draft::valid(payment(true)),
        (&group, &members),
        transaction,
        (with_cash(2, 1000), &detail, None),
        who,
    )
    .unwrap();
    let (transaction, settlement) = written(transaction.commit(settlement));
    let funds = Funds::new(user(2), [put(&transaction)]);
    let ledger = ledger_of(&transaction);
    (settlement, put(&transaction), funds, ledger)
}

#[test]
fn plan_of_another_ledger_has_changed() {
    let ledger = recorded().2;
    let group = group();
    let members = members();
    for (version, expected) in
        [(None, "Changed"), (Some(ledger.version + 1), "Changed"), (Some(ledger.version), "Write")]
    {
        let transaction = LedgerTransaction::new(by(2), ledger.clone(), now()).unwrap();
        let new = Draft::valid(payment(false));
        let who = (user(2), context(), Zone::default());
        let planned = record_planned(&new, version, (&group, &members), transaction, who);
        assert_eq!(outcome(planned), expected);
    }
}

#[test]
fn payment_that_waits_already_is_repeated_but_not_by_its_payer() {
    let (pending, ledger) = paid(2);
    let separate = NewSettlement { separate: Field::Value(true), ..payment(false) };
    let more = Settlement { amount: "6".parse().unwrap(), ..paid(1).0 };
    for (new, created, expected) in [
        (payment(false), paid(1).0, Some(true)),
        (payment(false), more, Some(false)),
        (payment(false), paid(2).0, None),
        (separate, paid(1).0, None),
    ] {
        let transaction = LedgerTransaction::new(by(1), ledger.clone(), now()).unwrap();
        let repeats = repeated_by(&Draft::valid(new), &created, &transaction);
        assert_eq!(repeats.map(|repeats| repeats(&pending)), expected, "{created:?}");
    }
}

#[test]
fn update_is_checked_before_it_is_made() {
    let ((plain, ledger), (funded, ..)) = (paid(2), withheld());
    let closed = archived(ledger.clone());
    let hash = Transition::Attach("a".repeat(64).parse().unwrap());
    for (settlement, ledger, transition, expected, in_app, refusal) in [
        (&funded, &ledger, Transition::Complete, true, false, "Fund(NotInApp)"),
        (&funded, &ledger, hash, true, true, "Fund(Funded)"),
        (&plain, &closed, Transition::Complete, true, false, "GroupArchived"),
        (&plain, &closed, Transition::Nothing, true, false, "Done"),
        (&plain, &ledger, Transition::Complete, false, false, "Changed"),
        (&plain, &ledger, Transition::Complete, true, false, "Done"),
    ] {
        let update = Draft::valid(of_status(SettlementStatus::Completed));
        let seen = (settlement, ledger);
        let as_expected = |_: &Settlement| expected;
        let update = check_update(user(1), &update, as_expected, in_app, seen, &transition);
        assert_eq!(checked(update), refusal, "{transition:?}");
    }
}

#[test]
fn each_transition_writes_what_it_says() {
    let (pending, ledger) = paid(2);
    let hash: TxHash = "a".repeat(64).parse().unwrap();
    let used =
        UsedHash { tx_hash: hash.clone(), settlement_id: pending.id, group_id: pending.group_id };
    let hashed = Settlement { tx_hash: Some(hash.clone()), ..pending.clone() };
    let more =
        SettlementUpdate { amount: Field::Value("6".parse().unwrap()), ..Default::default() };
    let none = SettlementUpdate::default();
    let made = |transition, settlement: &Settlement, fields, rows, ledger: &Ledger| {
        let transaction = LedgerTransaction::new(by(1), ledger.clone(), now()).unwrap();
        update(transition, user(1), transaction, settlement.clone(), fields, rows)
    };
    let rows = UpdateRows::default;
    assert_eq!(outcome(made(Transition::Nothing, &pending, &none, rows(), &ledger)), "Done");
    assert_eq!(outcome(made(Transition::Edit, &pending, &none, rows(), &ledger)), "Done");
    let (funded, ..) = withheld();
    let refused = made(Transition::Edit, &funded, &more, rows(), &ledger);
    assert_eq!(outcome(refused), "Fund(Funded)");
    let (transaction, edited) = written(made(Transition::Edit, &pending, &more, rows(), &ledger));
    assert_eq!(put::<Settlement>(&transaction), edited);
    let attach = Transition::Attach(hash.clone());
    let (transaction, attached) = written(made(attach, &pending, &none, rows(), &ledger));
    assert_eq!((put::<UsedHash>(&transaction), &attached), (used.clone(), &hashed));
    let with_hash = UpdateRows { used: Some(used), ..rows() };
    let (transaction, failed) = written(made(Transition::Fail, &hashed, &none, with_hash, &ledger));
    assert_eq!((failed.status, failed.tx_hash), (SettlementStatus::Failed, None));
    let own = Condition::equal("settlementId", row::to_value(&pending.id).unwrap());
    assert_eq!(condition(&transaction, &keys::tx_hash(&hash)), own);
    let (transaction, done) = written(made(Transition::Complete, &pending, &none, rows(), &ledger));
    let entry = put::<Entry>(&transaction);
    let after = ledger_of(&transaction);
    assert_eq!(net(&after, 2), -1000);
    // The entry was taken back between the two reads.
    assert_eq!(outcome(made(Transition::Revert, &done, &none, rows(), &after)), "Retry");
    let with_entry = UpdateRows { entry: Some(entry), ..rows() };
    let (transaction, reverted) =
        written(made(Transition::Revert, &done, &none, with_entry, &after));
    assert_eq!(reverted.reverted_by, Some(user(1)));
    let after = ledger_of(&transaction);
    assert_eq!(net(&after, 2), -1500);
}

#[test]
fn funds_pay_what_they_have_to_who_takes_it() {
    let group = group();
    let members = members();
    let debt = recorded().2;
    let taking = |accepts| {
        let mut funds = Funds::new(user(1), []);
        funds.accept("EUR".parse().unwrap(), accepts, now());
        funds
    };
    let at_once = |accepts, pending| Some(AtOnce { recipient: taking(accepts), pending });
    let waiting = Settlement { amount: "11".parse().unwrap(), ..paid(2).0 };
    let now_or_never = NewSettlement { pay_now: Field::Value(true), ..payment(true) };
    let outside = NewSettlement { allow_external: Field::Value(true), ..payment(true) };
    for (new, cash, at_once, expected) in [
        (payment(true), 1000, None, "Pending"),
        (payment(true), 499, None, "Insufficient"),
        (outside, 499, None, "Pending"),
        (now_or_never.clone(), 1000, None, "Internal"),
        (now_or_never.clone(), 1000, at_once(false, Vec::new()), "NotAccepted"),
        (now_or_never.clone(), 1000, at_once(true, vec![waiting]), "NotAccepted"),
        (now_or_never.clone(), 499, at_once(true, Vec::new()), "Insufficient"),
        (now_or_never, 1000, at_once(true, Vec::new()), "Completed"),
    ] {
        let transaction = LedgerTransaction::new(by(2), debt.clone(), now()).unwrap();
        let detail = Detail::default();
        let who = (user(2), context(), Zone::default());
        let funds = (with_cash(2, cash), &detail, at_once);
        let new = Draft::valid(new);
        let recorded =
            funding::record_from_funds(&new, (&group, &members), transaction, funds, who);
        let found = match recorded {
            Ok((_, settlement)) => format!("{:?}", settlement.status),
            Err(error) => format!("{error:?}"),
        };
        assert!(found.contains(expected), "{found} is not {expected}");
    }
}

#[test]
fn what_is_withheld_is_paid_released_or_given_back() {
    let (settlement, held, payer, ledger) = withheld();
    let later = held.expires_at.unwrap();
    let at = ledger.next_moment(now());
    let over = held.clone().ended(FundStatus::Voided, at, None);
    let recipient = || Funds::new(user(1), []);
    let pay = |held: &FundTransaction, at| {
        funding::pay(&settlement, held, (payer.clone(), recipient()), user(1), (at, [8; 10]))
    };
    assert!(checked(pay(&held, later)).starts_with("Fund(Over("));
    assert!(checked(pay(&over, at)).starts_with("FundsMismatch"));
    // Both transactions, and both funds.
    assert_eq!(pay(&held, at).unwrap().len(), 4);
    let id = held.id;
    let release = |held| funding::release(id, held, payer.clone(), Some(user(2)), at);
    assert!(checked(release(Some(over))).starts_with("FundsMismatch"));
    // Without the transaction, only the funds are left to be changed.
    assert_eq!([Some(held), None].map(|held| release(held).unwrap().len()), [2, 1]);
    let give_back =
        |cash| funding::give_back(&settlement, (with_cash(1, cash), recipient()), at, [8; 10]);
    assert!(checked(give_back(499)).starts_with("Fund(Insufficient"));
    assert_eq!(give_back(500).unwrap().len(), 4);
    let of_payer = settlement.funds.as_ref().unwrap();
    assert_eq!((of_payer.transaction_id, of_payer.cash), (id, "5".parse().unwrap()));
    let guest = GuestId::from_bytes([5; 16]).into();
    let by_guest = Settlement { from_user_id: guest, ..paid(2).0 };
    assert!(checked(funding::users(&by_guest)).starts_with("FundsMismatch"));
}
