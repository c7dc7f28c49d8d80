//! API tokens that an instance has seen.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fracti_core::values::token_hash::TokenHash;

use crate::caller::principal::Principal;

/// Maximum number of tokens that are kept.
const CAPACITY: usize = 1_000;

/// The principals of API tokens by hash, which never change. Whether a token is still valid is read
/// for each request. A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct TokenCache(Arc<Mutex<HashMap<TokenHash, Principal>>>);

impl TokenCache {
    pub(crate) fn get(&self, hash: TokenHash) -> Option<Principal> {
        self.entries().get(&hash).cloned()
    }

    /// Adds a principal, instead of any other one if there is no room.
    pub(crate) fn insert(&self, hash: TokenHash, principal: Principal) {
        let mut entries = self.entries();
        if entries.len() >= CAPACITY
            && let Some(other) = entries.keys().next().copied()
        {
            entries.remove(&other);
        }
        entries.insert(hash, principal);
    }

    pub(crate) fn remove(&self, hash: TokenHash) {
        self.entries().remove(&hash);
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<TokenHash, Principal>> {
        // Each method leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::caller::principal::Credential;
    use fracti_core::{
        caller::{
            telegram::User,
            token::{ApiToken, RANDOM},
        },
        values::id::UserId,
    };

    #[test]
    fn number_of_tokens_is_limited() {
        let id = UserId::new(1).unwrap();
        let user = User { id, name: "Alice".to_owned(), username: None, avatar_url: None };
        let principal = Principal { user: Arc::new(user), chat: None, via: Credential::InitData };
        let cache = TokenCache::default();
        let mut last = None;
        for number in 0..=CAPACITY {
            let mut random = [0; RANDOM];
            random[..8].copy_from_slice(&number.to_be_bytes());
            let hash = ApiToken::new(random, "42:bot").hash();
            cache.insert(hash, principal.clone());
            last = Some(hash);
        }
        assert_eq!(cache.entries().len(), CAPACITY);
        assert!(cache.get(last.unwrap()).is_some());
        cache.remove(last.unwrap());
        assert!(cache.get(last.unwrap()).is_none());
    }
}
