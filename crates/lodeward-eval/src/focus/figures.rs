//! Means over tasks.

use std::time::Duration;

use super::{Difference, Direct, Score, TaskRun};
use crate::ground::to_f64;

/// The mean of some figures; 0 of none.
#[must_use]
pub fn mean(figures: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = figures.into_iter().fold((0.0, 0), |(sum, count), figure| (sum + figure, count + 1));
    if count == 0 { 0.0 } else { sum / to_f64(count) }
}

impl Direct {
    /// A figure of a ranker for each task.
    pub fn each(&self, ranker: usize, figure: impl Fn(&Score) -> f64) -> Vec<f64> {
        self.tasks.iter().map(|task| figure(&task.scores[ranker])).collect()
    }

    /// The mean of a figure over all tasks.
    pub fn mean(&self, ranker: usize, figure: impl Fn(&Score) -> f64) -> f64 {
        mean(self.each(ranker, figure))
    }

    /// The mean of a figure over the tasks that are such.
    pub fn mean_of(&self, ranker: usize, is_such: impl Fn(&TaskRun) -> bool, figure: impl Fn(&Score) -> f64) -> f64 {
        mean(self.tasks.iter().filter(|task| is_such(task)).map(|task| figure(&task.scores[ranker])))
    }

    /// nDCG@100 among those who were judged, over the tasks where somebody was.
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

    /// By how much one ranker is better than another, by a figure.
    pub fn difference(&self, one: usize, other: usize, figure: impl Fn(&Score) -> f64, seed: u64) -> Difference {
        Difference::paired(&self.each(one, &figure), &self.each(other, &figure), seed)
    }
}
