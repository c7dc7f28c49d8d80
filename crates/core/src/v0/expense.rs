//! v0 rows of expenses.

use super::{
    Anomaly, Members, Migrated,
    attributes::Attributes,
    shares::{Shares, V0Share},
};
use crate::{
    group::Group,
    records::expense::Expense,
    storage::row::Item,
    values::{
        category::Category,
        id::ExpenseId,
        text::{Description, Notes},
        time::Timestamp,
    },
};

/// Description of an expense that has none.
const DESCRIPTION: &str = "Expense";

/// Converts the v0 row of an expense, recorded at `created_at`.
///
/// Amounts are rounded to minor units. Shares that do not sum to the amount then are computed
/// again: equally, by the percentages, or in proportion to the shares. An unknown way to split
/// becomes `exact`, and an unknown category `other`. If a description is too long, it is shortened,
/// and the whole text is added to the notes.
///
/// # Errors
///
/// [`Anomaly`] if the row must stay as it is.
pub fn expense(
    item: &Item,
    created_at: Timestamp,
    group: &Group,
    members: &Members,
) -> Result<Migrated<Expense>, Anomaly> {
    let row = Attributes(item);
    let id: ExpenseId = row.required("id")?;
    if id.created_at().is_some_and(|at| at != created_at) {
        return Err(Anomaly::IdTime);
    }
    let currency = row.currency(group)?;
    let amount = row.amount(currency)?;
    let mut named = members.named(created_at);
    let (payer_id, payer_name) = named.member(row, "payerId", "payerName")?;
    let mut shares = Vec::new();
    for share in row.list("splits").ok_or_else(|| Anomaly::Unreadable("splits".to_owned()))? {
        let (user_id, user_name) = named.member(share, "userId", "userName")?;
        let [amount, percentage] = ["amount", "percentage"].map(|name| share.number(name));
        shares.push(V0Share { user_id, user_name, amount, percentage });
    }
    let split_type = row.parsed("splitType");
    let Shares { split_type, splits } = Shares::of(split_type, shares, amount, id)?;
    let category = row.text("category");
    let (description, notes) = description(row.text("description"));
    let expense = Expense {
        id,
        group_id: group.id,
        group_title: Some(group.title.to_string()),
        payer_id,
        payer_name,
        payers: Vec::new(),
        amount: amount.to_major(),
        currency,
        description,
        split_type,
        splits,
        items: None,
        category: category
            .map(|text| text.to_lowercase().parse().unwrap_or(Category::Other).into()),
        date: Some(row.parsed("date").unwrap_or_else(|| created_at.day())),
        notes,
        created_at,
        created_by: row.parsed("createdBy"),
        updated_at: row.parsed("updatedAt"),
        import_id: None,
        schedule_id: None,
    };
    let always = [
        "id",
        "groupId",
        "payerId",
        "payerName",
        "amount",
        "currency",
        "description",
        "splitType",
        "splits",
        "createdAt",
    ];
    let missing_members = named.missing_members;
    Ok(Migrated { missing_members, ..Migrated::of(item, expense, &always)? })
}

/// The description, and the whole text as notes if it is longer than a description may be.
fn description(text: Option<&str>) -> (String, Option<String>) {
    let text = text.unwrap_or(DESCRIPTION);
    let first = |length: usize| -> String { text.chars().take(length).collect() };
    if text.chars().count() <= Description::MAX_LENGTH {
        return (text.to_owned(), None);
    }
    let short = format!("{}…", first(Description::MAX_LENGTH.saturating_sub(1)));
    (short, Some(first(Notes::MAX_LENGTH)))
}
