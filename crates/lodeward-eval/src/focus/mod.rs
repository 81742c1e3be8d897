//! Focused crawls: which ranker finds the entities that matter to a seed list,
//! and what that saves in requests.
//!
//! A [`World`] is a graph of entities, read from [tables](Tables), and
//! [tasks](Task) on it.

pub mod bootstrap;
pub mod ndcg;
pub mod tables;
pub mod tasks;

use std::path::PathBuf;

pub use bootstrap::Difference;
pub use ndcg::Gains;
pub use tables::Tables;
pub use tasks::Task;

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
}
