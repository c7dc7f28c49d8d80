//! The files that commands write. A file gets its name once it is whole.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, TempPath};

use crate::Failure;

/// Ending of the names of files that are not whole yet.
const PART: &str = ".part";

/// A file that is being written. A device or a pipe is written to as it is.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: BufWriter<File>,
    path: PathBuf,
    part: PartWritten,
}

/// Place of a file until it is whole.
#[derive(Debug)]
enum PartWritten {
    /// In a file of its own, which is deleted if the command fails.
    Own(TempPath),
    /// In a file that stays if the command is stopped, for the next run.
    Kept(PathBuf),
    /// At its place.
    Device,
}

impl NewFile {
    /// Begins a file. What killed commands have left of it is removed.
    ///
    /// # Errors
    ///
    /// [`Failure::File`].
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::File(path.to_owned(), error);
        if let Some(device) = device(path).map_err(failed)? {
            return Ok(device);
        }
        let path = target(path);
        let name = path.file_name().unwrap_or_default();
        loop {
            remove_parts(&path).map_err(failed)?;
            let file = Builder::new().prefix(name).suffix(PART).tempfile_in(folder(&path));
            let (file, part) = file.map_err(failed)?.into_parts();
            file.lock().map_err(failed)?;
            // Another command may have taken it for a part that was left.
            if part.exists() {
                return Ok(Self { file: BufWriter::new(file), path, part: PartWritten::Own(part) });
            }
        }
    }

    /// Continues a file that a stopped run has written in part, or begins it. `read` returns
    /// how much of the part stays.
    ///
    /// # Errors
    ///
    /// [`Failure::File`]; [`Failure::Busy`] if another command is writing it.
    pub(crate) fn resume(
        path: &Path,
        read: impl FnOnce(&File) -> io::Result<u64>,
    ) -> Result<Self, Failure> {
        let failed = |error| Failure::File(path.to_owned(), error);
        if let Some(device) = device(path).map_err(failed)? {
            return Ok(device);
        }
        let path = target(path);
        let mut part = path.clone().into_os_string();
        part.push(PART);
        let part = PathBuf::from(part);
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&part).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure::Busy(part)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let end = read(&file).map_err(failed)?;
        file.set_len(end).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self { file: BufWriter::new(file), path, part: PartWritten::Kept(part) })
    }

    /// Makes sure that what was written so far is on the disk.
    ///
    /// # Errors
    ///
    /// [`Failure::File`].
    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        self.file.flush().and_then(|()| self.sync_data()).map_err(|error| self.failed(error))
    }

    /// Gives the file its name. It replaces an earlier one.
    ///
    /// # Errors
    ///
    /// [`Failure::File`].
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.sync()?;
        let Self { path, part, .. } = self;
        let named = match part {
            PartWritten::Device => Ok(()),
            PartWritten::Kept(part) => fs::rename(part, &path),
            PartWritten::Own(part) => part.persist(&path).map_err(|error| error.error),
        };
        named.map_err(|error| Failure::File(path, error))
    }

    /// The failure of a write.
    pub(crate) fn failed(&self, error: io::Error) -> Failure {
        Failure::File(self.path.clone(), error)
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.part {
            // A pipe has nothing to synchronize.
            PartWritten::Device => Ok(()),
            PartWritten::Own(_) | PartWritten::Kept(_) => self.file.get_ref().sync_all(),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether there is something else than a file at a path.
pub(crate) fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

fn device(path: &Path) -> io::Result<Option<NewFile>> {
    if !is_device(path) {
        return Ok(None);
    }
    let file = BufWriter::new(File::options().write(true).open(path)?);
    Ok(Some(NewFile { file, path: path.to_owned(), part: PartWritten::Device }))
}

/// The file to which a link leads, so that the link stays.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Removes the parts of a file that killed commands have left: those that are locked by none.
fn remove_parts(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for found in fs::read_dir(folder(path))? {
        let part = found?.path();
        let is_part = part.file_name().and_then(|it| it.to_str()).is_some_and(|it| {
            let random = it.strip_prefix(&*name).and_then(|rest| rest.strip_suffix(PART));
            random.is_some_and(|it| {
                it.len() == RANDOM && it.bytes().all(|it| it.is_ascii_alphanumeric())
            })
        });
        if !is_part {
            continue;
        }
        if let Ok(file) = File::open(&part)
            && file.try_lock().is_ok()
        {
            // Another command may have removed it at the same time.
            let _ = fs::remove_file(part);
        }
    }
    Ok(())
}

/// Number of random characters in the name of a part.
const RANDOM: usize = 6;
