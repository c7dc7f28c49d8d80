//! Reading the lines of a receipt from input.

use std::collections::{BTreeMap, BTreeSet};

use fracti_texts::{Message, Says, message, rule};
use serde_json::json;

use super::members::Members;
use crate::{
    input::{
        Field, FieldErrors, Path,
        numbers::{bounded, not_zero, signed},
    },
    split::{Line, LineKind, LineSplit, Sharing, Split, SplitError, WEIGHT_DECIMALS, sum_of_lines},
    values::{currency::Currency, decimal::Decimal, id::MemberId, money::Money, text::LineName},
};

/// Maximum number of lines of an expense.
pub const MAX_LINES: usize = 100;

/// Maximum number of lines that are not items.
const MAX_OTHERS: usize = 20;

/// Maximum number of sharers over all lines.
pub(crate) const MAX_SHARERS: usize = 600;

/// Maximum length of the lines in responses, in bytes.
const MAX_SIZE: usize = 65_536;

/// Maximum weight of a sharer.
const MAX_WEIGHT: u32 = 1_000_000_000;

/// Maximum quantity of a line, and its number of decimals.
const MAX_QUANTITY: (u32, u8) = (10_000, 3);

/// A line of a receipt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineInput {
    /// Kind of the line. Default: an item.
    pub kind: Field<LineKind>,
    /// Name, as printed.
    pub name: Field<LineName>,
    /// Amount of the whole line, in major units. Default: what the other lines leave.
    pub amount: Field<Decimal>,
    /// Whether the line takes what the other lines leave, even if it has an amount. Default: if it
    /// has none.
    pub rest: Field<bool>,
    /// Number of pieces, for display.
    pub quantity: Field<Decimal>,
    /// Price of a piece, for display.
    pub price: Field<Decimal>,
    /// Members who share the line. Default: for an item, all members; otherwise those who share the
    /// items that it applies to.
    pub sharers: Field<Vec<SharerInput>>,
    /// Indexes of the items that the line applies to. Default: all.
    pub over: Field<Vec<Field<usize>>>,
    /// How the line is divided among the members who share these items. Default: in proportion.
    pub split: Field<LineSplit>,
}

/// A member who shares a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharerInput {
    /// The member.
    pub user: Field<MemberId>,
    /// Weight of the member. Default: 1.
    pub weight: Field<Decimal>,
}

impl LineInput {
    /// The input that gives a stored line again.
    pub(crate) fn of(line: &Line<Decimal>) -> Self {
        let sharers = |sharers: &BTreeMap<MemberId, Decimal>| {
            let sharer = |(user, weight): (&MemberId, &Decimal)| SharerInput {
                user: Field::Value(*user),
                weight: Field::Value(*weight),
            };
            Field::Value(sharers.iter().map(sharer).collect())
        };
        let (sharers, over, split) = match &line.sharing {
            Sharing::Sharers { sharers: stored } => (sharers(stored), Field::Absent, Field::Absent),
            Sharing::Over { over, split } => {
                let index = |over: &Vec<usize>| over.iter().copied().map(Field::Value).collect();
                (Field::Absent, Field::from(over.as_ref().map(index)), Field::Value(*split))
            }
        };
        Self {
            kind: Field::Value(line.kind),
            name: Field::Value(line.name.clone()),
            amount: Field::Value(line.amount),
            rest: Field::Value(line.rest),
            quantity: line.quantity.into(),
            price: line.price.into(),
            sharers,
            over,
            split,
        }
    }

    /// Whether the line takes what the other lines leave of the amount.
    pub(super) fn takes_rest(&self) -> bool {
        match self.rest {
            Field::Value(rest) => rest,
            Field::Absent | Field::Invalid => self.amount.is_absent(),
        }
    }

    /// Whether all members share the line.
    pub(crate) fn is_of_all(&self) -> bool {
        self.is_item() && self.sharers.is_absent()
    }

    /// The members that the line names.
    pub(super) fn named(&self) -> impl Iterator<Item = MemberId> + '_ {
        let sharers = self.sharers.value().into_iter().flatten();
        sharers.filter_map(|sharer| sharer.user.value().copied())
    }

    /// Whether the line is an item, as far as its kind is valid.
    const fn is_item(&self) -> bool {
        matches!(self.kind, Field::Absent | Field::Invalid | Field::Value(LineKind::Item))
    }
}

/// Context of the rules of a line.
struct LineContext<'a> {
    inputs: &'a [LineInput],
    members: &'a Members<'a>,
    currency: Option<Currency>,
    /// Sign of the expense, if it is known.
    sign: Option<i64>,
}

/// The amount of an expense and its split by lines; none if they break a rule. Without a line that
/// takes the rest, the amount may be absent: it is the sum of the lines.
pub(super) fn read_lines(
    inputs: &[LineInput],
    given: Field<Decimal>,
    currency: Option<Currency>,
    members: &Members<'_>,
    errors: &mut FieldErrors,
) -> Option<(Money, Split)> {
    let amount = given.value().and_then(|it| not_zero("amount", *it, currency, errors));
    let numbers = inputs.iter().filter(|it| !it.takes_rest()).filter_map(|it| it.amount.value());
    let numbers = numbers.copied().filter(|number| *number != Decimal::ZERO);
    // It is a refund if no line is above zero.
    let largest = numbers.map(|number| if number.is_negative() { -1 } else { 1 }).max();
    let sign = match given {
        Field::Absent => largest,
        Field::Invalid | Field::Value(_) => amount.map(|amount| amount.minor.signum()),
    };
    check_kinds(inputs, errors);
    if given.is_absent() && inputs.iter().any(LineInput::takes_rest) {
        errors.missing("amount");
    }
    let context = LineContext { inputs, members, currency, sign };
    let read = |(index, input)| context.read_line(index, input, errors);
    // Reads all before it collects them, so that the errors of all are reported.
    let lines: Vec<Option<Line<Option<i64>>>> = inputs.iter().enumerate().map(read).collect();
    let lines: Vec<Line<Option<i64>>> = lines.into_iter().collect::<Option<_>>()?;

    let sharers = lines.iter().map(|line| line.sharers().count()).sum::<usize>();
    if sharers > MAX_SHARERS {
        errors.push(
            "items",
            rule!(
                "{field} must have at most {MAX_SHARERS} sharers, not {sharers}",
                "отметок о долях в {field} должно быть не больше {MAX_SHARERS}, а не {sharers}"
            ),
        );
        return None;
    }
    let (amount, lines) = add_up(lines, amount, given.is_absent(), currency?, errors)?;
    let size = shown_size(&lines, amount.currency);
    if size > MAX_SIZE {
        errors.push(
            "items",
            rule!(
                "{field} must have at most {MAX_SIZE} bytes, not {size}",
                "{field} должно занимать не больше {MAX_SIZE} Б, а не {size}"
            ),
        );
        return None;
    }
    Some((amount, Split::Itemized(lines)))
}

/// Checks the numbers of lines of each kind, and that only one takes the rest.
fn check_kinds(inputs: &[LineInput], errors: &mut FieldErrors) {
    let items = inputs.iter().filter(|input| input.is_item()).count();
    if items == 0 {
        errors.push(
            "items",
            rule!(
                "{field} must have at least one line of kind item",
                "в {field} нужна хотя бы одна строка вида item"
            ),
        );
    }
    if inputs.len().saturating_sub(items) > MAX_OTHERS {
        errors.push(
            "items",
            rule!(
                "{field} must have at most {MAX_OTHERS} lines of other kinds",
                "строк других видов в {field} должно быть не больше {MAX_OTHERS}"
            ),
        );
    }
    let rests = inputs.iter().enumerate().filter(|(_, input)| input.takes_rest());
    for (index, input) in rests.skip(1) {
        let field = if input.amount.is_absent() { "amount" } else { "rest" };
        let path = Path::from("items").index(index).field(field);
        errors.push(
            path,
            message!(
                "only one line may take the rest: give the others an amount",
                "остаток может взять только одна строка: укажите суммы остальных"
            ),
        );
    }
}

/// The amount of the expense, and its lines with their amounts.
#[expect(clippy::arithmetic_side_effects, reason = "a sum of at most 100 `i64` fits an `i128`")]
fn add_up(
    lines: Vec<Line<Option<i64>>>,
    amount: Option<Money>,
    amount_is_absent: bool,
    currency: Currency,
    errors: &mut FieldErrors,
) -> Option<(Money, Vec<Line<i64>>)> {
    // The amount of `what`, or the rule that its number of minor units breaks.
    let in_range = |what: Message, minor: i128| {
        Money::from_major(currency.to_major(minor), currency)
            .map_err(|rule| rule.says().about(&what))
    };
    let rest_at = lines.iter().position(|line| line.amount.is_none());
    let mut lines: Vec<Line<i64>> = lines
        .into_iter()
        .map(|line| {
            let minor = line.amount.unwrap_or_default();
            line.with_amount(minor)
        })
        .collect();
    let sum = sum_of_lines(&lines);
    match (amount, rest_at.and_then(|index| Some((index, lines.get_mut(index)?)))) {
        (None, _) if !amount_is_absent => None,
        (None, Some(_)) => None,
        (None, None) => {
            let sign = lines.iter().map(|line| line.amount.signum()).find(|sign| *sign != 0);
            if sign.is_none() {
                errors.push(
                    "amount",
                    rule!("{field} must not be 0", "{field} не должно быть равно нулю"),
                );
                return None;
            }
            if sum == 0 || Some(sum.signum()) != sign.map(i128::from) {
                errors.push(
                    "items",
                    message!(
                        "discounts must be less than the other lines together",
                        "скидки должны быть меньше суммы остальных строк"
                    ),
                );
                return None;
            }
            Some((
                errors.keep(
                    "items",
                    in_range(message!("the sum of the lines", "значение суммы строк"), sum),
                )?,
                lines,
            ))
        }
        (Some(amount), None) if sum != amount.minor.into() => {
            errors.push("items", SplitError::Lines { sum, amount });
            None
        }
        (Some(amount), None) => Some((amount, lines)),
        (Some(amount), Some((index, line))) => {
            let rest = i128::from(amount.minor) - sum;
            if rest.signum() == -i128::from(amount.minor.signum()) {
                errors.push("items", SplitError::Lines { sum, amount });
                return None;
            }
            let path = Path::from("items").index(index);
            line.amount =
                errors.keep(path, in_range(message!("the rest", "значение остатка"), rest))?.minor;
            Some((amount, lines))
        }
    }
}

impl LineContext<'_> {
    /// Whether a number has the opposite sign of the expense.
    fn is_taken_off(&self, number: Decimal) -> bool {
        let opposite = self.sign.is_some_and(|sign| number.is_negative() == (sign > 0));
        opposite && number != Decimal::ZERO
    }

    /// A line, without an amount if it takes the rest.
    fn read_line(
        &self,
        index: usize,
        input: &LineInput,
        errors: &mut FieldErrors,
    ) -> Option<Line<Option<i64>>> {
        let path = Path::from("items").index(index);
        let kind = input.kind.or(LineKind::Item);
        let rest = input.takes_rest();
        let is_rest_discount = rest && kind == Some(LineKind::Discount);
        if is_rest_discount {
            if input.amount.is_absent() {
                errors.missing(path.field("amount"));
            } else {
                errors.push(
                    path.field("rest"),
                    rule!(
                        "{field} must not be on a line of kind discount",
                        "не указывайте {field} в строке вида discount"
                    ),
                );
            }
        }
        let amount = match input.amount {
            _ if is_rest_discount => None,
            _ if rest => Some(None),
            Field::Absent => {
                errors.missing(path.field("amount"));
                None
            }
            Field::Invalid => None,
            Field::Value(number) if self.is_taken_off(number) => {
                let rule = if self.sign == Some(1) {
                    rule!(
                        "{field} must not be negative: what is taken off is a line of kind \
                         discount, with a positive amount",
                        "{field} не должно быть отрицательным: скидка — это строка вида discount с \
                         положительной суммой"
                    )
                } else {
                    rule!(
                        "{field} must not be positive: the expense is negative, and what is taken \
                         off is a line of kind discount, with a negative amount",
                        "{field} не должно быть положительным: сумма расхода отрицательна, а \
                         скидка — это строка вида discount с отрицательной суммой"
                    )
                };
                errors.push(path.field("amount"), rule);
                None
            }
            Field::Value(number) => {
                let path = path.field("amount");
                signed(path, number, self.currency, None, errors).map(|it| Some(it.minor))
            }
        };
        if let Field::Value(quantity) = input.quantity {
            let path = path.field("quantity");
            if quantity == Decimal::ZERO {
                errors.push(
                    path,
                    rule!("{field} must be above zero", "{field} должно быть больше нуля"),
                );
            } else {
                errors.keep(path, bounded(quantity, MAX_QUANTITY.1, MAX_QUANTITY.0));
            }
        }
        if input.price.value().is_some_and(|price| price.is_negative()) {
            errors.push(
                path.field("price"),
                rule!("{field} must not be negative", "{field} не должно быть отрицательным"),
            );
        }
        let sharing = self.read_sharing(&path, kind, input, errors);
        Some(Line {
            kind: kind?,
            name: input.name.value()?.clone(),
            amount: amount?,
            rest,
            quantity: input.quantity.map(Some).or(None)?,
            price: input.price.map(Some).or(None)?,
            sharing: sharing?,
        })
    }

    fn read_sharing(
        &self,
        path: &Path,
        kind: Option<LineKind>,
        input: &LineInput,
        errors: &mut FieldErrors,
    ) -> Option<Sharing> {
        let rule = match (kind?, &input.sharers) {
            (LineKind::Item, _) => Some(rule!(
                "{field} must not be given for a line of kind item",
                "не указывайте {field} для строки вида item"
            )),
            (_, Field::Absent) => None,
            (_, Field::Invalid | Field::Value(_)) => Some(rule!(
                "{field} must not be given beside sharers",
                "не указывайте {field} вместе с sharers"
            )),
        };
        let given = [("over", !input.over.is_absent()), ("split", !input.split.is_absent())];
        for (field, _) in given.iter().filter(|(_, given)| *given) {
            if let Some(rule) = &rule {
                errors.push(path.field(*field), rule.clone());
            }
        }
        match (&input.sharers, kind?) {
            (Field::Invalid, _) => None,
            (Field::Value(sharers), _) => self.read_sharers(path, sharers, errors),
            (Field::Absent, LineKind::Item) => {
                let one = Decimal::new(1, 0);
                let sharers = self.members.present().map(|member| (member, one)).collect();
                Some(Sharing::Sharers { sharers })
            }
            (Field::Absent, LineKind::Tax | LineKind::Tip | LineKind::Fee | LineKind::Discount) => {
                let over = match &input.over {
                    Field::Invalid => return None,
                    Field::Absent => None,
                    Field::Value(over) => Some(self.read_over(path, over, errors)?),
                };
                Some(Sharing::Over { over, split: input.split.or(LineSplit::default())? })
            }
        }
    }

    fn read_sharers(
        &self,
        path: &Path,
        inputs: &[SharerInput],
        errors: &mut FieldErrors,
    ) -> Option<Sharing> {
        let mut sharers = BTreeMap::new();
        for (index, input) in inputs.iter().enumerate() {
            let path = path.field("sharers").index(index);
            let weight = input.weight.or(Decimal::new(1, 0));
            let weight = weight.and_then(|weight| {
                let bounded = bounded(weight, WEIGHT_DECIMALS, MAX_WEIGHT);
                errors.keep(path.field("weight"), bounded).map(|_| weight)
            });
            let user = input.user.value().copied();
            let user = user
                .filter(|user| self.members.name(*user, path.field("userId"), errors).is_some());
            if let Some(user) = user
                && sharers.insert(user, weight).is_some()
            {
                errors.push(
                    path.field("userId"),
                    rule!(
                        "{field} must appear only once in sharers",
                        "{field} не должно повторяться в sharers"
                    ),
                );
            }
        }
        if sharers.len() < inputs.len() {
            return None;
        }
        let sharers: BTreeMap<MemberId, Decimal> = sharers
            .into_iter()
            .map(|(user, weight)| Some((user, weight?)))
            .collect::<Option<_>>()?;
        if sharers.values().all(|weight| *weight == Decimal::ZERO) {
            errors.push(path.field("sharers"), SplitError::NoWeight);
            return None;
        }
        Some(Sharing::Sharers { sharers })
    }

    /// Indexes of the items that a line applies to, in order.
    fn read_over(
        &self,
        path: &Path,
        over: &[Field<usize>],
        errors: &mut FieldErrors,
    ) -> Option<Vec<usize>> {
        let mut items = BTreeSet::new();
        for (index, over) in over.iter().enumerate() {
            let Some(item) = over.value().copied() else { continue };
            let path = path.field("over").index(index);
            if !self.inputs.get(item).is_some_and(LineInput::is_item) {
                errors.push(
                    path,
                    rule!(
                        "{field} must be the index of a line of kind item, counted from 0",
                        "{field} должно быть индексом строки вида item, считая от 0"
                    ),
                );
            } else if !items.insert(item) {
                errors.push(
                    path,
                    rule!(
                        "{field} must not repeat an index",
                        "{field} не должно повторять уже указанный индекс"
                    ),
                );
            }
        }
        (items.len() == over.len()).then(|| items.into_iter().collect())
    }
}

/// Length of the lines in a response, in bytes, with numbers as text.
fn shown_size(lines: &[Line<i64>], currency: Currency) -> usize {
    let text = |number: Decimal| number.to_string();
    let shown = |line: &Line<i64>| {
        let sharers: Vec<_> = line
            .sharers()
            .map(|(user, weight)| json!({ "userId": user.to_string(), "weight": text(weight) }))
            .collect();
        let over = match &line.sharing {
            Sharing::Sharers { .. } => None,
            Sharing::Over { over, .. } => over.as_ref(),
        };
        json!({
            "kind": line.kind, "name": line.name, "amount": text(currency.to_major(line.amount)),
            "rest": line.rest, "quantity": line.quantity.map(text), "price": line.price.map(text),
            "sharers": sharers, "over": over, "split": LineSplit::Proportional,
        })
    };
    lines.iter().map(|line| shown(line).to_string().len().saturating_add(1)).sum()
}
