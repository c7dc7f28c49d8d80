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
    read: &["format", "version", "sequence"],
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
