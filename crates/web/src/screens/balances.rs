//! The balances of a group: bars, who pays whom, and payments on their way.

use axum::extract::State;
use fracti_core::{
    group::Group,
    ledger::Ledger,
    plan::Plan,
    reports::debts::Debts,
    values::{currency::Currency, id::MemberId},
};
use fracti_http::{App, AsMember, Problem};
use maud::{Markup, html};

use super::{
    group::{add, head, waiting},
    settlement::Rights,
};
use crate::{
    chart::{self, Flow},
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let pending = app.table.pending_settlements(group.id, &ledger).await?;
    let me: MemberId = member_key.user.into();
    let names = Names::new(l, me, &members);
    let debts = Debts::of(&members, &ledger, Some(&pending))
        .or_else(|_| Debts::of(&members, &ledger, None))?;
    let view = View {
        l,
        group: &group,
        names: &names,
        ledger: &ledger,
        link: ui::start_link(app.bot_username.as_deref(), group.id, ui::Start::Group),
    };
    let ids = debts.members.iter().map(|member| (member.id, member.guest));
    let mut ids: Vec<(MemberId, bool)> = ids.collect();
    ids.sort_by_key(|(id, _)| {
        (*id != me, std::cmp::Reverse(view.net(group.currency, *id).unsigned_abs()))
    });
    Ok(Fragment(html! {
        (head(l, &group, 1))
        (waiting(l, &group, &names, (&Rights::of(&members, member_key.user), &ledger), &pending))
        div.columns {
            (view.balances(&ids))
            section {
                h2 { (l.who_pays_whom()) }
                @if debts.plans.values().all(|plan| plan.transfers.is_empty()) {
                    p.card.empty { (l.all_settled()) }
                }
                @for (currency, plan) in debts.plans.iter().filter(|(_, it)| !it.transfers.is_empty()) {
                    (view.plan(*currency, plan))
                }
                @if !pending.is_empty() {
                    h2 { (l.pending_payments()) }
                    ul.card.list {
                        @for it in &pending {
                            li { a.row href={ (ui::group_path(group.id)) "/settlements/" (it.id) } {
                                span.grow { (names.shown_stored(it.from_user_id, &it.from_user_name)) " " (ui::arrow()) " "
                                    (names.shown_stored(it.to_user_id, &it.to_user_name)) }
                                (ui::money(l, it.amount, it.currency))
                            } }
                        }
                    }
                }
            }
        }
        (add(l, &group))
    }))
}

/// Contents of the parts of the screen.
struct View<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    ledger: &'a Ledger,
    /// Opens the group in Telegram.
    link: String,
}

impl View<'_> {
    fn net(&self, currency: Currency, id: MemberId) -> i128 {
        self.ledger.balances.totals(currency, id).net()
    }

    /// Every member with their balances; a bar shows that in the group's currency.
    fn balances(&self, members: &[(MemberId, bool)]) -> Markup {
        let (l, own) = (self.l, self.group.currency);
        let most = members.iter().map(|(id, _)| self.net(own, *id).unsigned_abs()).max();
        html! {
            section {
                h2 { (l.balances()) }
                ul.card.list {
                    @for (id, guest) in members {
                        li { a.row href={ (ui::group_path(self.group.id)) "/ledger/" (id) } {
                            (self.names.avatar(*id))
                            span.grow {
                                span.line {
                                    span.name { (self.names.shown(*id)) @if *guest { " " small.tag { (l.guest()) } } }
                                    (ui::balance(l, self.net(own, *id), own))
                                }
                                (chart::balance(self.net(own, *id), most.unwrap_or_default()))
                                @for currency in self.ledger.balances.currencies().filter(|it| *it != own) {
                                    @let net = self.net(currency, *id);
                                    @if net != 0 { small { (ui::balance(l, net, currency)) " " } }
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// A payment of the plan as a sentence.
    fn payment(&self, from: MemberId, to: MemberId, amount: String) -> String {
        let [payer, recipient] = [from, to].map(|id| self.names.of(id));
        if self.names.is_me(from) {
            self.l.you_pay(recipient, amount)
        } else if self.names.is_me(to) {
            self.l.pays_you(payer, amount)
        } else {
            self.l.pays(payer, recipient, amount)
        }
    }

    /// The payments that settle a currency, as a picture and as a list.
    fn plan(&self, currency: Currency, plan: &Plan) -> Markup {
        let (l, path) = (self.l, ui::group_path(self.group.id));
        let label =
            l.payments_settle(plan.transfers.len().try_into().unwrap_or_default(), plan.optimal);
        let flow = |it: &fracti_core::plan::Transfer| Flow {
            from: self.names.of(it.from).to_owned(),
            to: self.names.of(it.to).to_owned(),
            minor: it.minor,
            label: self.payment(it.from, it.to, l.minor(it.minor, currency)),
        };
        let flows: Vec<Flow> = plan.transfers.iter().map(flow).collect();
        html! {
            figure.card {
                (chart::flows(&flows, &label))
                figcaption.hint { (label) }
                ul.list {
                    @for it in &plan.transfers {
                        li.row.wrap {
                            span.grow { (self.names.shown(it.from)) " " (ui::arrow()) " " (self.names.shown(it.to)) }
                            (ui::minor(l, it.minor, currency))
                            @if self.names.is_me(it.to) && it.from.user().is_some() {
                                button.small-button type="button" data-share-link=(self.link)
                                    data-text=(l.remind_text(l.minor(it.minor, currency), &self.group.title)) { (l.remind()) }
                            }
                            @if self.names.is_me(it.from) || self.names.is_me(it.to) {
                                a.small-button href={ (path) "/settle?from=" (it.from) "&to=" (it.to)
                                    "&amount=" (currency.to_major(it.minor)) "&currency=" (currency.code()) } {
                                    (if self.names.is_me(it.from) { l.pay() } else { l.received() })
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
