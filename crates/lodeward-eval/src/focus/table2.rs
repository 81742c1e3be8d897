//! Table 2 of DURAARK D3.6 in its own layout: nDCG@100 for coherent and incoherent seed lists, at each
//! depth.

use std::fmt::Write as _;

use lodeward_focus::rank::RankerKind;
use lodeward_focus::rank::ranker_choice::COHERENCE_THRESHOLD;

use super::{DirectRanking, RankerEntry, TaskRun};
use crate::numbers::mean;

/// The figures of the paper: a depth, then `EJSim+`, `EJSim`, `NJSim`, NB and `PageRank` for Γ < 0.5 and
/// for Γ ≥ 0.5.
const PAPER_FIGURES: [(u8, [[f64; 5]; 2]); 2] = [
    (2, [[0.7446, 0.7364, 0.5752, 0.6955, 0.5346], [0.6876, 0.6802, 0.5193, 0.5273, 0.4408]]),
    (3, [[0.6928, 0.6382, 0.6608, 0.6612, 0.5722], [0.5831, 0.5740, 0.5197, 0.4821, 0.4166]]),
];

/// The rankers in the columns of the paper's Table 2.
const PAPER_COLUMNS: [RankerKind; 5] =
    [RankerKind::EjsimPlus, RankerKind::Ejsim, RankerKind::Njsim, RankerKind::Nb, RankerKind::Pagerank];

/// Writes the table of a world for all depths.
pub(super) fn write(page: &mut String, entries: &[RankerEntry], runs: &[&DirectRanking]) {
    let columns = column_order(entries);
    page.push_str("### Table 2: nDCG@100 by coherence\n\n");
    for run in runs {
        let names = columns.iter().map(|index| format!("{} ({})", entries[*index].name, run.depth));
        let _ = writeln!(page, "| Coherence | {} |", names.collect::<Vec<_>>().join(" | "));
        let _ = writeln!(page, "|---|{}", "--:|".repeat(columns.len()));
        for is_coherent in [false, true] {
            let is_in_row = |task: &TaskRun| (task.coherence >= COHERENCE_THRESHOLD) == is_coherent;
            let tasks = run.tasks.iter().filter(|task| is_in_row(task)).count();
            let cell = |index: &usize| match tasks {
                0 => "–".to_owned(),
                _ => format!("{:.4}", run.mean_where(*index, is_in_row, |score| score.ndcg_at(100))),
            };
            let row = coherence_symbol(is_coherent);
            let cells: Vec<String> = columns.iter().map(cell).collect();
            let _ = writeln!(page, "| Γ {row} 0.5 ({tasks} tasks) | {} |", cells.join(" | "));
            let printed = columns.iter().map(|index| paper_figure(&entries[*index], run.depth, is_coherent));
            let _ = writeln!(page, "| *the paper, Γ {row} 0.5* | {} |", printed.collect::<Vec<_>>().join(" | "));
        }
        let coherence = mean(run.tasks.iter().map(|task| task.coherence));
        let _ = writeln!(page, "\nMean Γ {coherence:.3}.\n");
    }
}

fn coherence_symbol(is_coherent: bool) -> &'static str {
    if is_coherent { "≥" } else { "<" }
}

/// Indices of the rankers: first those of the paper, in its order, then the others.
fn column_order(entries: &[RankerEntry]) -> Vec<usize> {
    let index = |entry: &RankerEntry| {
        let known = PAPER_COLUMNS.iter().position(|kind| Some(*kind) == entry.kind);
        known.unwrap_or(PAPER_COLUMNS.len())
    };
    let mut columns: Vec<usize> = (0..entries.len()).collect();
    columns.sort_by_key(|column| index(&entries[*column]));
    columns
}

/// The nDCG@100 of a ranker in the paper, in italics; empty if the paper does not have it.
fn paper_figure(entry: &RankerEntry, depth: u8, is_coherent: bool) -> String {
    let row = PAPER_FIGURES.iter().find(|(known, _)| *known == depth).map(|(_, rows)| rows[usize::from(is_coherent)]);
    let column = PAPER_COLUMNS.iter().position(|kind| Some(*kind) == entry.kind);
    match (row, column) {
        (Some(row), Some(column)) => format!("*{:.4}*", row[column]),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::RankerScore;
    use super::*;

    #[test]
    fn the_table_has_the_figures_of_the_paper_below_each_row() {
        let entries: Vec<RankerEntry> =
            ["hybrid", "ejsim", "ejsim+"].iter().map(|name| name.parse().unwrap()).collect();
        let task = |coherence: f64, ndcg: f64| TaskRun {
            id: String::new(),
            coherence,
            candidates: 1,
            targets: 1,
            reachable_targets: 1,
            scores: [ndcg, ndcg / 2.0, ndcg / 4.0]
                .map(|ndcg| RankerScore { ndcg: vec![ndcg; 100], ..RankerScore::default() })
                .into(),
        };
        let run = DirectRanking {
            world: "w".to_owned(),
            depth: 2,
            tasks: vec![task(0.5, 0.8), task(0.75, 0.4), task(0.25, 0.2)],
        };

        let mut page = String::new();
        write(&mut page, &entries, &[&run]);

        let expected = "\
| Coherence | ejsim+ (2) | ejsim (2) | hybrid (2) |
|---|--:|--:|--:|
| Γ < 0.5 (1 tasks) | 0.0500 | 0.1000 | 0.2000 |
| *the paper, Γ < 0.5* | *0.7446* | *0.7364* |  |
| Γ ≥ 0.5 (2 tasks) | 0.1500 | 0.3000 | 0.6000 |
| *the paper, Γ ≥ 0.5* | *0.6876* | *0.6802* |  |
";
        assert!(page.contains(expected), "{page}");
    }
}
