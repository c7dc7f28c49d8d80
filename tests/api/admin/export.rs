//! `fracti-admin export`.

use std::{fs, path::Path};

use fracti_admin::{ExportOptions, Failure, Outcome};
use fracti_files::export::Format;
use fracti_formats::{Answers, read};
use serde_json::{Value, json};

use super::{admin, file};
use crate::{
    export::{Eventful, exported, sheet},
    harness::{Api, Group},
};

/// What the command writes to standard output.
async fn export(api: &Api, group: &str, format: Format) -> String {
    let mut out = Vec::new();
    let options = ExportOptions { group: group.parse().unwrap(), format, out: None };
    let outcome = admin(api).export(&options, &mut out).await.unwrap();
    assert_eq!(outcome, Outcome::Good);
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn file_is_the_export_of_the_api() {
    let eventful = Eventful::new().await;
    let api = &eventful.group.api;
    let alice = eventful.member(0);
    let file = export(api, eventful.id(), Format::Json).await;
    let json: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(json, exported(alice, eventful.id(), 7).await);
    assert!(
        file.starts_with("{\"format\":\"fracti-json\",\"version\":1,\"sequence\":18,\"group\":")
    );
    assert_eq!(file.lines().count(), 18 + 2 + 3, "a line for each row");
    let import = read(file.as_bytes(), &Answers::default(), "2026-01-20".parse().unwrap());
    assert!(import.is_ready(), "{:?}", import.errors);

    let file = export(api, eventful.id(), Format::Csv).await;
    assert_eq!(file, sheet(alice, eventful.id(), 1000).await);
}

#[tokio::test]
async fn file_of_a_group_without_events_is_whole() {
    let group = Group::new(2, "EUR").await;
    let file = export(&group.api, &group.id, Format::Json).await;
    let json: Value = serde_json::from_str(&file).unwrap();
    assert_eq!((&json["entries"], &json["settlements"]), (&json!([]), &json!([])));
    let file = export(&group.api, &group.id, Format::Csv).await;
    assert_eq!(file.lines().count(), 1);
}

#[tokio::test]
async fn long_history_is_written_page_by_page() {
    let group = Group::new(2, "EUR").await;
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    for chunk in 0..25 {
        let entry =
            |index: usize| json!({ "entryId": format!("{chunk} {index}"), "changes": changes });
        let entries: Vec<_> = (0..90).map(entry).collect();
        group.members[0].post(&group.path("/ledger/entries"), json!(entries)).await.data(200);
    }
    let file = export(&group.api, &group.id, Format::Json).await;
    let json: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(json["entries"].as_array().unwrap().len(), 2250);
    let file = export(&group.api, &group.id, Format::Csv).await;
    assert_eq!(file.lines().count(), 2252);
    assert!(file.ends_with(",Total,,,EUR,,,2250,-2250\r\n"));
}

#[tokio::test]
async fn file_has_its_name_once_it_is_whole() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 10 })).await;
    let path = file(&format!("export-{}.csv", group.id));
    let options = |group: &str| ExportOptions {
        group: group.parse().unwrap(),
        format: Format::Csv,
        out: Some(path.clone()),
    };
    let mut out = Vec::new();
    let unknown = options("0190a1b2-0000-7000-8000-000000000001");
    let error = admin(&group.api).export(&unknown, &mut out).await.unwrap_err();
    assert!(fracti_runtime::with_causes(&error).contains("the group does not exist"), "{error:?}");
    assert!(!path.exists());
    // A command that was killed left its part.
    let mut left = path.clone().into_os_string();
    left.push("aB3dE6.part");
    fs::write(&left, "half").unwrap();
    admin(&group.api).export(&options(&group.id), &mut out).await.unwrap();
    let file = fs::read_to_string(&path).unwrap();
    assert_eq!(file, sheet(&group.members[0], &group.id, 1000).await);
    assert!(out.is_empty());
    let again = options(&group.id);
    let mut one = admin(&group.api);
    let mut other = admin(&group.api);
    let mut out = Vec::new();
    let mut other_out = Vec::new();
    let both = tokio::join!(one.export(&again, &mut out), other.export(&again, &mut other_out));
    assert!(matches!(both, (Ok(Outcome::Good), Ok(Outcome::Good))), "{both:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), file, "two at once write one whole file");
    let name = path.file_name().unwrap().to_str().unwrap();
    let parts = fs::read_dir(path.parent().unwrap()).unwrap().map(|it| it.unwrap().file_name());
    let parts: Vec<_> =
        parts.filter(|it| it.to_str().is_some_and(|it| it.starts_with(name))).collect();
    assert_eq!(parts, [name], "nothing else is left");
    fs::remove_file(&path).unwrap();

    let device = ExportOptions { out: Some("/dev/null".into()), ..again };
    admin(&group.api).export(&device, &mut out).await.unwrap();
    assert!(!Path::new("/dev/null").is_file());
    let full = ExportOptions { out: Some("/dev/full".into()), ..device };
    let failed = admin(&group.api).export(&full, &mut out).await.unwrap_err();
    assert!(matches!(failed, Failure::File(..)), "{failed:?}");
}
