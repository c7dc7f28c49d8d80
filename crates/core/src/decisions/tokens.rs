//! API tokens of a user.

use crate::{
    caller::token::{Token, TokenList},
    decisions::decision::Decision,
    input::{Error, limits::MAX_TOKENS},
    storage::{
        condition::Condition,
        keys,
        write::{Transaction, Write, WriteError},
    },
    values::id::{TokenId, UserId},
};

/// Adds a token, by the list of the user's tokens and these, which were read after it. With `link`,
/// it is that of a browser.
pub fn add(
    user: UserId,
    token: Token,
    link: Option<TokenId>,
    list: Option<&TokenList>,
    tokens: &[Token],
) -> Result<Decision<Token>, WriteError> {
    // A new link replaces older ones, and a browser its link and the one before.
    let replaced = |it: &&Token| {
        (token.is_link() && it.is_link()) || (link.is_some() && (it.browser || link == Some(it.id)))
    };
    let replaced: Vec<&Token> = tokens.iter().filter(replaced).collect();
    // A browser and the link by which it is signed in again are one.
    let is_of_browser = |it: &Token| it.browser || it.is_link();
    let (of_browser, others): (Vec<&Token>, Vec<&Token>) =
        tokens.iter().chain([&token]).partition(|it| is_of_browser(it));
    let number = others.len().saturating_add(usize::from(!of_browser.is_empty()));
    if number > MAX_TOKENS {
        return Err(Error::TooManyTokens.into());
    }
    let delete = |id| Write::delete(keys::token(user, id));
    let used = link.map(|link| delete(link).when(Condition::present()).or_fail(|| Error::NoToken));
    let older = replaced.iter().map(|it| it.id).filter(|id| Some(*id) != link);
    let writes = [Write::put_new(&token)?, put_list(user, list)?];
    let writes = writes.into_iter().chain(used).chain(older.map(delete));
    Ok(Decision::Write(writes.collect(), token))
}

/// Deletes a token.
#[must_use]
pub fn delete(user: UserId, token: TokenId) -> Decision<TokenId> {
    let delete = Write::delete(keys::token(user, token))
        .when(Condition::present())
        .or_fail(|| Error::NoToken);
    Decision::Write(Transaction::from_iter([delete]), token)
}

/// The write of the list of a user's tokens after the one that was read.
fn put_list(user: UserId, read: Option<&TokenList>) -> Result<Write, Error> {
    let version = read.map_or(0, |list| list.version);
    let next = TokenList { user_id: user, version: version.saturating_add(1) };
    Ok(Write::put(&next)?.when(Condition::at_version(version)))
}
