//! The balances of a group: bars, who pays whom, and payments on their way.

use axum::extract::State;
use fracti_core::{
    group::Group,
    ledger::Ledger,
    plan::{Plan, Transfer},
    records::settlement::Settlement,
    reports::debts::Debts,
    values::{currency::Currency, id::MemberId},
};
use fracti_http::{App, AsMember, Description, Parameters, Problem, QueryReader, schemas};
use maud::{Markup, html};

use super::{
    frame::{add, head},
    group::waiting,
    members::{MEMBERS, ShownBefore},
    settle,
    settlement::{Rights, remark, unconfirmed},
};
use crate::{
    chart::{self, Flow},
    fragment::Fragment,
    text::Texts,
    ui::{self, Names},
};

/// Currencies of a group from which on the balances are shown in one of them at a time.
const MANY_CURRENCIES: usize = 4;

/// The part of the balances that is shown.
pub(crate) struct BalancesQuery {
    before: ShownBefore,
    currency: Option<Currency>,
}

impl Parameters for BalancesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let code = Description::inline::<schemas::Currency>;
        Self {
            before: ShownBefore::read(query),
            currency: query.read("currency", "Currency of the balances.", code),
        }
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<BalancesQuery>,
    l: Texts,
) -> Result<Fragment, Problem> {
    let (group, members, ledger) = app.table.group_and_ledger(member_key).await?;
    let pending = app.table.pending_settlements(group.id, &ledger).await?;
    let me: MemberId = member_key.user.into();
    let names = Names::new(l, me, &members);
    let debts = Debts::of(&members, &ledger, Some(&pending))
        .or_else(|_| Debts::of(&members, &ledger, None))?;
    let view = BalancesScreen {
        l,
        group: &group,
        names: &names,
        ledger: &ledger,
        pending: &pending,
        currency: query.currency.unwrap_or(group.currency),
        link: ui::start_link(app.bot_username.as_deref(), group.id, ui::Start::Group),
    };
    let ids = debts.members.iter().map(|member| (member.id, member.guest));
    let mut ids: Vec<(MemberId, bool)> = ids.collect();
    ids.sort_by_key(|(id, _)| {
        (*id != me, std::cmp::Reverse(view.net(view.currency, *id).unsigned_abs()))
    });
    // A reader who is only owed looks at the balances first, unless there are pages of them.
    let is_long = ids.len() > MEMBERS;
    let comes_first = |it: &Transfer| it.from == me || is_long && it.to == me;
    let payments_first = debts.plans.values().flat_map(|plan| &plan.transfers).any(comes_first);
    let mut plans: Vec<_> =
        debts.plans.iter().filter(|(_, plan)| !plan.transfers.is_empty()).collect();
    plans.sort_by_key(|(currency, _)| **currency != group.currency);
    let payments = html! {
        section {
            h2 { (l.who_pays_whom()) }
            @if plans.is_empty() {
                p.card.empty {
                    (if pending.is_empty() { l.all_settled() } else { l.settled_once_confirmed() })
                }
            }
            @for (currency, plan) in &plans { (view.plan(**currency, plan, plans.len() > 1)) }
            @if !pending.is_empty() {
                h2 { (l.pending_payments()) }
                ul.card.list {
                    @for it in &pending {
                        li { a.row href={ (ui::group_path(group.id)) "/settlements/" (it.id) } {
                            span.grow {
                                (names.parties(
                                    (it.from_user_id, &it.from_user_name),
                                    (it.to_user_id, &it.to_user_name),
                                ))
                            }
                            (ui::money(l, it.amount, it.currency))
                        } }
                    }
                }
                p.hint.about { (l.counts_in_plan()) }
            }
        }
    };
    Ok(Fragment(html! {
        (head(l, &group, 1))
        (waiting(l, &group, &names, (&Rights::of(&members, member_key.user), &ledger), &pending))
        div.columns {
            // The reader's own payments come before what all are owed.
            @if payments_first {
                (payments)
                (view.balances(&ids, query.before))
            } @else {
                (view.balances(&ids, query.before))
                (payments)
            }
        }
        (add(&group, l.add_expense()))
    }))
}

/// Contents of the parts of the screen.
struct BalancesScreen<'a> {
    l: Texts,
    group: &'a Group,
    names: &'a Names<'a>,
    ledger: &'a Ledger,
    /// Payments that the balances do not count yet.
    pending: &'a [Settlement],
    /// The currency of the bars.
    currency: Currency,
    /// Opens the group in Telegram.
    link: String,
}

impl BalancesScreen<'_> {
    fn net(&self, currency: Currency, id: MemberId) -> i128 {
        self.ledger.balances.totals(currency, id).net()
    }

    /// Members with their balances; a bar shows that in one currency, at first that of the group.
    /// The largest are first. In many currencies, each is shown by itself.
    fn balances(&self, members: &[(MemberId, bool)], ShownBefore(before): ShownBefore) -> Markup {
        let l = self.l;
        let own = self.currency;
        let path = ui::group_path(self.group.id);
        let of = |it: Currency| format!("{path}/balances?currency={}", it.code());
        let others: Vec<Currency> =
            self.ledger.balances.currencies().filter(|it| *it != self.group.currency).collect();
        let is_one_by_one = others.len().saturating_add(1) >= MANY_CURRENCIES;
        let tabs: Vec<_> =
            [self.group.currency].iter().chain(&others).map(|it| (it.code(), of(*it))).collect();
        let shown = tabs.iter().position(|(code, _)| *code == own.code()).unwrap_or_default();
        let next = before.saturating_add(MEMBERS);
        let most = members.iter().map(|(id, _)| self.net(own, *id).unsigned_abs()).max();
        html! {
            section {
                h2 { (l.balances()) }
                @if is_one_by_one { (ui::tabs(l.currency(), &tabs, shown)) }
                div data-pages { ul.card.list {
                    @for (id, guest) in members.iter().skip(before).take(MEMBERS) {
                        li { a.row.next href={ (path) "/ledger/" (id) } {
                            (self.names.avatar(*id))
                            span.grow {
                                span.line {
                                    span.name {
                                        (self.names.shown(*id))
                                        @if *guest { " " small.tag { (l.guest()) } }
                                    }
                                    (ui::balance(l, self.net(own, *id), own))
                                }
                                (chart::balance(self.net(own, *id), most.unwrap_or_default()))
                                @let currencies = self.ledger.balances.currencies();
                                @for currency in currencies.filter(|it| *it != own) {
                                    @let net = self.net(currency, *id);
                                    @if net != 0 && !is_one_by_one {
                                        small { (ui::balance(l, net, currency)) " " }
                                    }
                                }
                                (self.uncounted(*id))
                            }
                        } }
                    }
                } }
                @if next < members.len() { (ui::show_more(l, &format!("{path}/balances"),
                    Some(format!("currency={}", own.code())), &next.to_string())) }
            }
        }
    }

    /// What a member has paid or received that their balance does not count yet.
    fn uncounted(&self, id: MemberId) -> Markup {
        let l = self.l;
        let is = |side: MemberId| self.ledger.links.resolve(side) == id;
        let sums = |own: &dyn Fn(&Settlement) -> bool| {
            let own = self.pending.iter().filter(|it| own(it));
            ui::sums(own.map(|it| (it.currency, it.amount)))
        };
        let is_me = self.names.is_me(id);
        html! {
            @for (currency, sum) in sums(&|it| is(it.from_user_id)) {
                (remark(l, sum, currency, |amount| l.paid_unconfirmed(amount)))
            }
            @for (currency, sum) in sums(&|it| is(it.to_user_id)) {
                (remark(l, sum, currency, |amount| l.received_unconfirmed(amount, is_me)))
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

    /// The payments that settle a currency, as a picture and as a list. Of several currencies,
    /// those are open in which the reader has a payment, and that of the group.
    fn plan(&self, currency: Currency, plan: &Plan, is_one_of_several: bool) -> Markup {
        let l = self.l;
        let is_mine = |it: &Transfer| self.names.is_me(it.from) || self.names.is_me(it.to);
        let is_open = currency == self.group.currency || plan.transfers.iter().any(is_mine);
        html! {
            @if is_one_of_several {
                details.card.fields open[is_open] {
                    summary {
                        (currency.code())
                        " · "
                        (l.payments_count(plan.transfers.len().try_into().unwrap_or_default()))
                    }
                    (self.transfers(currency, plan))
                }
            } @else { figure.card { (self.transfers(currency, plan)) } }
        }
    }

    fn transfers(&self, currency: Currency, plan: &Plan) -> Markup {
        let l = self.l;
        let label =
            l.payments_settle(plan.transfers.len().try_into().unwrap_or_default(), plan.optimal);
        let flow = |it: &Transfer| Flow {
            from: self.names.of(it.from).to_owned(),
            to: self.names.of(it.to).to_owned(),
            minor: it.minor,
            label: self.payment(it.from, it.to, l.minor(it.minor, currency)),
        };
        let flows: Vec<Flow> = plan.transfers.iter().map(flow).collect();
        html! {
            // One payment needs no picture.
            @if flows.len() > 1 {
                (chart::flows(&flows, &label))
                p.hint.caption { (label) }
            }
            ul.list { @for it in &plan.transfers { (self.transfer(currency, it)) } }
        }
    }

    /// A payment: who pays whom, and below, how much and what the reader can do.
    fn transfer(&self, currency: Currency, it: &Transfer) -> Markup {
        let l = self.l;
        let pays = self.names.is_me(it.from);
        let receives = self.names.is_me(it.to);
        let side = |id| self.ledger.links.resolve(id);
        let paid = unconfirmed(self.pending, currency, |paid| {
            side(paid.from_user_id) == it.from && side(paid.to_user_id) == it.to
        });
        html! {
            li.transfer {
                div {
                    span.name {
                        (ui::pair(&self.names.shown(it.from), &self.names.shown(it.to)))
                    }
                }
                @if let Some(sum) = paid {
                    (remark(l, sum, currency, |amount| l.besides_unconfirmed(amount)))
                }
                div.line {
                    b { (ui::minor(l, it.minor, currency)) }
                    @if !self.group.archived {
                        @if receives && it.from.user().is_some() {
                            @let sum = l.minor(it.minor, currency);
                            button.small-button type="button" data-share-link=(self.link)
                                data-text=(l.remind_text(sum, &self.group.title)) { (l.remind()) }
                        }
                        @if pays || receives {
                            a.small-button href=(settle::path(self.group.id, currency, it)) {
                                (if pays { l.pay() } else { l.received() })
                            }
                        }
                    }
                }
            }
        }
    }
}
