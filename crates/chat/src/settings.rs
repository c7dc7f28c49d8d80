//! Messages on and off.

use fracti_core::{
    chat::{
        button::Button,
        subscription::{MAX_MUTED, Subscription},
    },
    group::{Group, GroupFilter},
    input::Error,
    values::{
        id::{GroupId, Subscriber},
        time::Timestamp,
    },
};
use fracti_store::{Outcome, Page};

use crate::{
    acting::Acting,
    message::{Buttons, Reply, clean},
    pressed::Pressed,
    room::Room,
    text::Texts,
    update::Chat,
};

/// Groups that have a button to mute them, at most.
const GROUPS: usize = 10;

/// Muted groups beyond these that have a button, at most. The others get one once some are unmuted.
const OTHERS: usize = 30;

impl Acting<'_> {
    /// The first message in private.
    pub(crate) fn private_start(&self, l: Texts) -> Reply {
        let buttons = Buttons::default().row().button(&l.turn_on(), Button::TurnOn);
        let link = self.bot.map(|bot| format!("https://t.me/{bot}?startgroup"));
        let buttons = buttons.row().link(&l.add_to_group(), link.unwrap_or_default());
        Reply { text: l.private_start(), buttons }
    }

    /// The settings of the user's private chat.
    pub(crate) async fn own_settings(
        &self,
        l: Texts,
        of: Option<Subscription>,
    ) -> Result<Reply, Error> {
        let Some(of) = of.filter(|it| it.active) else {
            let buttons = Buttons::default().row().button(&l.turn_on(), Button::TurnOn);
            return Ok(Reply { text: l.messages_off(), buttons });
        };
        let page = Page { limit: GROUPS, after: None };
        let all = GroupFilter::default();
        let (groups, muted) = tokio::try_join!(
            self.table.groups_of(self.id(), &all, &page),
            self.table.groups_among(self.id(), &of.muted_groups),
        )?;
        let is_muted = |id: &GroupId| of.muted_groups.contains(id);
        // A muted group is always among them, so that it can be unmuted.
        let is_other = |it: &&Group| groups.items.iter().all(|shown| shown.id != it.id);
        let others = muted.iter().filter(is_other).take(OTHERS).cloned();
        let shown: Vec<Group> = groups.items.iter().cloned().chain(others).collect();
        let muted: Vec<String> = muted.iter().map(|it| clean(it.title.as_str())).collect();
        let muted = if muted.is_empty() { l.none() } else { l.listed(muted).replace('\n', ", ") };
        let silent = of.quiet_hours.map(|it| l.silent(it.from, it.to)).unwrap_or_default();
        let text = l.messages_on(l.minutes(of.min_interval_minutes), silent, muted);
        let mut buttons = Buttons::default().row().button(&l.turn_off(), Button::TurnOff);
        for group in &shown {
            let title = clean(group.title.as_str());
            buttons = if is_muted(&group.id) {
                buttons.row().button(&l.unmute(title), Button::Unmute(group.id))
            } else {
                buttons.row().button(&l.mute(title), Button::Mute(group.id))
            };
        }
        Ok(Reply { text, buttons })
    }

    /// The settings of a group's chat.
    pub(crate) async fn chat_settings(&self, room: &Room, chat: &Chat) -> Result<Reply, Error> {
        let of = Subscriber::Group(room.group.id);
        Ok(shown_chat(room.l, chat.id, self.table.subscription(of).await?.as_ref()))
    }

    /// Changes the settings of the chat with the button. Groups are muted in private only.
    pub(crate) async fn press_setting(
        &self,
        button: Button,
        chat: &Chat,
    ) -> Result<Pressed, Error> {
        let number = chat.id;
        let language = self.language;
        let now = self.now();
        let once = self.once("chat-settings", |_: &Option<Subscription>| ());
        let is_private = chat.is_private();
        if let Button::Mute(group) | Button::Unmute(group) = button {
            if !is_private {
                return Ok(Pressed::alert(self.own().failed()));
            }
            // Only a group of the user can be muted.
            self.table.group(self.in_group(group)).await?;
        }
        let room = if is_private {
            None
        } else {
            let group = self.table.group_of_chat(chat.id).await?;
            let Some(group) = group else { return Ok(Pressed::alert(self.own().not_here())) };
            match self.room_of(group).await {
                Err(Error::NotMember | Error::Left) => {
                    return Ok(Pressed::alert(self.own().join_first()));
                }
                room => Some(room?),
            }
        };
        let of = room
            .as_ref()
            .map_or(Subscriber::User(self.id()), |room| Subscriber::Group(room.group.id));
        let member_key = room.as_ref().map(|room| self.in_group(room.group.id));
        let change = |before: Option<&Subscription>| {
            let new = || Subscription::new(of, number, language, now);
            Ok(changed(button, before, new, now))
        };
        let set = self.table.change_subscription(of, member_key, change, &once).await?;
        let after = match set {
            Outcome::Done(after) => after,
            Outcome::Replayed(_) => self.table.subscription(of).await?,
        };
        let reply = match (&room, &after) {
            (Some(room), after) => shown_chat(room.l, chat.id, after.as_ref()),
            (None, Some(after)) if button == Button::TurnOn => {
                let l = Texts(after.language);
                Reply::plain(l.messages_come(l.minutes(after.min_interval_minutes)))
            }
            (None, _) => {
                let l = after.as_ref().map_or(self.own(), |of| Texts(of.language));
                self.own_settings(l, after).await?
            }
        };
        Ok(Pressed::edit(reply))
    }
}

/// The settings of a group's chat. Another chat may have the messages of the group.
fn shown_chat(l: Texts, chat: i64, of: Option<&Subscription>) -> Reply {
    let (text, key) = match of.filter(|it| it.active && it.chat_id == chat) {
        Some(of) => (
            l.chat_messages_on(l.minutes(of.min_interval_minutes)),
            (l.turn_off(), Button::TurnOff),
        ),
        None => (l.messages_off(), (l.turn_on(), Button::TurnOn)),
    };
    Reply { text, buttons: Buttons::default().row().button(&key.0, key.1) }
}

/// The subscription after a press.
fn changed(
    button: Button,
    before: Option<&Subscription>,
    new: impl Fn() -> Subscription,
    now: Timestamp,
) -> Option<Subscription> {
    let on = |before: &Subscription| Subscription {
        active: true,
        inactive_reason: None,
        created_at: if before.active { before.created_at } else { now },
        updated_at: now,
        ..before.clone()
    };
    let after = match (button, before) {
        (Button::TurnOn, None) => new(),
        (Button::TurnOn, Some(before)) => Subscription { chat_id: new().chat_id, ..on(before) },
        (Button::Mute(group), Some(before)) if before.active => {
            let mut after = on(before);
            if !after.muted_groups.contains(&group) && after.muted_groups.len() < MAX_MUTED {
                after.muted_groups.push(group);
            }
            after
        }
        (Button::Unmute(group), Some(before)) if before.active => {
            let mut after = on(before);
            after.muted_groups.retain(|it| *it != group);
            after
        }
        (Button::TurnOff, Some(before)) if before.chat_id == new().chat_id => {
            return Some(before.stopped(None, now));
        }
        _ => return None,
    };
    Some(after.changed())
}
