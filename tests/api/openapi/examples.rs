//! The examples of the document, which are real responses.
//!
//! They are those of one story of the demo's users, in which all ids and times are fixed.
//! `UPDATE_FILES=1` writes them to the file from which the document is made.

use std::sync::atomic::{AtomicU8, Ordering};

use fracti_runtime::Random;

use super::*;

const EXAMPLES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/http/src/document/examples.json");

const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";

/// Texts of responses by operation and status.
type Texts = BTreeMap<String, BTreeMap<String, String>>;

/// Sends the requests of the story, and keeps the first successful response of each operation.
struct Story<'a> {
    document: &'a Document,
    texts: RefCell<Texts>,
}

impl Story<'_> {
    /// Sends a request, and returns the data of the response.
    async fn call(&self, by: &Caller, method: Method, path: &str, body: Value) -> Value {
        let body = (!body.is_null()).then_some(body);
        let reply = by.call(method.clone(), path, body.as_ref()).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
        self.document.check(&method, path, body.as_ref(), &reply);
        let path = path.split('?').next().unwrap();
        let mut operations = self.document.operations().into_iter();
        let (_, _, operation) =
            operations.find(|(template, its, _)| *its == method && fits(template, path)).unwrap();
        let id = operation["operationId"].as_str().unwrap().to_owned();
        let status = reply.status.as_str().to_owned();
        self.texts.borrow_mut().entry(id).or_insert([(status, reply.text.clone())].into());
        reply.body["data"].clone()
    }

    async fn get(&self, by: &Caller, path: &str) {
        self.call(by, Method::GET, path, Value::Null).await;
    }

    async fn post(&self, by: &Caller, path: &str, body: Value) -> Value {
        self.call(by, Method::POST, path, body).await
    }

    /// Creates a resource and returns its path.
    async fn make(&self, by: &Caller, path: &str, body: Value) -> String {
        let made = self.post(by, path, body).await;
        format!("{path}/{}", made["id"].as_str().unwrap())
    }

    /// A receipt that is claimed and applied, and a choice.
    async fn questions(&self, [alice, bob, carol]: [&Caller; 3], group: &str) {
        let at = |rest: &str| format!("{group}{rest}");
        let questions = at("/questions");
        let dinner = json!({ "type": "items", "prompt": "Who had what?", "receipt": {
            "description": "Luigi's", "category": "food", "date": "2026-01-15", "items": [
                { "name": "Wine", "amount": "15.50" }, { "name": "Pizza", "amount": "12.00" },
                { "name": "Salad", "quantity": 3, "amount": "7.20" },
                { "kind": "tax", "name": "Service", "amount": "3.45" },
            ] } });
        let dinner = self.make(alice, &questions, dinner).await;
        let claims = format!("{dinner}/claims");
        for (by, items) in [
            (alice, json!([{ "item": 0 }, { "item": 1 }])),
            (bob, json!([{ "item": 0 }, { "item": 2, "count": 2 }])),
        ] {
            self.call(by, Method::PUT, &claims, json!({ "items": items })).await;
        }
        self.get(bob, &dinner).await;
        self.get(carol, "/api/users/me/questions").await;
        let items = json!([{ "item": 0 }, { "item": 2, "count": 1 }]);
        self.call(carol, Method::PUT, &claims, json!({ "items": items })).await;
        self.post(alice, &format!("{dinner}/apply"), json!({})).await;
        let choice = json!({ "type": "multiple_choice", "prompt": "Pizza or sushi?",
            "options": ["Pizza", "Sushi"], "requiredResponses": 2 });
        let choice = self.make(alice, &questions, choice).await;
        let answer = json!({ "selectedOption": 0, "confidence": 4, "responseTimeMs": 5200 });
        self.post(bob, &format!("{choice}/answers"), answer).await;
        self.post(alice, &format!("{choice}/close"), Value::Null).await;
        self.get(alice, &questions).await;
        self.get(alice, &at("/leaderboard?limit=1")).await;
        for what in ["/answers", "/points"] {
            self.get(bob, &format!("/api/users/me{what}")).await;
        }
    }

    /// Cash of Bob, a bonus and a cash-out, which Alice confirms as the operator, and a payment.
    async fn funds(&self, [alice, bob]: [&Caller; 2], group: &str) {
        let me = |rest: &str| format!("/api/users/me/funds{rest}");
        let of_bob = |rest: &str| format!("/api/users/987654321/funds{rest}");
        let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 50 });
        let reported = self.make(bob, &me("/credits"), cash.clone()).await;
        let reported = reported.replace("credits", "transactions").replace("me", "987654321");
        self.post(alice, &format!("{reported}/capture"), json!({ "refId": "bank 4711" })).await;
        let bonus = json!({ "currency": "EUR", "amount": 5, "note": "Welcome",
            "expiresAt": "2026-12-01T00:00:00Z" });
        self.post(alice, &of_bob("/bonuses"), bonus).await;
        let debit = json!({ "type": "cashout", "currency": "EUR", "amount": 30,
            "to": "DE89 3704 0044 0532 0130 00" });
        let asked = self.make(bob, &me("/debits"), debit).await;
        self.get(alice, "/api/funds/work").await;
        let asked = asked.replace("debits", "transactions");
        self.get(bob, &asked).await;
        self.get(bob, &me("?detail=true")).await;
        self.post(alice, &format!("{}/void", asked.replace("me", "987654321")), json!({})).await;
        let pay =
            json!({ "toId": "123456789", "amount": 20, "currency": "EUR", "payFrom": "funds" });
        let paid = self.make(bob, &format!("{group}/settlements"), pay).await;
        self.call(alice, Method::PUT, &paid, json!({ "status": "completed" })).await;
        self.get(bob, &me("/transactions?limit=1")).await;
        let accepts = json!({ "currency": "EUR", "accepts": false });
        self.call(bob, Method::PUT, &me(""), accepts).await;
        self.post(bob, &me("/check"), json!({})).await;
        self.get(alice, "/api/funds/totals").await;
    }
}

/// A user with the username of the documentation.
fn user(api: &Api, id: u64, name: &str, username: &str) -> Caller {
    let mut caller = api.user(id, name);
    caller.user.username = Some(username.to_owned());
    let init_data = telegram::sign(&caller.user, TOKEN, api.now());
    caller.with(Some(("authorization", format!("tma {init_data}"))))
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn texts(document: &Document) -> Texts {
    let next = AtomicU8::new(0);
    let random = Random::of(move |bytes| bytes.fill(next.fetch_add(1, Ordering::SeqCst)));
    let api = Api::of(TOKEN, random).await;
    let alice = user(&api, 123_456_789, "Alice Smith", "alice");
    let bob = user(&api, 987_654_321, "Bob Jones", "bob");
    let carol = user(&api, 456_789_123, "Carol White", "carol");
    let story = Story { document, texts: RefCell::default() };
    let users = "/api/users/me";
    let none = Value::Null;
    // A group with members and guests.
    let new = json!({ "title": "Alps", "chatId": "-1001234567890", "currency": "EUR" });
    let group = story.make(&alice, "/api/groups", new).await;
    let at = |rest: &str| format!("{group}{rest}");
    let chat = alice.in_chat("-3788475317572404878");
    story.post(&chat, "/api/groups/open", json!({ "title": "Flat", "currency": "EUR" })).await;
    for member in [&bob, &carol] {
        story.post(member, &at("/join"), json!({})).await;
    }
    story.call(&bob, Method::PUT, &at("/wallet"), json!({ "wallet": WALLET })).await;
    let grandma = story.make(&alice, &at("/members"), json!({ "name": "Grandma" })).await;
    story.call(&alice, Method::PATCH, &grandma, json!({ "name": "Granny" })).await;
    story.call(&alice, Method::DELETE, &grandma, none.clone()).await;
    story.post(&alice, &format!("{grandma}/restore"), none.clone()).await;
    let caro = story.make(&alice, &at("/members"), json!({ "name": "Caro" })).await;
    let link = format!("{caro}/link");
    story.post(&alice, &link, json!({ "userId": "456789123" })).await;
    story.call(&alice, Method::DELETE, &link, none.clone()).await;
    story.post(&alice, &link, json!({ "userId": "456789123" })).await;
    story.post(&carol, &link, json!({ "userId": "456789123" })).await;
    story.call(&alice, Method::PATCH, &group, json!({ "title": "Alps 2026" })).await;
    story.get(&alice, &format!("{group}?include=past")).await;
    story.get(&alice, "/api/groups").await;

    // Expenses.
    let expenses = at("/expenses");
    let hut = json!({ "amount": "90.00", "description": "Hut", "category": "travel",
        "date": "2026-01-14",
        "splits": [{ "userId": "123456789" }, { "userId": "987654321" },
            { "userId": "456789123" }] });
    let start = alice.get(&at("/changes")).await.body["pagination"]["nextCursor"].clone();
    let hut = story.make(&alice, &expenses, hut).await;
    story.call(&alice, Method::PUT, &hut, json!({ "notes": "Two nights" })).await;
    story.get(&bob, &hut).await;
    story.get(&bob, &expenses).await;
    story.get(&bob, &format!("{hut}/breakdown")).await;
    story.get(&bob, &format!("{hut}/history")).await;
    let tea = json!({ "amount": 6, "description": "Tea", "category": "food",
        "splits": [{ "userId": "123456789" }, { "userId": "987654321" }] });
    let tea = story.make(&bob, &expenses, tea).await;
    story.call(&bob, Method::DELETE, &tea, none.clone()).await;
    story.post(&bob, &format!("{tea}/restore"), none.clone()).await;

    // Settlements.
    let pay = json!({ "toId": "123456789", "amount": "20.00" });
    let paid = story.make(&bob, &at("/settlements"), pay).await;
    story.get(&bob, &paid).await;
    story.get(&bob, &at("/settlements")).await;
    story.call(&alice, Method::PUT, &paid, json!({ "status": "completed" })).await;
    story.get(&alice, &at("/debts")).await;

    // The ledger.
    let entries = at("/ledger/entries");
    story.get(&alice, &at("/ledger/balance")).await;
    let opening = json!({ "entryId": "opening", "note": "From the old app", "changes": [
        { "userId": "123456789", "amount": 5 }, { "userId": "456789123", "amount": -5 }] });
    story.post(&alice, &entries, json!({ "entries": [opening] })).await;
    story.get(&alice, &format!("{entries}?userId=123456789&limit=2")).await;
    story.get(&alice, &format!("{entries}/opening")).await;
    story.get(&alice, &at("/ledger/days")).await;
    story.get(&alice, &at("/stats")).await;
    let after = start.as_str().unwrap();
    story.get(&alice, &at(&format!("/changes?after={after}&limit=2"))).await;
    story.get(&alice, &at("/export?limit=1")).await;
    let names = json!({ "entryIds": ["opening"] });
    story.call(&alice, Method::DELETE, &entries, names.clone()).await;
    story.post(&alice, &format!("{entries}/revert"), names).await;

    // An import.
    let file = splitwise(
        &["Alice Smith", "Erik"],
        &[("2026-01-10", "Taxi", "Taxi", "EUR", vec![1250, -1250])],
    );
    let import = at("/import");
    let members = json!({ "Alice Smith": "123456789", "Erik": "new guest" });
    let options = json!({ "commit": true, "members": members }).to_string();
    story.post(&alice, &import, json!({ "file": file })).await;
    let done = story.post(&alice, &import, json!({ "file": file, "options": options })).await;
    let import = format!("{import}/{}", done["importId"].as_str().unwrap());
    story.get(&alice, &import).await;
    story.get(&alice, &at("/imports")).await;
    story.call(&alice, Method::DELETE, &import, none.clone()).await;

    // A user alone.
    let spendings = format!("{users}/spendings");
    let coffee = json!({ "title": "Coffee", "emoji": "☕", "amount": 3.5, "currency": "EUR",
        "category": "food" });
    let coffee = story.make(&bob, &spendings, coffee).await;
    story.get(&bob, &spendings).await;
    story.get(&bob, &coffee).await;
    for path in ["/days?month=2026-01", "/days/2026-01-14"] {
        story.get(&bob, &format!("{users}{path}")).await;
    }
    story.post(&bob, &format!("{users}/days/rebuild?month=2026-01"), none.clone()).await;
    story.call(&bob, Method::PUT, &coffee, json!({ "amount": 4 })).await;
    story.call(&bob, Method::DELETE, &coffee, none.clone()).await;
    let targets = json!({ "version": 1, "currency": "EUR", "total": 900, "food": 300 });
    story.call(&bob, Method::PATCH, &format!("{users}/targets"), targets).await;
    let token = json!({ "name": "Phone shortcut", "scopes": ["write"] });
    let token = story.make(&bob, &format!("{users}/tokens"), token).await;
    story.get(&bob, &format!("{users}/with/123456789")).await;
    let lists = ["/groups", "/expenses", "/debts", "/settlements", "/activity", "/summary"];
    let messages = json!({ "minIntervalMinutes": 60, "topics": ["expenses", "settlements"],
        "quietHours": { "from": 22, "to": 8 }, "language": "en" });
    let subscription = format!("{users}/subscription");
    story.call(&bob, Method::PUT, &subscription, messages).await;
    story.get(&bob, &subscription).await;
    story.call(&bob, Method::DELETE, &subscription, Value::Null).await;
    for what in ["", "/usage", "/targets", "/tokens"].into_iter().chain(lists) {
        story.get(&bob, &format!("{users}{what}")).await;
    }
    story.call(&bob, Method::DELETE, &token, none.clone()).await;
    story.questions([&alice, &bob, &carol], &group).await;
    story.funds([&alice, &bob], &group).await;
    let dave = user(&api, 741_852_963, "Dave Brown", "dave");
    story.post(&dave, &at("/join"), json!({})).await;
    story.post(&dave, &at("/leave"), none.clone()).await;
    let flat = json!({ "title": "Flat", "chatId": -100_987_654_321_i64 });
    let flat = story.make(&dave, "/api/groups", flat).await;
    story.call(&dave, Method::DELETE, &flat, none.clone()).await;
    story.call(&bob, Method::DELETE, &at("/wallet"), none.clone()).await;
    story.post(&alice, &at("/invitation"), none.clone()).await;
    story.get(&bob, &at("/invitation")).await;
    story.call(&alice, Method::DELETE, &at("/invitation"), none.clone()).await;
    // A schedule.
    let rent = json!({ "expense": { "amount": "900.00", "description": "Rent", "category": "rent",
            "splitType": "shares",
                "splits": [{ "userId": "123456789", "weight": 2 },
                    { "userId": "987654321", "weight": 1 }] },
        "repeat": { "every": "month", "start": "2026-01-31", "timeZone": "Europe/Berlin" } });
    let rent = story.make(&alice, &at("/schedules"), rent).await;
    story.get(&bob, &at("/schedules")).await;
    story.get(&bob, &rent).await;
    story.call(&bob, Method::PUT, &rent, json!({ "expense": { "amount": 950 } })).await;
    story.call(&alice, Method::DELETE, &rent, none).await;
    for path in ["/api/health", "/api/currencies", "/api/categories"] {
        story.get(&alice, path).await;
    }
    let third = json!({ "amount": 100, "splits": [
        { "userId": "123456789" }, { "userId": "987654321" }, { "userId": "456789123" }] });
    story.post(&bob, &format!("{expenses}/preview"), third).await;
    story.post(&alice, &format!("{hut}/preview"), json!({ "amount": 200 })).await;
    story.texts.into_inner()
}

fn examples() -> Value {
    serde_json::from_str(&fs::read_to_string(EXAMPLES).unwrap()).unwrap()
}

#[tokio::test]
async fn examples_are_real_responses() {
    let texts = texts(&Document::served()).await;
    let by_status = |texts: &BTreeMap<String, String>| {
        let texts: Vec<_> = texts.iter().map(|(status, it)| format!("\"{status}\":{it}")).collect();
        texts.join(",")
    };
    let lines: Vec<_> =
        texts.iter().map(|(id, it)| format!("\"{id}\":{{{}}}", by_status(it))).collect();
    let file = format!("{{\n{}\n}}\n", lines.join(",\n"));
    assert_current(EXAMPLES, &file, "run with UPDATE_FILES=1, and update openapi.json then");
}

#[test]
fn every_operation_has_an_example_of_its_own() {
    let document = Document::served();
    for (path, method, operation) in document.operations() {
        // The document is not an example of itself.
        if path == "/api/openapi.json" {
            continue;
        }
        let responses = operation["responses"].as_object().unwrap().iter();
        let successes = responses.filter(|(status, _)| status.starts_with('2'));
        let contents = successes.map(|(_, response)| &response["content"]["application/json"]);
        let examples = contents.filter_map(|content| {
            let example = content.get("example")?;
            assert_eq!(document.misfits(&content["schema"], example), [""; 0], "{method} {path}");
            Some(example)
        });
        assert_eq!(examples.count(), 1, "{method} {path}");
    }
}

#[test]
fn responses_in_the_guide_are_the_examples() {
    let guide = include_str!("../../../docs/api.md");
    let examples = examples();
    let mut shown = Vec::new();
    for block in guide.split("<!-- the response of ").skip(1) {
        let (id, rest) = block.split_once(" -->").unwrap();
        let json = rest.split_once("```json\n").unwrap().1.split_once("```").unwrap().0;
        let json: Value = serde_json::from_str(json).unwrap();
        let responses = examples[id].as_object().unwrap();
        assert_eq!(json, responses.values().next().unwrap()["data"], "{id}");
        shown.push(id);
    }
    assert_eq!(
        shown,
        [
            "getGroup",
            "getExpense",
            "getDebts",
            "getLedgerBalance",
            "listMyActivity",
            "getShared",
            "listChanges",
        ]
    );
}
