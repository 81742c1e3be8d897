//! The report of the tests of priors.

use std::fmt::Write as _;

use super::{FIRST_REQUESTS, PriorTest};
use crate::metrics::SeedSpread;

/// The report as a Markdown page.
#[must_use]
pub fn page(title: &str, command: &str, tested: &[PriorTest]) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let _ = writeln!(
        page,
        "**Protocol.** Pay-level domains are split into {} parts. `learned` crawls each part with a prior that was trained \
         on the other parts only, and without one; other parts are not reachable. The real engine on a recorded web, \
         delay 0, one request at a time; a GET costs 1, a redirect 1, a HEAD 0.2; labels by the manifest. *First* is the \
         number of RDF documents in the first {FIRST_REQUESTS} requests; AUC is the area under recall over requests, \
         relative to the greedy oracle. Means over seeds.\n",
        tested.len()
    );
    page.push_str("| part | first, without | first, with | AUC, without | AUC, with | difference |\n");
    page.push_str("|---|--:|--:|--:|--:|--:|\n");
    let mut row = |name: &str, first: &[(f64, f64)], auc: &[(f64, f64)]| {
        let mean =
            |pairs: &[(f64, f64)], side: fn(&(f64, f64)) -> f64| SeedSpread::from_samples(pairs.iter().map(side)).mean;
        let (without, with) = (mean(auc, |pair| pair.0), mean(auc, |pair| pair.1));
        let _ = writeln!(
            page,
            "| {name} | {:.1} | {:.1} | {without:.3} | {with:.3} | {:+.3} |",
            mean(first, |pair| pair.0),
            mean(first, |pair| pair.1),
            with - without
        );
    };
    for one in tested {
        row(&one.part.to_string(), &one.first, &one.auc);
    }
    let all = |pairs: fn(&PriorTest) -> &Vec<(f64, f64)>| tested.iter().flat_map(pairs).copied().collect::<Vec<_>>();
    row("all", &all(|one| &one.first), &all(|one| &one.auc));
    page.push('\n');
    page
}

/// All figures as CSV, one row for each part and seed.
#[must_use]
pub fn csv(tested: &[PriorTest]) -> String {
    let mut out = "part,seed,first_without,first_with,auc_without,auc_with\n".to_owned();
    for one in tested {
        for (seed, (first, auc)) in one.first.iter().zip(&one.auc).enumerate() {
            let _ = writeln!(out, "{},{seed},{},{},{:.6},{:.6}", one.part, first.0, first.1, auc.0, auc.1);
        }
    }
    out
}
