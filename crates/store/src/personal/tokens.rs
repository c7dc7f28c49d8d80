//! API tokens of a user.

use std::time::Duration;

use fracti_core::{
    caller::{
        telegram::User,
        token::{NewToken, Token, TokenList},
    },
    decisions::tokens as decide,
    group::MemberKey,
    input::{Draft, Error, limits::MAX_TOKENS},
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
        write::{Write, WriteError},
    },
    values::{
        id::{TokenId, UserId},
        request_context::RequestContext,
        time::{Day, Timestamp},
        token_hash::TokenHash,
    },
};
use tokio::time::{sleep, timeout};

use crate::{
    dynamo::{Page, Range, Slice},
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

/// Time for which the creation of a token waits until the index shows it.
const INDEX_LIMIT: Duration = Duration::from_millis(500);

/// Number of tokens of a user at most, besides the one of a link that signs a browser in again.
const ALL_TOKENS: usize = MAX_TOKENS + 1;

/// Pauses before the queries of this wait.
const INDEX_PAUSES: [Duration; 3] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(250)];

impl Table {
    /// Creates the token with `hash` for `user`, and waits for a moment until it can be found by
    /// its hash. With `link`, it is that of a browser: it replaces the token of the link, which
    /// works once, and the token of an earlier browser. The token of a link replaces those of
    /// earlier links.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyTokens`]; [`Error::Invalid`]; [`Error::NoGroup`] or [`Error::NotMember`] for
    /// the group to which it is restricted; [`Error::KeyReused`]; [`Error::NoToken`] if the link
    /// was used.
    pub async fn create_token(
        &self,
        new: &Draft<NewToken>,
        hash: TokenHash,
        user: &User,
        link: Option<TokenId>,
        idempotency: &Idempotency<Token>,
    ) -> Result<Outcome<Token>, Error> {
        let RequestContext { now, random } = idempotency.context();
        let group = new.fields().and_then(|new| new.group_id.value().copied());
        let first = Page { limit: ALL_TOKENS, after: None };
        let outcome = self
            .write(None, idempotency, || async {
                let member = async {
                    match group.map(|group| MemberKey { group, user: user.id }) {
                        Some(member_key) => self.checked(member_key, async { Ok(()) }).await,
                        None => Ok(()),
                    }
                };
                // The tokens are counted as of the list or later, and whoever creates one changes
                // it.
                let tokens = async {
                    let list = self.db.get::<TokenList>(keys::token_list(user.id)).await?;
                    Ok((list, self.tokens_of(user.id, now, &first).await?))
                };
                let (member, tokens) = tokio::join!(member, tokens);
                member?;
                let token = new.check(hash, user, now, random, link.is_some())?;
                let (list, tokens) = tokens.map_err(WriteError::Fail)?;
                decide::add(user.id, token, link, list.as_ref(), &tokens.items)
            })
            .await?;
        if let Outcome::Done(_) = &outcome {
            let indexed = async {
                for pause in INDEX_PAUSES {
                    sleep(pause).await;
                    if matches!(self.token_by_hash(hash).await, Ok(Some(_))) {
                        break;
                    }
                }
            };
            // The index shows it later, and the token is valid from then on.
            let _ = timeout(INDEX_LIMIT, indexed).await;
        }
        Ok(outcome)
    }

    /// A page of the tokens of a user, newest first, without those whose `ttl` is over.
    pub async fn tokens_of(
        &self,
        user: UserId,
        now: Timestamp,
        page: &Page,
    ) -> Result<Slice<Token>, Error> {
        let range = Range::table(keys::user_partition(user.into()), prefix::TOKEN);
        // DynamoDB deletes late: an expired row counts as deleted.
        let kept =
            Condition::without("ttl").or(Condition::greater("ttl", row::to_value(&now.seconds())?));
        self.db.page_where(&range, page, &kept).await
    }

    /// The token with this hash, as the index shows it. It may have been deleted.
    pub async fn token_by_hash(&self, hash: TokenHash) -> Result<Option<Token>, Error> {
        let range = Range::index("GSI1", keys::token_partition(hash), "METADATA");
        Ok(self.db.all::<Token>(&range).await?.pop())
    }

    /// A token of a user; `None` if it was deleted.
    pub async fn token(&self, user: UserId, token: TokenId) -> Result<Option<Token>, Error> {
        self.db.get(keys::token(user, token)).await
    }

    /// Notes that a token was used on a day, unless it was deleted or a later use is known.
    pub async fn note_use(&self, user: UserId, token: TokenId, day: Day) -> Result<(), Error> {
        let day = row::to_value(&day)?;
        // Each alternative holds only for a row that exists: a deleted one must not come back.
        let condition = Condition::present()
            .and(Condition::without("lastUsedAt"))
            .or(Condition::less("lastUsedAt", day.clone()));
        // An update alone costs half of a transaction, and takes no part in conflicts.
        let write = Write::update(keys::token(user, token), [("lastUsedAt", Some(day))]);
        self.db.update(write.when(condition)).await.map(|_| ())
    }

    /// Deletes a token of a user.
    ///
    /// # Errors
    ///
    /// [`Error::NoToken`].
    pub async fn delete_token(
        &self,
        user: UserId,
        token: TokenId,
        idempotency: &Idempotency<TokenId>,
    ) -> Result<Outcome<TokenId>, Error> {
        self.write(None, idempotency, || async { Ok(decide::delete(user, token)) }).await
    }
}
