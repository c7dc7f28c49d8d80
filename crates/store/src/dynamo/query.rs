//! Queries: a page of a range of rows, or all of it.

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::Primary,
        row::{self, Item, Row},
    },
};

use super::{
    client::Db,
    range::{Page, Position, Range},
    requests::{Found, Query},
    unreadable::{entity, readable, readable_of_funds},
};

/// Bytes that are read of a whole range at most. A longer range is refused.
const MAX_WHOLE: usize = 32 * 1024 * 1024;

/// Bytes that are read for one page, about. A page that reaches it may be shorter than its limit.
const MAX_PAGE: usize = 4 * 1024 * 1024;

/// Rows that are examined for one page at most, of a filtered list or of one with unreadable rows.
const MAX_EXAMINED: usize = 1000;

/// Rows that are examined with one request for a filtered list. A page is usually full after the
/// first.
const EXAMINED_AT_ONCE: usize = 250;

/// A part of a list.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    /// The items.
    pub items: Vec<T>,
    /// Row after which the list continues, if it does.
    pub next: Option<Position>,
    /// Number of v0 rows, or rows of funds, of this part that cannot be read and are left out.
    pub unreadable: u64,
}

impl<T> Slice<T> {
    /// The slice with other items.
    pub fn map<V>(self, view: impl FnMut(T) -> V) -> Slice<V> {
        let Self { items, next, unreadable } = self;
        Slice { items: items.into_iter().map(view).collect(), next, unreadable }
    }
}

/// The entities of a page, with their positions.
pub(crate) struct Placed<T> {
    pub(crate) rows: Vec<(Position, T)>,
    /// Whether the range continues after them.
    pub(crate) more: bool,
    /// Number of v0 rows, or rows of funds, among them that cannot be read and are left out.
    pub(crate) unreadable: u64,
}

impl<T> Placed<T> {
    /// The same page of other entities.
    pub(crate) fn map<U>(self, of: impl Fn(T) -> U) -> Placed<U> {
        let rows = self.rows.into_iter().map(|(position, row)| (position, of(row))).collect();
        Placed { rows, more: self.more, unreadable: self.unreadable }
    }

    /// The entities without their positions.
    fn slice(self) -> Slice<T> {
        let Self { rows, more, unreadable } = self;
        let next = rows.last().filter(|_| more).map(|(position, _)| position.clone());
        Slice { items: rows.into_iter().map(|(_, row)| row).collect(), next, unreadable }
    }
}

/// Rows of a range.
struct Scanned {
    items: Vec<Item>,
    /// Whether the range ends with them.
    ended: bool,
}

impl Db {
    /// The entities of a page.
    pub(crate) async fn page<T: Row>(&self, range: &Range, page: &Page) -> Result<Slice<T>, Error> {
        self.page_where(range, page, &Condition::default()).await
    }

    /// The entities of a page, of those that fulfil a condition.
    pub(crate) async fn page_where<T: Row>(
        &self,
        range: &Range,
        page: &Page,
        filter: &Condition,
    ) -> Result<Slice<T>, Error> {
        Ok(self.placed_where(range, page, filter).await?.slice())
    }

    /// The entities of a page of rows of funds, without those that cannot be read.
    pub(crate) async fn page_of_funds<T: Row>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Slice<T>, Error> {
        let all = Condition::default();
        Ok(self.placed_by(range, page, &all, readable_of_funds).await?.slice())
    }

    /// The entities of a whole range of rows of funds, without those that cannot be read.
    pub(crate) async fn all_of_funds<T: Row>(&self, range: &Range) -> Result<Slice<T>, Error> {
        let found = self.whole(range, &Condition::default()).await?;
        self.check_migrated(&found).await?;
        let mut items = Vec::new();
        let mut unreadable = 0_u64;
        for item in found {
            match readable_of_funds(item)? {
                Some(row) => items.push(row),
                None => unreadable = unreadable.saturating_add(1),
            }
        }
        Ok(Slice { items, next: None, unreadable })
    }

    /// A page of the entities that `accepts` accepts. At most [`MAX_EXAMINED`] are examined, so the
    /// page may be shorter than its limit, or empty, although the list continues.
    pub(crate) async fn page_of<T: Row>(
        &self,
        range: &Range,
        page: &Page,
        accepts: impl Fn(&T) -> bool,
    ) -> Result<Slice<T>, Error> {
        let mut items = Vec::new();
        let mut next = page.after.clone();
        let mut unreadable = 0_u64;
        for _ in 0..MAX_EXAMINED.div_ceil(EXAMINED_AT_ONCE) {
            let examined = Page { limit: EXAMINED_AT_ONCE, after: next.clone() };
            let Placed { rows, more, unreadable: left_out } =
                self.placed::<T>(range, &examined).await?;
            unreadable = unreadable.saturating_add(left_out);
            let end = rows.len();
            for (index, (position, row)) in rows.into_iter().enumerate() {
                next = Some(position);
                if accepts(&row) {
                    items.push(row);
                }
                if items.len() == page.limit {
                    let continues = more || index.saturating_add(1) < end;
                    let next = next.filter(|_| continues);
                    return Ok(Slice { items, next, unreadable });
                }
            }
            if !more {
                return Ok(Slice { items, next: None, unreadable });
            }
        }
        Ok(Slice { items, next, unreadable })
    }

    /// The entities of a page, with their positions. One more row is read, to know whether the
    /// range continues. v0 rows that cannot be read are left out, and others read in their place.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`] if [`MAX_EXAMINED`] rows one after another cannot be read.
    pub(crate) async fn placed<T: Row>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Placed<T>, Error> {
        self.placed_where(range, page, &Condition::default()).await
    }

    /// [`Db::placed`], of the entities that fulfil a condition.
    pub(crate) async fn placed_where<T: Row>(
        &self,
        range: &Range,
        page: &Page,
        filter: &Condition,
    ) -> Result<Placed<T>, Error> {
        self.placed_by(range, page, filter, readable).await
    }

    /// [`Db::placed_where`], of the entities as `read` makes them.
    async fn placed_by<T: Row>(
        &self,
        range: &Range,
        page: &Page,
        filter: &Condition,
        read: fn(Item) -> Result<Option<T>, Error>,
    ) -> Result<Placed<T>, Error> {
        let mut page_of = Placed { rows: Vec::new(), more: true, unreadable: 0 };
        let mut start = page.start();
        let mut examined = 0_usize;
        loop {
            let left = page.limit.saturating_sub(page_of.rows.len()).saturating_add(1);
            let Scanned { items, ended } =
                self.scan(range, start, Some(left), MAX_PAGE, filter).await?;
            self.check_migrated(&items).await?;
            examined = examined.saturating_add(items.len());
            start = items.last().map(|item| range.position_of(item).item());
            let mut is_readable = true;
            for item in items {
                if page_of.rows.len() == page.limit {
                    return Ok(page_of);
                }
                let position = range.position_of(&item);
                if let Some(row) = read(item)? {
                    page_of.rows.push((position, row));
                } else {
                    page_of.unreadable = page_of.unreadable.saturating_add(1);
                    is_readable = false;
                }
            }
            if ended {
                return Ok(Placed { more: false, ..page_of });
            }
            let is_full = page_of.rows.len() >= page.limit;
            let is_short = is_readable || examined >= MAX_EXAMINED;
            if is_full || is_short && !page_of.rows.is_empty() {
                return Ok(page_of);
            }
            if is_short {
                return Err(Error::TooMuchHistory);
            }
        }
    }

    /// The entities of a page and the one after it, with their positions.
    pub(crate) async fn rows<T: Row>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Vec<(Position, T)>, Error> {
        let limit = page.limit.saturating_add(1);
        let all = Condition::default();
        let scanned = self.scan(range, page.start(), Some(limit), MAX_WHOLE, &all).await?;
        self.check_migrated(&scanned.items).await?;
        range.placed(scanned.items)
    }

    /// The entities of a whole range.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`] if it has more than [`MAX_WHOLE`] bytes.
    pub(crate) async fn all<T: Row>(&self, range: &Range) -> Result<Vec<T>, Error> {
        self.filtered(range, &Condition::default()).await
    }

    /// The entities of a whole range that fulfil a condition. DynamoDB reads the others as well,
    /// but does not send them.
    ///
    /// # Errors
    ///
    /// As [`Db::all`].
    pub(crate) async fn filtered<T: Row>(
        &self,
        range: &Range,
        filter: &Condition,
    ) -> Result<Vec<T>, Error> {
        let items = self.whole(range, filter).await?;
        self.check_migrated(&items).await?;
        items.into_iter().map(entity).collect()
    }

    /// The rows of a whole range that fulfil a condition, by their keys. A v0 row that cannot be
    /// read has no entity.
    pub(crate) async fn all_by_key<T: Row>(
        &self,
        range: &Range,
        filter: &Condition,
    ) -> Result<Vec<(Option<Primary>, Option<T>)>, Error> {
        let items = self.whole(range, filter).await?;
        self.check_migrated(&items).await?;
        let keyed = |item| Ok((Primary::of(&item), readable(item)?));
        items.into_iter().map(keyed).collect()
    }

    /// Like [`Db::filtered`], but leaves out v0 rows that cannot be read.
    pub(crate) async fn filtered_readable<T: Row>(
        &self,
        range: &Range,
        filter: &Condition,
    ) -> Result<Vec<T>, Error> {
        let items = self.whole(range, filter).await?;
        self.check_migrated(&items).await?;
        items.into_iter().filter_map(|item| readable(item).transpose()).collect()
    }

    /// Like [`Db::all`], but leaves out v0 rows that cannot be read.
    pub(crate) async fn all_readable<T: Row>(&self, range: &Range) -> Result<Vec<T>, Error> {
        self.filtered_readable(range, &Condition::default()).await
    }

    async fn whole(&self, range: &Range, filter: &Condition) -> Result<Vec<Item>, Error> {
        let Scanned { items, ended } = self.scan(range, None, None, MAX_WHOLE, filter).await?;
        if ended { Ok(items) } else { Err(Error::TooMuchHistory) }
    }

    /// About `limit` unparsed rows of a range that fulfil a condition, and whether they are the
    /// last ones.
    pub(crate) async fn items(
        &self,
        range: &Range,
        page: &Page,
        filter: &Condition,
    ) -> Result<(Vec<Item>, bool), Error> {
        let Scanned { items, ended } =
            self.scan(range, page.start(), Some(page.limit), MAX_PAGE, filter).await?;
        Ok((items, ended))
    }

    /// Up to `limit` rows after `start` that pass the filter. No further request is sent once they
    /// have `bytes` bytes.
    async fn scan(
        &self,
        range: &Range,
        start: Option<Item>,
        limit: Option<usize>,
        bytes: usize,
        filter: &Condition,
    ) -> Result<Scanned, Error> {
        let mut items = Vec::new();
        let mut after = start;
        let mut size = 0_usize;
        loop {
            // DynamoDB counts rows that do not pass the filter, too.
            let least = if filter.is_empty() { 0 } else { EXAMINED_AT_ONCE };
            let left = limit.map(|limit| limit.saturating_sub(items.len()).max(least));
            let query = Query { range, filter, limit: left, after };
            let Found { items: read, next, .. } = self.requests.query(query).await?;
            size = read.iter().map(row::size).fold(size, usize::saturating_add);
            items.extend(read);
            after = next;
            let ended = after.is_none();
            if ended || size >= bytes || limit.is_some_and(|limit| items.len() >= limit) {
                return Ok(Scanned { items, ended });
            }
        }
    }
}
