//! Focused crawls: which ranker finds the entities that matter to a seed list,
//! and what that saves in requests.
//!
//! A [`World`] is a graph of entities, read from [tables](Tables), and
//! [tasks](Task) on it: seeds, and what belongs to them. In [`direct`] rankers
//! see the graph in full, and rank what is near the seeds. In [`crawls`] the same
//! tasks are crawled on a recorded web.

pub mod bootstrap;
pub mod contender;
pub mod crawls;
pub mod csv;
pub mod curves;
pub mod direct;
pub mod figures;
pub mod folds;
pub mod ndcg;
pub mod report;
mod table2;
pub mod tables;
pub mod tasks;
pub mod worlds;

use std::path::PathBuf;

pub use bootstrap::Difference;
pub use contender::RankerEntry;
pub use crawls::Crawls;
pub use direct::{Direct, Score, TaskRun};
pub use ndcg::Gains;
pub use report::Report;
pub use tables::Tables;
pub use tasks::Task;
pub use worlds::{World, WorldSources};

use crate::web::WebError;

/// Focused crawls could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FocusError {
    /// A table or a recorded web is not as it should be.
    #[error(transparent)]
    Table(#[from] WebError),
    /// A file holds no tasks.
    #[error("{} is no list of tasks: {what}", path.display())]
    Tasks {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A crawl could not be run to its end.
    #[error("{strategy}, task {task}")]
    Crawl {
        /// Whose.
        strategy: String,
        /// For which task.
        task: String,
        /// Why.
        source: crawls::CrawlsError,
    },
}
