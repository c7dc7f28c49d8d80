use std::collections::{BTreeMap, BTreeSet};

use super::{
    answer::{Answer, Answerer},
    points::{Badge, Points},
    question::{Question, QuestionType},
    receipt::{Applying, Claim, Claims, Receipt, Unclaimed},
};
use crate::{
    caller::telegram::User,
    group::{Member, links::Links},
    input::{Error, Field, question_error::QuestionError},
    records::expense::Payer,
    split::{Line, LineKind, Sharing},
    values::{
        decimal::Decimal,
        id::{GroupId, GuestId, MemberId, QuestionId, UserId},
        time::{Day, Timestamp},
    },
};

fn user(number: u64) -> UserId {
    UserId::new(number).unwrap()
}

fn at() -> Timestamp {
    "2026-11-20T18:00:00.000Z".parse().unwrap()
}

/// A receipt with one item of `quantity` pieces, which user 1 paid.
fn receipt(quantity: Option<&str>, amount: &str) -> Receipt {
    let amount: Decimal = amount.parse().unwrap();
    Receipt {
        description: "Luigi's".parse().unwrap(),
        amount,
        currency: "EUR".parse().unwrap(),
        payers: vec![Payer { user_id: user(1).into(), user_name: "Alice".to_owned(), amount }],
        date: at().day(),
        category: None,
        notes: None,
        lines: vec![Line {
            kind: LineKind::Item,
            name: "Beer".parse().unwrap(),
            amount,
            rest: false,
            quantity: quantity.map(|it| it.parse().unwrap()),
            price: None,
            sharing: Sharing::Sharers { sharers: BTreeMap::new() },
        }],
    }
}

/// The weights of the sharers of the item, or why it is unclaimed.
fn weights(
    quantity: Option<&str>,
    claims: &[(u64, Option<&str>)],
    unclaimed: Unclaimed,
) -> Result<Vec<(u64, String)>, String> {
    let claim = |(member, count): &(u64, Option<&str>)| {
        let count = count.map(|it| it.parse().unwrap());
        (MemberId::from(user(*member)), vec![Claim { item: 0, count }])
    };
    let answers: Vec<_> = claims.iter().map(claim).collect();
    let answers = answers.iter().map(|(member, claims)| (*member, claims.as_slice()));
    let links = Links::default();
    let present = (1..=5).map(|it| user(it).into()).collect();
    let claims = Claims::of(answers, &links, &present);
    let applying = Applying { links: &links, present: &present, unclaimed, payer: Field::Absent };
    match receipt(quantity, "12").expense(&claims, applying) {
        Ok(draft) => {
            let items = draft.fields().unwrap().items.value().unwrap();
            let sharers = items[0].sharers.value().unwrap();
            let weight = |it: &crate::records::expense::SharerInput| {
                let MemberId::User(user) = it.user.value().unwrap() else { unreachable!() };
                (user.number(), it.weight.value().unwrap().to_string())
            };
            Ok(sharers.iter().map(weight).collect())
        }
        Err(Error::Question(QuestionError::Unclaimed(items))) => Err(items[0].1.to_string()),
        Err(error) => unreachable!("{error}"),
    }
}

fn row(weights: &[(u64, &str)]) -> Vec<(u64, String)> {
    weights.iter().map(|(user, weight)| (*user, (*weight).to_owned())).collect()
}

#[test]
fn claims_give_the_weights_of_an_item() {
    use Unclaimed::{Claimers, Payers, Reject};
    // Four beers: Bob counts one, and Carol and Dan shared the rest.
    let some = [(2, Some("1")), (3, None), (4, None)];
    assert_eq!(weights(Some("4"), &some, Reject), Ok(row(&[(2, "2"), (3, "3"), (4, "3")])));
    // Two beers, and Bob counts both.
    let over = [(2, Some("2")), (3, None)];
    assert_eq!(weights(Some("2"), &over, Reject), Ok(row(&[(2, "2"), (3, "1")])));
    // Three salads.
    let all = [(2, Some("2")), (3, Some("1"))];
    assert_eq!(weights(Some("3"), &all, Reject), Ok(row(&[(2, "2"), (3, "1")])));
    let one = [(2, Some("1"))];
    assert_eq!(weights(Some("3"), &one, Reject), Err("2 of 3 are unclaimed".to_owned()));
    assert_eq!(weights(Some("3"), &one, Claimers), Ok(row(&[(2, "3")])));
    assert_eq!(weights(Some("3"), &one, Payers), Ok(row(&[(1, "2"), (2, "1")])));
    let two = [(2, Some("1.5")), (3, Some("0.5"))];
    assert_eq!(weights(Some("3"), &two, Reject), Err("1 of 3 is unclaimed".to_owned()));
    assert_eq!(weights(Some("3"), &two, Claimers), Ok(row(&[(2, "4"), (3, "2")])));
    // A quantity that is no number of pieces is one piece.
    let shared = [(2, None), (3, None)];
    for quantity in [None, Some("1.5")] {
        assert_eq!(weights(quantity, &shared, Reject), Ok(row(&[(2, "1"), (3, "1")])));
    }
    assert_eq!(weights(None, &[], Reject), Err("nobody has claimed it".to_owned()));
    assert_eq!(weights(None, &[], Claimers), Err("nobody has claimed it".to_owned()));
    assert_eq!(weights(None, &[], Payers), Ok(row(&[(1, "1")])));
}

/// Claims of `claims` pieces, or the answer `text`, at a second after the question.
fn answer(member: MemberId, claims: Option<&str>, second: u64) -> Answer {
    let asked = question(QuestionType::Items);
    let claims = claims.map(|count| vec![Claim { item: 0, count: Some(count.parse().unwrap()) }]);
    Answer {
        question_id: asked.id,
        group_id: asked.group_id,
        question_type: asked.question_type,
        prompt: asked.prompt,
        by: Answerer::Named { member_id: member, member_name: String::new(), answered_by: user(1) },
        answer: None,
        selected_option: claims.is_none().then_some(0),
        claims,
        confidence: None,
        response_time_ms: None,
        created_at: at().plus_seconds(second),
        updated_at: None,
        ttl: asked.ttl,
    }
}

fn guest(number: u8) -> GuestId {
    GuestId::new(at(), [number; 10])
}

#[test]
fn the_newest_claims_of_guest_and_user_count() {
    let mut links = Links::default();
    links.insert(guest(1), user(2));
    let present: BTreeSet<MemberId> = [user(1).into(), user(2).into()].into();
    for (seconds, changed, count) in
        [([1, 2], None, "1.5"), ([2, 1], None, "1"), ([1, 2], Some(3), "1")]
    {
        let own = answer(user(2).into(), Some("1"), seconds[0]);
        let own = Answer { updated_at: changed.map(|it| at().plus_seconds(it)), ..own };
        let of_guest = answer(guest(1).into(), Some("1.5"), seconds[1]);
        let past = answer(user(9).into(), Some("1"), 3);
        let counting = Answer::one_each(vec![of_guest, own, past], &links);
        assert_eq!(counting.len(), 2);
        let claims =
            counting.iter().map(|it| (it.member().unwrap(), it.claims.as_deref().unwrap()));
        let claims = Claims::of(claims, &links, &present);
        let receipt = receipt(Some("3"), "12");
        let claimed = receipt.claims_of(0, &claims).unwrap().claims.clone();
        assert_eq!(claimed, [(user(2).into(), Some(count.parse().unwrap()))].into(), "{seconds:?}");
    }
}

#[test]
fn the_first_answer_of_guest_and_user_counts() {
    let mut links = Links::default();
    links.insert(guest(1), user(2));
    links.insert(guest(2), user(2));
    let members: [MemberId; 4] = [user(3).into(), user(2).into(), guest(1).into(), guest(2).into()];
    let answers = members.iter().copied().zip([9, 3, 1, 2]);
    let answers = answers.map(|(member, second)| answer(member, None, second)).collect();
    let counting = Answer::one_each(answers, &links);
    let counting: Vec<_> = counting.iter().map(|it| it.member().unwrap()).collect();
    assert_eq!(counting, [members[0], members[2]]);
}

#[test]
fn a_linked_guest_lowers_what_a_question_needs() {
    let [guest, other]: [MemberId; 2] = [guest(1).into(), user(2).into()];
    let present: BTreeSet<MemberId> = [user(1).into(), other].into();
    let asked = |question_type, audience: Option<&[MemberId]>, required_responses| Question {
        audience: audience.map(|it| it.iter().copied().collect()),
        required_responses,
        ..question(question_type)
    };
    let link = |question: &Question| {
        question.linked(guest, other, &present, at()).map(|it| {
            assert_eq!(it.version, question.version + 1);
            (it.required_responses, it.answered.len(), it.closed_at.is_some())
        })
    };
    let text = QuestionType::Text;
    let items = QuestionType::Items;
    assert_eq!(link(&asked(text, None, 1)), None);
    assert_eq!(link(&asked(text, Some(&[user(3).into()]), 1)), None);
    let both = asked(text, Some(&[guest, other, user(3).into()]), 3);
    assert_eq!(link(&both), Some((2, 0, false)));
    let answered = Question { answered: [(guest, 1), (other, 1)].into(), ..both.clone() };
    assert_eq!(link(&answered), Some((2, 1, false)));
    let answered = Question { answered: [(guest, 1), (user(3).into(), 1)].into(), ..both };
    assert_eq!(link(&answered), Some((2, 2, true)));
    // One of two who were asked is enough.
    assert_eq!(link(&asked(text, Some(&[guest, other]), 1)), Some((1, 0, false)));
    // The user, who was not asked, is the guest.
    assert_eq!(link(&asked(text, Some(&[guest]), 1)), Some((1, 0, false)));
    // All who are present were asked; members who have left since lower nothing.
    assert_eq!(link(&asked(items, None, 3)), Some((2, 0, false)));
    assert_eq!(link(&asked(items, None, 5)), Some((4, 0, false)));
    assert_eq!(link(&asked(items, None, 2)), None);
}

fn question(question_type: QuestionType) -> Question {
    Question {
        id: QuestionId::new(at(), [1; 10]),
        group_id: GroupId::new(at(), [1; 10]),
        question_type,
        prompt: "Who?".to_owned(),
        options: Vec::new(),
        category: None,
        audience: None,
        anonymous: false,
        required_responses: 2,
        answered: BTreeMap::new(),
        asked_by: user(1),
        asked_by_name: "Alice".to_owned(),
        agent_id: None,
        agent_name: None,
        created_at: at(),
        expires_at: at().plus_seconds(3600),
        closed_at: None,
        expense_id: None,
        receipt: None,
        version: 1,
        ttl: 1,
    }
}

#[test]
fn streaks_and_badges_follow_from_the_days_of_answers() {
    let asked = question(QuestionType::Text);
    let day = |text: &str| -> Day { text.parse().unwrap() };
    let mut points = Points::none(asked.group_id, user(2), at());
    for (date, streak) in [
        ("2026-03-27", 1),
        ("2026-03-27", 1),
        ("2026-03-28", 2),
        ("2026-03-29", 3),
        ("2026-03-28", 3),
        ("2026-03-31", 1),
        ("2026-04-01", 2),
    ] {
        points = points.answered(&asked, day(date), at());
        assert_eq!(points.streak_days, streak, "{date}");
    }
    assert_eq!((points.total_points, points.badges.clone()), (70, vec![Badge::FirstAnswer]));
    for offset in 1..=28 {
        points = points.answered(&asked, day("2026-04-01").plus(offset), at());
    }
    let earned = [Badge::FirstAnswer, Badge::TenAnswers, Badge::WeekStreak, Badge::MonthStreak];
    let mut badges = points.badges.clone();
    badges.sort_unstable();
    assert_eq!(badges, earned);
    assert_eq!(points.answers_by_category, [("none".to_owned(), 35)].into());
    assert_eq!(Points::of_answer(&question(QuestionType::MultipleChoice)), 5);
}

fn member(number: u64) -> Member {
    let name = number.to_string();
    let user = User { id: user(number), name, username: None, avatar_url: None };
    Member::new(&user, None, at())
}

#[test]
fn a_guests_answer_is_that_of_the_user() {
    let carol = Member { guests: vec![guest(1).into()], ..member(2) };
    let answered: BTreeMap<MemberId, usize> = [(guest(1).into(), 2)].into();
    let asked = Question { answered, ..question(QuestionType::Items) };
    assert!(asked.has_answered(&carol) && !asked.has_answered(&member(3)));
    assert_eq!(asked.check_answer(&carol, at()), Err(QuestionError::Answered));
    assert_eq!(asked.answered_by(&carol, 1, at()).answered, [(user(2).into(), 1)].into());
}

#[test]
fn enough_answers_close_a_question_but_not_a_receipt() {
    for (question_type, is_over) in [(QuestionType::Text, true), (QuestionType::Items, false)] {
        let [bob, carol] = [2, 3].map(member);
        let once = question(question_type).answered_by(&bob, 1, at());
        assert!(!once.is_over(at()));
        assert_eq!(once.check_answer(&bob, at()), Err(QuestionError::Answered));
        let twice = once.answered_by(&carol, 1, at());
        assert_eq!(twice.is_over(at()), is_over, "{question_type}");
        assert!(twice.is_over(twice.expires_at));
        assert_eq!(twice.version, 3);
    }
}
