//! Table 2, told.

use std::fmt::Write as _;

use super::{CUTS, Plan, Row};

/// The table as a page of Markdown, with the command that made it.
#[must_use]
pub fn page(title: &str, command: &str, plan: &Plan, rows: &[Row]) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let parted = plan.parts.map_or_else(
        || {
            "Classifiers are trained with the first hard URIs of a breadth-first crawl of the same web, which their own \
             crawls meet again, as in the paper."
                .to_owned()
        },
        |parts| {
            format!(
                "Hosts are parted into {parts}; each part is crawled with classifiers trained on the first hard URIs of a \
                 breadth-first crawl of the others; counts are added up over parts."
            )
        },
    );
    let spent = plan.trial.budget.map_or_else(
        || "what a breadth-first crawl spends until nothing is left".to_owned(),
        |budget| format!("{budget:.0} requests"),
    );
    let _ = writeln!(
        page,
        "**Protocol** (LDCOC §6.2). The percentage of RDF among the hard URIs retrieved. The real engine on a recorded \
         web, delay 0, one request at a time; a GET costs 1, a redirect 1, a HEAD 0.2; labels by the manifest. {parted} \
         Features +t+r+p. 100 % are {spent}. The paper, after 300,000 URIs: BFS .302; NB .345, KNN .331, SVM .413; LDCOC \
         .655.\n"
    );
    let cuts = CUTS.map(|cut| format!("at {:.0} %", 100.0 * cut)).join(" | ");
    let _ = writeln!(page, "| crawler | examples | {cuts} | hard | hard RDF | documents | RDF documents |");
    page.push_str("|---|--:|");
    page.push_str(&"--:|".repeat(CUTS.len() + 4));
    page.push('\n');
    for row in rows {
        let examples = row.examples.map_or_else(|| "–".to_owned(), |examples| examples.to_string());
        let cells = row.at.map(|at| format!("{:.3}", at.percentage())).join(" | ");
        let end = row.at[CUTS.len() - 1];
        let _ = writeln!(
            page,
            "| {} | {examples} | {cells} | {} | {} | {} | {} |",
            row.name, end.hard, end.hard_rdf, end.documents, end.rdf
        );
    }
    page.push('\n');
    page
}

/// Every figure: a line for each row and cut.
#[must_use]
pub fn csv(rows: &[Row]) -> String {
    let mut out = "crawler,examples,cut,documents,rdf,hard,hard_rdf,percentage\n".to_owned();
    for row in rows {
        for (cut, at) in CUTS.iter().zip(row.at) {
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
