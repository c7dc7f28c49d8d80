//! Data of the bot's buttons, which Telegram sends back when one is pressed.
//!
//! It is not trusted: any client can send any data, so rights are checked as for a command.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::values::{
    currency::Currency,
    id::{ExpenseId, GroupId, MemberId, QuestionId, SettlementId},
    money::Money,
};

/// A button of the bot.
///
/// Its data is base64url without padding of an operation (1 byte) and what the operation has of a
/// group (16), an id (16), a transfer (8) and an option (1), or of a currency's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Choose the currency of the chat's group.
    Currency(Currency),
    /// Join the group.
    Join(GroupId),
    /// Delete an expense that was just recorded.
    Undo {
        /// Its group.
        group: GroupId,
        /// The expense.
        expense: ExpenseId,
    },
    /// Record a transfer of the plan as paid.
    Pay {
        /// Its group.
        group: GroupId,
        /// The transfer.
        transfer: TransferKey,
    },
    /// Confirm that a settlement was received.
    Confirm {
        /// Its group.
        group: GroupId,
        /// The settlement.
        settlement: SettlementId,
        /// Transfer that it paid when the button was shown.
        transfer: TransferKey,
    },
    /// Say that a settlement was not received.
    NotReceived {
        /// Its group.
        group: GroupId,
        /// The settlement.
        settlement: SettlementId,
        /// Transfer that it paid when the button was shown.
        transfer: TransferKey,
    },
    /// Answer a question.
    Answer {
        /// Its group.
        group: GroupId,
        /// The question.
        question: QuestionId,
        /// Index of the option.
        option: u8,
    },
    /// Choose a reading of an expense, by its index.
    Reading(u8),
    /// Turn on messages.
    TurnOn,
    /// Turn off messages.
    TurnOff,
    /// Mute a group.
    Mute(GroupId),
    /// Unmute a group.
    Unmute(GroupId),
}

/// Operations as the first byte of the data. Messages in chats keep their buttons for years, so a
/// byte never gets another meaning.
mod op {
    pub(super) const CURRENCY: u8 = 1;
    pub(super) const JOIN: u8 = 2;
    pub(super) const UNDO: u8 = 3;
    pub(super) const PAY: u8 = 4;
    pub(super) const CONFIRM: u8 = 5;
    pub(super) const NOT_RECEIVED: u8 = 6;
    pub(super) const ANSWER: u8 = 7;
    pub(super) const READING: u8 = 8;
    pub(super) const TURN_ON: u8 = 9;
    pub(super) const TURN_OFF: u8 = 10;
    pub(super) const MUTE: u8 = 11;
    pub(super) const UNMUTE: u8 = 12;
}

impl Button {
    /// Maximum length of the data, in bytes.
    ///
    /// <https://core.telegram.org/bots/api#inlinekeyboardbutton>
    pub const MAX_LENGTH: usize = 64;

    /// The data of the button.
    #[must_use]
    pub fn encode(&self) -> String {
        let (op, parts): (u8, [&[u8]; 3]) = match self {
            Self::Currency(currency) => (op::CURRENCY, [currency.code().as_bytes(), &[], &[]]),
            Self::Join(group) => (op::JOIN, [group.as_bytes(), &[], &[]]),
            Self::Undo { group, expense } => {
                (op::UNDO, [group.as_bytes(), expense.as_bytes(), &[]])
            }
            Self::Pay { group, transfer } => (op::PAY, [group.as_bytes(), &transfer.0, &[]]),
            Self::Confirm { group, settlement, transfer } => {
                (op::CONFIRM, [group.as_bytes(), settlement.as_bytes(), &transfer.0])
            }
            Self::NotReceived { group, settlement, transfer } => {
                (op::NOT_RECEIVED, [group.as_bytes(), settlement.as_bytes(), &transfer.0])
            }
            Self::Answer { group, question, option } => {
                let option = std::slice::from_ref(option);
                (op::ANSWER, [group.as_bytes(), question.as_bytes(), option])
            }
            Self::Reading(index) => (op::READING, [std::slice::from_ref(index), &[], &[]]),
            Self::TurnOn => (op::TURN_ON, [&[]; 3]),
            Self::TurnOff => (op::TURN_OFF, [&[]; 3]),
            Self::Mute(group) => (op::MUTE, [group.as_bytes(), &[], &[]]),
            Self::Unmute(group) => (op::UNMUTE, [group.as_bytes(), &[], &[]]),
        };
        BASE64_URL_SAFE_NO_PAD.encode([&[op], parts.concat().as_slice()].concat())
    }

    /// The button that has exactly this data, if there is one.
    #[must_use]
    pub fn decode(data: &str) -> Option<Self> {
        if data.len() > Self::MAX_LENGTH {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(data).ok()?;
        let (op, rest) = bytes.split_first()?;
        let mut rest = Rest(rest);
        let button = match *op {
            op::CURRENCY => Self::Currency(rest.text()?.parse().ok()?),
            op::JOIN => Self::Join(rest.group()?),
            op::UNDO => {
                Self::Undo { group: rest.group()?, expense: ExpenseId::from_bytes(rest.next()?) }
            }
            op::PAY => Self::Pay { group: rest.group()?, transfer: TransferKey(rest.next()?) },
            op::CONFIRM => Self::Confirm {
                group: rest.group()?,
                settlement: rest.settlement()?,
                transfer: TransferKey(rest.next()?),
            },
            op::NOT_RECEIVED => Self::NotReceived {
                group: rest.group()?,
                settlement: rest.settlement()?,
                transfer: TransferKey(rest.next()?),
            },
            op::ANSWER => Self::Answer {
                group: rest.group()?,
                question: QuestionId::from_bytes(rest.next()?),
                option: rest.byte()?,
            },
            op::READING => Self::Reading(rest.byte()?),
            op::TURN_ON => Self::TurnOn,
            op::TURN_OFF => Self::TurnOff,
            op::MUTE => Self::Mute(rest.group()?),
            op::UNMUTE => Self::Unmute(rest.group()?),
            _ => return None,
        };
        rest.0.is_empty().then_some(button)
    }
}

/// The bytes that were not read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (next, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*next)
    }

    fn byte(&mut self) -> Option<u8> {
        let [byte] = self.next()?;
        Some(byte)
    }

    fn group(&mut self) -> Option<GroupId> {
        self.next().map(GroupId::from_bytes)
    }

    fn settlement(&mut self) -> Option<SettlementId> {
        self.next().map(SettlementId::from_bytes)
    }

    /// All that was not read, as text.
    fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(std::mem::take(&mut self.0)).ok()
    }
}

/// Key of a transfer of a plan, which has no row, or of the payment of a settlement: the first 8
/// bytes of a hash of payer, recipient, currency and amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferKey([u8; 8]);

impl TransferKey {
    /// The key of a transfer.
    #[must_use]
    pub fn of(payer: MemberId, recipient: MemberId, money: Money) -> Self {
        let Money { currency, minor } = money;
        // No part has a blank.
        let hash = Sha256::digest(format!("{payer} {recipient} {currency} {minor}"));
        Self(hash.first_chunk().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "0190a1b2-0000-7000-8000-000000000001";

    fn buttons() -> [Button; 12] {
        let group = "0190a1b2-0000-7000-8000-000000000002".parse().unwrap();
        let settlement = ID.parse().unwrap();
        let currency = "USDT".parse().unwrap();
        let guest = format!("guest-{ID}").parse().unwrap();
        let transfer = TransferKey::of("7".parse().unwrap(), guest, Money { currency, minor: 5 });
        [
            Button::Currency(currency),
            Button::Join(group),
            Button::Undo { group, expense: ID.parse().unwrap() },
            Button::Pay { group, transfer },
            Button::Confirm { group, settlement, transfer },
            Button::NotReceived { group, settlement, transfer },
            Button::Answer { group, question: ID.parse().unwrap(), option: 255 },
            Button::Reading(3),
            Button::TurnOn,
            Button::TurnOff,
            Button::Mute(group),
            Button::Unmute(group),
        ]
    }

    // Buttons of sent messages keep their data, so a change of it breaks them.
    #[test]
    fn data_of_buttons() {
        insta::assert_debug_snapshot!(buttons().map(|it| it.encode()), @r#"
        [
            "AVVTRFQ",
            "AgGQobIAAHAAgAAAAAAAAAI",
            "AwGQobIAAHAAgAAAAAAAAAIBkKGyAABwAIAAAAAAAAAB",
            "BAGQobIAAHAAgAAAAAAAAAIPex-UIRdTFw",
            "BQGQobIAAHAAgAAAAAAAAAIBkKGyAABwAIAAAAAAAAABD3sflCEXUxc",
            "BgGQobIAAHAAgAAAAAAAAAIBkKGyAABwAIAAAAAAAAABD3sflCEXUxc",
            "BwGQobIAAHAAgAAAAAAAAAIBkKGyAABwAIAAAAAAAAAB_w",
            "CAM",
            "CQ",
            "Cg",
            "CwGQobIAAHAAgAAAAAAAAAI",
            "DAGQobIAAHAAgAAAAAAAAAI",
        ]
        "#);
    }

    #[test]
    fn every_button_is_read_as_it_is_written() {
        for button in buttons() {
            let data = button.encode();
            assert!(data.len() <= Button::MAX_LENGTH, "{button:?}");
            assert_eq!(Button::decode(&data), Some(button));
        }
    }

    #[test]
    fn damaged_data_is_no_button() {
        for button in buttons() {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(button.encode()).unwrap();
            let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
            for end in 0..bytes.len() {
                let found = Button::decode(&encode(&bytes[..end]));
                // "USD" is the beginning of "USDT".
                let is_currency = matches!(found, Some(Button::Currency(_)));
                assert!(found.is_none() || is_currency, "{button:?}: {found:?}");
            }
            assert_eq!(Button::decode(&encode(&[&bytes[..], &[0]].concat())), None);
            assert_eq!(Button::decode(&format!("{}=", button.encode())), None);
            assert_eq!(Button::decode(&format!(" {}", button.encode())), None);
        }
        // An unknown operation, a currency in lower case, bits after the last byte, a long text.
        for data in ["", "AA", "DQ", "AWV1cg", "CR", "é", &"A".repeat(65), &"A".repeat(10_000)] {
            assert_eq!(Button::decode(data), None, "{data:?}");
        }
    }

    #[test]
    fn transfers_that_differ_have_different_keys() {
        let [a, b]: [MemberId; 2] = ["1", "11"].map(|it| it.parse().unwrap());
        let money = |code: &str, minor| Money { currency: code.parse().unwrap(), minor };
        let keys = [
            TransferKey::of(a, b, money("EUR", 10)),
            TransferKey::of(b, a, money("EUR", 10)),
            TransferKey::of(a, b, money("USD", 10)),
            TransferKey::of(a, b, money("EUR", 1)),
            TransferKey::of(a, a, money("EUR", 10)),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
        assert_eq!(keys[0], TransferKey::of(a, b, money("EUR", 10)));
    }

    proptest! {
        #[test]
        fn data_that_is_a_button_is_its_only_data(data in "\\PC*") {
            if let Some(button) = Button::decode(&data) {
                prop_assert_eq!(button.encode(), data);
            }
        }

        #[test]
        fn bytes_that_are_a_button_are_its_only_bytes(
            op in 0..16_u8, rest in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let data = BASE64_URL_SAFE_NO_PAD.encode([&[op], rest.as_slice()].concat());
            if let Some(button) = Button::decode(&data) {
                prop_assert_eq!(button.encode(), data);
            }
        }
    }
}
