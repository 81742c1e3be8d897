//! The commands that read and write the archive.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_archive::sparql;
use oxrdf::{NamedNode, NamedOrBlankNode, Term};

use super::{EXIT_CODES, terms};

/// Where the archive is.
#[derive(Args, Debug)]
pub(crate) struct Data {
    /// The folder that holds crawls and, in its folder `archive`, their
    /// harvest as a SPARQL store
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Read settings from this file instead of ./lodeward.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

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
    /// Stop after this many rows
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// Stop a query that needs more than about this many megabytes
    #[arg(long, value_name = "MB")]
    pub(crate) memory: Option<u64>,
    /// Print how the query would be evaluated; with `analyze`, evaluate it and
    /// tell how many rows each step had
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "plan")]
    pub(crate) explain: Option<Explain>,
    /// Let string functions take IRIs and numbers: REGEX(?iri, "x") is an
    /// error in SPARQL 1.1, and means REGEX(STR(?iri), "x") here
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
pub(crate) enum Explain {
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
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  lodeward export -o harvest.nq.zst
  lodeward export --crawl yesterday -o yesterday.trig.gz
  lodeward export --graph http://a.example/alice -o alice.ttl
  lodeward export --predicate http://xmlns.com/foaf/0.1/name --object '\"Alice\"@en'";

#[derive(Args, Debug)]
#[command(after_help = format!("{EXPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Where to: the format by its extension (.nq .nt .ttl .trig .jsonld .rdf),
    /// compressed if that is followed by .gz or .zst. A file appears when it
    /// is complete
    #[arg(long, short, value_name = "FILE|-", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The format, whatever the name says [default: nquads if the name does
    /// not say]
    #[arg(long)]
    pub(crate) format: Option<RdfFormat>,
    /// Only this graph; repeatable
    #[arg(long, value_name = "IRI", value_parser = terms::iri, conflicts_with = "crawl")]
    pub(crate) graph: Vec<NamedNode>,
    /// Only the documents of this crawl
    #[arg(long, value_name = "NAME")]
    pub(crate) crawl: Option<String>,
    /// Only statements with this subject: an IRI, or a term as in N-Triples
    #[arg(long, value_name = "TERM", value_parser = terms::node)]
    pub(crate) subject: Option<NamedOrBlankNode>,
    /// Only statements with this predicate
    #[arg(long, value_name = "IRI", value_parser = terms::iri)]
    pub(crate) predicate: Option<NamedNode>,
    /// Only statements with this object: an IRI, or a term as in N-Triples
    #[arg(long, value_name = "TERM", value_parser = terms::term)]
    pub(crate) object: Option<Term>,
    /// Write graphs into a format that knows only one, and forget their names.
    /// A statement of several graphs is written several times
    #[arg(long)]
    pub(crate) merge_graphs: bool,
    /// Also what the crawls wrote down about where documents come from
    #[arg(long)]
    pub(crate) provenance: bool,
    /// Export the archive as it is
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}

/// How statements are written.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RdfFormat {
    #[value(name = "nquads", alias = "nq")]
    NQuads,
    #[value(name = "ntriples", alias = "nt")]
    NTriples,
    #[value(alias = "ttl")]
    Turtle,
    #[value(name = "trig")]
    TriG,
    #[value(name = "rdfxml", alias = "rdf")]
    RdfXml,
    #[value(name = "jsonld")]
    JsonLd,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  lodeward import dump.nq.gz vocabulary.ttl
  lodeward import folder-of-turtle --graph http://a.example/everything
  curl -s https://a.example/data | lodeward import - --base https://a.example/data";

/// Load RDF files into the archive
///
/// What is loaded becomes visible all at once, when every file has been read.
/// Blank nodes are those of their file: the same label in two files means two
/// nodes, and a file that has not changed adds nothing when loaded again.
#[derive(Args, Debug)]
#[command(after_help = format!("{IMPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Import {
    /// The files: N-Quads, N-Triples, Turtle, TriG, N3, RDF/XML, JSON-LD, or
    /// pages with RDF inside; by extension, else by their first bytes; .gz and
    /// .zst are unpacked. Of a folder, every file with such an extension.
    /// - for standard input
    #[arg(value_name = "FILE|DIR|-", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) data: Data,
    /// Put statements that are in no named graph into this one [default: they
    /// stay in the default graph]
    #[arg(long, value_name = "IRI", value_parser = terms::iri)]
    pub(crate) graph: Option<NamedNode>,
    /// What relative IRIs are relative to [default: the file: address of each
    /// file]
    #[arg(long, value_name = "IRI")]
    pub(crate) base: Option<String>,
    /// The media type or extension of all the files, whatever their names say
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Load what can be read, and list what cannot. Otherwise a file with an
    /// error stops the import, and nothing is loaded
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Take IRIs and language tags as they are, without checking them: quicker
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Look for JSON-LD contexts in this folder, besides the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(crate) contexts: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Only this crawl
    #[arg(long, conflicts_with = "all", required_unless_present = "all")]
    pub(crate) name: Option<String>,
    /// Every crawl
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Drop {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Which crawl. What it has kept stays: `rebuild --name` brings it back
    #[arg(long, value_name = "NAME")]
    pub(crate) crawl: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

const ENDPOINT_EXAMPLES: &str = "\
Examples:
  lodeward endpoint
  lodeward endpoint --listen 127.0.0.1:0 --update
  curl http://127.0.0.1:7878/sparql --data-urlencode 'query=SELECT * { ?s ?p ?o } LIMIT 10'";

/// Answer SPARQL over HTTP
///
/// Queries at /sparql, updates at /update, graphs at /store, as the SPARQL 1.1
/// Protocol and the Graph Store HTTP Protocol say. It has no users and no
/// passwords: on loopback it answers whoever is on this machine; anything else
/// belongs behind a proxy.
#[derive(Args, Debug)]
#[command(after_help = format!("{ENDPOINT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Endpoint {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Where to listen; port 0 for any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub(crate) listen: SocketAddr,
    /// Listen on an address that other machines can reach
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Allow updates, and changes of graphs
    #[arg(long)]
    pub(crate) update: bool,
    /// Seconds for one query or update
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) timeout: u64,
    /// Rows of one answer, at most
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// About how many megabytes one query may take
    #[arg(long, value_name = "MB", default_value_t = 1_024)]
    pub(crate) memory: u64,
    /// What a query asks outside of GRAPH: all graphs together, or only
    /// statements that are in no named graph
    #[arg(long, value_name = "WHICH", default_value = "union")]
    pub(crate) default_graph: DefaultGraph,
    /// Let string functions take IRIs and numbers
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Let SERVICE and LOAD reach private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Scheme, host and port by which clients know it, behind a proxy
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Let pages of this origin read answers; * for any
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Option<String>,
    /// Serve the archive as it is
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}
