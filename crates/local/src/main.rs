//! `fracti-local`: the local server.

mod chat;
mod demo;

use std::{
    fs,
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
    pin::pin,
    process::ExitCode,
    time::Duration,
};

use axum::Router;
use clap::{Parser, Subcommand};
use fracti_core::{
    caller::telegram::{self, User},
    values::{chat_id::ChatId, id::UserId},
};
use fracti_http::{App, Quotas, service};
use fracti_local::{
    Engine, cors, data, docs, queued, reachable, routes, schema::Schema, sign_event,
};
use fracti_runtime::{BotToken, Clock, Settings, dynamodb_at, local_dynamodb};
use fracti_store::Table;
use tokio::{net::TcpListener, sync::watch};
use tracing_subscriber::{filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

/// Bot token of a server without a bot. It is public, so anyone who reaches the server can sign in.
const DEMO_TOKEN: &str = "0:fracti-local";

/// Time that running requests have to finish when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time that counting a request may take before it is served uncounted.
const COUNTING_TIMEOUT: Duration = Duration::from_secs(5);

/// The variables that the server reads, for its help.
const ENVIRONMENT: &str = "\
Environment:
  TELEGRAM_BOT_TOKEN         Token of the bot, which signs init data [default: a public demo token]
  TABLE_NAME                 Name of the table [default: FractiTable]
  INIT_DATA_MAX_AGE_SECONDS  For how long init data is valid [default: 86400]
  DAILY_READS, DAILY_WRITES  Quotas, without the options of these names [default: 0, for any number]
  OPERATOR_IDS               Users who hold the money of funds [default: none; Dave with --demo]
  BOT_USERNAME               Username of the bot, for links that open the Mini App
  TELEGRAM_API_URL           Bot API in which changes are told [default: none]
  TELLING                    Whether changes are told: on or off [default: on with TELEGRAM_API_URL]
  USAGE_SAMPLE               Without effect: a local server counts every request

With --dynamodb-endpoint also AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE, and the
other variables of the AWS SDK";

/// Serve the Fracti API over an embedded DynamoDB.
#[derive(Debug, Parser)]
#[command(version, after_help = ENVIRONMENT)]
struct Options {
    /// Address to listen on, for both ports. Use 0.0.0.0 to allow phones and containers.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::from(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Port of the API; 0 chooses a free one.
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Port of the embedded DynamoDB, for the AWS CLI or NoSQL Workbench; 0 chooses a free one.
    #[arg(long, default_value_t = 8000, conflicts_with = "dynamodb_endpoint")]
    dynamodb_port: u16,
    /// File to keep the data in. Without it the data is lost when the server stops.
    #[arg(long, value_name = "FILE", conflicts_with = "dynamodb_endpoint")]
    data: Option<PathBuf>,
    /// URL of a DynamoDB to use instead of the embedded one.
    #[arg(long, value_name = "URL")]
    dynamodb_endpoint: Option<String>,
    /// Reads (GET and HEAD) that a user may make on a UTC day, all of which are counted; 0 for any
    /// number. Default: `DAILY_READS`.
    #[arg(long, value_name = "NUMBER")]
    daily_reads: Option<u32>,
    /// Writes that a user may make on a UTC day, likewise. Default: `DAILY_WRITES`.
    #[arg(long, value_name = "NUMBER")]
    daily_writes: Option<u32>,
    /// Seconds between two runs of the keeper, which does what is due without a request; 0 for
    /// never.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    keeper_seconds: u64,
    /// Start a Bot API that stands in for Telegram, with a chat of the four friends of the demo,
    /// and print how to write to the bot.
    #[arg(long, conflicts_with = "data")]
    fake_telegram: bool,
    /// Port of this Bot API; 0 chooses a free one.
    #[arg(long, default_value_t = 8081, requires = "fake_telegram")]
    telegram_port: u16,
    /// Create a demo group with four members, and print how to call the API as each of them.
    #[arg(long)]
    demo: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a sample event with fresh init data, because the init data in the file has expired.
    SignEvent {
        /// Event file, like events/get-group.json.
        file: PathBuf,
        /// Group to use instead of the one in the file.
        #[arg(long, value_name = "ID")]
        group: Option<String>,
    },
    /// Print init data of a user, signed with `TELEGRAM_BOT_TOKEN` as Telegram does, with which a
    /// bot or a script calls the API as that user.
    Sign {
        /// Telegram id of the user.
        #[arg(long, value_name = "ID")]
        user: UserId,
        /// Name of the user.
        #[arg(long)]
        name: String,
        /// Telegram username of the user, without @.
        #[arg(long)]
        username: Option<String>,
        /// The `chat_instance` of a chat from which the Mini App is opened.
        #[arg(long, value_name = "ID", allow_hyphen_values = true)]
        chat: Option<ChatId>,
        /// Print a link that opens the Mini App of the local server as the user.
        #[arg(long)]
        link: bool,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    // Standard output has only text to copy; the request log goes to standard error.
    let filter = Targets::new().with_default(tracing_subscriber::filter::LevelFilter::ERROR);
    let filter = filter.with_target("fracti_http", tracing_subscriber::filter::LevelFilter::INFO);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_target(false);
    tracing_subscriber::registry().with(lines).with(filter).init();

    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "fracti-local: {error}");
            ExitCode::FAILURE
        }
    }
}

type Failure = Box<dyn std::error::Error>;

async fn run(options: Options) -> Result<(), Failure> {
    let settings = Settings::from_env()?;
    let token = settings.bot_token.clone().unwrap_or_else(|| BotToken::new(DEMO_TOKEN));
    if let Some(command) = options.command {
        let api = format!("http://{}", reachable(SocketAddr::from((options.host, options.port))));
        writeln!(io::stdout(), "{}", signed(command, &token, &api)?)?;
        return Ok(());
    }
    // Signals are caught before the addresses are printed, because a script may stop the server as
    // soon as it has read them.
    let mut stop = pin!(stop_signal()?);
    let server = tokio::select! {
        server = start(options, settings, token) => server?,
        () = &mut stop => return Ok(()),
    };
    serve(server, stop).await
}

/// A server that listens and is ready to serve.
struct Server {
    listener: TcpListener,
    router: Router,
    /// `None` if DynamoDB is another program.
    engine: Option<Engine>,
    /// The API, and the time between two runs of the keeper; zero for never.
    kept: (App, Duration),
}

/// Starts the server, and prints its addresses.
async fn start(options: Options, settings: Settings, token: BotToken) -> Result<Server, Failure> {
    let listener = listen(options.host, "--port", options.port).await?;
    let api = format!("http://{}", reachable(listener.local_addr()?));

    let schema = Schema::from_template()?;
    let (engine, client) = if let Some(endpoint) = &options.dynamodb_endpoint {
        (None, dynamodb_at(endpoint).await)
    } else {
        let listener = listen(options.host, "--dynamodb-port", options.dynamodb_port).await?;
        if let Some(file) = &options.data {
            data::prepare(file, &schema, &settings.table_name).await?;
        }
        let engine = Engine::start(listener, options.data.as_deref())?;
        let client = local_dynamodb(engine.endpoint());
        (Some(engine), client)
    };
    schema.create(&client, &settings.table_name).await?;

    let mut out = io::stdout();
    writeln!(out, "api {api}")?;
    let endpoint = engine.as_ref().map(Engine::endpoint).or(options.dynamodb_endpoint.as_deref());
    writeln!(out, "dynamodb {}", endpoint.unwrap_or_default())?;
    writeln!(out, "docs {api}/docs")?;
    if options.host.is_unspecified() {
        writeln!(
            out,
            "Other machines and containers reach both ports at the address of this machine."
        )?;
    }
    if token.expose() == DEMO_TOKEN {
        writeln!(
            out,
            "TELEGRAM_BOT_TOKEN is not set: init data is signed with the public demo token \
             {DEMO_TOKEN}"
        )?;
    }

    let table = Table::new(client, settings.table_name);
    let quotas = Quotas {
        reads: options.daily_reads.map_or(settings.daily_reads, NonZeroU32::new),
        writes: options.daily_writes.map_or(settings.daily_writes, NonZeroU32::new),
        sample: NonZeroU32::MIN,
        timeout: COUNTING_TIMEOUT,
    };
    // Dave is the operator of the demo.
    let demo = options.demo && settings.operators.is_empty();
    let operators = if demo { vec![demo::OPERATOR.parse()?] } else { settings.operators };
    let app = App::new(table, token, settings.init_data_max_age);
    let bot_username = settings.bot_username.map(Into::into);
    let app = App { quotas, operators: operators.into(), bot_username, ..app };
    let app = if options.fake_telegram {
        let listener =
            listen(IpAddr::from(Ipv4Addr::LOCALHOST), "--telegram-port", options.telegram_port)
                .await?;
        chat::start(app, listener, &api, &mut out).await?
    } else if let Some(url) = settings.telegram {
        app.telling(url.into())
    } else {
        app
    };
    let router = service(queued(routes()), app.clone());
    if options.demo {
        let app = App { quotas: Quotas::default(), ..app.clone() };
        demo::run(&app, &service(routes(), app.clone()), &api, &mut out).await?;
    }
    out.flush()?;
    let kept = (app, Duration::from_secs(options.keeper_seconds));
    Ok(Server { listener, router, engine, kept })
}

/// The output of a subcommand.
fn signed(command: Command, token: &BotToken, api: &str) -> Result<String, Failure> {
    let now = Clock::system().now();
    match command {
        Command::SignEvent { file, group } => {
            let event = fs::read_to_string(&file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(sign_event(&event, token.expose(), now, group.as_deref())?)
        }
        Command::Sign { user, name, username, chat, link } => {
            let user = User { id: user, name, username, avatar_url: None };
            let init_data = match chat {
                Some(chat) => telegram::sign_in_chat(&user, &chat, token.expose(), now),
                None => telegram::sign(&user, token.expose(), now),
            };
            Ok(if link { demo::page_link(api, &init_data) } else { init_data })
        }
    }
}

async fn listen(host: IpAddr, option: &str, port: u16) -> Result<TcpListener, String> {
    let address = SocketAddr::from((host, port));
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} is already in use; choose another one with {option}")
        }
        _ => format!("cannot listen on {address}: {error}"),
    })
}

/// Serves until `stop`, then waits for running requests.
async fn serve(server: Server, stop: impl Future<Output = ()>) -> Result<(), Failure> {
    let (stopping, mut stopped) = watch::channel(());
    let router = server.router.merge(docs()).layer(cors()?);
    let running = axum::serve(server.listener, router).with_graceful_shutdown(async move {
        let _ = stopped.changed().await;
    });
    let finish = async {
        running.await?;
        if let Some(engine) = server.engine {
            engine.stop().await;
        }
        Ok(())
    };
    let (app, pause) = server.kept;
    let keeping = async move {
        while !pause.is_zero() {
            tokio::time::sleep(pause).await;
            // It has logged what failed, and runs again.
            let _ = fracti_keeper::keep(&app.table, &app.clock, app.teller().as_ref()).await;
        }
        std::future::pending::<()>().await;
    };
    let deadline = async {
        stop.await;
        let _ = stopping.send(());
        tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        finished = finish => finished,
        () = keeping => Ok(()),
        () = deadline => Ok(()),
    }
}

/// Completes at the first Ctrl-C or, on Unix, termination signal. From the call on, these signals
/// no longer end the program.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut ctrl_c = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        ctrl_c.recv().await;
    })
}
