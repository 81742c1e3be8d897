//! Table 2 of DURAARK D3.6, in its own layout: nDCG@100 for seed lists that are
//! coherent and for those that are not, at either depth.

use std::fmt::Write as _;

use lodeward::rank::RankerKind;
use lodeward::rank::choice::COHERENT;

use super::figures::mean;
use super::{Direct, RankerEntry, TaskRun};

/// What the paper has: a depth, then `EJSim+`, `EJSim`, `NJSim`, NB and `PageRank` for Γ < 0.5
/// and for Γ ≥ 0.5.
const PAPER: [(u8, [[f64; 5]; 2]); 2] = [
    (2, [[0.7446, 0.7364, 0.5752, 0.6955, 0.5346], [0.6876, 0.6802, 0.5193, 0.5273, 0.4408]]),
    (3, [[0.6928, 0.6382, 0.6608, 0.6612, 0.5722], [0.5831, 0.5740, 0.5197, 0.4821, 0.4166]]),
];

/// The columns of the paper.
const COLUMNS: [RankerKind; 5] =
    [RankerKind::EjsimPlus, RankerKind::Ejsim, RankerKind::Njsim, RankerKind::Nb, RankerKind::Pagerank];

/// Writes the table of a world, for all depths that were tried.
pub(super) fn write(page: &mut String, entries: &[RankerEntry], runs: &[&Direct]) {
    let columns = columns(entries);
    page.push_str("### Table 2: nDCG@100 by coherence\n\n");
    for run in runs {
        let names = columns.iter().map(|place| format!("{} ({})", entries[*place].name, run.depth));
        let _ = writeln!(page, "| Coherence | {} |", names.collect::<Vec<_>>().join(" | "));
        let _ = writeln!(page, "|---|{}", "--:|".repeat(columns.len()));
        for is_coherent in [false, true] {
            let is_such = |task: &TaskRun| (task.coherence >= COHERENT) == is_coherent;
            let tasks = run.tasks.iter().filter(|task| is_such(task)).count();
            let cell = |place: &usize| match tasks {
                0 => "–".to_owned(),
                _ => format!("{:.4}", run.mean_of(*place, is_such, |score| score.ndcg_at(100))),
            };
            let row = class(is_coherent);
            let cells: Vec<String> = columns.iter().map(cell).collect();
            let _ = writeln!(page, "| Γ {row} 0.5 ({tasks} tasks) | {} |", cells.join(" | "));
            let printed = columns.iter().map(|place| printed(&entries[*place], run.depth, is_coherent));
            let _ = writeln!(page, "| *the paper, Γ {row} 0.5* | {} |", printed.collect::<Vec<_>>().join(" | "));
        }
        let coherence = mean(run.tasks.iter().map(|task| task.coherence));
        let _ = writeln!(page, "\nMean Γ {coherence:.3}.\n");
    }
}

fn class(is_coherent: bool) -> &'static str {
    if is_coherent { "≥" } else { "<" }
}

/// Rankers in the order of the paper, then those it does not have.
fn columns(entries: &[RankerEntry]) -> Vec<usize> {
    let place = |entry: &RankerEntry| {
        let known = COLUMNS.iter().position(|kind| Some(*kind) == entry.kind);
        known.unwrap_or(COLUMNS.len())
    };
    let mut columns: Vec<usize> = (0..entries.len()).collect();
    columns.sort_by_key(|column| place(&entries[*column]));
    columns
}

/// What the paper has for a ranker, if it has it.
fn printed(entry: &RankerEntry, depth: u8, is_coherent: bool) -> String {
    let row = PAPER.iter().find(|(known, _)| *known == depth).map(|(_, rows)| rows[usize::from(is_coherent)]);
    let column = COLUMNS.iter().position(|kind| Some(*kind) == entry.kind);
    match (row, column) {
        (Some(row), Some(column)) => format!("*{:.4}*", row[column]),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Score;
    use super::*;

    #[test]
    fn the_table_has_the_paper_beside_each_class() {
        let entries: Vec<RankerEntry> =
            ["hybrid", "ejsim", "ejsim+"].iter().map(|name| name.parse().unwrap()).collect();
        let task = |coherence: f64, ndcg: f64| TaskRun {
            id: String::new(),
            coherence,
            candidates: 1,
            targets: 1,
            targets_within_reach: 1,
            scores: [ndcg, ndcg / 2.0, ndcg / 4.0]
                .map(|ndcg| Score { ndcg: vec![ndcg; 100], ..Score::default() })
                .into(),
        };
        let run =
            Direct { world: "w".to_owned(), depth: 2, tasks: vec![task(0.5, 0.8), task(0.75, 0.4), task(0.25, 0.2)] };

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
