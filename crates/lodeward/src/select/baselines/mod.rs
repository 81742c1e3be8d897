//! Baselines of papers: strategies that others are compared with.

pub(crate) mod heuristic;
pub mod naive_bayes;
pub(crate) mod nb_online;
pub mod offline;

pub use heuristic::HeuristicStrategy;
pub use nb_online::{BanditValue, NbOnlineStrategy};
pub use offline::OfflineStrategy;
