//! The state of a crawl.

use lodeward::engine::{CrawlSnapshot, DiskShortage, EndProgress, StopReason};
use lodeward_app::pause::pause_text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The state of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CrawlState)]
pub(crate) enum JobState {
    /// Waiting for a free slot.
    Queued,
    /// Running.
    Running,
    /// The crawl completes its requests in flight, then it is paused.
    Pausing,
    /// Paused by a user; can be resumed.
    Paused,
    /// The crawl completes its requests in flight, then it is stopped.
    Stopping,
    /// Stopped before its end; can be resumed.
    Stopped,
    /// The crawl has ended.
    Finished,
    /// Ended by an error; can be resumed.
    Failed,
}

impl JobState {
    /// All states.
    pub(crate) const ALL: &[Self] = &[
        Self::Queued,
        Self::Running,
        Self::Pausing,
        Self::Paused,
        Self::Stopping,
        Self::Stopped,
        Self::Finished,
        Self::Failed,
    ];

    /// Whether the crawl runs or waits for a free slot.
    pub(crate) fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Pausing | Self::Stopping)
    }

    /// Whether the crawl runs, waits for a free slot, or is paused.
    pub(crate) fn is_unfinished(self) -> bool {
        self.is_active() || self == Self::Paused
    }

    /// The name of the state in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Pausing => "pausing",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

/// The state that the user requested for a crawl. It is stored, so that it survives a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DesiredState {
    /// The crawl should run until it ends.
    Run,
    /// The crawl should be paused.
    Pause,
    /// The crawl should be stopped.
    #[default]
    Stop,
    /// The crawl has ended, so no state is requested.
    Done,
    /// The crawl should be deleted.
    Delete,
}

impl DesiredState {
    /// The operation that requests this state, for error messages.
    pub(super) fn operation(self) -> &'static str {
        match self {
            Self::Run => "resume",
            Self::Pause => "pause",
            Self::Stop => "stop",
            Self::Done => "finish",
            Self::Delete => "delete",
        }
    }
}

/// The state, settings and counters of a crawl at one point in time.
#[derive(Clone, Debug)]
pub(crate) struct JobView {
    /// ID of the crawl.
    pub(crate) id: u32,
    /// Name of the crawl.
    pub(crate) name: String,
    /// Owner; `None` if the crawl was created on the command line.
    pub(crate) user: Option<String>,
    /// The user of the client for whom the crawl was created (DURAARK API).
    pub(crate) on_behalf_of: Option<String>,
    /// Name of the strategy.
    pub(crate) strategy: String,
    /// Current state of the crawl.
    pub(crate) state: JobState,
    /// When the crawl was created, in milliseconds since the Unix epoch.
    pub(crate) created_at_ms: u64,
    /// Name of the template that the seeds were created from.
    pub(crate) template: Option<String>,
    /// The crawl's own settings, by section.
    pub(crate) settings: toml::Table,
    /// Counters of the crawl; `None` if it never ran.
    pub(crate) snapshot: Option<CrawlSnapshot>,
    /// When the counters were last updated, in milliseconds since the Unix epoch.
    pub(crate) updated_at_ms: Option<u64>,
    /// Requests per second while the crawl runs.
    pub(crate) requests_per_second: Option<f64>,
    /// Why the last run ended.
    pub(crate) stop_reason: Option<StopReason>,
    /// Why the crawl failed.
    pub(crate) error: Option<String>,
    /// Why the service stopped the crawl.
    pub(crate) stop_detail: Option<String>,
    /// Whether responses are recorded as WARC.
    pub(crate) record_warc: bool,
    /// Users besides the owner that may mark candidates.
    pub(crate) reviewers: Vec<String>,
}

impl JobView {
    /// Why the running crawl is paused, if there is not enough space on the disk.
    pub(crate) fn disk_shortage(&self) -> Option<DiskShortage> {
        self.snapshot.as_ref().filter(|_| self.state == JobState::Running)?.disk_shortage
    }

    /// Why the running crawl is paused.
    pub(crate) fn pause_reason(&self) -> Option<String> {
        pause_text(self.snapshot.as_ref().filter(|_| self.state == JobState::Running)?)
    }

    /// What the end of the run waits for; `None` if the crawl goes on, or does not run.
    pub(crate) fn ending(&self) -> Option<EndProgress> {
        self.snapshot.as_ref().filter(|_| self.state.is_active())?.ending
    }
}
