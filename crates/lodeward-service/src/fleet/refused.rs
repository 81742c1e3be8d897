//! Why the fleet does not do what it was asked for.

use lodeward::config;
use lodeward::open::OpenError;
use lodeward::registry::RegistryError;
use lodeward::seed;
use lodeward::seed::labels::LabelError;
use lodeward::seed::template::TemplateError;

use super::state::State;
use crate::problem::{Code, Problem};
use crate::service::ServiceError;

/// Who says what may be crawled, and where.
const POLICY: &str = "an admin decides what may be crawled: `fetch.allow_private`, `service.allow_domains` and \
    `service.deny_domains` in lodeward.toml";

/// Why the fleet does not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// There is no such crawl.
    #[error("there is no crawl {0}")]
    Unknown(u32),
    /// It is not in a state for that.
    #[error("the crawl {id} is {}", state.name())]
    State {
        /// Which.
        id: u32,
        /// How it is doing.
        state: State,
    },
    /// What it was to do cannot be read.
    #[error("the crawl {id} cannot go on: {damage}")]
    Damaged {
        /// Which.
        id: u32,
        /// What is wrong with its files.
        damage: String,
    },
    /// What it was to do does not go with the settings of the service any more.
    #[error("the settings of the crawl {id} do not go with those of the service: {problems}")]
    Unsettled {
        /// Which.
        id: u32,
        /// What is wrong.
        problems: config::Problems,
    },
    /// Nobody would be exported.
    #[error("none of its candidates is among those that are wanted")]
    Nobody,
    /// It has as many documents as the service allows.
    #[error("the crawl {id} has the {cap} documents that this service allows a crawl, or more")]
    Full {
        /// Which.
        id: u32,
        /// How many that are.
        cap: u64,
    },
    /// Its name is taken.
    #[error("there is a crawl called `{0}` already")]
    NameTaken(String),
    /// Another process runs it.
    #[error("another process has the crawl {0}")]
    InUse(u32),
    /// No seed was given.
    #[error("a crawl needs at least one seed")]
    NoSeeds,
    /// Servers could not reach whoever crawls.
    #[error("a crawl outside of loopback needs a contact, and this service has none")]
    NoContact,
    /// The policy of the service forbids it.
    #[error("{0}")]
    Policy(String),
    /// They have as many as they may have.
    #[error("you have {0} crawls that are not done, and may have no more")]
    Quota(usize),
    /// A setting that cannot be made.
    #[error("{0}")]
    Settings(String),
    /// Settings that are wrong.
    #[error(transparent)]
    Config(#[from] config::Problems),
    /// Seeds that are wrong.
    #[error(transparent)]
    Seeds(#[from] seed::Problems),
    /// Some seeds are wrong, and the policy of the service forbids others.
    #[error("{0}\n{1}")]
    SeedsAndPolicy(seed::Problems, String),
    /// Texts cannot be looked up.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// A template that is not there, or wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The data directory cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] lodeward_archive::ArchiveError),
    /// It has no ranking, or none that can be read.
    #[error("the candidates of this crawl have no ranking, or one that cannot be read")]
    Unranked,
    /// It is being exported, and somebody waits to do so again.
    #[error("the crawl {0} is being exported, and somebody waits to export it again")]
    Exporting(u32),
    /// It cannot be exported.
    #[error(transparent)]
    Export(Box<lodeward::open::ExportError>),
    /// The service ends.
    #[error("the service is shutting down")]
    Closing,
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        let (code, hint) = match &refused {
            Refused::Unknown(_) => (Code::NotFound, Some("GET /api/v1/crawls lists those that there are")),
            Refused::State { .. } => (Code::Conflict, None),
            Refused::Damaged { .. } => {
                let hint = "an admin has to restore the file from a backup, and start the service again; or delete it";
                (Code::Conflict, Some(hint))
            }
            Refused::Unsettled { .. } => {
                (Code::Conflict, Some("an admin has to mend lodeward.toml, and reload it; or begin another crawl"))
            }
            Refused::Full { .. } => {
                let hint =
                    "an admin has to raise documents_max in the section [service] of lodeward.toml, and reload it";
                (Code::Conflict, Some(hint))
            }
            Refused::NameTaken(_) => (Code::Conflict, Some("choose another name, or leave it out")),
            Refused::InUse(_) => (Code::Conflict, Some("wait for it, or stop it where it runs")),
            Refused::NoSeeds => (Code::Invalid, Some("give `seeds`, `texts`, a `template` or `instances`")),
            Refused::NoContact => {
                (Code::AgainstPolicy, Some("an admin has to set contact in the section [fetch] of lodeward.toml"))
            }
            Refused::Policy(_) => (Code::AgainstPolicy, Some(POLICY)),
            Refused::SeedsAndPolicy(..) => (Code::Invalid, Some(POLICY)),
            Refused::Quota(_) => (Code::QuotaExceeded, Some("delete or finish some of them")),
            // A file that somebody has put there by hand, with its path.
            Refused::Template(TemplateError::Format { .. } | TemplateError::Io { .. }) => {
                tracing::error!(error = &refused as &dyn std::error::Error, "a template cannot be read");
                let problem = Self::new(Code::Unavailable, "a file among the templates cannot be read");
                return problem.hint("an admin has to mend or remove it; the log says which");
            }
            Refused::Settings(_) | Refused::Config(_) | Refused::Seeds(_) | Refused::Template(_) => {
                (Code::Invalid, None)
            }
            Refused::Labels(_) => (Code::Invalid, Some("give URIs as seeds instead of texts")),
            Refused::Open(_) | Refused::Registry(RegistryError::File(_) | RegistryError::Hidden { .. }) => {
                return Self::internal(&refused);
            }
            Refused::Registry(_) => (Code::Invalid, None),
            Refused::Unranked => {
                (Code::Conflict, Some("a focused crawl ranks them when it ends; POST …/ranking, at any time"))
            }
            Refused::Nobody => {
                (Code::Conflict, Some("mark some, or choose others; DELETE …/export takes away what was exported"))
            }
            Refused::Exporting(_) => (Code::Conflict, Some("GET …/export tells when it is done")),
            Refused::Archive(_) | Refused::Export(_) => return Self::internal(&refused),
            Refused::Closing => (Code::Unavailable, Some("try again in a moment")),
        };
        let problem = Self::new(code, refused.to_string());
        hint.map_or(problem.clone(), |hint| problem.hint(hint))
    }
}

impl From<Refused> for ServiceError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Registry(error) => Self::Registry(error),
            Refused::Archive(error) => Self::Archive(error),
            other => Self::Io(std::io::Error::other(other)),
        }
    }
}
