//! The report of online and offline learning.

use std::fmt::Write as _;

use super::{BUDGET_SHARES, Table2Plan, Table2Row};

/// The report as a Markdown page.
#[must_use]
pub fn page(title: &str, command: &str, plan: &Table2Plan, rows: &[Table2Row]) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let split = plan.parts.map_or_else(
        || {
            "Classifiers are trained with the first hard URIs of a breadth-first crawl of the same web, which their own \
             crawls fetch again, as in the paper."
                .to_owned()
        },
        |parts| {
            format!(
                "The hosts are split into {parts} parts; each part is crawled with classifiers trained on the first hard \
                 URIs of a breadth-first crawl of the others; counts are added up over parts."
            )
        },
    );
    let budget = plan.trial.budget.map_or_else(
        || "the cost of a complete breadth-first crawl".to_owned(),
        |budget| format!("{budget:.0} requests"),
    );
    let _ = writeln!(
        page,
        "**Protocol** (LDCOC §6.2). The percentage of RDF among the fetched hard URIs. The real engine on a recorded \
         web, delay 0, one request at a time; a GET costs 1, a redirect 1, a HEAD 0.2; labels by the manifest. {split} \
         Features +t+r+p. 100 % is {budget}. The paper, after 300,000 URIs: BFS .302; NB .345, KNN .331, SVM .413; LDCOC \
         .655.\n"
    );
    let cuts = BUDGET_SHARES.map(|share| format!("at {:.0} %", 100.0 * share)).join(" | ");
    let _ = writeln!(page, "| crawler | examples | {cuts} | hard | hard RDF | documents | RDF documents |");
    page.push_str("|---|--:|");
    page.push_str(&"--:|".repeat(BUDGET_SHARES.len() + 4));
    page.push('\n');
    for row in rows {
        let examples = row.examples.map_or_else(|| "–".to_owned(), |examples| examples.to_string());
        let cells = row.at.map(|at| format!("{:.3}", at.percentage())).join(" | ");
        let end = row.at[BUDGET_SHARES.len() - 1];
        let _ = writeln!(
            page,
            "| {} | {examples} | {cells} | {} | {} | {} | {} |",
            row.name, end.hard, end.hard_rdf, end.documents, end.rdf
        );
    }
    page.push('\n');
    page
}

/// All figures as CSV, one line for each crawler and budget share.
#[must_use]
pub fn csv(rows: &[Table2Row]) -> String {
    let mut out = "crawler,examples,cut,documents,rdf,hard,hard_rdf,percentage\n".to_owned();
    for row in rows {
        for (cut, at) in BUDGET_SHARES.iter().zip(row.at) {
            let _ = writeln!(
                out,
                "{},{},{cut},{},{},{},{},{:.4}",
                row.name.replace(',', ";"),
                row.examples.map_or_else(String::new, |examples| examples.to_string()),
                at.documents,
                at.rdf,
                at.hard,
                at.hard_rdf,
                at.percentage()
            );
        }
    }
    out
}
