//! Contents of the template: the functions' paths and rights, and a recorder of the DynamoDB
//! actions that requests use, in the same terms.

#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "part of the tests: names say it, and a test stops where it fails"
)]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::LazyLock,
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents,
        interceptors::{
            AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextRef,
        },
    },
    error::BoxError,
    operation::{
        batch_get_item::BatchGetItemInput, get_item::GetItemInput, query::QueryInput,
        scan::ScanInput, transact_write_items::TransactWriteItemsInput,
        update_item::UpdateItemInput,
    },
    types::AttributeValue,
};
use fracti_http::Routes;
use fracti_local::{FUNCTIONS, Function};
use serde_json::Value;

/// A DynamoDB action and its resource: the table or an index, or those of their rows whose
/// partition keys have a prefix, like `table USER#*`.
pub type Right = (&'static str, String);

/// The DynamoDB actions of some work, and the bytes of their answers.
#[derive(Debug, Default)]
pub struct Recorded {
    pub rights: BTreeSet<Right>,
    /// Number of actions of the largest transaction.
    pub actions: usize,
    pub bytes: usize,
}

tokio::task_local! {
    static RECORDED: RefCell<Recorded>;
}

/// Runs `work`, and returns its DynamoDB actions.
pub async fn recorded<T>(work: impl Future<Output = T>) -> (T, Recorded) {
    RECORDED.scope(RefCell::default(), async { (work.await, RECORDED.with(RefCell::take)) }).await
}

/// An interceptor that records a client's DynamoDB actions, in the terms of IAM.
#[derive(Debug)]
pub struct Recorder;

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
        let partition = |key: Option<&HashMap<String, AttributeValue>>, name: &str| {
            key.and_then(|key| key.get(name)?.as_s().ok()).cloned().unwrap_or_default()
        };
        let mut rights = Vec::new();
        let mut actions = 0;
        if let Some(get) = input.downcast_ref::<GetItemInput>() {
            rights.push(right("dynamodb:GetItem", "table", &partition(get.key(), "PK")));
        } else if let Some(update) = input.downcast_ref::<UpdateItemInput>() {
            let right = right("dynamodb:UpdateItem", "table", &partition(update.key(), "PK"));
            assert_ne!(right.1, "table", "an update outside of a transaction");
            rights.push(right);
        } else if input.downcast_ref::<ScanInput>().is_some() {
            rights.push(table("dynamodb:Scan"));
        } else if input.downcast_ref::<BatchGetItemInput>().is_some() {
            rights.push(table("dynamodb:BatchGetItem"));
        } else if let Some(query) = input.downcast_ref::<QueryInput>() {
            // The partition is the first value of the key condition.
            let of = partition(query.expression_attribute_values(), ":v0");
            rights.push(right("dynamodb:Query", query.index_name().unwrap_or("table"), &of));
        } else if let Some(transaction) = input.downcast_ref::<TransactWriteItemsInput>() {
            actions = transaction.transact_items().len();
            for action in transaction.transact_items() {
                rights.extend(action.put().map(|_| table("dynamodb:PutItem")));
                rights.extend(action.update().map(|_| table("dynamodb:UpdateItem")));
                rights.extend(action.delete().map(|_| table("dynamodb:DeleteItem")));
                rights
                    .extend(action.condition_check().map(|_| table("dynamodb:ConditionCheckItem")));
            }
        }
        let _ = RECORDED.try_with(|recorded| {
            let mut recorded = recorded.borrow_mut();
            recorded.rights.extend(rights);
            recorded.actions = recorded.actions.max(actions);
        });
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let bytes = context.response().body().bytes().map_or(0, <[u8]>::len);
        let _ = RECORDED.try_with(|recorded| recorded.borrow_mut().bytes += bytes);
        Ok(())
    }
}

/// Partition keys on which all functions may do these actions, by prefix.
const COMMON_ROWS: [(&str, &str, &str); 3] = [
    ("dynamodb:Query", "GSI1", "PATHASH#"),
    ("dynamodb:GetItem", "table", "USER#"),
    ("dynamodb:UpdateItem", "table", "USER#"),
];

/// The right to do something with rows of a partition.
fn right(action: &'static str, resource: &str, partition: &str) -> Right {
    let common = COMMON_ROWS
        .iter()
        .find(|(of, on, prefix)| (*of, *on) == (action, resource) && partition.starts_with(prefix));
    let rows = common.map_or_else(String::new, |(.., prefix)| format!(" {prefix}*"));
    (action, format!("{resource}{rows}"))
}

/// The template.
pub static TEMPLATE: LazyLock<Value> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("../../template.yaml")).unwrap());

/// The prefix of a function's resources in the template.
pub fn resource(function: &str) -> String {
    function[..1].to_uppercase() + &function[1..]
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A value of the template's loop over the functions, for one function: its entries of the mapping,
/// and texts with their variables filled in. Tags like `!Sub` are not in the value.
pub fn resolved(value: &Value, function: &str) -> Value {
    let Value::Array(list) = value else { return value.clone() };
    match list.as_slice() {
        [Value::String(map), _, Value::String(key)] if map == "Functions" => {
            TEMPLATE["Mappings"]["Functions"][resource(function)][key].clone()
        }
        [Value::Number(at), list] => {
            let at = usize::try_from(at.as_u64().unwrap()).unwrap();
            resolved(list, function)[at].clone()
        }
        [Value::String(text), Value::Object(variables)] => {
            let filled =
                variables.iter().fold(text.clone(), |text, (name, value)| {
                    match resolved(value, function) {
                        Value::String(value) => text.replace(&format!("${{{name}}}"), &value),
                        _ => text,
                    }
                });
            Value::String(filled)
        }
        list => list.iter().map(|value| resolved(value, function)).collect(),
    }
}

/// The DynamoDB actions that the template grants to each function beside [`COMMON_RIGHTS`].
pub static RIGHTS: LazyLock<BTreeMap<&'static str, BTreeSet<(String, String)>>> =
    LazyLock::new(|| {
        let role = &TEMPLATE["Resources"]["Fn::ForEach::Functions"][2]["${Function}Role"];
        let policy = &role["Properties"]["Policies"][0];
        FUNCTIONS.iter().map(|function| (function.name, rights(policy, function.name))).collect()
    });

/// The DynamoDB actions that the template grants to all functions.
pub static COMMON_RIGHTS: LazyLock<BTreeSet<(String, String)>> =
    LazyLock::new(|| rights(&TEMPLATE["Resources"]["FunctionPolicy"]["Properties"], ""));

/// The DynamoDB actions that a policy grants to a function.
///
/// # Panics
///
/// If it has a form that the template does not use.
pub fn rights(policy: &Value, function: &str) -> BTreeSet<(String, String)> {
    let mut rights = BTreeSet::new();
    for statement in policy["PolicyDocument"]["Statement"].as_array().unwrap() {
        let keys = &statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"][0];
        let keys = keys.as_str().map_or_else(String::new, |keys| format!(" {keys}"));
        let resources: Vec<String> = match resolved(&statement["Resource"], function) {
            Value::Array(many) => many.iter().map(text).collect(),
            one => one.as_str().map(str::to_owned).into_iter().collect(),
        };
        let actions = resolved(&statement["Action"], function);
        let actions = actions.as_array().unwrap().iter().map(text);
        for action in actions.filter(|action| action.starts_with("dynamodb:")) {
            for on in &resources {
                let (_, on) = on.split_once(":table/${Table}").unwrap();
                let on = on.strip_prefix("/index/").unwrap_or("table");
                rights.insert((action.clone(), format!("{on}{keys}")));
            }
        }
    }
    rights
}

/// The paths of the routers, as `/api/groups/{groupId}`, with the functions that serve them.
pub static PATHS: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    let paths = |function: &'static Function| {
        deployed_paths(&(function.routes)()).into_iter().map(|path| (path, function.name))
    };
    FUNCTIONS.iter().flat_map(paths).collect()
});

/// The paths of routes as API Gateway has them: the rest of a path is `{rest+}`, not `{*rest}`.
pub fn deployed_paths(routes: &Routes) -> BTreeSet<String> {
    let path = |path: &str| match path.split_once("{*") {
        Some((start, rest)) => format!("{start}{{{}", rest.replace('}', "+}")),
        None => path.to_owned(),
    };
    routes.paths().map(path).collect()
}

/// The function that serves a path; `None` for a path that does not exist.
pub fn function_of(path: &str) -> Option<&'static str> {
    let path: Vec<_> = path.split('?').next().unwrap().split('/').collect();
    let fits = |template: &str| {
        let template: Vec<_> = template.split('/').collect();
        let same = |(part, text): (&&str, &&str)| {
            if part.starts_with('{') { !text.is_empty() } else { part == text }
        };
        let has_length = match template.last() {
            Some(last) if last.ends_with("+}") => template.len() <= path.len(),
            _ => template.len() == path.len(),
        };
        has_length && template.iter().zip(&path).all(same)
    };
    // A fixed segment has precedence over a parameter.
    let fitting = PATHS.iter().filter(|(template, _)| fits(template));
    let most_exact = fitting.min_by_key(|(template, _)| template.matches('{').count());
    most_exact.map(|(_, function)| *function)
}
