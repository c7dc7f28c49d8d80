//! The dependencies of a request.

use std::{sync::Arc, time::Duration};

use aws_sdk_dynamodb::Client;
use fracti_core::{
    caller::token::ApiToken,
    funds::fund::FundError,
    group::InvitationCode,
    input::Error,
    values::{id::UserId, request_context::RequestContext},
};
use fracti_runtime::{BotToken, Clock, ConfigError, Random, Settings, aws_config};
use fracti_store::Table;

use crate::{
    caller::{context::Context, quotas::Quotas, token_cache::TokenCache},
    response::problem::Problem,
};

/// Time limit of a request. It leaves 1.5 s of a function's 10 s for the response that the limit
/// was exceeded. Imports have three times as much, of a function's 29 s.
pub const DEADLINE: Duration = Duration::from_millis(8_500);

/// Dependencies of a request. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    /// The DynamoDB table.
    pub table: Table,
    /// Source of the current time.
    pub clock: Clock,
    /// Source of the random bits of ids, API tokens and invitations.
    pub random: Random,
    /// Token that Telegram signs init data with.
    pub bot_token: BotToken,
    /// API tokens that were seen.
    pub tokens: TokenCache,
    /// Maximum age of init data.
    pub init_data_max_age: Duration,
    /// Time limit of a request.
    pub deadline: Duration,
    /// Daily quotas of each user.
    pub quotas: Quotas,
    /// Users who hold the money of funds. Without any, funds are disabled.
    pub operators: Arc<[UserId]>,
    /// Username of the bot, for links that open the Mini App in Telegram.
    pub bot_username: Option<Arc<str>>,
}

impl App {
    /// Creates the application from [`Settings::from_env`] and the variables of the AWS SDKs, such
    /// as `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_CA_BUNDLE`, and opens a connection to the table; several
    /// while it waits for the secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the name of the missing or invalid variable.
    pub async fn from_env() -> Result<Self, ConfigError> {
        let settings = Settings::from_env()?;
        let config = aws_config().await?;
        let table = Table::new(Client::new(&config), settings.table_name);
        let token = async {
            match (settings.bot_token, settings.bot_token_secret) {
                (Some(token), _) => Ok(token),
                (None, Some(secret)) => BotToken::from_secret(&config, secret).await,
                (None, None) => Err(ConfigError::Missing("TELEGRAM_BOT_TOKEN")),
            }
        };
        let token = {
            let (mut token, mut first) = (Box::pin(token), Box::pin(table.connect()));
            tokio::select! {
                token = &mut token => {
                    first.await;
                    token
                }
                () = &mut first => tokio::select! {
                    token = &mut token => token,
                    () = Box::pin(table.connect_more()) => token.await,
                },
            }
        };
        let app = Self::new(table, token?, settings.init_data_max_age);
        let unlimited = Quotas::default();
        let quotas = Quotas {
            reads: settings.daily_reads,
            writes: settings.daily_writes,
            sample: settings.usage_sample.unwrap_or(unlimited.sample),
            ..unlimited
        };
        let bot_username = settings.bot_username.map(Arc::from);
        Ok(Self { quotas, operators: settings.operators.into(), bot_username, ..app })
    }

    /// Creates an application over `table` with the clock and the random bytes of the system.
    #[must_use]
    pub fn new(table: Table, bot_token: BotToken, init_data_max_age: Duration) -> Self {
        Self {
            table,
            clock: Clock::system(),
            random: Random::system(),
            bot_token,
            tokens: TokenCache::default(),
            init_data_max_age,
            deadline: DEADLINE,
            quotas: Quotas::default(),
            operators: Arc::default(),
            bot_username: None,
        }
    }

    /// Time of a request, with random bytes for the ids that it creates.
    pub(crate) fn request_context(&self, context: &Context) -> RequestContext {
        RequestContext { now: context.now, random: self.random.bytes() }
    }

    /// Checks that there is an operator.
    ///
    /// # Errors
    ///
    /// `FUNDS_DISABLED`.
    pub fn require_operators(&self) -> Result<(), Problem> {
        if self.operators.is_empty() {
            return Err(Error::from(FundError::Disabled).into());
        }
        Ok(())
    }

    /// The code of a new invitation.
    #[must_use]
    pub fn new_invitation(&self) -> InvitationCode {
        InvitationCode::new(self.random.bytes())
    }

    /// A new API token.
    #[must_use]
    pub fn new_token(&self) -> ApiToken {
        ApiToken::new(self.random.bytes(), self.bot_token.expose())
    }
}
