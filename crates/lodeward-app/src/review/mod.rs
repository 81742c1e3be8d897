//! The review of a harvest: its candidates are ranked, filtered and marked.

mod candidate_cache;
mod candidate_index;
mod candidates;
mod candidates_csv;
mod facets;
pub mod filter;
mod found_candidates;
pub(crate) mod load_facts;
mod mark_targets;
pub mod marks;
mod options;
pub mod ranking_file;
mod ranking_name;
mod reference;
mod review_summary;

pub use candidate_cache::CandidateCache;
pub use candidate_index::{CandidateIndex, CandidatePageRequest, OpenedHarvest};
pub use candidates::{
    Candidate, CandidateError, CandidatePage, CandidateQuery, MarkFilter, RankingDepth, candidates, candidates_with,
    compute_ranking, for_each_candidate, rank,
};
pub use candidates_csv::{write_csv_head, write_csv_line};
pub use facets::{CandidateFacet, CandidateFacets, MarkCounts, ScoreHistogram};
pub use filter::{CandidateFilter, FilterError};
pub(crate) use found_candidates::FoundCandidates;
pub use load_facts::{RankingProgress, RedirectMap};
pub(crate) use load_facts::{empty_fact_base, facts_options, load_fact_base};
pub use mark_targets::{NotCandidate, require_candidates};
pub use marks::{MarkFile, MarkKind, MarksError};
pub use options::ranking_options;
pub use ranking_file::{RankingFile, RankingFileError};
pub use ranking_name::{MAX_NAMED_RANKINGS, RankingName, delete_ranking, named_rankings, ranking_path};
pub(crate) use reference::ReferenceLoader;
pub use reference::{ReferenceError, ReferenceGraph, load_crawl_reference, load_reference};
pub use review_summary::{ReviewSummary, ReviewSummaryCache};
