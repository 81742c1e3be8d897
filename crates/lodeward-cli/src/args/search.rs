//! `lodeward search`, `lodeward similar` and `lodeward cluster`.

use clap::{Args, ValueEnum};
use lodeward_app::review::{MarkFilter, MarkKind};
use lodeward_app::search::clusters::AlgorithmName;
use lodeward_search::retrieve::Method;
use serde::{Deserialize, Serialize};

use super::EXIT_CODES;
use super::data_dir::DataDirArgs;

const SEARCH_EXAMPLES: &str = "\
Examples:
  lodeward search 'gothic cathedral'
  lodeward search 'architect of the Empire State Building' --why
  lodeward search paris --type museum --language fr --limit 5
  lodeward search shreve --crawl default --mark keep --json";

/// Find entities by plain words
///
/// Searches labels, other names, descriptions, types, predicates and the names of
/// neighbours of all entities in the archive, crawled or imported. The archive and the
/// search index are first updated from the crawls. See docs/search.md.
#[derive(Args, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(after_help = format!("{SEARCH_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct SearchArgs {
    /// The words
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Retrieval method
    #[arg(long, default_value = "ranked")]
    pub(crate) method: MethodArg,
    /// Type of entities that the words ask for, such as `film` (method published) [default:
    /// detected]
    #[arg(long, value_name = "NAME")]
    pub(crate) query_type: Option<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Only entities of this type: an IRI, a name with a usual prefix, or words of its name;
    /// repeatable
    #[arg(long = "type", value_name = "TYPE", help_heading = "Filters")]
    pub(crate) types: Vec<String>,
    /// Only entities that a document of this crawl describes
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub(crate) crawl: Option<String>,
    /// Only entities of this domain, or described by a document of it; repeatable
    #[arg(long, value_name = "DOMAIN", help_heading = "Filters")]
    pub(crate) domain: Vec<String>,
    /// Only entities with statements in this graph; repeatable
    #[arg(long, value_name = "IRI", help_heading = "Filters")]
    pub(crate) graph: Vec<String>,
    /// Only entities with a text in this language; repeatable
    #[arg(long, value_name = "TAG", help_heading = "Filters")]
    pub(crate) language: Vec<String>,
    /// Only entities with this mark in --crawl
    #[arg(long, requires = "crawl", help_heading = "Filters")]
    pub(crate) mark: Option<SearchMarkArg>,
    /// Treat the last word as the beginning of a word
    #[arg(long)]
    pub(crate) prefix: bool,
    /// Count types, domains and languages of the best 1,000 results
    #[arg(long)]
    pub(crate) facets: bool,
    /// Print what each score consists of
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A retrieval method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum MethodArg {
    /// Words, mentioned entities and relations between them
    Ranked,
    /// Words only
    Bm25f,
    /// Words, clusters, types and context, as in DURAARK D3.6
    Published,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Ranked => Self::Ranked,
            MethodArg::Bm25f => Self::Bm25f,
            MethodArg::Published => Self::Published,
        }
    }
}

const SIMILAR_EXAMPLES: &str = "\
Examples:
  lodeward similar http://dbpedia.org/resource/Cologne_Cathedral
  lodeward similar dbr:Cologne_Cathedral --limit 5 --why";

/// List entities that are similar to one
///
/// Compares statements, neighbours, predicates and words. See docs/search.md.
#[derive(Args, Debug, Serialize, Deserialize)]
#[command(after_help = format!("{SIMILAR_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct SimilarArgs {
    /// The entity: its IRI, or a name with a usual prefix
    #[arg(value_name = "IRI")]
    pub(crate) entity: String,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print what each score consists of
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const CLUSTER_EXAMPLES: &str = "\
Examples:
  lodeward cluster
  lodeward cluster --crawl cologne --type dbo:Building
  lodeward cluster --algorithm x-means --k-max 20
  lodeward cluster --extend
  lodeward cluster --show 3";

/// Cluster the entities of the archive
///
/// Stores the clusters in the data directory and lists the largest. --list and --show
/// print them again. See docs/search.md.
#[derive(Args, Debug, Serialize, Deserialize)]
#[command(after_help = format!("{CLUSTER_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// How entities are clustered
    #[arg(long, default_value = "leiden")]
    pub(crate) algorithm: AlgorithmArg,
    #[command(flatten)]
    pub(crate) selection: EntitySelectionArgs,
    /// Minimum number of clusters of a type (x-means, spectral)
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) k_min: u16,
    /// Maximum number of clusters of a type (x-means, spectral)
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) k_max: u16,
    /// Assign new entities to the stored clusters, without a new clustering
    #[arg(long, conflicts_with_all = ["algorithm", "crawl", "types", "domain", "k_min", "k_max"])]
    pub(crate) extend: bool,
    /// List the stored clusters
    #[arg(long, conflicts_with_all = ["extend", "algorithm", "crawl", "types", "domain", "k_min", "k_max"])]
    pub(crate) list: bool,
    /// Print the members of a stored cluster
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "extend", "algorithm", "crawl", "types", "domain"])]
    pub(crate) show: Option<u32>,
    /// Print at most this many clusters or members; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Selects entities that are clustered or compared.
#[derive(Args, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EntitySelectionArgs {
    /// Only entities that a document of this crawl describes
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub(crate) crawl: Option<String>,
    /// Only entities of this type: an IRI, a name with a usual prefix, or words of its name;
    /// repeatable
    #[arg(long = "type", value_name = "TYPE", help_heading = "Filters")]
    pub(crate) types: Vec<String>,
    /// Only entities whose IRI is of this domain; repeatable
    #[arg(long, value_name = "DOMAIN", help_heading = "Filters")]
    pub(crate) domain: Vec<String>,
}

/// How entities are clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum AlgorithmArg {
    /// Communities of the graph of nearest neighbours
    Leiden,
    /// X-means, as published
    XMeans,
    /// Spectral clustering, as published
    Spectral,
}

impl From<AlgorithmArg> for AlgorithmName {
    fn from(algorithm: AlgorithmArg) -> Self {
        match algorithm {
            AlgorithmArg::Leiden => Self::Leiden,
            AlgorithmArg::XMeans => Self::XMeans,
            AlgorithmArg::Spectral => Self::Spectral,
        }
    }
}

/// A selection by mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum SearchMarkArg {
    /// Not dropped; the default
    Undropped,
    /// Kept
    Keep,
    /// Dropped
    Drop,
    /// Without a mark
    None,
    /// All
    All,
}

impl From<SearchMarkArg> for MarkFilter {
    fn from(mark: SearchMarkArg) -> Self {
        match mark {
            SearchMarkArg::Undropped => Self::Undropped,
            SearchMarkArg::Keep => Self::Only(Some(MarkKind::Keep)),
            SearchMarkArg::Drop => Self::Only(Some(MarkKind::Drop)),
            SearchMarkArg::None => Self::Only(None),
            SearchMarkArg::All => Self::All,
        }
    }
}
