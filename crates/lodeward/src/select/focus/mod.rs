//! The entities that matter to the seeds (DURAARK D3.6, Alg. 1).
//!
//! Everything that documents say of entities is gathered into a graph
//! ([`Gathering`]), and the candidates in it are ranked, again and again as it
//! grows. The best of each hop are visited, and what they say makes the ranking
//! of the next better.
//!
//! Alg. 1 crawls a hop, ranks, and goes on with the best. So does this strategy
//! where hops are strict. Otherwise it visits the best of whatever hop first,
//! which needs fewer requests for the same entities (eval/results/focus.md), and
//! only the bound of each hop is as published.
//!
//! What it has learned is the harvest itself: a crawl that is resumed reads it
//! again, and nothing else is kept.

mod describe;
mod distances;
mod origins;
mod standing;

pub use describe::{Describing, asked_about};

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rand::rngs::SmallRng;

use super::breadth_first::{by_depth, candidate};
use super::{Action, Decision, Found, Judgement, Lesson, Order, Strategy, Verdict};
use crate::frontier::Offer;
use crate::model::{Candidate, DropReason, Features, How, Link, Uri, Via, Visit};
use crate::rank::choice::{DEPTH, DEPTH_BUDGETED, DEPTH_FARTHER};
use crate::rank::options::Options;
use crate::rank::{Choice, Facts, FactsOptions, Gathering, Measures, answer};
use crate::seed::Note;
use distances::Distances;
use origins::Origins;
use standing::{Admitted, Standing, Standings};

/// How urgent seeds are, and what is in the way of one: before all candidates.
const SEED_PRIORITY: f32 = 2.0;

/// What is not ranked yet is worth this share of whoever led to it.
const NEWCOMER_SHARE: f32 = 0.5;

/// How a focused crawl goes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How candidates are ranked.
    pub ranking: Options,
    /// Of each hop only the best are visited, this many of them.
    pub keep: usize,
    /// Whether nobody of a hop is visited before the hop before is done with.
    pub strict_hops: bool,
    /// Which facts are read.
    pub facts: Arc<FactsOptions>,
    /// Who is asked for descriptions, instead of the entities themselves.
    pub describing: Option<Describing>,
}

/// Visits the entities that matter to the seeds.
pub struct Focus {
    settings: Settings,
    seeds: Vec<Uri>,
    known_seeds: HashSet<u128, RandomState>,
    /// Seeds that were named by more than their address.
    named: Vec<Note>,
    marks: Vec<(String, bool)>,
    /// The addresses of those whom the user has dropped.
    dropped: HashSet<u128, RandomState>,
    gathered: Gathering,
    /// Where coherence and centrality of seeds are measured, if not in what was
    /// gathered.
    reference: Option<Gathering>,
    /// What was measured there.
    measures: Option<Measures>,
    origins: Origins,
    standings: Standings,
    admitted: Admitted,
    distances: Distances,
    /// How much was known when the candidates were last ranked.
    ranked_at_size: usize,
    /// The hop for which they were last ranked, where hops are strict.
    ranked_for_hop: u16,
    choice: Option<Choice>,
}

impl Focus {
    /// A strategy that knows what was gathered so far about these seeds. More
    /// seeds may be placed.
    #[must_use]
    pub fn new(settings: Settings, seeds: Vec<Uri>, gathered: Gathering) -> Self {
        let mut focus = Self {
            settings,
            known_seeds: seeds.iter().map(Uri::fingerprint).collect(),
            seeds,
            named: Vec::new(),
            marks: Vec::new(),
            dropped: HashSet::default(),
            gathered,
            reference: None,
            measures: None,
            origins: Origins::default(),
            standings: Standings::default(),
            admitted: Admitted::default(),
            distances: Distances::default(),
            ranked_at_size: 0,
            ranked_for_hop: 0,
            choice: None,
        };
        if let Some(describing) = &mut focus.settings.describing {
            describing.remember(&focus.gathered);
        }
        focus
    }

    /// Measures coherence and centrality of seeds in another graph.
    #[must_use]
    pub fn with_reference(self, reference: Gathering) -> Self {
        Self { reference: Some(reference), ..self }
    }

    /// Knows which entities are meant by seeds.
    #[must_use]
    pub fn with_names(self, named: Vec<Note>) -> Self {
        Self { named, ..self }
    }

    /// Learns what the user has kept and dropped: who was dropped is not visited.
    #[must_use]
    pub fn with_marks(self, marks: Vec<(String, bool)>) -> Self {
        let dropped = marks.iter().filter(|(_, is_kept)| !is_kept);
        let dropped = dropped.filter_map(|(name, _)| Some(Uri::parse(name).ok()?.fingerprint())).collect();
        Self { marks, dropped, ..self }
    }

    /// Ranks all candidates by what is known.
    fn rank(&mut self) {
        self.gathered.tidy();
        self.ranked_at_size = self.gathered.size();
        let seeds = self.gathered.meant_by_all(&self.seeds, &self.named);
        let graph = self.gathered.graph();
        let options = &self.settings.ranking;
        // The other graph does not change; seeds do, until all have been visited.
        if let Some(reference) = &self.reference
            && !self.measures.as_ref().is_some_and(|measures| measures.are_of(&seeds))
        {
            self.measures = Some(Measures::new(&reference.graph(), &seeds, options));
        }
        let mut answer = answer(&graph, &seeds, options, &self.marks, self.measures.as_ref());
        self.admitted.note_described(&self.gathered, &answer);
        self.distances.note(&self.gathered, &answer);
        // Who was visited is no longer to be compared with.
        answer.retain(|entity| !graph.is_described(entity));
        self.standings = Standings::new(&self.gathered, &answer);
        self.choice = Some(answer.choice);
    }

    /// Whether so much more is known that ranking again is worth it. As often as
    /// the graph grows by a tenth, so that all rankings together cost as much as
    /// ten of the last one.
    fn is_outdated(&self) -> bool {
        const GROWTH: usize = 10;
        let size = self.gathered.size();
        size > self.ranked_at_size + self.ranked_at_size / GROWTH
    }

    /// How deep links are looked at: as deep as was asked for, or as it may turn
    /// out to be worth.
    fn depth_max(&self) -> u16 {
        let Options { depth, is_budgeted, .. } = &self.settings.ranking;
        u16::from(depth.unwrap_or(if *is_budgeted { DEPTH_BUDGETED } else { DEPTH_FARTHER }))
    }

    /// How deep the links of a document lead. The best come first, so that the way
    /// by which somebody was found need not be the shortest; the graph knows better.
    fn depth_of_links(&self, found: &Found<'_>) -> u16 {
        if self.settings.strict_hops || found.redirects > 0 {
            return found.depth;
        }
        let source = found.visit.map(|visit| self.address_of_candidate(&visit.candidate));
        let known = source.and_then(|address| self.distances.of(address));
        known.map_or(found.depth, |distance| found.depth.min(distance + 1))
    }

    /// Whether it depends on what is nearer if somebody this deep is visited, which
    /// is decided when all of that is known.
    fn is_beyond_first(&self, depth: u16) -> bool {
        let Options { depth: asked, is_budgeted, .. } = &self.settings.ranking;
        asked.is_none() && !is_budgeted && depth > u16::from(DEPTH)
    }

    /// Whether somebody this deep is not visited, by what is known now.
    fn is_too_deep(&self, depth: u16) -> bool {
        let chosen = self.choice.as_ref().map_or(DEPTH, |choice| choice.depth);
        self.is_beyond_first(depth) && depth > u16::from(chosen)
    }

    /// How urgent somebody is: who may be too deep comes after all others.
    fn urgency(&self, depth: u16, score: f32) -> f32 {
        if self.is_beyond_first(depth) { score - 1.0 } else { score }
    }

    /// Where a candidate stands: that of the entity for which its address is asked.
    fn standing(&self, candidate: &Candidate) -> Option<Standing> {
        self.standings.find(self.address_of_candidate(candidate))
    }

    fn address_of_candidate(&self, candidate: &Candidate) -> u128 {
        self.address_of(&candidate.target, &candidate.how, candidate.source.as_ref())
    }

    /// Whether somebody is among the best of its hop, and nobody has dropped it.
    fn is_admitted(&mut self, candidate: &Candidate, standing: Option<Standing>) -> bool {
        let (keep, hop) = (self.settings.keep, candidate.depth);
        let address = self.address_of_candidate(candidate);
        if self.dropped.contains(&address) {
            return false;
        }
        match standing {
            Some(standing) => standing.place_in_hop < keep && self.admitted.admit(hop, address, keep),
            // Where hops are strict, those who come first need not be the best.
            None if self.settings.strict_hops => {
                let ranked = self.standings.of_hop(hop).min(keep);
                self.admitted.admit_unranked(hop, address, keep, ranked)
            }
            None => self.admitted.admit(hop, address, keep),
        }
    }

    /// The address of the entity for which another address is asked.
    fn address_of(&self, target: &Uri, how: &How, source: Option<&Uri>) -> u128 {
        let origin = match how {
            How::Redirect(_) => self.origins.of(target).or(source).unwrap_or(target),
            _ => target,
        };
        let asked = origin.fingerprint();
        self.settings.describing.as_ref().and_then(|describing| describing.entity_of(asked)).unwrap_or(asked)
    }

    fn priority(&self, found: &Found<'_>, link: &Link) -> f32 {
        if found.depth == 0 {
            return SEED_PRIORITY;
        }
        if self.settings.strict_hops {
            return by_depth(found);
        }
        let address = self.address_of(&link.target, &link.via.how(), found.source);
        let led_by = found.visit.map_or(0.0, |visit| visit.candidate.priority.clamp(0.0, 1.0));
        let score = self.standings.find(address).map_or(NEWCOMER_SHARE * led_by, |known| known.score);
        self.urgency(found.depth, score)
    }

    /// Why a link is not followed: only entities are, and what leads to one.
    fn reason_against(&self, found: &Found<'_>, link: &Link) -> Option<DropReason> {
        let is_promised = || matches!(link.how(), How::Promised(..));
        match &link.via {
            Via::Seed | Via::Redirect(_) | Via::Step(_) => None,
            _ if found.depth > self.depth_max() => Some(DropReason::Depth),
            Via::Triple { vocabulary: true, .. } => Some(DropReason::Vocabulary),
            Via::Triple { .. } => None,
            _ if is_promised() => None,
            _ => Some(DropReason::Selector),
        }
    }

    /// A link as it is asked for: that of an entity perhaps at an endpoint, if it
    /// was not asked for there before.
    fn asked(&mut self, link: Link) -> Option<Link> {
        let is_entity = matches!(link.via, Via::Seed | Via::Triple { .. });
        match &mut self.settings.describing {
            Some(describing) if is_entity => {
                let named = self.gathered.at(&link.target).map(|entity| self.gathered.name(entity));
                describing.ask(&link.target, named).map(|target| Link { target, ..link })
            }
            _ => Some(link),
        }
    }
}

impl Strategy for Focus {
    fn wants(&self) -> Option<Arc<FactsOptions>> {
        Some(Arc::clone(&self.settings.facts))
    }

    fn read(&mut self, visit: &Visit, facts: &Facts) {
        let Candidate { target, how, source, .. } = &visit.candidate;
        let address = self.address_of_candidate(&visit.candidate);
        if visit.candidate.depth == 0 {
            self.distances.note_seed(address);
        }
        let mut asked = Vec::new();
        if matches!(how, How::Redirect(_)) {
            asked.extend(self.origins.of(target).or(source.as_ref()).cloned());
        }
        self.gathered.add_document(target, &asked, facts);
        self.distances.read(&self.gathered, address, facts);
        // Also where an endpoint has described it.
        self.gathered.note_described_at(address);
    }

    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let mut offers = Vec::with_capacity(links.len());
        let found = &Found { depth: self.depth_of_links(found), ..*found };
        for link in links {
            match &link.via {
                Via::Seed if self.known_seeds.insert(link.target.fingerprint()) => self.seeds.push(link.target.clone()),
                Via::Redirect(_) => self.origins.note(&link.target, found.source),
                _ => {}
            }
            let reason = self.reason_against(found, &link);
            // Somebody nearer may lead to it, later.
            if reason == Some(DropReason::Depth) && !self.settings.strict_hops {
                continue;
            }
            let priority = self.priority(found, &link);
            let link = match reason {
                None => self.asked(link),
                Some(_) => Some(link),
            };
            // It was asked about before.
            let Some(link) = link else { continue };
            let candidate = candidate(found, link, priority, Features::default());
            offers.push(match reason {
                Some(reason) => Offer::Drop(candidate, reason),
                None => Offer::Queue(candidate),
            });
        }
        offers
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let hop = visit.candidate.depth;
        if hop == 0 {
            return Judgement::plain(Decision::Fetch);
        }
        if self.settings.strict_hops && hop > self.ranked_for_hop {
            self.ranked_for_hop = hop;
            self.rank();
        }
        let standing = self.standing(&visit.candidate);
        let is_beyond = self.is_too_deep(hop) || !self.is_admitted(&visit.candidate, standing);
        let (decision, action) =
            if is_beyond { (Decision::Skip, Action::MattersLess) } else { (Decision::Fetch, Action::Matters) };
        let score = standing.map_or(visit.candidate.priority.clamp(0.0, 1.0), |standing| standing.score);
        Judgement { decision, verdict: Some(Verdict { action, score, reasons: Vec::new() }) }
    }

    fn learn(&mut self, _: &Lesson<'_>) {}

    fn has_new_order(&mut self) -> bool {
        let is_outdated = self.is_outdated();
        if is_outdated {
            self.rank();
        }
        is_outdated
    }

    fn score(&mut self, candidate: &Candidate, _: &mut SmallRng) -> f32 {
        if candidate.depth == 0 {
            return SEED_PRIORITY;
        }
        let standing = self.standing(candidate);
        standing.map_or(candidate.priority, |standing| self.urgency(candidate.depth, standing.score))
    }

    fn order(&self) -> Order {
        if self.settings.strict_hops { Order::Hops } else { Order::BestFirst }
    }
}
