//! Checks of shares against their split.

use super::*;

/// The shares of an expense by their members.
fn divided(split: &Split, amount: i64, seed: u8) -> Vec<(MemberId, i64)> {
    let shares = split.divide(eur(amount), expense(seed)).unwrap();
    shares.iter().map(|share| (share.user, share.amount.minor)).collect()
}

/// Whether shares are the exact ones, rounded down except for the largest remainders.
fn follow(split: &Split, amount: i64, shares: &[(MemberId, i64)]) -> bool {
    let exact = exact_shares(split, amount);
    let mut up = Vec::new();
    let mut down = Vec::new();
    for (member, share) in shares {
        let exact = &exact[member];
        let above = BigRational::from_integer((*share).into()) - exact.floor();
        let remainders = match above {
            above if above == BigRational::from_integer(0.into()) => &mut down,
            above if above == BigRational::from_integer(1.into()) => &mut up,
            _ => return false,
        };
        remainders.push(exact - exact.floor());
    }
    up.iter().all(|up| down.iter().all(|down| down <= up))
}

#[test]
fn any_choice_among_equal_remainders_is_accepted() {
    let thirds = Split::Equal((1..4).map(user).collect());
    let shares = |minor: [i64; 3]| (1..).map(user).zip(minor).collect::<Vec<_>>();
    for (minor, is_accepted) in [
        ([34, 33, 33], true),
        ([33, 34, 33], true),
        ([33, 33, 34], true),
        ([35, 33, 32], false),
        ([34, 34, 32], false),
        ([34, 33, 34], false),
        ([33, 33, 33], false),
    ] {
        let checked = thirds.check_shares(eur(100), &shares(minor));
        assert_eq!(checked.is_ok(), is_accepted, "{minor:?}: {checked:?}");
        let negated = thirds.check_shares(eur(-100), &shares(minor.map(|it| -it)));
        assert_eq!(negated, checked, "{minor:?}");
    }
    // The remainders are 0.2, 0.3 and 0.5.
    let parts = [(1, 120_000), (2, 230_000), (3, 650_000)].map(|(it, of)| (user(it), of));
    let parts = Split::Percentage(parts.to_vec());
    for (minor, is_accepted) in [([1, 2, 7], true), ([1, 3, 6], false), ([2, 2, 6], false)] {
        assert_eq!(parts.check_shares(eur(10), &shares(minor)).is_ok(), is_accepted, "{minor:?}");
    }
}

#[test]
fn shares_of_other_members_are_refused() {
    let split = Split::Equal(vec![user(1), user(2)]);
    for (members, result) in [
        (&[2, 1][..], Ok(())),
        (&[1], Err(SplitError::OtherShares)),
        (&[1, 1], Err(SplitError::OtherShares)),
        (&[1, 3], Err(SplitError::OtherShares)),
        (&[1, 2, 3], Err(SplitError::OtherShares)),
        (&[], Err(SplitError::OtherShares)),
    ] {
        let count = i64::try_from(members.len()).unwrap().max(1);
        let shares: Vec<_> = members.iter().map(|it| (user(*it), 100 / count)).collect();
        assert_eq!(split.check_shares(eur(100), &shares), result, "{members:?}");
    }
    let twice = Split::Equal(vec![user(1), user(1)]);
    let shares = [(user(1), 50), (user(1), 50)];
    assert_eq!(twice.check_shares(eur(100), &shares), Err(SplitError::Twice(1)));
}

#[test]
fn largest_shares_are_compared_without_overflow() {
    let split = Split::Equal(vec![user(1), user(2)]);
    let shares = [(user(1), i64::MAX), (user(2), i64::MAX)];
    assert_eq!(split.check_shares(eur(i64::MAX), &shares), Err(SplitError::OtherShares));
    let shares = [(user(1), i64::MIN), (user(2), -1)];
    assert_eq!(split.check_shares(eur(i64::MAX), &shares), Err(SplitError::OtherShares));
}

#[test]
fn members_are_exchanged_unless_two_become_one() {
    let lines = |members: [u64; 2]| {
        let tip = over(LineKind::Tip, 10, Some(&[0]), LineSplit::Equal);
        vec![line(LineKind::Item, 90, &members.map(|it| (it, "1"))), tip]
    };
    let of = |members: [u64; 2]| {
        [
            Split::Equal(members.map(user).to_vec()),
            Split::Exact(members.map(|it| (user(it), 50)).to_vec()),
            Split::Percentage(members.map(|it| (user(it), 500_000)).to_vec()),
            Split::Shares(members.map(|it| (user(it), 10_000)).to_vec()),
            Split::Adjustment(members.map(|it| (user(it), 0)).to_vec()),
            Split::Itemized(lines(members)),
        ]
    };
    let next = |it: MemberId| Some(user(it.user()?.number() + 1));
    for (before, after) in of([1, 2]).into_iter().zip(of([2, 3])) {
        assert_eq!(before.clone().among(next), Some(after));
        assert_eq!(before.clone().among(|it| Some(it).filter(|it| *it != user(2))), None::<Split>);
        let one = before.among(|_| Some(user(1)));
        assert_eq!(one.and_then(|split| split.check(eur(100)).ok()), None);
    }
}

proptest! {
    #[test]
    fn shares_of_any_expense_follow_from_the_split((amount, split) in splits(), seed: u8) {
        let mut shares = divided(&split, amount, seed);
        shares.reverse();
        prop_assert_eq!(split.check_shares(eur(amount), &shares), Ok(()));
        let negated: Vec<_> = shares.iter().map(|(member, minor)| (*member, -minor)).collect();
        prop_assert_eq!(mirrored(&split).check_shares(eur(-amount), &negated), Ok(()));
    }

    #[test]
    fn moved_unit_is_refused_unless_another_expense_could_have_it(
        (amount, split) in splits(), seed: u8, from: prop::sample::Index, to: prop::sample::Index,
    ) {
        let mut shares = divided(&split, amount, seed);
        let from = from.index(shares.len());
        let to = to.index(shares.len());
        let moved = shares[to].1.checked_add(1);
        prop_assume!(from != to && moved.is_some());
        shares[from].1 -= 1;
        shares[to].1 += 1;
        let checked = split.check_shares(eur(amount), &shares);
        prop_assert_eq!(checked.is_ok(), follow(&split, amount, &shares), "{:?}", shares);
        shares[to].1 -= 1;
        prop_assert_eq!(split.check_shares(eur(amount), &shares), Err(SplitError::OtherShares));
    }
}
