//! Compares the exports of a group with its ledger.

use std::collections::{BTreeMap, BTreeSet};

use csv::ReaderBuilder;
use fracti_core::values::{decimal::Decimal, id::GroupId};
use fracti_files::export::{ExportFile, Format};
use fracti_formats::{Answers, Import, Issue, MAX_FILE, RowPlace, read_with_limit};
use fracti_store::Table;
use serde_json::Value;

use super::Finding;

/// Number of columns before those of the members.
const FIXED: usize = 7;

/// The JSON of a group can be read and has the balances that it states, and the columns of its CSV
/// sum to the totals at its end.
pub(super) async fn check(table: &Table, group: GroupId) -> Vec<Finding> {
    let json = file(table, group, Format::Json).await;
    let import = read_file(&json);
    // A group without events has an export, but there is nothing to import.
    let errors =
        import.errors.iter().filter(|error| error.message.to_string() != "the file has no rows");
    let mut findings: Vec<String> = errors.map(ToString::to_string).collect();
    if !import.questions.is_empty() {
        findings.push("the export has open questions".to_owned());
    }
    findings.extend(lost_splits(&import, &json));
    let csv = file(table, group, Format::Csv).await;
    findings.extend(sums(&csv));
    findings.into_iter().map(|it| Finding::Off(format!("export of {group}: {it}"))).collect()
}

/// The JSON export of a group, as an import reads it.
pub(super) async fn read(table: &Table, group: GroupId) -> Import {
    read_file(&file(table, group, Format::Json).await)
}

fn read_file(json: &str) -> Import {
    let today = "2100-01-01".parse().unwrap();
    read_with_limit(json.as_bytes(), 10 * MAX_FILE, &Answers::default(), today)
}

async fn file(table: &Table, group: GroupId, format: Format) -> String {
    let mut file = ExportFile::new(group, format);
    let mut text = String::new();
    while let Some(part) = file.part(table).await.unwrap() {
        text.push_str(&part.text);
    }
    text
}

/// Splits that the import does not keep, although no two of the members who share are one.
fn lost_splits(import: &Import, json: &str) -> Vec<String> {
    let is_of_split = |it: &&Issue| it.message.to_string().contains("the split cannot be kept");
    let file: Value = serde_json::from_str(json).unwrap();
    let members = file["members"].as_array().unwrap().iter();
    let links: BTreeMap<&str, &str> =
        members.filter_map(|it| Some((it["id"].as_str()?, it["linkedTo"].as_str()?))).collect();
    let is_of_all = |it: &&Issue| {
        let Some(RowPlace::Item(_, index)) = it.row else { unreachable!("{it}") };
        let splits = file["entries"][index]["expense"]["splits"].as_array().unwrap();
        let ids = splits.iter().map(|split| split["userId"].as_str().unwrap());
        let sharers: BTreeSet<&str> = ids.map(|id| *links.get(id).unwrap_or(&id)).collect();
        sharers.len() == splits.len()
    };
    let lost = import.warnings.iter().filter(is_of_split).filter(is_of_all);
    lost.map(ToString::to_string).collect()
}

/// Columns whose sums are not the totals.
fn sums(csv: &str) -> Vec<String> {
    let mut reader = ReaderBuilder::new().from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let mut sums: [BTreeMap<(String, usize), Decimal>; 2] = Default::default();
    for record in reader.records() {
        let record = record.unwrap();
        let sums = &mut sums[usize::from(&record[1] == "Total")];
        for (index, cell) in record.iter().enumerate().skip(FIXED).filter(|(_, it)| !it.is_empty())
        {
            let sum = sums.entry((record[4].to_owned(), index)).or_default();
            *sum = sum.plus(cell.parse().unwrap()).unwrap();
        }
    }
    let [lines, totals] =
        sums.map(|sums| sums.into_iter().filter(|(_, sum)| *sum != Decimal::ZERO).collect());
    let differing = |(one, other): (&BTreeMap<_, _>, &BTreeMap<_, _>)| -> Vec<String> {
        let differs = |(key, sum): &(&(String, usize), &Decimal)| other.get(*key) != Some(*sum);
        let text = |((currency, index), sum): (&(String, usize), &Decimal)| {
            format!("{sum} {currency} of {} differs", &names[*index])
        };
        one.iter().filter(differs).map(text).collect()
    };
    [(&lines, &totals), (&totals, &lines)].into_iter().flat_map(differing).collect()
}
