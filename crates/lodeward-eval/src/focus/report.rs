//! How it is told: a page of Markdown.

use std::fmt::Write as _;

use super::direct::PLACES;
use super::figures::mean;
use super::{Crawls, Difference, Direct, RankerEntry, table2};
use crate::ground::to_f64;

/// What there is to tell.
pub struct Report<'a> {
    /// The command that made it.
    pub command: String,
    /// Who ranked.
    pub entries: &'a [RankerEntry],
    /// What came of it, world by world, by depth.
    pub direct: &'a [Direct],
    /// What came of crawls, web by web.
    pub crawls: &'a [Crawls],
    /// After how many requests crawls are looked at.
    pub requests: &'a [usize],
    /// Where the chance of intervals comes from.
    pub seed: u64,
}

impl Report<'_> {
    /// The names of worlds, in their order.
    pub(super) fn worlds(&self) -> Vec<&str> {
        let mut worlds: Vec<&str> = self.direct.iter().map(|direct| direct.world.as_str()).collect();
        worlds.dedup();
        worlds
    }

    /// The runs of a world, by depth.
    pub(super) fn runs(&self, world: &str) -> Vec<&Direct> {
        self.direct.iter().filter(|direct| direct.world == world).collect()
    }
}

/// Everything as a page of Markdown.
#[must_use]
pub fn page(report: &Report<'_>) -> String {
    let mut page = format!("# Focused crawls\n\nMade by `{}`.\n\n", report.command);
    page.push_str(
        "**On the graph.** Every ranker ranks all entities that are at most *depth* links from a seed, seeds aside. \
         nDCG as in DURAARK D3.6 §2.5.4; the ideal has all targets, also those that are farther away. *Judged*: \
         nDCG@100 among the entities that people judged, the others taken out. *Recall*: targets among the first 100, \
         of all. *Ahead*: by how much the first ranker is better in nDCG@100, with the 95 % interval of a paired \
         bootstrap over tasks (10,000 draws); an asterisk if zero is outside. CPU: seed analysis and ranking, per task. \
         `nb` is taught half of the judgments of each task to rank the other half.\n\n",
    );
    for world in report.worlds() {
        let _ = writeln!(page, "## {world}\n");
        let runs = report.runs(world);
        for run in &runs {
            rankers(&mut page, report, run);
        }
        table2::write(&mut page, report.entries, &runs);
    }
    if !report.crawls.is_empty() {
        crawls(&mut page, report);
    }
    page
}

fn crawls(page: &mut String, report: &Report<'_>) {
    page.push_str(
        "## As crawls\n\nEvery task is a crawl of a recorded web with the real engine, from its seeds (which count as \
         requests), one request at a time. A crawler knows of an entity what the documents say that it has fetched. \
         *Recall*: the share of all targets that were fetched after so many requests, mean over tasks. *Ahead*: by how \
         much the first strategy has more after the last of them.\n\n",
    );
    for crawls in report.crawls {
        let _ = writeln!(page, "### {} ({} tasks)\n", crawls.web, crawls.tasks.len());
        let heads: Vec<String> = report.requests.iter().map(|requests| format!("recall@{requests}")).collect();
        let _ = writeln!(page, "| strategy | {} | ahead | requests | in the strategy |", heads.join(" | "));
        let _ = writeln!(page, "|---|{}", "--:|".repeat(heads.len() + 3));
        for (place, strategy) in crawls.strategies.iter().enumerate() {
            let recalls = report.requests.iter().map(|requests| figure(crawls.recall(place, *requests), false));
            let recalls: Vec<String> = recalls.collect();
            let ahead = if place == 0 { String::new() } else { further(report, crawls, place) };
            let requests = mean(crawls.tasks.iter().map(|task| to_f64(task.crawls[place].requests)));
            let time = mean(crawls.tasks.iter().map(|task| task.crawls[place].strategy_time.as_secs_f64()));
            let _ = writeln!(page, "| {strategy} | {} | {ahead} | {requests:.0} | {time:.2} s |", recalls.join(" | "));
        }
        page.push('\n');
    }
}

/// By how much the first strategy has more than another.
fn further(report: &Report<'_>, crawls: &Crawls, other: usize) -> String {
    let requests = report.requests.last().copied().unwrap_or_default();
    let each = |place: usize| crawls.tasks.iter().map(|task| task.recall(place, requests)).collect::<Vec<_>>();
    told(&Difference::paired(&each(0), &each(other), report.seed))
}

fn rankers(page: &mut String, report: &Report<'_>, run: &Direct) {
    let sum = |count: fn(&super::TaskRun) -> usize| run.tasks.iter().map(count).sum::<usize>();
    let (targets, near) = (sum(|task| task.targets), sum(|task| task.targets_within_reach));
    let candidates = sum(|task| task.candidates) / run.tasks.len().max(1);
    let _ = writeln!(
        page,
        "### Depth {}\n\n{} tasks, {targets} targets, {near} of them within {} links; {candidates} candidates on \
         average.\n\n| ranker | nDCG@10 | nDCG@100 | judged | recall@100 | ahead | CPU |\n|---|--:|--:|--:|--:|--:|--:|",
        run.depth,
        run.tasks.len(),
        run.depth
    );
    let best = best(report, run);
    for (place, entry) in report.entries.iter().enumerate() {
        let ndcg = |at: usize| figure(run.mean(place, |score| score.ndcg_at(at)), Some(place) == best && at == PLACES);
        let judged = run.ndcg_judged(place).map_or_else(|| "–".to_owned(), |judged| figure(judged, false));
        let recall = figure(run.mean(place, |score| score.recall), false);
        let ahead = if place == 0 { String::new() } else { ahead(report, run, place) };
        let cpu = run.cpu(place).as_secs_f64() * 1e3;
        let _ = writeln!(
            page,
            "| {} | {} | {} | {judged} | {recall} | {ahead} | {cpu:.0} ms |",
            entry.name,
            ndcg(10),
            ndcg(PLACES)
        );
    }
    page.push('\n');
}

/// Who has the best nDCG@100.
fn best(report: &Report<'_>, run: &Direct) -> Option<usize> {
    let ndcg = |place: &usize| run.mean(*place, |score| score.ndcg_at(PLACES));
    (0..report.entries.len()).max_by(|one, other| ndcg(one).total_cmp(&ndcg(other)))
}

/// By how much the first is better than another.
fn ahead(report: &Report<'_>, run: &Direct, other: usize) -> String {
    let difference = run.difference(0, other, |score| score.ndcg_at(PLACES), report.seed);
    told(&difference)
}

fn told(difference: &Difference) -> String {
    let clear = if difference.is_clear() { "*" } else { "" };
    format!("{} [{}, {}]{clear}", signed(difference.mean), signed(difference.low), signed(difference.high))
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", figure(value.abs(), false))
}

/// A share, without the zero that all of them have.
pub(super) fn figure(value: f64, is_best: bool) -> String {
    let text = format!("{value:.3}");
    let text = text.strip_prefix('0').unwrap_or(&text);
    if is_best { format!("**{text}**") } else { text.to_owned() }
}
