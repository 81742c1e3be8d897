//! Baselines of papers: strategies that others are compared with.

pub mod heuristic;
pub mod naive_bayes;
pub mod nb_online;
pub mod offline;

pub use heuristic::HeuristicStrategy;
pub use nb_online::NbOnlineStrategy;
pub use offline::OfflineStrategy;
