//! Changes that are told: whom they concern, who waits for them, and in how many steps. And what is
//! deleted of a group.

use std::collections::BTreeSet;

use fracti_texts::Language;

use super::*;
use crate::{
    chat::subscription::{Subscription, TOLD_FOR},
    decisions::{
        groups,
        telling::{Effects, ToldChange, mark, may_be_told, next_marked, waits_as},
    },
    records::group_change::{ChangeKind, GroupChange, Subject},
    values::id::Subscriber,
};

/// A change by user 1, which waits to be told.
fn change(number: u64, subject: Subject) -> GroupChange {
    GroupChange {
        group_id: group().id,
        number,
        actor_id: user(1),
        at: now(),
        entries: None,
        due_at: Some(now()),
        told_to: None,
        shown: false,
        reminds: false,
        subject,
    }
}

fn payment(kind: ChangeKind) -> GroupChange {
    change(7, Subject::settlement(kind, &paid(1).0))
}

fn subscription(number: u64) -> Subscription {
    Subscription::new(Subscriber::User(user(number)), 5, Language::English, now())
}

#[test]
fn as_many_are_marked_as_a_transaction_holds_and_the_chat_comes_last() {
    let chat = Some(Subscriber::Group(group().id));
    for (number, sizes) in [(0, vec![1]), (97, vec![98]), (98, vec![99]), (99, vec![98, 2])] {
        let users: BTreeSet<UserId> = (1..=number).map(user).collect();
        let mut told_to = None;
        let mut found = Vec::new();
        loop {
            let (marked, to) = next_marked(&users, chat, told_to);
            found.push(marked.len());
            assert_eq!(marked.last() == chat.as_ref(), to.is_none(), "{number}");
            told_to = to;
            if to.is_none() {
                break;
            }
        }
        assert_eq!(found, sizes, "{number}");
    }
}

#[test]
fn who_waits_already_is_only_checked_and_who_is_not_told_is_left_alone() {
    let change = payment(ChangeKind::SettlementCompleted);
    let waits = subscription(2).waiting(&change).unwrap();
    let muted = Subscription { muted_groups: vec![group().id], ..subscription(3) };
    let all = [subscription(1), waits.clone(), muted];
    let writes = mark((&change, None), all.iter(), None, now()).unwrap().into_writes();
    let found: Vec<_> = writes.iter().map(|it| (it.key().clone(), it.action().clone())).collect();
    let key = keys::change(group().id, 7);
    assert!(matches!(
        &*found,
        [(first, Action::Put(_)), (second, Action::Check), (last, Action::Update(_))]
            if *first == keys::subscription(all[0].id)
                && *second == keys::subscription(waits.id)
                && *last == key
    ));
    let (_, update, condition) = writes.into_iter().next_back().unwrap().into_parts();
    let due = Condition::with_attribute("dueAt").and(Condition::without("reminds"));
    assert_eq!(condition, due.and(Condition::without("toldTo")));
    let Action::Update(update) = update else { panic!("the change is not updated") };
    assert!(update.set.iter().all(|(_, value)| value.is_none()), "it is due no more");
    // With others left, the change says how far it was told.
    let writes = mark((&change, None), all.iter(), Some(user(2)), now()).unwrap().into_writes();
    let (_, update, _) = writes.into_iter().next_back().unwrap().into_parts();
    let Action::Update(update) = update else { panic!("the change is not updated") };
    let names: Vec<_> = update.set.iter().map(|(name, value)| (&**name, value.is_some())).collect();
    assert_eq!(names, [("toldTo", true)]);
}

#[test]
fn change_that_another_keeper_has_told_does_not_wait_as_it_was_read() {
    let read = payment(ChangeKind::SettlementCompleted);
    for (now, expected) in [
        (read.clone(), true),
        (GroupChange { due_at: None, ..read.clone() }, false),
        (GroupChange { told_to: Some(user(2)), ..read.clone() }, false),
        (GroupChange { reminds: true, ..read.clone() }, false),
    ] {
        assert_eq!(waits_as(&read, &now), expected, "{now:?}");
    }
}

#[test]
fn payment_concerns_its_parties_but_who_made_it_unless_it_expired() {
    let told = |kind, is_expired| ToldChange {
        change: payment(kind),
        effects: Effects::default(),
        is_expired,
        question: None,
    };
    let recorded = told(ChangeKind::SettlementRecorded, false);
    let expired = told(ChangeKind::SettlementFailed, true);
    let both = members();
    assert_eq!(recorded.concerned(&both, now()), BTreeSet::from([user(2)]));
    assert_eq!(expired.concerned(&both, now()), BTreeSet::from([1, 2].map(user)));
    assert_eq!(recorded.concerned(&both[..1], now()), BTreeSet::new());
    for (user, expected) in [(Some(user(1)), false), (Some(user(2)), true), (None, true)] {
        assert_eq!(recorded.concerns(user, &both, now()), expected, "{user:?}");
    }
    let shown = ToldChange { change: GroupChange { shown: true, ..recorded.change }, ..recorded };
    assert!(!shown.concerns(None, &both, now()), "the chat has seen it");
}

#[test]
fn changes_are_told_that_wait_for_the_chat_and_are_not_too_old() {
    let change = payment(ChangeKind::SettlementCompleted);
    let told = GroupChange { due_at: None, ..change.clone() };
    let late = now().plus_seconds(TOLD_FOR.as_secs());
    for (change, from, at, expected) in [
        (&change, None, now(), true),
        (&told, None, now(), false),
        (&told, Some(8), now(), false),
        (&told, Some(7), now(), true),
        (&change, Some(7), late, false),
    ] {
        assert_eq!(may_be_told(change, &subscription(2), from, at), expected, "{from:?} {at}");
    }
}

#[test]
fn rows_of_a_group_are_deleted_only_while_it_is_deleted() {
    let of_group = keys::group(group().id);
    let chat = keys::chat_group(&"-1".parse().unwrap());
    let rows: Vec<Primary> = groups::chats(&group(), None).into_iter().collect();
    assert_eq!(rows, [chat]);
    for is_last in [false, true] {
        let transaction = groups::delete_rows(group().id, rows.clone(), is_last);
        assert_eq!(condition(&transaction, &of_group), Condition::with_attribute("deletedAt"));
        let deleted = transaction.into_writes().into_iter();
        let deleted = deleted.filter(|it| matches!(it.action(), Action::Delete));
        assert_eq!(deleted.count(), if is_last { 2 } else { 1 });
    }
}
