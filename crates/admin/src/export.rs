//! `export`: writes a group to a file.

use std::{io::Write, path::PathBuf};

use clap::Args;
use fracti_core::values::id::GroupId;
use fracti_files::export::{ExportFile, FileError, FilePart, Format};

use crate::{Admin, Failure, Outcome, file::NewFile, progress};

/// The group that is exported, and the file.
#[derive(Debug, Args)]
pub struct ExportOptions {
    /// Id of the group.
    #[arg(long, value_name = "ID")]
    pub group: GroupId,
    /// Format of the file: `json`, which loses nothing, or `csv`, for a spreadsheet.
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub format: Format,
    /// File to write. Without it, the export goes to standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl Admin {
    /// Writes the export of a group, with one page at a time in memory. A file gets its final name
    /// when it is complete; until then it has one of its own, and is deleted if the export fails.
    /// Only its owner may read it. A device or a pipe is written to.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or the file cannot be written.
    pub async fn export(
        &mut self,
        options: &ExportOptions,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let ExportOptions { group, format, out: path } = options;
        let Some(path) = path else {
            self.write_export(*group, *format, out).await?;
            return Ok(Outcome::Good);
        };
        let mut file = NewFile::create(path)?;
        match self.write_export(*group, *format, &mut file).await {
            Ok(()) => file.finish()?,
            Err(Failure::Output(error)) => return Err(file.failed(error)),
            Err(failure) => return Err(failure),
        }
        Ok(Outcome::Good)
    }

    async fn write_export(
        &mut self,
        group: GroupId,
        format: Format,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let bar = progress(0, "entries");
        let mut file = ExportFile::new(group, format);
        while let Some(part) = self.part_of(&mut file).await? {
            out.write_all(part.text.as_bytes())?;
            bar.set_length(part.of);
            bar.set_position(part.entries);
        }
        out.flush()?;
        bar.finish_and_clear();
        Ok(())
    }

    /// The next part of a file, once the table answers.
    async fn part_of(&self, file: &mut ExportFile) -> Result<Option<FilePart>, FileError> {
        let mut waiting = self.pace.waiting();
        loop {
            match self.pace.step(Box::pin(file.part(&self.table))).await {
                Err(FileError::Table(error)) if waiting.passes(&error).await => {}
                part => return part,
            }
        }
    }
}
