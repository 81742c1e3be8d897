//! The ORCA score, as JSON and as text.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::harvest::OrcaCount;
use crate::orca::OrcaWeb;
use crate::orca::cloud::NodeKind;

/// The score of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrcaScore {
    /// Recall over all nodes.
    pub recall: OrcaRecall,
    /// Recall by kind of node.
    pub kinds: BTreeMap<String, OrcaRecall>,
    /// The score of every node.
    pub nodes: Vec<NodeScore>,
    /// Fulfilment of delays; `None` if no delay was required or no node was requested twice.
    pub delays: Option<DelayScore>,
    /// Requests for resources that robots.txt disallows.
    pub disallowed: DisallowedScore,
    /// Requests by kind of node; `other` for hosts without a node.
    pub requests: BTreeMap<String, NodeRequests>,
    /// The number of harvested quads.
    pub quads: u64,
    /// The number of lines of the harvest that are not N-Quads.
    pub unreadable_lines: u64,
}

/// Recall of a set of nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrcaRecall {
    /// The number of nodes.
    pub nodes: u64,
    /// The number of expected statements.
    pub expected: u64,
    /// The number of expected statements that were found.
    pub found: u64,
    /// The share of expected statements that were found; 1 if none were expected.
    pub micro: f64,
    /// The mean of the nodes' recall, without nodes from which nothing is expected.
    #[serde(rename = "macro")]
    pub macro_: f64,
}

/// The score of one node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeScore {
    /// The host of the node.
    pub host: String,
    /// The kind of the node.
    pub kind: NodeKind,
    /// The number of expected statements.
    pub expected: u64,
    /// The number of expected statements that were found.
    pub found: u64,
    /// The share of expected statements that were found; `None` if none were expected.
    pub recall: Option<f64>,
    /// Examples of missing statements: triples, titles of datasets, URLs of pages.
    pub missing: Vec<String>,
}

/// Fulfilment of delays, as multiples of the required delay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DelayScore {
    /// The smallest mean delay of any node.
    pub min: f64,
    /// The largest mean delay of any node.
    pub max: f64,
    /// The mean over nodes.
    pub mean: f64,
    /// The smallest single delay; not a measure of ORCA.
    pub min_gap: f64,
    /// The number of nodes with more than one request.
    pub nodes: u64,
}

/// Requests for resources that robots.txt disallows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DisallowedScore {
    /// The number of distinct disallowed resources that were requested.
    pub requested: u64,
    /// The number of disallowed resources.
    pub all: u64,
}

/// Requests to nodes of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NodeRequests {
    /// All requests.
    pub all: u64,
    /// Requests for robots.txt.
    pub robots: u64,
    /// Responses with 2xx.
    pub successful: u64,
    /// Responses with 404 or 410, except robots.txt.
    pub not_found: u64,
    /// Responses with 5xx.
    pub failed: u64,
    /// Requests without a response.
    pub dropped: u64,
    /// The number of bytes of content sent.
    pub bytes: u64,
}

impl OrcaScore {
    pub(super) fn from_counts(web: &OrcaWeb, counts: &[OrcaCount]) -> Self {
        let nodes = web.nodes.iter().zip(counts).map(|(node, count)| NodeScore {
            host: node.host(),
            kind: node.kind,
            expected: count.expected,
            found: count.found,
            recall: share(count.found, count.expected),
            missing: count.missing.clone(),
        });
        let nodes: Vec<NodeScore> = nodes.collect();
        let of_kind = |kind: NodeKind| OrcaRecall::from_nodes(nodes.iter().filter(|node| node.kind == kind));
        let kinds = NodeKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), of_kind(kind)));
        let kinds = kinds.filter(|(_, recall)| recall.nodes > 0).collect();
        Self { recall: OrcaRecall::from_nodes(nodes.iter()), kinds, nodes, ..Self::default() }
    }

    /// The score as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings can be serialised")
    }
}

impl OrcaRecall {
    fn from_nodes<'a>(nodes: impl Iterator<Item = &'a NodeScore>) -> Self {
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

#[expect(clippy::cast_precision_loss, reason = "counts of statements are far below 2^53")]
fn share(found: u64, expected: u64) -> Option<f64> {
    (expected > 0).then(|| found as f64 / expected as f64)
}

#[expect(clippy::cast_precision_loss, reason = "the number of values is far below 2^53")]
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The maximum number of incomplete nodes that the text lists.
const MAX_NODES_SHOWN: usize = 10;

impl fmt::Display for OrcaScore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<10} {:>6} {:>9} {:>9}  {:>6}  {:>6}",
            "", "nodes", "expected", "found", "micro", "macro"
        )?;
        let row = |formatter: &mut fmt::Formatter<'_>, name: &str, recall: &OrcaRecall| {
            let OrcaRecall { nodes, expected, found, micro, macro_ } = recall;
            writeln!(formatter, "{name:<10} {nodes:>6} {expected:>9} {found:>9}  {micro:>6.4}  {macro_:>6.4}")
        };
        for (name, recall) in &self.kinds {
            row(formatter, name, recall)?;
        }
        row(formatter, "all", &self.recall)?;
        let incomplete: Vec<&NodeScore> = self.nodes.iter().filter(|node| node.found < node.expected).collect();
        for NodeScore { host, expected, found, missing, .. } in incomplete.iter().take(MAX_NODES_SHOWN) {
            let example = missing.first().map(String::as_str).unwrap_or_default();
            writeln!(formatter, "  {host}: {found} of {expected}, missing {example}")?;
        }
        if incomplete.len() > MAX_NODES_SHOWN {
            writeln!(formatter, "  and {} more incomplete nodes", incomplete.len() - MAX_NODES_SHOWN)?;
        }
        writeln!(formatter, "harvested quads: {}, unreadable lines: {}", self.quads, self.unreadable_lines)?;
        match &self.delays {
            None => writeln!(formatter, "crawl delay: none required, or no node requested twice")?,
            Some(DelayScore { min, max, mean, min_gap: smallest, nodes }) => writeln!(
                formatter,
                "crawl delay fulfilment: min {min:.3}, max {max:.3}, mean {mean:.3} over {nodes} nodes; smallest delay \
                 {smallest:.3}"
            )?,
        }
        let DisallowedScore { requested, all } = self.disallowed;
        writeln!(formatter, "disallowed resources requested: {requested} of {all}")?;
        for (kind, requests) in &self.requests {
            let NodeRequests { all, robots, successful, not_found, failed, dropped, bytes } = requests;
            writeln!(
                formatter,
                "requests to {kind}: {all} ({robots} for robots.txt, {successful} successful, {not_found} not found, \
                 {failed} failed, {dropped} dropped), {bytes} bytes"
            )?;
        }
        Ok(())
    }
}
