//! Files that Fracti does not read: each is refused once, with what it is and the one thing to do.

use super::*;

const RESAVED: &str =
    include_str!("../../../../tests/fixtures/import/cases/splitwise-resaved-eu.csv");

/// The apps whose files are read.
const APPS: &str =
    "Splitwise, Spliit, Spliit Cloud, IHateMoney, Cospend, Settle Up, Tricount or Fracti";

/// The only error of a file.
fn refusal(file: &[u8]) -> String {
    let errors = errors(&read(file, &Answers::default(), today()));
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.concat()
}

#[test]
fn files_of_other_programs_are_named() {
    for (file, expected) in [
        (
            "\u{feff}Date,Type,Description,Category,Currency,Amount,Paid by,Anna\n\
             2026-01-31,expense,Tea,food,EUR,9.00,Anna,9.00\n",
            "this is Fracti's CSV for spreadsheets; export the group as JSON",
        ),
        (
            "date,description,category,paid_by,total,Anna,Bob\n2026-01-31,Tea,FOOD,Anna,9,4,5\n",
            "this is the CSV of tricount-exporter, which Fracti does not read; take Tricount's \
             JSON, or the CSV of Tricount's support",
        ),
        (
            "Who Paid;Total;Currency;Description;When;Involved;File Names;Attachment \
             URLs;Category\n",
            "this is the CSV of tricount-downloader, which Fracti does not read; take Tricount's \
             JSON, or the CSV of Tricount's support",
        ),
        (
            "Date,Title,Paid by Ann,Paid by Bob,Paid for Ann,Paid for Bob,Currency,Category\n",
            "this is a file of Sesterce, which Fracti does not read; it reads files of APPS",
        ),
        (
            "Splid: City trip\n\nTitle,Amount\n",
            "this is a file of Splid, which Fracti does not read; it reads files of APPS",
        ),
        (
            "{\"error\":\"Invalid group ID\"}",
            "this is the error with which an app has answered; export the group again",
        ),
        (
            "{\"groups\":[{\"id\":1,\"members\":[]}]}",
            "this is the answer of Splitwise's API with your groups; its answer to get_expenses is \
             needed",
        ),
        (
            "{\"friends\":[]}",
            "this is the answer of Splitwise's API with your friends; its answer to get_expenses \
             is needed",
        ),
        (
            "{\"expense\":{\"id\":1}}",
            "this is the answer of Splitwise's API with one expense; its answer to get_expenses is \
             needed",
        ),
        (
            "{\"Response\":[{\"Id\":{\"id\":1}}]}",
            "this is an answer of Tricount's API without a tricount; the one with the field \
             Registry is needed",
        ),
        ("{\"name\":\"x\",\"rows\":[]}", "this is no export of APPS: its fields are name, rows"),
        ("[{\"a\":1,\"b\":2}]", "this is no export of APPS: its fields are a, b"),
        (
            "\nMy bank\nBooked,Text,Amount\n1,2,3\n",
            "this is no export of APPS: its header is Booked, Text, Amount",
        ),
    ] {
        assert_eq!(refusal(file.as_bytes()), expected.replace("APPS", APPS));
    }
}

#[test]
fn dates_that_a_spreadsheet_has_changed_are_refused_once() {
    assert_eq!(
        refusal(RESAVED.as_bytes()),
        "2:1 \"25/12/2023\": a spreadsheet has changed the dates; take the file as Splitwise wrote \
         it"
    );
    let serial = RESAVED.replace("25/12/2023", "45285").replace("01/01/2024", "45292");
    assert!(refusal(serial.as_bytes()).starts_with("2:1 \"45285\": a spreadsheet has changed"));
}

#[test]
fn every_format_is_read_in_utf_16() {
    for file in FILES {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide: Vec<u8> = file.encode_utf16().flat_map(unit).collect();
            let wide = read(&wide, &Answers::default(), today());
            let plain = read_text(file);
            assert_eq!((wide.format, rows(&wide)), (plain.format, rows(&plain)));
            assert_eq!((errors(&wide), warnings(&wide)), (errors(&plain), warnings(&plain)));
        }
    }
}
