//! `export`: writes a group to a file.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use fracti_core::id::GroupId;
use fracti_files::export::{ExportFile, Format};
use tempfile::Builder;

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
        let failed = |error| Failure::File(path.clone(), error);
        if path.exists() && !path.is_file() {
            let mut device = File::options().write(true).open(path).map_err(failed)?;
            self.write_export(*group, *format, &mut device).await?;
            return Ok(Outcome::Good);
        }
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let name = path.file_name().unwrap_or_default();
        let file = Builder::new().prefix(name).suffix(".part").tempfile_in(folder);
        let mut file = BufWriter::new(file.map_err(failed)?);
        self.write_export(*group, *format, &mut file).await?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
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
