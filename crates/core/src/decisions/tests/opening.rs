//! Groups in chats, and what members do in a group besides money: wallets, links, receipts and
//! schedules.

use fracti_texts::Language;

use super::*;
use crate::{
    chat::subscription::{InactiveReason, Subscription},
    decisions::{
        groups,
        links::{self, ReadForLink},
        members::{remove_wallet, set_wallet},
        questions::{self, ReadForApplying, check_applier},
        schedules::{self, Maker, Occurred},
    },
    group::{ProposedLink, links::Links},
    input::limits::{MAX_OPEN_QUESTIONS, MAX_SCHEDULES},
    questions::{
        question::{NewQuestion, QuestionType},
        receipt::Receipt,
    },
    records::{
        expense::Payer,
        schedule::{NewSchedule, Repeat, RepeatInput, RepeatUnit, Schedule, ScheduleEdit},
    },
    values::{
        id::{GuestId, MemberId, Subscriber},
        ton::TonAddress,
    },
};

fn caller(number: u64) -> User {
    User { id: user(number), name: format!("User {number}"), username: None, avatar_url: None }
}

#[test]
fn group_of_a_chat_is_opened_again() {
    let open = group();
    let closed = Group { archived: true, ..group() };
    let present = members().pop();
    let left = present.clone().map(|it| Member { left_at: Some(now()), ..it });
    let removed = present.clone().map(|it| Member { removed_at: Some(now()), ..it });
    for (group, member, joins, expected) in [
        (&open, &None, true, "Renew"),
        (&open, &left, true, "Renew"),
        (&open, &removed, false, "Refuse Removed"),
        (&open, &present, false, "Write"),
        (&closed, &None, false, "Refuse GroupArchived"),
        (&closed, &present, false, "Done"),
    ] {
        assert_eq!(groups::joins(group, member.as_ref()), joins);
        let ledger = joins.then(Ledger::default);
        let member = member.clone();
        let opened = groups::further_opening(group.clone(), member, &caller(2), ledger, now());
        assert_eq!(outcome(opened), expected);
    }
}

#[test]
fn messages_to_a_chat_begin_and_end() {
    let of = Subscriber::Group(group().id);
    let active = Subscription::new(of, -1, Language::English, now());
    let blocked = active.stopped(Some(InactiveReason::Blocked), now());
    let off = active.stopped(None, now());
    for (before, number, [resumed, ended]) in [
        (None, -1, ["Done", "Done"]),
        (Some(&active), -1, ["Done", "Write"]),
        (Some(&active), -2, ["Done", "Done"]),
        (Some(&blocked), -1, ["Write", "Done"]),
        (Some(&blocked), -2, ["Done", "Done"]),
        (Some(&off), -1, ["Done", "Done"]),
    ] {
        let found = [groups::resume_chat, groups::end_chat].map(|it| it(before, number, now()));
        assert_eq!(found.map(outcome), [resumed, ended].map(str::to_owned), "{before:?}");
    }
    let (transaction, ()) = written(groups::resume_chat(Some(&blocked), -1, now()));
    let resumed = put::<Subscription>(&transaction);
    assert_eq!((resumed.active, resumed.version), (true, blocked.version + 1));
}

#[test]
fn wallet_is_set_and_removed_while_the_group_is_open() {
    let address: TonAddress = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF".parse().unwrap();
    let closed = Group { archived: true, ..group() };
    let without = members().pop().unwrap();
    let with = Member { wallet: Some(address.clone()), ..without.clone() };
    let set =
        |group: &Group| set_wallet(group, &without, &Draft::valid(Field::Value(address.clone())));
    assert_eq!(outcome(set(&closed)), "GroupArchived");
    let (transaction, of) = written(set(&group()));
    assert_eq!((&of, transaction.keys().len()), (&address, 2));
    assert_eq!(outcome(remove_wallet(&closed, &with)), "GroupArchived");
    assert_eq!(outcome(remove_wallet(&group(), &without)), "Done");
    assert_eq!(written(remove_wallet(&group(), &with)).1, without);
}

#[test]
fn link_is_proposed_by_one_side_and_confirmed_by_the_other() {
    let gus = Member::guest(&"Gus".parse().unwrap(), user(1), now(), [3; 10]);
    let (guest, id): (MemberId, GuestId) = (gus.id, gus.id.guest().unwrap());
    let proposed = ProposedLink::new(id, "Gus", (user(2), "User 2"), user(1), now());
    let with_link = Group { proposed_links: vec![proposed], ..group() };
    let everyone: Vec<Member> = members().into_iter().chain([gus]).collect();
    let stranger = MemberId::from(GuestId::from_bytes([9; 16]));
    let link = |number, guest, to, in_app, group: &Group, ledger| {
        let members = everyone.clone();
        let open = Vec::new();
        let read = ReadForLink { ledger, group: group.clone(), members, open };
        links::link(by(number), guest, &Draft::valid(Field::Value(user(to))), in_app, read, now())
    };
    let plain = group();
    let none = Ledger::default();
    let closed = archived(Ledger::default());
    for (number, guest, to, in_app, group, ledger, expected) in [
        (1, stranger, 2, true, &plain, &none, "NoMember"),
        (1, user(2).into(), 2, true, &plain, &none, "NotLinkable"),
        (1, guest, 2, true, &plain, &closed, "GroupArchived"),
        (1, guest, 7, true, &plain, &none, "Invalid"),
        (1, guest, 2, false, &plain, &none, "Write"),
        (1, guest, 2, true, &with_link, &none, "Done"),
        (1, guest, 1, true, &with_link, &none, "LinkProposed"),
        (2, guest, 2, false, &with_link, &none, "LinkNotInApp"),
        (2, guest, 2, true, &with_link, &none, "Write"),
    ] {
        let found = outcome(link(number, guest, to, in_app, group, ledger.clone()));
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
    let confirmed = link(2, guest, 2, true, &with_link, none.clone());
    let (transaction, linked) = written(confirmed);
    assert_eq!(linked.guest.linked_to, Some(user(2)));
    let after = ledger_of(&transaction);
    assert_eq!(after.links.resolve(guest), user(2));
    assert_eq!(outcome(link(1, guest, 2, true, &plain, after.clone())), "AlreadyLinked");
    for (number, guest, group, ledger, later, expected) in [
        (1, stranger, &with_link, &none, None, "NoMember"),
        (1, guest, &with_link, &after, None, "AlreadyLinked"),
        (1, guest, &plain, &none, Some(&after), "AlreadyLinked"),
        (1, guest, &plain, &none, Some(&none), "NoLink"),
        (1, guest, &with_link, &closed, None, "GroupArchived"),
        (1, guest, &with_link, &none, None, "Write"),
        (2, guest, &with_link, &none, None, "Write"),
    ] {
        let seen = (group, &*everyone, ledger, later);
        assert_eq!(outcome(links::withdraw_link(by(number), guest, seen, now())), expected);
    }
}

#[test]
fn receipt_is_applied_by_who_asked_or_paid() {
    let new = Draft::valid(NewQuestion {
        question_type: Field::Value(QuestionType::Text),
        prompt: Field::Value("Who drove?".parse().unwrap()),
        ..NewQuestion::default()
    });
    let group = group();
    let everyone = members();
    let ledger = Ledger::default();
    let asked = |number| {
        let seen = (&group, &*everyone, &ledger);
        questions::ask(by(1), &new, None, seen, (context(), Zone::default()), Ok(number))
    };
    assert_eq!(outcome(asked(MAX_OPEN_QUESTIONS)), "Question(TooMany)");
    let question = written(asked(0)).1.question;
    let receipt = Receipt {
        description: "Dinner".parse().unwrap(),
        amount: "30".parse().unwrap(),
        currency: "EUR".parse().unwrap(),
        payers: vec![Payer {
            user_id: user(2).into(),
            user_name: "User 2".to_owned(),
            amount: "30".parse().unwrap(),
        }],
        date: "2026-11-20".parse().unwrap(),
        category: None,
        notes: None,
        lines: Vec::new(),
    };
    let check = |number, receipt| {
        check_applier(user(number), &question, receipt, &Links::default(), &everyone).is_ok()
    };
    let by_receipt = [1, 2, 3].map(|number| check(number, Some(&receipt)));
    assert_eq!(by_receipt, [true, true, false]);
    assert_eq!([1, 2].map(|number| check(number, None)), [true, false]);
    let open = |receipt| checked(ReadForApplying::open(question.clone(), receipt, Vec::new()));
    assert!(open(None).contains("questionId"));
    assert_eq!(open(Some(receipt)), "Done");
}

/// A schedule of user 1, and what is checked with it.
fn scheduled(existing: &[Schedule]) -> Result<Decision<Schedule>, WriteError> {
    let repeat = RepeatInput {
        every: Field::Value(RepeatUnit::Day),
        start: Field::Value("2026-11-21".parse().unwrap()),
        ..RepeatInput::default()
    };
    let new = NewSchedule {
        expense: Field::Value(dinner().fields().unwrap().clone()),
        repeat: Field::Value(repeat),
        shared_by: Field::Absent,
    };
    let transaction = LedgerTransaction::new(by(1), Ledger::default(), now()).unwrap();
    let seen = (&group(), &*members());
    schedules::record_schedule(maker(), &Draft::valid(new), seen, transaction, existing)
}

fn maker() -> Maker<'static> {
    Maker { caller: user(1), agent: None, context: context(), zone: Zone::default() }
}

#[test]
fn schedule_is_made_edited_and_deleted() {
    let (transaction, schedule) = written(scheduled(&[]));
    assert_eq!(put::<Schedule>(&transaction), schedule);
    assert_eq!(outcome(scheduled(&vec![schedule.clone(); MAX_SCHEDULES])), "TooManySchedules");
    let group = group();
    let members = members();
    let divided = Group { default_splits_at: Some(now()), ..group.clone() };
    let none = Ledger::default();
    let closed = archived(Ledger::default());
    let pause = |paused| ScheduleEdit { paused: Field::Value(paused), ..ScheduleEdit::default() };
    for (group, ledger, expected, paused, outcome_of) in [
        (&divided, &none, true, true, "Retry"),
        (&group, &closed, true, true, "GroupArchived"),
        (&group, &none, false, true, "Changed"),
        (&group, &none, true, false, "Done"),
        (&group, &none, true, true, "Write"),
    ] {
        let edit = Draft::valid(pause(paused));
        let seen = (group, &*members, ledger.clone());
        let before = schedule.clone();
        let edited = schedules::edit_schedule(maker(), &edit, |_| expected, before, seen);
        assert_eq!(outcome(edited), outcome_of);
    }
    for (ledger, expected, outcome_of) in
        [(&closed, true, "GroupArchived"), (&none, false, "Changed"), (&none, true, "Write")]
    {
        let as_expected = |_: &Schedule| expected;
        let ledger = ledger.clone();
        let deleted = schedules::delete_schedule(by(1), as_expected, now(), &schedule, ledger);
        assert_eq!(outcome(deleted), outcome_of);
    }
}

#[test]
fn schedule_records_its_expense_or_is_paused() {
    let schedule = written(scheduled(&[])).1;
    let group = group();
    let all = members();
    let none = Ledger::default();
    let deleted = Group { deleted_at: Some(now()), ..group.clone() };
    let closed = Group { archived: true, ..group.clone() };
    let later = now().plus_seconds(24 * 3600);
    let refused = Error::GroupArchived;
    for (group, members, at, refused, expected) in [
        (&group, &*all, now(), None, Occurred::Nothing),
        (&group, &*all, later, None, Occurred::Recorded),
        (&group, &*all, later, Some(&refused), Occurred::Paused),
        (&group, &all[1..], later, None, Occurred::Paused),
        (&closed, &*all, later, None, Occurred::Paused),
        (&deleted, &*all, later, None, Occurred::Paused),
    ] {
        let context = RequestContext { now: at, random: [9; 10] };
        let seen = (group, members, none.clone());
        let (transaction, occurred) = written(schedules::occur(&schedule, seen, context, refused));
        assert_eq!(occurred, expected);
        match occurred {
            Occurred::Nothing => assert!(transaction.is_empty()),
            Occurred::Paused => assert!(put::<Schedule>(&transaction).paused),
            Occurred::Recorded => {
                let expense = put::<Expense>(&transaction);
                assert_eq!(expense.schedule_id, Some(schedule.id));
                assert_eq!(put::<Schedule>(&transaction).last_expense_id, Some(expense.id));
            }
        }
    }
}

#[test]
fn schedule_whose_dates_are_too_old_passes_them_without_an_event() {
    let daily = written(scheduled(&[])).1;
    let yearly = Repeat { every: RepeatUnit::Year, ..daily.repeat };
    let schedule = Schedule { repeat: yearly, ..daily };
    let context = RequestContext { now: now().plus_seconds(60 * 24 * 3600), random: [9; 10] };
    let seen = (&group(), &*members(), Ledger::default());
    let (transaction, occurred) = written(schedules::occur(&schedule, seen, context, None));
    assert_eq!(occurred, Occurred::Nothing);
    assert_eq!(transaction.keys(), [keys::schedule(group().id, schedule.id)]);
    let passed = put::<Schedule>(&transaction);
    assert_eq!(passed.next_date, Some("2027-11-21".parse().unwrap()));
    assert_eq!(passed.version, schedule.version + 1);
}
