//! Converts a file to expenses, settlements and guests of a group.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fracti_core::{
    group::{Group, Member, links::Links},
    input::{Draft, Error, Field, FieldErrors, Path, limits::MAX_MEMBERS},
    ledger::{Change, Event, LedgerError, RefType},
    records::{
        expense::{Expense, NewExpense, PayerInput, SplitInput},
        import::{NewImport, Record, adjustment_name, expense_id, import_id, settlement_id},
        settlement::Settlement,
    },
    split::SplitType,
    values::{
        entry_id::EntryId,
        id::{GroupId, ImportId, MemberId, UserId},
        settlement_status::SettlementStatus,
        text::GuestName,
        time::{Timestamp, Zone},
    },
};
use fracti_texts::{Message, Says, rule};

use crate::{
    import::{
        Asks, Import, MAX_ERRORS, Movement, Payment, Person, PersonPart, Question, ReadAdjustment,
        ReadRow, RowPlace,
    },
    key::Key,
    mapping::{Target, TargetError},
};

/// Rule for a new guest whose name is taken.
fn taken() -> Message {
    rule!(
        "{field} must be the id of a member: another member of the group has this name",
        "{field} должно быть id участника: это имя уже есть у другого участника группы"
    )
}

/// Rule for a new guest whom an earlier import added and who was then removed.
fn removed() -> Message {
    rule!(
        "{field} must be the id of a member: the guest with this name was removed",
        "{field} должно быть id участника: гостя с этим именем удалили"
    )
}

/// Rule for a new guest whom an earlier import added and who was then linked to a user, who has
/// left.
fn left() -> Message {
    rule!(
        "{field} must be the id of a member: the user to whom the guest with this name was linked \
         has left",
        "{field} должно быть id участника: пользователь, с которым связан гость с этим именем, \
         покинул группу"
    )
}

/// The group into which a file is imported, and the member who imports it.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// The group.
    pub group: &'a Group,
    /// Its members, present and past.
    pub members: &'a [Member],
    /// The member who imports the file.
    pub user: UserId,
    /// The current time.
    pub now: Timestamp,
}

impl Import {
    /// The records that an import makes in a group. `targets` gives the member or new guest for
    /// each name in the file.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all errors and open questions of the file and all mistakes of
    /// `targets`; [`Error::TooManyMembers`].
    pub fn recorded_in(
        &self,
        to: &Destination<'_>,
        targets: &BTreeMap<String, Target>,
    ) -> Result<NewImport, Error> {
        let mut errors = self.refusals(to);
        let added = self.guests(to, targets, &mut errors);
        let is_added = |it: &&Member| added.iter().any(|guest| guest.id == it.id);
        let others = to.members.iter().filter(|it| !is_added(it));
        let members: Vec<Member> = others.chain(&added).cloned().collect();
        let people = self.people(to, targets, &members, &mut errors);
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let people: Option<Vec<&Member>> = people.into_iter().collect();
        let people = people.ok_or_else(unknown_person)?;
        let present = members.iter().filter(|member| member.is_present()).count();
        if u64::try_from(present).is_ok_and(|present| present > MAX_MEMBERS) {
            return Err(Error::TooManyMembers);
        }
        // Each check of an expense looks at all members that it gets.
        let named: BTreeSet<MemberId> = people.iter().map(|member| member.id).collect();
        let named: Vec<Member> =
            members.iter().filter(|it| named.contains(&it.id)).cloned().collect();
        let mut records = Vec::new();
        for (place, converted) in self.converted(to, &people, &named) {
            match converted {
                Ok(converted) => records.extend(converted.into_iter().map(|it| (place, it))),
                Err(Error::Invalid(rules)) => {
                    for rule in rules.into_sorted() {
                        errors.push("file", place.before(&rule.message()));
                    }
                }
                Err(error @ (Error::Table(_) | Error::Internal(_))) => return Err(error),
                Err(error) => errors.push("file", place.before(&error.says())),
            }
        }
        records.sort_by_key(|(place, _)| *place);
        let format = self.format.ok_or_else(|| Error::Internal("a file without a format"));
        let id = self.id(to, targets);
        let source = self.group.map(|key| key.to_string());
        let format = format?;
        let guests = added;
        let new = NewImport { id, format, source, guests, records, confirmed: None };
        errors.finish(Some(new))
    }

    /// The ids under which the group may have rows that have former identities.
    #[must_use]
    pub fn former_ids(&self, group: GroupId) -> HashSet<EntryId> {
        let rows = self.rows.iter().filter(|row| !row.former.is_empty());
        let ids = rows.flat_map(|row| {
            std::iter::once(&row.key).chain(&row.former).flat_map(move |key| row.ids(group, *key))
        });
        ids.collect()
    }

    /// Gives rows that the group has under a former identity that identity. `known` are those of
    /// [`Self::former_ids`] that the group has.
    pub fn recall(&mut self, group: GroupId, known: &HashSet<EntryId>) {
        let has = |row: &ReadRow, key: Key| row.ids(group, key).iter().any(|id| known.contains(id));
        let mut taken: HashSet<Key> = self.rows.iter().map(|row| row.key).collect();
        for row in self.rows.iter_mut().filter(|row| !row.former.is_empty()) {
            if has(row, row.key) {
                continue;
            }
            let mut former = row.former.iter().copied();
            if let Some(former) = former.find(|key| has(row, *key) && !taken.contains(key)) {
                taken.insert(former);
                row.key = former;
            }
        }
    }

    /// The records that an import would make in a group, of the rows that can be recorded, and the
    /// members who are the people of the file, in their order. People without a member in `matched`
    /// are the guests that they would become.
    #[must_use]
    pub fn foreseen_in(
        &self,
        to: &Destination<'_>,
        matched: &[Option<MemberId>],
    ) -> (Vec<Member>, Vec<(RowPlace, Record)>) {
        let links: Links = to.members.iter().collect();
        let find = |id| {
            let member = to.members.iter().find(|it| it.id == links.resolve(id))?.clone();
            Some(if member.comes_back() { member.present() } else { member })
        };
        let person = |(person, matched): (&Person, &Option<MemberId>)| {
            let id = matched.unwrap_or_else(|| person.guest(to.group.id, to.members));
            let guest = || Member { id, ..Member::guest(&person.name, to.user, to.now, [0; 10]) };
            find(id).unwrap_or_else(guest)
        };
        let people: Vec<Member> = self.people.iter().zip(matched).map(person).collect();
        let of_people: Vec<&Member> = people.iter().collect();
        let records = self.converted(to, &of_people, &people);
        let records = records.filter_map(|(place, records)| Some((place, records.ok()?)));
        let records =
            records.flat_map(|(place, records)| records.into_iter().map(move |it| (place, it)));
        let records = records.collect();
        (people, records)
    }

    /// The records of each row and each adjustment. `members` has all members who take part.
    fn converted(
        &self,
        to: &Destination<'_>,
        people: &[&Member],
        members: &[Member],
    ) -> impl Iterator<Item = (RowPlace, Result<Vec<Record>, Error>)> {
        let of_rows = self.rows.iter().map(|row| (row.place, row.records(to, people, members)));
        let of_adjustments = self.adjustments.iter().map(|it| {
            let event = it.event(to, people);
            let record = |event: Event| Record::Adjustment(event.into());
            (it.place, event.map(|event| event.into_iter().map(record).collect()))
        });
        of_rows.chain(of_adjustments)
    }

    /// The places of the payments that are left out because payer and recipient are one member.
    /// `members` has the member matched with each person, if any.
    pub fn payments_to_oneself(
        &self,
        members: &[Option<MemberId>],
    ) -> impl Iterator<Item = (RowPlace, Payment)> {
        let of = |person: usize| members.get(person).copied().flatten();
        let is_one = move |it: &Payment| of(it.from).is_some() && of(it.from) == of(it.to);
        self.rows.iter().flat_map(move |row| {
            let payments = match &row.movement {
                Movement::Payment(payments) => payments.as_slice(),
                Movement::Pending(payment) => std::slice::from_ref(payment),
                Movement::Expense { .. } => &[],
            };
            payments.iter().filter(move |it| is_one(it)).map(|it| (row.place, *it))
        })
    }

    /// The places of the adjustments that are left out because all their members are one member.
    /// `members` has the member matched with each person, if any.
    pub fn adjustments_of_one(
        &self,
        members: &[Option<MemberId>],
    ) -> impl Iterator<Item = RowPlace> {
        let of = |person: usize| members.get(person).copied().flatten();
        let is_of_one = move |it: &&ReadAdjustment| {
            let mut members = it.changes.iter().map(|change| of(change.person));
            let first = members.next().flatten();
            first.is_some() && members.all(|member| member == first)
        };
        self.adjustments.iter().filter(is_of_one).map(|it| it.place)
    }

    /// The places of expenses whose splits are not kept, because two of the people who share them
    /// are one member: their shares become exact amounts. `members` has the member matched with
    /// each person, if any.
    pub fn splits_lost(&self, members: &[Option<MemberId>]) -> impl Iterator<Item = RowPlace> {
        let is_lost = move |row: &&ReadRow| match &row.movement {
            Movement::Expense { shares, split: Some(_), .. } => {
                let mut known = BTreeSet::new();
                let of = |part: &PersonPart| members.get(part.person).copied().flatten();
                shares.iter().filter_map(of).any(|member| !known.insert(member))
            }
            Movement::Expense { split: None, .. } | Movement::Payment(_) | Movement::Pending(_) => {
                false
            }
        };
        self.rows.iter().filter(is_lost).map(|row| row.place)
    }

    /// The reasons why the file cannot be imported into the group: its errors and its open
    /// questions.
    fn refusals(&self, to: &Destination<'_>) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let options = Path::from("options");
        let of_group: Vec<_> = self.errors_in(to.group).take(MAX_ERRORS).collect();
        for issue in of_group.iter().chain(&self.errors) {
            errors.push("file", issue.says());
        }
        for Question { asks, message } in &self.questions {
            let path = match asks {
                Asks::Currency => options.field("currency"),
                Asks::Payer { line } => options.field("payers").key(line.to_string()),
                Asks::Weight { name } => options.field("weights").key(name.as_str()),
            };
            errors.push(
                path,
                rule!("{field} is required: {message}", "укажите {field}: {message}", [message]),
            );
        }
        errors
    }

    /// The guests who have to be added, or are of an earlier import.
    fn guests(
        &self,
        to: &Destination<'_>,
        targets: &BTreeMap<String, Target>,
        errors: &mut FieldErrors,
    ) -> Vec<Member> {
        let mut added = Vec::new();
        for person in &self.people {
            let name = &person.name;
            if targets.get(name.as_str()) != Some(&Target::NewGuest) {
                continue;
            }
            let id = person.guest(to.group.id, to.members);
            let known = to.members.iter().find(|member| member.id == id);
            match known {
                // An undo may remove the guest meanwhile.
                Some(guest) if guest.is_present() && guest.import_id.is_some() => {
                    added.push(guest.clone());
                }
                Some(guest) if guest.is_present() || guest.linked_to.is_some() => {}
                Some(guest) if !guest.comes_back() => errors.push(path_of(name), removed()),
                _ if Member::is_taken(name.as_str(), to.members, None) => {
                    errors.push(path_of(name), taken());
                }
                Some(guest) => added.push(guest.clone().present()),
                None => {
                    added.push(Member { id, ..Member::guest(name, to.user, to.now, [0; 10]) });
                }
            }
        }
        added
    }

    /// The member for each person, in the order of the people. It is `None` only after an error.
    fn people<'a>(
        &self,
        to: &Destination<'_>,
        targets: &BTreeMap<String, Target>,
        members: &'a [Member],
        errors: &mut FieldErrors,
    ) -> Vec<Option<&'a Member>> {
        let links: Links = members.iter().collect();
        let mut people = Vec::new();
        for person in &self.people {
            let name = &person.name;
            let member = |id| {
                let meant = links.resolve(id);
                members.iter().find(|member| member.id == meant && member.is_present())
            };
            people.push(match targets.get(name.as_str()) {
                Some(Target::Member(id)) => {
                    errors.keep(path_of(name), member(*id).ok_or(TargetError))
                }
                Some(Target::NewGuest) => {
                    let id = person.guest(to.group.id, to.members);
                    let guest = member(id);
                    // A guest who cannot be added is reported already.
                    if guest.is_none() && links.has(id) {
                        errors.push(path_of(name), left());
                    }
                    guest
                }
                None => {
                    errors.missing(path_of(name));
                    None
                }
            });
        }
        let known: BTreeSet<&str> = self.people.iter().map(|it| it.name.as_str()).collect();
        for name in targets.keys().filter(|name| !known.contains(name.as_str())) {
            let path = Path::from("options").field("members").key(name);
            errors.push(
                path,
                rule!(
                    "{field} must name a person in the file",
                    "{field} должно быть именем человека из файла"
                ),
            );
        }
        people
    }

    /// Id of the import: the same for the same rows and the same members.
    fn id(&self, to: &Destination<'_>, targets: &BTreeMap<String, Target>) -> ImportId {
        let target = |target: &Target| match target {
            Target::Member(id) => id.to_string(),
            Target::NewGuest => Target::NEW_GUEST.to_owned(),
        };
        let targets: Vec<String> =
            targets.iter().flat_map(|(name, it)| [name.clone(), target(it)]).collect();
        let rows = self.rows.iter().map(|row| row.key.as_bytes().as_slice());
        let adjustments = self.adjustments.iter().map(|it| it.key.as_bytes().as_slice());
        let targets = targets.iter().map(String::as_bytes);
        let content: Vec<&[u8]> = rows.chain(adjustments).chain(targets).collect();
        import_id(to.group.id, &content)
    }
}

/// Path of the option that gives the member for a person.
fn path_of(name: &GuestName) -> Path {
    Path::from("options").field("members").key(name.as_str())
}

/// The error of a row with a person who is no member, which a checked import does not have.
fn unknown_person() -> Error {
    Error::Internal("a person of the file is no member")
}

impl ReadRow {
    /// The ids of what the row records in a group, if its identity is `key`.
    fn ids(&self, group: GroupId, key: Key) -> Vec<EntryId> {
        let settlement = |index| settlement_id(group, key.as_bytes(), index).into();
        match &self.movement {
            Movement::Expense { .. } => vec![expense_id(group, key.as_bytes()).into()],
            Movement::Payment(all) => {
                (0_u32..).zip(all).map(|(index, _)| settlement(index)).collect()
            }
            Movement::Pending(_) => vec![settlement(0)],
        }
    }

    /// The expense of the row, or its settlements. `members` has all members who take part.
    fn records(
        &self,
        to: &Destination<'_>,
        people: &[&Member],
        members: &[Member],
    ) -> Result<Vec<Record>, Error> {
        match &self.movement {
            Movement::Expense { payers, shares, split } => {
                let [paid, owed] = [payers, shares].map(|parts| self.merged(parts, people));
                let paid = paid?;
                let owed = owed?;
                let expense = self.expense(to, members, &paid, &owed)?;
                // The shares of people who are one member are added up; their splits cannot be.
                let split = split.clone().filter(|_| owed.len() == shares.len());
                let member = |person: usize| people.get(person).map(|member| member.id);
                let split = split.and_then(|split| split.among(member));
                let split_by = split.and_then(|split| expense.split_by(&split).ok());
                Ok(vec![Record::Expense(split_by.unwrap_or(expense).into())])
            }
            Movement::Payment(payments) => {
                let status = SettlementStatus::Completed;
                let indexed = (0_u32..).zip(payments);
                let records = indexed
                    .map(|(index, it)| self.settlement(to, people, index, it, status).transpose());
                records.flatten().collect()
            }
            Movement::Pending(payment) => {
                let record = self.settlement(to, people, 0, payment, SettlementStatus::Pending)?;
                Ok(record.into_iter().collect())
            }
        }
    }

    fn expense(
        &self,
        to: &Destination<'_>,
        members: &[Member],
        payers: &[(MemberId, i64)],
        shares: &[(MemberId, i64)],
    ) -> Result<Expense, Error> {
        let major = |minor: i64| Field::Value(self.currency.to_major(minor));
        let amount = payers.iter().try_fold(0_i64, |sum, (_, minor)| sum.checked_add(*minor));
        let split = |(user, minor): &(MemberId, i64)| SplitInput {
            user: Field::Value(*user),
            amount: major(*minor),
            ..SplitInput::default()
        };
        let paid = |(user, minor): &(MemberId, i64)| PayerInput {
            user: Field::Value(*user),
            amount: major(*minor),
        };
        let only = payers.first().filter(|_| payers.len() == 1).map(|(user, _)| *user);
        let several = only.is_none().then(|| payers.iter().map(paid).collect());
        let new = NewExpense {
            amount: amount.map_or(Field::Invalid, major),
            description: Field::Value(self.description.clone()),
            payer: Field::from(only),
            payers: Field::from(several),
            split_type: Field::Value(SplitType::Exact),
            splits: Field::Value(shares.iter().map(split).collect()),
            currency: Field::Value(self.currency),
            category: Field::from(self.category),
            notes: Field::from(self.notes.clone()),
            ..NewExpense::default()
        };
        let new = Draft::valid(new);
        let checked = new.check(to.group, members, to.user, to.now, Zone::default())?;
        let id = expense_id(to.group.id, self.key.as_bytes());
        // An app may have dates that are further ahead than those that a member may enter.
        Ok(Expense { id, date: Some(self.date), ..checked.at(to.now, [0; 10])? })
    }

    /// The parts of members, in the order of the file. Those of people who are one member are added
    /// up.
    fn merged(
        &self,
        parts: &[PersonPart],
        people: &[&Member],
    ) -> Result<Vec<(MemberId, i64)>, Error> {
        let mut sums: Vec<(MemberId, i64)> = Vec::new();
        for PersonPart { person, minor } in parts {
            let Member { id, .. } = people.get(*person).ok_or_else(unknown_person)?;
            match sums.iter_mut().find(|(known, _)| known == id) {
                None => sums.push((*id, *minor)),
                Some((_, sum)) => {
                    let overflow = LedgerError::Overflow(self.currency);
                    *sum = sum.checked_add(*minor).ok_or(overflow)?;
                }
            }
        }
        Ok(sums)
    }

    /// The settlement of a payment, unless it is to the payer.
    fn settlement(
        &self,
        to: &Destination<'_>,
        people: &[&Member],
        index: u32,
        payment: &Payment,
        status: SettlementStatus,
    ) -> Result<Option<Record>, Error> {
        let member = |person: usize| people.get(person).ok_or_else(unknown_person);
        let payer = member(payment.from)?;
        let recipient = member(payment.to)?;
        if payer.id == recipient.id {
            return Ok(None);
        }
        let settlement = Settlement {
            id: settlement_id(to.group.id, self.key.as_bytes(), index),
            group_id: to.group.id,
            group_title: Some(to.group.title.to_string()),
            from_user_id: payer.id,
            from_user_name: payer.name.clone(),
            to_user_id: recipient.id,
            to_user_name: recipient.name.clone(),
            amount: self.currency.to_major(payment.minor),
            currency: self.currency,
            tx_hash: None,
            status,
            created_at: to.now,
            created_by: None,
            completed_at: (status == SettlementStatus::Completed).then_some(to.now),
            import_id: None,
            funds: None,
            external: None,
            hold_until: None,
            expired: false,
            date: Some(self.date),
            note: self.notes.as_ref().map(ToString::to_string),
            updated_at: None,
            reverted_at: None,
            reverted_by: None,
        };
        Ok(Some(Record::Settlement(settlement.into())))
    }
}

impl ReadAdjustment {
    /// The event of the adjustment, unless all its members are one member.
    fn event(&self, to: &Destination<'_>, people: &[&Member]) -> Result<Option<Event>, Error> {
        let mut changes: Vec<Change> = Vec::new();
        for change in &self.changes {
            let Member { id: user, .. } = people.get(change.person).ok_or_else(unknown_person)?;
            let user = *user;
            let currency = change.currency;
            let totals = change.totals;
            match changes.iter_mut().find(|it| (it.user, it.currency) == (user, currency)) {
                None => changes.push(Change { user, currency, totals }),
                Some(before) => {
                    let overflow = LedgerError::Overflow(currency);
                    before.totals = before.totals.plus(totals).ok_or(overflow)?;
                }
            }
        }
        let first = changes.first().map(|change| change.user);
        let name = adjustment_name(to.group.id, self.key.as_bytes(), &self.name);
        Ok(changes.iter().any(|change| Some(change.user) != first).then(|| Event {
            ref_type: RefType::Adjustment,
            entry_id: EntryId::Adjustment(name),
            ref_created_at: None,
            note: self.note.as_ref().map(ToString::to_string),
            changes,
        }))
    }
}
