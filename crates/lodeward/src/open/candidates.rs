//! The candidates of a crawl: ranked again without the network, and as somebody
//! wants to see them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use oxrdf::NamedOrBlankNode;

use super::focus::{ranking_options, reference_of};
use super::gather::{Redirects, gathering};
use super::{OpenError, Shelf, segments};
use crate::config::Config;
use crate::model::Uri;
use crate::rank::filter::{Evidence, Filter};
use crate::rank::listing::{self, Circumstances, Heading, Row};
use crate::rank::marks::Marked;
use crate::rank::{Listing, ListingError, Marks, MarksError, Measures, Opinion, answer};
use crate::registry::{RegistryError, seed_notes};
use crate::store::StoreError;
use crate::store::segments::{Bounds, SegmentStore};

/// The candidates of a crawl cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CandidatesError {
    /// Its ranking cannot be read or written.
    #[error(transparent)]
    Listing(#[from] ListingError),
    /// Its marks cannot be read.
    #[error(transparent)]
    Marks(#[from] MarksError),
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its harvest cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is known of its seeds cannot be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Ranks the entities of a crawl's harvest, and writes the ranking down. Asks
/// nobody on the web, unless seeds are to be measured at an endpoint. Whatever
/// strategy the crawl has: its seeds are the seeds. Belongs on a thread that may
/// block.
pub fn rank(
    config: &Config,
    shelf: &Shelf,
    redirects: Redirects,
    seeds: &[Uri],
    now_ms: u64,
) -> Result<(Heading, Vec<Row>), CandidatesError> {
    let gathered = gathering(config, &shelf.segments, redirects)?;
    let reference = reference_of(config, shelf, seeds).map_err(OpenError::from)?;
    let seeds = gathered.meant_by_all(seeds, &seed_notes(&shelf.directory)?);
    let marks = Marks::of_crawl(&shelf.directory)?.judgments();
    let graph = gathered.graph();
    let options = ranking_options(config);
    let measures = reference.map(|reference| Measures::new(&reference.gathering.graph(), &seeds, &options));
    let answer = answer(&graph, &seeds, &options, &marks, measures.as_ref());
    let circumstances = Circumstances { listed_max: config.focus.listed, left_out: gathered.left_out(), now_ms };
    let (heading, rows) = listing::list(&answer, circumstances);
    listing::write(&shelf.directory, &heading, &rows)?;
    Ok((heading, rows))
}

/// Which candidates somebody wants to see.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// What they are like.
    pub filter: &'a Filter,
    /// How they are marked.
    pub shown: Shown,
    /// Of those, so many are passed over.
    pub offset: u64,
    /// And so many follow.
    pub limit: u64,
}

/// Which marks candidates may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// All but those that were dropped; if the filter speaks of marks, it decides
    /// alone.
    #[default]
    Undropped,
    /// Any, or none.
    All,
    /// This one, or none.
    Only(Option<Opinion>),
}

impl Shown {
    fn has(self, mark: Option<Opinion>, filter: &Filter) -> bool {
        match self {
            Self::Undropped => mark != Some(Opinion::Drop) || filter.speaks_of_marks(),
            Self::All => true,
            Self::Only(wanted) => mark == wanted,
        }
    }
}

/// A candidate, and what its user thinks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its row in the ranking.
    pub row: Row,
    /// Its mark.
    pub mark: Option<Marked>,
}

/// Candidates that somebody wanted to see.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// How their ranking came about.
    pub heading: Heading,
    /// Those who were asked for, the best first.
    pub found: Vec<Candidate>,
    /// How many the filter wants, those included that were passed over.
    pub wanted: u64,
    /// How many more it would want that were dropped.
    pub dropped: u64,
}

/// The candidates of the crawl in this folder. Also while it runs, unless the
/// filter asks for properties: only then the harvest is opened.
pub fn candidates(config: &Config, directory: &Path, wish: &Wish<'_>) -> Result<Candidates, CandidatesError> {
    candidates_with(directory, wish, || Ok(Arc::new(segments(config, directory)?.0)))
}

/// The same, for whoever has the harvest open already.
pub fn candidates_with(
    directory: &Path,
    wish: &Wish<'_>,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, OpenError>,
) -> Result<Candidates, CandidatesError> {
    let (mut found, mut wanted, mut dropped) = (Vec::new(), 0_u64, 0);
    let heading = each_candidate::<CandidatesError>(directory, wish.filter, harvest, &mut |candidate| {
        if wish.shows(&candidate) {
            wanted += 1;
            if wanted > wish.offset && wanted - wish.offset <= wish.limit {
                found.push(candidate);
            }
        } else {
            dropped += u64::from(opinion(candidate.mark.as_ref()) == Some(Opinion::Drop));
        }
        Ok(())
    })?;
    Ok(Candidates { heading, found, wanted, dropped })
}

/// Hands over every candidate that a filter wants, however it is marked, the best
/// first, one at a time. Tells how their ranking came about.
pub fn each_candidate<E: From<CandidatesError>>(
    directory: &Path,
    filter: &Filter,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, OpenError>,
    take: &mut dyn FnMut(Candidate) -> Result<(), E>,
) -> Result<Heading, E> {
    let marks = Marks::of_crawl(directory).map_err(CandidatesError::from)?;
    let evidence =
        if filter.needs_statements() { evidence(directory, filter, &marks, harvest)? } else { HashMap::new() };
    let nothing = Evidence::default();
    let listing = Listing::open(directory).map_err(CandidatesError::from)?;
    let heading = listing.heading.clone();
    for row in listing {
        let row = row.map_err(CandidatesError::from)?;
        let mark = marks.of(&row.entity).cloned();
        let evidence = evidence.get(&row.entity).unwrap_or(&nothing);
        if filter.judge(&row, opinion(mark.as_ref()), Some(evidence)) == Some(true) {
            take(Candidate { row, mark })?;
        }
    }
    Ok(heading)
}

impl Wish<'_> {
    /// Whether a candidate that the filter wants is shown.
    #[must_use]
    pub fn shows(&self, candidate: &Candidate) -> bool {
        self.shown.has(opinion(candidate.mark.as_ref()), self.filter)
    }
}

fn opinion(mark: Option<&Marked>) -> Option<Opinion> {
    mark.map(|mark| mark.opinion)
}

/// What the harvest says of those whom nothing else decides about.
fn evidence(
    directory: &Path,
    filter: &Filter,
    marks: &Marks,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, OpenError>,
) -> Result<HashMap<String, Evidence>, CandidatesError> {
    let mut undecided = HashMap::new();
    for row in Listing::open(directory)? {
        let row = row?;
        if filter.judge(&row, opinion(marks.of(&row.entity)), None).is_none() {
            undecided.insert(row.entity, Evidence::default());
        }
    }
    if !undecided.is_empty() {
        look_for_evidence(&*harvest()?, filter, &mut undecided)?;
    }
    Ok(undecided)
}

/// Looks at all statements about these, in one pass over the harvest.
fn look_for_evidence(
    segments: &SegmentStore,
    filter: &Filter,
    about: &mut HashMap<String, Evidence>,
) -> Result<(), StoreError> {
    let mut reader = segments.log().read(None)?;
    while let Some(group) = reader.next_group(Bounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            for quad in change.statements.quads()? {
                let quad = quad?;
                let NamedOrBlankNode::NamedNode(subject) = &quad.subject else { continue };
                if let Some(evidence) = about.get_mut(subject.as_str()) {
                    filter.note(quad.predicate.as_ref(), quad.object.as_ref(), evidence);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
