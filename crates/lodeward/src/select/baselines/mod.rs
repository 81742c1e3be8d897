//! Baselines of papers: strategies that others are compared with.

pub(crate) mod heuristic;
pub(crate) mod naive_bayes;
pub(crate) mod nb_online;
pub mod offline;
