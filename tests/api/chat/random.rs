//! Random changes while Telegram fails in every way: at rest, the last text about each expense has its
//! final state, and nothing was told twice without a reason.

use std::{collections::BTreeMap, time::Duration};

use fastrand::Rng;
use fracti_local::fake_telegram::Outcome;
use serde_json::json;

use super::{BOB, Bot, CAROL, plain};

/// What Telegram may answer, and whether the message may have arrived nevertheless.
fn outcomes(rng: &mut Rng) -> (Outcome, bool) {
    match rng.u8(0..7) {
        0 => (Outcome::RetryAfter(rng.u64(1..90)), false),
        1 => (Outcome::Refused("Bad Request: can't parse entities"), false),
        2 => (Outcome::ServerError, false),
        3 => (Outcome::DeliveredThenServerError, true),
        4 => (Outcome::Unreadable, true),
        5 => (Outcome::Redirect, false),
        _ => (Outcome::Cut, true),
    }
}

#[tokio::test]
async fn at_rest_the_last_text_about_each_expense_has_its_final_state() {
    for seed in [7, 26, 1_129] {
        let mut rng = Rng::with_seed(seed);
        let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
        // The amounts of the expenses that exist, and those that were deleted.
        let mut amounts: BTreeMap<usize, Option<(String, u32)>> = BTreeMap::new();
        let mut unknown = 0;
        for step in 0..60_usize {
            let known: Vec<usize> =
                amounts.iter().filter(|(_, it)| it.is_some()).map(|(name, _)| *name).collect();
            match (rng.u8(0..6), rng.choice(&known)) {
                (0..3, _) | (_, None) => {
                    let amount = rng.u32(1..100) * 3;
                    let body = json!({ "amount": amount, "description": format!("<e{step}>") });
                    amounts.insert(step, Some((bot.spend(body).await, amount)));
                }
                (3, Some(name)) => {
                    let (id, _) = amounts[name].clone().unwrap();
                    let path = bot.path(&format!("/expenses/{id}")).await;
                    assert_eq!(bot.alice().delete(&path).await.status, 200);
                    amounts.insert(*name, None);
                }
                (_, Some(name)) => {
                    let (id, _) = amounts[name].clone().unwrap();
                    let amount = rng.u32(1..100) * 3;
                    let path = bot.path(&format!("/expenses/{id}")).await;
                    let edit = json!({ "amount": amount });
                    assert_eq!(bot.alice().put(&path, edit).await.status, 200);
                    amounts.insert(*name, Some((id, amount)));
                }
            }
            if rng.u8(0..3) == 0 {
                let (outcome, may_arrive) = outcomes(&mut rng);
                unknown += usize::from(may_arrive);
                bot.telegram.plan(None, outcome);
            }
            bot.api.pass(Duration::from_mins(rng.u64(0..20)));
            bot.keep().await;
        }
        for _ in 0..6 {
            bot.api.pass(Duration::from_mins(61));
            bot.keep().await;
        }
        for chat in [BOB, CAROL] {
            let chat = i64::try_from(chat).unwrap();
            let messages = bot.telegram.messages(chat);
            let lines: Vec<String> = messages
                .iter()
                .flat_map(|it| it.text.lines().map(plain).collect::<Vec<_>>())
                .collect();
            let mut repeated = 0;
            for (name, state) in &amounts {
                let about: Vec<&String> =
                    lines.iter().filter(|it| it.contains(&format!("“<e{name}>”"))).collect();
                repeated += about.windows(2).filter(|it| it[0] == it[1]).count();
                match (state, about.last()) {
                    (Some((_, amount)), Some(last)) => {
                        let money = format!(": {amount}.00 EUR");
                        assert!(last.contains(&money), "{seed}: {name} {amount}: {about:#?}");
                        assert!(!last.contains("deleted"), "{seed}: {about:#?}");
                    }
                    (Some(_), None) => panic!("{seed}: {name} was not told to {chat}"),
                    (None, Some(last)) => assert!(last.contains("deleted"), "{seed}: {about:#?}"),
                    (None, None) => {}
                }
            }
            assert!(repeated <= unknown * 30, "{seed}: {repeated} lines twice, {unknown} unknown");
        }
        let of = bot.subscription(BOB).await;
        assert_eq!((of.due_at, of.lease_until, of.due_failures), (None, None, 0), "{seed}");
    }
}
