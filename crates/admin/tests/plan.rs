//! `fracti-admin plan`, as an operator runs it.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value, json};

fn fixture(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("../../tests/fixtures/import").join(name)
}

fn run(arguments: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fracti-admin"));
    let Output { status, stdout, stderr } = command.arg("plan").args(arguments).output().unwrap();
    let plan = serde_json::from_slice(&stdout).unwrap_or_default();
    (status.code(), plan, String::from_utf8(stderr).unwrap())
}

#[test]
fn a_file_that_can_be_imported_has_a_plan_and_exit_code_0() {
    let (code, plan, _) = run(&[fixture("splitwise.csv").to_str().unwrap()]);
    assert_eq!(code, Some(0), "{plan:#}");
    assert_eq!(plan["format"], "splitwise-csv");
    assert_eq!(plan["members"][1], json!({ "name": "O'Neil, Bob", "rows": 8 }));
    assert_eq!(
        [&plan["expenses"], &plan["settlements"], &plan["skipped"], &plan["currencies"]],
        [&json!(10), &json!(1), &json!(1), &json!(["EUR", "JPY", "KWD"])]
    );
    assert_eq!(
        plan["balances"][1],
        json!({ "name": "O'Neil, Bob", "currency": "EUR", "net": 40.73 })
    );
    assert_eq!(
        plan["checks"][1],
        json!({
            "what": "total of O'Neil, Bob in EUR", "file": 40.73, "computed": 40.73, "agrees": true,
        })
    );
}

#[test]
fn every_format_is_recognized() {
    for name in [
        "cospend.csv",
        "ihatemoney.csv",
        "ihatemoney.json",
        "settleup.csv",
        "spliit.json",
        "spliit-cloud.csv",
        "splitwise.csv",
        "splitwise.json",
        "tricount.csv",
        "tricount.json",
    ] {
        let (code, plan, _) = run(&[fixture(name).to_str().unwrap()]);
        assert_eq!(code, Some(0), "{plan:#}");
        let format = plan["format"].as_str().unwrap();
        assert!(format.starts_with(name.split_once('.').unwrap().0), "{name}: {format}");
    }
}

#[test]
fn open_questions_have_exit_code_1_until_they_are_answered() {
    let file = fixture("spliit.csv");
    let answers = fixture("spliit.csv.answers.json");
    let file = file.to_str().unwrap();
    let answers = answers.to_str().unwrap();
    let (code, plan, _) = run(&[file]);
    assert_eq!(code, Some(1));
    assert_eq!(
        plan["questions"][0],
        json!({ "kind": "payer", "line": 9,
            "message": "who paid 25 EUR for Reimbursement on 2026-02-03?" })
    );
    let (code, plan, _) = run(&[file, "--answers", answers, "--currency", "CHF"]);
    assert_eq!((code, &plan["questions"]), (Some(0), &json!([])));
    assert_eq!(plan["currencies"], json!(["EUR"]));

    let (code, _, output) = run(&[file, "--answers", file]);
    assert_eq!(code, Some(2));
    assert!(output.contains("spliit.csv must be JSON like {"), "{output}");
}

#[test]
fn a_broken_file_has_errors_and_exit_code_1() {
    let (code, plan, _) = run(&[fixture("../money.json").to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert_eq!(plan["format"], Value::Null);
    assert_eq!(plan["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn a_missing_file_has_exit_code_2() {
    let (code, _, output) = run(&[fixture("none.csv").to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(output.contains("none.csv cannot be read: "), "{output}");
}
