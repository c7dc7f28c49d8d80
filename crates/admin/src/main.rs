//! `fracti-admin`: the operators' tool.

use std::{
    env,
    io::{self, Write},
    num::NonZeroU32,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use fracti_admin::{
    Admin, DeleteOptions, Export, ExportOptions, Failure, FundsCommand, ImportInto, MigrateOptions,
    Outcome, RepairOptions, set_webhook,
};
use fracti_core::values::id::{GroupId, UserId};
use fracti_runtime::{
    BotToken, Clock, ConfigError, Settings, TELEGRAM, aws_config, dynamodb, dynamodb_at,
    with_causes,
};
use fracti_store::Table;

/// The variables that the tool reads, for its help.
const ENVIRONMENT: &str = "\
Environment, as for the AWS CLI:
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN    Credentials
  AWS_PROFILE, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE      Profile with credentials and region
  AWS_REGION, AWS_DEFAULT_REGION                                 Region of the table
  AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL                    URL of the DynamoDB, without --endpoint

Other variables of the AWS SDK have an effect, too. Of those of the API, these are read:
  TABLE_NAME                                                     Name of the table, without --table
  OPERATOR_IDS                                                   Telegram ids of the operators, for
                                                                 `funds`
  TELEGRAM_BOT_TOKEN, TELEGRAM_BOT_TOKEN_SECRET                  Token of the bot or its secret, for
                                                                 `webhook`";

/// Check and maintain the table of a Fracti, while it is in use, and read and write export files.
///
/// Credentials and region come from the environment, the AWS profile or the machine's role, as for
/// the AWS CLI.
#[derive(Debug, Parser)]
#[command(version, after_help = ENVIRONMENT)]
struct Options {
    /// Name of the table. Without it, the variable `TABLE_NAME`.
    #[arg(long, value_name = "NAME", global = true)]
    table: Option<String>,
    /// URL of the DynamoDB, if it is not that of the AWS region.
    #[arg(long, value_name = "URL", global = true)]
    endpoint: Option<String>,
    /// Capacity units that are consumed per second, on average. Without it, there is no limit.
    #[arg(long, value_name = "UNITS", global = true)]
    rate: Option<NonZeroU32>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compute every row of groups that follows from others again, and report each one that is
    /// missing or differs: balances, past balances, participants, payers, tallies, used transaction
    /// hashes, links and numbers of members, and the attributes of the indexes.
    Verify {
        #[command(flatten)]
        groups: Groups,
    },
    /// Compare the funds of users with their transactions, payments with their other sides, and the
    /// sums over all users with both, and report what differs.
    VerifyFunds {
        /// Only the funds of this user. The sums over all users are not verified.
        #[arg(long, value_name = "ID")]
        user: Option<UserId>,
    },
    /// List, complete or take back top-ups and cash-outs that wait for an operator.
    Funds {
        #[command(subcommand)]
        command: FundsCommand,
    },
    /// Say in JSON what the import of another app's export file would do. The table is not used.
    Plan {
        #[command(flatten)]
        export: Export,
    },
    /// Write everything that Fracti knows about a group to a file, as of one moment.
    Export {
        #[command(flatten)]
        options: ExportOptions,
    },
    /// Convert the rows that the TypeScript Fracti wrote to the current format, and record them in
    /// the ledgers of their groups.
    Migrate {
        #[command(flatten)]
        options: MigrateOptions,
    },
    /// Import another app's export file of up to 64 MiB into a group, in the name of a member.
    Import {
        #[command(flatten)]
        export: Export,
        #[command(flatten)]
        into: ImportInto,
        #[command(flatten)]
        changes: Changes,
    },
    /// Rewrite rows of users that are in an earlier format: spendings, summaries and targets.
    Standardise {
        #[command(flatten)]
        changes: Changes,
    },
    /// Give each expense without a date the day of its recording, in UTC, and add it to the totals
    /// of that day.
    DateExpenses {
        #[command(flatten)]
        groups: Groups,
        #[command(flatten)]
        changes: Changes,
    },
    /// Add each expense of earlier groups to the index by day.
    IndexDates {
        #[command(flatten)]
        groups: Groups,
        #[command(flatten)]
        changes: Changes,
    },
    /// Show which rows of groups are missing or wrong and what they should be, and write them with
    /// `--yes`. What does not follow from other rows, such as a lost expense, is only reported.
    Repair {
        #[command(flatten)]
        options: RepairOptions,
    },
    /// Move the rows of the TypeScript Fracti that cannot be read, and that `verify` names, out of
    /// a group. They are kept whole, and can be put back.
    SetAside {
        /// The group.
        #[arg(long, value_name = "ID")]
        group: GroupId,
        /// Only the row with this sort key, such as `TX#2024-01-20T18:30:00.000Z`. May be repeated.
        #[arg(long, value_name = "SK")]
        row: Vec<String>,
        #[command(flatten)]
        changes: Changes,
    },
    /// Delete all rows of a group that its creator has deleted, with `--yes`. What belongs to users
    /// stays: their funds, their tokens, and the transaction hashes that they have used.
    DeleteGroup {
        #[command(flatten)]
        options: DeleteOptions,
    },
    /// Tell Telegram where the updates of the bot go, with the secret of its token, and set the
    /// bot's commands: after the first deployment with `Telling` on, and after each new token.
    Webhook {
        /// URL of the API, as in the output `ApiUrl` of the stack.
        #[arg(long, value_name = "URL")]
        url: String,
    },
}

#[derive(Debug, Args)]
struct Groups {
    /// Only this group, instead of all.
    #[arg(long, value_name = "ID")]
    group: Option<GroupId>,
}

#[derive(Debug, Args)]
struct Changes {
    /// Write nothing, and report what would be written.
    #[arg(long)]
    dry_run: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    // Boxed, because the futures of the commands are large.
    match Box::pin(run(Options::parse())).await {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::FAILURE,
        Ok(Outcome::Unfinished) => ExitCode::from(2),
        Err(error) => {
            let _ = writeln!(io::stderr(), "fracti-admin: {}", with_causes(&error));
            ExitCode::from(2)
        }
    }
}

async fn run(options: Options) -> Result<Outcome, Failure> {
    let Options { table, endpoint, rate, command } = options;
    let admin = async || {
        // A name that was guessed could be that of another table.
        let table = table.clone().or_else(|| env::var("TABLE_NAME").ok());
        let table = table.filter(|name| !name.is_empty()).ok_or(Failure::NoTable)?;
        let client = match &endpoint {
            Some(endpoint) => dynamodb_at(endpoint).await,
            None => dynamodb().await,
        };
        Ok::<_, Failure>(Admin::new(Table::new(client, table), rate))
    };
    let out = &mut io::stdout();
    match command {
        Command::Verify { groups } => admin().await?.verify(groups.group, out).await,
        Command::VerifyFunds { user } => admin().await?.verify_funds(user, out).await,
        Command::Funds { command } => {
            let operators = Settings::from_env()?.operators;
            admin().await?.funds(&command, &operators, out).await
        }
        Command::Repair { options } => admin().await?.repair(&options, out).await,
        Command::Migrate { options } => admin().await?.migrate(&options, out).await,
        Command::Standardise { changes } => admin().await?.standardise(changes.dry_run, out).await,
        Command::DateExpenses { groups, changes } => {
            admin().await?.date_expenses(groups.group, changes.dry_run, out).await
        }
        Command::IndexDates { groups, changes } => {
            admin().await?.index_dates(groups.group, changes.dry_run, out).await
        }
        Command::SetAside { group, row, changes } => {
            admin().await?.set_aside(group, &row, changes.dry_run, out).await
        }
        Command::DeleteGroup { options } => admin().await?.delete_group(options, out).await,
        Command::Export { options } => admin().await?.export(&options, out).await,
        Command::Import { export, into, changes } => {
            admin().await?.import(&export, &into, changes.dry_run, out).await
        }
        Command::Webhook { url } => {
            let settings = Settings::from_env()?;
            let bot_api = settings.telegram.unwrap_or_else(|| TELEGRAM.to_owned());
            let token = match (settings.bot_token, settings.bot_token_secret) {
                (Some(token), _) => token,
                (None, Some(secret)) => BotToken::from_secret(&aws_config().await?, secret).await?,
                (None, None) => return Err(ConfigError::Missing("TELEGRAM_BOT_TOKEN").into()),
            };
            set_webhook(&bot_api, &token, &url, out).await
        }
        Command::Plan { export } => export.plan(Clock::system().now().day(), out),
    }
}
