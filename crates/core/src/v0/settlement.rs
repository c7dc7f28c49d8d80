//! v0 rows of settlements.

use super::{Anomaly, Members, Migrated, attributes::Attributes};
use crate::{
    group::Group,
    records::settlement::Settlement,
    storage::row::Item,
    values::{
        id::SettlementId, settlement_status::SettlementStatus, time::Timestamp, tx_hash::TxHash,
    },
};

/// Converts the v0 row of a settlement, recorded at `created_at`. Its amount is rounded to minor
/// units, and its `txHash` gets the canonical form if it is a complete hash.
///
/// # Errors
///
/// [`Anomaly`] if the row must stay as it is.
pub fn settlement(
    item: &Item,
    created_at: Timestamp,
    group: &Group,
    members: &Members,
) -> Result<Migrated<Settlement>, Anomaly> {
    let row = Attributes(item);
    let id: SettlementId = row.required("id")?;
    if id.created_at().is_some_and(|at| at != created_at) {
        return Err(Anomaly::IdTime);
    }
    let currency = row.currency(group)?;
    let amount = row.amount(currency)?;
    if amount.minor < 0 {
        return Err(Anomaly::NegativeAmount);
    }
    let mut named = members.named(created_at);
    let (from_user_id, from_user_name) = named.member(row, "fromUserId", "fromUserName")?;
    let (to_user_id, to_user_name) = named.member(row, "toUserId", "toUserName")?;
    if from_user_id == to_user_id {
        return Err(Anomaly::SameMember);
    }
    let status: SettlementStatus = row.required("status")?;
    let completed_at = (status == SettlementStatus::Completed)
        .then(|| row.parsed("completedAt").unwrap_or(created_at));
    let tx_hash = row.text("txHash");
    let tx_hash =
        tx_hash.map(|text| text.parse().unwrap_or_else(|_| TxHash::stored(text.to_owned())));
    let anomaly = tx_hash.as_ref().filter(|hash| !hash.is_whole()).map(|_| Anomaly::Hash);
    let settlement = Settlement {
        id,
        group_id: group.id,
        group_title: Some(group.title.to_string()),
        from_user_id,
        from_user_name,
        to_user_id,
        to_user_name,
        amount: amount.to_major(),
        currency,
        tx_hash,
        status,
        created_at,
        created_by: None,
        completed_at,
        import_id: None,
        funds: None,
        external: None,
        hold_until: None,
        expired: false,
        date: None,
        note: None,
        updated_at: None,
        reverted_at: None,
        reverted_by: None,
    };
    let always = [
        "id",
        "groupId",
        "fromUserId",
        "fromUserName",
        "toUserId",
        "toUserName",
        "amount",
        "currency",
        "status",
        "createdAt",
        "completedAt",
    ];
    let missing_members = named.missing_members;
    let anomalies = anomaly.into_iter().collect();
    Ok(Migrated { missing_members, anomalies, ..Migrated::of(item, settlement, &always)? })
}
