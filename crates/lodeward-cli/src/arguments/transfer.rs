//! `lodeward export` and `lodeward import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use oxrdf::{NamedNode, NamedOrBlankNode, Term};

use super::archive::Data;
use super::{EXIT_CODES, terms};

const EXPORT_EXAMPLES: &str = "\
Examples:
  lodeward export -o harvest.nq.zst
  lodeward export --crawl yesterday -o yesterday.trig.gz
  lodeward export --graph http://a.example/alice -o alice.ttl
  lodeward export --crawl yesterday --candidates 'marked = keep or rank <= 100' -o best.nq
  lodeward export --crawl yesterday --to-archive
  lodeward export --predicate http://xmlns.com/foaf/0.1/name --object '\"Alice\"@en'";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
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
    #[arg(long, alias = "name", value_name = "NAME")]
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
    /// Only statements about candidates of the crawl (--crawl, or `default`):
    /// those whom a filter wants, see `lodeward candidates --help` [default if
    /// nothing is said: 'marked = keep']
    #[arg(long, value_name = "FILTER", num_args = 0..=1, default_missing_value = "marked = keep")]
    #[arg(conflicts_with_all = ["subject", "graph"])]
    pub(crate) candidates: Option<String>,
    /// Put a crawl (--crawl, or `default`) into the archive as one graph, in the
    /// place of what was exported before: of a focused crawl what is said about
    /// its candidates (those that were not dropped, or --candidates), of another
    /// one everything
    #[arg(long, conflicts_with_all = ["output", "format", "graph", "subject", "predicate", "object", "merge_graphs", "provenance"])]
    pub(crate) to_archive: bool,
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
