//! Points: the leaderboard of a group, and those of the caller.

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{questions::points::Points, values::id::UserId};
use fracti_http::{
    App, AsMember, Caller, Code, Data, Description, Limit, List, ListId, MAX_LIMIT, Paging,
    Parameters, Problem, QueryReader, Text, schemas,
};
use fracti_store::Ranked;
use serde::Serialize;
use utoipa::ToSchema;

/// Number of places of a leaderboard unless another number is asked for.
const PLACES: usize = 10;

/// Query parameters of the leaderboard.
pub(crate) struct LeaderboardQuery {
    limit: usize,
}

impl Parameters for LeaderboardQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "Number of places.";
        let schema = Description::inline::<schemas::PlacesLimit>;
        let limit = query.read::<Limit<MAX_LIMIT>>("limit", about, schema);
        Self { limit: limit.map_or(PLACES, |Limit(limit)| limit) }
    }
}

/// The members of a group with the most points.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Leaderboard {
    /// Members, most points first; of equal points, in order of id.
    entries: Vec<RankView>,
    /// Place of the caller, if the caller has points.
    #[serde(skip_serializing_if = "Option::is_none")]
    you: Option<RankView>,
}

/// Place of a member in the leaderboard of a group.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeaderboardPlace)]
struct RankView {
    /// Place, from 1. Members with equal points have the same.
    rank: usize,
    /// The member.
    user_id: schemas::UserId,
    /// Name of the member.
    #[schema(example = "Bob Jones")]
    name: String,
    /// Points.
    points: u64,
    /// Number of answers.
    answers: u64,
    /// Number of days, one after the other, with an answer.
    streak_days: u64,
    /// Badges.
    badges: Vec<schemas::Badge>,
    /// Whether the member is the caller.
    is_me: bool,
}

/// The caller's points in a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OwnPoints)]
pub(crate) struct PointsView {
    /// The group.
    group_id: schemas::ResourceId,
    /// Title of the group.
    #[schema(example = "Roommates")]
    group_title: String,
    /// Sum of all points.
    total_points: u64,
    /// Number of answers.
    total_answers: u64,
    /// Number of days, one after the other, with an answer.
    streak_days: u64,
    /// Last of these days, in the caller's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    streak_last_date: Option<schemas::CalendarDate>,
    /// Badges, in the order in which they were earned.
    badges: Vec<schemas::Badge>,
    /// Number of answers to questions of each category, or `none`.
    answers_by_category: BTreeMap<String, u64>,
    /// Time of the first answer.
    created_at: schemas::Timestamp,
    /// Time of the last answer.
    updated_at: schemas::Timestamp,
}

/// Get the leaderboard of a group.
///
/// Present users who have answered questions. Points buy nothing.
#[utoipa::path(get, path = "/api/groups/{groupId}/leaderboard", tag = "questions",
    responses((status = OK, body = Data<Leaderboard>)))]
pub(crate) async fn get_leaderboard(
    State(app): State<App>,
    AsMember(member_key, LeaderboardQuery { limit }): AsMember<LeaderboardQuery>,
) -> Result<Data<Leaderboard>, Problem> {
    let ranked = app.table.leaderboard(member_key).await?;
    let view = |ranked| RankView::of(ranked, member_key.user);
    let all: Vec<RankView> = ranked.into_iter().map(view).collect();
    let you = all.iter().find(|place| place.is_me).cloned();
    Ok(Data::new(Leaderboard { entries: all.into_iter().take(limit).collect(), you }))
}

/// List the caller's points.
///
/// For each group in which the caller is present and has answered a question.
#[utoipa::path(get, path = "/api/users/me/points", tag = "questions",
    responses((status = OK, body = List<PointsView>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
pub(crate) async fn list_own_points(
    State(app): State<App>,
    Caller(user, paging): Caller<Paging>,
) -> Result<List<PointsView>, Problem> {
    let list_id = ListId::new("users/me/points", &user.id);
    let points = app.table.points_of(user.id, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, points))
}

impl RankView {
    fn of(Ranked { rank, name, points, .. }: Ranked, caller: UserId) -> Self {
        Self {
            rank,
            user_id: Text(points.user_id),
            name,
            points: points.total_points,
            answers: points.total_answers,
            streak_days: points.streak_days,
            badges: points.badges.into_iter().map(Text).collect(),
            is_me: points.user_id == caller,
        }
    }
}

impl From<(Points, String)> for PointsView {
    fn from((points, group_title): (Points, String)) -> Self {
        Self {
            group_id: Text(points.group_id.into()),
            group_title,
            total_points: points.total_points,
            total_answers: points.total_answers,
            streak_days: points.streak_days,
            streak_last_date: points.streak_last_date.map(Text),
            badges: points.badges.into_iter().map(Text).collect(),
            answers_by_category: points.answers_by_category,
            created_at: Text(points.created_at),
            updated_at: Text(points.updated_at),
        }
    }
}
