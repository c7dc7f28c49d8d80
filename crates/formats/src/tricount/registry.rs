//! The answer of Tricount's API with a tricount, which it calls a registry, as clients save it.
//!
//! All amounts of an entry have one sign: that of an expense is negative.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    split::Split,
    values::{
        category::Category,
        currency::Currency,
        decimal::Decimal,
        id::{MemberId, UserId},
        money::Money,
    },
};
use fracti_texts::{message, rule};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{APP, category, is_converted, original};
use crate::{
    draft::{Converted, FieldText, ImportDraft, LeftOut, Named, Original, UncheckedRow},
    import::{FilePlace, Format, Issue, PersonPart, RowPlace},
    json::{self, NumberText},
    key::Key,
    parts::{Side, Whole, fitted},
    quote::quoted,
    refusal,
    rounding::Withheld,
    unknown::{KnownFields, KnownObjects},
};

/// The list of rows.
const ENTRIES: &str = "all_registry_entry";

/// The list of people.
const MEMBERSHIPS: &str = "memberships";

/// Decimals of a weight of a split.
const WEIGHT_DECIMALS: u8 = 4;

/// Maximum number of tricounts that a message names.
const MAX_TITLES: usize = 10;

/// The fields of a file: an answer, one of its items, or the registry alone.
const FILE: KnownFields = KnownFields {
    read: REGISTRY.read,
    passed_over: &["Pagination"],
    receipts: &[],
    objects: &[
        ("Response", KnownObjects::Parts(&ITEM)),
        ("Registry", KnownObjects::Parts(&REGISTRY)),
        PEOPLE,
        ROWS,
    ],
};

const ITEM: KnownFields = KnownFields {
    passed_over: &["Id", "Token", "UserPerson"],
    objects: &[("Registry", KnownObjects::Parts(&REGISTRY))],
    ..KnownFields::NONE
};

const REGISTRY: KnownFields = KnownFields {
    read: &["uuid", "title", "currency"],
    passed_over: &[
        "id",
        "created",
        "updated",
        "public_identifier_token",
        "description",
        "emoji",
        "category",
        "status",
        "last_activity_timestamp",
        "last_registry_entry_seen_id",
        "previous_updated_timestamp",
        "membership_uuid_active",
        "memberships_previous",
        "deleted_membership_ids",
        "auto_add_card_transaction",
        "membership_setting",
        "avatar_uuid",
        "avatar",
        "setting",
        "alias_creator",
        "all_registry_gallery_attachment",
        "unseen_entries_count",
        "total_amount_spent",
    ],
    receipts: &[],
    objects: &[PEOPLE, ROWS],
};

const PEOPLE: (&str, KnownObjects) = (MEMBERSHIPS, KnownObjects::Parts(&MEMBERSHIP));

const ROWS: (&str, KnownObjects) = (ENTRIES, KnownObjects::Rows(&WRAPPED_ENTRY));

/// A member by the kind of membership.
const MEMBERSHIP: KnownFields = KnownFields {
    objects: &[
        ("RegistryMembershipNonUser", KnownObjects::Parts(&MEMBER)),
        ("RegistryMembershipUser", KnownObjects::Parts(&MEMBER)),
    ],
    ..KnownFields::NONE
};

/// A member. Balances follow from the entries.
const MEMBER: KnownFields = KnownFields {
    read: &["uuid"],
    passed_over: &[
        "id",
        "created",
        "updated",
        "status",
        "status_settlement",
        "setting",
        "auto_add_card_transaction",
        "registry_id",
        "balance",
        "total_amount_spent",
    ],
    objects: &[("alias", KnownObjects::Parts(&ALIAS))],
    ..KnownFields::NONE
};

const ALIAS: KnownFields = KnownFields {
    read: &["display_name"],
    passed_over: &["pointer", "avatar", "uuid", "country", "is_light", "label_user", "iban"],
    ..KnownFields::NONE
};

const WRAPPED_ENTRY: KnownFields =
    KnownFields { objects: &[("RegistryEntry", KnownObjects::Parts(&ENTRY))], ..KnownFields::NONE };

const ENTRY: KnownFields = KnownFields {
    read: &[
        "uuid",
        "description",
        "date",
        "status",
        "type_transaction",
        "category",
        "category_custom",
        "exchange_rate",
    ],
    passed_over: &[
        "id",
        "created",
        "updated",
        "registry_id",
        "registry_uuid",
        "registry_title",
        "type",
        "alias",
        "counterparty_alias",
        "object_reference",
        "object_type",
        "tricount_id",
        "membership_uuid_owner",
        "user_alias_created",
        "membership_created",
    ],
    receipts: &["attachment"],
    objects: &[
        ("amount", KnownObjects::Parts(&AMOUNT)),
        ("amount_local", KnownObjects::Parts(&AMOUNT)),
        ("membership_owned", KnownObjects::Parts(&MEMBERSHIP)),
        ("allocations", KnownObjects::Parts(&ALLOCATION)),
    ],
};

const ALLOCATION: KnownFields = KnownFields {
    read: &["type", "share_ratio"],
    passed_over: &["id", "created", "updated", "membership_uuid", "amount_local"],
    receipts: &[],
    objects: &[
        ("membership", KnownObjects::Parts(&MEMBERSHIP)),
        ("amount", KnownObjects::Parts(&AMOUNT)),
    ],
};

const AMOUNT: KnownFields = KnownFields { read: &["value", "currency"], ..KnownFields::NONE };

#[derive(Deserialize)]
#[serde(expecting = "an answer of Tricount")]
struct ResponseJson<'a> {
    #[serde(borrow, rename = "Response")]
    items: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a Registry")]
struct ItemJson<'a> {
    #[serde(borrow, rename = "Registry")]
    registry: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a tricount")]
struct RegistryJson<'a> {
    uuid: String,
    title: String,
    currency: String,
    memberships: Vec<MembershipJson>,
    #[serde(borrow)]
    all_registry_entry: Vec<&'a RawValue>,
}

/// A member, in an object with the kind of membership as the only name.
#[derive(Deserialize)]
#[serde(expecting = "a membership")]
enum MembershipJson {
    #[serde(alias = "RegistryMembershipUser")]
    RegistryMembershipNonUser(MemberJson),
}

impl MembershipJson {
    const fn member(&self) -> &MemberJson {
        let Self::RegistryMembershipNonUser(member) = self;
        member
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a member")]
struct MemberJson {
    uuid: String,
    alias: Option<AliasJson>,
}

#[derive(Deserialize)]
#[serde(expecting = "an alias")]
struct AliasJson {
    display_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a RegistryEntry")]
struct WrappedEntryJson {
    #[serde(rename = "RegistryEntry")]
    entry: EntryJson,
}

#[derive(Deserialize)]
#[serde(expecting = "an entry")]
struct EntryJson {
    uuid: String,
    description: Option<String>,
    date: String,
    status: Option<String>,
    type_transaction: String,
    category: Option<String>,
    category_custom: Option<String>,
    amount: AmountJson,
    amount_local: Option<AmountJson>,
    exchange_rate: Option<NumberText>,
    membership_owned: MembershipJson,
    allocations: Vec<AllocationJson>,
}

#[derive(Deserialize)]
#[serde(expecting = "an amount")]
struct AmountJson {
    value: NumberText,
    currency: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an allocation")]
struct AllocationJson {
    membership: MembershipJson,
    amount: AmountJson,
    #[serde(rename = "type")]
    kind: String,
    share_ratio: Option<NumberText>,
}

/// Whether a JSON file with these fields, which may be cut off, has this format.
pub(crate) fn has_fields(fields: &[String]) -> bool {
    fields.iter().any(|field| ["Response", "Registry", ENTRIES].contains(&&**field))
}

/// Reads a file that begins like JSON.
///
/// # Errors
///
/// An [`Issue`] if it is not the JSON of one tricount.
pub(crate) fn read(
    text: &str,
    fields: &[String],
    draft: &mut ImportDraft<'_>,
) -> Result<(), Issue> {
    draft.format(Format::TricountJson);
    let has = |name: &str| fields.iter().any(|field| field == name);
    let registry = if has("Response") {
        let ResponseJson { items } = json::file(text, &[])?;
        let mut registries = Vec::new();
        for item in items {
            registries.extend(json::file::<ItemJson<'_>>(item.get(), &[])?.registry);
        }
        if registries.is_empty() {
            return Err(refusal::of_fields(fields));
        }
        only(&registries)?
    } else if has("Registry") {
        let item: ItemJson<'_> = json::file(text, &[])?;
        item.registry.map_or(text, RawValue::get)
    } else {
        text
    };
    draft.see_json(text, &FILE);
    let RegistryJson { uuid, currency, memberships, all_registry_entry: entries, .. } =
        json::file(registry, &[MEMBERSHIPS, ENTRIES])?;
    draft.group(APP, &uuid);
    let people = memberships.iter().map(MembershipJson::member).enumerate().map(|(index, it)| {
        let name = it.alias.as_ref().and_then(|alias| alias.display_name.as_deref());
        let place = FilePlace::item(MEMBERSHIPS, index);
        (place, name.unwrap_or_default(), it.uuid.as_str())
    });
    let members = draft.add_people(&people.collect::<Vec<_>>(), APP, "member");
    let currency = draft.code(FilePlace::FILE, "currency", &currency);
    let Some(currency) = currency else { return Ok(()) };
    let mut rows = Vec::new();
    let mut ids = HashSet::new();
    for (index, json) in entries.into_iter().enumerate() {
        let row = RowPlace::Item(ENTRIES, index);
        if !draft.admits_row(row.into()) {
            return Ok(());
        }
        match json::part::<WrappedEntryJson>(json, row.into()) {
            Ok(WrappedEntryJson { entry }) => {
                if !ids.insert(entry.uuid.clone()) {
                    let rule = rule!(
                        "{field} must be of one entry only",
                        "{field} должно принадлежать только одной записи"
                    );
                    draft.refuse(row.into(), "uuid", rule);
                } else if entry.status.as_deref() == Some("DELETED") {
                    draft.leave_out(LeftOut::Deleted);
                } else {
                    rows.push((row, entry));
                }
            }
            Err(issue) => draft.fail(issue),
        }
    }
    let mut reader = RegistryReader { members, currency, withheld: Withheld::default(), draft };
    // The app lists the newest first. What rounding withholds must not depend on later ones.
    rows.reverse();
    rows.sort_by(|(_, one), (_, other)| one.date.cmp(&other.date));
    for (row, entry) in &rows {
        reader.row(*row, entry);
    }
    Ok(())
}

/// The only one of these registries.
///
/// # Errors
///
/// An [`Issue`] with the titles of several ones.
fn only<'a>(registries: &[&'a RawValue]) -> Result<&'a str, Issue> {
    if let [registry] = registries {
        return Ok(registry.get());
    }
    let title = |registry: &&RawValue| -> Result<String, Issue> {
        let registry: RegistryJson<'_> = json::file(registry.get(), &[MEMBERSHIPS, ENTRIES])?;
        Ok(quoted(&registry.title))
    };
    let titles: Vec<String> =
        registries.iter().take(MAX_TITLES).map(title).collect::<Result<_, _>>()?;
    let titles = titles.join(", ");
    Err(FilePlace::FILE.issue(message!(
        "the file has several tricounts: {titles}; save each of them in a file",
        "в файле несколько трикаунтов: {titles}; сохраните каждый в отдельный файл"
    )))
}

struct RegistryReader<'d, 'a> {
    /// Indexes of the members by their ids.
    members: HashMap<String, usize>,
    /// Currency of the tricount.
    currency: Currency,
    withheld: Withheld,
    draft: &'d mut ImportDraft<'a>,
}

impl RegistryReader<'_, '_> {
    fn row(&mut self, row: RowPlace, entry: &EntryJson) {
        let place = FilePlace::from(row);
        let day = entry.date.get(..10).unwrap_or(&entry.date);
        let date = self.draft.date(place, "date", day);
        let is_payment = match &*entry.type_transaction {
            "NORMAL" | "INCOME" => false,
            "BALANCE" => true,
            other => {
                let found = quoted(other);
                let rule = rule!(
                    "{field} must be NORMAL, INCOME or BALANCE, not {found}",
                    "{field} должно быть NORMAL, INCOME или BALANCE, а не {found}"
                );
                return self.draft.refuse(place, "type_transaction", rule);
            }
        };
        let number = self.amount(place, "amount", &entry.amount);
        let payer = self.member(place, "membership_owned", &entry.membership_owned);
        let owed = self.owed(place, entry);
        let (Some(date), Some(number), Some(payer), Some(owed)) = (date, number, payer, owed)
        else {
            return;
        };
        let rounded = self.draft.rounded(place, "amount.value", number, self.currency);
        let Some(whole) = rounded.map(|rounded| Whole { number, rounded }) else { return };
        let withheld = &mut self.withheld;
        let paid = [(payer, number)];
        let payers = fitted(place, whole, Side::Paid, &paid, withheld, self.draft);
        let shares = fitted(place, whole, Side::Owed, &owed, withheld, self.draft);
        let (Some(payers), Some(shares)) = (payers, shares) else { return };
        if is_payment && number.is_negative() {
            let what = message!(
                "the payment is positive, so the app counts it from those who are allocated to the \
                 owner",
                "платёж положительный, поэтому приложение считает его в обратную сторону"
            );
            self.draft.warn(place, what);
        }
        let split = self.split(entry, whole.rounded, &shares).filter(|_| !is_payment);
        let category = if is_payment { None } else { self.category(entry) };
        if let Some(local) = entry.amount_local.as_ref()
            && is_converted(self.currency, &local.currency)
        {
            let NumberText(original) = local.value;
            let converted = Converted {
                description: entry.description.as_deref().unwrap_or_default(),
                date,
                // The app writes what was paid as negative.
                amount: Original::Number(original.negated()),
                code: &local.currency,
                recorded: self.currency.to_major(whole.rounded.minor),
                currency: self.currency,
            };
            self.draft.warn_of_converted(row, &converted);
        }
        let notes = entry.amount_local.as_ref().and_then(|local| {
            let rate = entry.exchange_rate.map(|NumberText(rate)| rate.to_string());
            let shown = match local.currency.parse() {
                Ok(currency) => crate::number::padded(local.value.0, currency),
                Err(_) => local.value.0.to_string(),
            };
            original(self.currency, &shown, &local.currency, &rate.unwrap_or_default())
        });
        self.draft.push(&UncheckedRow {
            row,
            key: Key::exactly(APP, &["id", &entry.uuid]),
            is_payment,
            date,
            description: FieldText {
                field: Named::Field("description"),
                text: entry.description.as_deref().unwrap_or_default(),
            },
            category: category.map(Into::into),
            notes: notes.as_deref().map(|text| FieldText { field: Named::Field("notes"), text }),
            currency: self.currency,
            is_open: false,
            payers,
            shares,
            split,
        });
    }

    fn member(&mut self, place: FilePlace, field: &str, it: &MembershipJson) -> Option<usize> {
        let member = self.members.get(&it.member().uuid).copied().ok_or_else(|| {
            rule!(
                "{field} must have the uuid of one of the memberships",
                "в {field} должен быть uuid одного из memberships"
            )
        });
        self.draft.keep(place, field, member)
    }

    /// Value that an amount adds to what was paid or is owed, in the currency of the tricount.
    fn amount(&mut self, place: FilePlace, field: &str, amount: &AmountJson) -> Option<Decimal> {
        let AmountJson { value: NumberText(number), currency } = amount;
        let code = self.currency.code();
        if currency != code {
            let found = quoted(currency);
            let rule = rule!(
                "{field} must be that of the tricount, {code}, not {found}",
                "{field} должно быть валютой трикаунта, {code}, а не {found}"
            );
            self.draft.refuse(place, &format!("{field}.currency"), rule);
            return None;
        }
        Some(number.negated())
    }

    /// Amounts that the members owe, apart from zeros.
    fn owed(&mut self, place: FilePlace, entry: &EntryJson) -> Option<Vec<(usize, Decimal)>> {
        let mut owed = Vec::new();
        let mut known = HashSet::new();
        for (index, it) in entry.allocations.iter().enumerate() {
            let field = format!("allocations[{index}]");
            let member = self.member(place, &format!("{field}.membership"), &it.membership)?;
            if !known.insert(member) {
                let rule = rule!(
                    "{field} must have each member only once",
                    "участники в {field} не должны повторяться"
                );
                self.draft.refuse(place, "allocations", rule);
                return None;
            }
            if !["AMOUNT", "RATIO"].contains(&&*it.kind) {
                let found = quoted(&it.kind);
                let rule = rule!(
                    "{field} must be AMOUNT or RATIO, not {found}",
                    "{field} должно быть AMOUNT или RATIO, а не {found}"
                );
                self.draft.refuse(place, &format!("{field}.type"), rule);
                return None;
            }
            owed.push((member, self.amount(place, &format!("{field}.amount"), &it.amount)?));
        }
        Some(owed.into_iter().filter(|(_, number)| *number != Decimal::ZERO).collect())
    }

    /// The split by weights from which the shares follow, if they do.
    fn split(
        &self,
        entry: &EntryJson,
        amount: Money,
        shares: &[PersonPart],
    ) -> Option<Split<usize>> {
        let mut weights = Vec::new();
        for it in &entry.allocations {
            let NumberText(ratio) = it.share_ratio.filter(|_| it.kind == "RATIO")?;
            let weight = u32::try_from(ratio.at_scale(WEIGHT_DECIMALS)?).ok()?;
            let member = *self.members.get(&it.membership.member().uuid)?;
            if weight > 0 {
                weights.push((member, weight));
            }
        }
        let first = weights.first()?.1;
        let split = if weights.iter().all(|(_, weight)| *weight == first) {
            Split::Equal(weights.into_iter().map(|(member, _)| member).collect())
        } else {
            Split::Shares(weights)
        };
        // The shares do not depend on who the members will be.
        let id = |person: usize| {
            let number = u64::try_from(person).ok()?.checked_add(1)?;
            Some(MemberId::from(UserId::new(number).ok()?))
        };
        let shares = shares.iter().map(|part| Some((id(part.person)?, part.minor)));
        let shares: Vec<(MemberId, i64)> = shares.collect::<Option<_>>()?;
        split.clone().among(id)?.check_shares(amount, &shares).ok().map(|()| split)
    }

    fn category(&mut self, entry: &EntryJson) -> Option<Category> {
        let custom = entry.category_custom.as_deref().filter(|name| !name.trim().is_empty());
        match (custom, &entry.category) {
            (Some(custom), _) => self.draft.category(custom),
            (None, Some(word)) => category(word, word, self.draft),
            (None, None) => None,
        }
    }
}
