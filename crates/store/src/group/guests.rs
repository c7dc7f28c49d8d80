//! Guests: adding and renaming them.
//!
//! A guest's name is unique among the members of the group. So that two guests cannot get one name
//! at the same time, these writes take the group's lock.

use fracti_core::{
    decisions::guests as decide,
    group::{Group, Member, MemberKey},
    input::{Draft, Error, Field},
    ledger::Ledger,
    values::{id::MemberId, text::GuestName},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Adds a guest to a group.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`]; [`Error::Invalid`]; [`Error::TooManyMembers`]; [`Error::NoGroup`] or
    /// [`Error::NotMember`]; [`Error::KeyReused`].
    pub async fn add_guest(
        &self,
        member_key: MemberKey,
        name: &Draft<Field<GuestName>>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let group = member_key.group;
        self.write(Some(group), idempotency, || async {
            let (ledger, group_row, members) = self.members_after_ledger(member_key).await?;
            let seen = (&group_row, &*members, &ledger);
            decide::add_guest(member_key, name, seen, idempotency.context())
        })
        .await
    }

    /// Renames a guest.
    ///
    /// # Errors
    ///
    /// [`Error::NoMember`]; [`Error::NotGuest`]; [`Error::AlreadyLinked`]; [`Error::NameTaken`];
    /// [`Error::Invalid`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn rename_guest(
        &self,
        member_key: MemberKey,
        guest: MemberId,
        name: &Draft<Field<GuestName>>,
        idempotency: &Idempotency<Member>,
    ) -> Result<Outcome<Member>, Error> {
        let group = member_key.group;
        self.write(Some(group), idempotency, || async {
            let (ledger, _, members) = self.members_after_ledger(member_key).await?;
            decide::rename_guest(member_key, guest, name, &members, &ledger)
        })
        .await
    }

    /// A group's ledger, and then its members. If they were read together, a name that another
    /// writer gives could be missing although the version of the ledger is of the time after it.
    pub(crate) async fn members_after_ledger(
        &self,
        member_key: MemberKey,
    ) -> Result<(Ledger, Group, Vec<Member>), Error> {
        let ledger = self.ledger(member_key.group).await?;
        let (group, members) = self.group_naming(member_key, None).await?;
        Ok((ledger, group, members))
    }
}
