//! `lodeward export` and `lodeward import`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lodeward_rdf::RdfFormat;
use lodeward_rdf::write::WRITTEN_FORMATS;
use oxrdf::{NamedNode, NamedOrBlankNode, Term};
use serde::{Deserialize, Serialize};

use super::data_dir::DataDirArgs;
use super::{EXIT_CODES, serde_text, terms};

const EXPORT_EXAMPLES: &str = "\
Examples:
  lodeward export -o harvest.nq.zst
  lodeward export --crawl yesterday -o yesterday.trig.gz
  lodeward export --graph http://a.example/alice -o alice.ttl
  lodeward export --crawl yesterday --candidates 'marked = keep or rank <= 100' -o best.nq
  lodeward export --crawl yesterday --to-archive
  lodeward export --predicate http://xmlns.com/foaf/0.1/name --object '\"Alice\"@en'";

#[derive(Args, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(after_help = format!("{EXPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Output file; its extension sets the format (.nq .nt .ttl .trig .jsonld .rdf) and
    /// the compression (.gz .zst). The file is created when it is complete
    #[arg(long, short, value_name = "FILE|-", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Format [default: by the extension of --output, else nquads]
    #[arg(long)]
    #[serde(with = "serde_text::value_name")]
    pub(crate) format: Option<RdfFormatArg>,
    /// Export only this graph; repeatable
    #[arg(long, value_name = "IRI", value_parser = terms::parse_iri, conflicts_with = "crawl")]
    #[serde(with = "serde_text::iris")]
    pub(crate) graph: Vec<NamedNode>,
    /// Export only the documents of this crawl
    #[arg(long, alias = "name", value_name = "NAME")]
    pub(crate) crawl: Option<String>,
    /// Export only statements with this subject: an IRI, or a term as in N-Triples
    #[arg(long, value_name = "TERM", value_parser = terms::parse_node)]
    #[serde(with = "serde_text::term")]
    pub(crate) subject: Option<NamedOrBlankNode>,
    /// Export only statements with this predicate
    #[arg(long, value_name = "IRI", value_parser = terms::parse_iri)]
    #[serde(with = "serde_text::term")]
    pub(crate) predicate: Option<NamedNode>,
    /// Export only statements with this object: an IRI, or a term as in N-Triples
    #[arg(long, value_name = "TERM", value_parser = terms::parse_term)]
    #[serde(with = "serde_text::term")]
    pub(crate) object: Option<Term>,
    /// Export only statements about the candidates of the crawl (--crawl, or `default`)
    /// that match a filter, see `lodeward candidates --help` [default if no value is
    /// given: 'marked = keep']
    #[arg(long, value_name = "FILTER", num_args = 0..=1, default_missing_value = "marked = keep")]
    #[arg(conflicts_with_all = ["subject", "graph"])]
    pub(crate) candidates: Option<String>,
    /// Write a crawl (--crawl, or `default`) to the archive as one graph, which replaces
    /// the last export. Of a focused crawl, the statements about its candidates are
    /// written (those that are not dropped, or --candidates); of another crawl, all
    #[arg(long, conflicts_with_all = ["output", "format", "graph", "subject", "predicate", "object", "merge_graphs", "with_provenance"])]
    pub(crate) to_archive: bool,
    /// Write all graphs to a format without graph names. A statement in several graphs is written
    /// once for each
    #[arg(long)]
    pub(crate) merge_graphs: bool,
    /// Include the provenance of documents, and the descriptions of crawls
    #[arg(long)]
    pub(crate) with_provenance: bool,
    /// Skip updating the archive from the crawls
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}

/// Format of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RdfFormatArg(pub(crate) RdfFormat);

impl ValueEnum for RdfFormatArg {
    fn value_variants<'a>() -> &'a [Self] {
        static VARIANTS: LazyLock<[RdfFormatArg; WRITTEN_FORMATS.len()]> =
            LazyLock::new(|| WRITTEN_FORMATS.map(RdfFormatArg));
        &*VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.short_name()).aliases(self.0.extensions()))
    }
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  lodeward import dump.nq.gz vocabulary.ttl
  lodeward import turtle-files --graph http://a.example/everything
  curl -s https://a.example/data | lodeward import - --base https://a.example/data";

/// Load RDF files into the archive
///
/// All files are loaded in one transaction. Blank nodes belong to their file: the same
/// label in two files means two nodes. Loading an unchanged file again adds nothing.
#[derive(Args, Debug)]
#[command(after_help = format!("{IMPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct ImportArgs {
    /// Files: N-Quads, N-Triples, Turtle, TriG, N3, RDF/XML, JSON-LD, or pages with
    /// embedded RDF; by extension, else by their first bytes; .gz and .zst are
    /// decompressed. A directory stands for all files with such an extension; - for
    /// standard input
    #[arg(value_name = "FILE|DIR|-", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Load statements without a named graph into this one [default: the default graph]
    #[arg(long, value_name = "IRI", value_parser = terms::parse_iri)]
    pub(crate) graph: Option<NamedNode>,
    /// Base of relative IRIs [default: the file: URL of each file]
    #[arg(long, value_name = "IRI")]
    pub(crate) base: Option<String>,
    /// Media type or extension of all files [default: by their names]
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Load the valid statements, and list the errors [default: an error aborts the
    /// import, and nothing is loaded]
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Skip the validation of IRIs and language tags, which is faster
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Use the JSON-LD contexts in this directory, in addition to the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(crate) contexts: Option<PathBuf>,
}
