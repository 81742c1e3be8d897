//! The rankings that run in this process, for their progress.

use std::sync::{Mutex, PoisonError};

use lodeward_app::review::{RankingName, RankingProgress};

/// The rankings that run or wait, with their progress.
#[derive(Default)]
pub(crate) struct RunningRankings(Mutex<Vec<RunningRanking>>);

struct RunningRanking {
    crawl: u32,
    name: Option<RankingName>,
    progress: RankingProgress,
}

impl RunningRankings {
    /// The rankings of a crawl: their names, and the numbers of documents that they have yet to read.
    pub(crate) fn of_crawl(&self, crawl: u32) -> Vec<(Option<String>, u64)> {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = running.iter().filter(|ranking| ranking.crawl == crawl);
        own.map(|ranking| (ranking.name.as_ref().map(ToString::to_string), ranking.progress.documents_left())).collect()
    }

    /// Adds a ranking that starts or waits.
    pub(crate) fn add(&self, crawl: u32, name: Option<RankingName>) -> RankingProgress {
        let progress = RankingProgress::default();
        let ranking = RunningRanking { crawl, name, progress: progress.clone() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(ranking);
        progress
    }

    /// Removes a ranking that has ended.
    pub(crate) fn remove(&self, progress: &RankingProgress) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|ranking| !ranking.progress.is_same(progress));
    }
}
