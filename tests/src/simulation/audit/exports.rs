//! Compares the exports of a group with its ledger.

use std::collections::BTreeMap;

use csv::ReaderBuilder;
use fracti_core::{decimal::Decimal, id::GroupId};
use fracti_formats::{Answers, Import, MAX_FILE, read_with_limit};
use fracti_store::Table;
use fracti_transfer::export::{ExportFile, Format};

use super::Finding;

/// Number of columns before those of the members.
const FIXED: usize = 7;

/// The JSON of a group is read with the balances that it states, and the columns of its CSV sum to
/// the totals at its end.
pub(super) async fn check(table: &Table, group: GroupId) -> Vec<Finding> {
    let import = read(table, group).await;
    // A group without events has an export, but there is nothing to import.
    let errors = import.errors.iter().filter(|error| error.message != "the file has no rows");
    let mut findings: Vec<String> =
        errors.map(|error| format!("{:?} {}", error.line, error.message)).collect();
    if !import.questions.is_empty() {
        findings.push("the export has open questions".to_owned());
    }
    let csv = file(table, group, Format::Csv).await;
    findings.extend(sums(&csv));
    findings.into_iter().map(|it| Finding::Off(format!("export of {group}: {it}"))).collect()
}

/// What the JSON export of a group says.
pub(super) async fn read(table: &Table, group: GroupId) -> Import {
    let json = file(table, group, Format::Json).await;
    let today = "2100-01-01".parse().unwrap();
    read_with_limit(json.as_bytes(), 10 * MAX_FILE, &Answers::default(), today)
}

async fn file(table: &Table, group: GroupId, format: Format) -> String {
    let (mut file, mut text) = (ExportFile::new(group, format), String::new());
    while let Some(part) = file.part(table).await.unwrap() {
        text.push_str(&part.text);
    }
    text
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
