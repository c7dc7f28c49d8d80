//! Updates of one row outside of any transaction.

use aws_sdk_dynamodb::types::{ReturnConsumedCapacity::Total, ReturnValue};
use fracti_core::{input::Error, storage::row::Item};

use super::{
    client::{Db, failure, from_sdk},
    cost,
    expression::Expression,
    write::Write,
};

impl Db {
    /// Updates one row and returns the new values of the updated attributes; `None` if it does not
    /// fulfil `condition`.
    ///
    /// It does not wait for the admission of the request, because the admission itself updates
    /// rows. Unlike a transaction, a repeated attempt whose response was lost applies it again.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the write is not an update; the errors of the table.
    pub(crate) async fn update(
        &self,
        write: Write,
        condition: Expression,
    ) -> Result<Option<Item>, Error> {
        let action = write.when(condition).into_action(&self.table)?;
        let not_an_update = || Error::Internal("only an update is sent without a transaction");
        let update = action.update.ok_or_else(not_an_update)?;
        let request = self
            .client
            .update_item()
            .table_name(update.table_name)
            .set_key(Some(update.key))
            .update_expression(update.update_expression)
            .set_condition_expression(update.condition_expression)
            .set_expression_attribute_names(update.expression_attribute_names)
            .set_expression_attribute_values(update.expression_attribute_values)
            .return_values(ReturnValue::UpdatedNew)
            .return_consumed_capacity(Total);
        match cost::request(Box::pin(request.send())).await {
            Ok(output) => {
                cost::written(&output.consumed_capacity);
                Ok(Some(output.attributes.map(from_sdk).unwrap_or_default()))
            }
            Err(error) => match error.as_service_error() {
                Some(refusal) if refusal.is_conditional_check_failed_exception() => Ok(None),
                _ => Err(failure(error)),
            },
        }
    }
}
