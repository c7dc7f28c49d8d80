//! `plan`: reads an export file of another app.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use fracti_core::values::{currency::Currency, time::Day};
use fracti_files::plan_of;
use fracti_formats::{Answers, Import, MAX_LARGE_FILE};

use crate::{Failure, Outcome};

/// An export file, and what it does not say.
#[derive(Debug, Args)]
pub struct Export {
    /// The file, as the other app wrote it.
    file: PathBuf,
    /// Currency of the amounts for which the file has none.
    #[arg(long, value_name = "CODE")]
    currency: Option<Currency>,
    /// JSON file with answers to the questions of an earlier plan.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
}

impl Export {
    /// Writes what an import on the day `today` would do. The file is good if it can be imported.
    ///
    /// # Errors
    ///
    /// [`Failure`] if a file cannot be read or the plan cannot be written.
    pub fn plan(&self, today: Day, out: &mut impl Write) -> Result<Outcome, Failure> {
        let import = self.read(today)?;
        out.write_all(&plan_of(&import).map_err(io::Error::from)?)?;
        writeln!(out)?;
        Ok(if import.is_ready() { Outcome::Good } else { Outcome::Bad })
    }

    /// Reads the file on the day `today`.
    pub(crate) fn read(&self, today: Day) -> Result<Import, Failure> {
        let mut answers: Answers = match &self.answers {
            Some(path) => serde_json::from_slice(&bytes(path)?)
                .map_err(|error| Failure::Answers(path.clone(), error))?,
            None => Answers::default(),
        };
        answers.currency = self.currency.or(answers.currency);
        let file = bytes(&self.file)?;
        Ok(fracti_formats::read_with_limit(&file, MAX_LARGE_FILE, &answers, today))
    }
}

/// The bytes of a file, but of a larger one than may be imported only the first ones.
fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_LARGE_FILE).unwrap_or(u64::MAX).saturating_add(1);
    let read = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|error| Failure::Input(path.to_owned(), error))?;
    Ok(bytes)
}
