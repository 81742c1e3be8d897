//! Measures how marks improve a ranking: some judgments become marks, and the rest is ranked again.
//!
//! For each task with enough targets and entities judged as not relevant, both among the candidates, marks are drawn
//! from the judgments, alternately a target to keep and another entity to drop. After each pair the candidates are
//! ranked with the marks and without. Marked entities are removed from both rankings and from the targets, so only
//! entities that the user has not marked count.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::num::NonZero;

use lodeward::select::feature_hash::murmur3;
use lodeward_focus::rank::{EntityGraph, RankerKind, RankingOptions, plan_ranking};

use super::direct::RANK_CUTOFF;
use super::{BootstrapDifference, EntityWorld, FocusTask, RankingGains};
use crate::numbers::mean;
use crate::parallel;

/// Number of pairs of marks: an entity to keep and one to drop.
pub const MAX_PAIRS: usize = 5;
/// Number of draws of marks per task; the result of a task is their mean.
const DRAWS: u32 = 5;
/// The rankers that are compared. The first ignores marks.
pub const RANKERS: [RankerKind; 3] = [RankerKind::Hybrid, RankerKind::Feedback, RankerKind::Nb];

/// The results of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedbackTask {
    /// The name of the task.
    pub id: String,
    /// nDCG@100 of each of [`RANKERS`], after 1 to [`MAX_PAIRS`] pairs of marks.
    pub ndcg: [[f64; RANKERS.len()]; MAX_PAIRS],
}

/// Measures all tasks that have enough judgments among the candidates at this depth.
#[must_use]
pub fn run(world: &EntityWorld, depth: u8, jobs: Option<NonZero<usize>>) -> FeedbackRun {
    let graph = world.fact_base.graph();
    let tasks = parallel::map(&world.tasks, jobs, |task| run_task(&graph, task, depth)).into_iter().flatten().collect();
    FeedbackRun { world: world.name.clone(), depth, tasks }
}

fn run_task(graph: &EntityGraph<'_>, task: &FocusTask, depth: u8) -> Option<FeedbackTask> {
    let plan = plan_ranking(graph, &task.seeds, &options(RankerKind::Hybrid, depth), &[], None);
    let within_reach: HashSet<&str> = plan.candidates.iter().map(|entity| graph.name(*entity)).collect();
    let reachable = |name: &&str| within_reach.contains(name);
    let targets: Vec<&str> = task.targets.keys().map(String::as_str).filter(reachable).collect();
    let others: Vec<&str> = task.nonrelevant.iter().map(String::as_str).filter(reachable).collect();
    // One target must be left to be found.
    if targets.len() <= MAX_PAIRS || others.len() < MAX_PAIRS {
        return None;
    }
    let mut ndcg = [[0.0; RANKERS.len()]; MAX_PAIRS];
    for draw in 0..DRAWS {
        let (kept, dropped) = (shuffled(&targets, task, draw), shuffled(&others, task, draw));
        for (pairs, row) in (1..).zip(&mut ndcg) {
            let marks: Vec<(String, bool)> = kept[..pairs]
                .iter()
                .map(|name| ((*name).to_owned(), true))
                .chain(dropped[..pairs].iter().map(|name| ((*name).to_owned(), false)))
                .collect();
            for (kind, cell) in RANKERS.into_iter().zip(row) {
                *cell += ndcg_of_rest(graph, task, kind, depth, &marks) / f64::from(DRAWS);
            }
        }
    }
    Some(FeedbackTask { id: task.id.clone(), ndcg })
}

fn options(ranker: RankerKind, depth: u8) -> RankingOptions {
    RankingOptions { ranker: Some(ranker), max_hops: Some(depth), ..RankingOptions::default() }
}

/// nDCG@100 of the entities that are not marked.
fn ndcg_of_rest(
    graph: &EntityGraph<'_>,
    task: &FocusTask,
    ranker: RankerKind,
    depth: u8,
    marks: &[(String, bool)],
) -> f64 {
    let plan = plan_ranking(graph, &task.seeds, &options(ranker, depth), marks, None);
    let ranking = plan.ranking();
    let is_marked = |name: &str| marks.iter().any(|(marked, _)| marked == name);
    let order = plan.best_first(ranking.scores()).into_iter().map(|index| graph.name(plan.candidates[index]));
    let rest = order.filter(|name| !is_marked(name)).take(RANK_CUTOFF);
    let grades = rest.map(|name| task.targets.get(name).copied().unwrap_or_default()).collect();
    let left = task.targets.iter().filter(|(name, _)| !is_marked(name)).map(|(_, grade)| *grade);
    RankingGains::new(grades, left).ndcg(RANK_CUTOFF)
}

/// A pseudorandom order that is the same in every run.
fn shuffled<'a>(names: &[&'a str], task: &FocusTask, draw: u32) -> Vec<&'a str> {
    let salt = murmur3(task.id.as_bytes(), draw);
    let mut names = names.to_vec();
    names.sort_by_key(|name| (murmur3(name.as_bytes(), salt), *name));
    names
}

/// The results of a world at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedbackRun {
    /// The name of the world.
    pub world: String,
    /// The maximum distance of candidates from the seeds, in links.
    pub depth: u8,
    /// The tasks with enough judgments.
    pub tasks: Vec<FeedbackTask>,
}

impl FeedbackRun {
    /// The results of a ranker after some pairs of marks, for each task.
    fn column(&self, pairs: usize, ranker: usize) -> Vec<f64> {
        self.tasks.iter().map(|task| task.ndcg[pairs - 1][ranker]).collect()
    }
}

/// Appends the results to a report.
pub(super) fn write(page: &mut String, runs: &[FeedbackRun], seed: u64) {
    page.push_str(
        "## Marks\n\nTasks with more than 5 targets and at least 5 entities judged as not relevant, both among the \
         candidates. Judgments become marks, as many targets to keep as others to drop; mean of 5 draws. nDCG@100 of \
         the entities that are not marked, by `hybrid`, which ignores marks, by `feedback`, which is `hybrid` adjusted \
         by marks, and by `nb`. *Gain*: of `feedback` over `hybrid`, with the 95 % interval of the difference.\n\n",
    );
    for run in runs.iter().filter(|run| !run.tasks.is_empty()) {
        let _ = writeln!(page, "### {}, depth {}: {} tasks\n", run.world, run.depth, run.tasks.len());
        page.push_str(
            "| kept | dropped | hybrid | feedback | gain | difference | nb |\n|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for pairs in 1..=MAX_PAIRS {
            let [hybrid, feedback, bayes] = [0, 1, 2].map(|ranker| run.column(pairs, ranker));
            let [before, after, by_bayes] = [&hybrid, &feedback, &bayes].map(|column| mean(column.iter().copied()));
            let difference = BootstrapDifference::paired(&feedback, &hybrid, seed);
            let _ = writeln!(
                page,
                "| {pairs} | {pairs} | {before:.3} | {after:.3} | {:+.1} % | {:+.3} [{:+.3}, {:+.3}] | {by_bayes:.3} |",
                100.0 * (after / before - 1.0),
                difference.mean,
                difference.low,
                difference.high,
            );
        }
        page.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::to_f64;

    #[test]
    fn a_table_has_a_row_per_pair_of_marks() {
        let task = |id: &str, step: f64| FeedbackTask {
            id: id.to_owned(),
            ndcg: std::array::from_fn(|pairs| [0.5, 0.5 + step * to_f64(pairs), 0.1]),
        };
        let tasks = vec![task("a", 0.1), task("b", 0.0)];
        let mut page = String::new();

        write(&mut page, &[FeedbackRun { world: "w".to_owned(), depth: 2, tasks }], 0);

        assert!(page.contains("### w, depth 2: 2 tasks"), "{page}");
        assert!(page.contains("| 1 | 1 | 0.500 | 0.500 | +0.0 % | +0.000 [+0.000, +0.000] | 0.100 |"), "{page}");
        assert!(page.contains("| 5 | 5 | 0.500 | 0.700 | +40.0 % | +0.200 ["), "{page}");
    }
}
