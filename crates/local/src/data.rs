//! The data file of the local server, which is made whole or not at all.
//!
//! A new file is made beside its place, with its table and its indexes, is checked, and then gets
//! its name. So a server that is killed in its first start, or finds the disk full, leaves no file
//! of this name. What a killed one leaves is removed by the next first start.

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
    let of_file = |error| DataError::File(file.to_owned(), error);
    remove_parts(file).map_err(of_file)?;
    let part = DataPart::create(file).map_err(of_file)?;
    let made = make_at(&part.data(), file, schema, name).await;
    let removed = part.remove();
    made.and_then(|()| removed.map_err(of_file))
}

async fn make_at(part: &Path, file: &Path, schema: &Schema, name: &str) -> Result<(), DataError> {
    let of_file = |error| DataError::File(file.to_owned(), error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(of_file)?;
    let engine = Engine::start(listener, Some(part))?;
    let created = schema.create(&local_dynamodb(engine.endpoint()), name).await;
    engine.stop().await;
    created?;
    complete(part).map_err(of_file)?;
    fs::File::open(part).and_then(|part| part.sync_all()).map_err(of_file)?;
    // A link, unlike a new name, replaces no file that another server has made meanwhile.
    match fs::hard_link(part, file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => fs::rename(part, file),
        Ok(()) => Ok(()),
    }
    .map_err(of_file)
}

/// Moves the log of writes into the file, and checks that the file is whole. The engine does the
/// former when it stops, but does not say whether the disk had room for it.
fn complete(part: &Path) -> io::Result<()> {
    let failed = |error: rusqlite::Error| io::Error::other(error);
    let database = Connection::open_with_flags(part, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let database = database.map_err(failed)?;
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy =
        database.query_row(checkpoint, [], |row| row.get::<_, bool>(0)).map_err(failed)?;
    let found: String =
        database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(failed)?;
    let size = database.query_row("PRAGMA page_count", [], |row| row.get::<_, u64>(0));
    let pages = size.map_err(failed)?;
    let page = database.query_row("PRAGMA page_size", [], |row| row.get::<_, u64>(0));
    let bytes = pages.saturating_mul(page.map_err(failed)?);
    drop(database);
    let is_whole = !is_busy && found == "ok" && fs::metadata(part)?.len() >= bytes;
    if is_whole { Ok(()) } else { Err(io::Error::other("the file could not be written whole")) }
}

/// A directory beside a data file in which the file is made. It is locked while its server lives.
struct DataPart {
    directory: PathBuf,
    _lock: fs::File,
}

/// Ending of the names of directories in which files are made.
const PART: &str = ".part";

/// Name of the file that is locked.
const LOCK: &str = "lock";

impl DataPart {
    fn create(file: &Path) -> io::Result<Self> {
        let mut directory = file.as_os_str().to_owned();
        directory.push(format!(".{}{PART}", std::process::id()));
        let directory = PathBuf::from(directory);
        fs::create_dir(&directory)?;
        let lock = fs::File::create(directory.join(LOCK))?;
        lock.lock()?;
        Ok(Self { directory, _lock: lock })
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    fn remove(self) -> io::Result<()> {
        fs::remove_dir_all(self.directory)
    }
}

/// Removes what servers that were killed in their first start have left of a data file.
fn remove_parts(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for found in fs::read_dir(folder.unwrap_or_else(|| Path::new(".")))? {
        let part = found?.path();
        let is_part = part.file_name().and_then(|it| it.to_str()).is_some_and(|it| {
            let id = it.strip_prefix(&*name).and_then(|rest| rest.strip_suffix(PART));
            let id = id.and_then(|id| id.strip_prefix('.'));
            id.is_some_and(|id| id.bytes().all(|it| it.is_ascii_digit()))
        });
        if !is_part || !part.is_dir() {
            continue;
        }
        // Without the file, its server was killed before it could lock it.
        match fs::File::open(part.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_err() => {}
            Ok(_) => fs::remove_dir_all(&part)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_dir(&part)),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
