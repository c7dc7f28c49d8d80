//! Amounts of the ledger as a row stores them: numbers of major units, each under its currency.

use std::collections::BTreeMap;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Balances, Change, Settled, Totals};
use crate::values::{
    currency::Currency,
    decimal::Decimal,
    id::{GuestId, MemberId},
};

/// Key of a member in the balance row: the id of a user as it is, and the UUID of a guest as `g`
/// and 22 characters of base64, so that the row has room for the balances of many guests.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct StoredMember(MemberId);

impl StoredMember {
    /// Prefix of the key of a guest.
    const GUEST: &str = "g";
}

impl From<StoredMember> for String {
    fn from(StoredMember(member): StoredMember) -> Self {
        match member {
            MemberId::User(user) => user.to_string(),
            MemberId::Guest(guest) => {
                let mut key = StoredMember::GUEST.to_owned();
                BASE64_URL_SAFE_NO_PAD.encode_string(guest.as_bytes(), &mut key);
                key
            }
        }
    }
}

impl TryFrom<String> for StoredMember {
    type Error = &'static str;

    fn try_from(key: String) -> Result<Self, Self::Error> {
        let member = match key.strip_prefix(Self::GUEST) {
            Some(guest) => {
                let bytes = BASE64_URL_SAFE_NO_PAD.decode(guest).ok();
                let bytes = bytes.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
                bytes.map(|bytes| GuestId::from_bytes(bytes).into())
            }
            None => key.parse().ok().map(MemberId::User),
        };
        member.map(Self).ok_or("must be the key of a member")
    }
}

/// Totals in major units. An omitted total is zero.
#[derive(Serialize, Deserialize)]
struct StoredTotals {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paid: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    received: Option<Decimal>,
}

impl StoredTotals {
    /// All four, for a balance.
    fn of(totals: Totals, currency: Currency) -> Self {
        let number = |minor: i64| Some(currency.to_major(minor));
        Self {
            paid: number(totals.paid),
            owed: number(totals.owed),
            sent: number(totals.sent),
            received: number(totals.received),
        }
    }

    /// Those that change something, for an entry.
    fn changed(totals: Totals, currency: Currency) -> Self {
        let all = Self::of(totals, currency);
        let changed = |number: Option<Decimal>| number.filter(|number| *number != Decimal::ZERO);
        Self {
            paid: changed(all.paid),
            owed: changed(all.owed),
            sent: changed(all.sent),
            received: changed(all.received),
        }
    }

    fn totals<E: Error>(&self, currency: Currency) -> Result<Totals, E> {
        let minor = |number: Option<Decimal>| {
            number.map_or(Ok(0), |number| currency.to_minor(number).map_err(E::custom))
        };
        Ok(Totals {
            paid: minor(self.paid)?,
            owed: minor(self.owed)?,
            sent: minor(self.sent)?,
            received: minor(self.received)?,
        })
    }
}

impl Serialize for Balances {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.currencies().map(|currency| {
            let numbers = self
                .of(currency)
                .map(|(user, totals)| (StoredMember(user), StoredTotals::of(totals, currency)));
            (currency, numbers.collect::<BTreeMap<_, _>>())
        }))
    }
}

impl<'de> Deserialize<'de> for Balances {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = BTreeMap::<Currency, BTreeMap<StoredMember, StoredTotals>>::deserialize(from)?;
        let member = |currency, (StoredMember(user), numbers): (StoredMember, StoredTotals)| {
            Ok((user, numbers.totals::<D::Error>(currency)?))
        };
        let currency = |(currency, members): (Currency, BTreeMap<_, _>)| {
            let members =
                members.into_iter().map(|it| member(currency, it)).collect::<Result<_, _>>()?;
            Ok((currency, members))
        };
        let balances = Self(stored.into_iter().map(currency).collect::<Result<_, _>>()?);
        for currency in balances.currencies() {
            balances.check_range(currency).map_err(D::Error::custom)?;
        }
        Ok(balances)
    }
}

impl Serialize for Settled {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(currency, sum)| (currency, currency.to_major(*sum))))
    }
}

impl<'de> Deserialize<'de> for Settled {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = BTreeMap::<Currency, Decimal>::deserialize(from)?;
        let sum = |(currency, number): (Currency, Decimal)| {
            Ok((currency, currency.to_minor(number).map_err(D::Error::custom)?))
        };
        stored.into_iter().map(sum).collect::<Result<_, _>>().map(Self)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredChange {
    user_id: MemberId,
    currency: Currency,
    #[serde(flatten)]
    numbers: StoredTotals,
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let numbers = StoredTotals::changed(self.totals, self.currency);
        StoredChange { user_id: self.user, currency: self.currency, numbers }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let StoredChange { user_id, currency, numbers } = StoredChange::deserialize(from)?;
        Ok(Self { user: user_id, currency, totals: numbers.totals(currency)? })
    }
}
