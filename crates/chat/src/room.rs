//! A group's chat: its group as the bot sees it, and how it is connected.

use fracti_core::{
    chat::{
        button::Button,
        link::{Start, start_link},
    },
    decisions::groups::Opened,
    group::{Group, Member, OpenedGroup},
    input::{Draft, Error, Field},
    ledger::Ledger,
    values::{
        chat_id::ChatId,
        currency::Currency,
        id::{GroupId, Subscriber},
        text::Title,
    },
};
use fracti_store::Outcome;
use fracti_texts::Language;

use crate::{
    acting::Acting,
    message::{Buttons, Reply, clean},
    names::Names,
    text::Texts,
    update::Chat,
};

/// The currencies that are offered for a new group.
const OFFERED: [&str; 4] = ["EUR", "USD", "RUB", "TON"];

/// A group's chat, in which the user is a member of the group.
pub(crate) struct Room {
    pub(crate) group: Group,
    pub(crate) members: Vec<Member>,
    pub(crate) ledger: Ledger,
    pub(crate) names: Names,
    /// The texts in the language of the chat.
    pub(crate) l: Texts,
}

impl Room {
    /// Opens the Mini App with the group.
    pub(crate) fn open(&self, bot: Option<&str>, buttons: Buttons) -> Buttons {
        buttons.link(&self.l.open(), start_link(bot, self.group.id, Start::Group))
    }

    /// Who is in the group, and how to join it.
    pub(crate) fn shown(&self, bot: Option<&str>) -> Reply {
        let present = self.members.iter().filter(|it| it.is_present() && it.linked_to.is_none());
        let mut names: Vec<String> = present.map(|it| self.names.get(it.id)).collect();
        names.sort_by_key(|name| name.to_lowercase());
        let l = self.l;
        let names = l.listed(names).replace('\n', ", ");
        let title = clean(self.group.title.as_str());
        let text = l.counts(title, self.group.currency.code(), names);
        let buttons = Buttons::default().row().button(&l.join(), Button::Join(self.group.id));
        Reply { text, buttons: self.open(bot, buttons) }
    }
}

/// What the bot says in a chat that has no group yet.
pub(crate) fn welcome(language: Language, currency: Option<Currency>) -> Reply {
    let offered = OFFERED.iter().filter_map(|code| code.parse::<Currency>().ok());
    let currencies: Vec<Currency> = match currency {
        Some(currency) => vec![currency],
        None => offered.collect(),
    };
    let buttons = currencies.into_iter().fold(Buttons::default().row(), |buttons, currency| {
        buttons.button(currency.code(), Button::Currency(currency))
    });
    Reply { text: Texts(language).which_currency(), buttons }
}

impl Acting<'_> {
    /// The group of a chat, which the user joins if they have not yet; `None` if it has none.
    pub(crate) async fn room(&self, chat: &Chat) -> Result<Option<Room>, Error> {
        let Some(group) = self.table.group_of_chat(chat.id).await? else { return Ok(None) };
        match self.room_of(group).await {
            Err(Error::NotMember | Error::Left) => {
                self.connect(chat, None, OpenedGroup::default()).await?;
                self.room_of(group).await.map(Some)
            }
            room => room.map(Some),
        }
    }

    /// A group of the user.
    pub(crate) async fn room_of(&self, group: GroupId) -> Result<Room, Error> {
        let seen = self.table.group_and_ledger(self.in_group(group));
        let subscription = self.table.subscription(Subscriber::Group(group));
        let (seen, subscription) = tokio::join!(seen, subscription);
        let (group, members, ledger) = seen?;
        let language = subscription?.map_or(self.language, |it| it.language);
        let names = Names::of(&members);
        Ok(Room { group, members, ledger, names, l: Texts(language) })
    }

    /// Connects a chat with its group, which the user joins.
    pub(crate) async fn connect(
        &self,
        chat: &Chat,
        instance: Option<&str>,
        new: OpenedGroup,
    ) -> Result<GroupId, Error> {
        let title = chat.title.as_deref().and_then(title);
        let new = OpenedGroup { title: title.map_or(Field::Absent, Field::Value), ..new };
        let instance = instance.and_then(|it| it.parse::<ChatId>().ok());
        let once = self.once("connect-chat", |opened: &Opened| opened.group.id.to_string());
        let language = self.language;
        let chat = (chat.id, instance.as_ref());
        let new = Draft::valid(new);
        match self.table.connect_chat(chat, &new, self.user, language, &once).await? {
            Outcome::Done(opened) => Ok(opened.group.id),
            Outcome::Replayed(stored) => serde_json::from_str::<String>(&stored.data)
                .ok()
                .and_then(|id| id.parse().ok())
                .ok_or(Error::Internal("what was stored of a connection is no id")),
        }
    }
}

/// The title of a chat, as far as it fits into that of a group.
fn title(text: &str) -> Option<Title> {
    let text: String = text.chars().filter(|it| !it.is_control()).collect();
    let text: String = text.trim().chars().take(Title::MAX_LENGTH).collect();
    text.trim().parse().ok()
}
