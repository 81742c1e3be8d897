//! The error of a frontier.

use std::error::Error;
use std::fmt;

use lodeward_fjall::LostChanges;

/// An error of the frontier. It ends the crawl.
///
/// What went wrong in the storage is its [`source`](Error::source).
#[derive(Debug)]
pub struct FrontierError(Box<ErrorKind>);

#[derive(Debug)]
enum ErrorKind {
    /// An operation failed.
    Failed(&'static str, Box<dyn Error + Send + Sync>),
    /// The database was written in another format version.
    Version { found: u32, expected: u32 },
    /// The database has lost changes.
    Lost(LostChanges),
    /// An earlier write failed.
    Unusable,
}

impl FrontierError {
    /// An operation failed: what, as in "cannot read the queue", and why.
    pub fn new(what: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Box::new(ErrorKind::Failed(what, source.into())))
    }

    /// The database was written in another format version.
    #[must_use]
    pub(crate) fn version(found: u32, expected: u32) -> Self {
        Self(Box::new(ErrorKind::Version { found, expected }))
    }

    /// The database has lost changes.
    #[must_use]
    pub(crate) fn lost(changes: LostChanges) -> Self {
        Self(Box::new(ErrorKind::Lost(changes)))
    }

    /// Whether the database has lost changes.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(*self.0, ErrorKind::Lost(_))
    }

    /// An earlier write failed, so the frontier has to be opened again.
    #[must_use]
    pub(crate) fn unusable() -> Self {
        Self(Box::new(ErrorKind::Unusable))
    }

    /// What the user can do about the error.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match *self.0 {
            ErrorKind::Version { .. } => {
                Some("start a new crawl with `--name`, or continue this one with the release of lodeward that wrote it")
            }
            ErrorKind::Lost(_) => Some(
                "restore the crawl from a backup, or run `lodeward repair` to continue with the state that is left",
            ),
            ErrorKind::Failed(..) | ErrorKind::Unusable => None,
        }
    }
}

impl fmt::Display for FrontierError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Failed(what, _) => formatter.write_str(what),
            ErrorKind::Version { found, expected } => write!(
                formatter,
                "cannot open frontier: it has format version {found}, this program reads version {expected}"
            ),
            ErrorKind::Lost(changes) => write!(formatter, "the state of the frontier is damaged: {changes}"),
            ErrorKind::Unusable => formatter.write_str("cannot write to the frontier: an earlier write failed"),
        }
    }
}

impl Error for FrontierError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &*self.0 {
            ErrorKind::Failed(_, source) => Some(&**source),
            ErrorKind::Version { .. } | ErrorKind::Lost(_) | ErrorKind::Unusable => None,
        }
    }
}
