//! Which entities matter, and how that is found out.

use clap::{Args, ValueEnum};

/// Flags for `crawl --strategy focus`, and for `rank`.
#[derive(Args, Debug, Default)]
pub(crate) struct FocusSettings {
    /// How entities are ranked [default: auto]
    #[arg(long)]
    pub(crate) ranker: Option<Ranker>,
    /// Entities up to this many links from a seed are candidates [default: chosen:
    /// mostly 2, and 4 for a bounded crawl]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=10))]
    pub(crate) depth: Option<i64>,
    /// Visit the best candidates of each hop, this many of them [default: 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) keep: Option<i64>,
    /// Measure the seeds in this graph: crawl, `graph:IRI`, `file:PATH` or `endpoint:URL`
    /// [default: crawl]
    #[arg(long, value_name = "WHERE")]
    pub(crate) reference: Option<String>,
    /// Ask this SPARQL endpoint for descriptions of entities, instead of asking for
    /// the entities themselves
    #[arg(long, value_name = "URL")]
    pub(crate) describe_at: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Ranker {
    /// Whichever suits the seeds; it is said which, and why
    Auto,
    /// Links, walks and texts together
    Hybrid,
    /// Texts, seeds weighed by their attrition (DURAARK)
    #[value(name = "ejsim+")]
    EjsimPlus,
    /// Texts
    Ejsim,
    /// Neighbourhoods
    Njsim,
    /// PageRank, whatever the seeds
    Pagerank,
    /// Personalised PageRank from the seeds
    Ppr,
    /// Naive Bayes, trained on what was kept and dropped
    Nb,
}
