//! The parameters of an ORCA world.
//!
//! Every parameter has a default (that of the benchmark), an unknown key is an error, and a file may start from a
//! preset with `preset = "…"`.

use serde::{Deserialize, Serialize};

use super::pack::{DumpPacking, DumpSyntax};
use crate::world::WorldParametersError;
use crate::world::parameters::parse_with_preset;

/// The parameters of an ORCA world. A *ratio* or *share* is a number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrcaParameters {
    /// Seed of the random numbers.
    pub seed: u64,
    /// The number of nodes, each a host with its own pay-level domain.
    pub nodes: u32,
    /// The mean number of links of a node, incoming and outgoing together.
    pub node_degree: u32,
    /// The mean number of triples of a node, without links to other nodes.
    pub triples_per_node: u32,
    /// The mean number of triples with a resource as subject or object.
    pub rdf_degree: u32,
    /// The distribution of node sizes.
    pub node_size: NodeSize,
    /// The `Crawl-delay` of dereferencing nodes, in seconds; 0 for none.
    pub crawl_delay_seconds: u32,
    /// Share of the resources of a dereferencing node that robots.txt disallows. They are extra resources.
    pub disallowed_ratio: f64,
    /// Share of dump nodes whose dump is compressed.
    pub compressed_ratio: f64,
    /// The proportions of node kinds; only the ratios matter.
    pub weights: NodeWeights,
    /// The parameters of dumps.
    pub dump: DumpParameters,
    /// The parameters of SPARQL endpoints.
    pub sparql: SparqlParameters,
    /// The parameters of CKAN catalogues.
    pub ckan: CkanParameters,
    /// The parameters of RDFa sites.
    pub rdfa: RdfaParameters,
}

impl Default for OrcaParameters {
    fn default() -> Self {
        Self {
            seed: 0,
            nodes: 10,
            node_degree: 3,
            triples_per_node: 100,
            rdf_degree: 5,
            node_size: NodeSize::Static,
            crawl_delay_seconds: 5,
            disallowed_ratio: 0.1,
            compressed_ratio: 0.5,
            weights: NodeWeights::default(),
            dump: DumpParameters::default(),
            sparql: SparqlParameters::default(),
            ckan: CkanParameters::default(),
            rdfa: RdfaParameters::default(),
        }
    }
}

/// The distribution of node sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeSize {
    /// All nodes have the same number of triples.
    Static,
    /// The number of triples of a node is 1 + Exp(mean − 1).
    Exponential,
}

/// The proportions of node kinds; only the ratios matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeWeights {
    /// CKAN catalogues.
    pub ckan: f64,
    /// Dereferenceable resources.
    pub dereferencing: f64,
    /// Dumps.
    pub dump: f64,
    /// Sites with RDFa.
    pub rdfa: f64,
    /// SPARQL endpoints.
    pub sparql: f64,
}

impl Default for NodeWeights {
    fn default() -> Self {
        Self { ckan: 1.0, dereferencing: 1.0, dump: 1.0, rdfa: 1.0, sparql: 1.0 }
    }
}

/// The parameters of dumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DumpParameters {
    /// The syntaxes of dumps.
    pub syntaxes: Vec<DumpSyntax>,
    /// The compression formats of compressed dumps.
    pub compressions: Vec<DumpPacking>,
    /// Share of dumps whose first download is truncated.
    pub truncated_share: f64,
}

impl Default for DumpParameters {
    fn default() -> Self {
        Self { syntaxes: DumpSyntax::ORCA.to_vec(), compressions: DumpPacking::ORCA.to_vec(), truncated_share: 0.0 }
    }
}

/// The parameters of SPARQL endpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SparqlParameters {
    /// The number of triples of each endpoint; 0 for as many as other nodes.
    pub triples: u32,
    /// Results are truncated to this many rows without notice; 0 for no limit.
    pub max_rows: u32,
    /// Share of queries that fail with 500; a retry succeeds with the same probability as any query.
    pub error_share: f64,
    /// Queries that sort more than this many rows are rejected; 0 for no limit.
    pub max_sorted_rows: u32,
    /// Whether a query without a dataset uses the union of all named graphs.
    pub union_default_graph: bool,
    /// The time limit of queries, in seconds.
    pub timeout_seconds: u32,
}

impl Default for SparqlParameters {
    fn default() -> Self {
        Self {
            triples: 0,
            max_rows: 10_000,
            error_share: 0.0,
            max_sorted_rows: 40_000,
            union_default_graph: true,
            timeout_seconds: 60,
        }
    }
}

/// The parameters of CKAN catalogues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CkanParameters {
    /// Whether to serve CKAN's default robots.txt, which disallows the API and requests a delay of ten seconds.
    pub robots: bool,
}

/// The parameters of RDFa sites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RdfaParameters {
    /// The source of the test pages.
    pub pages: RdfaPageSource,
    /// The maximum number of test pages per site; 0 for all.
    pub max_pages: u32,
    /// Whether XHTML pages are served as `application/xhtml+xml`. ORCA serves every page as `text/html`.
    pub xhtml_type: bool,
}

/// The source of test pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RdfaPageSource {
    /// The RDFa test suite, or generated pages if it is not available.
    #[default]
    Suite,
    /// Generated pages.
    Generated,
}

impl OrcaParameters {
    /// The names of the presets.
    pub const PRESETS: [&str; 7] =
        ["default", "data-web", "data-web-small", "efficiency", "efficiency-small", "robots", "robots-small"];

    /// The preset of this name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Some(match name {
            "default" => Self::default(),
            "data-web" => data_web(),
            "data-web-small" => Self {
                nodes: 20,
                node_degree: 6,
                triples_per_node: 60,
                rdfa: RdfaParameters { max_pages: 20, ..RdfaParameters::default() },
                ..data_web()
            },
            "efficiency" => efficiency(),
            "efficiency-small" => Self { nodes: 10, node_degree: 6, triples_per_node: 100, ..efficiency() },
            "robots" => robots(),
            "robots-small" => Self { nodes: 5, triples_per_node: 60, ..robots() },
            _ => return None,
        })
    }

    /// Parses parameters from TOML. The key `preset` names the preset that the other keys modify.
    pub fn from_toml(text: &str) -> Result<Self, WorldParametersError> {
        let parameters = parse_with_preset(text, Self::preset)?;
        Self::check(&parameters)?;
        Ok(parameters)
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), WorldParametersError> {
        let reject = |problem: &str| Err(WorldParametersError(problem.to_owned()));
        if self.nodes == 0 || self.triples_per_node == 0 || self.node_degree == 0 || self.rdf_degree == 0 {
            return reject("nodes, triples_per_node, node_degree and rdf_degree must be above 0");
        }
        let shares = [self.disallowed_ratio, self.compressed_ratio, self.sparql.error_share, self.dump.truncated_share];
        if shares.iter().any(|share| !(0.0..=1.0).contains(share)) || self.disallowed_ratio > 0.99 {
            return reject("a share is not between 0 and 1, or disallowed_ratio is above 0.99");
        }
        let weights = self.weights.to_array();
        if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || weights.iter().sum::<f64>() <= 0.0 {
            return reject("weights must not be negative or all zero");
        }
        if self.dump.syntaxes.is_empty() || (self.compressed_ratio > 0.0 && self.dump.compressions.is_empty()) {
            return reject("dump.syntaxes and, if compressed_ratio is above 0, dump.compressions must not be empty");
        }
        if self.sparql.error_share > 0.9 {
            return reject(
                "sparql.error_share must be at most 0.9: an endpoint that nearly always fails cannot be harvested",
            );
        }
        let kinds = weights.iter().filter(|weight| **weight > 0.0).count();
        if (self.nodes as usize) < kinds {
            return reject("nodes must be at least the number of kinds with a weight");
        }
        Ok(())
    }
}

impl NodeWeights {
    /// The weights in the order of `NodeKind::ALL`.
    pub(crate) fn to_array(&self) -> [f64; 5] {
        [self.ckan, self.dereferencing, self.dump, self.rdfa, self.sparql]
    }
}

/// "Data Web" of the paper (ICSC 2021): all kinds, a third of the dumps compressed.
fn data_web() -> OrcaParameters {
    OrcaParameters {
        seed: 20_200_318,
        nodes: 100,
        node_degree: 20,
        triples_per_node: 1_000,
        rdf_degree: 9,
        crawl_delay_seconds: 0,
        disallowed_ratio: 0.0,
        compressed_ratio: 0.3,
        weights: NodeWeights { ckan: 5.0, dereferencing: 21.0, dump: 40.0, rdfa: 4.0, sparql: 30.0 },
        ..OrcaParameters::default()
    }
}

fn only_dereferencing() -> NodeWeights {
    NodeWeights { ckan: 0.0, dereferencing: 1.0, dump: 0.0, rdfa: 0.0, sparql: 0.0 }
}

/// "Efficiency" of the paper: 44,600 dereferenceable documents.
fn efficiency() -> OrcaParameters {
    OrcaParameters { nodes: 200, compressed_ratio: 0.0, weights: only_dereferencing(), ..data_web() }
}

/// The test of robots.txt (first version of the paper).
fn robots() -> OrcaParameters {
    OrcaParameters {
        nodes: 25,
        node_degree: 5,
        rdf_degree: 6,
        crawl_delay_seconds: 10,
        disallowed_ratio: 0.1,
        weights: only_dereferencing(),
        ..data_web()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_round_trips_through_toml() {
        for name in OrcaParameters::PRESETS {
            let preset = OrcaParameters::preset(name).expect("a preset");
            let text = toml::to_string(&preset).expect("plain tables");

            assert_eq!(OrcaParameters::from_toml(&text), Ok(preset));
        }
    }

    #[test]
    fn the_committed_worlds_are_the_presets() {
        let check = |text: &str, preset: &str| {
            assert_eq!(
                OrcaParameters::from_toml(text),
                Ok(OrcaParameters::preset(preset).expect("a preset")),
                "{preset}"
            );
        };

        check(include_str!("../../../../eval/worlds/orca-data-web.toml"), "data-web");
        check(include_str!("../../../../eval/worlds/orca-efficiency.toml"), "efficiency");
        check(include_str!("../../../../eval/worlds/orca-robots.toml"), "robots");
        let hard = OrcaParameters::from_toml(include_str!("../../../../eval/worlds/orca-data-web-hard.toml"));
        assert_eq!(hard.map(|it| it.dump.compressions.len()), Ok(DumpPacking::ALL.len()));
    }

    #[test]
    fn a_file_modifies_its_preset() {
        let text =
            "preset = \"data-web\"\nnodes = 30\n[dump]\ncompressions = [\"tar.xz\", \"gz\"]\n[sparql]\nmax_rows = 7";
        let parameters = OrcaParameters::from_toml(text).expect("fine");

        assert_eq!((parameters.nodes, parameters.triples_per_node, parameters.sparql.max_rows), (30, 1_000, 7));
        assert_eq!(parameters.dump.compressions, [DumpPacking::TarXz, DumpPacking::Gz]);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let assert_rejected = |text: &str| assert!(OrcaParameters::from_toml(text).is_err(), "{text}");

        assert_rejected("nodez = 3");
        assert_rejected("nodes = 0");
        assert_rejected("nodes = 4");
        assert_rejected("preset = \"nothing\"");
        assert_rejected("[dump]\ncompressions = [\"rar\"]");
        assert_rejected("compressed_ratio = 1.5");
        assert_rejected("[weights]\nckan = -1.0");
    }
}
