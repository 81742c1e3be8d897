//! The report of predictions without crawling.

use std::fmt::Write as _;

use super::{ExampleSplit, OfflineCell, OfflineCounts, PARTS};
use crate::offline::scores::PredictionScores;

/// The figures of the paper: F-measure and accuracy of KNN, NB and SVM.
const PAPER_SCORES: [(&str, [f64; 6]); 8] = [
    ("+t+r+p+x", [0.6951, 0.7407, 0.7154, 0.7462, 0.7944, 0.7722]),
    ("+t+p+x", [0.6261, 0.6832, 0.7094, 0.7413, 0.7801, 0.7643]),
    ("+t+r+x", [0.6773, 0.7121, 0.7111, 0.7448, 0.7829, 0.7650]),
    ("+t+r+p", [0.7592, 0.7731, 0.7660, 0.7701, 0.8216, 0.7902]),
    ("+r+p+x", [0.6015, 0.7010, 0.6328, 0.7075, 0.6839, 0.7074]),
    ("+t+x", [0.5582, 0.6912, 0.6012, 0.6172, 0.6828, 0.6277]),
    ("+r+p", [0.3953, 0.5810, 0.4874, 0.6097, 0.6790, 0.6424]),
    ("+p+x", [0.4392, 0.5739, 0.6086, 0.6238, 0.6689, 0.6269]),
];

/// The report as a Markdown page. `online` are the strategies that learn online, by name.
#[must_use]
pub fn page(
    title: &str,
    command: &str,
    counts: OfflineCounts,
    cells: &[OfflineCell],
    online: &[(String, PredictionScores)],
) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let OfflineCounts { examples, positive } = counts;
    let _ = writeln!(
        page,
        "**Protocol** (LDCOC §6.1). A breadth-first crawl of everything reachable gives {examples} hard URIs, {positive} \
         of them with RDF. Features are those known when a URI was first found, and its declared media type; labels are \
         those of the manifest. {PARTS} parts, each tested once with a classifier trained on the others: split at \
         random, or by hosts, so that no host is both in training and in test. *By host*: mean accuracy of hosts. \
         *Mixed*: only hosts with 10–90 % RDF. AP: average precision of the ranking.\n"
    );
    write_paper_table(&mut page);
    for split in ExampleSplit::ALL {
        write_split_table(split, cells, &mut page);
    }
    if !online.is_empty() {
        write_online_table(online, &mut page);
    }
    page
}

fn write_paper_table(page: &mut String) {
    page.push_str(
        "## Table 1 of the paper\n\nF-measure / accuracy.\n\n| features | KNN | NB | SVM |\n|---|--:|--:|--:|\n",
    );
    for (features, [knn_f, knn_a, nb_f, nb_a, svm_f, svm_a]) in PAPER_SCORES {
        let _ = writeln!(
            page,
            "| {features} | {knn_f:.3} / {knn_a:.3} | {nb_f:.3} / {nb_a:.3} | {svm_f:.3} / {svm_a:.3} |"
        );
    }
    page.push('\n');
}

fn write_split_table(split: ExampleSplit, cells: &[OfflineCell], page: &mut String) {
    let heading = match split {
        ExampleSplit::Random => "Here, random split",
        ExampleSplit::Hosts => "Here, split by hosts",
    };
    let _ = writeln!(
        page,
        "## {heading}\n\nF-measure / accuracy / AP; then accuracy by host, and F-measure / accuracy on mixed hosts.\n\n\
         | features | KNN | NB | SVM | KNN by host, mixed | NB by host, mixed | SVM by host, mixed |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    );
    let mut names: Vec<&str> = cells.iter().map(|cell| cell.features.as_str()).collect();
    names.dedup();
    for features in names {
        let find = |classifier: &str| {
            let is_cell =
                |cell: &&OfflineCell| cell.features == features && cell.classifier == classifier && cell.split == split;
            cells.iter().find(is_cell).map(|cell| cell.scores)
        };
        let scores = ["knn", "nb", "svm"].map(find);
        let first = scores.map(|scores| scores.map_or_else(String::new, |scores| format_overall(&scores)));
        let then = scores.map(|scores| scores.map_or_else(String::new, |scores| format_by_host(&scores)));
        let _ = writeln!(page, "| {features} | {} | {} |", first.join(" | "), then.join(" | "));
    }
    page.push('\n');
}

fn write_online_table(online: &[(String, PredictionScores)], page: &mut String) {
    page.push_str(
        "## Other evidence, and strategies that learn online, split by hosts\n\nThe first row is a logistic regression \
         (FTRL, ten passes) on the features that `learned` takes of a link, without those of hosts. Strategies are trained \
         once, in the order of a breadth-first crawl of the other hosts, then tested without learning. F-measure / \
         accuracy / AP; accuracy by host, and F-measure / accuracy on mixed hosts.\n\n\
         | strategy | all | by host, mixed |\n|---|--:|--:|\n",
    );
    for (name, scores) in online {
        let _ = writeln!(page, "| {name} | {} | {} |", format_overall(scores), format_by_host(scores));
    }
    page.push('\n');
}

fn format_overall(scores: &PredictionScores) -> String {
    format!("{:.3} / {:.3} / {:.3}", scores.f1, scores.accuracy, scores.average_precision)
}

fn format_by_host(scores: &PredictionScores) -> String {
    format!("{:.3}, {:.3} / {:.3}", scores.accuracy_by_host, scores.f1_mixed, scores.accuracy_mixed)
}

/// All figures as CSV.
#[must_use]
pub fn csv(cells: &[OfflineCell], online: &[(String, PredictionScores)]) -> String {
    let mut out = "features,classifier,split,predictions,f1,accuracy,average_precision,accuracy_by_host,f1_mixed,\
                   accuracy_mixed\n"
        .to_owned();
    let mut line = |features: &str, classifier: &str, split: ExampleSplit, scores: &PredictionScores| {
        let PredictionScores {
            predictions,
            f1,
            accuracy,
            average_precision,
            accuracy_by_host,
            f1_mixed,
            accuracy_mixed,
        } = scores;
        let _ = writeln!(
            out,
            "{features},{classifier},{},{predictions},{f1:.4},{accuracy:.4},{average_precision:.4},{accuracy_by_host:.4},\
             {f1_mixed:.4},{accuracy_mixed:.4}",
            split.name()
        );
    };
    for cell in cells {
        line(&cell.features, cell.classifier, cell.split, &cell.scores);
    }
    for (name, scores) in online {
        line("own", &name.replace(',', ";"), ExampleSplit::Hosts, scores);
    }
    out
}
