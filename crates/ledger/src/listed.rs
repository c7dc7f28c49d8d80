//! A list that a client sends: as it is, or as the one field of an object.

use std::{fmt, marker::PhantomData};

use fracti_core::table::MAX_ENTRIES;
use fracti_http::{Problem, required, schemas};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use utoipa::ToSchema;

use crate::push::{PushEntry, RevertEntry};

/// A list that a client sends: as it is, or as the one field of an object.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    items: Option<Vec<T>>,
    /// What its field is called; nothing where the list is the whole body.
    field: &'static str,
}

/// What a list consists of.
pub(crate) trait Listable: for<'de> Deserialize<'de> {
    /// The field that has the list.
    const FIELD: &'static str;
}

impl<'de, T: Listable> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Both<T>(PhantomData<T>);

        impl<'de, T: Listable> Visitor<'de> for Both<T> {
            type Value = Listed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an array, or an object with `{}`", T::FIELD)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                let items = Vec::deserialize(SeqAccessDeserializer::new(items))?;
                Ok(Listed { items: Some(items), field: "" })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut items = None;
                while let Some(field) = map.next_key::<String>()? {
                    if field != T::FIELD {
                        map.next_value::<IgnoredAny>()?;
                    } else if items.replace(map.next_value()?).is_some() {
                        return Err(A::Error::duplicate_field(T::FIELD));
                    }
                }
                Ok(Listed { items: items.flatten(), field: T::FIELD })
            }
        }

        from.deserialize_any(Both(PhantomData))
    }
}

impl<T: Listable> Listed<T> {
    /// The list, which has something in it, and where it stands in the body.
    pub(crate) fn some(self) -> Result<(Vec<T>, &'static str), Problem> {
        let items = required(T::FIELD, self.items)?;
        if items.is_empty() {
            return Err(Problem::invalid(T::FIELD, format!("{} must not be empty", T::FIELD)));
        }
        if items.len() > MAX_ENTRIES {
            let rule = format!("{} must have at most {MAX_ENTRIES} items", T::FIELD);
            return Err(Problem::invalid(T::FIELD, rule));
        }
        Ok((items, self.field))
    }
}

/// Adjustments to push.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body that `Listed` reads")]
pub(crate) struct PushEntries {
    /// The adjustments.
    #[schema(min_items = 1, max_items = 500)]
    entries: Vec<PushEntry>,
}

/// Adjustments to revert.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that `Listed` reads")]
pub(crate) struct RevertEntries {
    /// Ids of their entries.
    #[schema(value_type = Vec<schemas::EntryId>, min_items = 1, max_items = 500)]
    entry_ids: Vec<RevertEntry>,
}
