use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use fracti_texts::Language;

use super::*;
use crate::{
    caller::token::{Scope, TokenList},
    funds::{
        fund::{Bonus, FundFlow, Held, Parts},
        fund_queue::FundQueue,
        fund_transaction::{FundTransactionType, NewEntry},
        user_funds::Funds,
    },
    group::Member,
    ledger::{EntryStatus, Ledger},
    personal::summary::SummaryType,
    questions::{answer::Answerer, question::QuestionType, receipt::Claim},
    records::{
        group_change::{EntrySpan, Subject},
        import::{EntryPosition, Format, ImportStatus},
        schedule::{Repeat, RepeatUnit, SharedBy},
    },
    reports::tally::TallyCounters,
    storage::keys,
    values::{
        category::Category,
        entry_id::EntryId,
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, GroupId, GuestId, QuestionId, SettlementId, Subscriber, UserId},
        ref_id::{RefId, ReferenceUse},
        spending_id::SpendingId,
        tally_key::TallyKey,
        time::Timestamp,
        tx_hash::TxHash,
    },
};

/// The five examples of the data model, as v0 rows.
const SEED: &str = include_str!("../../../../tests/fixtures/seed.json");

fn seed(row: &str) -> Item {
    let rows: serde_json::Value = serde_json::from_str(SEED).unwrap();
    serde_dynamo::to_item(&rows[row]).unwrap()
}

/// A v0 row that is read and written again keeps each attribute and its value.
fn rewrites(name: &str, rewrite: impl Fn(Item) -> Item) {
    let row = seed(name);
    assert!(row.len() >= 8, "{name} has its attributes");
    let ours = rewrite(row.clone());
    for (attribute, value) in row {
        assert_eq!(ours.get(&attribute), Some(&value), "{name}: {attribute}");
    }
}

#[test]
fn the_seeds_rows_read_and_write_as_they_stand() {
    for kind in ["group", "member", "expense", "participant", "settlement"] {
        let row = ROWS.iter().find(|row| row.name == kind).unwrap();
        rewrites(kind, |item| row.rewrite(item).unwrap());
    }
}

fn text(value: &AttributeValue) -> &str {
    let AttributeValue::S(text) = value else { panic!("{value:?} is no text") };
    text
}

#[test]
fn an_expense_of_the_seed_has_the_participants_of_the_seed() {
    let expense: Expense = from_item(seed("expense")).unwrap();
    let with_title = Expense { group_title: Some("Roommates".to_owned()), ..expense };
    let participants = with_title.participants();
    assert_eq!(participants.len(), 3, "all but the payer");
    let ours = to_item(&participants[0]).unwrap();
    for (attribute, value) in seed("participant") {
        assert_eq!(ours.get(&attribute), Some(&value), "{attribute}");
    }
}

/// The files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_row_is_listed() {
    let mut kinds = BTreeSet::new();
    for file in files(concat!(env!("CARGO_MANIFEST_DIR"), "/src").as_ref()) {
        let source = fs::read_to_string(file).unwrap();
        // The rows of tests are not stored.
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
        let rows = source.split("const KIND: &'static str = \"").skip(1);
        kinds.extend(rows.map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    assert_eq!(kinds, ROWS.iter().map(|row| row.name.to_owned()).collect());
}

fn token(user_id: UserId, group: GroupId, at: Timestamp) -> Token {
    Token {
        user_id,
        id: "0190a1b2-0000-7000-8000-000000000002".parse().unwrap(),
        hash: "ab".repeat(32).parse().unwrap(),
        name: "Phone".parse().unwrap(),
        scopes: vec![Scope::Write],
        group_id: Some(group),
        created_at: at,
        expires_at: Some(at),
        last_used_at: Some(at.day()),
        user_name: "Alice".to_owned(),
        username: None,
        avatar_url: None,
        browser: false,
        ttl: Some(1_708_453_800),
    }
}

fn change(expense: &Expense, at: Timestamp) -> GroupChange {
    GroupChange {
        group_id: expense.group_id,
        number: 12,
        actor_id: "123456789".parse().unwrap(),
        at,
        entries: Some(EntrySpan { sequence: 9, count: 3 }),
        due_at: Some(at),
        told_to: None,
        shown: false,
        reminds: false,
        subject: Subject::edit(expense, expense),
    }
}

/// A monthly expense, whose next date is a 31st.
fn schedule(template: Expense, at: Timestamp) -> Schedule {
    let user = UserId::new(123_456_789).unwrap();
    let next = "2024-01-31".parse().unwrap();
    Schedule {
        id: "0190a1b2-0000-7000-8000-000000000005".parse().unwrap(),
        group_id: template.group_id,
        template,
        shared_by: Some(SharedBy::Default),
        repeat: Repeat {
            every: RepeatUnit::Month,
            interval: 1,
            start: next,
            until: None,
            count: Some(12),
            time_zone: "Europe/Berlin".parse().unwrap(),
        },
        skips: vec!["2024-02-29".parse().unwrap()],
        next_date: Some(next),
        paused: false,
        problem: None,
        last_date: None,
        last_expense_id: None,
        created_by: user,
        actor_id: user,
        agent_id: None,
        agent_name: None,
        created_at: at,
        updated_at: None,
        due_at: Some("2024-01-31T03:12:00.000Z".parse().unwrap()),
        version: 0,
    }
}

/// Rows of groups, by name.
#[expect(clippy::too_many_lines, reason = "a row each")]
fn rows_of_groups() -> Vec<(&'static str, Result<Item, Error>)> {
    let at: Timestamp = "2024-01-20T18:30:00.000Z".parse().unwrap();
    let group_id: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let user: UserId = "123456789".parse().unwrap();
    let expense: Expense = from_item(seed("expense")).unwrap();
    let paid = PaidExpense {
        paid_by: "987654321".parse().unwrap(),
        item_count: None,
        expense: expense.clone(),
    };
    let settlement: Settlement = from_item(seed("settlement")).unwrap();
    let applied = Entry {
        entry_id: expense.id.into(),
        group_id,
        sequence: 9,
        status: EntryStatus::Applied,
        other_sequence: None,
        ref_type: crate::ledger::RefType::Expense,
        ref_id: Some(expense.id.to_string()),
        ref_created_at: Some(expense.created_at),
        actor_id: user,
        note: None,
        linked_to: None,
        import_id: None,
        changes: Vec::new(),
        created_at: at,
        snapshot: None,
    };
    let adjusted = Entry { entry_id: "opening#1".parse().unwrap(), ..applied.clone() };
    let past = Entry { status: EntryStatus::Reverted, ..applied.clone() };
    let hash: TxHash = "A".repeat(64).parse().unwrap();
    let ledger = Ledger { last_event_at: Some(at), ..Ledger::default() };
    let used = UsedHash { tx_hash: hash, settlement_id: settlement.id, group_id };
    let request = IdempotencyRow {
        key: keys::idempotency(user, "create-expense", "00ff"),
        attempt: Some("00ff-1".to_owned()),
        request_hash: Some("ff".to_owned()),
        response: Some("{}".to_owned()),
        fence: false,
        created_at: at,
        ttl: 1_705_861_800,
    };
    let guest: GuestId = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    let link = Entry { entry_id: EntryId::Link(guest), linked_to: Some(user), ..applied.clone() };
    let grandma = Member::guest(&"Grandma".parse().unwrap(), user, at, [1; 10]);
    let grandma = MemberRow { group_id, member: Member { id: guest.into(), ..grandma } };
    let chat = ChatGroup { chat_id: "-3788475317572404878".parse().unwrap(), group_id };
    let of = TallyKey { date: at.day(), category: Some(Category::Food.into()) };
    let tally = TallyRow { group_id, of, updated_at: at, counters: TallyCounters::default() };
    let import = ImportRow {
        id: "0190a1b2-0000-8000-8000-000000000003".parse().unwrap(),
        group_id,
        format: Format::SplitwiseCsv,
        source: None,
        status: ImportStatus::Done,
        run: 1,
        created_by: user,
        expenses: 2,
        settlements: 1,
        adjustments: 1,
        first_adjustment: Some(EntryPosition { sequence: 9, created_at: at }),
        members: 0,
        created_at: at,
        updated_at: at,
        recorded_until: Some(at),
    };
    let deleted = DeletedExpense {
        group_id,
        id: expense.id,
        sequence: 3,
        deleted_by: UserId::new(123_456_789).unwrap(),
        deleted_at: at,
    };
    let imported = ImportedSettlement { settlement_id: settlement.id, group_id };
    vec![
        ("group", to_item(&from_item::<Group>(seed("group")).unwrap())),
        ("chat group", to_item(&chat)),
        ("member", to_item(&from_item::<MemberRow>(seed("member")).unwrap())),
        ("guest", to_item(&grandma)),
        ("expense", to_item(&expense)),
        ("participant", to_item(&expense.participants()[0])),
        ("payer", to_item(&paid)),
        ("deleted expense", to_item(&deleted)),
        ("schedule", to_item(&schedule(expense.clone(), at))),
        ("settlement", to_item(&settlement)),
        ("import", to_item(&import)),
        ("imported settlement", to_item(&imported)),
        ("balance", to_item(&Balance { group_id, ledger: ledger.clone() })),
        ("closing", to_item(&Closing { group_id, day: at.day(), ledger: ledger.clone() })),
        ("checkpoint", to_item(&Checkpoint { group_id, at, ledger })),
        ("change", to_item(&change(&expense, at))),
        ("tally", to_item(&tally)),
        ("entry", to_item(&applied)),
        ("past entry", to_item(&past)),
        ("adjustment", to_item(&adjusted)),
        ("link", to_item(&link)),
        ("used hash", to_item(&used)),
        (
            "aside",
            AsideRow::of(group_id, "TX#x", &Item::new(), "x", at).and_then(|it| to_item(&it)),
        ),
        ("idempotency", to_item(&request)),
    ]
}

/// Rows of a question, by name.
fn rows_of_questions() -> Vec<(&'static str, Result<Item, Error>)> {
    let at: Timestamp = "2026-11-20T18:00:00.000Z".parse().unwrap();
    let group_id: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let user: UserId = "123456789".parse().unwrap();
    let id: QuestionId = "0190a1b2-0000-7000-8000-000000000004".parse().unwrap();
    let question = Question {
        id,
        group_id,
        question_type: QuestionType::MultipleChoice,
        prompt: "Pizza or sushi?".to_owned(),
        options: vec!["Pizza".parse().unwrap(), "Sushi".parse().unwrap()],
        category: Some(Category::Food),
        audience: Some([user.into()].into()),
        anonymous: false,
        required_responses: 1,
        answered: [(user.into(), 1)].into(),
        asked_by: user,
        asked_by_name: "Alice".to_owned(),
        agent_id: Some("0190a1b2-0000-7000-8000-000000000002".parse().unwrap()),
        agent_name: Some("Phone".parse().unwrap()),
        created_at: at,
        expires_at: at.plus_seconds(3600),
        closed_at: None,
        expense_id: None,
        receipt: None,
        version: 2,
        ttl: 1_700_000_000,
    };
    let closed = question.closed(None, at);
    let details = QuestionDetails { question_id: id, prompt: None, receipt: None, ttl: 1 };
    let answer = Answer {
        question_id: id,
        group_id,
        question_type: QuestionType::Items,
        prompt: question.prompt.clone(),
        by: Answerer::Named {
            member_id: user.into(),
            member_name: "Alice".to_owned(),
            answered_by: user,
        },
        answer: None,
        selected_option: None,
        claims: Some(vec![Claim { item: 0, count: Some("1.5".parse().unwrap()) }]),
        confidence: Some(4),
        response_time_ms: Some(5_200),
        created_at: at,
        updated_at: None,
        ttl: 1_700_000_000,
    };
    let id = "0190a1b2-0000-8000-8000-000000000005".parse().unwrap();
    let anonymous = Answer { by: Answerer::Anonymous { id }, ..answer.clone() };
    let points = Points::none(group_id, user, at).answered(&question, at.day(), at);
    vec![
        ("question", to_item(&question)),
        ("closed question", to_item(&closed)),
        ("question details", to_item(&details)),
        ("answer", to_item(&answer)),
        ("anonymous answer", to_item(&anonymous)),
        ("points", to_item(&points)),
    ]
}

/// Rows that belong to a user alone, by name.
fn rows_of_users() -> Vec<(&'static str, Result<Item, Error>)> {
    let user: UserId = "123456789".parse().unwrap();
    let at: Timestamp = "2026-11-20T08:15:00.000Z".parse().unwrap();
    let spending = Spending {
        user_id: user,
        id: SpendingId::new(at, [0xab; 10]),
        title: "Coffee".to_owned(),
        emoji: None,
        amount: "3.5".parse().unwrap(),
        currency: "EUR".parse().unwrap(),
        categories: [("food".parse().unwrap(), "3.5".parse().unwrap())].into(),
        notes: None,
        user_date: at.day(),
        spent_at: at,
        created_at: at,
        updated_at: None,
    };
    let summary = DaySummary {
        user_id: user,
        date: at.day(),
        row_type: SummaryType::DaySummary,
        version: Some(1),
        updated_at: Some(at),
        counters: spending.counters().unwrap(),
    };
    let day = "2024-01-20".parse().unwrap();
    let group: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let created_at: Timestamp = "2024-01-20T18:30:00.000Z".parse().unwrap();
    let subscription =
        |of| Subscription::new(of, 123_456_789, Language::Russian, created_at).changed();
    let waiting = Subscription { greet: true, ..subscription(Subscriber::User(user)) }.changed();
    vec![
        ("subscription", to_item(&waiting)),
        ("subscription of a chat", to_item(&subscription(Subscriber::Group(group)))),
        ("spending", to_item(&spending)),
        ("day summary", to_item(&summary)),
        ("targets", to_item(&Targets::none(user))),
        ("usage", to_item(&Usage::none(user, day))),
        ("token", to_item(&token(user, group, created_at))),
        ("token list", to_item(&TokenList { user_id: user, version: 1 })),
    ]
}

/// Rows of funds, by name.
fn rows_of_funds() -> Vec<(&'static str, Result<Item, Error>)> {
    let user: UserId = "123456789".parse().unwrap();
    let at: Timestamp = "2026-11-24T10:00:00.000Z".parse().unwrap();
    let currency = "EUR".parse().unwrap();
    let [given, hold] = [1, 2].map(|number| FundTransactionId::new(at, [number; 10]));
    let mut funds = Funds::new(user, []);
    let bonuses = [(given, 500)].into();
    let parts = Parts { cash: 5_000, credit: 1_000, bonuses };
    let entry =
        |id, kind, flow, parts| NewEntry { id, kind, flow, currency, parts, actor: user, now: at };
    let entered = entry(given, FundTransactionType::Bonus, FundFlow::Credit, parts.clone());
    let entered = funds.enter(entered);
    funds.apply(&entered, at).unwrap();
    let note = Some("Welcome".parse().unwrap());
    let bonus =
        Bonus { awarded: 500, given_by: user, note, usage: [(hold, 1)].into(), used_earlier: 2 };
    funds.give(&entered, bonus, at);
    let paid = entry(hold, FundTransactionType::Settlement, FundFlow::Debit, parts);
    let paid = funds.enter(paid);
    funds.authorise(&paid).unwrap();
    funds.accept(currency, true, at);
    let held = FundTransaction { status: FundStatus::Held, ..paid.clone() };
    let of = Held { from_user_id: user, settlement_id: SettlementId::new(at, [3; 10]) };
    funds.hold(&held, of, at, at);
    let cashout = entry(hold, FundTransactionType::Cashout, FundFlow::Debit, Parts::cash(1));
    let cashout = FundTransaction {
        to: Some("DE89 3704".parse().unwrap()),
        waits_behind: Some(1),
        ..funds.enter(cashout)
    };
    let fund = |key| to_item(funds.get(key).unwrap());
    let ref_id: RefId = "bank 4711".parse().unwrap();
    let of = ReferenceUse::Payment;
    let reference = FundReference { ref_id, transaction_id: hold, owner: user, of };
    let correction = FundReference { of: ReferenceUse::Correction, ..reference.clone() };
    let queue = FundQueue { waiting: [hold].into(), version: 1, ..FundQueue::none(user) };
    vec![
        ("cash", fund(FundKey::Cash(currency))),
        ("credit", fund(FundKey::Credit(currency))),
        ("bonus", fund(FundKey::Bonus(given))),
        ("held cash", fund(FundKey::Held(hold))),
        ("held transaction", to_item(&paid.until(at))),
        ("cash-out", to_item(&cashout)),
        ("total", to_item(&FundTotal { topped_up: 1, ..FundTotal::none(currency) })),
        ("fund reference", to_item(&reference)),
        ("reference of a mistake", to_item(&correction)),
        ("fund queue", to_item(&queue)),
    ]
}

#[test]
fn keys_are_stable() {
    let users = rows_of_users().into_iter().chain(rows_of_funds());
    let rows = rows_of_groups().into_iter().chain(rows_of_questions()).chain(users);
    let mut unseen: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    let lines: Vec<String> = rows
        .map(|(name, row)| {
            let row = row.unwrap();
            let kind = RowKind::find(&row).unwrap();
            unseen.remove(kind.name);
            assert_eq!(kind.rewrite(row.clone()).unwrap(), row, "{name}");
            let index = |index: &str| {
                let [pk, sk] = ["PK", "SK"].map(|key| row.get(&format!("{index}{key}")));
                Some((text(pk?), text(sk?)))
            };
            let (pk, sk) = index("").unwrap();
            let indexes = ["GSI1", "GSI2", "GSI3"].map(|name| {
                index(name).map(|(pk, sk)| format!(" | {name} {pk} / {sk}")).unwrap_or_default()
            });
            format!("{name}: {pk} / {sk}{}", indexes.concat())
        })
        .collect();
    assert!(unseen.is_empty(), "no example of {unseen:?}");
    insta::assert_snapshot!(lines.join("\n"), @r"
    group: GROUP#550e8400-e29b-41d4-a716-446655440000 / METADATA
    chat group: CHAT#-3788475317572404878 / GROUP
    member: GROUP#550e8400-e29b-41d4-a716-446655440000 / USER#123456789 | GSI1 USER#123456789 / GROUP#550e8400-e29b-41d4-a716-446655440000
    guest: GROUP#550e8400-e29b-41d4-a716-446655440000 / USER#guest-0190a1b2-0000-7000-8000-000000000001 | GSI1 USER#guest-0190a1b2-0000-7000-8000-000000000001 / GROUP#550e8400-e29b-41d4-a716-446655440000
    expense: GROUP#550e8400-e29b-41d4-a716-446655440000 / TX#2024-01-20T18:30:00.000Z | GSI1 DATES#550e8400-e29b-41d4-a716-446655440000 / 2024-01-20#2024-01-20T18:30:00.000Z | GSI2 EXPENSE#660e8400-e29b-41d4-a716-446655440001 / 550e8400-e29b-41d4-a716-446655440000 | GSI3 USER#123456789 / TX#2024-01-20T18:30:00.000Z
    participant: GROUP#550e8400-e29b-41d4-a716-446655440000 / PART#660e8400-e29b-41d4-a716-446655440001#987654321 | GSI1 USER#987654321 / OWES#2024-01-20T18:30:00.000Z
    payer: GROUP#550e8400-e29b-41d4-a716-446655440000 / PAID#660e8400-e29b-41d4-a716-446655440001#987654321 | GSI1 USER#987654321 / PAID#2024-01-20T18:30:00.000Z
    deleted expense: GROUP#550e8400-e29b-41d4-a716-446655440000 / DELETED#2024-01-20T18:30:00.000Z#660e8400-e29b-41d4-a716-446655440001
    schedule: GROUP#550e8400-e29b-41d4-a716-446655440000 / SCHEDULE#0190a1b2-0000-7000-8000-000000000005 | GSI3 DUE#MONEY / 2024-01-31T03:12:00.000Z#0190a1b2-0000-7000-8000-000000000005
    settlement: GROUP#550e8400-e29b-41d4-a716-446655440000 / SETTLE#2024-01-21T10:00:00.000Z | GSI1 USER#123456789 / RECV#2024-01-21T10:00:00.000Z | GSI2 SETTLEMENT#770e8400-e29b-41d4-a716-446655440002 / 550e8400-e29b-41d4-a716-446655440000 | GSI3 USER#987654321 / SETTLE#2024-01-21T10:00:00.000Z
    import: GROUP#550e8400-e29b-41d4-a716-446655440000 / IMPORT#0190a1b2-0000-8000-8000-000000000003
    imported settlement: GROUP#550e8400-e29b-41d4-a716-446655440000 / IMPORTED#770e8400-e29b-41d4-a716-446655440002
    balance: LEDGER#550e8400-e29b-41d4-a716-446655440000 / BALANCE
    closing: LEDGER#550e8400-e29b-41d4-a716-446655440000 / DAY#2024-01-20
    checkpoint: LEDGER#550e8400-e29b-41d4-a716-446655440000 / CHECKPOINT#2024-01-20T18:30:00.000Z
    change: LEDGER#550e8400-e29b-41d4-a716-446655440000 / CHANGE#00000000000000000012 | GSI3 DUE#TELL / 2024-01-20T18:30:00.000Z#550e8400-e29b-41d4-a716-446655440000#00000000000000000012
    tally: LEDGER#550e8400-e29b-41d4-a716-446655440000 / SPENT#2024-01-20#food
    entry: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#660e8400-e29b-41d4-a716-446655440001 / ~ | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRIES / 2024-01-20T18:30:00.000Z#00000000000000000009
    past entry: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#660e8400-e29b-41d4-a716-446655440001 / HISTORY#00000000000000000009 | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRIES / 2024-01-20T18:30:00.000Z#00000000000000000009
    adjustment: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#3beedc85d331983de0eee1999f0302d162bd27a64147639f0b75db5154415562 / ~ | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRIES / 2024-01-20T18:30:00.000Z#00000000000000000009
    link: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#link:guest-0190a1b2-0000-7000-8000-000000000001 / ~ | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRIES / 2024-01-20T18:30:00.000Z#00000000000000000009
    used hash: TXHASH#aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa / SETTLEMENT
    aside: ASIDE#550e8400-e29b-41d4-a716-446655440000 / 2024-01-20T18:30:00.000Z#TX#x
    idempotency: IDEM#123456789 / create-expense#00ff
    question: GROUP#550e8400-e29b-41d4-a716-446655440000 / QUESTION#0190a1b2-0000-7000-8000-000000000004 | GSI1 OPEN#550e8400-e29b-41d4-a716-446655440000 / 2026-11-20T19:00:00.000Z#0190a1b2-0000-7000-8000-000000000004 | GSI3 ASKED#123456789 / 2026-11-20T18:00:00.000Z#0190a1b2-0000-7000-8000-000000000004
    closed question: GROUP#550e8400-e29b-41d4-a716-446655440000 / QUESTION#0190a1b2-0000-7000-8000-000000000004 | GSI3 ASKED#123456789 / 2026-11-20T18:00:00.000Z#0190a1b2-0000-7000-8000-000000000004
    question details: QUESTION#0190a1b2-0000-7000-8000-000000000004 / DETAILS
    answer: QUESTION#0190a1b2-0000-7000-8000-000000000004 / ANSWER#123456789 | GSI1 USER#123456789 / ANSWER#2026-11-20T18:00:00.000Z#0190a1b2-0000-7000-8000-000000000004
    anonymous answer: QUESTION#0190a1b2-0000-7000-8000-000000000004 / ANSWER#0190a1b2-0000-8000-8000-000000000005
    points: GROUP#550e8400-e29b-41d4-a716-446655440000 / POINTS#123456789 | GSI1 USER#123456789 / POINTS#550e8400-e29b-41d4-a716-446655440000
    subscription: SUBSCRIPTION#123456789 / METADATA | GSI3 DUE#NOTIFY / 2024-01-20T18:30:00.000Z#123456789
    subscription of a chat: SUBSCRIPTION#550e8400-e29b-41d4-a716-446655440000 / METADATA
    spending: USER#123456789 / SPEND#2026-11-20T08:15:00.000Z#abababababababababab
    day summary: USER#123456789 / SUMMARY#2026-11-20
    targets: USER#123456789 / CONFIG#TARGETS
    usage: USER#123456789 / USAGE#2024-01-20
    token: USER#123456789 / PAT#0190a1b2-0000-7000-8000-000000000002 | GSI1 PATHASH#abababababababababababababababababababababababababababababababab / METADATA
    token list: USER#123456789 / TOKENS
    cash: USER#123456789 / FUND#CASH#EUR
    credit: USER#123456789 / FUND#CREDIT#EUR
    bonus: USER#123456789 / FUND#BONUS#01a20cff-7d00-7101-8101-010101010101 | GSI3 DUE#MONEY / 2026-11-24T10:00:00.000Z#01a20cff-7d00-7101-8101-010101010101
    held cash: USER#123456789 / FUND#HELD#01a20cff-7d00-7202-8202-020202020202 | GSI3 DUE#MONEY / 2026-11-24T10:00:00.000Z#01a20cff-7d00-7202-8202-020202020202
    held transaction: USER#123456789 / FTX#01a20cff-7d00-7202-8202-020202020202 | GSI3 DUE#MONEY / 2026-11-24T10:00:00.000Z#01a20cff-7d00-7202-8202-020202020202
    cash-out: USER#123456789 / FTX#01a20cff-7d00-7202-8202-020202020202 | GSI1 WORK#CASHOUT / 1#2026-11-24T10:00:00.000Z#01a20cff-7d00-7202-8202-020202020202
    total: FUNDS / TOTAL#EUR
    fund reference: FREF#765c5e7c4184e7419df3985ac631e03c8d10463f1a7adc78c407667f6a758f60 / FTX
    reference of a mistake: FREF#765c5e7c4184e7419df3985ac631e03c8d10463f1a7adc78c407667f6a758f60 / CORRECTION
    fund queue: USER#123456789 / FUNDQUEUE
    ");
}
