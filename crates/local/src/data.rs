//! The data file of the local server, which is made whole or not at all.
//!
//! A new file is made beside its place, with its table and its indexes, and then gets its name. So a
//! server that is killed in its first start, or finds the disk full, leaves no file of this name.

use std::{
    fs, io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

use fracti_runtime::local_dynamodb;
use rusqlite::{Connection, OpenFlags};
use tokio::net::TcpListener;

use crate::{
    engine::{Engine, EngineError},
    schema::{Schema, SchemaError},
};

/// Error returned when there is no data file, and none can be made.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file is of another program, or was damaged.
    #[error("{0} is no data file of fracti-local; it is left as it is, choose another name: {1}")]
    Other(PathBuf, String),
    /// The file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
    /// The engine does not start on the new file.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The table cannot be created.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// Makes the data file if there is none or an empty one, with the table `name`, or else checks that
/// it is one. A file of another program is not changed.
///
/// # Errors
///
/// [`DataError`].
pub async fn prepare(file: &Path, schema: &Schema, name: &str) -> Result<(), DataError> {
    let of_file = |error| DataError::File(file.to_owned(), error);
    match fs::metadata(file) {
        Ok(found) if !found.is_file() => {
            Err(DataError::Other(file.to_owned(), "it is no regular file".to_owned()))
        }
        Ok(found) if found.len() > 0 => check(file),
        Ok(_) => {
            fs::remove_file(file).map_err(of_file)?;
            make(file, schema, name).await
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(file, schema, name).await,
        Err(error) => Err(of_file(error)),
    }
}

/// Checks that the engine has made a file.
fn check(file: &Path) -> Result<(), DataError> {
    let tables = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let query = "SELECT count(*) FROM sqlite_master WHERE name IN ('_config', '_tables')";
    let tables = tables.and_then(|it| it.query_row(query, [], |row| row.get::<_, u32>(0)));
    match tables {
        Ok(2) => Ok(()),
        Ok(_) => Err(DataError::Other(file.to_owned(), "it has other tables".to_owned())),
        Err(error) => Err(DataError::Other(file.to_owned(), error.to_string())),
    }
}

async fn make(file: &Path, schema: &Schema, name: &str) -> Result<(), DataError> {
    let beside = |suffix: &str| {
        let mut path = file.as_os_str().to_owned();
        path.push(format!(".{}.part{suffix}", std::process::id()));
        PathBuf::from(path)
    };
    let part = beside("");
    let made = make_at(&part, file, schema, name).await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(beside(suffix));
    }
    made
}

async fn make_at(part: &Path, file: &Path, schema: &Schema, name: &str) -> Result<(), DataError> {
    let of_file = |error| DataError::File(file.to_owned(), error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(of_file)?;
    let engine = Engine::start(listener, Some(part))?;
    let created = schema.create(&local_dynamodb(engine.endpoint()), name).await;
    // The last connection that closes moves the log of writes into the file.
    engine.stop().await;
    created?;
    fs::File::open(part).and_then(|part| part.sync_all()).map_err(of_file)?;
    // A link, unlike a new name, replaces no file that another server has made meanwhile.
    match fs::hard_link(part, file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => fs::rename(part, file),
        Ok(()) => Ok(()),
    }
    .map_err(of_file)
}
