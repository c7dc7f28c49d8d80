//! A client's input before it is checked.
//!
//! One mistake does not hide another: each rule is checked if the fields that it needs are valid,
//! and all broken rules are reported together, in the order of the fields.

pub(crate) mod error;
pub(crate) mod field;
pub mod fund_error;
pub(crate) mod limit;
pub mod limits;
pub(crate) mod numbers;
pub mod question_error;

pub use error::{Cause, Error, FailureKind, Unsettled};
pub use field::{Field, FieldError, FieldErrors, MAX_REPORTED, Path, PathStep, Unreadable};
pub use limit::Limit;

/// The fields of a request and the rules that they break so far, or that the request cannot be
/// read.
///
/// The fields are used through [`Draft::open`], so that no mistake of a client is overlooked.
#[derive(Clone, Debug)]
pub struct Draft<T>(Result<(Field<T>, FieldErrors), Unreadable>);

impl FieldErrors {
    /// The checked value, if no rule is broken.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the rules that are broken; if none is, [`Error::TooManyShares`] if
    /// the expense would have too many shares.
    pub fn finish<T>(self, checked: Option<T>) -> Result<T, Error> {
        match (checked, self.shares_beyond_limit()) {
            _ if !self.is_empty() => Err(Error::Invalid(self)),
            (_, Some(shares)) => Err(Error::TooManyShares(shares)),
            (Some(checked), None) => Ok(checked),
            (None, None) => Err(Error::Internal("an invalid field was not reported")),
        }
    }
}

impl<T> Draft<T> {
    /// A request with these fields, and the rules that it breaks so far.
    #[must_use]
    pub const fn new(fields: Field<T>, errors: FieldErrors) -> Self {
        Self(Ok((fields, errors)))
    }

    /// A request that breaks no rule so far.
    #[must_use]
    pub fn valid(fields: T) -> Self {
        Self::new(Field::Value(fields), FieldErrors::default())
    }

    /// A request that cannot be read.
    #[must_use]
    pub const fn unreadable(reason: Unreadable) -> Self {
        Self(Err(reason))
    }

    /// The fields as far as they can be read, for a check that comes before the request's own
    /// rules.
    pub fn fields(&self) -> Option<&T> {
        self.0.as_ref().ok().and_then(|(fields, _)| fields.value())
    }

    /// The fields, to change them before they are checked.
    pub(crate) fn fields_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut().ok().and_then(|(fields, _)| fields.value_mut())
    }

    /// The fields, and the rules that they break so far: [`FieldErrors::finish`] ends the check.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`]; [`Error::Invalid`] if the request as a whole has the wrong form.
    pub fn open(&self) -> Result<(&T, FieldErrors), Error> {
        let (fields, errors) = self.0.as_ref().map_err(|reason| Error::from(reason.clone()))?;
        match fields.value() {
            Some(fields) => Ok((fields, errors.clone())),
            None => Err(Error::Invalid(errors.clone())),
        }
    }

    /// The fields of a request that has no rules of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`], or [`Error::Invalid`] with the rules that are broken.
    pub fn checked(&self) -> Result<&T, Error> {
        let (fields, errors) = self.open()?;
        errors.finish(Some(fields))
    }
}

impl<T> Draft<Field<T>> {
    /// The value of a request that consists of one field.
    ///
    /// # Errors
    ///
    /// As [`Draft::checked`].
    pub fn required(&self) -> Result<&T, Error> {
        let (field, errors) = self.open()?;
        errors.finish(field.value())
    }
}
