//! `export`: writes a group to a file.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use fracti_core::id::GroupId;
use fracti_transfer::export::{ExportFile, Format};

use crate::{Admin, Failure, Outcome, progress};

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
    /// when it is complete.
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
        let failed = |error| Failure::File(path.clone(), error);
        let unfinished = with_suffix(path, ".part");
        let mut file = BufWriter::new(File::create(&unfinished).map_err(failed)?);
        self.write_export(*group, *format, &mut file).await?;
        file.into_inner().map_err(|error| failed(error.into_error()))?;
        fs::rename(&unfinished, path).map_err(failed)?;
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
        while let Some(part) = self.pace.step(Box::pin(file.part(&self.table))).await? {
            out.write_all(part.text.as_bytes())?;
            bar.set_length(part.of);
            bar.set_position(part.entries);
        }
        out.flush()?;
        bar.finish_and_clear();
        Ok(())
    }
}

/// The path with a suffix.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
