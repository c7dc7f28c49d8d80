//! How amounts of the book stand in a row: as numbers of major units, each under its currency.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Balances, Change, Settled, Totals};
use crate::{currency::Currency, decimal::Decimal, id::UserId};

/// Totals in major units; what is left out is zero.
#[derive(Serialize, Deserialize)]
struct Numbers {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paid: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    received: Option<Decimal>,
}

impl Numbers {
    /// All four, for a balance.
    fn of(totals: Totals, currency: Currency) -> Self {
        let number = |units: i64| Some(currency.number(units));
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
        let units = |number: Option<Decimal>| {
            number.map_or(Ok(0), |number| currency.units(number).map_err(E::custom))
        };
        Ok(Totals {
            paid: units(self.paid)?,
            owed: units(self.owed)?,
            sent: units(self.sent)?,
            received: units(self.received)?,
        })
    }
}

impl Serialize for Balances {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.currencies().map(|currency| {
            let numbers =
                self.of(currency).map(|(user, totals)| (user, Numbers::of(totals, currency)));
            (currency, numbers.collect::<BTreeMap<_, _>>())
        }))
    }
}

impl<'de> Deserialize<'de> for Balances {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = BTreeMap::<Currency, BTreeMap<UserId, Numbers>>::deserialize(from)?;
        let member = |currency, (user, numbers): (UserId, Numbers)| {
            Ok((user, numbers.totals::<D::Error>(currency)?))
        };
        let currency = |(currency, members): (Currency, BTreeMap<_, _>)| {
            let members =
                members.into_iter().map(|it| member(currency, it)).collect::<Result<_, _>>()?;
            Ok((currency, members))
        };
        stored.into_iter().map(currency).collect::<Result<_, _>>().map(Self)
    }
}

impl Serialize for Settled {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(currency, sum)| (currency, currency.number(*sum))))
    }
}

impl<'de> Deserialize<'de> for Settled {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = BTreeMap::<Currency, Decimal>::deserialize(from)?;
        let sum = |(currency, number): (Currency, Decimal)| {
            Ok((currency, currency.units(number).map_err(D::Error::custom)?))
        };
        stored.into_iter().map(sum).collect::<Result<_, _>>().map(Self)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredChange {
    user_id: UserId,
    currency: Currency,
    #[serde(flatten)]
    numbers: Numbers,
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let numbers = Numbers::changed(self.totals, self.currency);
        StoredChange { user_id: self.user, currency: self.currency, numbers }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let StoredChange { user_id, currency, numbers } = StoredChange::deserialize(from)?;
        Ok(Self { user: user_id, currency, totals: numbers.totals(currency)? })
    }
}
