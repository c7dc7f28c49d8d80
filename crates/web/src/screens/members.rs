//! The members of a group: guests, past members, the reader's wallet, invitations.

use axum::extract::State;
use fracti_core::{
    group::{Group, Invitation, Member},
    input::Unsettled,
    ledger::Ledger,
    values::{currency::Currency, id::MemberId, text::SearchText},
};
use fracti_http::{App, AsMember, Description, Limit, Parameters, Problem, QueryReader, schemas};
use maud::{Markup, html};

use crate::{
    fragment::Fragment,
    qr,
    screens::links::Links,
    text::Texts,
    ui::{self, Names},
};

/// Members on a screen; the next ones are appended.
pub(crate) const MEMBERS: usize = 50;

/// Most members that can have been shown before: more than a group ever has.
const MOST: usize = 100_000;

/// Number of members that were shown before.
pub(crate) struct ShownBefore(pub usize);

impl Parameters for ShownBefore {
    fn read(query: &mut QueryReader) -> Self {
        let number = Description::inline::<u32>;
        let cursor = query.read::<Limit<MOST>>("cursor", "Members shown before.", number);
        Self(cursor.map_or(0, |Limit(cursor)| cursor))
    }
}

/// Which members are shown.
pub(crate) struct MembersQuery {
    text: Option<SearchText>,
    before: ShownBefore,
    /// The guest for whom only the users are asked for, as options.
    users: Option<MemberId>,
}

impl Parameters for MembersQuery {
    fn read(query: &mut QueryReader) -> Self {
        let text = Description::inline::<schemas::SearchText>;
        Self {
            before: ShownBefore::read(query),
            text: query.read("q", "Show only members with this text in their names.", text),
            users: query.read(
                "users",
                "Show the users as options for this guest.",
                Description::inline::<String>,
            ),
        }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<MembersQuery>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let names = Names::new(l, member_key.user.into(), &members);
    let me = members.iter().find(|it| it.id == member_key.user);
    let group = &group;
    let names = &names;
    let ledger = &ledger;
    let links = Links { l, group, names, ledger, me: member_key.user };
    if let Some(guest) = query.users {
        let users = members.iter().filter(|it| !it.guest && it.is_present());
        return Ok(Fragment(html! {
            @for user in users.filter_map(|it| it.id.user()) {
                option value=(user) data-ask=(l.ask_link(links.consequence(guest, user))) {
                    (names.of(user.into()))
                }
            }
        }));
    }
    let is_last = members.iter().filter(|it| it.is_present() && !it.guest).count() == 1;
    let view = MembersScreen { l, group, names, ledger, me, is_last, links };
    let text = query.text.as_ref().map(|it| it.as_str().to_lowercase());
    let is_found = |it: &&Member| {
        let has = |name: &str| text.as_ref().is_none_or(|text| name.to_lowercase().contains(text));
        it.linked_to.is_none() && (has(&it.name) || it.username.as_deref().is_some_and(has))
    };
    let (present, past): (Vec<&Member>, Vec<&Member>) =
        members.iter().filter(is_found).partition(|it| it.is_present());
    let path = format!("{}/members", ui::group_path(group.id));
    let ShownBefore(before) = query.before;
    let next = before.saturating_add(MEMBERS);
    let search = query.text.as_ref().map(|it| {
        form_urlencoded::Serializer::new(String::new()).append_pair("q", it.as_str()).finish()
    });
    let link = ui::start_link(app.bot_username.as_deref(), group.id, ui::Start::Group);
    Ok(Fragment(html! {
        a.back href={ (ui::group_path(group.id)) "/more" } { (l.more()) }
        h1 tabindex="-1" data-title { (l.members_title()) }
        (view.links.waiting())
        @if members.len() >= ui::MANY { (find(l, &path, query.text.as_ref())) }
        @if present.is_empty() && past.is_empty() { p.card.empty { (l.nothing_found()) } }
        div data-pages {
            @if !present.is_empty() {
                ul.card.list {
                    @for member in present.iter().skip(before).take(MEMBERS) { (view.row(member)) }
                }
            }
        }
        @if next < present.len() { (ui::show_more(l, &path, search, &next.to_string())) }
        @if !group.archived && query.text.is_none() {
            (view.guest())
            (view.invite(&link))
            (view.own())
        }
        @if !past.is_empty() {
            section { h2 { (l.past_members()) }
                ul.card.list { @for member in past.iter().take(MEMBERS) { (view.past(member)) } } }
        }
    }))
}

/// Finds members by their names.
fn find(l: Texts, path: &str, text: Option<&SearchText>) -> Markup {
    html! {
        form.card.fields action=(path) data-get {
            (ui::field("q", l.search(), &html! { input #q type="search" name="q" value=[text]; }))
            @if text.is_some() { a.small-button href=(path) { (l.clear()) } }
        }
    }
}

struct MembersScreen<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    ledger: &'a Ledger,
    me: Option<&'a Member>,
    /// Whether the reader is the last user.
    is_last: bool,
    links: Links<'a>,
}

/// Whose balances are open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    Reader,
    Member,
    Group,
}

/// What is open, and the way to settle it.
pub(crate) fn settle_first(l: Texts, group: &Group, open: &Unsettled, whose: Whose) -> Markup {
    let balance = |(currency, net): &(Currency, i128)| {
        let amount = l.minor(net.saturating_abs(), *currency);
        match (whose, *net < 0) {
            (Whose::Reader, true) => l.owing(amount),
            (Whose::Reader, false) => l.being_owed(amount),
            (Whose::Member, true) => l.their_debt(amount),
            (Whose::Member, false) => l.their_claim(amount),
            (Whose::Group, _) => amount,
        }
    };
    let balances: Vec<String> = open.balances.iter().map(balance).collect();
    html! {
        p.hint {
            @if !balances.is_empty() {
                @let balances = balances.join(", ");
                (match whose {
                    Whose::Reader => l.settle_up_first(balances),
                    Whose::Member | Whose::Group => l.settle_first(balances),
                })
                " "
            }
            @if open.pending > 0 { (l.pending_first()) }
        }
        a.small-button href={ (ui::group_path(group.id)) "/balances" } { (l.settle()) }
    }
}

/// The link by which others join. `None` if the group is closed, or if the link is of an earlier
/// release and not known. `link` leads to the group.
pub(crate) fn invitation(group: &Group, link: &str) -> Option<String> {
    if group.invitation.is_none() {
        return Some(link.to_owned());
    }
    Some(format!("{link}_{}", group.known_code()?.expose()))
}

impl MembersScreen<'_> {
    fn api(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group.id)
    }

    fn of_member(&self, member: &Member, rest: &str) -> String {
        self.api(&format!("/members/{}{rest}", member.id))
    }

    /// A member who is present. Guests can be renamed and linked, all others removed.
    fn row(&self, member: &Member) -> Markup {
        let l = self.l;
        let me = self.names.is_me(member.id);
        let may_remove = self.me.is_some_and(|me| self.group.may_remove(me, member));
        let name = self.names.of(member.id);
        let who = html! {
            (self.names.avatar(member.id))
            span.grow {
                span.name { (ui::name(name)) }
                @if member.guest { " " small.tag { (l.guest()) } }
                @if let Some(username) = &member.username {
                    small.hint { bdi dir="ltr" { "@" (username) } }
                }
            }
        };
        html! {
            li {
                @if may_remove && !me && !self.group.archived {
                    details {
                        summary.row { (who) span.sr { (l.edit()) } }
                        div.fields {
                            @if member.guest { (self.rename(member)) (self.links.of_guest(member)) }
                            @match self.ledger.check_settled(member.id) {
                                Ok(()) => form action=(self.of_member(member,
                                    "")) data-method="DELETE" data-then=""
                                    data-ask=(l.ask_remove(name)) data-done=(l.is_gone(name)) {
                                    button.small-button.danger { (l.remove()) }
                                },
                                Err(open) => (settle_first(l, self.group, &open, Whose::Member)),
                            }
                        }
                    }
                } @else { div.row { (who) } }
            }
        }
    }

    fn rename(&self, guest: &Member) -> Markup {
        let id = format!("name-{}", guest.id);
        html! {
            form action=(self.of_member(guest, "")) data-method="PATCH" data-then=""
                data-done=(self.l.saved()) novalidate {
                (ui::field(&id, self.l.guest_name(),
                    &html! { input id=(id) name="name" maxlength="100" value=(guest.name); }))
                (ui::save(self.l.rename()))
            }
        }
    }

    fn past(&self, member: &Member) -> Markup {
        html! {
            li.row {
                (self.names.avatar(member.id)) span.grow { (self.names.shown(member.id)) }
                @if !self.group.archived {
                    form.inline action=(self.of_member(member, "/restore")) data-method="POST"
                        data-then="" data-undo={ "DELETE " (self.of_member(member, "")) }
                        data-done=(self.l.is_back(self.names.of(member.id))) {
                        button.small-button { (self.l.restore()) }
                    }
                }
            }
        }
    }

    fn guest(&self) -> Markup {
        let l = self.l;
        html! {
            details.card.fields { summary { (l.add_guest()) }
                p.hint { (l.guest_about()) }
                form action=(self.api("/members")) data-method="POST" data-then=""
                    data-done=(l.added_guest())
                    data-undo={ "DELETE " (self.api("/members/{id}")) } novalidate {
                    (ui::field("guest", l.guest_name(),
                        &html! { input #guest name="name" maxlength="100" autocomplete="off"; }))
                    (ui::save(l.add()))
                }
            }
        }
    }

    /// Invites by the present link, or makes a new one. A link of an earlier release is not known.
    fn invite(&self, link: &str) -> Markup {
        let l = self.l;
        let text = self.l.invitation_text(&self.group.title);
        let known = invitation(self.group, link);
        html! {
            details.card.fields data-token { summary { (l.invite()) }
                @match (&known, self.group.invitation) {
                    (Some(known), _) => {
                        p.link dir="ltr" { (known) }
                        // Without a bot, it is a path of this server.
                        @if known.starts_with("https:") { (qr::code(known, l.invitation_code())) }
                        button.small-button type="button" data-share-link=(known) data-text=(text) {
                            (l.send_invitation())
                        }
                        button.small-button type="button" data-copy=(known) { (l.copy()) }
                    },
                    (None, Some(Invitation::Closed)) => p.hint { (l.closed_group()) },
                    (None, _) => p.hint { (l.link_only()) },
                }
                p.hint { (l.new_code_about()) }
                form action=(self.api("/invitation")) data-method="POST" data-then=""
                    data-done=(l.new_link_made()) {
                    (ui::save(l.new_code()))
                }
                form action=(self.api("/invitation")) data-method="DELETE" data-then=""
                    data-done=(l.now_closed()) {
                    (ui::save(l.close_invitation()))
                }
            }
        }
    }

    /// The reader's wallet, and leaving.
    fn own(&self) -> Markup {
        let l = self.l;
        let wallet = self.me.and_then(|it| it.wallet.as_ref());
        let open = self.me.and_then(|it| self.ledger.check_settled(it.id).err());
        html! {
            details.card.fields { summary { (l.wallet()) }
                form action=(self.api("/wallet")) data-method="PUT" data-then=""
                    data-done=(l.saved()) novalidate {
                    p.hint { (l.wallet_is_seen()) }
                    (ui::field("wallet", l.wallet(),
                        &html! { input #wallet name="wallet" autocomplete="off" value=[wallet]; }))
                    (ui::save(l.save()))
                }
                @if wallet.is_some() {
                    form action=(self.api("/wallet")) data-method="DELETE" data-then=""
                        data-done=(l.wallet_deleted()) {
                        button.small-button.danger { (l.delete_wallet()) }
                    }
                }
            }
            @match open {
                None => form.card.actions action=(self.api("/leave")) data-method="POST"
                    data-then="/app"
                    data-ask=(if self.is_last { l.ask_leave_last() } else { l.ask_leave() })
                    data-done=(l.you_left(&self.group.title)) {
                    p.error data-problem role="alert" hidden {}
                    @if self.is_last {
                        a.small-button href={ (ui::group_path(self.group.id)) "/export" } {
                            (l.export())
                        }
                    }
                    button.small-button.danger { (l.leave()) }
                },
                Some(open) => section.card.fields {
                    h2 { (l.leave()) }
                    (settle_first(l, self.group, &open, Whose::Reader))
                },
            }
        }
    }
}
