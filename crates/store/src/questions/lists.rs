//! Lists of questions, answers and points.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fracti_core::{
    decisions::questions::SeenQuestion,
    group::{Group, Member, MemberKey, MemberRow, labels},
    input::Error,
    questions::{
        answer::Answer,
        points::Points,
        question::{Question, QuestionFilter},
    },
    storage::{
        condition::Condition,
        keys::{self, prefix},
    },
    values::{
        id::{GroupId, MemberId, UserId},
        time::Timestamp,
    },
};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::{
    dynamo::{BATCH, Order, Page, Placed, Position, Range, Slice, Sort},
    records::activity::{merged, rest_of_list},
    table::Table,
};

/// Place in the list of questions that are open for a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPlace {
    /// Membership after which the groups of the page begin.
    groups: Option<Position>,
    /// Position of the last question in its group's list.
    after: Option<String>,
}

/// Place in the list of a user's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswersPlace {
    /// Time of the last answer.
    at: Option<Timestamp>,
    /// Position in the list of each id of the user.
    lists: BTreeMap<MemberId, Position>,
}

/// A member of a group in the order of points.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Place, from 1. Members with equal points have the same.
    pub rank: usize,
    /// Name of the member.
    pub name: String,
    /// The name, with an addition if others have the same.
    pub label: String,
    /// The points.
    pub points: Points,
}

impl Table {
    /// A page of the questions of a group that a filter accepts, newest first. It may be shorter
    /// than its limit although the list continues.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn questions(
        &self,
        member_key: MemberKey,
        filter: &QuestionFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Slice<SeenQuestion>, Error> {
        let group = member_key.group;
        let range = Range::table(keys::group_partition(group), prefix::QUESTION);
        let (of_group, questions) = tokio::join!(
            self.group_and_caller(member_key),
            self.selected(&range, filter, page, now),
        );
        let (group, member) = of_group?;
        let Slice { items, next, unreadable } = questions?;
        let seen = items.into_iter().map(|it| SeenQuestion::listed(it, &group, &member, now));
        Ok(Slice { items: seen.collect(), next, unreadable })
    }

    /// A page of the questions that are open for a user, in 100 groups at a time, soonest expiry
    /// first. The index by which they are found lags, so one that was just answered may be among
    /// them.
    pub async fn open_for(
        &self,
        user: UserId,
        limit: usize,
        after: OpenPlace,
        now: Timestamp,
    ) -> Result<(Vec<SeenQuestion>, Option<OpenPlace>), Error> {
        let range = Range::index("GSI1", keys::user_partition(user.into()), prefix::GROUP);
        let present = Condition::without("leftAt").and(Condition::without("removedAt"));
        let page = Page { limit: BATCH, after: after.groups.clone() };
        let joined = self.db.page_where::<MemberRow>(&range, &page, &present).await?;
        let rows = joined.items.into_iter().map(|row| (row.group_id, row.member));
        let members: BTreeMap<GroupId, Member> = rows.collect();
        let from = after.after.clone().unwrap_or_else(|| now.to_string());
        let open = members.keys().map(|group| self.open_questions(*group, from.clone()));
        let ids: Vec<GroupId> = members.keys().copied().collect();
        let (open, groups) =
            tokio::try_join!(try_join_all(open.collect::<Vec<_>>()), self.groups_by_id(&ids))?;
        let place = |it: &Question| keys::open_position(it.expires_at, Some(it.id));
        let seen = open.into_iter().flatten().filter_map(|question| {
            let group = groups.get(&question.group_id)?;
            let member = members.get(&question.group_id)?;
            let seen = SeenQuestion::listed(question, group, member, now);
            let is_later = after.after.as_ref().is_none_or(|last| place(&seen.question) > *last);
            (seen.can_answer && is_later).then_some(seen)
        });
        // Claims can be changed, but who has claimed something is not waited for.
        let mut open: Vec<SeenQuestion> = seen.filter(|it| !it.has_answered).collect();
        open.sort_by_key(|seen| place(&seen.question));
        let next = if open.len() > limit {
            open.truncate(limit);
            let last = open.last().map(|seen| place(&seen.question));
            Some(OpenPlace { groups: after.groups, after: last })
        } else {
            joined.next.map(|groups| OpenPlace { groups: Some(groups), after: None })
        };
        Ok((open, next))
    }

    /// A page of the questions that a user asked in groups in which they are present, newest first.
    /// It may be shorter than its limit although the list continues.
    pub async fn asked_by(
        &self,
        user: UserId,
        filter: &QuestionFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Slice<SeenQuestion>, Error> {
        let range = Range {
            index: Some("GSI3"),
            partition: keys::asked_questions(user),
            sort: Sort::Any,
            order: Order::Desc,
        };
        let Slice { items, next, unreadable } = self.selected(&range, filter, page, now).await?;
        let (groups, members) =
            self.groups_and_members(user, items.iter().map(|it| it.group_id)).await?;
        let seen = items.into_iter().filter_map(|question| {
            let (group, member) =
                (groups.get(&question.group_id)?, members.get(&question.group_id)?);
            Some(SeenQuestion::listed(question, group, member, now))
        });
        Ok(Slice { items: seen.collect(), next, unreadable })
    }

    /// Up to `limit` answers of a user and of the guests who are linked to the user, under a name,
    /// in groups in which the user is present, newest first. Of several to one question, only the
    /// one that counts is among them. There may be fewer than `limit` although the list continues.
    pub async fn answers_of(
        &self,
        user: UserId,
        limit: usize,
        after: AnswersPlace,
        now: Timestamp,
    ) -> Result<(Vec<Answer>, Option<AnswersPlace>), Error> {
        let own = MemberId::from(user);
        let list = |member| self.answers_by(member, limit, &after);
        let (own_list, (guests, past)) = tokio::try_join!(list(own), self.guests_and_past(user))?;
        let others = try_join_all(guests.iter().map(|(_, guest)| list(*guest))).await?;
        let lists = others.into_iter().chain([own_list]).collect();
        let Placed { rows, more, .. } = merged(lists, limit, |(_, it): &(_, Answer)| it.created_at);
        let mut next = after;
        let mut answers = Vec::new();
        for (position, (member, answer)) in rows {
            next.at = Some(answer.created_at);
            next.lists.insert(member, position);
            if !answer.is_gone(now) && !past.contains(&answer.group_id) {
                answers.push(answer);
            }
        }
        let others = answers.iter().flat_map(|answer| {
            let of_group = guests.iter().filter(|(group, _)| *group == answer.group_id);
            let ids = of_group.map(|(_, guest)| *guest).chain([own]);
            let others = ids.filter(|id| answer.member() != Some(*id));
            others.map(|id| keys::answer(answer.question_id, id))
        });
        let others = self.db.batch::<Answer>(others.collect()).await?;
        answers.retain(|answer| {
            let replaces =
                |it: &Answer| it.question_id == answer.question_id && it.counts_before(answer);
            !others.values().any(replaces)
        });
        Ok((answers, more.then_some(next)))
    }

    /// The answers that a member gave under their name, each with the member.
    async fn answers_by(
        &self,
        member: MemberId,
        limit: usize,
        after: &AnswersPlace,
    ) -> Result<Placed<(MemberId, Answer)>, Error> {
        let position = after.lists.get(&member).cloned();
        let range = rest_of_list(("GSI1", prefix::ANSWER), member, position.as_ref(), after.at);
        let answers = self.db.placed(&range, &Page { limit, after: position }).await?;
        Ok(answers.map(|answer| (member, answer)))
    }

    /// A page of a user's points in the groups in which they are present, each with the title of
    /// the group. It may be shorter than its limit although the list continues.
    pub async fn points_of(
        &self,
        user: UserId,
        page: &Page,
    ) -> Result<Slice<(Points, String)>, Error> {
        let range = Range::index("GSI1", keys::user_partition(user.into()), prefix::POINTS);
        let Slice { items, next, unreadable } = self.db.page::<Points>(&range, page).await?;
        let (groups, members) =
            self.groups_and_members(user, items.iter().map(|it| it.group_id)).await?;
        let titled = items.into_iter().filter(|points| members.contains_key(&points.group_id));
        let titled = titled.filter_map(|points| {
            let title = groups.get(&points.group_id)?.title.to_string();
            Some((points, title))
        });
        Ok(Slice { items: titled.collect(), next, unreadable })
    }

    /// The present members of a group who have points, most points first; of equal points, in order
    /// of id.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn leaderboard(&self, member_key: MemberKey) -> Result<Vec<Ranked>, Error> {
        let group = member_key.group;
        let range = Range::table(keys::group_partition(group), prefix::POINTS);
        let (members, points) =
            tokio::join!(self.group_naming(member_key, None), self.db.all::<Points>(&range),);
        let (_, members) = members?;
        let present = members.iter().filter(|member| member.is_present());
        let names: BTreeMap<_, _> =
            present.map(|member| (member.id, member.name.as_str())).collect();
        let additions = labels::additions(&members);
        let mut points = points?;
        points.retain(|points| names.contains_key(&points.user_id.into()));
        points.sort_by_key(|points| (std::cmp::Reverse(points.total_points), points.user_id));
        let mut ranked: Vec<Ranked> = Vec::new();
        for (index, points) in points.into_iter().enumerate() {
            let equal = ranked.last().filter(|it| it.points.total_points == points.total_points);
            let rank = equal.map_or(index.saturating_add(1), |equal| equal.rank);
            let name = names.get(&points.user_id.into()).copied().unwrap_or_default();
            let addition = additions.get(&points.user_id.into());
            let label = addition.map_or_else(|| name.to_owned(), |it| format!("{name} {it}"));
            ranked.push(Ranked { rank, name: name.to_owned(), label, points });
        }
        Ok(ranked)
    }

    /// A page of the questions of a range that a filter accepts, and that are not gone.
    async fn selected(
        &self,
        range: &Range,
        filter: &QuestionFilter,
        page: &Page,
        now: Timestamp,
    ) -> Result<Slice<Question>, Error> {
        if !filter.is_empty() {
            let accepts = |it: &Question| !it.is_gone(now) && filter.accepts(it, now);
            return self.db.page_of(range, page, accepts).await;
        }
        // Few rows are gone: DynamoDB deletes them within days.
        let mut slice = self.db.page::<Question>(range, page).await?;
        slice.items.retain(|question| !question.is_gone(now));
        Ok(slice)
    }

    /// Some groups, and the user's own row in those in which they are present.
    async fn groups_and_members(
        &self,
        user: UserId,
        groups: impl Iterator<Item = GroupId>,
    ) -> Result<(HashMap<GroupId, Group>, HashMap<GroupId, Member>), Error> {
        let ids: BTreeSet<GroupId> = groups.collect();
        let ids: Vec<GroupId> = ids.into_iter().collect();
        let members = ids.iter().map(|group| keys::member(*group, user.into())).collect();
        let (groups, members) =
            tokio::try_join!(self.groups_by_id(&ids), self.db.batch::<MemberRow>(members))?;
        let members = members.into_values().filter(|row| row.member.is_present());
        Ok((groups, members.map(|row| (row.group_id, row.member)).collect()))
    }
}
