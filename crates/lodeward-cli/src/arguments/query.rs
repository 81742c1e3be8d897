//! `lodeward query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_archive::sparql;
use oxrdf::NamedNode;

use super::archive::Data;
use super::{EXIT_CODES, terms};

const QUERY_EXAMPLES: &str = "\
Examples:
  lodeward query 'SELECT ?type (COUNT(*) AS ?n) { ?s a ?type } GROUP BY ?type ORDER BY DESC(?n)'
  lodeward query --file places.rq -o places.csv
  lodeward query 'ASK { <http://a.example/> ?p ?o }' --format json
  lodeward query 'SELECT * { ?s ?p ?o } LIMIT 10' foaf.ttl dump.nq.gz    # files, without an archive
  lodeward query --update 'DROP GRAPH <http://a.example/old>'";

/// Ask the harvest, in SPARQL 1.1
///
/// Before it is asked, the archive takes in what the crawls have kept since
/// (--no-catch-up leaves that out). Every document is in a graph named by its
/// address; a query that names no graph asks all of them together.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_help = format!("{QUERY_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Query {
    /// The query; - to read it from standard input
    #[arg(value_name = "SPARQL|-", required_unless_present = "file")]
    pub(crate) sparql: Option<String>,
    /// Ask these RDF files instead of an archive; what `import` reads
    #[arg(value_name = "RDF")]
    pub(crate) files: Vec<PathBuf>,
    /// Read the query from this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data: Data,
    /// Write the answer to this file, which appears when it is complete
    /// (.gz and .zst by name)
    #[arg(long, short, value_name = "FILE|-")]
    pub(crate) output: Option<PathBuf>,
    /// How to write the answer [default: by the extension of --output; a
    /// table on a terminal; otherwise TSV, or N-Triples for CONSTRUCT and
    /// DESCRIBE]
    #[arg(long)]
    pub(crate) format: Option<AnswerFormat>,
    /// Give up after this many seconds
    #[arg(long, value_name = "S")]
    pub(crate) timeout: Option<u64>,
    /// Stop a query that has more rows than this; LIMIT asks for the first few
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// Stop a query that needs more than about this many megabytes
    #[arg(long, value_name = "MB")]
    pub(crate) memory: Option<u64>,
    /// Print how the query would be evaluated; with `analyze`, evaluate it and
    /// tell how many rows each step had
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "plan")]
    pub(crate) explain: Option<Plan>,
    /// Let string functions take IRIs: REGEX(?iri, "x") is an error in SPARQL
    /// 1.1, and means REGEX(STR(?iri), "x") here
    #[arg(long)]
    pub(crate) lenient: bool,
    /// What a query asks outside of GRAPH: all graphs together, or only
    /// statements that are in no named graph
    #[arg(long, value_name = "WHICH", default_value = "union")]
    pub(crate) default_graph: DefaultGraph,
    /// Ask this graph outside of GRAPH; repeatable. Stands before FROM
    #[arg(long, value_name = "IRI", value_parser = terms::iri)]
    pub(crate) graph: Vec<NamedNode>,
    /// Let SERVICE and LOAD reach private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Run a SPARQL update: all of it takes effect, or none
    #[arg(long, conflicts_with_all = ["explain", "rows", "memory", "format", "output", "files", "graph"])]
    pub(crate) update: bool,
    /// Ask the archive as it is
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// What would be done
    Plan,
    /// What was done, with counts
    Analyze,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum DefaultGraph {
    /// All graphs together
    Union,
    /// Only what is in no named graph
    Own,
}

impl From<DefaultGraph> for sparql::DefaultGraph {
    fn from(which: DefaultGraph) -> Self {
        match which {
            DefaultGraph::Union => Self::Union,
            DefaultGraph::Own => Self::Own,
        }
    }
}

/// How answers are written.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// Columns for people
    Table,
    /// SPARQL Results JSON
    Json,
    /// SPARQL Results XML
    Xml,
    /// SPARQL Results CSV: values only
    Csv,
    /// SPARQL Results TSV: terms as in Turtle
    Tsv,
    #[value(name = "ntriples")]
    NTriples,
    Turtle,
    #[value(name = "rdfxml")]
    RdfXml,
    #[value(name = "trig")]
    TriG,
    #[value(name = "nquads")]
    NQuads,
    #[value(name = "jsonld")]
    JsonLd,
}
