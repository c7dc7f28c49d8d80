//! Parts of screens.

use std::collections::{BTreeMap, HashMap};

use fracti_core::{
    group::{Group, Member, labels},
    ledger::Ledger,
    values::{
        category::ExpenseCategory,
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, MemberId, UserId},
        time::{Day, Timestamp},
    },
};
use maud::{Markup, html};
use serde_json::{Value, json};

pub(crate) use fracti_core::chat::link::{Start, start_link};

use crate::text::{Texts, sentence};

/// Members from which on they can be searched.
pub(crate) const MANY: usize = 12;

/// Number of colours of avatars.
const HUES: usize = 8;

/// The members of a group as a reader sees them: the reader is "You", and names that are not unique
/// have an addition.
pub(crate) struct Names<'a> {
    language: Texts,
    me: MemberId,
    members: HashMap<MemberId, (usize, &'a Member)>,
    /// Names with an addition.
    labels: HashMap<MemberId, String>,
}

impl<'a> Names<'a> {
    /// The names of `members` for the reader `me`.
    pub(crate) fn new(language: Texts, me: MemberId, members: &'a [Member]) -> Self {
        let additions = labels::additions(members);
        let label = |it: &Member| Some((it.id, format!("{} {}", it.name, additions.get(&it.id)?)));
        let labels = members.iter().filter_map(label).collect();
        let places = members.iter().enumerate();
        let members = places.map(|(place, member)| (member.id, (place, member))).collect();
        Self { language, me, members, labels }
    }

    /// Whether the member is the reader.
    pub(crate) fn is_me(&self, id: MemberId) -> bool {
        id == self.me
    }

    /// The present name of a member, or else the `stored` one.
    pub(crate) fn stored<'b>(&'b self, id: MemberId, stored: &'b str) -> &'b str {
        if self.is_me(id) {
            return self.language.you();
        }
        let label = self.labels.get(&id);
        label.or_else(|| self.members.get(&id).map(|(_, it)| &it.name)).map_or(stored, |it| it)
    }

    /// The present name of a member.
    pub(crate) fn of(&self, id: MemberId) -> &str {
        self.stored(id, "?")
    }

    /// [`Names::of`] as an element.
    pub(crate) fn shown(&self, id: MemberId) -> Markup {
        name(self.of(id))
    }

    /// [`Names::stored`] as an element.
    pub(crate) fn shown_stored(&self, id: MemberId, stored: &str) -> Markup {
        name(self.stored(id, stored))
    }

    /// Who pays whom, with the names that are stored with the payment.
    pub(crate) fn parties(&self, from: (MemberId, &str), to: (MemberId, &str)) -> Markup {
        pair(&self.shown_stored(from.0, from.1), &self.shown_stored(to.0, to.1))
    }

    /// Who recorded something, and when.
    pub(crate) fn recorded(&self, user: UserId, when: Markup) -> Markup {
        let l = self.language;
        if self.is_me(user.into()) {
            return sentence([when], |[when]| l.recorded_by_you(when));
        }
        sentence([self.shown(user.into()), when], |[name, when]| l.recorded_by(name, when))
    }

    /// The picture of a member: initials on the colour of the member's place in the group.
    pub(crate) fn avatar(&self, id: MemberId) -> Markup {
        let (place, name) = self.pictured(id);
        avatar(name, place)
    }

    /// The place in the group and the name, of which a picture is made.
    fn pictured(&self, id: MemberId) -> (usize, &str) {
        self.members.get(&id).map_or((0, "?"), |(place, it)| (*place, &it.name))
    }

    /// A member of a form as an option of its `data-people`, of which the script makes the rows of
    /// [`each`].
    pub(crate) fn person(&self, id: MemberId, is_chosen: bool, is_usual: bool) -> Markup {
        let (place, name) = self.pictured(id);
        let takes = self.is_me(id).then(|| self.language.you_share_it());
        html! {
            option value=(id) data-hue=(hue(place)) data-initials=(initials(name))
                data-takes=[takes]
                data-usual[is_usual] selected[is_chosen] { (self.of(id)) }
        }
    }
}

/// The name of a member or a group, or another text of a user. It keeps its own direction, so that
/// what stands around it keeps its place.
pub(crate) fn name(name: impl std::fmt::Display) -> Markup {
    html! { bdi { (name) } }
}

/// Parts with commas between them.
pub(crate) fn listed(parts: impl IntoIterator<Item = Markup>) -> Markup {
    html! {
        @for (index, part) in parts.into_iter().enumerate() {
            @if index > 0 { ", " }
            (part)
        }
    }
}

/// From one to another, in the direction of the page, also in a sentence of another direction.
pub(crate) fn pair(from: &Markup, to: &Markup) -> Markup {
    html! { span.pair { (from) " " span.arrow aria-hidden="true" { "→" } " " (to) } }
}

/// A day. The script says if it is today or yesterday where the reader is.
pub(crate) fn day(l: Texts, day: Day, today: Day) -> Markup {
    html! { time datetime=(day) { (l.day(day, today)) } }
}

/// A moment, which the script shows by the reader's clock.
pub(crate) fn moment(l: Texts, at: Timestamp, today: Day) -> Markup {
    html! { time datetime=(at) { (l.moment(at, today)) } }
}

/// The first character of a word as people see it: with what is joined to it, as in a family of
/// emoji, or put on it, as an accent.
fn first_character(word: &str) -> &str {
    const JOINER: char = '\u{200d}';
    let joins = |it: char| {
        matches!(
            it,
            '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'
        )
    };
    let is_flag = |it: char| matches!(it, '\u{1f1e6}'..='\u{1f1ff}');
    let mut before = None;
    let goes_on = |(place, it): &(usize, char)| {
        let flag = *place > 0
            && before.is_some_and(is_flag)
            && is_flag(*it)
            && *place == '\u{1f1e6}'.len_utf8();
        let same = *place == 0 || *it == JOINER || joins(*it) || before == Some(JOINER) || flag;
        before = Some(*it);
        same
    };
    let end = word.char_indices().take_while(goes_on).last();
    end.and_then(|(place, it)| word.get(..place.saturating_add(it.len_utf8()))).unwrap_or(word)
}

/// The emoji that a name begins with, or else the first characters of its first two words.
fn initials(name: &str) -> String {
    let is_sign = |it: char| it >= FIRST_SIGN && !it.is_alphanumeric();
    let signs = if name.trim_start().starts_with(is_sign) { 1 } else { 2 };
    let words = name.split_whitespace().take(signs);
    words.map(|word| first_character(word).to_uppercase()).collect()
}

/// The first sign of Unicode that is no mark of a sentence.
const FIRST_SIGN: char = '\u{2190}';

/// The colour of the member at a place in the group.
fn hue(place: usize) -> usize {
    place.checked_rem(HUES).unwrap_or_default()
}

/// A picture of initials. `place` decides its colour.
pub(crate) fn avatar(name: &str, place: usize) -> Markup {
    html! { span.{ "avatar hue" (hue(place)) } aria-hidden="true" { (initials(name)) } }
}

/// What the script writes in a row of [`each`]: the id, the name and the place in the list.
pub(crate) const ID: &str = "{id}";
pub(crate) const NAME: &str = "{name}";
pub(crate) const AT: &str = "{at}";

/// The picture of a member in a row of [`each`].
pub(crate) fn each_avatar() -> Markup {
    html! { span class="avatar hue{hue}" aria-hidden="true" { "{initials}" } }
}

/// The members who are ticked at first, and the values of their controls with `data-value`. Those
/// of an empty value have none.
pub(crate) type Given = BTreeMap<MemberId, String>;

/// The rows of a list of members, each by this template, which the script shows for each of the
/// [persons](Names::person) of the form. A group has up to 500 members, and a form has them in
/// several lists, so only this is sent of a list. Without `given`, those are ticked who are in the
/// template.
pub(crate) fn each(row: &Markup, given: Option<&Given>) -> Markup {
    let given = given.map(|it| {
        let values = it.iter().map(|(id, value)| (id.to_string(), json!(value)));
        Value::Object(values.collect()).to_string()
    });
    html! { template data-each data-given=[given] { (row) } }
}

/// [`each`] of those persons only who share by the group's default split.
pub(crate) fn each_usual(row: &Markup) -> Markup {
    html! { template data-each="usual" { (row) } }
}

/// An amount. It is read from left to right in every language.
pub(crate) fn money(l: Texts, amount: Decimal, currency: Currency) -> Markup {
    html! { bdi.num dir="ltr" { (l.money(amount, currency)) } }
}

/// Length of an amount in large letters, from which they are smaller.
const LONG: usize = 14;

/// An amount in large letters, which stands in one line.
pub(crate) fn big(amount: &str) -> Markup {
    toned("", amount)
}

/// The same in the colour of a balance.
pub(crate) fn big_balance(l: Texts, net: i128, currency: Currency) -> Markup {
    toned(tone(net), &l.minor(net.saturating_abs(), currency))
}

fn toned(tone: &str, amount: &str) -> Markup {
    let long = if amount.chars().count() >= LONG { " long" } else { "" };
    html! { bdi.{ "big " (tone) (long) } dir="ltr" { (amount) } }
}

/// An amount of minor units.
pub(crate) fn minor(l: Texts, minor: impl Into<i128>, currency: Currency) -> Markup {
    money(l, currency.to_major(minor), currency)
}

/// The sum of the amounts in each currency. One that would be too large stays without the rest.
pub(crate) fn sums(
    amounts: impl Iterator<Item = (Currency, Decimal)>,
) -> BTreeMap<Currency, Decimal> {
    let mut sums: BTreeMap<Currency, Decimal> = BTreeMap::new();
    for (currency, amount) in amounts {
        let sum = sums.entry(currency).or_default();
        *sum = sum.plus(amount).unwrap_or(*sum);
    }
    sums
}

/// A balance, with a sign and a colour.
pub(crate) fn balance(l: Texts, net: i128, currency: Currency) -> Markup {
    html! { bdi.{ "num " (tone(net)) } dir="ltr" { (signed(l, net, currency)) } }
}

/// A balance, with a sign.
pub(crate) fn signed(l: Texts, net: i128, currency: Currency) -> String {
    let sign = if net > 0 { "+" } else { "" };
    format!("{sign}{}", l.minor(net, currency))
}

/// The class for what one is owed, owes, or neither.
pub(crate) const fn tone(net: i128) -> &'static str {
    match net {
        0 => "hint",
        1.. => "plus",
        _ => "minus",
    }
}

/// The emoji of a category in a group.
pub(crate) fn emoji(group: &Group, category: Option<ExpenseCategory>) -> String {
    let own = |key| {
        let own = group.categories.iter().find(|it| it.key == key)?;
        own.emoji.as_ref().map(ToString::to_string)
    };
    let found = match category {
        None => None,
        Some(ExpenseCategory::BuiltIn(category)) => Some(category.emoji().to_owned()),
        Some(ExpenseCategory::Own(key)) => own(key),
    };
    found.unwrap_or_else(|| "🧾".to_owned())
}

/// The name of a category in a group.
pub(crate) fn category_name(l: Texts, group: &Group, category: ExpenseCategory) -> String {
    match category {
        ExpenseCategory::BuiltIn(category) => l.category(category).to_owned(),
        ExpenseCategory::Own(key) => {
            let own = group.categories.iter().find(|it| it.key == key);
            own.map_or_else(|| key.to_string(), |it| it.name.to_string())
        }
    }
}

/// A currency to choose: a button, which opens the list of all, and the control that has the code.
pub(crate) fn currency_field(l: Texts, id: &str, name: &str, chosen: Currency) -> Markup {
    currency_button(l, id, name, chosen, &CurrencyFrom::Server)
}

/// A choice of a currency, at first the last one of the device, or that of the reader's region.
pub(crate) fn regional_currency(l: Texts, id: &str, name: &str) -> Markup {
    let euro = "EUR".parse().unwrap_or(Currency::TON);
    currency_button(l, id, name, euro, &CurrencyFrom::Region)
}

/// A choice of a currency of the reader's own, at first as they have set it.
pub(crate) fn own_currency(l: Texts, set: Option<Currency>) -> Markup {
    let name = "currency";
    set.map_or_else(|| regional_currency(l, name, name), |it| currency_field(l, name, name, it))
}

/// A choice of a currency, at first the one that the device remembers by a name.
pub(crate) fn remembered_currency(
    l: Texts,
    name: &str,
    chosen: Currency,
    remembered: Option<String>,
) -> Markup {
    let from = remembered.map_or(CurrencyFrom::Server, CurrencyFrom::Device);
    currency_button(l, name, name, chosen, &from)
}

/// What says which currency is chosen at first.
enum CurrencyFrom {
    Server,
    /// The device, by this name.
    Device(String),
    Region,
}

fn currency_button(
    l: Texts,
    id: &str,
    name: &str,
    chosen: Currency,
    from: &CurrencyFrom,
) -> Markup {
    let remembered = if let CurrencyFrom::Device(name) = from { Some(name) } else { None };
    html! {
        input type="hidden" name=(name) value=(chosen.code()) data-digits=(chosen.exponent())
            data-remember=[remembered] data-region[matches!(from, CurrencyFrom::Region)];
        button.currency type="button" id=(id) data-currency aria-haspopup="dialog"
            aria-label={ (l.currency()) ": " (chosen.code()) } { (chosen.code()) }
    }
}

/// The currencies in which a group has balances, for signs that several currencies have.
pub(crate) fn used(ledger: &Ledger) -> String {
    let codes: Vec<&str> = ledger.balances.currencies().map(Currency::code).collect();
    codes.join(" ")
}

/// The first two of several lines, and the others folded.
pub(crate) fn first_ones(l: Texts, lines: &[Markup]) -> Markup {
    const FIRST: usize = 2;
    let (first, others) = lines.split_at_checked(FIRST).unwrap_or((lines, &[]));
    html! {
        @for it in first { (it) }
        @if !others.is_empty() {
            details { summary { (l.and_more(others.len())) } @for it in others { (it) } }
        }
    }
}

/// A field of a form: a label above a control.
pub(crate) fn field(id: &str, label: &str, control: &Markup) -> Markup {
    html! { div.field { label for=(id) { (label) } (control) } }
}

/// A field for an amount of what has a currency already.
pub(crate) fn amount_field(l: Texts, id: &str, amount: Decimal, currency: Currency) -> Markup {
    let label = format!("{}, {}", l.amount_label(), currency.code());
    field(
        id,
        &label,
        &html! {
            input id=(id) name="amount" inputmode="decimal" autocomplete="off" data-decimal
                value=(l.amount_field(amount, currency));
        },
    )
}

/// Where the screens of a group begin.
pub(crate) fn group_path(group: GroupId) -> String {
    format!("/app/groups/{group}")
}

/// The place for a message about a whole form, and its main button.
pub(crate) fn submit(label: &str) -> Markup {
    html! {
        p.error data-problem role="alert" hidden {}
        button.main-button data-main { (label) }
    }
}

/// A button of a form that is not the main one of its screen, and the place for a message.
pub(crate) fn save(label: &str) -> Markup {
    html! {
        p.error data-problem role="alert" hidden {}
        button.small-button { (label) }
    }
}

/// The link to the rest of a list. The script shows the next page in its place.
pub(crate) fn show_more(l: Texts, path: &str, query: Option<String>, cursor: &str) -> Markup {
    let query = query.map(|it| format!("{it}&")).unwrap_or_default();
    html! { a.more data-more href={ (path) "?" (query) "cursor=" (cursor) } { (l.show_more()) } }
}

/// Links to the parts of something. One of them is shown.
pub(crate) fn tabs(label: &str, tabs: &[(&str, String)], shown: usize) -> Markup {
    html! {
        nav.tabs aria-label=(label) {
            @for (index, (text, path)) in tabs.iter().enumerate() {
                a href=(path) aria-current=[(index == shown).then_some("page")] { (text) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{first_character, initials};

    #[test]
    fn a_picture_is_an_emoji_or_two_letters() {
        for (name, shown) in [
            ("Alps 2026", "A2"),
            ("🏔️ Alps", "🏔️"),
            ("🇬🇪 Tbilisi", "🇬🇪"),
            ("дача", "Д"),
            ("«Дача» летом", "«Л"),
            ("東京 旅行", "東旅"),
        ] {
            assert_eq!(initials(name), shown, "{name}");
        }
    }

    #[test]
    fn first_character_is_what_people_see() {
        for (word, first) in [
            ("Alice", "A"),
            ("e\u{301}va", "e\u{301}"),
            ("👩‍👩‍👧x", "👩‍👩‍👧"),
            ("👍🏽!", "👍🏽"),
            ("🇬🇪🇩🇪", "🇬🇪"),
            ("❤️", "❤️"),
            ("", ""),
        ] {
            assert_eq!(first_character(word), first, "{word}");
        }
    }
}
