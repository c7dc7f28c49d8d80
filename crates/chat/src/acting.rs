//! A user who acts through the bot.

use std::sync::Arc;

use fracti_core::{
    caller::telegram::User,
    group::MemberKey,
    values::{
        id::{GroupId, UserId},
        request_context::RequestContext,
        time::Timestamp,
    },
};
use fracti_store::{Idempotency, IdempotentRequest, KeyHashes, StoredResponse, Table};
use fracti_texts::Language;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::text::Texts;

/// A user who acts through the bot, by an update that is carried out once.
#[derive(Clone, Debug)]
pub struct Acting<'a> {
    /// The table, on which the user has the rights that they have in the API.
    pub table: &'a Table,
    /// The user.
    pub user: &'a User,
    /// The user's language.
    pub language: Language,
    /// Time of the update, with random bytes for the ids that it creates.
    pub context: RequestContext,
    /// Id of the bot, and what its update is known by: a repeated one does and says the same.
    pub update: String,
    /// Username of the bot, for commands and links.
    pub bot: Option<&'a str>,
}

impl Acting<'_> {
    /// The texts in the user's own language.
    pub(crate) const fn own(&self) -> Texts {
        Texts(self.language)
    }

    pub(crate) const fn id(&self) -> UserId {
        self.user.id
    }

    pub(crate) const fn in_group(&self, group: GroupId) -> MemberKey {
        MemberKey { group, user: self.user.id }
    }

    pub(crate) const fn now(&self) -> Timestamp {
        self.context.now
    }

    /// What makes an operation of the update happen once. What is said of it is stored, so that a
    /// repetition says the same.
    pub(crate) fn once<T, S: Serialize>(
        &self,
        operation: &'static str,
        say: impl Fn(&T) -> S + Send + Sync + 'static,
    ) -> Idempotency<T> {
        self.once_for(operation, &self.update, say)
    }

    /// [`Acting::once`], for what is known by another key.
    pub(crate) fn once_for<T, S: Serialize>(
        &self,
        operation: &'static str,
        key: &str,
        say: impl Fn(&T) -> S + Send + Sync + 'static,
    ) -> Idempotency<T> {
        let key = hex::encode(Sha256::digest(key));
        let hashes = KeyHashes { request: key.clone(), key };
        let render = move |done: &T| StoredResponse {
            data: serde_json::to_string(&say(done)).unwrap_or_default(),
        };
        let request = IdempotentRequest::new(self.id(), operation, Some(hashes), self.context);
        Idempotency { request, render: Arc::new(render) }
    }
}
