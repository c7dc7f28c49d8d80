//! The state file: the progress of each segment of the table.

use std::{
    fs,
    io::{self, Write},
    num::NonZeroU16,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fracti_store::{Position, Segment};
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    file::{NewFile, is_device},
};

/// The progress of a run, in memory and, if there is one, in a file.
pub(super) struct RunState {
    file: Option<PathBuf>,
    table: String,
    segments: Mutex<Vec<SegmentProgress>>,
}

/// The progress of the scan of a segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SegmentProgress {
    /// Position after which rows are still to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<Position>,
    /// Whether all rows are read.
    pub(super) done: bool,
}

/// The state file.
#[derive(Serialize, Deserialize)]
struct StateFile<T, S> {
    table: T,
    segments: S,
}

impl RunState {
    /// The state in the file, or that of a new run on the table with this name.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] or [`Failure::State`] if the file cannot be read;
    /// [`Failure::OtherTable`].
    pub(super) fn open(
        file: Option<PathBuf>,
        table: &str,
        segments: NonZeroU16,
    ) -> Result<Self, Failure> {
        let new = || vec![SegmentProgress::default(); segments.get().into()];
        let segments = match &file {
            Some(path) if is_device(path) => return Err(Failure::State(path.clone())),
            Some(path) => match fs::read(path) {
                Ok(bytes) => read(path, table, &bytes)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => new(),
                Err(error) => return Err(Failure::Input(path.clone(), error)),
            },
            None => new(),
        };
        Ok(Self { file, table: table.to_owned(), segments: Mutex::new(segments) })
    }

    /// Number of segments.
    pub(super) fn count(&self) -> usize {
        self.with(|segments| segments.len())
    }

    /// A segment, and its progress.
    pub(super) fn of(&self, number: usize) -> (Segment, SegmentProgress) {
        self.with(|segments| {
            let int = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
            let segment = Segment { number: int(number), count: int(segments.len()) };
            (segment, segments.get(number).cloned().unwrap_or_default())
        })
    }

    /// Saves the progress of a segment. The file is replaced as a whole.
    ///
    /// # Errors
    ///
    /// [`Failure::Output`] if it cannot be written.
    pub(super) fn note(&self, number: usize, progress: SegmentProgress) -> Result<(), Failure> {
        self.with(|segments| {
            if let Some(segment) = segments.get_mut(number) {
                *segment = progress;
            }
            let Some(path) = &self.file else { return Ok(()) };
            let stored = StateFile { table: &self.table, segments };
            let json = serde_json::to_vec(&stored).map_err(io::Error::from)?;
            let mut file = NewFile::create(path)?;
            file.write_all(&json).map_err(|error| file.failed(error))?;
            file.finish()
        })
    }

    /// Deletes the file: the run is complete.
    ///
    /// # Errors
    ///
    /// [`Failure::Output`] if it cannot be deleted.
    pub(super) fn delete(self) -> Result<(), Failure> {
        match self.file.map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            Some(_) | None => Ok(()),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<SegmentProgress>) -> T) -> T {
        work(&mut self.segments.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(path: &Path, table: &str, bytes: &[u8]) -> Result<Vec<SegmentProgress>, Failure> {
    let stored: Option<StateFile<String, Vec<SegmentProgress>>> =
        serde_json::from_slice(bytes).ok();
    let stored = stored.filter(|stored| !stored.segments.is_empty());
    let stored = stored.ok_or_else(|| Failure::State(path.to_owned()))?;
    if stored.table != table {
        return Err(Failure::OtherTable(path.to_owned(), stored.table));
    }
    Ok(stored.segments)
}
