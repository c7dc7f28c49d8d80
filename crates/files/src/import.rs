//! Endpoints of imports.

mod options;
mod plan;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use fracti_core::{
    group::Member,
    input::Error,
    records::import::{Format, ImportRow, ImportStatus, of_no_run},
    values::{
        id::{GroupId, ImportId, MemberId},
        time::Timestamp,
    },
};
use fracti_formats::{Answers, Destination, Import, Match, MatchedBy, Target, matches};
use fracti_http::{
    AcceptLanguage, App, AsMember, Code, Data, Description, Id, List, ListId, Once, Paging,
    Parameters, Problem, QueryReader, Upload, language_headers, respond,
};
use fracti_store::{BeforeImport, ImportPart, Outcome, Table};
use fracti_texts::Message;
use serde::{Deserialize, Serialize};

pub use plan::plan_of;

use options::ImportOptions;
use plan::{Foreseen, PlanView};
use view::{ImportView, ImportedView, ResultView};

/// Query parameters of an import.
pub(crate) struct ImportQuery {
    run: Option<u64>,
}

impl Parameters for ImportQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "The run that a repeated request continues, from the response with 202.";
        Self { run: run(query, about) }
    }
}

/// Query parameters of the undo of an import.
pub(crate) struct UndoQuery {
    run: Option<u64>,
}

impl Parameters for UndoQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self { run: run(query, "The run that is to be undone. By default, the present one.") }
    }
}

fn run(query: &mut QueryReader, about: &str) -> Option<u64> {
    query.read("run", about, Description::inline::<u64>).map(|RunQuery(run)| run)
}

/// The number of a run.
struct RunQuery(u64);

impl FromStr for RunQuery {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        text.parse().map(Self).map_err(|_| of_no_run())
    }
}

/// Gives the rows of a file that a group has under a former identity that identity. Only files with
/// such rows cost a read.
///
/// # Errors
///
/// As [`Table::known_ids`].
pub async fn recall(table: &Table, group: GroupId, import: &mut Import) -> Result<(), Error> {
    let former = import.former_ids(group);
    if !former.is_empty() {
        import.recall(group, &table.known_ids(group, former).await?);
    }
    Ok(())
}

/// Import a file of another app.
///
/// The file is an export of Splitwise, Spliit, Spliit Cloud, IHateMoney, Cospend, Settle Up or
/// Tricount, or the complete JSON export of a Fracti group. The format is recognized by the
/// contents. Without `commit`, the response is a plan, and nothing is written. With `commit`, all
/// expenses and payments that the group does not have yet are recorded; if one of them cannot be
/// recorded, none is. If rows of earlier imports of the app have changed in the file or are gone,
/// the request is refused until it sends the `confirm` of the plan; they stay as they are, or with
/// `update` are edited and deleted, which only the members may request who may undo those imports.
/// The response to a large import may be 202 with the status `running`: repeat the request with the
/// response's `run` until the status is not `running`. A repeated request records nothing twice,
/// and with `run`, nothing that somebody has undone since.
#[utoipa::path(post, path = "/api/groups/{groupId}/import", tag = "transfer",
    responses(
        (status = OK, body = Data<ResultView>),
        (status = ACCEPTED, body = Data<ImportedView>)),
    extensions(("x-errors" = json!([Code::TooManyMembers, Code::NameTaken,
        Code::ImportUndoing, Code::ImportDiffers, Code::NotAllowed, Code::TooMuchHistory]))))]
pub(crate) async fn import_file(
    State(app): State<App>,
    AsMember(member_key, ImportQuery { run }): AsMember<ImportQuery>,
    AcceptLanguage(language): AcceptLanguage,
    upload: Upload<ImportOptions>,
) -> Result<Response, Problem> {
    let idempotency = upload.key.idempotency::<_, ImportedView>("import-file");
    let now = idempotency.now();
    let (group, members) = app.table.group(member_key).await?;
    let form = match upload.form.checked() {
        Ok(form) => form,
        Err(error) => return Err(app.table.refuse(&idempotency, error).await.into()),
    };
    let answers = Answers::from(&form.options);
    let targets = form.options.targets();
    let mut import = fracti_formats::read(&form.file, &answers, now.day());
    recall(&app.table, group.id, &mut import).await?;
    let to = Destination { group: &group, members: &members, user: member_key.user, now };
    if !form.options.commits() {
        let mut matched = matches(group.id, &import, &targets, &members);
        let (mut people, mut before) = foresee(&app.table, &to, &import, &matched).await?;
        if recognize(&import, &targets, &to, &people, &before, &mut matched) {
            (people, before) = foresee(&app.table, &to, &import, &matched).await?;
        }
        let updates = form.options.updates();
        let after = Foreseen { to: &to, people: &people, before: &before, updates, language };
        let plan = PlanView::of(&import, &matched, &after)?;
        return Ok((language_headers(language), Data::new(plan)).into_response());
    }
    let new = match import.recorded_in(&to, &targets) {
        Ok(new) => new.confirmed(group.id, form.options.confirmed()),
        Err(error) => return Err(app.table.refuse(&idempotency, error).await.into()),
    };
    let part = ImportPart { run, at_most: None };
    let outcome = app.table.import(member_key, &members, &new, part, &idempotency).await?;
    let is_running =
        matches!(&outcome, Outcome::Done(done) if done.import.status == ImportStatus::Running);
    let status = if is_running { StatusCode::ACCEPTED } else { StatusCode::OK };
    respond(status, &idempotency, outcome)
}

/// The people of a file as members, and the group before the import.
async fn foresee(
    table: &Table,
    to: &Destination<'_>,
    import: &Import,
    matched: &[Option<Match<'_>>],
) -> Result<(Vec<Member>, BeforeImport), Error> {
    let ids: Vec<_> = matched.iter().map(|it| it.map(|it| it.member.id)).collect();
    let (people, records) = import.foreseen_in(to, &ids);
    let format = import.format.unwrap_or(Format::FractiJson);
    let source = import.group.map(|group| group.to_string());
    let before = table.before_import(to.group.id, format, source.as_deref(), records).await?;
    Ok((people, before))
}

/// Matches people whom neither a name nor the request matches with the members for whom earlier
/// imports have recorded their rows. Returns whether there are any.
fn recognize<'a>(
    import: &Import,
    targets: &BTreeMap<String, Target>,
    to: &Destination<'a>,
    people: &[Member],
    before: &BeforeImport,
    matched: &mut [Option<Match<'a>>],
) -> bool {
    let is_open: Vec<bool> = import
        .people
        .iter()
        .zip(&*matched)
        .map(|(person, matched)| matched.is_none() && !targets.contains_key(person.name.as_str()))
        .collect();
    let strangers = people.iter().zip(&is_open).filter(|(_, is_open)| **is_open);
    let recorded = before.compared.recorded_for(&strangers.map(|(it, _)| it.id).collect());
    let mut taken: BTreeSet<MemberId> =
        matched.iter().flatten().map(|matched| matched.member.id).collect();
    let mut any = false;
    for ((person, matched), is_open) in people.iter().zip(matched).zip(is_open) {
        let member = recorded.get(&person.id).map(|id| before.ledger.links.resolve(*id));
        let member = member.and_then(|id| to.members.iter().find(|it| it.id == id));
        let member = member.filter(|it| it.is_present() && it.id != person.id && is_open);
        if let Some(member) = member.filter(|it| taken.insert(it.id)) {
            *matched = Some(Match { member, by: MatchedBy::Import });
            any = true;
        }
    }
    any
}

/// List the imports of a group.
///
/// Newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/imports", tag = "transfer",
    responses((status = OK, body = List<ImportView>)),
    extensions(("x-errors" = json!([Code::TooMuchHistory]))))]
pub(crate) async fn list_imports(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
) -> Result<List<ImportView>, Problem> {
    let list_id = ListId::new("imports", &member_key.group);
    let after = paging.after::<ImportPlace>(&list_id)?;
    let imports = app.table.imports(member_key).await?;
    let is_later = |import: &ImportRow| after.as_ref().is_none_or(|place| place.is_before(import));
    let mut rest = imports.into_iter().filter(is_later).peekable();
    let page: Vec<ImportRow> = rest.by_ref().take(paging.limit()).collect();
    let last = page.last().filter(|_| rest.peek().is_some());
    let next = last.map(|import| paging.cursor(&list_id, &ImportPlace::of(import)));
    Ok(List::new(page.into_iter().map(ImportView::from), next))
}

/// Get an import.
#[utoipa::path(get, path = "/api/groups/{groupId}/import/{importId}", tag = "transfer",
    responses((status = OK, body = Data<ImportView>)))]
pub(crate) async fn get_import(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(import): Id<ImportId>,
) -> Result<Data<ImportView>, Problem> {
    Ok(Data::new(app.table.import_row(member_key, import).await?.into()))
}

/// Undo an import.
///
/// Allowed for the member who imported the file, and for any member once that member has left.
/// Deletes all expenses and settlements of the import that still exist, including edited ones.
/// Guests that the import has added and that have no part in anything else are removed, up to 40 of
/// them; the file brings them back. The response to a large undo may be 202 with the status
/// `undoing`: repeat the request with the response's `run` until the status is `undone`. With a
/// `run` that is over, nothing is deleted and the status is `undone`.
#[utoipa::path(delete, path = "/api/groups/{groupId}/import/{importId}", tag = "transfer",
    responses(
        (status = OK, body = Data<ImportView>),
        (status = ACCEPTED, body = Data<ImportView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn undo_import(
    State(app): State<App>,
    AsMember(member_key, UndoQuery { run }): AsMember<UndoQuery>,
    Id(import): Id<ImportId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ImportView>("undo-import");
    let outcome = app.table.undo_import(member_key, import, run, &idempotency).await?;
    let is_running = matches!(&outcome, Outcome::Done(row) if row.status != ImportStatus::Undone);
    let status = if is_running { StatusCode::ACCEPTED } else { StatusCode::OK };
    respond(status, &idempotency, outcome)
}

/// Cursor of the list of imports: the last one of a page.
#[derive(Serialize, Deserialize)]
struct ImportPlace {
    at: Timestamp,
    id: ImportId,
}

impl ImportPlace {
    const fn of(import: &ImportRow) -> Self {
        Self { at: import.created_at, id: import.id }
    }

    /// Whether an import is after this one in the list.
    fn is_before(&self, import: &ImportRow) -> bool {
        (import.created_at, import.id) < (self.at, self.id)
    }
}
