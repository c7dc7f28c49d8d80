use super::*;
use crate::{
    group::{Group, Member},
    row::{Item, from_item, to_item},
};

/// The five examples of the seed, as they stand there.
const SEED: &str = include_str!("../../../../tests/fixtures/seed.json");

fn seed(row: &str) -> Item {
    let rows: serde_json::Value = serde_json::from_str(SEED).unwrap();
    serde_dynamo::to_item(&rows[row]).unwrap()
}

/// What we write for a row of the seed has each of its attributes, with its value.
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
    rewrites("group", |row| {
        let entity: Group = from_item(row).unwrap();
        to_item(&group(entity.id).into(), &entity).unwrap()
    });
    rewrites("member", |row| {
        let group = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
        let entity: Member = from_item(row).unwrap();
        to_item(&member_row(group, entity.id), &entity).unwrap()
    });
    rewrites("expense", |row| {
        let entity: Expense = from_item(row).unwrap();
        to_item(&expense_row(&entity), &entity).unwrap()
    });
    rewrites("participant", |row| {
        let entity: Participant = from_item(row).unwrap();
        to_item(&participant_row(&entity), &entity).unwrap()
    });
    rewrites("settlement", |row| {
        let entity: Settlement = from_item(row).unwrap();
        to_item(&settlement_row(&entity), &entity).unwrap()
    });
}

#[test]
fn an_expense_of_the_seed_has_the_participants_of_the_seed() {
    let expense: Expense = from_item(seed("expense")).unwrap();
    let with_title = Expense { group_title: Some("Roommates".to_owned()), ..expense };
    let participants = with_title.participants();
    assert_eq!(participants.len(), 3, "all but the payer");
    let ours = to_item(&participant_row(&participants[0]), &participants[0]).unwrap();
    for (attribute, value) in seed("participant") {
        assert_eq!(ours.get(&attribute), Some(&value), "{attribute}");
    }
}

#[test]
fn keys_are_stable() {
    let at: Timestamp = "2024-01-20T18:30:00.000Z".parse().unwrap();
    let group_id: GroupId = "550e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let user: UserId = "123456789".parse().unwrap();
    let expense: Expense = from_item(seed("expense")).unwrap();
    let settlement: Settlement = from_item(seed("settlement")).unwrap();
    let applied = Entry {
        entry_id: expense.id.into(),
        group_id,
        sequence: 9,
        status: EntryStatus::Applied,
        other_sequence: None,
        ref_type: crate::ledger::RefType::Expense,
        ref_id: Some(expense.id.to_string()),
        actor_id: user,
        note: None,
        changes: Vec::new(),
        created_at: at,
        snapshot: None,
    };
    let adjusted = Entry { entry_id: "opening#1".parse().unwrap(), ..applied.clone() };
    let past = Entry { status: EntryStatus::Reverted, ..applied.clone() };
    let hash: TxHash = "A".repeat(64).parse().unwrap();
    let rows: [(&str, Keys); 12] = [
        ("group", group(group_id).into()),
        ("member", member_row(group_id, user)),
        ("expense", expense_row(&expense)),
        ("participant", participant_row(&expense.participants()[0])),
        ("settlement", settlement_row(&settlement)),
        ("balance", balance(group_id).into()),
        ("closing", closing(group_id, at.day()).into()),
        ("entry", entry_row(&applied)),
        ("past entry", entry_row(&past)),
        ("adjustment", entry_row(&adjusted)),
        ("used hash", tx_hash(&hash).into()),
        ("idempotency", idempotency(user, "create-expense", "00ff").into()),
    ];
    let lines: Vec<String> = rows
        .iter()
        .map(|(name, Keys { primary, gsi1, gsi2, gsi3 })| {
            let index = |name: &str, index: &Option<Index>| {
                index
                    .as_ref()
                    .map(|it| format!(" | {name} {} / {}", it.pk, it.sk))
                    .unwrap_or_default()
            };
            let (gsi1, gsi2, gsi3) =
                (index("GSI1", gsi1), index("GSI2", gsi2), index("GSI3", gsi3));
            format!("{name}: {} / {}{gsi1}{gsi2}{gsi3}", primary.pk, primary.sk)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    group: GROUP#550e8400-e29b-41d4-a716-446655440000 / METADATA
    member: GROUP#550e8400-e29b-41d4-a716-446655440000 / USER#123456789 | GSI1 USER#123456789 / GROUP#550e8400-e29b-41d4-a716-446655440000
    expense: GROUP#550e8400-e29b-41d4-a716-446655440000 / TX#2024-01-20T18:30:00.000Z | GSI2 EXPENSE#660e8400-e29b-41d4-a716-446655440001 / 550e8400-e29b-41d4-a716-446655440000 | GSI3 USER#123456789 / TX#2024-01-20T18:30:00.000Z
    participant: GROUP#550e8400-e29b-41d4-a716-446655440000 / PART#660e8400-e29b-41d4-a716-446655440001#987654321 | GSI1 USER#987654321 / OWES#2024-01-20T18:30:00.000Z
    settlement: GROUP#550e8400-e29b-41d4-a716-446655440000 / SETTLE#2024-01-21T10:00:00.000Z | GSI1 USER#123456789 / RECV#2024-01-21T10:00:00.000Z | GSI2 SETTLEMENT#770e8400-e29b-41d4-a716-446655440002 / 550e8400-e29b-41d4-a716-446655440000 | GSI3 USER#987654321 / SETTLE#2024-01-21T10:00:00.000Z
    balance: LEDGER#550e8400-e29b-41d4-a716-446655440000 / BALANCE
    closing: LEDGER#550e8400-e29b-41d4-a716-446655440000 / DAY#2024-01-20
    entry: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#660e8400-e29b-41d4-a716-446655440001 / ~ | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#2024-01-20 / 2024-01-20T18:30:00.000Z#00000000000000000009
    past entry: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#660e8400-e29b-41d4-a716-446655440001 / HISTORY#00000000000000000009 | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#2024-01-20 / 2024-01-20T18:30:00.000Z#00000000000000000009
    adjustment: LEDGER#550e8400-e29b-41d4-a716-446655440000#ENTRY#3beedc85d331983de0eee1999f0302d162bd27a64147639f0b75db5154415562 / ~ | GSI1 LEDGER#550e8400-e29b-41d4-a716-446655440000#2024-01-20 / 2024-01-20T18:30:00.000Z#00000000000000000009
    used hash: TXHASH#aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa / SETTLEMENT
    idempotency: IDEM#123456789 / create-expense#00ff
    ");
}
