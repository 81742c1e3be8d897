//! `lodeward query`.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lodeward_app::settings::units::{parse_duration, parse_size};
use lodeward_archive::sparql::{self, ResultFormat, ResultKind};
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};

use super::data_dir::DataDirArgs;
use super::{EXIT_CODES, serde_text, terms};

const QUERY_EXAMPLES: &str = "\
Examples:
  lodeward query 'SELECT ?type (COUNT(*) AS ?n) { ?s a ?type } GROUP BY ?type ORDER BY DESC(?n)'
  lodeward query --file places.rq -o places.csv
  lodeward query 'ASK { <http://a.example/> ?p ?o }' --format json
  lodeward query 'SELECT * { ?s ?p ?o } LIMIT 10' foaf.ttl dump.nq.gz    # files, without an archive
  lodeward query --update 'DROP GRAPH <http://a.example/old>'";

/// Query the harvest with SPARQL 1.1
///
/// The archive is first updated from the crawls (--no-catch-up skips this). Every
/// document is in a graph named by its URL; patterns outside of GRAPH match all graphs,
/// except those with provenance (--with-provenance).
#[derive(Args, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(after_help = format!("{QUERY_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct QueryArgs {
    /// The query; - for standard input
    #[arg(value_name = "SPARQL|-", required_unless_present = "file")]
    pub(crate) sparql: Option<String>,
    /// Query these RDF files instead of an archive; the formats of `import`
    #[arg(value_name = "RDF")]
    pub(crate) files: Vec<PathBuf>,
    /// Read the query from this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Write the result to this file, which is created when it is complete; .gz and .zst
    /// are compressed
    #[arg(long, short, value_name = "FILE|-")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the result [default: by the extension of --output; a table on a terminal;
    /// otherwise TSV, or N-Triples for CONSTRUCT and DESCRIBE]
    #[arg(long)]
    #[serde(with = "serde_text::value_name")]
    pub(crate) format: Option<ResultFormatArg>,
    /// Stop the query after this time, such as 30s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop the query after this many rows
    #[arg(long, value_name = "N")]
    pub(crate) max_rows: Option<u64>,
    /// Stop the query at about this much memory, such as 1GB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_memory: Option<u64>,
    /// Run the query and print the rows and the time of each step; with `plan`, print the
    /// plan without running it
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "analyze")]
    pub(crate) explain: Option<ExplainMode>,
    /// Let string functions accept IRIs: REGEX(?iri, "x") means REGEX(STR(?iri), "x")
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Also query the provenance of documents, and the descriptions of crawls. Without this
    /// flag, only graphs that the query names are included
    #[arg(long)]
    pub(crate) with_provenance: bool,
    /// Graph of patterns outside of GRAPH: all graphs together, or the default graph
    #[arg(long, value_name = "WHICH", default_value = "union")]
    pub(crate) default_graph: DefaultGraphArg,
    /// Use this graph for patterns outside of GRAPH; repeatable; overrides FROM
    #[arg(long, value_name = "IRI", value_parser = terms::parse_iri)]
    #[serde(with = "serde_text::iris")]
    pub(crate) graph: Vec<NamedNode>,
    /// Let SERVICE and LOAD reach private and loopback IP addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Run a SPARQL update, in one transaction
    #[arg(long, conflicts_with_all = ["explain", "max_rows", "max_memory", "format", "output", "files", "graph"])]
    pub(crate) update: bool,
    /// Skip updating the archive from the crawls
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExplainMode {
    /// The plan
    Plan,
    /// The plan, with the rows and the time of each step
    Analyze,
}

#[derive(ValueEnum, Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum DefaultGraphArg {
    /// All graphs together
    Union,
    /// Only the default graph
    Default,
}

impl From<DefaultGraphArg> for sparql::DefaultGraph {
    fn from(which: DefaultGraphArg) -> Self {
        match which {
            DefaultGraphArg::Union => Self::Union,
            DefaultGraphArg::Default => Self::Own,
        }
    }
}

/// Format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultFormatArg {
    Table,
    Result(ResultFormat),
}

impl ValueEnum for ResultFormatArg {
    fn value_variants<'a>() -> &'a [Self] {
        static VARIANTS: LazyLock<Vec<ResultFormatArg>> = LazyLock::new(|| {
            let formats = [ResultKind::Solutions, ResultKind::Graph].into_iter().flat_map(ResultKind::formats);
            [ResultFormatArg::Table].into_iter().chain(formats.map(ResultFormatArg::Result)).collect()
        });
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let Self::Result(format) = self else { return Some(PossibleValue::new("table").help("Aligned columns")) };
        let value = PossibleValue::new(format.name());
        Some(match format {
            ResultFormat::Json => value.help("SPARQL Results JSON"),
            ResultFormat::Xml => value.help("SPARQL Results XML"),
            ResultFormat::Csv => value.help("SPARQL Results CSV: values only"),
            ResultFormat::Tsv => value.help("SPARQL Results TSV: terms as in Turtle"),
            _ => value,
        })
    }
}
