//! The form of an expense: a new one, one like another, one of a spending, or changes to one.

use std::collections::HashSet;

use axum::extract::State;
use fracti_core::{
    group::{Group, Member, links::Links},
    personal::spending::Spending,
    records::{
        expense::{Expense, Share},
        schedule::{RepeatUnit, Schedule, SharedBy},
    },
    split::{Line, LineKind, LineSplit, Sharing, SplitType},
    values::{
        category::{Category, ExpenseCategory},
        currency::Currency,
        decimal::Decimal,
        id::{ExpenseId, MemberId, ScheduleId},
        spending_id::SpendingId,
    },
};
use fracti_http::{
    App, AsMember, Description, ExpenseView, Id, Parameters, Problem, QueryReader, ScheduleView,
    schemas, tag_of,
};
use maud::{Markup, html};

use super::{
    expense::{only, weighted},
    frame::archived,
};
use crate::{
    fragment::Fragment,
    text::Texts,
    ui::{self, AT, Given, ID, NAME, Names},
};

/// Initial values of a new expense.
pub(crate) struct NewQuery {
    from: Option<ExpenseId>,
    spending: Option<SpendingId>,
}

impl Parameters for NewQuery {
    fn read(query: &mut QueryReader) -> Self {
        let schema = Description::inline::<schemas::ResourceId>;
        let from = query.read("from", "Expense whose values are proposed.", schema);
        Self { from, spending: query.text("spending", "Spending that becomes the expense.") }
    }
}

pub(crate) async fn new(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<NewQuery>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let like = async {
        let Some(id) = query.from else { return Ok(None) };
        app.table.expense(member_key, id).await.map(Some)
    };
    let spending = async {
        let Some(id) = &query.spending else { return Ok(None) };
        app.table.spending(member_key.user, id).await.map(Some)
    };
    let ((group, members, ledger), like, spending) =
        tokio::try_join!(app.table.group_and_ledger(member_key), like, spending)?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let group = group.resolved(&ledger.links);
    let form = Form {
        l,
        group: &group,
        members: &members,
        names: &Names::new(l, member_key.user.into(), &members),
        me: member_key.user.into(),
        used: ui::used(&ledger),
        before: like.as_ref(),
        spending: spending.as_ref(),
        schedule: None,
        edits: false,
    };
    Ok(Fragment(form.html()))
}

pub(crate) async fn edit(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ExpenseId>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ((group, members, ledger), expense) = tokio::try_join!(
        app.table.group_and_ledger(member_key),
        app.table.expense(member_key, id),
    )?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let names = Names::new(l, member_key.user.into(), &members);
    let links: Links = members.iter().collect();
    if !expense.may_edit(member_key.user, &links, &members) {
        return Ok(Fragment(html! {
            a.back href={ (ui::group_path(group.id)) "/expenses/" (id) } {
                (ui::name(&expense.description))
            }
            h1 tabindex="-1" data-title { (l.edit_expense()) }
            (only(l, &names, &members, &expense))
        }));
    }
    let form = Form {
        l,
        group: &group,
        members: &members,
        names: &names,
        me: member_key.user.into(),
        used: ui::used(&ledger),
        before: Some(&expense),
        spending: None,
        schedule: None,
        edits: true,
    };
    Ok(Fragment(form.html()))
}

pub(crate) async fn edit_schedule(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ScheduleId>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let ((group, members, ledger), schedule) = tokio::try_join!(
        app.table.group_and_ledger(member_key),
        app.table.schedule(member_key, id),
    )?;
    if group.archived {
        return Ok(Fragment(archived(l, &group)));
    }
    let group = group.resolved(&ledger.links);
    let form = Form {
        l,
        group: &group,
        members: &members,
        names: &Names::new(l, member_key.user.into(), &members),
        me: member_key.user.into(),
        used: ui::used(&ledger),
        before: Some(&schedule.template),
        spending: None,
        schedule: Some(&schedule),
        edits: true,
    };
    Ok(Fragment(form.html()))
}

/// Contents of the form.
struct Form<'a> {
    l: Texts,
    group: &'a Group,
    members: &'a [Member],
    names: &'a Names<'a>,
    me: MemberId,
    /// Currencies of the group's balances.
    used: String,
    /// The expense whose values are proposed.
    before: Option<&'a Expense>,
    /// The spending that becomes the expense.
    spending: Option<&'a Spending>,
    /// The schedule whose expense `before` is.
    schedule: Option<&'a Schedule>,
    /// Whether the form changes the expense.
    edits: bool,
}

/// The control of a member for a split type.
struct Control {
    /// Name of its field.
    field: &'static str,
    /// Text of an empty field.
    empty: &'static str,
    /// Whether the field has an amount, instead of another number.
    is_amount: bool,
    /// Number of a stored share.
    of: fn(&Share) -> Option<Decimal>,
}

/// The control of a split type; `None` if members have no numbers.
const fn control(split: SplitType) -> Option<Control> {
    let (field, empty, is_amount, of): (_, _, _, fn(&Share) -> Option<Decimal>) = match split {
        SplitType::Equal | SplitType::Itemized => return None,
        SplitType::Shares => ("weight", "1", false, |share| share.weight),
        SplitType::Exact => ("amount", "0", true, |share| Some(share.amount)),
        SplitType::Percentage => ("percentage", "%", false, |share| share.percentage),
        SplitType::Adjustment => ("adjustment", "±0", true, |share| share.adjustment),
    };
    Some(Control { field, empty, is_amount, of })
}

/// Split types in the order in which they are shown.
fn types() -> impl Iterator<Item = SplitType> {
    let mut types = SplitType::ALL;
    types.sort_by_key(|it| match it {
        SplitType::Equal => 0,
        SplitType::Shares => 1,
        SplitType::Exact => 2,
        SplitType::Percentage => 3,
        SplitType::Adjustment => 4,
        SplitType::Itemized => 5,
    });
    types.into_iter()
}

/// How often an expense may repeat, as people choose it.
const OFTEN: [(RepeatUnit, u32); 5] = [
    (RepeatUnit::Day, 1),
    (RepeatUnit::Week, 1),
    (RepeatUnit::Week, 2),
    (RepeatUnit::Month, 1),
    (RepeatUnit::Year, 1),
];

impl Form<'_> {
    fn html(&self) -> Markup {
        let l = self.l;
        let path = ui::group_path(self.group.id);
        let api = format!("/api/groups/{}/expenses", self.group.id);
        let edited = self.before.filter(|_| self.edits);
        let fixed = self.spending.map(|it| it.currency);
        let schedules = format!("/api/groups/{}/schedules", self.group.id);
        let (action, preview, then, tag) = match (self.schedule, edited) {
            (Some(it), _) => (
                format!("{schedules}/{}", it.id),
                format!("{api}/preview"),
                format!("{path}/schedules/{}", it.id),
                Some(tag_of(&ScheduleView::of(it.clone(), l.0))),
            ),
            (None, Some(it)) => (
                format!("{api}/{}", it.id),
                format!("{api}/{}/preview", it.id),
                format!("{path}/expenses/{}", it.id),
                Some(tag_of(&ExpenseView::from(it.clone()))),
            ),
            (None, None) => (api.clone(), format!("{api}/preview"), path.clone(), None),
        };
        let title = match (self.schedule, self.edits) {
            (Some(_), _) => l.edit_repeating(),
            (None, true) => l.edit_expense(),
            (None, false) => l.new_expense(),
        };
        let repeats = self.repeats();
        let usual = self.usual();
        html! {
            a.back href=(then) {
                (ui::name(edited.map_or(self.group.title.as_str(), |it| &it.description)))
            }
            h1 tabindex="-1" data-title { (title) }
            form action=(action) data-method=(if self.edits { "PUT" } else { "POST" })
                data-then=(then) data-preview=(preview)
                data-schedules=[repeats.then_some(schedules)]
                data-currency=[fixed.map(Currency::code)]
                data-digits=[fixed.map(Currency::exponent)]
                data-amount=[self.spending.map(|it| it.amount)] data-used=(self.used)
                data-etag=[tag]
                data-undo=[(!self.edits && self.spending.is_none())
                    .then(|| format!("DELETE {api}/{{id}}"))]
                data-done=(if self.edits { l.saved() } else { l.added() }) novalidate {
                @if self.schedule.is_some_and(|it| it.problem.is_some()) {
                    input type="hidden" name="paused" value="false" data-json;
                }
                (self.first_fields(usual.as_ref()))
                (self.split(usual.is_some()))
                (self.more())
                p.error data-problem role="alert" hidden {}
                button.main-button data-main data-sum { (l.save()) }
                @if !self.edits {
                    button.more data-then={ (path) "/expenses/new" } data-keep="date" {
                        (l.save_and_add())
                    }
                }
            }
        }
    }

    /// Members who can take part: those who are present, and those who do already.
    fn people(&self) -> impl Iterator<Item = &Member> {
        let takes_part = |id: MemberId| {
            let Some(expense) = self.before.filter(|_| self.edits) else { return false };
            expense.splits.iter().any(|share| share.user_id == id)
                || expense.payer_ids().any(|it| it == id)
        };
        self.members
            .iter()
            .filter(move |it| it.is_present() && it.linked_to.is_none() || takes_part(it.id))
    }

    /// `usual` are the members who share by the group's default split.
    fn first_fields(&self, usual: Option<&HashSet<MemberId>>) -> Markup {
        let l = self.l;
        let (amount, currency) = match (self.spending, self.before) {
            (Some(spending), _) => (Some(spending.amount), spending.currency),
            (None, Some(before)) => (Some(before.amount), before.currency),
            (None, None) => (None, self.group.currency),
        };
        let description =
            self.spending.map(|it| it.title.as_str()).or(self.before.map(|it| &*it.description));
        let several = self.before.is_some_and(|it| it.payers.len() > 1);
        let payer = self.before.map_or(self.me, |it| it.payer_id);
        let is_usual = |id| usual.is_some_and(|it| it.contains(&id));
        let people = html! {
            @for it in self.people() { (self.names.person(it.id, it.id == payer, is_usual(it.id))) }
        };
        html! {
            div.card.fields {
                @if let Some(spending) = self.spending {
                    input type="hidden" name="spendingId" value=(spending.id);
                    datalist data-people data-takes=(l.shares_it(NAME)) { (people) }
                    div.field {
                        span.label { (l.shares_spending()) }
                        (ui::money(l, spending.amount, spending.currency))
                    }
                } @else {
                    div.amount {
                        label.sr for="amount" { (l.amount_label()) }
                        input #amount.big name="amount" inputmode="decimal" autocomplete="off"
                            placeholder="0" data-decimal
                            autofocus[!self.edits] value=[amount.map(|it| l.amount_field(it,
                                currency))]
                            data-of="usual equal shares exact percentage adjustment";
                        output.big.num data-of="itemized" data-total aria-label=(l.total_label()) {
                            (self.before.map_or_else(|| "0".to_owned(),
                                |it| l.amount(it.amount, it.currency)))
                        }
                        (ui::remembered_currency(l, "currency", currency,
                            self.remembers("currency")))
                    }
                }
                div.field {
                    label for="description" { (l.what_for()) }
                    input #description name="description" maxlength="200" autocomplete="off"
                        placeholder=(l.what_for_example()) value=[description];
                    @if self.before.is_none() {
                        button.small-button type="button" data-guess="category" hidden {}
                    }
                }
                @if self.spending.is_none() {
                    div.field {
                        label for="payer" { (l.paid_by()) }
                        select #payer name="payerId" data-people data-takes=(l.shares_it(NAME))
                            data-remember=[self.remembers("payer")] {
                            (people)
                        }
                    }
                    details.field data-instead="payerId" open[several] {
                        summary { (l.several_paid()) }
                        p.hint { (l.paid_rest_hint()) }
                        (self.payers())
                    }
                }
            }
        }
    }

    /// The name by which a device remembers a choice for the next new expense of the group.
    fn remembers(&self, what: &str) -> Option<String> {
        self.before.is_none().then(|| format!("{what}:{}", self.group.id))
    }

    /// The members who may have paid parts.
    fn payers(&self) -> Markup {
        let payers = self.before.map(|it| &*it.payers).unwrap_or_default();
        // The main payer pays the rest, so that the amount can be changed alone.
        let (main, others) = payers.split_at_checked(1).unwrap_or_default();
        let main = main.iter().map(|it| (it.user_id, String::new()));
        let currency = self.before.map_or(self.group.currency, |it| it.currency);
        let shown = |amount| self.l.amount_field(amount, currency);
        let others = others.iter().map(|it| (it.user_id, shown(it.amount)));
        let given: Given = main.chain(others).collect();
        let row = html! {
            div.row data-row {
                label.grow.check {
                    input type="checkbox" data-counts name={ "payers[" (AT) "].userId" } value=(ID);
                    span.name { (ui::name(NAME)) }
                }
                span.stepper {
                    input.num name={ "payers[" (AT) "].amount" } inputmode="decimal"
                        autocomplete="off" data-decimal data-value
                        aria-label=(self.l.amount_of(NAME)) placeholder="…";
                }
            }
        };
        ui::each(&row, Some(&given))
    }

    /// `has_usual` says whether members can share by the group's default split.
    fn split(&self, has_usual: bool) -> Markup {
        let l = self.l;
        let shared_by = self.schedule.and_then(|it| it.shared_by);
        // A rule by which no present member shares is not proposed.
        let rule = self.group.default_split(None);
        let divides = rule.is_none_or(|rule| self.people().any(|it| rule.has(it.id)));
        let as_usual = self.before.is_none() && divides || shared_by == Some(SharedBy::Default);
        let chosen = self.before.map_or(SplitType::Equal, |it| it.split_type);
        let is_chosen = |split| split == chosen && !(has_usual && as_usual);
        html! {
            fieldset {
                legend { (l.split()) }
                div.segments {
                    @if has_usual {
                        label.wide {
                            input.sr type="radio" name="splitType" value="" checked[as_usual];
                            span { (l.as_usual()) }
                        }
                    }
                    @for split in types() {
                        label {
                            input.sr type="radio" name="splitType" value=(split)
                                checked[is_chosen(split)];
                            span { (l.split_type(split)) }
                        }
                    }
                }
                div.takers data-of="equal shares exact percentage adjustment" {
                    span.hint data-last hidden { (l.as_last_time("{a}")) " ·" }
                    button.small-button type="button" data-all { (l.everybody()) }
                    button.small-button type="button" data-none { (l.nobody()) }
                    @if self.people().count() >= ui::MANY {
                        input type="search" data-filter aria-label=(l.search())
                            placeholder=(l.search()) autocomplete="off";
                    }
                }
                ul.card.list.shares data-of="equal shares exact percentage adjustment" {
                    (self.shares())
                }
                @if has_usual {
                    ul.card.list.shares data-of="usual" { (ui::each_usual(&share_of())) }
                }
                p.note.hint data-of="adjustment" { (l.extra_about()) }
                button.small-button type="button" data-rest data-of="exact percentage" hidden {}
                div data-of="itemized" { (self.lines()) }
                p.note.hint data-note aria-live="polite" {}
            }
        }
    }

    /// The members, their number for each split type, and their share.
    fn shares(&self) -> Markup {
        let l = self.l;
        let before = self.before.filter(|it| it.split_type != SplitType::Itemized);
        let chosen = before.map(|it| it.split_type);
        let number_of = chosen.and_then(control);
        let given: Option<Given> = before.map(|it| {
            let text = |share: &Share| {
                let control = number_of.as_ref()?;
                let number = (control.of)(share)?;
                Some(if control.is_amount {
                    l.amount_field(number, it.currency)
                } else {
                    l.number_field(number)
                })
            };
            let given = |share: &Share| (share.user_id, text(share).unwrap_or_default());
            it.splits.iter().map(given).collect()
        });
        let controls = types().filter_map(|split| Some((split, control(split)?)));
        let row = html! {
            li.row data-row {
                label.grow.check {
                    input type="checkbox" data-counts name={ "splits[" (AT) "].userId" } value=(ID)
                        data-remember=[self.remembers("takers")] checked[given.is_none()]
                        aria-label="{takes}";
                    (ui::each_avatar())
                    span.name { (ui::name(NAME)) }
                }
                @for (split, Control { field, empty, is_amount, .. }) in controls {
                    @let value = (split == SplitType::Shares).then_some("1");
                    span.stepper data-of=(split) hidden {
                        @if split == SplitType::Shares {
                            button type="button" data-step="-1" aria-label=(l.less_for(NAME)) {
                                "−"
                            }
                        }
                        input.num name={ "splits[" (AT) "]." (field) } inputmode="decimal"
                            autocomplete="off" data-decimal[is_amount] data-number[!is_amount]
                            value=[value] data-value[chosen == Some(split)]
                            placeholder=(empty) aria-label=(l.value_of(NAME));
                        @if split == SplitType::Shares {
                            button type="button" data-step="1" aria-label=(l.more_for(NAME)) { "+" }
                        }
                    }
                }
                output data-share=(ID) { "–" }
            }
        };
        ui::each(&row, given.as_ref())
    }

    /// The lines of a receipt, and the shares that follow from them.
    fn lines(&self) -> Markup {
        let l = self.l;
        let lines = self.before.and_then(|it| it.items.as_deref()).unwrap_or_default();
        html! {
            div.card.fields {
                p.hint { (l.who_had_it()) }
                @for (index, line) in lines.iter().enumerate() {
                    (self.line(&index.to_string(), Some(line), line.kind))
                }
                template #line { (self.line("#", None, LineKind::Item)) }
                button.small-button type="button" data-add="line" data-next=(lines.len()) {
                    (l.add_line())
                }
                template #extra { (self.line("#", None, LineKind::Tip)) }
                button.small-button type="button" data-add="extra" data-next="500" {
                    (l.add_extra())
                }
            }
            @if !self.edits {
                a.more href={ (ui::group_path(self.group.id)) "/questions/new" } {
                    (l.ask_who_had_what())
                }
            }
            ul.card.list.shares { (ui::each(&share_of(), None)) }
        }
    }

    /// The members who may share an expense by the group's default split, if it has one. An edit
    /// does not apply it, but later expenses of a schedule may still follow it.
    fn usual(&self) -> Option<HashSet<MemberId>> {
        let rules = &self.group.default_splits;
        let shares = |it: &&Member| rules.is_empty() || rules.iter().any(|rule| rule.has(it.id));
        let follows = self.schedule.is_some_and(|it| it.shared_by == Some(SharedBy::Default));
        let is_new = !self.edits && !rules.is_empty();
        (is_new || follows).then(|| self.people().filter(shares).map(|it| it.id).collect())
    }

    /// A line; `index` is `#` in a template.
    fn line(&self, index: &str, line: Option<&Line<Decimal>>, kind: LineKind) -> Markup {
        let l = self.l;
        let at = |field: &str| format!("items[{index}].{field}");
        let currency = self.before.map_or(self.group.currency, |it| it.currency);
        let amount = line.map(|it| l.amount_field(it.amount, currency));
        let extras = [LineKind::Tax, LineKind::Tip, LineKind::Fee, LineKind::Discount];
        html! {
            div.field data-row {
                div.line-fields {
                    @if kind == LineKind::Item {
                        input name=(at("name")) value=[line.map(|it| &it.name)]
                            aria-label=(l.line_name()) placeholder=(l.line_name()) maxlength="100";
                    } @else {
                        select name=(at("kind")) aria-label=(l.line_kind()) {
                            @for it in extras {
                                option value=(it) selected[it == kind] { (l.line(it)) }
                            }
                        }
                        input type="hidden" name=(at("name"))
                            value=(line.map_or(l.line(kind), |it| it.name.as_str()));
                    }
                    input.num name=(at("amount")) inputmode="decimal" autocomplete="off"
                        data-decimal placeholder="0"
                        value=[amount] aria-label=(l.amount_label());
                    button.small-button type="button" data-remove aria-label=(l.remove_line()) {
                        "✕"
                    }
                }
                @if kind == LineKind::Item {
                    div.toggles { (sharers(l, line, &at)) }
                }
                @if let Some(line) = line { (kept(line, &at)) }
                @if kind != LineKind::Item { (self.extra(line)) }
            }
        }
    }

    /// Name of a line that is not an item, how it is divided, and what it is for. The script names
    /// the items. A new line is divided as the API does it unless told otherwise.
    fn extra(&self, line: Option<&Line<Decimal>>) -> Markup {
        let l = self.l;
        let named = line.filter(|it| !Texts::is_name_of(it.kind, it.name.as_str()));
        html! {
            small.hint {
                @if let Some(line) = named { (ui::name(&line.name)) " · " }
                @match line.map(|it| &it.sharing) {
                    None => (l.line_split(LineSplit::default())),
                    Some(Sharing::Over { over, split }) => {
                        (l.line_split(*split))
                        @if over.is_some() { " · " output data-over {} }
                    },
                    Some(Sharing::Sharers { sharers }) => (weighted(l, self.names, sharers)),
                }
            }
        }
    }

    /// Whether the form says how often the expense repeats.
    const fn repeats(&self) -> bool {
        self.schedule.is_some() || !self.edits && self.spending.is_none()
    }

    /// How often it repeats, and until when.
    fn repeat(&self) -> Markup {
        let l = self.l;
        let now = self.schedule.map(|it| &it.repeat);
        let chosen = now.map(|it| (it.every, it.interval));
        let other = chosen.filter(|it| !OFTEN.contains(it));
        html! {
            (ui::field("repeat", l.repeat(), &html! {
                select #repeat name="repeat.every" data-repeat {
                    @if now.is_none() { option value="" { (l.never()) } }
                    @for (unit, interval) in OFTEN.into_iter().chain(other) {
                        option value={ (unit) " " (interval) }
                            selected[chosen == Some((unit, interval))] {
                            (l.every(unit, interval))
                        }
                    }
                }
            }))
            (ui::field("until", l.repeat_until(), &html! {
                input #until type="date" name="repeat.until" value=[now.and_then(|it| it.until)]
                    disabled[now.is_none()];
            }))
        }
    }

    fn more(&self) -> Markup {
        let l = self.l;
        let category = self.before.and_then(|it| it.category);
        let notes = self.before.filter(|_| self.edits).and_then(|it| it.notes.as_deref());
        let date = self.before.filter(|_| self.edits).map(Expense::day);
        let date = self.schedule.map_or(date, |it| it.next_date);
        let date = date.or(self.spending.map(|it| it.user_date));
        let own = self.group.categories.iter();
        let repeats = self.repeats();
        html! {
            details.card.fields open[self.edits] {
                summary { (if repeats { l.more_and_repeat() } else { l.more_details() }) }
                (ui::field("date",
                    if self.schedule.is_some() { l.date_of_next() } else { l.date() },
                        &html! { input #date type="date" name="date" value=[date] data-today; }))
                @if repeats { (self.repeat()) }
                (ui::field("category", l.category_label(), &html! {
                    select #category name="category" data-null[self.edits] {
                        option value="" { (l.no_category()) }
                        @for it in Category::all() {
                            option value=(it)
                                selected[category == Some(ExpenseCategory::BuiltIn(it))] {
                                (it.emoji())
                                " "
                                (l.category(it))
                            }
                        }
                        @for it in own {
                            option value=(it.key)
                                selected[category == Some(ExpenseCategory::Own(it.key))] {
                                (it.name)
                            }
                        }
                    }
                }))
                (ui::field("notes", l.notes(), &html! {
                    textarea #notes name="notes" rows="2" maxlength="1000" data-null[self.edits] {
                        (notes.unwrap_or_default())
                    }
                }))
            }
        }
    }
}

/// The members who may share a line. Where their weights differ, each has a field of it.
fn sharers(l: Texts, line: Option<&Line<Decimal>>, at: &impl Fn(&str) -> String) -> Markup {
    let one = Decimal::new(1, 0);
    let differ = line.is_some_and(|it| it.sharers().any(|(_, weight)| weight != one));
    let text = |weight: Decimal| if differ { l.number_field(weight) } else { String::new() };
    let given: Option<Given> =
        line.map(|it| it.sharers().map(|(id, weight)| (id, text(weight))).collect());
    let toggle = html! {
        label.toggle {
            input.sr type="checkbox" name=(at("sharers[{at}].userId")) value=(ID) aria-label=(NAME);
            (ui::each_avatar())
            small.hint aria-hidden="true" { (NAME) }
        }
    };
    let row = html! {
        @if differ {
            div.taker {
                (toggle)
                span.stepper dir="ltr" {
                    "×"
                    input.num name=(at("sharers[{at}].weight")) inputmode="decimal"
                        autocomplete="off" data-number value="1" data-value
                        aria-label=(l.value_of(NAME));
                }
            }
        } @else { (toggle) }
    };
    ui::each(&row, given.as_ref())
}

/// Hidden fields of a line, which an edit keeps.
fn kept(line: &Line<Decimal>, at: &impl Fn(&str) -> String) -> Markup {
    html! {
        @if let Some(quantity) = line.quantity {
            input type="hidden" name=(at("quantity")) value=(quantity);
        }
        @if let Some(price) = line.price { input type="hidden" name=(at("price")) value=(price); }
        @match &line.sharing {
            Sharing::Over { over, split } => {
                input type="hidden" name=(at("split")) value=(split);
                @for (place, item) in over.iter().flatten().enumerate() {
                    input type="hidden" name=(at(&format!("over[{place}]"))) value=(item)
                        data-index="items";
                }
            },
            // Those of an item are chosen.
            Sharing::Sharers { sharers } => @if line.kind != LineKind::Item {
                @for (place, (id, weight)) in sharers.iter().enumerate() {
                    input type="hidden" name=(at(&format!("sharers[{place}].userId"))) value=(id);
                    input type="hidden" name=(at(&format!("sharers[{place}].weight")))
                        value=(weight);
                }
            },
        }
    }
}

/// A member's share, which follows from what was entered.
fn share_of() -> Markup {
    html! {
        li.row { (ui::each_avatar()) span.grow { (ui::name(NAME)) } output data-share=(ID) { "–" } }
    }
}
