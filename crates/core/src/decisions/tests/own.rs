//! What is of one user: spendings and their days, targets, and API tokens.

use std::collections::BTreeSet;

use super::*;
use crate::{
    caller::token::{ApiToken, Scope, Token, TokenList},
    decisions::{
        days::{DaySums, Step, rebuild},
        spendings, targets, tokens,
    },
    input::limits::MAX_TOKENS,
    personal::{
        spending::{NewSpending, Spending, SpendingEdit},
        summary::{DaySummary, SummaryType},
        targets::{Targets, TargetsUpdate},
    },
    storage::counters::Counters,
    values::id::TokenId,
};

fn spending() -> (Transaction, Spending) {
    let new = NewSpending {
        title: Field::Value("Coffee".parse().unwrap()),
        amount: Field::Value("3".parse().unwrap()),
        currency: Field::Value("EUR".parse().unwrap()),
        ..NewSpending::default()
    };
    let none = Targets::none(user(1));
    written(spendings::record(user(1), &Draft::valid(new), &none, context()))
}

#[test]
fn spending_is_changed_as_it_was_expected() {
    let (transaction, spending) = spending();
    assert_eq!((transaction.keys().len(), put::<Spending>(&transaction)), (2, spending.clone()));
    let amount = |text: &str| SpendingEdit {
        amount: Field::Value(text.parse().unwrap()),
        ..Default::default()
    };
    let yesterday = "2026-11-19".parse().unwrap();
    let moved = SpendingEdit { user_date: Field::Value(yesterday), ..SpendingEdit::default() };
    let unread = || Err(Error::NoToken);
    let none = || Ok(Targets::none(user(1)));
    // The row, and one summary or those of two days.
    for (edit, expected, targets, outcome_of, writes) in [
        (amount("4"), false, none(), "Changed", 0),
        (amount("4"), true, unread(), "NoToken", 0),
        (amount("3"), true, none(), "Done", 0),
        (amount("4"), true, none(), "Write", 2),
        (moved, true, none(), "Write", 3),
    ] {
        let edit = Draft::valid(edit);
        let later = now().plus_seconds(60);
        let decided = spendings::edit(&edit, |_| expected, &spending, targets, later);
        if let Ok(Decision::Write(transaction, _)) = &decided {
            assert_eq!(transaction.keys().len(), writes, "{edit:?}");
        }
        assert_eq!(outcome(decided), outcome_of, "{edit:?}");
    }
    let delete = |expected| spendings::delete(|_| expected, spending.clone(), now());
    assert_eq!([false, true].map(|it| outcome(delete(it))), ["Changed", "Write"]);
}

#[test]
fn wrong_day_is_repaired_unless_it_changes_meanwhile() {
    let spending = spending().1;
    let range = spending.user_date..=spending.user_date;
    let right = DaySummary {
        user_id: user(1),
        date: spending.user_date,
        row_type: SummaryType::default(),
        version: Some(4),
        updated_at: None,
        counters: spending.counters().unwrap(),
    };
    let wrong = DaySummary { counters: Counters::default(), ..right.clone() };
    let newer = DaySummary { version: Some(5), ..wrong.clone() };
    let [right, wrong, newer] = [right, wrong, newer]
        .map(|it| DaySums::of(std::slice::from_ref(&spending), vec![it]).unwrap());
    let none = BTreeSet::new();
    let rebuilt = |seen| rebuild(user(1), &range, seen, &none, now());
    for seen in [(&wrong, None), (&wrong, Some(&newer))] {
        assert_eq!(outcome(rebuilt(seen)), "Retry");
    }
    let (transaction, step) = written(rebuilt((&right, None)));
    assert!(transaction.is_empty() && matches!(step, Step::Last(it) if it.changed.is_empty()));
    let (transaction, step) = written(rebuilt((&wrong, Some(&wrong))));
    let summary = put::<DaySummary>(&transaction);
    assert_eq!((summary.version, summary.counters), (Some(5), spending.counters().unwrap()));
    assert!(matches!(step, Step::Last(it) if it.changed == [spending.user_date].into()));
}

#[test]
fn targets_have_one_version_after_another() {
    let before = Targets::none(user(1));
    let update = |version, currency: Option<&str>| {
        let currency = currency.map_or(Field::Absent, |it| Field::Value(it.parse().unwrap()));
        let version = Field::Value(version);
        let update = TargetsUpdate { version, currency, ..TargetsUpdate::default() };
        targets::update(&Draft::valid(update), &before, now())
    };
    assert_eq!(outcome(update(2, Some("EUR"))), "VersionConflict(1)");
    assert_eq!(outcome(update(1, None)), "Done");
    let (transaction, after) = written(update(1, Some("EUR")));
    assert_eq!((after.version, put::<Targets>(&transaction)), (2, after.clone()));
}

fn token(number: u8, scope: Scope, browser: bool) -> Token {
    Token {
        user_id: user(1),
        id: TokenId::new(now(), [number; 10]),
        hash: ApiToken::new([number; 24], "bot").hash(),
        name: "Script".parse().unwrap(),
        scopes: vec![scope],
        group_id: None,
        created_at: now(),
        expires_at: None,
        last_used_at: None,
        user_name: "User 1".to_owned(),
        username: None,
        avatar_url: None,
        browser,
        ttl: None,
    }
}

#[test]
fn tokens_are_few_and_those_of_a_browser_replace_each_other() {
    let plain = |number| token(number, Scope::Read, false);
    let link = |number| token(number, Scope::Browser, false);
    let all: Vec<Token> = (1..).take(MAX_TOKENS).map(plain).collect();
    let list = TokenList { user_id: user(1), version: 3 };
    let add = |new, by: Option<TokenId>, tokens: &[Token]| {
        tokens::add(user(1), new, by, Some(&list), tokens)
    };
    assert_eq!(outcome(add(plain(99), None, &all)), "TooManyTokens");
    let (transaction, _) = written(add(plain(99), None, &all[1..]));
    assert_eq!(put::<TokenList>(&transaction).version, 4);
    assert_eq!(condition(&transaction, &keys::token_list(user(1))), Condition::at_version(3));
    // A browser and the link by which it is signed in again are one.
    let old = link(98);
    let browser = token(97, Scope::Write, true);
    let almost = [&all[1..], std::slice::from_ref(&browser)].concat();
    assert_eq!(outcome(add(link(99), None, &almost)), "Write");
    assert_eq!(outcome(add(plain(99), None, &almost)), "TooManyTokens");
    let with_link = [&*almost, std::slice::from_ref(&old)].concat();
    assert_eq!(outcome(add(token(96, Scope::Write, true), Some(old.id), &with_link)), "Write");
    assert_eq!(outcome(add(link(99), None, &all)), "TooManyTokens");
    // A new link replaces the older one; a browser its link, and the browser before.
    let (transaction, _) = written(add(link(99), None, &[old.clone(), browser.clone()]));
    let gone = |of: &Token| transaction.keys().contains(&keys::token(user(1), of.id));
    assert_eq!([gone(&old), gone(&browser)], [true, false]);
    let new = token(96, Scope::Write, true);
    let (transaction, _) = written(add(new, Some(old.id), &[old.clone(), browser.clone()]));
    let of_link = condition(&transaction, &keys::token(user(1), old.id));
    assert_eq!((of_link, transaction.keys().len()), (Condition::present(), 4));
    assert_eq!(outcome::<_, Error>(Ok(tokens::delete(user(1), old.id))), "Write");
}
