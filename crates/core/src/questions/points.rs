//! Points that members earn by answering. They buy nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    questions::question::{Question, QuestionType},
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
    values::{
        category::NO_CATEGORY,
        id::{GroupId, UserId},
        time::{Day, Timestamp},
    },
    words,
};

words! {
    /// Badge of a member, which is kept for ever.
    pub enum Badge as "Badge" {
        /// The first answer.
        FirstAnswer = "first_answer",
        /// Ten answers.
        TenAnswers = "ten_answers",
        /// A hundred answers.
        HundredAnswers = "hundred_answers",
        /// Answers on seven days, one after the other.
        WeekStreak = "week_streak",
        /// Answers on thirty days, one after the other.
        MonthStreak = "month_streak",
    }
}

/// The points, the streak and the badges of a user in a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Points {
    /// The group.
    pub group_id: GroupId,
    /// The user.
    pub user_id: UserId,
    /// Sum of all points.
    pub total_points: u64,
    /// Number of answers.
    pub total_answers: u64,
    /// Number of days with an answer, one after the other.
    pub streak_days: u64,
    /// Last of these days, in the zone of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streak_last_date: Option<Day>,
    /// Badges, in the order in which they were earned.
    pub badges: Vec<Badge>,
    /// Number of answers to questions of each category, or `none`.
    pub answers_by_category: BTreeMap<String, u64>,
    /// Time of the first answer.
    pub created_at: Timestamp,
    /// Time of the last answer.
    pub updated_at: Timestamp,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
}

impl Row for Points {
    const KIND: &'static str = "points";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let sk = format!("{}{}", keys::prefix::POINTS, self.group_id);
        let by_user = Index { pk: keys::user_partition(self.user_id.into()), sk };
        Keys { gsi1: Some(by_user), ..keys::points(self.group_id, self.user_id).into() }
    }
}

impl Points {
    /// The points of a user who has not answered in the group.
    #[must_use]
    pub const fn none(group_id: GroupId, user_id: UserId, now: Timestamp) -> Self {
        Self {
            group_id,
            user_id,
            total_points: 0,
            total_answers: 0,
            streak_days: 0,
            streak_last_date: None,
            badges: Vec::new(),
            answers_by_category: BTreeMap::new(),
            created_at: now,
            updated_at: now,
            version: 0,
        }
    }

    /// Points for an answer to the question.
    #[must_use]
    pub const fn of_answer(question: &Question) -> u64 {
        match question.question_type {
            QuestionType::Text | QuestionType::Items => 10,
            QuestionType::MultipleChoice => 5,
        }
    }

    /// The points after an answer on `day`. A day before the last one, in another zone, does not
    /// change the streak.
    #[must_use]
    pub fn answered(&self, question: &Question, day: Day, now: Timestamp) -> Self {
        let (streak_days, streak_last_date) = match self.streak_last_date {
            Some(last) if day <= last => (self.streak_days, last),
            Some(last) if day == last.plus(1) => (self.streak_days.saturating_add(1), day),
            _ => (1, day),
        };
        let total_answers = self.total_answers.saturating_add(1);
        let mut badges = self.badges.clone();
        for (badge, is_earned) in [
            (Badge::FirstAnswer, total_answers >= 1),
            (Badge::TenAnswers, total_answers >= 10),
            (Badge::HundredAnswers, total_answers >= 100),
            (Badge::WeekStreak, streak_days >= 7),
            (Badge::MonthStreak, streak_days >= 30),
        ] {
            if is_earned && !badges.contains(&badge) {
                badges.push(badge);
            }
        }
        let mut answers_by_category = self.answers_by_category.clone();
        let category =
            question.category.map_or_else(|| NO_CATEGORY.to_owned(), |it| it.to_string());
        let of_category = answers_by_category.entry(category).or_default();
        *of_category = of_category.saturating_add(1);
        Self {
            total_points: self.total_points.saturating_add(Self::of_answer(question)),
            total_answers,
            streak_days,
            streak_last_date: Some(streak_last_date),
            badges,
            answers_by_category,
            updated_at: now,
            version: self.version.saturating_add(1),
            ..self.clone()
        }
    }
}
