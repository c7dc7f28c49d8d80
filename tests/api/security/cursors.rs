//! Cursors: one opens only its own list, unchanged, for its own user.

use std::time::Duration;

use serde_json::json;

use super::{Place, Scene};
use crate::harness::Caller;

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

async fn cursor(caller: &Caller, path: &str) -> String {
    let page = caller.get(&format!("{path}?limit=1")).await;
    assert!(page.body["pagination"]["nextCursor"].is_string(), "{path}: {page:?}");
    page.body["pagination"]["nextCursor"].as_str().unwrap().to_owned()
}

/// The lists with cursors.
fn lists(place: &Place) -> Vec<String> {
    let of_user = ["groups", "users/me/groups", "users/me/expenses", "users/me/settlements"];
    let of_user = of_user.into_iter().chain(["users/me/activity"]);
    let of_user = of_user.map(|list| format!("/api/{list}"));
    let of_group = ["/expenses", "/settlements"].map(|list| place.group.path(list));
    of_user.chain(of_group).collect()
}

/// A scene in which all lists of user 1 have further pages.
async fn scene() -> Scene {
    let mut scene = Scene::new().await;
    for place in [&scene.own, &scene.foreign] {
        place.group.spend(0, json!({ "amount": 4 })).await;
        place.group.spend(1, json!({ "amount": 4 })).await;
        for caller in &place.group.members {
            let to = if caller.id == "1" { "2" } else { "1" };
            let pays = json!({ "toId": to, "amount": 1 });
            caller.post(&place.group.path("/settlements"), pays.clone()).await.data(201);
            caller.post(&place.group.path("/settlements"), pays).await.data(201);
        }
    }
    scene.rows = scene.api.rows().await;
    scene
}

#[tokio::test]
async fn cursor_with_any_byte_changed_or_removed_is_refused() {
    let scene = scene().await;
    let alice = &scene.own.group.members[0];
    for path in &lists(&scene.own) {
        let cursor = cursor(alice, path).await;
        alice.get(&format!("{path}?cursor={cursor}")).await.data(200);
        let mut forged: Vec<String> =
            (0..cursor.len()).map(|end| cursor[..end].to_owned()).collect();
        for (place, letter) in cursor.char_indices() {
            let at = ALPHABET.find(letter).unwrap();
            // The next value, and the value with the first bit flipped.
            for other in [(at + 1) % 64, at ^ 0b10_0000] {
                let mut changed = cursor.clone();
                changed.replace_range(place..=place, &ALPHABET[other..=other]);
                forged.push(changed);
            }
        }
        for suffix in ["A", "=", "==", ".", "%00", "%20", "%0A", "AAAA"] {
            forged.push(format!("{cursor}{suffix}"));
        }
        forged.extend([
            cursor[1..].to_owned(),
            cursor[16..].to_owned(),
            cursor.to_lowercase(),
            format!("{cursor}{cursor}"),
        ]);
        forged.push(cursor.chars().rev().collect());
        forged.extend(["x", "%00", "AAAA", "null", "eyJQSyI6IkdST1VQIn0"].map(str::to_owned));
        for forged in forged {
            let page = alice.get(&format!("{path}?cursor={forged}")).await;
            assert_eq!(page.code(), (400, "INVALID_CURSOR"), "{path}: {forged}");
        }
        let twice = alice.get(&format!("{path}?cursor={cursor}&cursor={cursor}")).await;
        assert_eq!(twice.code(), (400, "VALIDATION_ERROR"), "{path}");
        assert_eq!(twice.body["details"][0]["path"], "cursor");
    }
    scene.unchanged("cursors").await;
}

#[tokio::test]
async fn cursor_opens_only_its_own_list() {
    let scene = scene().await;
    let [alice, bob] = [&scene.own.group.members[0], &scene.own.group.members[1]];
    let foreign = ["/expenses", "/settlements"].map(|list| scene.foreign.group.path(list));
    let lists = [&lists(&scene.own)[..], &foreign].concat();
    let debts = ["/api/users/me/debts".to_owned()];
    for of in &lists {
        let cursor = cursor(alice, of).await;
        for (caller, path) in [alice, bob, &scene.eve]
            .into_iter()
            .flat_map(|caller| lists.iter().chain(&debts).map(move |list| (caller, list)))
        {
            let page = caller.get(&format!("{path}?cursor={cursor}")).await;
            let shared = of == path && of.contains("/api/groups/");
            let row = format!("{}: one of {of} at {path}", caller.user.name);
            if of == path && (shared || caller.id == alice.id) {
                // A cursor of a group's list is valid for every member, and for no other user.
                let stranger = caller.id == scene.eve.id && of.contains(&scene.foreign.group.id);
                assert_eq!(page.status, if stranger { 403 } else { 200 }, "{row}: {}", page.text);
            } else {
                assert_eq!(page.code(), (400, "INVALID_CURSOR"), "{row}");
            }
        }
    }
    scene.unchanged("cursors").await;
}

#[tokio::test]
async fn cursor_signed_by_another_bot_is_refused() {
    let scene = scene().await;
    let other = scene.api.of_bot("43:another-bot");
    let here = scene.api.user(1, "A");
    let there = other.user(1, "A");
    let path = scene.own.path("/api/groups/G/expenses");
    for (from, to) in [(&here, &there), (&there, &here)] {
        let cursor = cursor(from, &path).await;
        from.get(&format!("{path}?cursor={cursor}")).await.data(200);
        let page = to.get(&format!("{path}?cursor={cursor}")).await;
        assert_eq!(page.code(), (400, "INVALID_CURSOR"));
        // Nor does init data of the other bot authenticate here.
        let stranger = from.at(&to.api).get(&path).await;
        assert_eq!(stranger.code(), (401, "WRONG_BOT"));
    }
}

#[tokio::test]
async fn cursor_without_authentication_is_refused() {
    let scene = scene().await;
    let alice = &scene.own.group.members[0];
    let path = scene.own.path("/api/groups/G/expenses");
    let cursor = cursor(alice, &path).await;
    let list = format!("{path}?cursor={cursor}");
    assert_eq!(alice.with(None).get(&list).await.code(), (401, "NO_CREDENTIALS"));
    scene.api.pass(Duration::from_hours(25));
    assert_eq!(alice.get(&list).await.code(), (401, "SIGN_IN_AGAIN"));
    // A cursor encodes a position, not a time, so the list continues.
    scene.api.user(1, "A").get(&list).await.data(200);
}
