//! All figures as CSV: one row for each task, ranker and figure.

use std::fmt::Write as _;

use super::report::FocusReport;

/// All figures: `world,depth,task,ranker,figure,value`. For crawls, the world is the web, the ranker is
/// the strategy, and the depth is empty.
#[must_use]
pub fn rows(report: &FocusReport<'_>) -> String {
    let mut text = String::from("world,depth,task,ranker,figure,value\n");
    for run in report.direct {
        for task in &run.tasks {
            let mut row = |ranker: &str, figure: &str, value: f64| {
                let (world, task) = (quoted(&run.world), quoted(&task.id));
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{world},{},{task},{ranker},{figure},{value:.6}", run.depth);
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
                let (web, id, strategy) = (quoted(&crawls.web), quoted(&task.id), quoted(strategy));
                for requests in report.requests {
                    let recall = task.recall(index, *requests);
                    let _ = writeln!(text, "{web},,{id},{strategy},crawl-recall@{requests},{recall:.6}");
                }
            }
        }
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
