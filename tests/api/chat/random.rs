//! Random changes while Telegram fails in every way: at rest, the last text about each expense has
//! its final state, and nothing was told twice without a reason.

use std::{collections::BTreeMap, time::Duration};

use fastrand::Rng;
use fracti_keeper::keep;
use fracti_local::fake_telegram::Outcome;
use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Plan, Proxy},
    simulation::with_short_timeouts,
};
use serde_json::json;

use super::{ALICE, ALPS, BOB, Bot, CAROL, plain};
use crate::harness::Api;

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

/// The expenses by the step that made them, with their ids and amounts, and those that were
/// deleted.
type Amounts = BTreeMap<usize, Option<(String, u32)>>;

/// Checks that the last text to each member about each expense has its final state. Returns how
/// many lines came twice in a row.
fn told(bot: &Bot, amounts: &Amounts, seed: u64) -> usize {
    let mut repeated = 0;
    for chat in [BOB, CAROL] {
        let messages = bot.telegram.messages(i64::try_from(chat).unwrap());
        let lines: Vec<String> =
            messages.iter().flat_map(|it| it.text.lines().map(plain).collect::<Vec<_>>()).collect();
        for (name, state) in amounts {
            let about: Vec<&String> =
                lines.iter().filter(|it| it.contains(&format!("“<e{name}>”"))).collect();
            repeated += about.windows(2).filter(|it| it[0] == it[1]).count();
            match (state, about.last()) {
                (Some((_, amount)), Some(last)) => {
                    let money = format!(": {amount}.00 EUR");
                    assert!(last.contains(&money), "{seed}: {name} {amount}: {about:#?}");
                    assert!(!last.contains("deleted"), "{seed}: {about:#?}");
                }
                (Some(_), None) => unreachable!("{seed}: {name} was not told to {chat}"),
                (None, Some(last)) => assert!(last.contains("deleted"), "{seed}: {about:#?}"),
                (None, None) => {}
            }
        }
    }
    repeated
}

#[tokio::test]
async fn at_rest_the_last_text_about_each_expense_has_its_final_state() {
    for seed in [7, 26, 1_129] {
        let mut rng = Rng::with_seed(seed);
        let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
        // The amounts of the expenses that exist, and those that were deleted.
        let mut amounts = Amounts::new();
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
        let repeated = told(&bot, &amounts, seed);
        assert!(repeated <= unknown * 60, "{seed}: {repeated} lines twice, {unknown} unknown");
        let of = bot.subscription(BOB).await;
        assert_eq!((of.due_at, of.lease_until, of.due_failures), (None, None, 0), "{seed}");
    }
}

/// Updates reach the bot, and two keepers run at once, over a table with faults.
#[tokio::test]
async fn faults_of_the_table_lose_no_command_and_no_change() {
    for seed in [3, 4, 11, 26] {
        let mut rng = Rng::with_seed(seed);
        // Indexes that lag need all writes to go through the proxy, and the members' do not.
        let proxy = Proxy::start(Plan { lag: 0, ..Plan::of(seed) }).await;
        let api = Api::new().await.behind(&proxy);
        let bot = Bot::of(api.over(Table::new(proxy.client.clone(), TABLE)), "en").await;
        bot.fill("en", &[BOB, CAROL]).await;
        let disturbed = |channel| {
            let table = Table::new(with_short_timeouts(&proxy, channel), TABLE);
            bot.api.over(table).telling(bot.telegram.url())
        };
        bot.connect(&disturbed(1).router).await;
        let keepers = [disturbed(2), disturbed(3)];
        let mut amounts = Amounts::new();
        proxy.start_faults();
        for step in 0..30_usize {
            let known: Vec<usize> =
                amounts.iter().filter(|(_, it)| it.is_some()).map(|(name, _)| *name).collect();
            match (rng.u8(0..5), rng.choice(&known)) {
                (0..3, _) | (_, None) => {
                    let amount = rng.u32(1..100) * 3;
                    let command = format!("/expense {amount} <e{step}>");
                    let mut status = bot.telegram.say(ALPS, ALICE, &command).await.status;
                    for _ in 0..20 {
                        if status == 200 {
                            break;
                        }
                        status = bot.telegram.repeat_last().await.status;
                    }
                    assert_eq!(status, 200, "{seed}: {command}");
                    // It may be repeated although it was accepted.
                    bot.telegram.repeat_last().await;
                    let path = bot.path("/expenses").await;
                    let all = bot.alice().pages(&path, 100).await;
                    let name = json!(format!("<e{step}>"));
                    let found: Vec<_> = all.iter().filter(|it| it["description"] == name).collect();
                    assert_eq!(found.len(), 1, "{seed}: {command}");
                    assert_eq!(found[0]["amount"], json!(amount));
                    let id = found[0]["id"].as_str().unwrap().to_owned();
                    amounts.insert(step, Some((id, amount)));
                }
                (choice, Some(name)) => {
                    let (id, _) = amounts[name].clone().unwrap();
                    let path = bot.path(&format!("/expenses/{id}")).await;
                    let amount = rng.u32(1..100) * 3;
                    let (reply, after) = if choice == 3 {
                        (bot.alice().delete(&path).await, None)
                    } else {
                        let edit = json!({ "amount": amount });
                        (bot.alice().put(&path, edit).await, Some((id, amount)))
                    };
                    assert_eq!(reply.status, 200);
                    amounts.insert(*name, after);
                }
            }
            bot.api.pass(Duration::from_mins(rng.u64(0..20)));
            let [one, other] = &keepers;
            // What they cannot do, a later run does.
            let run = async |of: &Api| {
                let _ = keep(&of.table, &of.app.clock, of.app.teller().as_ref()).await;
            };
            tokio::join!(run(one), run(other));
        }
        proxy.stop_faults().await;
        for _ in 0..6 {
            bot.api.pass(Duration::from_mins(61));
            bot.keep().await;
        }
        told(&bot, &amounts, seed);
        let of = bot.subscription(BOB).await;
        assert_eq!((of.due_at, of.lease_until), (None, None), "{seed}");
        let (_, faults) = proxy.tally();
        assert!(!faults.is_empty(), "{seed}: nothing was disturbed");
    }
}
