//! Buttons of the Mini App: each is shown to those who may use it, and to no others.
//!
//! A request with a field that does not exist changes nothing, and is refused for that only after
//! the right and the state: its answer says whether the button would be refused.

use std::time::Duration;

use axum::http::{Method, header};
use fracti_core::caller::telegram::{self, User};
use fracti_tests::{
    client,
    operations::{receipt, text_for},
};
use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group};

/// A form: method, path and the values of its hidden fields.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    method: String,
    action: String,
    hidden: Value,
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// The forms of a screen that send requests to the API.
fn forms(html: &str) -> Vec<Form> {
    let form = |part: &str| {
        let (tag, rest) = part.split_once('>').unwrap();
        let content = rest.split("</form>").next().unwrap();
        let method = attribute(tag, "data-method")?.to_owned();
        let action = attribute(tag, "action")?.to_owned();
        let mut hidden = json!({});
        for input in content.split("<input").skip(1) {
            let input = input.split('>').next().unwrap();
            // The script fills in those of a template, or leaves them out.
            let is_sent = !input.contains("data-json") && !input.contains("data-value");
            if input.contains("type=\"hidden\"") && is_sent {
                let name = attribute(input, "name").unwrap();
                hidden[name] = json!(attribute(input, "value").unwrap());
            }
        }
        action.starts_with("/api/").then_some(Form { method, action, hidden })
    };
    html.split("<form").skip(1).filter_map(form).collect()
}

/// The code by which the API refuses a request that changes nothing.
async fn probe(by: &Caller, method: &str, path: &str, body: &Value) -> (u16, String) {
    let mut body = body.clone();
    body["unknownField"] = json!(1);
    let request = by.request(method.parse().unwrap(), path);
    let request = if path.contains("/expenses/") && method != "POST" {
        request.header(header::IF_MATCH, "\"another\"")
    } else {
        request
    };
    let reply = by.api.send(client::with_body(request, &body)).await;
    assert!(reply.status.is_client_error(), "{method} {path}: {}", reply.text);
    (reply.status.as_u16(), reply.code().1.to_owned())
}

const ACCEPTED: [u16; 2] = [400, 412];

/// The present members 1 (who created the group), 2 and 3; 4 has left, 5 was removed; two guests,
/// and one who is 3.
struct Scene {
    group: Group,
    ids: [(&'static str, String); 7],
}

impl Scene {
    async fn new() -> Self {
        let api = Api::new().await.with_operators(&["1"]);
        let group = Group::of(&api, 5, "EUR").await;
        let one = &group.members[0];
        let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 90, "refId": "bank 1" });
        one.post("/api/users/2/funds/credits", cash).await.data(201);
        let guest = group.guest(0, "Mum").await;
        let other = group.guest(0, "Dad").await;
        let linked = group.guest(0, "Kim").await;
        group.link(&linked, "3").await.data(200);
        let users = ["1", "2", "3", "4"].map(|id| (id, id.to_owned()));
        let [a, b, c, past] = users;
        let ids = [a, b, c, past, ("guest", guest), ("other", other), ("linked", linked)];
        Self { group, ids }
    }

    fn id(&self, name: &str) -> &str {
        &self.ids.iter().find(|(it, _)| *it == name).unwrap().1
    }

    /// The readers with their numbers.
    fn readers(&self) -> [(u32, &Caller); 3] {
        [1, 2, 3].map(|number| (number, &self.group.members[number as usize - 1]))
    }

    /// Members 4 and 5 go.
    async fn go(&self) {
        let leave = self.group.path("/leave");
        self.group.members[3].call(Method::POST, &leave, None).await.data(200);
        self.group.members[0].delete(&self.group.path("/members/5")).await.data(200);
    }

    /// Checks the forms of a screen, and returns them.
    async fn check(&self, reader: (u32, &Caller), rest: &str) -> (Vec<Form>, String) {
        let (number, by) = reader;
        let path = format!("/screens/groups/{}{rest}", self.group.id);
        let shown = by.get(&path).await;
        assert_eq!(shown.status, 200, "{path}: {}", shown.text);
        let forms = forms(&shown.text);
        for form in &forms {
            // A member is removed or leaves without a body: the next test does it.
            if form.method == "DELETE" && !form.action.contains("/expenses/") {
                continue;
            }
            let (status, code) = probe(by, &form.method, &form.action, &form.hidden).await;
            assert!(ACCEPTED.contains(&status), "{number} at {rest}: {form:?}: {status} {code}");
        }
        (forms, shown.text.replace('\u{a0}', " "))
    }
}

#[tokio::test]
async fn buttons_of_an_expense_are_shown_to_who_may_change_it() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let shares = json!([{ "userId": "1" }, { "userId": "2" }]);
    let mut expenses = Vec::new();
    for recorder in [1, 2, 4] {
        for payer in ["1", "2", "4", "guest", "linked"] {
            let payer = scene.id(payer);
            let body = json!({ "amount": 8, "description": format!("{payer} by {recorder}"),
                "payerId": payer, "splits": shares });
            expenses.push(group.spend(recorder - 1, body).await);
        }
    }
    for (from, amount) in [(0, "12"), (1, "12")] {
        group.pay(from, 3, amount).await;
    }
    scene.go().await;
    for deleted in [false, true] {
        for expense in &expenses {
            let rest = format!("/expenses/{}", expense["id"].as_str().unwrap());
            let path = group.path(&rest);
            let mut allowed = Vec::new();
            for reader @ (number, by) in scene.readers() {
                let place = format!("{number}: {}, {deleted}", expense["description"]);
                let (method, target) = if deleted {
                    ("POST", format!("{path}/restore"))
                } else {
                    ("PUT", path.clone())
                };
                let (status, _) = probe(by, method, &target, &json!({})).await;
                let may = ACCEPTED.contains(&status);
                let screen = if deleted { "/expenses?deleted=true&limit=100" } else { &rest };
                let (forms, html) = scene.check(reader, screen).await;
                let method = if deleted { "POST" } else { "DELETE" };
                let has = forms.iter().any(|it| it.method == method && it.action == target);
                assert_eq!(has, may, "{place}");
                if !deleted {
                    assert_eq!(html.contains(&format!("{rest}/edit\"")), may, "{place}");
                    assert_eq!(html.contains("can change it"), !may, "{place}");
                    let (forms, html) = scene.check(reader, &format!("{rest}/edit")).await;
                    assert_eq!(forms.len(), usize::from(may), "{place}");
                    assert_eq!(html.contains("can change it"), !may, "{place}");
                }
                allowed.extend(may.then_some(by));
            }
            assert!(!allowed.is_empty(), "{expense}");
            if !deleted {
                allowed[0].delete(&path).await.data(200);
            }
        }
    }
    group.verify().await;
}

#[tokio::test]
async fn buttons_of_a_payment_are_shown_to_who_may_use_them() {
    let scene = Scene::new().await;
    scene.go().await;
    let group = &scene.group;
    let settlements = group.path("/settlements");
    let mut made = Vec::new();
    let names = ["1", "2", "3", "4", "guest", "other", "linked"];
    for (_, by) in scene.readers() {
        for from in names {
            for to in names.iter().filter(|to| **to != from) {
                let body = json!({ "fromId": scene.id(from), "toId": scene.id(to), "amount": 1,
                    "separate": true });
                let reply = by.post(&settlements, body).await;
                if reply.status == 201 {
                    made.push(reply.body["data"].clone());
                }
            }
        }
    }
    let funded = json!({ "toId": "1", "amount": 5, "payFrom": "funds" });
    made.push(group.members[1].post(&settlements, funded).await.data(201).clone());
    let mut pending = 0;
    for settlement in &made {
        let rest = format!("/settlements/{}", settlement["id"].as_str().unwrap());
        let path = group.path(&rest);
        for reader @ (number, by) in scene.readers() {
            let place = format!("{number}: {settlement}");
            let (forms, html) = scene.check(reader, &rest).await;
            for status in ["completed", "failed"] {
                let body = json!({ "status": status });
                let (answer, _) = probe(by, "PUT", &path, &body).await;
                let is_repeated = settlement["status"] == status;
                let may = answer == 400 && !is_repeated;
                let has = forms.iter().any(|it| it.hidden["status"] == status);
                assert_eq!(has, may, "{place} to {status}");
            }
            if settlement["status"] == "pending" {
                pending += 1;
                let has_confirm = html.contains(">Confirm<");
                assert_eq!(html.contains(">Not received<"), has_confirm, "{place}");
                assert!(!has_confirm || !html.contains(">Call off<"), "{place}");
                let is_payer = settlement["fromUserId"] == by.id;
                let recorded = settlement["createdBy"] == by.id;
                if (is_payer || recorded) && !has_confirm {
                    assert!(html.contains(">Call off<"), "{place}");
                }
            }
        }
    }
    for reader in scene.readers() {
        for rest in ["", "/balances", "/settlements"] {
            scene.check(reader, rest).await;
        }
    }
    assert!(pending > 100, "{pending}");
}

#[tokio::test]
async fn who_is_not_settled_is_told_so_instead_of_leaving() {
    let scene = Scene::new().await;
    let group = &scene.group;
    let shares = json!([{ "userId": "1" }, { "userId": scene.id("guest") }]);
    group.spend(0, json!({ "amount": 24, "splits": shares })).await;
    scene.go().await;
    for reader @ (number, by) in scene.readers() {
        let (forms, html) = scene.check(reader, "/members").await;
        let removable = |id: &str| {
            let path = group.path(&format!("/members/{id}"));
            forms.iter().any(|it| it.method == "DELETE" && it.action == path)
        };
        let is_creator = number == 1;
        assert!(!removable("1"), "{number}");
        assert_eq!(removable("3"), is_creator, "{number}");
        assert!(!removable(scene.id("guest")) && removable(scene.id("other")), "{number}");
        assert!(html.contains("To remove, settle first: they owe 12.00 EUR"), "{number}");
        let leave = group.path("/leave");
        let may_leave = forms.iter().any(|it| it.action == leave);
        assert_eq!(may_leave, !is_creator, "{number}");
        let owed = "Settle up first: you are owed 12.00 EUR";
        assert_eq!(html.contains(owed), is_creator, "{number}");
        let (forms, html) = scene.check(reader, "/settings").await;
        assert!(forms.iter().all(|it| it.method != "DELETE"), "others are in the group");
        assert_eq!(html.contains("Others are still in the group"), is_creator, "{number}");
        if !is_creator {
            by.call(Method::POST, &leave, None).await.data(200);
        }
    }
    let one = (1, &group.members[0]);
    let (forms, html) = scene.check(one, "/settings").await;
    assert!(forms.iter().all(|it| it.method != "DELETE"));
    assert!(html.contains("To remove, settle first: 12.00 EUR"));
    let paid = json!({ "fromId": scene.id("guest"), "toId": "1", "amount": 12 });
    group.members[0].post(&group.path("/settlements"), paid).await.data(201);
    let (forms, _) = scene.check(one, "/settings").await;
    assert!(forms.iter().any(|it| it.method == "DELETE"));
    group.members[0].delete(&group.path("")).await.data(200);
}

#[tokio::test]
async fn confirming_asks_if_it_makes_a_debtor_of_who_is_owed() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let shares = json!([{ "userId": "1" }, { "userId": "2" }]);
    group.spend(0, json!({ "amount": 100, "splits": shares })).await;
    let settlements = group.path("/settlements");
    let pay = json!({ "toId": "1", "amount": 50 });
    let first = bob.post(&settlements, pay.clone()).await.id();
    let shown = async |by: &Caller, rest: &str| {
        let shown = by.get(&format!("/screens/groups/{}{rest}", group.id)).await;
        shown.text.replace('\u{a0}', " ")
    };
    let path = format!("/settlements/{first}");
    assert!(!shown(alice, &path).await.contains("data-ask"), "she is owed as much");
    let received = json!({ "toId": "1", "fromId": "2", "amount": 50, "separate": true });
    alice.post(&settlements, received).await.data(201);
    for rest in [&path, "", "/balances"] {
        let asks = "data-ask=\"Then you owe 50.00 EUR. Confirm it anyway?\"";
        assert!(shown(alice, rest).await.contains(asks), "{rest}");
    }
    let me = alice.get("/screens/me").await;
    assert!(me.text.replace('\u{a0}', " ").contains("Then you owe 50.00 EUR"));
    // Another member confirms for a guest.
    let guest = group.guest(0, "Mum").await;
    let to_guest = bob.post(&settlements, json!({ "toId": guest, "amount": 3 })).await.id();
    let asks = shown(carol, &format!("/settlements/{to_guest}")).await;
    assert!(asks.contains("data-ask=\"Then Mum owes 3.00 EUR. Confirm it anyway?\""), "{asks}");
}

#[tokio::test]
async fn members_of_one_name_are_told_apart() {
    let api = Api::new().await;
    let mut group = Group::of(&api, 1, "EUR").await;
    for (id, username) in [(11, None), (12, Some("alex_one")), (13, None)] {
        api.pass(Duration::from_secs(1));
        let username = username.map(str::to_owned);
        let user = User { username, ..api.user(id, "Alex").user };
        let init_data = telegram::sign(&user, api.app.bot_token.expose(), api.now());
        let alex = api.user(id, "Alex").with(Some(("authorization", format!("tma {init_data}"))));
        alex.post(&group.path("/join"), json!({})).await.data(200);
        group.members.push(alex);
    }
    let labels = ["Alex", "Alex @alex_one", "Alex (3)"];
    let expense = group.spend(1, json!({ "amount": 40 })).await;
    let expense = format!("/expenses/{}", expense["id"].as_str().unwrap());
    for rest in ["/expenses/new", "/balances", "/settle", "/members", "/expenses", &expense] {
        let path = format!("/screens/groups/{}{rest}", group.id);
        let html = group.members[0].get(&path).await.text.clone();
        for label in labels {
            // In the list of expenses, the filter has the members.
            let shown = [">", "\"", " "].iter().any(|end| html.contains(&format!("{label}{end}")));
            assert!(shown || html.contains(&format!("{label}<")), "{rest}: {label}: {html}");
        }
    }
    let plan = group.members[0].get(&format!("/screens/groups/{}/balances", group.id)).await;
    assert!(plan.text.contains("Alex (3) pays Alex"), "{}", plan.text);
    for (by, to) in [(0, "12"), (3, "1")] {
        let pay = json!({ "toId": to, "amount": 1 });
        group.members[by].post(&group.path("/settlements"), pay).await.data(201);
    }
    let latest = group.members[0].get("/screens/me").await.text.clone();
    for shown in ["You paid <bdi>Alex @alex_one</bdi>", "<bdi>Alex (3)</bdi> paid you"] {
        assert!(latest.contains(shown), "{shown}: {latest}");
    }
}

#[tokio::test]
async fn members_are_read_for_payments_that_the_reader_is_to_confirm() {
    let group = Group::of(&Api::embedded().await, 2, "EUR").await;
    let pay = json!({ "toId": "2", "amount": 5 });
    group.members[0].post(&group.path("/settlements"), pay).await.data(201);
    let start = async |by: usize| group.members[by].get("/screens").await.cost.requests;
    let [payer, recipient] = [start(0).await, start(1).await];
    assert!(payer < recipient, "{payer}, {recipient}");
}

#[tokio::test]
async fn the_chat_of_an_empty_group_moves_to_another_one() {
    let api = Api::new().await;
    let [alice, bob] = [(1, "Alice"), (2, "Bob")].map(|(id, name)| api.user(id, name));
    let open = async |by: &Caller| by.post("/api/groups/open", json!({})).await;
    let old = open(&alice.in_chat("5")).await.data(201)["id"].clone();
    let here = alice.in_chat("7");
    let new = open(&here).await.data(201)["id"].as_str().unwrap().to_owned();
    let moves = async |by: &Caller, rest: &str| {
        let shown = by.get(&format!("/screens/groups/{new}{rest}")).await;
        forms(&shown.text).into_iter().find(|it| it.action == "/api/groups/open")
    };
    for rest in ["", "/welcome", "/settings"] {
        let form = moves(&here, rest).await.unwrap();
        assert_eq!((&*form.method, &form.hidden), ("POST", &json!({ "groupId": old })), "{rest}");
        let (status, _) = probe(&here, &form.method, &form.action, &form.hidden).await;
        assert_eq!(status, 400, "it has an unknown field");
        // Another chat would be moved, or none.
        for elsewhere in [&alice, &alice.in_chat("5")] {
            assert_eq!(moves(elsewhere, rest).await, None, "{rest}");
        }
    }
    open(&bob.in_chat("7")).await.data(200);
    assert_eq!(moves(&here, "/settings").await, None, "another member would lose the group");
}

#[tokio::test]
async fn questions_of_an_archived_group_have_no_forms() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let choice = json!({ "type": "multiple_choice", "prompt": "Tea?", "options": ["Yes", "No"] });
    let mut asked = Vec::new();
    for body in [receipt(), text_for(["1", "2"]), choice] {
        asked.push(alice.post(&group.path("/questions"), body).await.id());
    }
    let claims = format!("/questions/{}/claims", asked[0]);
    bob.put(&group.path(&claims), json!({ "items": [{ "item": 0 }] })).await.data(200);
    let pages = async || {
        let mut pages = Vec::new();
        for (id, by) in asked.iter().flat_map(|id| [(id, alice), (id, bob)]) {
            pages.push(
                by.get(&format!("/screens/groups/{}/questions/{id}", group.id)).await.text.clone(),
            );
        }
        pages
    };
    assert!(pages().await.iter().all(|it| !forms(it).is_empty()));
    let archive = json!({ "archived": true });
    alice.call(Method::PATCH, &group.path(""), Some(&archive)).await.data(200);
    for page in pages().await {
        assert_eq!(forms(&page), [], "{page}");
        assert!(page.contains("This group is in the archive"), "{page}");
        assert!(!page.contains("data-share-link") && !page.contains("data-refresh"), "{page}");
    }
    let list = alice.get(&format!("/screens/groups/{}/questions", group.id)).await;
    assert!(!list.text.contains("/questions/new"), "{}", list.text);
}

#[tokio::test]
async fn the_invitation_is_a_qr_code_that_others_read() {
    let api = Api::new().await.named("a_bot_whose_name_has_32_characters");
    let group = Group::of(&api, 1, "EUR").await;
    let alice = &group.members[0];
    alice.post(&group.path("/invitation"), json!({})).await;
    let html = alice.get(&format!("/screens/groups/{}/members", group.id)).await.text.clone();
    let link =
        attribute(html.split("<button").find(|it| it.contains("data-copy")).unwrap(), "data-copy");
    let picture = html.split("<svg class=\"qr\"").nth(1).unwrap();
    let side = attribute(picture, "viewBox").unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    let path = attribute(picture.split("<path").last().unwrap(), "d").unwrap();
    let line = |it: &str| {
        let (at, length) = it.split_once('h').unwrap();
        let (x, y) = at.split_once(' ').unwrap();
        let y = y.strip_suffix(".5").unwrap();
        [x, y, length].map(|it| it.parse::<usize>().unwrap())
    };
    let lines: Vec<[usize; 3]> = path.split('M').skip(1).map(line).collect();
    let is_dark = |x: usize, y: usize| {
        lines.iter().any(|[from, at, length]| y == *at && (*from..from + length).contains(&x))
    };
    let scale = 3;
    let size: usize = side;
    let mut image =
        rqrr::PreparedImage::prepare_from_greyscale(size * scale, size * scale, |x, y| {
            if is_dark(x / scale, y / scale) { 0 } else { 255 }
        });
    let codes = image.detect_grids();
    assert_eq!(codes.len(), 1);
    let (_, read) = codes[0].decode().unwrap();
    assert_eq!(Some(&*read), link);
    assert!(
        read.starts_with("https://t.me/a_bot_whose_name_has_32_characters?startapp=g_"),
        "{read}"
    );
    assert!(picture.split("</svg>").next().unwrap().len() < 5_000, "{}", picture.len());
}
