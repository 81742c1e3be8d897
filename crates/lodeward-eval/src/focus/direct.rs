//! Evaluates rankers on complete graphs, without a crawl.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::fast::RandomState;
use lodeward_focus::rank::{EntityGraph, EntityId, RankerKind, RankingPlan, plan_ranking};
use rustix::time::{ClockId, clock_gettime};

use super::folds::folds;
use super::{EntityWorld, FocusTask, RankerEntry, RankingGains};
use crate::parallel;

/// Rankings are evaluated up to this rank.
pub const RANK_CUTOFF: usize = 100;

/// The results of rankers in a world at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectRanking {
    /// The name of the world.
    pub world: String,
    /// The maximum distance of candidates from the seeds, in links.
    pub depth: u8,
    /// The results of each task.
    pub tasks: Vec<TaskRun>,
}

/// The results of rankers on one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRun {
    /// The name of the task.
    pub id: String,
    /// The coherence of its seeds (Γ) in the graph.
    pub coherence: f64,
    /// Number of candidates.
    pub candidates: usize,
    /// Number of targets.
    pub targets: usize,
    /// Number of targets among the candidates.
    pub reachable_targets: usize,
    /// The scores, in the order of the rankers.
    pub scores: Vec<RankerScore>,
}

/// The scores of a ranker on one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankerScore {
    /// nDCG at every rank up to [`RANK_CUTOFF`].
    pub ndcg: Vec<f64>,
    /// nDCG@100 among the judged entities only; `None` if no entity was judged as not relevant.
    pub ndcg_judged: Option<f64>,
    /// The share of the targets among the first 100.
    pub recall: f64,
    /// CPU time of seed analysis and ranking of all candidates.
    pub cpu: Duration,
}

impl RankerScore {
    /// nDCG at a rank, counted from 1.
    #[must_use]
    pub fn ndcg_at(&self, rank: usize) -> f64 {
        self.ndcg.get(rank.wrapping_sub(1)).copied().unwrap_or_default()
    }
}

/// Ranks the candidates of all tasks with all rankers. After each task, `report` gets the number of
/// completed tasks and the number of all tasks.
#[must_use]
pub fn run(
    world: &EntityWorld,
    entries: &[RankerEntry],
    depth: u8,
    jobs: Option<NonZero<usize>>,
    report: impl Fn(usize, usize) + Sync,
) -> DirectRanking {
    let graph = world.fact_base.graph();
    let done = AtomicUsize::new(0);
    let tasks = parallel::map(&world.tasks, jobs, |task| {
        let run = run_task(&graph, task, entries, depth);
        report(done.fetch_add(1, Ordering::Relaxed) + 1, world.tasks.len());
        run
    });
    DirectRanking { world: world.name.clone(), depth, tasks }
}

fn run_task(graph: &EntityGraph<'_>, task: &FocusTask, entries: &[RankerEntry], depth: u8) -> TaskRun {
    let judgments = TaskJudgements::new(graph, task);
    let mut run = TaskRun {
        id: task.id.clone(),
        coherence: 0.0,
        candidates: 0,
        targets: task.targets.len(),
        reachable_targets: 0,
        scores: Vec::new(),
    };
    for entry in entries {
        let started_at = cpu_time();
        let ranked = match entry.kind {
            Some(RankerKind::Nb) => rank_with_feedback(graph, task, entry, depth),
            _ => rank_without_feedback(graph, task, entry, depth),
        };
        let cpu = cpu_time().saturating_sub(started_at);
        run.coherence = ranked.coherence;
        run.candidates = ranked.order.len();
        run.reachable_targets = judgments.count_targets(&ranked.order);
        run.scores.push(judgments.score(&ranked.order, cpu));
    }
    run
}

/// The ranked candidates, best first, and the coherence of the seeds.
struct RankedList {
    order: Vec<EntityId>,
    coherence: f64,
}

fn rank_without_feedback(graph: &EntityGraph<'_>, task: &FocusTask, entry: &RankerEntry, depth: u8) -> RankedList {
    let plan = plan_ranking(graph, &task.seeds, &entry.options(depth), &[], None);
    let ranking = plan.ranking();
    ranked_list(&plan, ranking.scores())
}

/// Two-fold cross-validation over the judgments of a task (docs/algorithms.md §3): a marked entity is
/// ranked by the model trained with the other half of the marks, any other entity by the mean of both
/// models.
fn rank_with_feedback(graph: &EntityGraph<'_>, task: &FocusTask, entry: &RankerEntry, depth: u8) -> RankedList {
    let options = entry.options(depth);
    let reach = plan_ranking(graph, &task.seeds, &options, &[], None);
    let halves = folds(task, reach.candidates.iter().map(|entity| graph.name(*entity)));
    let scores = halves
        .each_ref()
        .map(|half| plan_ranking(graph, &task.seeds, &options, half, None).ranking().scores().to_vec());
    let members = halves
        .each_ref()
        .map(|half| half.iter().filter_map(|(name, _)| graph.find(name)).collect::<HashSet<EntityId, RandomState>>());
    let score = |(index, entity): (usize, &EntityId)| match members.each_ref().map(|half| half.contains(entity)) {
        [true, _] => scores[1][index],
        [_, true] => scores[0][index],
        _ => f64::midpoint(scores[0][index], scores[1][index]),
    };
    let scores: Vec<f64> = reach.candidates.iter().enumerate().map(score).collect();
    ranked_list(&reach, &scores)
}

fn ranked_list(plan: &RankingPlan<'_>, scores: &[f64]) -> RankedList {
    let order = plan.best_first(scores).into_iter().map(|index| plan.candidates[index]).collect();
    RankedList { order, coherence: plan.analysis.coherence }
}

/// The judgments of a task, as entities of the graph.
struct TaskJudgements<'a> {
    task: &'a FocusTask,
    grades: HashMap<EntityId, f64, RandomState>,
    nonrelevant: HashSet<EntityId, RandomState>,
}

impl<'a> TaskJudgements<'a> {
    fn new(graph: &EntityGraph<'_>, task: &'a FocusTask) -> Self {
        let grades = task.targets.iter().filter_map(|(name, grade)| Some((graph.find(name)?, *grade))).collect();
        let nonrelevant = task.nonrelevant.iter().filter_map(|name| graph.find(name)).collect();
        Self { task, grades, nonrelevant }
    }

    fn count_targets(&self, entities: &[EntityId]) -> usize {
        entities.iter().filter(|entity| self.grades.contains_key(entity)).count()
    }

    fn score(&self, order: &[EntityId], cpu: Duration) -> RankerScore {
        let gains = self.gains(order.iter().take(RANK_CUTOFF));
        let judged = order.iter().filter(|entity| self.is_judged(**entity)).take(RANK_CUTOFF);
        let ndcg_judged = (!self.nonrelevant.is_empty()).then(|| self.gains(judged).ndcg(RANK_CUTOFF));
        RankerScore { ndcg: gains.ndcg_curve(RANK_CUTOFF), ndcg_judged, recall: gains.recall(RANK_CUTOFF), cpu }
    }

    fn gains<'e>(&self, order: impl Iterator<Item = &'e EntityId>) -> RankingGains {
        let grade = |entity: &EntityId| self.grades.get(entity).copied().unwrap_or_default();
        RankingGains::new(order.map(grade).collect(), self.task.targets.values().copied())
    }

    fn is_judged(&self, entity: EntityId) -> bool {
        self.grades.contains_key(&entity) || self.nonrelevant.contains(&entity)
    }
}

/// The CPU time of this thread, which excludes the work of other threads.
pub(crate) fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
