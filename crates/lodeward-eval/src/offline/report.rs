//! Table 1, told.

use std::fmt::Write as _;

use super::{Cell, Counts, PARTS, Split};
use crate::offline::scores::Scores;

/// The paper's own figures: F-measure and accuracy of KNN, NB and SVM.
const PAPER: [(&str, [f64; 6]); 8] = [
    ("+t+r+p+x", [0.6951, 0.7407, 0.7154, 0.7462, 0.7944, 0.7722]),
    ("+t+p+x", [0.6261, 0.6832, 0.7094, 0.7413, 0.7801, 0.7643]),
    ("+t+r+x", [0.6773, 0.7121, 0.7111, 0.7448, 0.7829, 0.7650]),
    ("+t+r+p", [0.7592, 0.7731, 0.7660, 0.7701, 0.8216, 0.7902]),
    ("+r+p+x", [0.6015, 0.7010, 0.6328, 0.7075, 0.6839, 0.7074]),
    ("+t+x", [0.5582, 0.6912, 0.6012, 0.6172, 0.6828, 0.6277]),
    ("+r+p", [0.3953, 0.5810, 0.4874, 0.6097, 0.6790, 0.6424]),
    ("+p+x", [0.4392, 0.5739, 0.6086, 0.6238, 0.6689, 0.6269]),
];

/// Everything as a page of Markdown, with the command that made it. `taught` are
/// the strategies that learn as they crawl, by name.
#[must_use]
pub fn page(title: &str, command: &str, counts: Counts, cells: &[Cell], taught: &[(String, Scores)]) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let Counts { examples, positive } = counts;
    let _ = writeln!(
        page,
        "**Protocol** (LDCOC §6.1). A breadth-first crawl of everything within reach gives {examples} hard URIs, {positive} \
         of which hold RDF; features are what was known of each where it was first found, and its declared media type; \
         labels are those of the manifest. {PARTS} parts, each tested once with what is learned from the others: by \
         chance, or by hosts, so that nobody is tested whose host was seen. *By host*: mean over hosts of the share that \
         is right. *Mixed*: only hosts 10–90 % of which hold RDF. AP: average precision of the ranking.\n"
    );
    paper(&mut page);
    for split in Split::ALL {
        of_split(split, cells, &mut page);
    }
    if !taught.is_empty() {
        of_taught(taught, &mut page);
    }
    page
}

fn paper(page: &mut String) {
    page.push_str(
        "## Table 1 of the paper\n\nF-measure / accuracy.\n\n| features | KNN | NB | SVM |\n|---|--:|--:|--:|\n",
    );
    for (features, [knn_f, knn_a, nb_f, nb_a, svm_f, svm_a]) in PAPER {
        let _ = writeln!(
            page,
            "| {features} | {knn_f:.3} / {knn_a:.3} | {nb_f:.3} / {nb_a:.3} | {svm_f:.3} / {svm_a:.3} |"
        );
    }
    page.push('\n');
}

fn of_split(split: Split, cells: &[Cell], page: &mut String) {
    let heading = match split {
        Split::Random => "Here, parts by chance",
        Split::Hosts => "Here, parts by hosts",
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
        let find = |sort: &str| {
            let wanted = |cell: &&Cell| cell.features == features && cell.sort == sort && cell.split == split;
            cells.iter().find(wanted).map(|cell| cell.scores)
        };
        let sorts = ["knn", "nb", "svm"].map(find);
        let first = sorts.map(|scores| scores.map_or_else(String::new, |scores| whole(&scores)));
        let then = sorts.map(|scores| scores.map_or_else(String::new, |scores| parted(&scores)));
        let _ = writeln!(page, "| {features} | {} | {} |", first.join(" | "), then.join(" | "));
    }
    page.push('\n');
}

fn of_taught(taught: &[(String, Scores)], page: &mut String) {
    page.push_str(
        "## Other evidence, and strategies that learn as they crawl, parts by hosts\n\nThe first is a logistic regression (FTRL, ten passes) on the features that `learned` takes of a link, those of hosts left out. Strategies are taught once, in the order of a breadth-first crawl of \
         the other hosts; then asked without learning. F-measure / accuracy / AP; accuracy by host, and F-measure / \
         accuracy on mixed hosts.\n\n| strategy | all | by host, mixed |\n|---|--:|--:|\n",
    );
    for (name, scores) in taught {
        let _ = writeln!(page, "| {name} | {} | {} |", whole(scores), parted(scores));
    }
    page.push('\n');
}

fn whole(scores: &Scores) -> String {
    format!("{:.3} / {:.3} / {:.3}", scores.f1, scores.accuracy, scores.average_precision)
}

fn parted(scores: &Scores) -> String {
    format!("{:.3}, {:.3} / {:.3}", scores.accuracy_by_host, scores.f1_mixed, scores.accuracy_mixed)
}

/// Every figure.
#[must_use]
pub fn csv(cells: &[Cell], taught: &[(String, Scores)]) -> String {
    let mut out = "features,classifier,split,predictions,f1,accuracy,average_precision,accuracy_by_host,f1_mixed,\
                   accuracy_mixed\n"
        .to_owned();
    let mut line = |features: &str, sort: &str, split: Split, scores: &Scores| {
        let Scores { predictions, f1, accuracy, average_precision, accuracy_by_host, f1_mixed, accuracy_mixed } =
            scores;
        let _ = writeln!(
            out,
            "{features},{sort},{},{predictions},{f1:.4},{accuracy:.4},{average_precision:.4},{accuracy_by_host:.4},\
             {f1_mixed:.4},{accuracy_mixed:.4}",
            split.name()
        );
    };
    for cell in cells {
        line(&cell.features, cell.sort, cell.split, &cell.scores);
    }
    for (name, scores) in taught {
        line("own", &name.replace(',', ";"), Split::Hosts, scores);
    }
    out
}
