//! Evaluation of focused crawls: which ranker finds the entities that are relevant to a list of seeds,
//! and how many requests it saves.
//!
//! An [`EntityWorld`] is a graph of entities, loaded from [`EntityTables`], with [`FocusTask`]s: seeds,
//! and the entities that are relevant to them. In [`direct`], rankers know the complete graph and rank
//! the neighbourhood of the seeds. In [`crawls`], the same tasks are crawled on a recorded web.

pub mod bootstrap;
pub mod contender;
pub mod crawls;
pub mod csv;
pub mod curves;
pub mod direct;
pub mod feedback;
pub mod figures;
pub mod folds;
pub mod ndcg;
pub mod report;
mod table2;
pub mod tables;
pub mod tasks;
pub mod worlds;

use std::path::PathBuf;

pub use bootstrap::BootstrapDifference;
pub use contender::RankerEntry;
pub use crawls::FocusedCrawls;
pub(crate) use direct::cpu_time;
pub use direct::{DirectRanking, RankerScore, TaskRun};
pub use ndcg::RankingGains;
pub use report::FocusReport;
pub use tables::EntityTables;
pub use tasks::FocusTask;
pub use worlds::{EntityWorld, WorldSources};

use crate::web::WebError;

/// Focused crawls could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FocusError {
    /// A table or a recorded web is invalid.
    #[error(transparent)]
    Table(#[from] WebError),
    /// A file is not a list of tasks.
    #[error("invalid list of tasks {}: {message}", path.display())]
    Tasks {
        /// Path of the file.
        path: PathBuf,
        /// Description of the defect.
        message: String,
    },
    /// A crawl failed.
    #[error("{strategy}, task {task}")]
    Crawl {
        /// Name of the strategy.
        strategy: String,
        /// Name of the task.
        task: String,
        /// Why the crawl failed.
        source: crawls::FocusedCrawlError,
    },
}
