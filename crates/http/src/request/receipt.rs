//! Payers and lines of a receipt in request bodies.

use fracti_core::records::expense::{LineInput, MAX_LINES, PayerInput, SharerInput};

use crate::response::schemas;

crate::body! {
    /// A member who paid a part of an expense.
    pub CreatePayer => PayerInput {
        /// Member who paid.
        user: "userId".required().text(),
        /// Amount that the member paid. One payer may omit it and pays the rest; a payer of 0, or
        /// of a rest of 0, is dropped.
        amount: "amount".number(schemas::PartAmountInput),
    }
}

crate::body! {
    /// A line of a receipt.
    pub CreateLine => LineInput {
        /// Kind of the line. Default: `item`.
        kind: "kind".text(),
        /// Name, as printed.
        name: "name".required().text(),
        /// Amount of the whole line; what a `discount` takes off. Default, for an `item` or a
        /// `fee`: what the other lines leave of the expense's amount. At most one line takes this
        /// rest.
        amount: "amount".number(schemas::PartAmountInput),
        /// Whether the line takes the rest, even if it has an amount. Default: if it has none.
        rest: "rest".flag(),
        /// Number of pieces, for display.
        quantity: "quantity".number(schemas::QuantityInput),
        /// Price of a piece, for display.
        price: "price".number(schemas::PriceInput),
        /// Members who share the line, each once. Default: for an `item`, all members, or in the
        /// receipt of a question those who claim it; for other kinds, those who share the items
        /// that it applies to.
        sharers: "sharers".objects::<CreateSharer>(1..=usize::MAX),
        /// Indexes, from 0, of the items that a line of another kind applies to. Default: all
        /// items.
        over: "over".list(1..=MAX_LINES, |index| index.required().index()),
        /// How a line of another kind is divided among the members who share these items. Default:
        /// `proportional`.
        split: "split".text(),
    }
}

crate::body! {
    /// A member who shares a line.
    pub CreateSharer => SharerInput {
        /// Member who shares the line.
        user: "userId".required().text(),
        /// Weight of the member, at most 1000000000. Default: 1.
        weight: "weight".number(schemas::WeightInput),
    }
}
