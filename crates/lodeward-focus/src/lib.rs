//! Focused crawls: ranks entities by their relevance to a list of seeds, and fetches the best first.
//!
//! [`rank`] is pure: facts about entities in, scores with reasons out. [`strategy`] has the
//! [`FocusStrategy`](strategy::FocusStrategy) of a crawl, which ranks its candidates repeatedly
//! while the harvest grows.

pub mod rank;
pub mod strategy;
