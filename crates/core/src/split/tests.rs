mod given;

use std::collections::BTreeMap;

use num_rational::BigRational;
use proptest::{collection::vec, prelude::*, sample::subsequence};

use super::*;
use crate::values::{id::UserId, time::Timestamp};

fn user(number: u64) -> MemberId {
    UserId::new(number).unwrap().into()
}

fn expense(number: u8) -> ExpenseId {
    ExpenseId::new(Timestamp::from_millis(1_700_000_000_000).unwrap(), [number; 10])
}

fn eur(minor: i64) -> Money {
    Money { currency: "EUR".parse().unwrap(), minor }
}

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn only_the_units_that_an_id_decides_are_open_in_a_preview() {
    let preview = |split: Split, minor| {
        let shares = split.preview(eur(minor)).unwrap().into_iter();
        shares.map(|it| (it.amount.minor, it.or.map(|or| or.minor))).collect::<Vec<_>>()
    };
    let three = || (1..=3).map(user);
    assert_eq!(preview(Split::Equal(three().collect()), 99), [(33, None); 3]);
    assert_eq!(preview(Split::Equal(three().collect()), 100), [(33, Some(34)); 3]);
    assert_eq!(preview(Split::Equal(three().collect()), -100), [(-33, Some(-34)); 3]);
    let weights = Split::Shares(three().zip([10_000, 10_000, 20_000]).collect());
    // Remainders of one quarter, one quarter and one half.
    assert_eq!(preview(weights.clone(), 101), [(25, None), (25, None), (51, None)]);
    assert_eq!(preview(weights, 103), [(26, None), (26, None), (51, None)]);
}

#[test]
fn invalid_splits_are_refused() {
    let rows: [(Split, &str); 11] = [
        (Split::Equal(Vec::new()), "must not be empty"),
        (
            Split::Equal((1..47).map(user).collect()),
            "an expense must have at most 45 splits and further payers, not 46",
        ),
        (Split::Equal(vec![user(1), user(2), user(1)]), "must appear only once in splits"),
        (
            Split::Percentage(vec![(user(1), 499_900), (user(2), 500_000)]),
            "the percentages sum to 99.99, 0.01 less than 100",
        ),
        (
            Split::Percentage(vec![(user(1), 500_001), (user(2), 500_000)]),
            "the percentages sum to 100.0001, 0.0001 more than 100",
        ),
        (Split::Shares(vec![(user(1), 0), (user(2), 0)]), "weights must not all be 0"),
        (
            Split::Adjustment(vec![(user(1), 130), (user(2), 0)]),
            "the adjustments sum to 1.3, 0.3 more than the amount",
        ),
        (
            Split::Adjustment(vec![(user(1), 0), (user(2), -102)]),
            "a member's share would be negative",
        ),
        (Split::Exact(vec![(user(1), -1), (user(2), 101)]), "must not be negative"),
        (
            Split::Exact(vec![(user(1), 50), (user(2), 51)]),
            "the amounts sum to 1.01, 0.01 more than the amount",
        ),
        (
            Split::Exact(vec![(user(1), i64::MAX), (user(2), i64::MAX)]),
            "the amounts sum to 184467440737095516.14, 184467440737095515.14 more than the amount",
        ),
    ];
    for (split, message) in rows {
        assert_eq!(split.check(eur(100)).unwrap_err().to_string(), message);
        assert!(split.divide(eur(100), expense(1)).is_err());
    }
}

#[test]
fn messages_about_a_negative_expense_have_its_signs() {
    let rows: [(Split, &str); 4] = [
        (
            Split::Exact(vec![(user(1), -50), (user(2), -49)]),
            "the amounts sum to -0.99, 0.01 more than the amount",
        ),
        (
            Split::Exact(vec![(user(1), -101), (user(2), 1)]),
            "must not be positive: the expense is negative",
        ),
        (
            Split::Adjustment(vec![(user(1), -130), (user(2), 0)]),
            "the adjustments sum to -1.3, 0.3 less than the amount",
        ),
        (
            Split::Adjustment(vec![(user(1), 0), (user(2), 102)]),
            "a member's share would be positive: the expense is negative",
        ),
    ];
    for (split, message) in rows {
        assert_eq!(split.check(eur(-100)).unwrap_err().to_string(), message);
    }
}

/// A line of a receipt; `sharers` are members and their weights.
fn line(kind: LineKind, amount: i64, sharers: &[(u64, &str)]) -> Line<i64> {
    let sharers = sharers.iter().map(|(member, weight)| (user(*member), number(weight))).collect();
    let sharing = Sharing::Sharers { sharers };
    let name = "Line".parse().unwrap();
    let quantity = None;
    let price = None;
    Line { kind, name, amount, rest: false, quantity, price, sharing }
}

/// A line that applies to others.
fn over(kind: LineKind, amount: i64, over: Option<&[usize]>, split: LineSplit) -> Line<i64> {
    let sharing = Sharing::Over { over: over.map(<[usize]>::to_vec), split };
    Line { sharing, ..line(kind, amount, &[]) }
}

/// The shares of an expense in minor units.
fn shares(split: &Split, minor: i64, seed: u8) -> Vec<i64> {
    let shares = split.divide(eur(minor), expense(seed)).unwrap();
    shares.iter().map(|share| share.amount.minor).collect()
}

#[test]
fn weights_and_adjustments_divide_the_amount() {
    let weights = [(1, 30_000), (2, 20_000), (3, 0)].map(|(it, weight)| (user(it), weight));
    assert_eq!(shares(&Split::Shares(weights.to_vec()), 1001, 1), [601, 400, 0]);
    let adjustments = [(1, 750), (2, -300), (3, 0)].map(|(it, minor)| (user(it), minor));
    assert_eq!(shares(&Split::Adjustment(adjustments.to_vec()), 6000, 1), [2600, 1550, 1850]);
    let negated = adjustments.map(|(it, minor)| (it, -minor));
    assert_eq!(shares(&Split::Adjustment(negated.to_vec()), -6000, 1), [-2600, -1550, -1850]);
}

#[test]
fn lines_divide_the_amount() {
    use LineKind::{Discount, Item, Tax, Tip};
    use LineSplit::{Equal, Proportional};
    let [a, b, c] = [(1, "1"), (2, "1"), (3, "1")];
    let pizza = [
        line(Item, 1550, &[a, b, c]),
        line(Item, 1200, &[a]),
        line(Item, 720, &[(2, "2"), c]),
        over(Tax, 345, None, Proportional),
    ];
    let starters = [
        line(Item, 2400, &[a, b]),
        line(Item, 900, &[b, (3, "2")]),
        over(Tax, 90, Some(&[1]), Proportional),
        over(Tip, 500, None, Proportional),
        over(Discount, 400, Some(&[0]), Proportional),
    ];
    let tax = |split| [line(Item, 8591, &[a]), line(Item, 500, &[b]), over(Tax, 909, None, split)];
    for seed in 0..20 {
        for (lines, amount, expected) in [
            (&pizza[..], 3815, &[1887, 1096, 832][..]),
            (&starters, 3490, &[1182, 1557, 751]),
            (&tax(Proportional), 10_000, &[9450, 550]),
            // Three lines of a minor unit for the same members are one for each.
            (&vec![line(Item, 1, &[a, b, c]); 3], 3, &[1, 1, 1]),
        ] {
            assert_eq!(shares(&Split::Itemized(lines.to_vec()), amount, seed), expected);
        }
        let equal = shares(&Split::Itemized(tax(Equal).to_vec()), 10_000, seed);
        assert!(equal == [9045, 955] || equal == [9046, 954], "{equal:?}");
    }
}

#[test]
fn lines_without_a_result_are_refused() {
    use LineKind::{Discount, Item, Tax};
    use LineSplit::{Equal, Proportional};
    let [a, b] = [(1, "1"), (2, "1")];
    let rows: [(Vec<Line<i64>>, &str); 6] = [
        (vec![line(Item, 99, &[a])], "the lines sum to 0.99, 0.01 less than the amount"),
        (vec![line(Item, 100, &[(1, "0")])], "weights must not all be 0"),
        (
            vec![
                line(Item, 0, &[a]),
                line(Item, 90, &[b]),
                over(Tax, 10, Some(&[0]), Proportional),
            ],
            "the lines it applies to sum to 0",
        ),
        (
            vec![line(Item, 100, &[a]), over(Tax, 0, Some(&[]), Equal)],
            "the lines it applies to sum to 0",
        ),
        (
            vec![line(Item, 110, &[a]), line(Item, 5, &[b]), line(Discount, 15, &[b])],
            "a member's share would be negative",
        ),
        (
            vec![line(Item, 100, &[(1, "0.00001")])],
            "weights must not be negative, and must have at most 4 decimals",
        ),
    ];
    for (lines, message) in rows {
        let error = Split::Itemized(lines).check(eur(100)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn the_parts_of_a_share_name_the_lines() {
    let [a, b, c] = [(1, "1"), (2, "1"), (3, "1")];
    let lines = vec![
        line(LineKind::Item, 1550, &[a, b, c]),
        line(LineKind::Item, 1200, &[a]),
        line(LineKind::Item, 720, &[(2, "2"), c]),
        over(LineKind::Tax, 345, None, LineSplit::Proportional),
    ];
    let parts = Split::Itemized(lines).parts(eur(3815)).unwrap();
    let (member, parts) = &parts[0];
    assert_eq!(*member, user(1));
    let shown = parts.iter().map(|part| (part.line.as_ref().unwrap().0, part.of, part.amount));
    let expected = [(0, Some(1550), 516), (1, Some(1200), 1200), (3, Some(345), 170)];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn percentages_become_weights_that_sum_to_100() {
    let numbers = |texts: &[&str]| texts.iter().map(|text| number(text)).collect::<Vec<_>>();
    for (percentages, expected) in [
        (&["33.3333", "66.6667"][..], Ok(vec![333_333, 666_667])),
        (&["50", "50.01"], Err(SplitError::Percentages(1_000_100))),
        (&["-1", "101"], Err(SplitError::Negative(0))),
        (&["9e33", "9e33"], Err(SplitError::TooMuch)),
        (&["1e37"], Err(SplitError::TooMuch)),
    ] {
        assert_eq!(percentage_weights(&numbers(percentages)), expected, "{percentages:?}");
    }
}

#[test]
fn a_percentage_of_zero_gets_no_left_over_minor_unit() {
    let split = Split::Percentage(vec![(user(1), 0), (user(2), 333_000), (user(3), 667_000)]);
    for seed in 0..50 {
        let shares = split.divide(eur(101), expense(seed)).unwrap();
        assert_eq!(shares[0].amount.minor, 0);
    }
}

#[test]
fn members_get_a_left_over_minor_unit_about_equally_often() {
    let split = Split::Equal(vec![user(1), user(2), user(3)]);
    let mut carried = [0_u32; 3];
    for seed in 0..3000_u32 {
        let [a, b, c, d] = seed.to_be_bytes();
        let at = Timestamp::from_millis(1_700_000_000_000).unwrap();
        let id = ExpenseId::new(at, [a, b, c, d, 0, 0, 0, 0, 0, 0]);
        for (count, part) in carried.iter_mut().zip(split.divide(eur(100), id).unwrap()) {
            *count += u32::from(part.amount.minor == 34);
        }
    }
    assert_eq!(carried.iter().sum::<u32>(), 3000);
    assert!(carried.iter().all(|count| (850..1150).contains(count)), "{carried:?}");
}

/// Random percentages, in ten-thousandths, that sum to 100.
fn percentages() -> impl Strategy<Value = Vec<u32>> {
    let whole = u32::try_from(WHOLE).unwrap();
    vec(0..=whole, 0..44).prop_map(move |mut cuts| {
        cuts.sort_unstable();
        cuts.push(whole);
        let mut last = 0;
        cuts.iter().map(|cut| cut - std::mem::replace(&mut last, *cut)).collect()
    })
}

/// The exact share of each member in minor units, calculated with rational numbers from the text of
/// the rules.
fn exact_shares(split: &Split, amount: i64) -> BTreeMap<MemberId, BigRational> {
    let whole = |number: i128| BigRational::from_integer(number.into());
    let by_weight = |weights: &[(MemberId, i128)], fixed: &[(MemberId, i128)]| {
        let fixed: BTreeMap<_, _> = fixed.iter().copied().collect();
        let rest = whole(i128::from(amount) - fixed.values().sum::<i128>());
        let sum = whole(weights.iter().map(|(_, weight)| weight).sum());
        let share = |(member, weight): &(MemberId, i128)| {
            let fixed = fixed.get(member).copied().unwrap_or_default();
            (*member, whole(fixed) + &rest * whole(*weight) / &sum)
        };
        weights.iter().map(share).collect()
    };
    match split {
        Split::Equal(members) => {
            by_weight(&members.iter().map(|it| (*it, 1)).collect::<Vec<_>>(), &[])
        }
        Split::Exact(amounts) => {
            amounts.iter().map(|(it, minor)| (*it, whole((*minor).into()))).collect()
        }
        Split::Percentage(weights) | Split::Shares(weights) => by_weight(
            &weights.iter().map(|(it, weight)| (*it, (*weight).into())).collect::<Vec<_>>(),
            &[],
        ),
        Split::Adjustment(fixed) => by_weight(
            &fixed.iter().map(|(it, _)| (*it, 1)).collect::<Vec<_>>(),
            &fixed.iter().map(|(it, minor)| (*it, (*minor).into())).collect::<Vec<_>>(),
        ),
        Split::Itemized(lines) => exact_shares_of_lines(lines),
    }
}

/// Part of each member in the line with this index, without the sign of a discount.
fn has(lines: &[Line<i64>], index: usize) -> BTreeMap<MemberId, BigRational> {
    let whole = |number: i128| BigRational::from_integer(number.into());
    let amount = whole(lines[index].amount.into());
    let shared = |weights: BTreeMap<MemberId, BigRational>| -> BTreeMap<MemberId, BigRational> {
        let sum: BigRational = weights.values().sum();
        weights.into_iter().map(|(it, weight)| (it, &amount * weight / &sum)).collect()
    };
    match &lines[index].sharing {
        Sharing::Sharers { sharers } => {
            let weight = |weight: &Decimal| whole(weight.at_scale(4).unwrap());
            shared(sharers.iter().map(|(it, of)| (*it, weight(of))).collect())
        }
        Sharing::Over { over, split } => {
            let items = (0..lines.len()).filter(|it| lines[*it].kind == LineKind::Item);
            let items = items.filter(|it| over.as_ref().is_none_or(|over| over.contains(it)));
            let mut weights: BTreeMap<MemberId, BigRational> = BTreeMap::new();
            for item in items {
                for (member, part) in has(lines, item) {
                    match split {
                        LineSplit::Proportional => *weights.entry(member).or_default() += part,
                        LineSplit::Equal => {
                            if lines[item]
                                .sharers()
                                .any(|(it, of)| it == member && of != Decimal::ZERO)
                            {
                                weights.insert(member, whole(1));
                            }
                        }
                    }
                }
            }
            shared(weights)
        }
    }
}

fn exact_shares_of_lines(lines: &[Line<i64>]) -> BTreeMap<MemberId, BigRational> {
    let mut exact: BTreeMap<MemberId, BigRational> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        for (member, part) in has(lines, index) {
            let share = exact.entry(member).or_default();
            if line.kind == LineKind::Discount { *share -= part } else { *share += part }
        }
    }
    exact
}

/// The split of the negated amount.
fn mirrored(split: &Split) -> Split {
    let negated =
        |amounts: &[(MemberId, i64)]| amounts.iter().map(|(it, minor)| (*it, -minor)).collect();
    match split {
        Split::Equal(_) | Split::Percentage(_) | Split::Shares(_) => split.clone(),
        Split::Exact(amounts) => Split::Exact(negated(amounts)),
        Split::Adjustment(amounts) => Split::Adjustment(negated(amounts)),
        Split::Itemized(lines) => Split::Itemized(
            lines.iter().map(|line| line.clone().with_amount(-line.amount)).collect(),
        ),
    }
}

/// Weights of up to seven members, in ten-thousandths, not all zero.
fn weights() -> impl Strategy<Value = BTreeMap<u64, u32>> {
    let weight = prop_oneof![Just(0), Just(10_000), 0..=100_000_000_u32];
    prop::collection::btree_map(1..8_u64, weight, 1..8)
        .prop_filter("not all are zero", |weights| weights.values().any(|weight| *weight > 0))
}

/// A line with sharers by their weights, in ten-thousandths.
fn weighted(kind: LineKind, amount: i64, weights: BTreeMap<u64, u32>) -> Line<i64> {
    let sharers = weights.into_iter().map(|(it, of)| (user(it), Decimal::new(of.into(), 4)));
    Line { sharing: Sharing::Sharers { sharers: sharers.collect() }, ..line(kind, amount, &[]) }
}

/// Lines of a receipt, and their sum.
fn lines() -> impl Strategy<Value = (i64, Split)> {
    let amount = prop_oneof![1..100_i64, 1..1_000_000_i64, 1..i64::MAX / 100];
    let items = vec(
        (amount, weights())
            .prop_map(move |(amount, weights)| weighted(LineKind::Item, amount, weights)),
        1..9,
    );
    let other = |items: usize| {
        let kind = prop_oneof![
            Just(LineKind::Tax),
            Just(LineKind::Tip),
            Just(LineKind::Fee),
            Just(LineKind::Discount)
        ];
        let indexes = subsequence((0..items).collect::<Vec<_>>(), 1..=items);
        let split = prop_oneof![Just(LineSplit::Proportional), Just(LineSplit::Equal)];
        (kind, 0..50_i64, prop::option::of(indexes), split, prop::option::of(weights())).prop_map(
            move |(kind, amount, indexes, split, own)| match own {
                Some(own) => weighted(kind, amount, own),
                None => over(kind, amount, indexes.as_deref(), split),
            },
        )
    };
    items
        .prop_flat_map(move |items| {
            let others = vec(other(items.len()), 0..6);
            (Just(items), others)
        })
        .prop_map(|(items, others)| {
            let lines: Vec<Line<i64>> = items.into_iter().chain(others).collect();
            (i64::try_from(sum_of_lines(&lines)).unwrap(), Split::Itemized(lines))
        })
        .prop_filter("no share is negative", |(amount, split)| {
            *amount > 0 && split.check(eur(*amount)).is_ok()
        })
}

/// A valid split of any type, and its amount.
fn splits() -> impl Strategy<Value = (i64, Split)> {
    let pairs =
        |weights: BTreeMap<u64, u32>| weights.into_iter().map(|(it, weight)| (user(it), weight));
    let adjustments = prop::collection::btree_map(1..8_u64, -1000..1000_i64, 1..8);
    prop_oneof![
        (1..=i64::MAX, 1..=45_u64).prop_map(|(amount, members)| (
            amount,
            Split::Equal((1..=members).map(user).collect())
        )),
        vec(0..=i64::MAX / 45, 1..45)
            .prop_filter("not all are zero", |it| it.iter().any(|it| *it > 0))
            .prop_map(|minor| (
                minor.iter().sum(),
                Split::Exact((1..).map(user).zip(minor).collect())
            )),
        (1..=i64::MAX, percentages()).prop_map(|(amount, parts)| (
            amount,
            Split::Percentage((1..).map(user).zip(parts).collect())
        )),
        (1..=i64::MAX, weights())
            .prop_map(move |(amount, weights)| (amount, Split::Shares(pairs(weights).collect()))),
        (10_000..=i64::MAX, adjustments).prop_map(|(amount, fixed)| {
            (
                amount,
                Split::Adjustment(fixed.into_iter().map(|(it, minor)| (user(it), minor)).collect()),
            )
        }),
        lines(),
    ]
}

proptest! {
    #[test]
    fn shares_sum_to_the_amount_and_are_the_exact_ones_rounded_up_or_down(
        (amount, split) in splits(), seed: u8,
    ) {
        let exact = exact_shares(&split, amount);
        let shares = split.divide(eur(amount), expense(seed)).unwrap();
        prop_assert_eq!(shares.len(), exact.len());
        let sum: i128 = shares.iter().map(|share| i128::from(share.amount.minor)).sum();
        prop_assert_eq!(sum, i128::from(amount));
        for share in &shares {
            prop_assert!(share.amount.minor >= 0);
            let exact = &exact[&share.user];
            let share = BigInt::from(share.amount.minor);
            prop_assert!(share == exact.floor().to_integer() || share == exact.ceil().to_integer());
        }
    }

    #[test]
    fn a_preview_has_the_shares_of_any_id((amount, split) in splits(), seeds: [u8; 4]) {
        for (amount, split) in [(amount, split.clone()), (-amount, mirrored(&split))] {
            let preview = split.preview(eur(amount)).unwrap();
            for seed in seeds {
                let shares = split.divide(eur(amount), expense(seed)).unwrap();
                for (share, preview) in shares.iter().zip(&preview) {
                    prop_assert_eq!(share.user, preview.user);
                    let amounts = [Some(preview.amount), preview.or];
                    prop_assert!(amounts.contains(&Some(share.amount)), "{:?} {:?}", share, preview);
                }
            }
        }
    }

    #[test]
    fn a_negative_expense_has_the_negated_shares_and_parts((amount, split) in splits(), seed: u8) {
        let mirror = mirrored(&split);
        let negated: Vec<i64> = shares(&split, amount, seed).iter().map(|minor| -minor).collect();
        prop_assert_eq!(shares(&mirror, -amount, seed), negated);
        let parts = split.parts(eur(amount)).unwrap();
        for ((member, parts), (other, mirror)) in parts.iter().zip(mirror.parts(eur(-amount)).unwrap()) {
            prop_assert_eq!(*member, other);
            let negated = parts.iter().map(|part| {
                part.clone().map(|minor| -minor)
            });
            prop_assert_eq!(negated.collect::<Vec<_>>(), mirror);
        }
    }

    #[test]
    fn parts_and_less_than_a_unit_for_each_are_the_share((amount, split) in splits(), seed: u8) {
        let shares = split.divide(eur(amount), expense(seed)).unwrap();
        let parts = split.parts(eur(amount)).unwrap();
        prop_assert_eq!(parts.len(), shares.len());
        for (share, (member, parts)) in shares.iter().zip(parts) {
            prop_assert_eq!(share.user, member);
            let sum: i128 = parts.iter().map(|part| part.amount).sum();
            let rounding = i128::from(share.amount.minor) - sum;
            let bound = parts.len() as i128 + 1;
            prop_assert!((0..bound).contains(&rounding), "{} of {:?}", rounding, parts);
        }
    }

    #[test]
    fn order_of_the_input_does_not_change_the_shares((amount, split) in splits(), seed: u8) {
        let mut reversed = split.clone();
        match &mut reversed {
            Split::Equal(members) => members.reverse(),
            Split::Exact(amounts) | Split::Adjustment(amounts) => amounts.reverse(),
            Split::Percentage(weights) | Split::Shares(weights) => weights.reverse(),
            Split::Itemized(lines) => {
                let last = lines.len() - 1;
                lines.reverse();
                for line in lines {
                    if let Sharing::Over { over: Some(over), .. } = &mut line.sharing {
                        for index in over {
                            *index = last - *index;
                        }
                    }
                }
            }
        }
        let by_member = |split: &Split| {
            let shares = split.divide(eur(amount), expense(seed)).unwrap();
            shares.into_iter().map(|share| (share.user, share.amount.minor)).collect::<BTreeMap<_, _>>()
        };
        prop_assert_eq!(by_member(&split), by_member(&reversed));
    }

    #[test]
    fn equal_shares_sum_to_the_amount_and_differ_by_at_most_one_unit(
        amount in 1..=i64::MAX, members in 1..=45_u64, seed: u8,
    ) {
        let split = Split::Equal((1..=members).map(user).collect());
        let parts = split.divide(eur(amount), expense(seed)).unwrap();
        let minor: Vec<i128> = parts.iter().map(|part| part.amount.minor.into()).collect();
        prop_assert_eq!(minor.iter().sum::<i128>(), i128::from(amount));
        prop_assert!(minor.iter().max().unwrap() - minor.iter().min().unwrap() <= 1);
    }

    #[test]
    fn exact_shares_equal_the_given_amounts(minor in vec(0..=i64::MAX / 45, 1..45), seed: u8) {
        let amount: i64 = minor.iter().sum();
        prop_assume!(amount > 0);
        let split = Split::Exact((1..).map(user).zip(minor.iter().copied()).collect());
        let parts = split.divide(eur(amount), expense(seed)).unwrap();
        prop_assert_eq!(parts.iter().map(|part| part.amount.minor).collect::<Vec<_>>(), minor);
    }
}

#[test]
fn the_largest_and_the_smallest_amounts_are_divided_exactly() {
    // 100 lines whose sums of weights are of 40 bits and have no small divisors.
    let sums = (1_u64 << 40..).step_by(1).filter(|number| {
        let mut small = (3..1000).step_by(2);
        number % 2 == 1 && small.all(|divisor| number % divisor != 0)
    });
    let lines: Vec<Line<i64>> = sums
        .take(100)
        .map(|sum| {
            let weights: BTreeMap<MemberId, Decimal> = [(1, 1), (2, 2), (3, sum - 3)]
                .map(|(it, weight)| (user(it), Decimal::new(weight.into(), 4)))
                .into();
            let amount = i64::MAX / 100;
            Line {
                sharing: Sharing::Sharers { sharers: weights },
                ..line(LineKind::Item, amount, &[])
            }
        })
        .chain([over(LineKind::Tax, i64::MAX % 100, None, LineSplit::Proportional)])
        .collect();
    let third = line(LineKind::Item, 3, &[(1, "1"), (2, "1"), (3, "1")]);
    let seven = vec![third.clone(), third.with_amount(4)];
    for (lines, amount) in [(lines, i64::MAX), (seven, 7)] {
        let split = Split::Itemized(lines);
        let exact = exact_shares(&split, amount);
        for seed in 0..4 {
            let shares = split.divide(eur(amount), expense(seed)).unwrap();
            assert_eq!(
                shares.iter().map(|it| i128::from(it.amount.minor)).sum::<i128>(),
                amount.into()
            );
            for share in shares {
                let off =
                    &exact[&share.user] - BigRational::from_integer(share.amount.minor.into());
                assert!(off.numer().magnitude() < off.denom().magnitude(), "{share:?}");
            }
        }
    }
}
