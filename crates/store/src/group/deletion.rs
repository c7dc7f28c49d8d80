//! Deleting a group, for which its creator is the last user in it, and the rows of a deleted one, for
//! the operators' tool.

use fracti_core::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{ChatGroup, Group, Member, MemberKey},
    input::Error,
    records::group_change::{ChangeKind, Subject},
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{GroupId, QuestionId},
        time::Timestamp,
    },
};

use crate::{
    dynamo::{Order, Page, Range},
    group::{
        presence::{attributes, change_member},
        settings::unchanged,
    },
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Rows that are read and deleted at once.
const AT_ONCE: usize = 50;

impl Table {
    /// Deletes a group: it is archived for good, and its creator, who is the last user in it, leaves.
    /// It cannot be joined again.
    ///
    /// # Errors
    ///
    /// [`Error::NotCreator`]; [`Error::NotAlone`]; [`Error::OpenBalances`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn delete_group(
        &self,
        member_key: MemberKey,
        idempotency: &Idempotency<GroupId>,
    ) -> Result<Outcome<GroupId>, Error> {
        let MemberKey { group: id, user } = member_key;
        self.write_to_group(id, idempotency, || async {
            // The ledger first: it changes with every member who comes after the others were read.
            let ledger = self.ledger(id).await?;
            let everyone = Condition::default();
            let (group, members) =
                tokio::try_join!(self.group_row(id), self.members(id, &everyone))?;
            let caller = members.iter().find(|member| member.id == user);
            let caller = caller.ok_or(Error::NotMember)?.clone();
            if let Err(error) = caller.check_present() {
                // A stored response is that of the creator, who left with the deletion.
                let unless = group.deleted_at.map(|_| id);
                return Ok(Decision::Refuse { unless, error });
            }
            if !group.is_created_by(&caller) {
                return Err(Error::NotCreator.into());
            }
            ledger.state.check_present(user)?;
            let is_other = |it: &Member| it.is_present() && it.id.user().is_some() && it.id != user;
            if ledger.state.of(&members).iter().any(is_other) {
                return Err(Error::NotAlone.into());
            }
            let now = idempotency.now();
            let mut transaction = LedgerTransaction::unchecked(member_key, ledger, now);
            self.count_pending(&mut transaction).await?;
            let unsettled = transaction.ledger().all_unsettled();
            if !unsettled.is_empty() {
                return Err(Error::OpenBalances(unsettled).into());
            }
            deletion(transaction, &group, &caller)?.commit(id)
        })
        .await
    }

    /// Time of the deletion of a group; `None` if it is not deleted.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`].
    pub async fn deletion_of(&self, group: GroupId) -> Result<Option<Timestamp>, Error> {
        Ok(self.group_row(group).await?.deleted_at)
    }

    /// Deletes some of the rows of a group that its creator has deleted. Returns how many, and whether
    /// the group itself is among them, which is the last row.
    ///
    /// What belongs to users stays: their funds, their tokens, and the transaction hashes that they
    /// have used, so that none pays twice.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] if the group does not exist or is not deleted.
    pub async fn delete_rows(&self, group: GroupId) -> Result<(u64, bool), Error> {
        let row = self.group_row(group).await?;
        if row.deleted_at.is_none() {
            return Err(Error::NoGroup);
        }
        let mut keys = self.next_rows(group).await?;
        let is_last = keys.is_empty();
        if is_last {
            let pointer = keys::chat_group(&row.chat_id);
            let of_chat = self.db.get::<ChatGroup>(pointer.clone()).await?;
            keys.extend(of_chat.filter(|it| it.group_id == group).map(|_| pointer));
        }
        let deleted = Condition::with_attribute("deletedAt");
        let count = keys.len();
        let mut transaction: Transaction = keys.into_iter().map(Write::delete).collect();
        transaction.add(if is_last {
            Write::delete(keys::group(group)).when(deleted)
        } else {
            Write::check(keys::group(group)).when(deleted)
        });
        match self.db.send(transaction).await.outcome {
            Ok(()) => {}
            Err(WriteError::Retry) => return Err(Error::Contended),
            Err(WriteError::Fail(error)) => return Err(error),
        }
        let count = if is_last { count.saturating_add(1) } else { count };
        Ok((u64::try_from(count).unwrap_or(u64::MAX), is_last))
    }

    /// Keys of some of a group's rows, besides the group itself: first those that others name, so
    /// that they are found again after an interruption.
    async fn next_rows(&self, group: GroupId) -> Result<Vec<Primary>, Error> {
        let of_group = keys::group_partition(group);
        let page = Page { limit: AT_ONCE, after: None };
        let questions = Range::table(of_group.clone(), prefix::QUESTION);
        let questions = Range { order: Order::Asc, ..questions };
        let (questions, _) = self.db.items(&questions, &page, &Condition::default()).await?;
        let named = questions
            .iter()
            .filter_map(Primary::of)
            .filter_map(|key| key.sk.strip_prefix(prefix::QUESTION)?.parse::<QuestionId>().ok());
        let of_questions = named.map(|id| Range::whole(None, keys::question_partition(id)));
        let others = [
            Range::whole(Some("GSI1"), keys::entries_of(group)),
            Range::whole(None, keys::aside_partition(group)),
            Range::whole(None, of_group),
            Range::whole(None, keys::ledger_partition(group)),
        ];
        for range in of_questions.chain(others) {
            let (rows, _) = self.db.items(&range, &page, &Condition::default()).await?;
            let keys = rows.iter().filter_map(Primary::of);
            let keys: Vec<_> = keys.filter(|key| *key != keys::group(group)).collect();
            if !keys.is_empty() {
                return Ok(keys);
            }
        }
        Ok(Vec::new())
    }
}

/// The writes after which the group is deleted and its last user has left.
pub(crate) fn deletion(
    mut transaction: LedgerTransaction,
    before: &Group,
    last: &Member,
) -> Result<LedgerTransaction, Error> {
    let at = transaction.at();
    let left = Member { left_at: Some(at), ..last.clone() };
    let after = Group {
        member_count: before.member_count.saturating_sub(1),
        archived: true,
        deleted_at: Some(at),
        ..before.clone()
    };
    let state = transaction.state();
    state.change(&left, at)?;
    state.archived = true;
    transaction.add(change_member(before.id, last, attributes(last, &left)?)?);
    let values = [
        ("memberCount", Some(row::to_value(&after.member_count)?)),
        ("archived", Some(row::to_value(&true)?)),
        ("deletedAt", Some(row::to_value(&at)?)),
    ];
    transaction.add(Write::update(keys::group(before.id), values).when(unchanged(before)?));
    transaction.tell(Subject::group(ChangeKind::GroupArchived, &after));
    Ok(transaction)
}
