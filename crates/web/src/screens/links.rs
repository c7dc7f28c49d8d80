//! Guests who turned out to be users: what waits for the other side to confirm, and what the reader
//! can say.

use fracti_core::{
    group::{Group, Member, ProposedLink},
    ledger::Ledger,
    values::id::{MemberId, UserId},
};
use maud::{Markup, html};

use crate::{
    text::{Texts, sentence},
    ui::{self, Names},
};

/// The links of guests in a group, as a member sees them.
#[derive(Clone, Copy)]
pub(crate) struct Links<'a> {
    pub(crate) l: Texts,
    pub(crate) group: &'a Group,
    pub(crate) names: &'a Names<'a>,
    pub(crate) ledger: &'a Ledger,
    /// The reader.
    pub(crate) me: UserId,
}

impl Links<'_> {
    /// Links that the reader can confirm, below a heading.
    pub(crate) fn waiting(&self) -> Markup {
        let waits = |it: &&ProposedLink| !it.is_by_side_of(self.me) && !self.group.archived;
        let links: Vec<_> = self.group.proposed_links.iter().filter(waits).collect();
        html! {
            @if !links.is_empty() {
                section { h2 { (self.l.waits_for_you()) }
                    ul.card.list { @for link in links { li.row.wrap { (self.proposed(link)) } } } }
            }
        }
    }

    /// The proposed link of a guest, or the way to propose one.
    pub(crate) fn of_guest(&self, guest: &Member) -> Markup {
        if let Some(link) = self.group.proposed_link(guest.id) {
            return html! { div.row.wrap { (self.proposed(link)) } };
        }
        let l = self.l;
        let id = format!("user-{}", guest.id);
        html! {
            form action=(self.path(guest.id)) data-method="POST" data-then=""
                data-done=(l.link_proposed())
                data-undo={ "DELETE " (self.path(guest.id)) } {
                (ui::field(&id, l.link_guest(), &html! {
                    @let group = self.group.id;
                    select id=(id) name="userId"
                        data-options={ "/screens/groups/" (group) "/members?users=" (guest.id) } {
                        option value="" { (l.choose()) }
                    }
                }))
                (ui::save(l.propose_link()))
            }
        }
    }

    /// The button by which the reader says to be a guest; afterwards, what was said, and `members`,
    /// the link by which another member is asked to confirm it.
    pub(crate) fn that_is_me(&self, guest: &Member, members: &str) -> Markup {
        let l = self.l;
        let name = self.names.of(guest.id);
        if let Some(link) = self.group.proposed_link(guest.id) {
            return html! {
                small.hint { (self.said(link)) }
                @if link.is_by_side_of(self.me) {
                    button.small-button type="button" data-share-link=(members)
                        data-text=(l.please_confirm(name)) {
                        (l.ask_to_confirm())
                    }
                }
            };
        }
        html! {
            form.inline action=(self.path(guest.id)) data-method="POST" data-then=""
                data-done=(l.link_proposed()) data-undo={ "DELETE " (self.path(guest.id)) }
                data-ask=(self.consequence(guest.id, self.me)) {
                input type="hidden" name="userId" value=(self.me);
                button.small-button aria-label={ (l.that_is_me()) ": " (name) } { (l.that_is_me()) }
            }
        }
    }

    fn path(&self, guest: MemberId) -> String {
        format!("/api/groups/{}/members/{guest}/link", self.group.id)
    }

    /// What was said: by whom, and who the guest is.
    fn said(&self, link: &ProposedLink) -> Markup {
        let l = self.l;
        let guest = self.names.shown_stored(link.guest_id.into(), &link.guest_name);
        let user = self.names.shown_stored(link.user_id.into(), &link.user_name);
        match (link.proposed_by == link.user_id, link.user_id == self.me) {
            (true, true) => sentence([guest], |[guest]| l.you_said_that_is_you(guest)),
            (true, false) => {
                sentence([user, guest], |[user, guest]| l.said_that_is_me(user, guest))
            }
            (false, is_me) => {
                let by = self.names.shown(link.proposed_by.into());
                if is_me {
                    return sentence([by, guest], |[by, guest]| l.said_that_is_you(by, guest));
                }
                if link.proposed_by == self.me {
                    return sentence([guest, user], |[guest, user]| {
                        l.you_said_that_is(guest, user)
                    });
                }
                sentence([by, guest, user], |[by, guest, user]| l.said_that_is(by, guest, user))
            }
        }
    }

    /// A proposed link, with what the reader can do.
    fn proposed(&self, link: &ProposedLink) -> Markup {
        let l = self.l;
        let path = self.path(link.guest_id.into());
        let confirms = !link.is_by_side_of(self.me);
        let is_me = link.user_id == self.me;
        let (end, ended) = if link.proposed_by == self.me {
            (l.withdraw(), l.link_withdrawn(&link.guest_name))
        } else {
            (if is_me { l.not_me() } else { l.that_is_wrong() }, l.link_declined(&link.guest_name))
        };
        html! {
            span.grow.tall { (self.said(link))
                @if confirms {
                    small.hint { (self.consequence(link.guest_id.into(), link.user_id)) }
                }
                @if !confirms { small.hint { (l.waits_for_the_other_side()) } } }
            @if confirms {
                form.inline action=(path) data-method="POST" data-then=""
                    data-done=(l.confirmed_link())
                    data-ask=(self.consequence(link.guest_id.into(), link.user_id)) {
                    input type="hidden" name="userId" value=(link.user_id);
                    button.small-button { (if is_me { l.yes_that_is_me() } else { l.confirm() }) }
                }
            }
            @if link.may_be_ended_by(self.me) {
                form.inline action=(path) data-method="DELETE" data-then="" data-done=(ended) {
                    button.small-button { (end) }
                }
            }
        }
    }

    /// What a link would change: the balances of the guest, and those of the user afterwards.
    pub(crate) fn consequence(&self, guest: MemberId, user: UserId) -> String {
        let l = self.l;
        let name = self.names.of(guest);
        let mut lines = Vec::new();
        for currency in self.ledger.balances.currencies() {
            let net = |of: MemberId| self.ledger.balances.totals(currency, of).net();
            let of_guest = net(guest);
            if of_guest == 0 {
                continue;
            }
            let amount = |net: i128| l.minor(net.saturating_abs(), currency);
            lines.push(if of_guest < 0 {
                l.guest_owes(name, amount(of_guest))
            } else {
                l.guest_is_owed(name, amount(of_guest))
            });
            let both = of_guest.saturating_add(net(user.into()));
            let shown = self.names.of(user.into());
            lines.push(match (user == self.me, both) {
                (true, 0) => l.then_you_are_settled().to_owned(),
                (true, ..0) => l.then_you_owe_in_all(amount(both)),
                (true, _) => l.then_you_are_owed_in_all(amount(both)),
                (false, 0) => l.then_is_settled(shown),
                (false, ..0) => l.then_owes_in_all(shown, amount(both)),
                (false, _) => l.then_is_owed_in_all(shown, amount(both)),
            });
        }
        lines.push(l.no_way_back().to_owned());
        lines.join(" ")
    }
}

/// Groups in which others say that the reader is a guest, or that they are one, which the reader
/// can confirm.
pub(crate) fn named<'a>(l: Texts, me: UserId, groups: impl Iterator<Item = &'a Group>) -> Markup {
    let links = groups.filter(|group| !group.archived).flat_map(|group| {
        let waits = |it: &&ProposedLink| !it.is_by_side_of(me);
        group.proposed_links.iter().filter(waits).map(move |link| (group, link))
    });
    let links: Vec<_> = links.collect();
    html! {
        @if !links.is_empty() {
            ul.card.list { @for (group, link) in links {
                li { a.row href={ (ui::group_path(group.id)) "/members" } {
                    span.grow {
                        span.name {
                            @let guest = ui::name(&link.guest_name);
                            @if link.user_id == me {
                                (sentence([guest], |[guest]| l.are_you(guest)))
                            }
                            @else { (sentence([ui::name(&link.user_name), guest],
                                |[user, guest]| l.is_user(user, guest))) }
                        }
                        small.hint { (ui::name(&group.title)) }
                    }
                    b.to-answer { (l.answer_now()) }
                } }
            } }
        }
    }
}
