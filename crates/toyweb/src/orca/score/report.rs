//! The score itself, for programs and for people.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::harvest::Count;
use crate::orca::OrcaWeb;
use crate::orca::cloud::Kind;

/// How well a crawler did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// All nodes together.
    pub recall: Recall,
    /// The nodes of each kind.
    pub kinds: BTreeMap<String, Recall>,
    /// Every node.
    pub nodes: Vec<NodeScore>,
    /// How well delays were kept; `None` where none was asked for, or nobody
    /// came twice.
    pub delays: Option<Delays>,
    /// Resources that robots.txt forbids.
    pub disallowed: Disallowed,
    /// Requests by kind of node; `elsewhere` is what is no node.
    pub requests: BTreeMap<String, Requests>,
    /// How many quads were brought home.
    pub quads: u64,
    /// Lines of the harvest that are no N-Quads.
    pub unreadable_lines: u64,
}

/// How much of what was expected was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recall {
    /// How many nodes.
    pub nodes: u64,
    /// How much was expected of them.
    pub expected: u64,
    /// How much of that was found.
    pub found: u64,
    /// The share of all that was expected; 1 where nothing was.
    pub micro: f64,
    /// The mean of the nodes' shares, those without expectations left out.
    #[serde(rename = "macro")]
    pub macro_: f64,
}

/// What was found of one node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeScore {
    /// Its host.
    pub host: String,
    /// What it is.
    pub kind: Kind,
    /// How much was expected of it.
    pub expected: u64,
    /// How much of that was found.
    pub found: u64,
    /// The share of that; `None` where nothing was expected.
    pub recall: Option<f64>,
    /// Some of what was not found: triples, titles of datasets, URLs of pages.
    pub missing: Vec<String>,
}

/// How well delays were kept, as multiples of what was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Delays {
    /// The least mean gap of any node.
    pub min: f64,
    /// The largest mean gap of any node.
    pub max: f64,
    /// The mean over nodes.
    pub mean: f64,
    /// The least gap of all; ORCA has no such measure.
    pub gap_min: f64,
    /// How many nodes were asked more than once.
    pub nodes: u64,
}

/// Resources that robots.txt forbids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Disallowed {
    /// How many different ones were asked for.
    pub requested: u64,
    /// How many there are.
    pub all: u64,
}

/// Requests to nodes of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// All of them.
    pub all: u64,
    /// Those of robots.txt.
    pub robots: u64,
    /// Those that were answered with 2xx.
    pub successful: u64,
    /// Those that were answered with 404 or 410, robots.txt left out.
    pub not_found: u64,
    /// Those that were answered with 5xx.
    pub failed: u64,
    /// Those that were not answered.
    pub dropped: u64,
    /// How many bytes of content were sent.
    pub bytes: u64,
}

impl Score {
    pub(super) fn of(web: &OrcaWeb, counts: &[Count]) -> Self {
        let nodes = web.nodes.iter().zip(counts).map(|(node, count)| NodeScore {
            host: node.host(),
            kind: node.kind,
            expected: count.expected,
            found: count.found,
            recall: share(count.found, count.expected),
            missing: count.missing.clone(),
        });
        let nodes: Vec<NodeScore> = nodes.collect();
        let of_kind = |kind: Kind| Recall::of(nodes.iter().filter(|node| node.kind == kind));
        let kinds = Kind::ALL.into_iter().map(|kind| (kind.name().to_owned(), of_kind(kind)));
        let kinds = kinds.filter(|(_, recall)| recall.nodes > 0).collect();
        Self { recall: Recall::of(nodes.iter()), kinds, nodes, ..Self::default() }
    }

    /// The score as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain numbers and names")
    }
}

impl Recall {
    fn of<'a>(nodes: impl Iterator<Item = &'a NodeScore>) -> Self {
        let mut recall = Self::default();
        let mut shares = Vec::new();
        for node in nodes {
            recall.nodes += 1;
            recall.expected += node.expected;
            recall.found += node.found;
            shares.extend(node.recall);
        }
        recall.micro = share(recall.found, recall.expected).unwrap_or(1.0);
        recall.macro_ = if shares.is_empty() { 1.0 } else { mean(&shares) };
        recall
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 statements")]
fn share(found: u64, expected: u64) -> Option<f64> {
    (expected > 0).then(|| found as f64 / expected as f64)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 nodes")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Nodes that are shown because something of them was not found.
const NODES_SHOWN_MAX: usize = 10;

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<10} {:>6} {:>9} {:>9}  {:>6}  {:>6}",
            "", "nodes", "expected", "found", "micro", "macro"
        )?;
        let row = |formatter: &mut fmt::Formatter<'_>, name: &str, recall: &Recall| {
            let Recall { nodes, expected, found, micro, macro_ } = recall;
            writeln!(formatter, "{name:<10} {nodes:>6} {expected:>9} {found:>9}  {micro:>6.4}  {macro_:>6.4}")
        };
        for (name, recall) in &self.kinds {
            row(formatter, name, recall)?;
        }
        row(formatter, "all", &self.recall)?;
        let incomplete: Vec<&NodeScore> = self.nodes.iter().filter(|node| node.found < node.expected).collect();
        for NodeScore { host, expected, found, missing, .. } in incomplete.iter().take(NODES_SHOWN_MAX) {
            let example = missing.first().map(String::as_str).unwrap_or_default();
            writeln!(formatter, "  {host}: {found} of {expected}, without {example}")?;
        }
        if incomplete.len() > NODES_SHOWN_MAX {
            writeln!(formatter, "  and {} more nodes that are not complete", incomplete.len() - NODES_SHOWN_MAX)?;
        }
        writeln!(formatter, "quads brought home: {}, lines unreadable: {}", self.quads, self.unreadable_lines)?;
        match &self.delays {
            None => writeln!(formatter, "crawl delay: none asked for, or nobody came twice")?,
            Some(Delays { min, max, mean, gap_min, nodes }) => writeln!(
                formatter,
                "crawl delay fulfilment: min {min:.3}, max {max:.3}, mean {mean:.3} over {nodes} nodes; least gap \
                 {gap_min:.3}"
            )?,
        }
        let Disallowed { requested, all } = self.disallowed;
        writeln!(formatter, "disallowed resources requested: {requested} of {all}")?;
        for (kind, requests) in &self.requests {
            let Requests { all, robots, successful, not_found, failed, dropped, bytes } = requests;
            writeln!(
                formatter,
                "requests to {kind}: {all} ({robots} of robots.txt, {successful} successful, {not_found} not found, \
                 {failed} failed, {dropped} dropped), {bytes} bytes"
            )?;
        }
        Ok(())
    }
}
