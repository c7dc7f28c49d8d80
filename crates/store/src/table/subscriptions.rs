//! Subscriptions to messages of the bot.

use fracti_core::{
    chat::subscription::Subscription, input::Error, storage::keys, values::id::Subscriber,
};

use crate::table::Table;

impl Table {
    /// The subscription of a user's private chat or of a group's chat.
    pub async fn subscription(&self, of: Subscriber) -> Result<Option<Subscription>, Error> {
        self.db.get(keys::subscription(of)).await
    }
}
