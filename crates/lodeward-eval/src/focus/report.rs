//! The report of an evaluation of focused crawls, in Markdown.

use std::fmt::Write as _;

use super::direct::RANK_CUTOFF;
use super::feedback::{self, FeedbackRun};
use super::{BootstrapDifference, DirectRanking, FocusedCrawls, RankerEntry, table2};
use crate::numbers::{mean, to_f64};

/// The data of a report.
pub struct FocusReport<'a> {
    /// The command line that produced the results.
    pub command: String,
    /// The compared rankers.
    pub entries: &'a [RankerEntry],
    /// The results on graphs, by world and depth.
    pub direct: &'a [DirectRanking],
    /// How marks improve rankings, by world and depth; empty if it was not measured.
    pub feedback: &'a [FeedbackRun],
    /// The results of crawls, by web.
    pub crawls: &'a [FocusedCrawls],
    /// The numbers of requests after which recall is reported.
    pub requests: &'a [usize],
    /// The seed of the bootstrap.
    pub seed: u64,
}

impl FocusReport<'_> {
    /// The distinct names of worlds, in the order of the results.
    pub(super) fn worlds(&self) -> Vec<&str> {
        let mut worlds: Vec<&str> = self.direct.iter().map(|direct| direct.world.as_str()).collect();
        worlds.dedup();
        worlds
    }

    /// The runs of a world, by depth.
    pub(super) fn runs(&self, world: &str) -> Vec<&DirectRanking> {
        self.direct.iter().filter(|direct| direct.world == world).collect()
    }
}

/// The report as a Markdown page.
#[must_use]
pub fn page(report: &FocusReport<'_>) -> String {
    let mut page = format!("# Focused crawls\n\nMade by `{}`.\n\n", report.command);
    page.push_str(
        "**On the graph.** Every ranker ranks all entities that are at most *depth* links from a seed, without the \
         seeds. nDCG as in DURAARK D3.6 §2.5.4; the ideal ranking has all targets, including those that are farther \
         away. *Judged*: nDCG@100 among the judged entities only. *Recall*: share of all targets among the first 100. \
         *Ahead*: how much better the first ranker is in nDCG@100, with the 95 % interval of a paired bootstrap over \
         tasks (10,000 samples); an asterisk if the interval excludes zero. CPU: seed analysis and ranking, per task. \
         `nb` is trained with half of the judgments of each task to rank the other half.\n\n",
    );
    for world in report.worlds() {
        let _ = writeln!(page, "## {world}\n");
        let runs = report.runs(world);
        for run in &runs {
            write_rankers(&mut page, report, run);
        }
        table2::write(&mut page, report.entries, &runs);
    }
    if !report.feedback.is_empty() {
        feedback::write(&mut page, report.feedback, report.seed);
    }
    if !report.crawls.is_empty() {
        write_crawls(&mut page, report);
    }
    page
}

fn write_crawls(page: &mut String, report: &FocusReport<'_>) {
    page.push_str(
        "## As crawls\n\nEvery task is a crawl of a recorded web with the real engine, from its seeds (which count as \
         requests), one request at a time. A crawler knows of an entity only what the fetched documents state. \
         *Recall*: share of all targets that are fetched after the given number of requests, mean over tasks. *Ahead*: \
         how much higher the recall of the first strategy is after the last of these numbers.\n\n",
    );
    for crawls in report.crawls {
        let _ = writeln!(page, "### {} ({} tasks)\n", crawls.web, crawls.tasks.len());
        let heads: Vec<String> = report.requests.iter().map(|requests| format!("recall@{requests}")).collect();
        let _ = writeln!(page, "| strategy | {} | ahead | requests | in the strategy |", heads.join(" | "));
        let _ = writeln!(page, "|---|{}", "--:|".repeat(heads.len() + 3));
        for (index, strategy) in crawls.strategies.iter().enumerate() {
            let recalls = report.requests.iter().map(|requests| format_share(crawls.recall(index, *requests), false));
            let recalls: Vec<String> = recalls.collect();
            let ahead = if index == 0 { String::new() } else { recall_difference(report, crawls, index) };
            let requests = mean(crawls.tasks.iter().map(|task| to_f64(task.crawls[index].requests)));
            let time = mean(crawls.tasks.iter().map(|task| task.crawls[index].strategy_time.as_secs_f64()));
            let _ = writeln!(page, "| {strategy} | {} | {ahead} | {requests:.0} | {time:.2} s |", recalls.join(" | "));
        }
        page.push('\n');
    }
}

/// The difference in recall of the first strategy and another one.
fn recall_difference(report: &FocusReport<'_>, crawls: &FocusedCrawls, other: usize) -> String {
    let requests = report.requests.last().copied().unwrap_or_default();
    let each = |index: usize| crawls.tasks.iter().map(|task| task.recall(index, requests)).collect::<Vec<_>>();
    format_difference(&BootstrapDifference::paired(&each(0), &each(other), report.seed))
}

fn write_rankers(page: &mut String, report: &FocusReport<'_>, run: &DirectRanking) {
    let sum = |count: fn(&super::TaskRun) -> usize| run.tasks.iter().map(count).sum::<usize>();
    let (targets, near) = (sum(|task| task.targets), sum(|task| task.reachable_targets));
    let candidates = sum(|task| task.candidates) / run.tasks.len().max(1);
    let _ = writeln!(
        page,
        "### Depth {}\n\n{} tasks, {targets} targets, {near} of them within {} links; {candidates} candidates on \
         average.\n\n| ranker | nDCG@10 | nDCG@100 | judged | recall@100 | ahead | CPU |\n|---|--:|--:|--:|--:|--:|--:|",
        run.depth,
        run.tasks.len(),
        run.depth
    );
    let best = best_ranker(report, run);
    for (index, entry) in report.entries.iter().enumerate() {
        let ndcg = |at: usize| {
            format_share(run.mean(index, |score| score.ndcg_at(at)), Some(index) == best && at == RANK_CUTOFF)
        };
        let judged = run.ndcg_judged(index).map_or_else(|| "–".to_owned(), |judged| format_share(judged, false));
        let recall = format_share(run.mean(index, |score| score.recall), false);
        let ahead = if index == 0 { String::new() } else { ndcg_difference(report, run, index) };
        let cpu = run.cpu(index).as_secs_f64() * 1e3;
        let _ = writeln!(
            page,
            "| {} | {} | {} | {judged} | {recall} | {ahead} | {cpu:.0} ms |",
            entry.name,
            ndcg(10),
            ndcg(RANK_CUTOFF)
        );
    }
    page.push('\n');
}

/// The ranker with the best nDCG@100.
fn best_ranker(report: &FocusReport<'_>, run: &DirectRanking) -> Option<usize> {
    let ndcg = |index: &usize| run.mean(*index, |score| score.ndcg_at(RANK_CUTOFF));
    (0..report.entries.len()).max_by(|one, other| ndcg(one).total_cmp(&ndcg(other)))
}

/// The difference in nDCG@100 of the first ranker and another one.
fn ndcg_difference(report: &FocusReport<'_>, run: &DirectRanking, other: usize) -> String {
    let difference = run.difference(0, other, |score| score.ndcg_at(RANK_CUTOFF), report.seed);
    format_difference(&difference)
}

fn format_difference(difference: &BootstrapDifference) -> String {
    let mark = if difference.is_significant() { "*" } else { "" };
    format!(
        "{} [{}, {}]{mark}",
        format_signed(difference.mean),
        format_signed(difference.low),
        format_signed(difference.high)
    )
}

fn format_signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", format_share(value.abs(), false))
}

/// Formats a share with three decimals and without its leading zero, in bold if it is the best.
pub(super) fn format_share(value: f64, is_best: bool) -> String {
    let text = format!("{value:.3}");
    let text = text.strip_prefix('0').unwrap_or(&text);
    if is_best { format!("**{text}**") } else { text.to_owned() }
}
