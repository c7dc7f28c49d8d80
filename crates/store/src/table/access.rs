//! Access to a group's data, which only its members have.

use std::pin::pin;

use fracti_core::{
    group::{Group, MemberKey, MemberRow},
    input::Error,
    storage::keys,
    values::id::GroupId,
};
use futures_util::future::{Either, select};

use crate::table::Table;

impl Table {
    /// Runs `read` and checks the membership at the same time. A refusal ends the read.
    pub(crate) async fn checked<T>(
        &self,
        member_key: MemberKey,
        read: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let member = async {
            let key = keys::member(member_key.group, member_key.user.into());
            match self.db.get::<MemberRow>(key).await? {
                Some(row) => row.member.check_present(),
                None => Err(self.refusal(member_key.group).await),
            }
        };
        let member = pin!(member);
        let read = pin!(read);
        match select(member, read).await {
            Either::Left((member, read)) => {
                member?;
                read.await
            }
            Either::Right((answer, member)) => {
                member.await?;
                answer
            }
        }
    }

    /// The error for a user who is not a member: the group may not exist.
    pub(crate) async fn refusal(&self, group: GroupId) -> Error {
        match self.db.exists::<Group>(keys::group(group)).await {
            Ok(true) => Error::NotMember,
            Ok(false) => Error::NoGroup,
            Err(error) => error,
        }
    }
}
