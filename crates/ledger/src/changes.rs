//! Changes of a group as clients follow them.

use fracti_core::{
    records::group_change::{
        AmountBefore, ChangedExpense, ChangedGroup, ChangedImport, ChangedMember, ChangedSchedule,
        ChangedSettlement, EntrySpan, GroupChange,
    },
    values::id::MemberId,
};
use fracti_http::{
    Description, JsonDecimal, List, ListId, Paging, Parameters, QueryReader, Text, schemas,
};
use fracti_store::Changes;
use serde::Serialize;
use utoipa::ToSchema;

/// Query parameters of the changes.
pub(crate) struct ChangesQuery {
    pub(crate) paging: Paging,
}

impl Parameters for ChangesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "`pagination.nextCursor` of an earlier response, however old. Without it, the \
                     list is empty, and `nextCursor` is the place after the last change so far.";
        let paging = Paging::following(query, about);
        let schema = Description::inline::<schemas::DaysLimit>;
        query.describe("limit", "Maximum number of changes on the page.", schema);
        Self { paging }
    }
}

/// A change of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupChange)]
pub(crate) struct GroupChangeView {
    /// Position among the changes of the group, from 1 and without gaps.
    #[schema(minimum = 1, example = 12)]
    number: u64,
    /// What has changed. There may be other kinds in the future; ignore those that you do not know.
    kind: schemas::ChangeKind,
    /// Time of the change.
    at: schemas::Timestamp,
    /// User who made it, or for whom it was made when the time of a hold was over.
    actor_id: schemas::UserId,
    /// Name of this user today.
    #[schema(example = "Bob Jones")]
    actor_name: String,
    /// The expense after the change, or before it was deleted; with `expense.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    expense: Option<ChangedExpenseView>,
    /// Amount before the edit; with `expense.edited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<AmountBeforeView>,
    /// The schedule after the change, or before it was deleted; with `schedule.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<ChangedScheduleView>,
    /// The settlement after the change; with `settlement.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    settlement: Option<ChangedSettlementView>,
    /// The member; with `member.…` and `guest.added`.
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<ChangedMemberView>,
    /// The group's settings after the change; with `group.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<ChangedGroupView>,
    /// The import; with `import.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ChangedImportView>,
    /// The question; with `question.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<ChangedQuestionView>,
    /// Number of adjustments; with `adjustment.…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, example = 1)]
    adjustments: Option<u64>,
    /// Its entries in the ledger, if it has any. Those of an import are more than these.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<EntrySpanView>,
}

/// A question in a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedQuestion)]
struct ChangedQuestionView {
    /// Identifier.
    id: schemas::ResourceId,
    /// What is asked, cut to 300 characters.
    #[schema(example = "Pizza or sushi?")]
    prompt: String,
}

/// An expense in a change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangedExpense)]
struct ChangedExpenseView {
    /// Identifier.
    id: schemas::ResourceId,
    /// What was paid for.
    #[schema(example = "Pizza")]
    description: String,
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
    /// Schedule that recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_id: Option<schemas::ResourceId>,
}

/// A schedule in a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedSchedule)]
struct ChangedScheduleView {
    /// Identifier.
    id: schemas::ResourceId,
    /// What is paid for.
    #[schema(example = "Rent")]
    description: String,
    /// Amount of each expense.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
}

/// An amount before an edit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AmountBefore)]
struct AmountBeforeView {
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
}

/// A settlement in a change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangedSettlement)]
struct ChangedSettlementView {
    /// Identifier.
    id: schemas::ResourceId,
    /// Member who pays.
    from_user_id: schemas::MemberId,
    /// Name of the payer.
    #[schema(example = "Bob Jones")]
    from_user_name: String,
    /// Member who is paid.
    to_user_id: schemas::MemberId,
    /// Name of the recipient.
    #[schema(example = "Alice Smith")]
    to_user_name: String,
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
    /// Status after the change.
    status: schemas::SettlementStatus,
}

/// A member in a change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangedMember)]
struct ChangedMemberView {
    /// Identifier.
    id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    name: String,
    /// User to whom the guest was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    linked_to: Option<schemas::UserId>,
    /// User to whom a link of the guest is proposed, or was until it was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_user_id: Option<schemas::UserId>,
}

/// A group in a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedGroup)]
struct ChangedGroupView {
    /// Title of the group.
    #[schema(example = "Alps 2026")]
    title: String,
    /// Its currency.
    currency: schemas::Currency,
    /// Whether it is archived.
    archived: bool,
    /// How it is joined, once a member has invited to it; as in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    invitation: Option<schemas::InvitationState>,
}

/// An import in a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedImport)]
struct ChangedImportView {
    /// Identifier.
    id: schemas::ResourceId,
    /// Format of the file.
    format: schemas::ImportFormat,
}

/// Consecutive entries of the ledger.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EntrySpan)]
struct EntrySpanView {
    /// Sequence of the first one.
    sequence: u64,
    /// Their number.
    #[schema(minimum = 1)]
    count: u64,
}

/// The response with changes of a group. It always has the cursor.
pub(crate) fn list(paging: &Paging, list_id: &ListId, changes: Changes) -> List<GroupChangeView> {
    let Changes { items, last, more, names } = changes;
    let name = |id: MemberId| names.get(&id).cloned().unwrap_or_default();
    let views = items.into_iter().map(|change| {
        let actor_name = name(change.actor_id.into());
        GroupChangeView { actor_name, ..GroupChangeView::from(change) }
    });
    List::following(views, paging.cursor(list_id, &last), more)
}

impl From<GroupChange> for GroupChangeView {
    fn from(change: GroupChange) -> Self {
        let subject = change.subject;
        Self {
            number: change.number,
            kind: Text(subject.kind),
            at: Text(change.at),
            actor_id: Text(change.actor_id),
            actor_name: String::new(),
            expense: subject.expense.map(|it| {
                let ChangedExpense { id, description, amount, currency, schedule_id } = it;
                ChangedExpenseView {
                    id: Text(id.into()),
                    description,
                    amount: JsonDecimal(amount),
                    currency: Text(currency),
                    schedule_id: schedule_id.map(|id| Text(id.into())),
                }
            }),
            schedule: subject.schedule.map(|it| {
                let ChangedSchedule { id, description, amount, currency } = it;
                let amount = JsonDecimal(amount);
                let currency = Text(currency);
                ChangedScheduleView { id: Text(id.into()), description, amount, currency }
            }),
            before: subject.before.map(|AmountBefore { amount, currency }| AmountBeforeView {
                amount: JsonDecimal(amount),
                currency: Text(currency),
            }),
            settlement: subject.settlement.map(ChangedSettlementView::from),
            member: subject.member.map(|it| {
                let ChangedMember { id, name, linked_to, proposed_user_id } = it;
                ChangedMemberView {
                    id: Text(id),
                    name,
                    linked_to: linked_to.map(Text),
                    proposed_user_id: proposed_user_id.map(Text),
                }
            }),
            group: subject.group.map(|it| {
                let ChangedGroup { title, currency, archived, invitation } = it;
                let currency = Text(currency);
                let invitation = invitation.map(Text);
                ChangedGroupView { title, currency, archived, invitation }
            }),
            import: subject.import.map(|ChangedImport { id, format }| ChangedImportView {
                id: Text(id.into()),
                format: Text(format),
            }),
            question: subject
                .question
                .map(|it| ChangedQuestionView { id: Text(it.id.into()), prompt: it.prompt }),
            adjustments: subject.adjustments,
            entries: change
                .entries
                .map(|EntrySpan { sequence, count }| EntrySpanView { sequence, count }),
        }
    }
}

impl From<ChangedSettlement> for ChangedSettlementView {
    fn from(of: ChangedSettlement) -> Self {
        Self {
            id: Text(of.id.into()),
            from_user_id: Text(of.from_user_id),
            from_user_name: of.from_user_name,
            to_user_id: Text(of.to_user_id),
            to_user_name: of.to_user_name,
            amount: JsonDecimal(of.amount),
            currency: Text(of.currency),
            status: Text(of.status),
        }
    }
}
