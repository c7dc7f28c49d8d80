//! The lists that are the same for all users: currencies and categories.

use fracti_core::values::{category::Category, currency::Currency};
use fracti_http::{Code, Data, IfNoneMatch, Public, Query, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// The currencies that Fracti accepts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Currencies)]
pub(crate) struct CurrenciesView {
    /// The currencies, in the order of their codes.
    currencies: Vec<CurrencyView>,
}

/// A currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurrencyInfo)]
struct CurrencyView {
    /// Code, which requests and responses have.
    code: schemas::Currency,
    /// Name in English.
    #[schema(example = "Euro")]
    name: String,
    /// Number of decimals that an amount may have.
    #[schema(minimum = 0, maximum = 9, example = 2)]
    decimals: u8,
    /// Symbol, which several currencies may share; the code of a currency without one, and of one
    /// that was withdrawn.
    #[schema(example = "€")]
    symbol: String,
    /// Whether it is a currency of ISO 4217 or a token.
    kind: schemas::CurrencyKind,
    /// Whether ISO 4217 has withdrawn it. Clients propose it only where it is in use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    withdrawn: bool,
}

/// The categories that every expense may have.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Categories)]
pub(crate) struct CategoriesView {
    /// The categories, in the order in which clients show them.
    categories: Vec<CategoryView>,
}

/// A category.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CategoryInfo)]
struct CategoryView {
    /// Key, which requests and responses have.
    key: schemas::BuiltInCategory,
    /// Name in English.
    #[schema(example = "Food")]
    name: &'static str,
    /// Emoji.
    #[schema(example = "🍽️")]
    emoji: &'static str,
}

/// List the currencies that Fracti accepts.
///
/// They change only with the version of Fracti, so a client may keep them for a day.
#[utoipa::path(get, path = "/api/currencies", tag = "reference",
    responses(
        (status = OK, body = Data<CurrenciesView>, headers(("ETag"))),
        (status = NOT_MODIFIED, headers(("ETag"))),
    ),
    extensions(("x-errors" = json!([Code::ValidationError]))))]
pub(crate) async fn list_currencies(
    Query(()): Query<()>,
    known: IfNoneMatch,
) -> Public<CurrenciesView> {
    Public(CurrenciesView { currencies: Currency::all().map(CurrencyView::from).collect() }, known)
}

/// List the categories that every expense may have.
///
/// They change only with the version of Fracti, so a client may keep them for a day.
#[utoipa::path(get, path = "/api/categories", tag = "reference",
    responses(
        (status = OK, body = Data<CategoriesView>, headers(("ETag"))),
        (status = NOT_MODIFIED, headers(("ETag"))),
    ),
    extensions(("x-errors" = json!([Code::ValidationError]))))]
pub(crate) async fn list_categories(
    Query(()): Query<()>,
    known: IfNoneMatch,
) -> Public<CategoriesView> {
    Public(CategoriesView { categories: Category::all().map(CategoryView::from).collect() }, known)
}

impl From<Currency> for CurrencyView {
    fn from(currency: Currency) -> Self {
        Self {
            code: Text(currency),
            name: currency.name(),
            decimals: currency.exponent(),
            symbol: currency.symbol(),
            kind: Text(currency.kind()),
            withdrawn: currency.is_withdrawn(),
        }
    }
}

impl From<Category> for CategoryView {
    fn from(category: Category) -> Self {
        Self { key: Text(category), name: category.name(), emoji: category.emoji() }
    }
}
