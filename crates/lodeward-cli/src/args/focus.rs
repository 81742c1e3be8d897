//! Flags of the ranking of entities.

use clap::{Args, ValueEnum};

const HEADING: &str = "Topic-focused crawls";

/// Flags of `crawl --strategy focus`, and of `rank`.
#[derive(Args, Debug, Default)]
pub(crate) struct FocusArgs {
    /// Ranker of entities [default: auto]
    #[arg(long, help_heading = HEADING, hide_short_help = true)]
    pub(crate) ranker: Option<RankerArg>,
    /// Rank entities up to this many links from a seed [default: depends on the seeds, mostly 2,
    /// and 4 for a crawl with a limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=10))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub(crate) max_hops: Option<i64>,
    /// Fetch this many candidates of each hop, the best ones [default: 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub(crate) max_candidates_per_hop: Option<i64>,
    /// Measure the seeds in this graph: crawl, `graph:IRI`, `file:PATH` or `endpoint:URL`
    /// [default: crawl]
    #[arg(long, value_name = "GRAPH", help_heading = HEADING, hide_short_help = true)]
    pub(crate) reference_graph: Option<String>,
    /// Query this SPARQL endpoint for descriptions of entities, instead of fetching them
    #[arg(long, value_name = "URL", help_heading = HEADING, hide_short_help = true)]
    pub(crate) descriptions_endpoint: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum RankerArg {
    /// The ranker that suits the seeds; the report states the reason
    Auto,
    /// Links, walks and texts together
    Hybrid,
    /// Texts, with seeds weighted by attrition (DURAARK)
    #[value(name = "ejsim+")]
    EjsimPlus,
    /// Texts
    Ejsim,
    /// Neighbourhoods
    Njsim,
    /// PageRank, independent of the seeds
    Pagerank,
    /// Personalised PageRank from the seeds
    Ppr,
    /// Naive Bayes, trained on the candidates that were kept and dropped
    Nb,
}
