//! Deleting a group, for which its creator is the last user in it, and the rows of a deleted one,
//! for the operators' tool.

use std::ops::ControlFlow;

use fracti_core::{
    decisions::groups as decide,
    group::{ChatGroup, MemberKey},
    input::Error,
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
    },
    values::{
        id::{GroupId, QuestionId, Subscriber},
        time::Timestamp,
    },
};

use crate::{
    dynamo::{Order, Page, Range},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Rows that are read and deleted at once.
const AT_ONCE: usize = 50;

impl Table {
    /// Deletes a group: it is archived for good, and its creator, who is the last user in it,
    /// leaves. It cannot be joined again.
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
        let id = member_key.group;
        let now = idempotency.now();
        self.write(Some(id), idempotency, || async {
            // The ledger first: it changes with every member who comes after the others were read.
            let ledger = self.ledger(id).await?;
            let everyone = Condition::default();
            let (group, members) =
                tokio::try_join!(self.group_row(id), self.members(id, &everyone))?;
            let seen = (&group, &*members);
            match decide::begin_deletion(member_key, seen, ledger, now)? {
                ControlFlow::Break(decision) => Ok(decision),
                ControlFlow::Continue((mut transaction, creator)) => {
                    self.count_pending(&mut transaction).await?;
                    decide::delete(transaction, &group, &creator)
                }
            }
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

    /// Deletes some of the rows of a group that its creator has deleted. Returns how many, and
    /// whether the group itself is among them, which is the last row.
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
            let subscription = self.subscription(Subscriber::Group(group)).await?;
            for pointer in decide::chats(&row, subscription.as_ref()) {
                let of_chat = self.db.get::<ChatGroup>(pointer.clone()).await?;
                keys.extend(of_chat.filter(|it| it.group_id == group).map(|_| pointer));
            }
            keys.extend(subscription.map(|it| keys::subscription(it.id)));
        }
        let count = keys.len().saturating_add(usize::from(is_last));
        if !self.write_if(decide::delete_rows(group, keys, is_last)).await? {
            return Err(Error::Contended);
        }
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
