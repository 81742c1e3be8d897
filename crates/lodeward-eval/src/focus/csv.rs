//! All figures as CSV: one row for each task, ranker and figure.

use super::report::FocusReport;
use crate::report::csv::CsvTable;

/// All figures: `world,depth,task,ranker,figure,value`. For crawls, the world is the web, the ranker is
/// the strategy, and the depth is empty.
#[must_use]
pub fn rows(report: &FocusReport<'_>) -> String {
    let mut table = CsvTable::new(["world", "depth", "task", "ranker", "figure", "value"]);
    for run in report.direct {
        for task in &run.tasks {
            let mut row = |ranker: &str, figure: &str, value: f64| {
                table.row([&run.world, &run.depth.to_string(), &task.id, ranker, figure, &format!("{value:.6}")]);
            };
            row("", "coherence", task.coherence);
            for (entry, score) in report.entries.iter().zip(&task.scores) {
                row(&entry.name, "ndcg@10", score.ndcg_at(10));
                row(&entry.name, "ndcg@100", score.ndcg_at(100));
                if let Some(judged) = score.ndcg_judged {
                    row(&entry.name, "ndcg@100-judged", judged);
                }
                row(&entry.name, "recall@100", score.recall);
                row(&entry.name, "cpu-ms", score.cpu.as_secs_f64() * 1e3);
            }
        }
    }
    for crawls in report.crawls {
        for task in &crawls.tasks {
            for (index, strategy) in crawls.strategies.iter().enumerate() {
                for requests in report.requests {
                    let figure = format!("crawl-recall@{requests}");
                    let recall = format!("{:.6}", task.recall(index, *requests));
                    table.row([&crawls.web, "", &task.id, strategy, &figure, &recall]);
                }
            }
        }
    }
    table.into_text()
}
