//! The dependencies of a request.

use std::{sync::Arc, time::Duration};

use aws_sdk_dynamodb::Client;
use fracti_chat::{BotApi, Teller};
use fracti_core::{
    caller::token::ApiToken,
    decisions::telling::Telling,
    group::InvitationCode,
    input::{Error, fund_error::FundError},
    values::{id::UserId, request_context::RequestContext},
};
use fracti_runtime::{BotToken, Clock, ConfigError, Random, Settings, aws_config};
use fracti_store::Table;
use fracti_texts::message;

use crate::{
    caller::{context::Context, quotas::Quotas, token_cache::TokenCache},
    response::problem::{Code, Problem},
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
    /// The Bot API, in the function that calls it, if changes are told in Telegram.
    pub bot_api: Option<BotApi>,
    /// Address of the Bot API, if changes are told in Telegram.
    pub telegram: Option<Arc<str>>,
}

impl App {
    /// Creates the application from [`Settings::from_env`] and the variables of the AWS SDKs, such
    /// as `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_CA_BUNDLE`, and opens a connection to the table;
    /// several while it waits for the secret.
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
            let mut token = Box::pin(token);
            let mut first = Box::pin(table.connect());
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
        let telegram = settings.telegram.clone().map(Arc::from);
        let telling = if telegram.is_some() { Telling::On } else { Telling::Off };
        let app = Self::new(table.telling(telling), token?, settings.init_data_max_age);
        let unlimited = Quotas::default();
        let quotas = Quotas {
            reads: settings.daily_reads,
            writes: settings.daily_writes,
            sample: settings.usage_sample.unwrap_or(unlimited.sample),
            ..unlimited
        };
        let bot_username = settings.bot_username.map(Arc::from);
        let operators = settings.operators.into();
        Ok(Self { quotas, operators, bot_username, telegram, ..app })
    }

    /// The application that tells changes by the Bot API at `url`.
    #[must_use]
    pub fn telling(self, url: Arc<str>) -> Self {
        let table = self.table.telling(Telling::On);
        Self { telegram: Some(url), table, ..self }.with_bot_api()
    }

    /// The application that calls the Bot API, if changes are told in Telegram.
    #[must_use]
    pub fn with_bot_api(self) -> Self {
        let bot_api = self.telegram.as_deref().map(|url| BotApi::new(url, &self.bot_token));
        Self { bot_api, ..self }
    }

    /// Sender of messages about changes in Telegram, if there is a Bot API.
    #[must_use]
    pub fn teller(&self) -> Option<Teller> {
        Some(Teller::new(self.bot_api.clone()?, self.bot_username.clone()))
    }

    /// Id of the bot, with which its token begins.
    #[must_use]
    pub fn bot_id(&self) -> &str {
        self.bot_token.expose().split(':').next().unwrap_or_default()
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
            bot_api: None,
            telegram: None,
        }
    }

    /// Time of a request, with random bytes for the ids that it creates.
    #[must_use]
    pub fn request_context(&self, context: &Context) -> RequestContext {
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

    /// Checks that changes are told in Telegram.
    ///
    /// # Errors
    ///
    /// `MESSAGES_DISABLED`.
    pub fn require_telling(&self) -> Result<(), Problem> {
        if self.telegram.is_none() {
            return Err(Problem::new(
                Code::MessagesDisabled,
                message!(
                    "this deployment sends no messages in Telegram",
                    "здесь сообщения в Telegram не отправляются"
                ),
            ));
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
