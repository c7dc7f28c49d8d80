//! What is deployed is what is written: the template against the routers, the keys, the environment and the rights used.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents,
        interceptors::BeforeSerializationInterceptorContextRef,
    },
    error::BoxError,
    operation::{
        batch_get_item::BatchGetItemInput, get_item::GetItemInput, query::QueryInput,
        transact_write_items::TransactWriteItemsInput,
    },
};
use axum::http::Method;
use fracti_tests::events::SAMPLES;
use serde_json::{Value, json};

use crate::{
    events::{functions, send},
    harness::{Api, Group},
};

/// An action of DynamoDB, and what it is done to: the table or an index.
pub(crate) type Right = (&'static str, String);

tokio::task_local! {
    static USED: RefCell<BTreeSet<Right>>;
}

/// Does `work`, and says what it did at DynamoDB.
pub(crate) async fn recorded<T>(work: impl Future<Output = T>) -> (T, BTreeSet<Right>) {
    USED.scope(RefCell::default(), async { (work.await, USED.with(RefCell::take)) }).await
}

/// Notes what a client asks of DynamoDB, in the terms of IAM.
#[derive(Debug)]
pub(crate) struct Recorder;

impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "Recorder"
    }

    fn read_before_serialization(
        &self,
        context: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input();
        let table = |action| (action, "table".to_owned());
        let mut rights = Vec::new();
        if input.downcast_ref::<GetItemInput>().is_some() {
            rights.push(table("dynamodb:GetItem"));
        } else if input.downcast_ref::<BatchGetItemInput>().is_some() {
            rights.push(table("dynamodb:BatchGetItem"));
        } else if let Some(query) = input.downcast_ref::<QueryInput>() {
            let on = query.index_name().unwrap_or("table").to_owned();
            rights.push(("dynamodb:Query", on));
        } else if let Some(transaction) = input.downcast_ref::<TransactWriteItemsInput>() {
            for action in transaction.transact_items() {
                rights.extend(action.put().map(|_| table("dynamodb:PutItem")));
                rights.extend(action.update().map(|_| table("dynamodb:UpdateItem")));
                rights.extend(action.delete().map(|_| table("dynamodb:DeleteItem")));
                rights
                    .extend(action.condition_check().map(|_| table("dynamodb:ConditionCheckItem")));
            }
        }
        let _ = USED.try_with(|used| used.borrow_mut().extend(rights));
        Ok(())
    }
}

static TEMPLATE: LazyLock<Value> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("../../template.yaml")).unwrap());

/// The name of a function's resources.
fn resource(function: &str) -> String {
    function[..1].to_uppercase() + &function[1..]
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// What the template lets each function do at DynamoDB.
pub(crate) static RIGHTS: LazyLock<BTreeMap<&'static str, BTreeSet<(String, String)>>> =
    LazyLock::new(|| {
        functions().into_iter().map(|(function, _)| (function, rights(function))).collect()
    });

fn rights(function: &str) -> BTreeSet<(String, String)> {
    let role = &TEMPLATE["Resources"][format!("{}Role", resource(function))]["Properties"];
    let statements = role["Policies"][0]["PolicyDocument"]["Statement"].as_array().unwrap();
    let mut rights = BTreeSet::new();
    for statement in statements {
        let resources = match &statement["Resource"] {
            Value::Array(many) => many.iter().map(text).collect(),
            one => vec![text(one)],
        };
        let actions = statement["Action"].as_array().unwrap().iter().map(text);
        for action in actions.filter(|action| action.starts_with("dynamodb:")) {
            for on in &resources {
                let on = if on == "FractiTable.Arn" {
                    "table"
                } else {
                    on.strip_prefix("${FractiTable.Arn}/index/").unwrap()
                };
                rights.insert((action.clone(), on.to_owned()));
            }
        }
    }
    rights
}

/// Which function serves a path.
pub(crate) fn function_of(path: &str) -> &'static str {
    let path = path.split('?').next().unwrap();
    let parts: Vec<_> = path.split('/').collect();
    match (parts.get(2), parts.get(4)) {
        (Some(&"users"), _) => "users",
        (_, Some(&"expenses")) => "expenses",
        (_, Some(&"ledger")) => "ledger",
        (_, Some(&"debts" | &"settlements")) => "settlements",
        _ => "groups",
    }
}

#[test]
fn every_route_is_deployed_and_nothing_more() {
    for (function, routes) in functions() {
        let document = serde_json::to_value(routes().into_openapi()).unwrap();
        let methods = |(path, item): (&String, &Value)| {
            let methods = ["get", "post", "put", "delete", "patch"];
            let methods = methods.into_iter().filter(|method| item.get(method).is_some());
            methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
        };
        let routed: BTreeSet<_> =
            document["paths"].as_object().unwrap().iter().flat_map(methods).collect();
        let properties =
            &TEMPLATE["Resources"][format!("{}Function", resource(function))]["Properties"];
        let event = |event: &Value| {
            (text(&event["Properties"]["Method"]), text(&event["Properties"]["Path"]))
        };
        let events = properties["Events"].as_object().unwrap();
        let deployed: BTreeSet<_> = events.values().map(event).collect();
        assert_eq!(deployed, routed, "{function}");
        assert_eq!(events.len(), deployed.len(), "{function}: a route is there twice");
        for (_, path) in &routed {
            assert_eq!(function_of(path), function, "{path}");
        }
        let binary = &TEMPLATE["Resources"][format!("{}Function", resource(function))]["Metadata"];
        assert_eq!(binary["BuildProperties"]["Binary"], format!("fracti-{function}"));
    }
}

#[test]
fn the_table_is_the_seeds() {
    let table = &TEMPLATE["Resources"]["FractiTable"]["Properties"];
    let key = |hash: &str, range: &str| {
        json!([
            { "AttributeName": hash, "KeyType": "HASH" },
            { "AttributeName": range, "KeyType": "RANGE" },
        ])
    };
    assert_eq!(table["KeySchema"], key("PK", "SK"));
    let indexes = ["GSI1", "GSI2", "GSI3"].map(|name| {
        json!({
            "IndexName": name,
            "KeySchema": key(&format!("{name}PK"), &format!("{name}SK")),
            "Projection": { "ProjectionType": "ALL" },
        })
    });
    assert_eq!(table["GlobalSecondaryIndexes"], json!(indexes));
    let attributes = ["PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK", "GSI3SK"];
    let attributes = attributes.map(|name| json!({ "AttributeName": name, "AttributeType": "S" }));
    assert_eq!(table["AttributeDefinitions"], json!(attributes));
    assert_eq!(table["BillingMode"], "PAY_PER_REQUEST");
    assert_eq!(
        table["TimeToLiveSpecification"],
        json!({ "AttributeName": "ttl", "Enabled": true })
    );
}

#[test]
fn the_functions_are_given_what_they_read_from_the_environment() {
    let given = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"].as_object().unwrap();
    let source = include_str!("../../crates/http/src/app.rs");
    let read: BTreeSet<&str> =
        source.split("variable(\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(read.len(), 4, "{read:?}");
    for variable in read {
        assert!(given.contains_key(variable), "{variable}");
    }
}

#[tokio::test]
async fn the_rights_are_those_that_are_used() {
    let mut used: BTreeMap<&str, BTreeSet<Right>> = BTreeMap::new();
    let mut note = |function: &'static str, rights: BTreeSet<Right>| {
        used.entry(function).or_default().extend(rights);
    };
    for sample in SAMPLES {
        let api = crate::events::scene().await;
        note(sample.function, send(&api, sample.function, &sample.event()).await.rights);
    }
    // What no sample asks for: a renewed name, a settlement's other ways, and ids of the earlier system.
    let group = Group::of(&Api::new().await, 2, "EUR").await;
    let bob = group.api.user(2, "Robert");
    note("groups", bob.post(&group.path("/join"), json!({})).await.rights);
    let [one, other] = ["1", "2"].map(|digit| json!({ "txHash": digit.repeat(64) }));
    let made = bob.post(&group.path("/settlements"), json!({ "toId": "1", "amount": 1 })).await;
    let path = group.path(&format!("/settlements/{}", text(&made.body["data"]["id"])));
    for ask in [one, other, json!({ "status": "failed" })] {
        note("settlements", bob.put(&path, ask).await.rights);
    }
    let opening =
        [("1", 1), ("2", -1)].map(|(user, amount)| json!({ "userId": user, "amount": amount }));
    let entries = group.path("/ledger/entries");
    let pushed = bob.post(&entries, json!([{ "entryId": "opening", "changes": opening }])).await;
    note("ledger", pushed.rights);
    note("settlements", bob.get(&group.path("/debts?verify=true")).await.rights);
    let reverted = bob.call(Method::DELETE, &entries, Some(&json!(["opening"]))).await;
    assert_eq!(reverted.data(200)["nonApplied"], json!([]));
    note("ledger", reverted.rights);
    let old = "660e8400-e29b-41d4-a716-446655440001";
    for (function, kind) in [("expenses", "expenses"), ("settlements", "settlements")] {
        note(function, bob.get(&group.path(&format!("/{kind}/{old}"))).await.rights);
    }

    for (function, allowed) in RIGHTS.iter() {
        let used: BTreeSet<(String, String)> =
            used[function].iter().map(|(action, on)| ((*action).to_owned(), on.clone())).collect();
        assert_eq!(&used, allowed, "{function}");
    }
    let writes = |(action, _): &(String, String)| {
        ["PutItem", "UpdateItem", "DeleteItem"].iter().any(|write| action.ends_with(write))
    };
    assert!(!RIGHTS["users"].iter().any(writes), "users only read");
}
