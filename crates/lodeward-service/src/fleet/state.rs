//! How a crawl is doing, as its users see it.

use lodeward::engine::{Ending, Snapshot};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a crawl is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waits for its turn.
    Queued,
    /// It runs.
    Running,
    /// It will be paused when what is under way has come back.
    Pausing,
    /// It can be resumed.
    Paused,
    /// It will be stopped when what is under way has come back.
    Stopping,
    /// It was stopped before its end.
    Stopped,
    /// It has come to its end.
    Finished,
    /// It could not go on.
    Failed,
}

impl State {
    /// All of them.
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

    /// Whether it runs, or will.
    pub(crate) fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Pausing | Self::Stopping)
    }

    /// Whether it is not done: it runs or will, or waits to be resumed.
    pub(crate) fn is_open(self) -> bool {
        self.is_active() || self == Self::Paused
    }

    /// Its name.
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

/// What is wanted of a crawl. Kept, so that it holds after a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wish {
    /// That it runs until its end.
    Run,
    /// That it waits to be resumed.
    Pause,
    /// That it runs no more.
    #[default]
    Stop,
    /// Nothing: it has come to its end.
    Done,
    /// That nothing is left of it.
    Delete,
}

/// A crawl as it is now.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Its number.
    pub(crate) id: u32,
    /// Its name.
    pub(crate) name: String,
    /// Who wanted it; `None` if it was begun on the command line.
    pub(crate) user: Option<String>,
    /// For whom, if that is somebody whom only they know.
    pub(crate) on_behalf_of: Option<String>,
    /// Its strategy.
    pub(crate) strategy: String,
    /// How it is doing.
    pub(crate) state: State,
    /// When it was begun, in milliseconds since the Unix epoch.
    pub(crate) created_at_ms: u64,
    /// The template that its seeds come from.
    pub(crate) template: Option<String>,
    /// Its own settings, section by section.
    pub(crate) settings: toml::Table,
    /// Its counts; `None` if it never ran.
    pub(crate) snapshot: Option<Snapshot>,
    /// As of when, in milliseconds since the Unix epoch.
    pub(crate) updated_at_ms: Option<u64>,
    /// Requests in a second, while it runs.
    pub(crate) requests_per_second: Option<f64>,
    /// Why its last run ended.
    pub(crate) ending: Option<Ending>,
    /// Why it could not go on.
    pub(crate) failure: Option<String>,
    /// Why the service has stopped it, if it has.
    pub(crate) stopped_because: Option<String>,
    /// Whether it records what it is answered.
    pub(crate) warc: bool,
}
