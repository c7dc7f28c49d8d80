//! The names in a file. Those that are passed over follow from others, or are of the first group
//! alone.

use crate::unknown::{
    KnownFields,
    KnownObjects::{Parts, Rows},
};

use super::file::ExportForm;

/// The fields of a file in this form.
pub(super) const fn fields(form: ExportForm) -> &'static KnownFields {
    match form {
        ExportForm::File => &EXPORT,
        ExportForm::Response => &RESPONSE,
    }
}

const RESPONSE: KnownFields = KnownFields {
    passed_over: &["success", "pagination"],
    objects: &[("data", Rows(&EXPORT))],
    ..KnownFields::NONE
};

const EXPORT: KnownFields = KnownFields {
    read: &["format", "version", "sequence", "schedules"],
    objects: &[
        ("group", Parts(&GROUP)),
        ("members", Parts(&MEMBER)),
        ("balances", Parts(&BALANCE)),
        ("entries", Rows(&ENTRY)),
        ("settlements", Rows(&SETTLEMENT)),
    ],
    ..KnownFields::NONE
};

const GROUP: KnownFields = KnownFields {
    read: &["id"],
    passed_over: &[
        "archived",
        "categories",
        "chatId",
        "createdAt",
        "createdBy",
        "currency",
        "defaultSplits",
        "invitation",
        "memberCount",
        "title",
    ],
    ..KnownFields::NONE
};

const MEMBER: KnownFields = KnownFields {
    read: &["id", "name", "leftAt", "removedAt"],
    passed_over: &[
        "avatarUrl",
        "createdBy",
        "guest",
        "guests",
        "joinedAt",
        "link",
        "linkedTo",
        "telegramId",
        "username",
        "wallet",
    ],
    ..KnownFields::NONE
};

const BALANCE: KnownFields = KnownFields {
    read: &["userId", "currency", "net"],
    passed_over: &["name", "paid", "owed", "sent", "received"],
    ..KnownFields::NONE
};

const ENTRY: KnownFields = KnownFields {
    read: &["entryId", "sequence", "status", "refType", "linkedTo", "note", "createdAt"],
    passed_over: &["actorId", "balance", "importId", "otherSequence", "refId"],
    objects: &[
        ("changes", Parts(&CHANGE)),
        ("expense", Parts(&EXPENSE)),
        ("settlement", Parts(&SETTLEMENT)),
    ],
    ..KnownFields::NONE
};

const CHANGE: KnownFields = KnownFields {
    read: &["userId", "currency", "paid", "owed", "sent", "received"],
    ..KnownFields::NONE
};

const EXPENSE: KnownFields = KnownFields {
    read: &["id", "description", "category", "date", "notes", "currency", "splitType"],
    passed_over: &[
        "amount",
        "createdAt",
        "createdBy",
        "groupId",
        "importId",
        "itemCount",
        "payerId",
        "payerName",
        "scheduleId",
        "updatedAt",
    ],
    objects: &[("payers", Parts(&SHARE)), ("splits", Parts(&SHARE)), ("items", Parts(&LINE))],
    ..KnownFields::NONE
};

const SHARE: KnownFields = KnownFields {
    read: &["userId", "amount", "percentage", "weight", "adjustment"],
    passed_over: &["userName"],
    ..KnownFields::NONE
};

const LINE: KnownFields = KnownFields {
    read: &["kind", "name", "amount", "rest", "quantity", "price", "over", "split"],
    objects: &[("sharers", Parts(&SHARER))],
    ..KnownFields::NONE
};

const SHARER: KnownFields = KnownFields { read: &["userId", "weight"], ..KnownFields::NONE };

const SETTLEMENT: KnownFields = KnownFields {
    read: &[
        "id",
        "fromUserId",
        "toUserId",
        "amount",
        "currency",
        "txHash",
        "status",
        "createdAt",
        "date",
        "note",
    ],
    passed_over: &[
        "completedAt",
        "createdBy",
        "expired",
        "external",
        "fromUserName",
        "funds",
        "groupId",
        "holdUntil",
        "importId",
        "revertedAt",
        "revertedBy",
        "toUserName",
        "updatedAt",
    ],
    ..KnownFields::NONE
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    /// The description of the API, which has every field of an export.
    const API: &str = include_str!("../../../../openapi.json");

    /// The properties of a schema, or of the items of its list.
    fn properties(api: &Value, schema: &Value) -> BTreeMap<String, Value> {
        let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let mut found = BTreeMap::new();
        let parts = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|of| schema[of].as_array());
        let named = name.map(|name| &api["components"]["schemas"][name]);
        for part in parts.flatten().chain(named).chain(schema.get("items")) {
            found.extend(properties(api, part));
        }
        let own = schema["properties"].as_object().into_iter().flatten();
        found.extend(own.map(|(name, schema)| (name.clone(), schema.clone())));
        found
    }

    /// Names that a schema has and the reader does not know.
    fn missing(api: &Value, schema: &Value, known: &KnownFields) -> Vec<String> {
        let missing_in = |(name, schema): (String, Value)| match known.objects_in(&name) {
            Some(Rows(known) | Parts(known)) => missing(api, &schema, known),
            None if known.has(&name) => Vec::new(),
            None => vec![name],
        };
        properties(api, schema).into_iter().flat_map(missing_in).collect()
    }

    #[test]
    fn every_field_of_an_export_is_known() {
        let api: Value = serde_json::from_str(API).unwrap();
        let response = &api["components"]["schemas"]["GroupExportPageResponse"];
        assert!(properties(&api, response).contains_key("data"));
        assert_eq!(missing(&api, response, fields(ExportForm::Response)), [""; 0]);
    }
}
