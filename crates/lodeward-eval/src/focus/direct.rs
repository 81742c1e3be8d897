//! Rankers on graphs that are known in full, without a crawl.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::fast::RandomState;
use lodeward::rank::{Answer, EntityGraph, EntityId, RankerKind, answer};
use rustix::time::{ClockId, clock_gettime};

use super::folds::folds;
use super::{Gains, RankerEntry, Task, World};
use crate::parallel;

/// Rankings are looked at as far as this.
pub const PLACES: usize = 100;

/// How rankers did in a world, so many links from the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct {
    /// The name of the world.
    pub world: String,
    /// How far candidates may be from the seeds.
    pub depth: u8,
    /// Each task.
    pub tasks: Vec<TaskRun>,
}

/// How rankers did on a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRun {
    /// Which task.
    pub id: String,
    /// How coherent its seeds are (Γ), as measured in the graph.
    pub coherence: f64,
    /// How many candidates there are.
    pub candidates: usize,
    /// How many targets there are.
    pub targets: usize,
    /// How many of them are candidates.
    pub targets_within_reach: usize,
    /// How everybody did, in the order in which they were named.
    pub scores: Vec<Score>,
}

/// How a ranker did on a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// nDCG at every place up to [`PLACES`].
    pub ndcg: Vec<f64>,
    /// nDCG@100 among those who were judged, whoever stands between them. Nothing
    /// if nobody was judged not to be relevant.
    pub ndcg_judged: Option<f64>,
    /// The share of the targets among the first 100.
    pub recall: f64,
    /// The CPU time: seed analysis, and ranking of all candidates.
    pub cpu: Duration,
}

impl Score {
    /// nDCG at a place, counted from 1.
    #[must_use]
    pub fn ndcg_at(&self, place: usize) -> f64 {
        self.ndcg.get(place.wrapping_sub(1)).copied().unwrap_or_default()
    }
}

/// Has everybody rank the candidates of all tasks. Whenever a task is done, `told`
/// hears of how many that makes how many.
#[must_use]
pub fn run(
    world: &World,
    entries: &[RankerEntry],
    depth: u8,
    jobs: Option<NonZero<usize>>,
    told: impl Fn(usize, usize) + Sync,
) -> Direct {
    let graph = world.gathering.graph();
    let done = AtomicUsize::new(0);
    let tasks = parallel::map(&world.tasks, jobs, |task| {
        let run = run_task(&graph, task, entries, depth);
        told(done.fetch_add(1, Ordering::Relaxed) + 1, world.tasks.len());
        run
    });
    Direct { world: world.name.clone(), depth, tasks }
}

fn run_task(graph: &EntityGraph<'_>, task: &Task, entries: &[RankerEntry], depth: u8) -> TaskRun {
    let judgments = Judgments::new(graph, task);
    let mut run = TaskRun {
        id: task.id.clone(),
        coherence: 0.0,
        candidates: 0,
        targets: task.targets.len(),
        targets_within_reach: 0,
        scores: Vec::new(),
    };
    for entry in entries {
        let began_at = cpu_time();
        let ranked = match entry.kind {
            Some(RankerKind::Nb) => taught(graph, task, entry, depth),
            _ => untaught(graph, task, entry, depth),
        };
        let cpu = cpu_time().saturating_sub(began_at);
        run.coherence = ranked.coherence;
        run.candidates = ranked.order.len();
        run.targets_within_reach = judgments.targets_among(&ranked.order);
        run.scores.push(judgments.score(&ranked.order, cpu));
    }
    run
}

/// Candidates, the best first.
struct Ranked {
    order: Vec<EntityId>,
    coherence: f64,
}

fn untaught(graph: &EntityGraph<'_>, task: &Task, entry: &RankerEntry, depth: u8) -> Ranked {
    let answer = answer(graph, &task.seeds, &entry.options(depth), &[], None);
    let ranking = answer.ranking();
    in_order(&answer, ranking.scores())
}

/// Everybody who is marked is ranked by what was learned from the other half of
/// the marks; all others by the mean of both (ALGORITHMS §3: “2-fold over each
/// task's judgments”).
fn taught(graph: &EntityGraph<'_>, task: &Task, entry: &RankerEntry, depth: u8) -> Ranked {
    let options = entry.options(depth);
    let reach = answer(graph, &task.seeds, &options, &[], None);
    let halves = folds(task, reach.candidates.iter().map(|entity| graph.name(*entity)));
    let scores =
        halves.each_ref().map(|half| answer(graph, &task.seeds, &options, half, None).ranking().scores().to_vec());
    let members = halves
        .each_ref()
        .map(|half| half.iter().filter_map(|(name, _)| graph.find(name)).collect::<HashSet<EntityId, RandomState>>());
    let score = |(place, entity): (usize, &EntityId)| match members.each_ref().map(|half| half.contains(entity)) {
        [true, _] => scores[1][place],
        [_, true] => scores[0][place],
        _ => f64::midpoint(scores[0][place], scores[1][place]),
    };
    let scores: Vec<f64> = reach.candidates.iter().enumerate().map(score).collect();
    in_order(&reach, &scores)
}

fn in_order(answer: &Answer<'_>, scores: &[f64]) -> Ranked {
    let order = answer.best_first(scores).into_iter().map(|place| answer.candidates[place]).collect();
    Ranked { order, coherence: answer.analysis.coherence }
}

/// What is known of the entities of a task.
struct Judgments<'a> {
    task: &'a Task,
    grades: HashMap<EntityId, f64, RandomState>,
    nonrelevant: HashSet<EntityId, RandomState>,
}

impl<'a> Judgments<'a> {
    fn new(graph: &EntityGraph<'_>, task: &'a Task) -> Self {
        let grades = task.targets.iter().filter_map(|(name, grade)| Some((graph.find(name)?, *grade))).collect();
        let nonrelevant = task.nonrelevant.iter().filter_map(|name| graph.find(name)).collect();
        Self { task, grades, nonrelevant }
    }

    fn targets_among(&self, entities: &[EntityId]) -> usize {
        entities.iter().filter(|entity| self.grades.contains_key(entity)).count()
    }

    fn score(&self, order: &[EntityId], cpu: Duration) -> Score {
        let gains = self.gains(order.iter().take(PLACES));
        let judged = order.iter().filter(|entity| self.is_judged(**entity)).take(PLACES);
        let ndcg_judged = (!self.nonrelevant.is_empty()).then(|| self.gains(judged).ndcg(PLACES));
        Score { ndcg: gains.ndcg_curve(PLACES), ndcg_judged, recall: gains.recall(PLACES), cpu }
    }

    fn gains<'e>(&self, order: impl Iterator<Item = &'e EntityId>) -> Gains {
        let grade = |entity: &EntityId| self.grades.get(entity).copied().unwrap_or_default();
        Gains::new(order.map(grade).collect(), self.task.targets.values().copied())
    }

    fn is_judged(&self, entity: EntityId) -> bool {
        self.grades.contains_key(&entity) || self.nonrelevant.contains(&entity)
    }
}

/// The CPU time of this thread: what somebody else does meanwhile does not count.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
