//! The screens of the Mini App: who sees them, and that their links and forms lead somewhere.
//! How they look and behave is tested in a browser, in `tests/page`.

use std::collections::BTreeSet;

use axum::http::Method;
use fracti_http::openapi;
use fracti_tests::operations::{Ids, Operation, SCREENS, filled, operations};
use serde_json::{Value, json};

use crate::harness::{Api, Busy, Caller, Group, Reply};

/// All screens with their paths.
pub(crate) fn screens(ids: &Ids) -> Vec<String> {
    SCREENS.map(|screen| filled(screen, ids)).into()
}

#[test]
fn every_screen_is_listed() {
    let routes = fracti_web::routes();
    let routed: BTreeSet<&str> = routes.paths().filter(|it| it.starts_with("/screens")).collect();
    let listed = SCREENS.iter().map(|path| path.split('?').next().unwrap());
    let listed = listed.map(|path| {
        if path.ends_with("/friends/2") { "/screens/me/friends/{otherId}" } else { path }
    });
    let listed = listed.filter(|path| !path.contains("{textId}"));
    assert_eq!(routed, listed.collect());
}

#[tokio::test]
async fn screens_are_for_members_and_writes_none() {
    let Busy { group, ids } = Busy::new().await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    for screen in screens(&ids) {
        let shown = alice.get(&screen).await;
        assert_eq!(shown.status, 200, "{screen}: {}", shown.text);
        assert!(shown.cost.write_units <= 0.0, "{screen}");
        assert_eq!(alice.with(None).get(&screen).await.code(), (401, "NO_CREDENTIALS"), "{screen}");
        if screen.contains(&group.id) && !screen.contains("/join/") {
            let stranger = group.api.user(77, "Mallory").get(&screen).await;
            // The spending is not the stranger's, either.
            let is_refused =
                [(403, "NOT_A_MEMBER"), (404, "SPENDING_NOT_FOUND")].contains(&stranger.code());
            assert!(is_refused, "{screen}: {}", stranger.text);
        }
    }
    assert_eq!(before, group.api.rows().await);
}

/// Values of an attribute in HTML, with the text before each.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let pattern = format!(" {name}=\"");
    let found = html.match_indices(&*pattern).map(|(at, _)| {
        let rest = &html[at + pattern.len()..];
        (&html[..at], rest.split('"').next().unwrap())
    });
    found.collect()
}

/// Whether `path` fits the template of a route.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('?').next().unwrap().split('/').collect());
    let same = |(part, text): (&&str, &&str)| part.starts_with('{') || part == text;
    template.len() == path.len() && template.iter().zip(&path).all(same)
}

#[tokio::test]
async fn links_lead_to_screens_and_forms_to_operations() {
    let Busy { group, ids } = Busy::new().await;
    let operations = operations();
    let routes = fracti_web::routes();
    for screen in screens(&ids) {
        let html = group.members[0].get(&screen).await.text.clone();
        for name in ["href", "data-then", "data-go"] {
            for (_, link) in attributes(&html, name) {
                let link = link.replace("{id}", &group.id).replace("&amp;", "&");
                let shown = link.replacen("/app", "/screens", 1);
                let leads = routes.paths().any(|to| fits(to, &shown));
                assert!(link.is_empty() || leads, "{screen}: {link} leads nowhere");
            }
        }
        for (name, method) in
            [("action", None), ("data-preview", Some("POST")), ("data-undo", None)]
        {
            for (before, action) in attributes(&html, name) {
                let tag = &html[before.rfind('<').unwrap()..];
                let tag = &tag[..tag.find('>').unwrap()];
                if tag.contains(" data-get") {
                    let shown = action.replacen("/app", "/screens", 1);
                    assert!(SCREENS.iter().any(|to| fits(to, &shown)), "{screen}: {action}");
                    continue;
                }
                let (method, action) = match (method, action.split_once(' ')) {
                    (Some(method), _) => (method, action),
                    (None, Some((method, action))) => (method, action),
                    (None, None) => (attributes(tag, "data-method")[0].1, action),
                };
                let found =
                    operations.iter().any(|it| it.method == method && fits(it.route, action));
                assert!(
                    found || action.starts_with("/screens/"),
                    "{screen}: no operation {method} {action}"
                );
            }
        }
        for forbidden in [" style=", " onclick=", "<script", "javascript:"] {
            assert!(!html.contains(forbidden), "{screen}: {forbidden}");
        }
    }
}

/// The schema of a field in a schema; of a list, in its items.
fn field<'a>(document: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return field(document, document.pointer(reference.trim_start_matches('#'))?, name);
    }
    let parts = ["allOf", "oneOf", "anyOf"].iter().filter_map(|it| schema[it].as_array()).flatten();
    let mut others = parts.chain([&schema["items"]]).filter(|it| it.is_object());
    let any = schema.get("additionalProperties").filter(|it| it.is_object());
    let own = schema["properties"].get(name);
    own.or_else(|| others.find_map(|it| field(document, it, name))).or(any)
}

#[tokio::test]
async fn controls_are_fields_of_what_their_form_sends() {
    let Busy { group, ids } = Busy::new().await;
    let document: Value = serde_json::from_str(openapi::DOCUMENT).unwrap();
    let operations = operations();
    let mut controls = 0;
    for screen in screens(&ids) {
        let html = group.members[0].get(&screen).await.text.clone();
        for form in html.split("<form").skip(1) {
            let (tag, content) = form.split_once('>').unwrap();
            let content = content.split("</form>").next().unwrap();
            // A file has its own options, and a filter is no request to the API.
            if tag.contains(" data-get") || tag.contains(" data-file") {
                continue;
            }
            let [action, method] = ["action", "data-method"].map(|name| attributes(tag, name)[0].1);
            let fits = |it: &&Operation| it.method == method && fits(it.route, action);
            let operation = operations.iter().find(fits).unwrap();
            let path = document["paths"][operation.route][method.to_lowercase()].clone();
            let body = &path["requestBody"]["content"]["application/json"]["schema"];
            // The script makes the expense of a schedule of such a form.
            let schedules = "/api/groups/{groupId}/schedules";
            let of = |operation: &str| {
                let path = &document["paths"][schedules][operation]["requestBody"];
                &path["content"]["application/json"]["schema"]
            };
            let is_schedule = action.contains("/schedules/") && tag.contains(" data-preview");
            for (_, name) in attributes(content, "name") {
                let mut schema = Some(if name.starts_with("repeat.") { of("post") } else { body });
                if is_schedule && !name.starts_with("repeat.") && name != "paused" {
                    schema = field(&document, body, "expense");
                }
                for part in name.split('.') {
                    let part = part.split('[').next().unwrap();
                    schema = schema.and_then(|it| field(&document, it, part));
                }
                assert!(schema.is_some(), "{screen}: {} has no field {name}", operation.id);
                controls += 1;
            }
        }
    }
    assert!(controls > 200, "{controls}");
}

/// Text that would be an element or leave an attribute if it were not escaped.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&\u{202e}";

#[tokio::test]
async fn hostile_names_are_text() {
    let api = Api::new().await;
    let mallory = api.user(1, HOSTILE);
    let new = json!({ "title": HOSTILE, "chatId": 1, "currency": "EUR" });
    let group = mallory.post("/api/groups", new).await.id();
    let at = |rest: &str| format!("/api/groups/{group}{rest}");
    let expense = json!({ "amount": 9, "description": HOSTILE, "notes": HOSTILE });
    let expense = mallory.post(&at("/expenses"), expense).await.id();
    mallory.post(&at("/members"), json!({ "name": format!("{HOSTILE}2") })).await.data(201);
    let ids: Ids = [("groupId", group.clone()), ("expenseId", expense)].into();
    let shown = |it: &&String| !it.contains('{') && !it.contains("/friends/");
    for screen in screens(&ids).iter().filter(shown) {
        let shown = mallory.get(screen).await;
        assert_eq!(shown.status, 200, "{screen}: {}", shown.text);
        assert!(!shown.text.contains("<img"), "{screen}");
        assert!(
            !shown.text.contains("\u{202e}"),
            "{screen}: a name changes the direction of others"
        );
    }
}

/// A screen in a language.
async fn shown(caller: &Caller, path: &str, language: &str) -> Reply {
    let request = caller.request(Method::GET, path).header("accept-language", language);
    caller.api.send(fracti_tests::client::with_body(request, &Value::Null)).await
}

#[tokio::test]
async fn screens_are_in_the_readers_language() {
    let Busy { group, ids } = Busy::new().await;
    let path = filled("/screens/groups/{groupId}", &ids);
    let alice = &group.members[0];
    assert!(shown(alice, &path, "en").await.text.contains("Expenses"));
    assert!(shown(alice, &path, "ru").await.text.contains("Расходы"));
}

#[tokio::test]
async fn sentences_agree_with_the_reader() {
    let group = Group::new(3, "EUR").await;
    group.spend(0, json!({ "amount": 9 })).await;
    let payers = json!([{ "userId": "1", "amount": 5 }, { "userId": "2", "amount": 5 }]);
    let splits = json!([{ "userId": "1" }, { "userId": "2" }]);
    group.spend(0, json!({ "amount": 10, "payers": payers, "splits": splits })).await;
    let payers = json!([{ "userId": "1", "amount": 8 }, { "userId": "3", "amount": 1 }]);
    group.spend(0, json!({ "amount": 9, "payers": payers })).await;
    for (reader, language, screen, says) in [
        (0, "en", "/balances", ["B pays you", "C pays you"]),
        (1, "en", "/balances", ["You pay A", "C pays A"]),
        (1, "ru", "/balances", ["Вы платите, A", "C → A"]),
        (0, "en", "", ["nothing owed", "you lent"]),
        (1, "ru", "", ["без долга", "ваша доля"]),
        (2, "en", "", ["your part", "you paid"]),
    ] {
        let path = format!("/screens/groups/{}{screen}", group.id);
        let shown = shown(&group.members[reader], &path, language).await.text.clone();
        for text in says {
            assert!(shown.contains(text), "{screen} {reader}: {text}: {shown}");
        }
        for text in ["You pays", "pays You", "lent 0", "заняли 0"] {
            assert!(!shown.contains(text), "{screen} {reader}: {text}");
        }
    }
}

#[tokio::test]
async fn friends_name_a_payment_that_a_linked_guest_made_before() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let shares = json!([{ "userId": guest }]);
    group.spend(0, json!({ "amount": 20, "splits": shares })).await;
    let paid = json!({ "fromId": guest, "toId": "1", "amount": 5 });
    group.members[2].post(&group.path("/settlements"), paid).await.data(201);
    group.link(&guest, "2").await.data(200);
    for path in ["/screens/me/friends", "/screens/me/friends/2"] {
        let friends = shown(&group.members[0], path, "en").await;
        for amount in ["5.00", "15.00"] {
            let sum = format!("{amount}\u{a0}EUR");
            assert!(friends.text.contains(&sum), "{sum}: {}", friends.text);
        }
        assert!(friends.text.contains("paid, to be confirmed"), "{}", friends.text);
    }
}

#[tokio::test]
async fn document_is_the_same_for_every_path_and_known_by_its_tag() {
    let api = Api::new().await;
    let nobody = api.user(1, "Alice").with(None);
    let [one, other] = [nobody.get("/app").await, nobody.get("/app/groups/x").await];
    assert_eq!((one.status.as_u16(), &one.text), (200, &other.text));
    assert_eq!(one.cost.requests, 0);
    let policy = one.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let tag = one.header("etag").unwrap();
    let request = nobody.request(Method::GET, "/app").header("if-none-match", tag);
    let again = api.send(fracti_tests::client::with_body(request, &Value::Null)).await;
    assert_eq!((again.status.as_u16(), &*again.text), (304, ""));
}

#[tokio::test]
async fn rest_of_the_script_never_changes_under_its_version() {
    let api = Api::new().await;
    let nobody = api.user(1, "Alice").with(None);
    let document = nobody.get("/app").await;
    let version = document.text.split("name=\"version\" content=\"").nth(1).unwrap();
    let version = version.split('"').next().unwrap();
    for (query, caching) in [
        (format!("?v={version}"), "public, max-age=31536000, immutable"),
        (format!("?v={version}&again"), "public, max-age=31536000, immutable"),
        ("?v=0123456789abcdef".to_owned(), "no-store"),
        (String::new(), "no-store"),
    ] {
        let more = nobody.get(&format!("/app/more.js{query}")).await;
        assert_eq!((more.status.as_u16(), more.header("cache-control")), (200, Some(caching)));
        assert_eq!(more.header("content-type"), Some("text/javascript; charset=utf-8"));
        assert!(more.text.contains("export function typed("), "{query}");
        assert_eq!(more.cost.requests, 0);
    }
    let policy = document.header("content-security-policy").unwrap();
    assert!(policy.contains(" 'self' https://telegram.org/js/; style-src"), "{policy}");
}

#[tokio::test]
async fn days_and_moments_say_what_they_are() {
    let Busy { group, ids } = Busy::new().await;
    for screen in screens(&ids) {
        let html = group.members[0].get(&screen).await.text.clone();
        for (before, at) in attributes(&html, "datetime") {
            let text = &html[before.len()..];
            let text = text.split_once('>').unwrap().1.split('<').next().unwrap();
            assert!(before.ends_with("<time"), "{screen}: {at}");
            // The server does not know the reader's clock, so it says which one it uses.
            assert_eq!(at.contains('T'), text.ends_with("UTC"), "{screen}: {at} is {text}");
        }
        let outside: Vec<&str> =
            html.split("<time").map(|it| it.split("</time>").last().unwrap()).collect();
        // The balances over time say that their days are of UTC.
        let rules = usize::from(screen.ends_with("/ledger"));
        let found = outside.concat().matches("UTC").count();
        assert_eq!(found, rules, "{screen}: a moment is not one");
    }
}

#[tokio::test]
async fn balances_over_time_are_lines_once_there_are_two_days() {
    let group = Group::new(2, "EUR").await;
    let path = format!("/screens/groups/{}/ledger", group.id);
    group.spend(0, json!({ "amount": 10 })).await;
    let one = group.members[1].get(&path).await.text.clone();
    assert!(!one.contains("<svg") && one.contains("<details class=\"card fields\" open>"), "{one}");
    group.api.pass(std::time::Duration::from_hours(48));
    let group = Group { members: vec![group.api.user(1, "A"), group.api.user(2, "B")], ..group };
    group.spend(1, json!({ "amount": 10 })).await;
    let two = group.members[1].get(&path).await.text.clone();
    let names: Vec<&str> = two.split("class=\"who").skip(1).collect();
    assert_eq!(names.len(), 2, "{two}");
    assert!(!two.contains("open>"), "{two}");
}

#[tokio::test]
async fn invitation_names_its_group_to_who_has_the_code() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let made = alice.post(&group.path("/invitation"), json!({})).await;
    let code = made.data(201)["code"].as_str().unwrap().to_owned();
    let eve = group.api.user(77, "Eve");
    let screen = async |code: &str| {
        eve.get(&format!("/screens/join/{}?code={code}", group.id)).await.text.clone()
    };
    let right = screen(&code).await;
    assert!(right.contains("Alps") && right.contains("2 members"), "{right}");
    assert!(right.contains("</bdi> invites you"), "{right}");
    let other = "AAECAwQFBgcICQoLDA0ODw";
    for wrong in ["", other, "x", &code[..21]] {
        let shown = screen(wrong).await;
        assert!(!shown.contains("Alps") && !shown.contains("invites you"), "{wrong}: {shown}");
    }
    // A code that was replaced names nothing any more.
    alice.post(&group.path("/invitation"), json!({})).await.data(201);
    assert!(!screen(&code).await.contains("Alps"));
}

#[tokio::test]
async fn names_keep_their_direction() {
    let group = Group::of(&Api::new().await, 2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    group.spend(0, json!({ "amount": 10, "description": "ארוחה", "notes": "קפה" })).await;
    alice.post(&group.path("/members"), json!({ "name": "נועה" })).await.data(201);
    let payment = json!({ "toId": "1", "amount": 1, "note": "תודה" });
    bob.post(&group.path("/settlements"), payment).await.data(201);
    let hebrew = |it: char| ('\u{590}'..='\u{5ff}').contains(&it);
    for screen in ["", "/balances", "/members", "/changes", "/settlements", "/ledger", "/stats"] {
        let html = alice.get(&format!("/screens/groups/{}{screen}", group.id)).await.text.clone();
        for (at, _) in html.match_indices(hebrew) {
            let before = &html[..at];
            let opened = before.rfind('<').unwrap();
            let is_attribute = before.rfind('>') < Some(opened);
            let tag = &before[opened..];
            let is_isolated = ["<bdi>", "<option", "<text", "<title", "<span class=\"avatar"]
                .iter()
                .any(|it| tag.starts_with(it));
            assert!(is_attribute || is_isolated, "{screen}: {tag}");
        }
    }
}

/// Bytes by which a screen may grow with each member: about two options of a choice.
const BYTES_A_MEMBER: usize = 160;

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are copied into docs/performance.md")]
async fn screens_have_no_rows_of_each_member_of_a_large_group() {
    const MEMBERS: usize = 500;
    let Busy { group, mut ids } = Busy::new().await;
    let alice = &group.members[0];
    let rule = |category| {
        json!({ "category": category, "splits": [{ "userId": "2", "weight": 2 }],
        "others": 1 })
    };
    let rules = ["food", "transport", "rent"].map(rule);
    let rules = json!({ "defaultSplits": rules });
    alice.patch(&group.path(""), rules).await.data(200);
    let line = json!({ "name": "Soup", "amount": 1, "sharers": [{ "userId": "2", "weight": 2 }] });
    let items = json!({ "splitType": "itemized", "items": vec![line; 20] });
    let receipt = group.spend(0, items).await["id"].as_str().unwrap().to_owned();
    ids.insert("receipt", receipt);
    let forms = ["new?from={receipt}", "{receipt}/edit"]
        .map(|form| filled(&format!("/screens/groups/{{groupId}}/expenses/{form}"), &ids));
    let paths: Vec<String> = screens(&ids).into_iter().chain(forms).collect();
    let sizes = async || {
        let mut sizes = Vec::new();
        for path in &paths {
            let shown = alice.get(path).await;
            assert_eq!(shown.status, 200, "{path}: {}", shown.text);
            sizes.push(shown.text.len());
        }
        sizes
    };
    let grow = async |members: std::ops::Range<usize>| {
        for number in members.clone() {
            group.guest(0, &format!("Member {number:03}")).await;
        }
        members.len()
    };
    // More than are on a page of a list.
    grow(4..60).await;
    let before = sizes().await;
    let added = grow(60..MEMBERS).await;
    let after = sizes().await;
    let figures = std::env::var_os("FIGURES").is_some();
    for ((path, before), after) in paths.iter().zip(before).zip(after) {
        let each = after.saturating_sub(before) / added;
        if figures {
            println!("| {path} | {after} | {each} |");
        }
        assert!(figures || each <= BYTES_A_MEMBER, "{path}: {each} bytes a member, {after} bytes");
    }
}
