//! What an ORCA world is like, in numbers.
//!
//! Everything has a default (the benchmark's own), an unknown key is an error,
//! and a file may start from a named preset with `preset = "…"`.

use serde::{Deserialize, Serialize};

use super::pack::{Packing, Syntax};
use crate::world::BadParameters;
use crate::world::parameters::departing;

/// The parameters of an ORCA world. A *ratio* or *share* is a number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// The seed of all chance.
    pub seed: u64,
    /// How many nodes, each a host with a pay-level domain of its own.
    pub nodes: u32,
    /// How many links a node has on average, in and out together.
    pub node_degree: u32,
    /// How many triples a node has on average, not counting links to others.
    pub triples_per_node: u32,
    /// How many triples a resource is in on average, as subject or object.
    pub rdf_degree: u32,
    /// How sizes of nodes differ.
    pub node_size: NodeSize,
    /// The `Crawl-delay` of dereferencing nodes, in seconds; 0 for none.
    pub crawl_delay_s: u32,
    /// Share of the resources of a dereferencing node that robots.txt
    /// forbids. They come on top of those with triples.
    pub disallowed_ratio: f64,
    /// Share of dump nodes whose dump is packed.
    pub compressed_ratio: f64,
    /// How many nodes of which kind; only the ratios matter.
    pub weights: Weights,
    /// What dumps are like.
    pub dump: Dump,
    /// What SPARQL endpoints are like.
    pub sparql: Sparql,
    /// What CKAN catalogues are like.
    pub ckan: Ckan,
    /// What RDFa sites are like.
    pub rdfa: Rdfa,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            seed: 0,
            nodes: 10,
            node_degree: 3,
            triples_per_node: 100,
            rdf_degree: 5,
            node_size: NodeSize::Static,
            crawl_delay_s: 5,
            disallowed_ratio: 0.1,
            compressed_ratio: 0.5,
            weights: Weights::default(),
            dump: Dump::default(),
            sparql: Sparql::default(),
            ckan: Ckan::default(),
            rdfa: Rdfa::default(),
        }
    }
}

/// How sizes of nodes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeSize {
    /// All have as many triples.
    Static,
    /// 1 + Exp(mean − 1).
    Exponential,
}

/// How many nodes of which kind; only the ratios matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// CKAN catalogues.
    pub ckan: f64,
    /// Resources that can be looked up.
    pub dereferencing: f64,
    /// Dumps.
    pub dump: f64,
    /// Sites with RDFa.
    pub rdfa: f64,
    /// SPARQL endpoints.
    pub sparql: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { ckan: 1.0, dereferencing: 1.0, dump: 1.0, rdfa: 1.0, sparql: 1.0 }
    }
}

/// What dumps are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dump {
    /// The syntaxes they are written in.
    pub syntaxes: Vec<Syntax>,
    /// How those that are packed are packed.
    pub compressions: Vec<Packing>,
    /// Share of dumps whose first download is cut off in the middle.
    pub cut_share: f64,
}

impl Default for Dump {
    fn default() -> Self {
        Self { syntaxes: Syntax::OF_DUMPS.to_vec(), compressions: Packing::OF_ORCA.to_vec(), cut_share: 0.0 }
    }
}

/// What SPARQL endpoints are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sparql {
    /// How many triples each has; 0 for as many as other nodes.
    pub triples: u32,
    /// Results beyond so many rows are left off without a word; 0 for no cap.
    pub row_cap: u32,
    /// Share of queries that fail with 500, though they would not the next time.
    pub error_share: f64,
    /// Sorted results beyond this row are refused; 0 for no such bound.
    pub sorted_rows_max: u32,
    /// Whether a query without a dataset is about all named graphs together.
    pub union_default_graph: bool,
    /// Queries are given up after so many seconds.
    pub timeout_s: u32,
}

impl Default for Sparql {
    fn default() -> Self {
        Self {
            triples: 0,
            row_cap: 10_000,
            error_share: 0.0,
            sorted_rows_max: 40_000,
            union_default_graph: true,
            timeout_s: 60,
        }
    }
}

/// What CKAN catalogues are like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ckan {
    /// Whether there is the robots.txt that CKAN comes with, which forbids the
    /// API and asks for a delay of ten seconds.
    pub robots: bool,
}

/// What RDFa sites are like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rdfa {
    /// Where the test pages come from.
    pub pages: RdfaPages,
    /// At most so many test pages on each site; 0 for all there are.
    pub pages_max: u32,
    /// Whether XHTML says that it is XHTML. ORCA calls every page `text/html`.
    pub xhtml_type: bool,
}

/// Where test pages come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RdfaPages {
    /// From the RDFa test suite, or generated where that is not at hand.
    #[default]
    Suite,
    /// Generated.
    Generated,
}

impl Parameters {
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
                rdfa: Rdfa { pages_max: 20, ..Rdfa::default() },
                ..data_web()
            },
            "efficiency" => efficiency(),
            "efficiency-small" => Self { nodes: 10, node_degree: 6, triples_per_node: 100, ..efficiency() },
            "robots" => robots(),
            "robots-small" => Self { nodes: 5, triples_per_node: 60, ..robots() },
            _ => return None,
        })
    }

    /// Reads parameters from TOML. The key `preset` says what the rest departs
    /// from.
    pub fn from_toml(text: &str) -> Result<Self, BadParameters> {
        let parameters = departing(text, Self::preset)?;
        Self::check(&parameters)?;
        Ok(parameters)
    }

    /// Whether these parameters make a world.
    pub fn check(&self) -> Result<(), BadParameters> {
        let refuse = |problem: &str| Err(BadParameters(problem.to_owned()));
        if self.nodes == 0 || self.triples_per_node == 0 || self.node_degree == 0 || self.rdf_degree == 0 {
            return refuse("a world needs a node, a triple and degrees above 0");
        }
        let shares = [self.disallowed_ratio, self.compressed_ratio, self.sparql.error_share, self.dump.cut_share];
        if shares.iter().any(|share| !(0.0..=1.0).contains(share)) || self.disallowed_ratio > 0.99 {
            return refuse("a share is not between 0 and 1, or all resources are disallowed");
        }
        let weights = self.weights.in_order();
        if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) || weights.iter().sum::<f64>() <= 0.0 {
            return refuse("the weights of kinds are negative or all zero");
        }
        if self.dump.syntaxes.is_empty() || (self.compressed_ratio > 0.0 && self.dump.compressions.is_empty()) {
            return refuse("dumps need a syntax and, if some are packed, a way to pack them");
        }
        if self.sparql.error_share > 0.9 {
            return refuse(
                "an endpoint that nearly always fails cannot be harvested: sparql.error_share is at most 0.9",
            );
        }
        let kinds = weights.iter().filter(|weight| **weight > 0.0).count();
        if (self.nodes as usize) < kinds {
            return refuse("a world needs a node of every kind with a weight");
        }
        Ok(())
    }
}

impl Weights {
    /// The weights in the order of `Kind::ALL`.
    pub(crate) fn in_order(&self) -> [f64; 5] {
        [self.ckan, self.dereferencing, self.dump, self.rdfa, self.sparql]
    }
}

/// "Data Web" of the paper (ICSC 2021): all kinds, a third of dumps packed.
fn data_web() -> Parameters {
    Parameters {
        seed: 20_200_318,
        nodes: 100,
        node_degree: 20,
        triples_per_node: 1_000,
        rdf_degree: 9,
        crawl_delay_s: 0,
        disallowed_ratio: 0.0,
        compressed_ratio: 0.3,
        weights: Weights { ckan: 5.0, dereferencing: 21.0, dump: 40.0, rdfa: 4.0, sparql: 30.0 },
        ..Parameters::default()
    }
}

fn only_dereferencing() -> Weights {
    Weights { ckan: 0.0, dereferencing: 1.0, dump: 0.0, rdfa: 0.0, sparql: 0.0 }
}

/// "Efficiency" of the paper: 44,600 documents to look up.
fn efficiency() -> Parameters {
    Parameters { nodes: 200, compressed_ratio: 0.0, weights: only_dereferencing(), ..data_web() }
}

/// The test of robots.txt (first version of the paper).
fn robots() -> Parameters {
    Parameters {
        nodes: 25,
        node_degree: 5,
        rdf_degree: 6,
        crawl_delay_s: 10,
        disallowed_ratio: 0.1,
        weights: only_dereferencing(),
        ..data_web()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_world_and_survives_toml() {
        for name in Parameters::PRESETS {
            let preset = Parameters::preset(name).expect("a preset");
            let text = toml::to_string(&preset).expect("plain tables");

            assert_eq!(Parameters::from_toml(&text), Ok(preset));
        }
    }

    #[test]
    fn the_committed_worlds_are_the_presets() {
        let check = |text: &str, preset: &str| {
            assert_eq!(Parameters::from_toml(text), Ok(Parameters::preset(preset).expect("a preset")), "{preset}");
        };

        check(include_str!("../../../../eval/worlds/orca-data-web.toml"), "data-web");
        check(include_str!("../../../../eval/worlds/orca-efficiency.toml"), "efficiency");
        check(include_str!("../../../../eval/worlds/orca-robots.toml"), "robots");
        let hard = Parameters::from_toml(include_str!("../../../../eval/worlds/orca-data-web-hard.toml"));
        assert_eq!(hard.map(|it| it.dump.compressions.len()), Ok(Packing::ALL.len()));
    }

    #[test]
    fn a_file_departs_from_its_preset() {
        let text =
            "preset = \"data-web\"\nnodes = 30\n[dump]\ncompressions = [\"tar.xz\", \"gz\"]\n[sparql]\nrow_cap = 7";
        let parameters = Parameters::from_toml(text).expect("fine");

        assert_eq!((parameters.nodes, parameters.triples_per_node, parameters.sparql.row_cap), (30, 1_000, 7));
        assert_eq!(parameters.dump.compressions, [Packing::TarXz, Packing::Gz]);
    }

    #[test]
    fn what_makes_no_world_is_refused() {
        let refused = |text: &str| assert!(Parameters::from_toml(text).is_err(), "{text}");

        refused("nodez = 3");
        refused("nodes = 0");
        refused("nodes = 4");
        refused("preset = \"nothing\"");
        refused("[dump]\ncompressions = [\"rar\"]");
        refused("compressed_ratio = 1.5");
        refused("[weights]\nckan = -1.0");
    }
}
