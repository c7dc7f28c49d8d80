//! QR codes of links, which another phone reads from the screen.

use std::fmt::Write;

use maud::{Markup, html};
use qrcodegen::{QrCode, QrCodeEcc};

/// Modules around a code that stay light, as readers need them.
const MARGIN: i32 = 4;

/// The code of a link as a picture, dark on light in each theme; nothing for a link that is too
/// long.
pub(crate) fn code(link: &str, label: &str) -> Markup {
    let Ok(code) = QrCode::encode_text(link, QrCodeEcc::Low) else { return html! {} };
    let side = code.size().saturating_add(MARGIN.saturating_mul(2));
    html! {
        svg.qr xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (side) " " (side) } role="img"
            aria-label=(label) shape-rendering="crispEdges" {
            path fill="#fff" d={ "M0 0h" (side) "v" (side) "H0z" } {}
            path stroke="#000" d=(lines(&code)) {}
        }
    }
}

/// The dark modules, as a line for those beside each other.
fn lines(code: &QrCode) -> String {
    let mut lines = String::new();
    for y in 0..code.size() {
        let mut from = None;
        // The module after the last one of a row is light.
        for x in 0..=code.size() {
            match (code.get_module(x, y), from) {
                (true, None) => from = Some(x),
                (false, Some(start)) => {
                    let at = |it: i32| it.saturating_add(MARGIN);
                    let length = x.saturating_sub(start);
                    let _ = write!(lines, "M{} {}.5h{length}", at(start), at(y));
                    from = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
    }
    lines
}
