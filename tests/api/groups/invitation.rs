//! Invite to a group, and close it.

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use fracti_core::{group::InvitationCode, storage::keys};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Caller, Group};

/// A member invites, and the code.
async fn invite(group: &Group, by: usize) -> String {
    let made = group.members[by].post(&group.path("/invitation"), Value::Null).await;
    assert_eq!(made.data(201)["groupId"], group.id);
    made.data(201)["code"].as_str().unwrap().to_owned()
}

/// The status and the code of a user who joins with this invitation.
async fn join(group: &Group, by: &Caller, invitation: Value) -> (u16, String) {
    let body = json!({ "invitation": invitation });
    let reply = by.post(&group.path("/join"), body).await;
    (reply.status.as_u16(), reply.body["error"].as_str().unwrap_or_default().to_owned())
}

fn refused() -> (u16, String) {
    (403, "INVITATION_REQUIRED".to_owned())
}

fn joined() -> (u16, String) {
    (200, String::new())
}

#[tokio::test]
async fn group_is_joined_by_its_id_until_a_member_invites() {
    let group = Group::new(2, "EUR").await;
    let [carol, dave, erin, frank] = [(3, "Carol"), (4, "Dave"), (5, "Erin"), (6, "Frank")]
        .map(|(id, name)| group.api.user(id, name));
    assert_eq!(join(&group, &carol, Value::Null).await, joined());
    let read = async || group.members[0].get(&group.path("")).await.data(200)["invitation"].clone();
    assert_eq!(read().await, Value::Null);

    let code = invite(&group, 1).await;
    assert_eq!(code.len(), 22);
    assert_eq!(read().await, "code");
    let before = group.api.rows().await;
    let unknown = "AAECAwQFBgcICQoLDA0ODw";
    for wrong in [Value::Null, json!(unknown), json!("?"), json!(7), json!(code.to_lowercase())] {
        assert_eq!(join(&group, &dave, wrong.clone()).await, refused(), "{wrong}");
    }
    let bodiless = dave.call(Method::POST, &group.path("/join"), None).await;
    assert_eq!(bodiless.code(), (403, "INVITATION_REQUIRED"));
    assert_eq!(group.api.rows().await, before, "a refusal changes nothing");
    assert_eq!(join(&group, &dave, json!(code)).await, joined());

    // Renewed: the earlier code ends, and present members need none.
    let renewed = invite(&group, 0).await;
    assert_ne!(renewed, code);
    assert_eq!(join(&group, &erin, json!(code)).await, refused());
    assert_eq!(join(&group, &carol, Value::Null).await, joined());
    assert_eq!(join(&group, &erin, json!(renewed)).await, joined());

    // Closed: no code opens it any more, until a member invites again.
    let closed = group.members[0].delete(&group.path("/invitation")).await;
    assert_eq!(closed.data(200)["invitation"], "closed");
    let before = group.api.rows().await;
    group.members[1].delete(&group.path("/invitation")).await.data(200);
    assert_eq!(group.api.rows().await, before, "a closed group stays as it is");
    for code in [json!(code), json!(renewed), Value::Null] {
        assert_eq!(join(&group, &frank, code).await, refused());
    }
    let again = invite(&group, 0).await;
    assert_eq!(join(&group, &frank, json!(again)).await, joined());
    group.verify().await;
}

#[tokio::test]
async fn code_without_an_invitation_does_not_matter_but_must_be_one() {
    let group = Group::new(1, "EUR").await;
    let bob = group.api.user(2, "Bob");
    let (status, code) = join(&group, &bob, json!("abc")).await;
    assert_eq!((status, &*code), (400, "VALIDATION_ERROR"));
    assert_eq!(join(&group, &bob, json!("AAECAwQFBgcICQoLDA0ODw")).await, joined());
}

#[tokio::test]
async fn past_members_need_the_invitation_and_removed_ones_stay_removed() {
    let group = Group::new(3, "EUR").await;
    group.members[1].post(&group.path("/leave"), Value::Null).await.data(200);
    group.members[0].delete(&group.path("/members/3")).await.data(200);
    let code = invite(&group, 0).await;
    assert_eq!(join(&group, &group.members[1], Value::Null).await, refused());
    assert_eq!(join(&group, &group.members[1], json!(code)).await, joined());
    let removed = (403, "REMOVED".to_owned());
    assert_eq!(join(&group, &group.members[2], json!(code)).await, removed);
    assert_eq!(join(&group, &group.members[2], Value::Null).await, removed);
    // A member who restores them needs no code.
    let restore = group.path("/members/3/restore");
    group.members[1].post(&restore, Value::Null).await.data(200);
    group.members[2].get(&group.path("")).await.data(200);
}

#[tokio::test]
async fn chat_still_opens_its_closed_group() {
    let api = Api::new().await;
    let chat = "-3788475317572404878";
    let [alice, bob] =
        [(1, "Alice"), (2, "Bob")].map(|(id, name)| api.user(id, name).in_chat(chat));
    let open = "/api/groups/open";
    let id = alice.post(open, json!({})).await.data(201)["id"].as_str().unwrap().to_owned();
    alice.delete(&format!("/api/groups/{id}/invitation")).await.data(200);
    let by_id = bob.post(&format!("/api/groups/{id}/join"), json!({})).await;
    assert_eq!(by_id.code(), (403, "INVITATION_REQUIRED"));
    let opened = bob.post(open, json!({})).await;
    assert_eq!(
        (&opened.data(200)["memberCount"], &opened.data(200)["invitation"]),
        (&json!(2), &json!("closed"))
    );
}

#[tokio::test]
async fn members_read_the_code_in_the_app_and_nowhere_else() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let path = group.path("/invitation");
    let made = alice.post_once("key", &path, Value::Null).await;
    let code = made.data(201)["code"].as_str().unwrap().to_owned();
    let replay = alice.post_once("key", &path, Value::Null).await;
    assert_eq!(replay.data(201), made.data(201), "also if the first answer was lost");
    let bob = group.api.user(2, "Bob");
    assert_eq!(bob.get(&path).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(join(&group, &bob, json!(code)).await, joined());
    let seen = json!({ "groupId": group.id, "invitation": "code", "code": code });
    assert_eq!(bob.get(&path).await.data(200), &seen);
    let token = json!({ "name": "Bot", "scopes": ["read", "write"] });
    let token = bob.with_token(&bob.post("/api/users/me/tokens", token).await);
    assert_eq!(token.get(&path).await.code(), (403, "NOT_ALLOWED"));
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(bob.get(&path).await.code(), (403, "LEFT"));
    for path in ["", "/changes", "/export"] {
        assert!(!alice.get(&group.path(path)).await.text.contains(&*code), "{path}");
    }
}

#[tokio::test]
async fn code_that_an_earlier_release_has_replaced_is_not_shown() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let path = group.path("/invitation");
    assert_eq!(alice.get(&path).await.data(200), &json!({ "groupId": group.id }), "by its id");
    invite(&group, 0).await;
    // It writes the hash of another code, and leaves this one.
    let hash = InvitationCode::new([7; 16]).hash().to_string();
    let key = keys::group(group.id.parse().unwrap());
    group.api.set_attribute(key, "invitation", AttributeValue::S(hash)).await;
    let seen = json!({ "groupId": group.id, "invitation": "code" });
    assert_eq!(alice.get(&path).await.data(200), &seen);
    alice.delete(&path).await.data(200);
    let closed = json!({ "groupId": group.id, "invitation": "closed" });
    assert_eq!(alice.get(&path).await.data(200), &closed);
}

#[tokio::test]
async fn group_is_told_who_invites_and_closes() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let start = alice.get(&group.path("/changes")).await.body["pagination"]["nextCursor"].clone();
    invite(&group, 1).await;
    alice.delete(&group.path("/invitation")).await.data(200);
    let after = group.path(&format!("/changes?after={}", start.as_str().unwrap()));
    let told = alice.get(&after).await.data(200).clone();
    let told: Vec<_> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["kind"], it["actorId"], it["group"]["invitation"]]))
        .collect();
    let expected = json!([["group.changed", "2", "code"], ["group.changed", "1", "closed"]]);
    assert_eq!(json!(told), expected);
}

#[tokio::test]
async fn archived_group_and_api_tokens_do_not_invite() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let path = group.path("/invitation");
    let token = json!({ "name": "Bot", "scopes": ["read", "write"] });
    let token = alice.post("/api/users/me/tokens", token).await;
    let token = token.data(201)["token"].as_str().unwrap();
    let script = alice.with(Some(("authorization", format!("Bearer {token}"))));
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    script.get(&group.path("")).await.data(200);
    let before = group.api.rows().await;
    for method in [Method::POST, Method::DELETE] {
        let by = |caller: &Caller| {
            let caller = caller.clone();
            let method = method.clone();
            let path = path.clone();
            async move { caller.call(method, &path, None).await }
        };
        assert_eq!(by(&script).await.code(), (403, "NOT_ALLOWED"));
        assert_eq!(by(alice).await.code(), (409, "GROUP_ARCHIVED"));
    }
    assert_eq!(group.api.rows().await, before);
    // A stranger does not learn that it is archived.
    alice.patch(&group.path(""), json!({ "archived": false })).await.data(200);
    invite(&group, 0).await;
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    assert_eq!(join(&group, &group.api.user(9, "Eve"), Value::Null).await, refused());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_joins_with_a_code_after_it_was_renewed() {
    for round in 0..8 {
        let group = Group::new(1, "EUR").await;
        let code = invite(&group, 0).await;
        let changes = group.path("/changes");
        let start = group.members[0].get(&changes).await.body["pagination"]["nextCursor"].clone();
        let mut racing = JoinSet::new();
        for id in 2..=5 {
            let user = group.api.user(id, "New").at(&group.api.another());
            let path = group.path("/join");
            let body = json!({ "invitation": code });
            racing.spawn(async move { user.post(&path, body).await.status.as_u16() });
        }
        let alice = group.members[0].at(&group.api.another());
        let path = group.path("/invitation");
        racing.spawn(async move {
            alice.post(&path, Value::Null).await.data(201);
            0
        });
        let statuses = racing.join_all().await;
        assert!(statuses.iter().all(|it| [0, 200, 403].contains(it)), "{round}: {statuses:?}");
        let changes = format!("{changes}?after={}", start.as_str().unwrap());
        let told = group.members[0].get(&changes).await.data(200).clone();
        let kinds: Vec<_> = told.as_array().unwrap().iter().map(|it| it["kind"].clone()).collect();
        assert_eq!(kinds.last().unwrap(), "group.changed", "{round}: {kinds:?}");
        let joins = statuses.iter().filter(|it| **it == 200).count();
        let read = group.members[0].get(&group.path("")).await.data(200)["memberCount"].clone();
        assert_eq!((&read, kinds.len()), (&json!(joins + 1), joins + 1));
        assert_eq!(join(&group, &group.api.user(9, "Late"), json!(code)).await, refused());
    }
}
