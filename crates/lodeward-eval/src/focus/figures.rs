//! Computes the means of figures over tasks.

use std::time::Duration;

use super::{BootstrapDifference, DirectRanking, RankerScore, TaskRun};
use crate::numbers::mean;

impl DirectRanking {
    /// A figure of a ranker for each task.
    pub fn per_task(&self, ranker: usize, figure: impl Fn(&RankerScore) -> f64) -> Vec<f64> {
        self.tasks.iter().map(|task| figure(&task.scores[ranker])).collect()
    }

    /// The mean of a figure over all tasks.
    pub fn mean(&self, ranker: usize, figure: impl Fn(&RankerScore) -> f64) -> f64 {
        mean(self.per_task(ranker, figure))
    }

    /// The mean of a figure over the tasks that satisfy a condition.
    pub fn mean_where(
        &self,
        ranker: usize,
        condition: impl Fn(&TaskRun) -> bool,
        figure: impl Fn(&RankerScore) -> f64,
    ) -> f64 {
        mean(self.tasks.iter().filter(|task| condition(task)).map(|task| figure(&task.scores[ranker])))
    }

    /// nDCG@100 among the judged entities, over the tasks that have them.
    #[must_use]
    pub fn ndcg_judged(&self, ranker: usize) -> Option<f64> {
        let judged: Vec<f64> = self.tasks.iter().filter_map(|task| task.scores[ranker].ndcg_judged).collect();
        (!judged.is_empty()).then(|| mean(judged))
    }

    /// The mean CPU time of a task.
    #[must_use]
    pub fn cpu(&self, ranker: usize) -> Duration {
        Duration::from_secs_f64(self.mean(ranker, |score| score.cpu.as_secs_f64()))
    }

    /// The difference of two rankers by a figure.
    pub fn difference(
        &self,
        one: usize,
        other: usize,
        figure: impl Fn(&RankerScore) -> f64,
        seed: u64,
    ) -> BootstrapDifference {
        BootstrapDifference::paired(&self.per_task(one, &figure), &self.per_task(other, &figure), seed)
    }
}
