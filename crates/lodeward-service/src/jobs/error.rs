//! Errors of jobs, and their conversion into problems.

use lodeward::fetch::FetchOptionsError;
use lodeward::store::follow::FollowerError;
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::data_dir::DataDirError;
use lodeward_app::seeds;
use lodeward_app::seeds::labels::LabelError;
use lodeward_app::seeds::template::TemplateError;
use lodeward_app::settings;

use super::state::JobState;
use crate::error::ServiceError;
use crate::problem::{Problem, ProblemCode};

/// The hint that names the settings that restrict what may be crawled.
const POLICY_HINT: &str = "an admin can change `fetch.allow_private_addresses`, `service.allowed_domains` and \
    `service.denied_domains` in lodeward.toml";

/// Why an operation on a job failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    /// The crawl does not exist.
    #[error("no such crawl: {0}")]
    Unknown(u32),
    /// The state does not allow the operation.
    #[error("cannot {operation} crawl {id}: it is {}", state.name())]
    State {
        /// The rejected operation: `pause`, `resume` or `stop`.
        operation: &'static str,
        /// ID of the crawl.
        id: u32,
        /// The state of the crawl.
        state: JobState,
    },
    /// The order or record of the crawl cannot be read.
    #[error("cannot resume crawl {id}: {damage}")]
    Damaged {
        /// ID of the crawl.
        id: u32,
        /// The error in reading the file.
        damage: String,
    },
    /// The settings of the crawl conflict with those of the service.
    #[error("the settings of crawl {id} conflict with those of the service: {problems}")]
    SettingsConflict {
        /// ID of the crawl.
        id: u32,
        /// The conflicts.
        problems: settings::SettingProblems,
    },
    /// The export would be empty.
    #[error("no candidate is selected for the export")]
    EmptyExport,
    /// The crawl has reached the document limit of the service.
    #[error(
        "cannot resume crawl {id}: it has reached the limit of {cap} documents (`service.max_documents_per_crawl`)"
    )]
    DocumentLimit {
        /// ID of the crawl.
        id: u32,
        /// The document limit of the service.
        cap: u64,
    },
    /// The name of the crawl is taken.
    #[error("crawl `{0}` already exists")]
    NameTaken(String),
    /// Another process uses the crawl.
    #[error("crawl {0} is in use by another process")]
    InUse(u32),
    /// The crawl cannot be opened again for a run, because its files are still read.
    #[error("cannot run crawl {0}: a download, an export or a backup still reads it")]
    BeingRead(u32),
    /// The order has no seeds.
    #[error("a crawl needs at least one seed")]
    NoSeeds,
    /// A contact address is required.
    #[error("no contact is configured: crawls outside of loopback need one")]
    NoContact,
    /// Some seeds violate the policy of the service.
    #[error("{0}")]
    Policy(seeds::SeedProblems),
    /// The user has reached the quota.
    #[error("quota reached: you have {0} unfinished crawls")]
    Quota(usize),
    /// A setting is not allowed.
    #[error("{0}")]
    Settings(String),
    /// Settings are invalid.
    #[error(transparent)]
    Config(#[from] settings::SettingProblems),
    /// Seeds are invalid.
    #[error(transparent)]
    Seeds(#[from] seeds::SeedProblems),
    /// Some seeds are invalid, and others violate the policy of the service.
    #[error("{0}\n{1}")]
    SeedsAndPolicy(seeds::SeedProblems, seeds::SeedProblems),
    /// Labels cannot be looked up.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// A template does not exist, or is invalid.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The options of requests are invalid.
    #[error(transparent)]
    Fetch(#[from] FetchOptionsError),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] lodeward_archive::ArchiveError),
    /// The archive, or another target of followers, failed.
    #[error(transparent)]
    Follower(#[from] FollowerError),
    /// The crawl has no ranking that can be read.
    #[error("the candidates of this crawl are not ranked")]
    Unranked,
    /// One export of the crawl is running, and another one is waiting.
    #[error("crawl {0} is being exported, and another export is waiting")]
    Exporting(u32),
    /// The export failed.
    #[error(transparent)]
    Export(Box<lodeward_app::graph_export::ExportError>),
    /// Documents cannot be removed.
    #[error(transparent)]
    Removal(#[from] lodeward_app::removal::RemovalError),
    /// The list of removals cannot be used.
    #[error(transparent)]
    RemovalList(#[from] lodeward_app::removal_list::RemovalListError),
    /// The archive cannot be updated.
    #[error(transparent)]
    CatchUp(#[from] Box<lodeward_app::catch_up::CatchUpError>),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    Closing,
}

impl From<JobError> for Problem {
    fn from(error: JobError) -> Self {
        let conflict = |hint: &'static str| (ProblemCode::Conflict, Some(hint));
        let (code, hint) = match &error {
            JobError::Unknown(_) => (ProblemCode::NotFound, Some("GET /api/v1/crawls lists the crawls")),
            JobError::State { state: JobState::Finished, .. } => (ProblemCode::Conflict, Some("start a new crawl")),
            JobError::State { .. } => (ProblemCode::Conflict, None),
            JobError::Damaged { .. } => {
                conflict("an admin can restore the file from a backup and restart the service; or delete the crawl")
            }
            JobError::SettingsConflict { .. } => {
                conflict("an admin can fix lodeward.toml and reload it; or start a new crawl")
            }
            JobError::DocumentLimit { .. } => {
                conflict("an admin can raise `service.max_documents_per_crawl` in lodeward.toml and reload it")
            }
            JobError::NameTaken(_) => (ProblemCode::Conflict, Some("choose another name, or omit it")),
            JobError::InUse(_) => (ProblemCode::Conflict, Some("wait for the other process, or stop it")),
            JobError::BeingRead(_) => conflict("resume the crawl when the other request has ended"),
            JobError::NoSeeds => {
                (ProblemCode::Unprocessable, Some("give `seeds`, `labels`, a `template` or `instances`"))
            }
            JobError::NoContact => {
                (ProblemCode::PolicyViolation, Some("an admin can set `fetch.contact` in lodeward.toml"))
            }
            JobError::Policy(_) => (ProblemCode::PolicyViolation, Some(POLICY_HINT)),
            JobError::SeedsAndPolicy(..) => (ProblemCode::Unprocessable, Some(POLICY_HINT)),
            JobError::Quota(_) => (ProblemCode::QuotaExceeded, Some("stop or delete a crawl, or wait until one ends")),
            // The message contains the path of the file, so it is only logged.
            JobError::Template(TemplateError::Format { .. } | TemplateError::Io { .. }) => {
                tracing::error!(error = &error as &dyn std::error::Error, "reading a template failed");
                let problem = Self::new(ProblemCode::Unavailable, "a template file cannot be read");
                return problem.hint("an admin can fix or remove the file; the log has its path");
            }
            JobError::Settings(_) | JobError::Config(_) | JobError::Seeds(_) | JobError::Template(_) => {
                (ProblemCode::Unprocessable, None)
            }
            JobError::Labels(_) => (ProblemCode::Unprocessable, Some("use URIs as seeds instead of labels")),
            JobError::Open(_)
            | JobError::Fetch(_)
            | JobError::Archive(_)
            | JobError::Follower(_)
            | JobError::Export(_)
            | JobError::Removal(_)
            | JobError::RemovalList(_)
            | JobError::CatchUp(_)
            | JobError::DataDir(DataDirError::File(_) | DataDirError::MaybeDamaged { .. }) => {
                return Self::internal(&error);
            }
            JobError::DataDir(_) => (ProblemCode::Unprocessable, None),
            JobError::Unranked => {
                conflict("POST …/ranking ranks the candidates; a focused crawl is ranked when it ends")
            }
            JobError::EmptyExport => conflict("select other candidates; DELETE …/export removes the existing export"),
            JobError::Exporting(_) => (ProblemCode::Conflict, Some("GET …/export returns the time of the last export")),
            JobError::Closing => (ProblemCode::Unavailable, Some("retry later")),
        };
        let problem = Self::new(code, error.to_string());
        hint.map_or(problem.clone(), |hint| problem.hint(hint))
    }
}

impl From<JobError> for ServiceError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::DataDir(error) => Self::DataDir(error),
            JobError::Archive(error) => Self::Target(error.into()),
            JobError::Follower(error) => Self::Feed(error.into()),
            other => Self::Io(std::io::Error::other(other)),
        }
    }
}
