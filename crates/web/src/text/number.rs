//! Numbers, amounts and days.

use fracti_core::values::{
    category::Category,
    currency::Currency,
    decimal::Decimal,
    shown,
    time::{Day, Timestamp},
};
use fracti_texts::Language;

use super::Texts;

impl Texts {
    /// A number with the separators of the language.
    pub(crate) fn number(self, number: Decimal) -> String {
        shown::number(self.0, number)
    }

    /// An amount without its currency, with all decimals that are usual in it.
    pub(crate) fn amount(self, amount: Decimal, currency: Currency) -> String {
        shown::amount(self.0, amount, currency)
    }

    /// A number in a field.
    pub(crate) fn number_field(self, number: Decimal) -> String {
        shown::number_field(self.0, number)
    }

    /// An amount in a field, whose currency is known.
    pub(crate) fn amount_field(self, amount: Decimal, currency: Currency) -> String {
        shown::amount_field(self.0, amount, currency)
    }

    /// An amount with its currency.
    pub(crate) fn money(self, amount: Decimal, currency: Currency) -> String {
        shown::money(self.0, amount, currency)
    }

    /// An amount of minor units with its currency.
    pub(crate) fn minor(self, minor: impl Into<i128>, currency: Currency) -> String {
        self.money(currency.to_major(minor), currency)
    }

    /// A day, without the year if it is that of `today`.
    pub(crate) fn day(self, day: Day, today: Day) -> String {
        let text = day.to_string();
        let mut parts = text.splitn(3, '-');
        let (year, month, number) =
            (parts.next().unwrap_or_default(), parts.next(), parts.next().unwrap_or_default());
        let month = month.and_then(|it| it.parse::<usize>().ok()).unwrap_or_default();
        let names = match self.0 {
            Language::English => MONTHS_EN,
            Language::Russian => MONTHS_RU,
        };
        let name = month.checked_sub(1).and_then(|month| names.get(month)).copied();
        let number = number.trim_start_matches('0');
        let name = name.unwrap_or_default();
        if today.to_string().starts_with(year) {
            return format!("{number}\u{a0}{name}");
        }
        format!("{number}\u{a0}{name} {year}")
    }

    /// A period like `2026-01` or `2026-01-20`, as short as it fits below a column.
    pub(crate) fn period(self, period: &str) -> String {
        let mut parts = period.splitn(3, '-').skip(1);
        let month = parts.next().unwrap_or_default();
        let day = parts.next();
        if let Some(day) = day {
            return day.trim_start_matches('0').to_owned();
        }
        let names = match self.0 {
            Language::English => MONTHS_EN,
            Language::Russian => MONTHS_ALONE_RU,
        };
        let place = month.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        place.and_then(|it| names.get(it)).copied().unwrap_or_default().to_owned()
    }

    /// The month of a day, with its year.
    pub(crate) fn month(self, day: Day) -> String {
        let text = day.to_string();
        let (year, _) = text.split_once('-').unwrap_or((&text, ""));
        let month = text.get(..7).unwrap_or_default();
        format!("{} {year}", self.period(month))
    }

    /// The day and the time of a moment in UTC, which it says.
    pub(crate) fn moment(self, at: Timestamp, today: Day) -> String {
        format!("{}, {}\u{a0}UTC", self.day(at.day(), today), at.clock())
    }

    /// Name of a category.
    pub(crate) const fn category(self, category: Category) -> &'static str {
        match (self.0, category) {
            (Language::English, category) => category.name(),
            (Language::Russian, Category::Food) => "Еда",
            (Language::Russian, Category::Transport) => "Транспорт",
            (Language::Russian, Category::Entertainment) => "Развлечения",
            (Language::Russian, Category::Shopping) => "Покупки",
            (Language::Russian, Category::Utilities) => "Коммунальные услуги",
            (Language::Russian, Category::Rent) => "Жильё",
            (Language::Russian, Category::Travel) => "Поездки",
            (Language::Russian, Category::Health) => "Здоровье",
            (Language::Russian, Category::Education) => "Учёба",
            (Language::Russian, Category::Other) => "Другое",
        }
    }
}

const MONTHS_EN: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const MONTHS_RU: [&str; 12] = [
    "янв.",
    "февр.",
    "марта",
    "апр.",
    "мая",
    "июня",
    "июля",
    "авг.",
    "сент.",
    "окт.",
    "нояб.",
    "дек.",
];

const MONTHS_ALONE_RU: [&str; 12] = [
    "янв.",
    "февр.",
    "март",
    "апр.",
    "май",
    "июнь",
    "июль",
    "авг.",
    "сент.",
    "окт.",
    "нояб.",
    "дек.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_year_if_it_is_another_one() {
        let today = "2026-11-27".parse().unwrap();
        let day = "2026-01-05".parse().unwrap();
        assert_eq!(Texts(Language::English).day(day, today), "5\u{a0}Jan");
        assert_eq!(
            Texts(Language::Russian).day("2025-05-31".parse().unwrap(), today),
            "31\u{a0}мая 2025"
        );
    }
}
