//! Focused crawl: fetches the entities that are most relevant to the seeds (DURAARK D3.6, Alg. 1).
//!
//! The facts of all documents are collected in a graph ([`FactBase`]), and its candidates are
//! ranked repeatedly as it grows. The best of each hop are fetched, and their facts improve the
//! ranking of the next hop.
//!
//! Alg. 1 crawls a hop, ranks, and continues with the best. With strict hops this strategy does the
//! same. Otherwise it fetches the best candidates of any hop first, which needs fewer requests for
//! the same entities (eval/results/focus.md); only the limit per hop is as published.
//!
//! The only model is the harvest: a resumed crawl reads it again, and nothing else is stored.

mod description_endpoint;
mod distances;
mod redirect_origins;
mod standing;

pub use description_endpoint::{DescriptionEndpoint, queried_names};

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rand::rngs::SmallRng;

use crate::rank::options::RankingOptions;
use crate::rank::ranker_choice::{BUDGETED_DEPTH, DEFAULT_DEPTH, EXTENDED_DEPTH};
use crate::rank::{FactBase, RankerChoice, SeedMeasures, plan_ranking};
use distances::SeedDistances;
use lodeward::discover::promise;
use lodeward::frontier::{DomainOrder, FeatureVector, Lease, Offer, QueueEntry};
use lodeward::model::{DropReason, FoundBy, Link, LinkKind, Uri, Verdict, VerdictAction};
use lodeward::select::breadth_first::{depth_priority, queue_entry};
use lodeward::select::{Decision, Facts, FactsOptions, Judgement, LinkContext, RequestResult, Strategy};
use redirect_origins::RedirectOrigins;
use standing::{AdmittedCandidates, CandidateStanding, CandidateStandings};

/// Priority of seeds and of the targets of their redirects: above all candidates.
const SEED_PRIORITY: f32 = 2.0;

/// Priority of a link that is not ranked yet, as a fraction of the priority of its source.
const UNRANKED_SHARE: f32 = 0.5;

/// Options of a focused crawl.
#[derive(Clone, Debug)]
pub struct FocusOptions {
    /// Options of the ranking.
    pub ranking: RankingOptions,
    /// Maximum number of candidates fetched per hop. The best candidates are fetched.
    pub max_candidates_per_hop: usize,
    /// Whether a hop is finished before the next one begins.
    pub strict_hops: bool,
    /// Options for reading facts.
    pub facts: Arc<FactsOptions>,
    /// Endpoint that is queried for descriptions, instead of fetching the entities.
    pub descriptions_endpoint: Option<DescriptionEndpoint>,
}

/// What is known when a focused crawl starts or is resumed.
pub struct FocusStart {
    /// The seeds; more may be offered later.
    pub seeds: Vec<Uri>,
    /// IRIs of the seeds that the user gave as entities, not just as URLs.
    pub seed_entities: Vec<String>,
    /// The user's marks: IRIs of entities, and whether they are kept. Dropped entities are not fetched.
    pub marks: Vec<(String, bool)>,
    /// The facts of the documents fetched so far.
    pub fact_base: FactBase,
    /// The graph in which coherence and centrality of seeds are measured, if not the fact base.
    pub reference: Option<FactBase>,
}

/// Fetches the entities that are most relevant to the seeds.
pub struct FocusStrategy {
    options: FocusOptions,
    seeds: Vec<Uri>,
    known_seeds: HashSet<u128, RandomState>,
    /// URL fingerprints of results of a search, which are fetched like seeds, but are candidates.
    found: HashSet<u128, RandomState>,
    /// IRIs of the seeds that were given as entities, not just as URLs.
    seed_entities: Vec<String>,
    marks: Vec<(String, bool)>,
    /// URL fingerprints of entities that the user has dropped.
    dropped: HashSet<u128, RandomState>,
    fact_base: FactBase,
    /// Graph in which coherence and centrality of seeds are measured, if not the fact base.
    reference: Option<FactBase>,
    /// Measures of the seeds in the reference graph.
    measures: Option<SeedMeasures>,
    origins: RedirectOrigins,
    standings: CandidateStandings,
    admitted: AdmittedCandidates,
    distances: SeedDistances,
    /// Size of the fact base at the last ranking.
    ranked_at_size: usize,
    /// The hop of the last ranking; used with strict hops only.
    ranked_for_hop: u16,
    choice: Option<RankerChoice>,
}

impl FocusStrategy {
    /// Creates the strategy of a new or resumed crawl.
    #[must_use]
    pub fn new(options: FocusOptions, start: FocusStart) -> Self {
        let FocusStart { seeds, seed_entities, marks, fact_base, reference } = start;
        let dropped = marks.iter().filter(|(_, is_kept)| !is_kept);
        let dropped = dropped.filter_map(|(name, _)| Some(Uri::parse(name).ok()?.fingerprint())).collect();
        let found =
            options.ranking.found.iter().filter_map(|name| Some(Uri::parse(name).ok()?.fingerprint())).collect();
        let mut focus = Self {
            options,
            found,
            known_seeds: seeds.iter().map(Uri::fingerprint).collect(),
            seeds,
            seed_entities,
            marks,
            dropped,
            fact_base,
            reference,
            measures: None,
            origins: RedirectOrigins::default(),
            standings: CandidateStandings::default(),
            admitted: AdmittedCandidates::default(),
            distances: SeedDistances::default(),
            ranked_at_size: 0,
            ranked_for_hop: 0,
            choice: None,
        };
        if let Some(endpoint) = &mut focus.options.descriptions_endpoint {
            endpoint.index_queries(&focus.fact_base);
        }
        focus
    }

    /// Ranks all candidates by the current facts.
    fn rank(&mut self) {
        self.fact_base.dedup();
        self.ranked_at_size = self.fact_base.size();
        let seeds = self.fact_base.seed_entity_names(&self.seeds, &self.seed_entities);
        let graph = self.fact_base.graph();
        let options = &self.options.ranking;
        // The reference graph does not change, but the entities that seeds refer to do, until all
        // seeds have been fetched.
        if let Some(reference) = &self.reference
            && !self.measures.as_ref().is_some_and(|measures| measures.is_for_seeds(&seeds))
        {
            self.measures = Some(SeedMeasures::new(&reference.graph(), &seeds, options));
        }
        let mut plan = plan_ranking(&graph, &seeds, options, &self.marks, self.measures.as_ref());
        self.admitted.admit_described(&self.fact_base, &plan);
        self.distances.record_ranking(&self.fact_base, &plan);
        // Entities that were already fetched are not candidates.
        plan.retain(|entity| !graph.is_described(entity));
        self.standings = CandidateStandings::new(&self.fact_base, &plan);
        self.choice = Some(plan.choice);
    }

    /// Whether the fact base has grown by a tenth since the last ranking. If it is ranked only then,
    /// all rankings together cost about ten times as much as the last one.
    fn is_outdated(&self) -> bool {
        const GROWTH_DIVISOR: usize = 10;
        let size = self.fact_base.size();
        size > self.ranked_at_size + self.ranked_at_size / GROWTH_DIVISOR
    }

    /// Maximum depth of links: the configured one, or the largest that may be chosen.
    fn max_depth(&self) -> u16 {
        let RankingOptions { max_hops, is_budgeted, .. } = &self.options.ranking;
        u16::from(max_hops.unwrap_or(if *is_budgeted { BUDGETED_DEPTH } else { EXTENDED_DEPTH }))
    }

    /// Depth of the links of a document. The best candidates are fetched first, so the path by
    /// which a document was found need not be the shortest; the graph may have a shorter one.
    fn link_depth(&self, found: &LinkContext<'_>) -> u16 {
        if self.options.strict_hops || found.redirects > 0 {
            return found.depth;
        }
        let source = found.lease.map(|lease| self.entry_address(&lease.entry));
        // A result of a search is as far from the seeds as an entity that they link to.
        if found.depth == 1 && source.is_some_and(|url| self.found.contains(&url)) {
            return 2;
        }
        let known = source.and_then(|url| self.distances.get(url));
        known.map_or(found.depth, |distance| found.depth.min(distance + 1))
    }

    /// Whether candidates of this depth may still turn out to be too deep: the maximum depth is not
    /// configured, and this depth is above the default.
    fn is_beyond_initial_depth(&self, depth: u16) -> bool {
        let RankingOptions { max_hops: configured, is_budgeted, .. } = &self.options.ranking;
        configured.is_none() && !is_budgeted && depth > u16::from(DEFAULT_DEPTH)
    }

    /// Whether candidates of this depth are not fetched, by the maximum depth chosen so far.
    fn is_too_deep(&self, depth: u16) -> bool {
        let chosen = self.choice.as_ref().map_or(DEFAULT_DEPTH, |choice| choice.max_hops);
        self.is_beyond_initial_depth(depth) && depth > u16::from(chosen)
    }

    /// Lowers the score of candidates that may be too deep, so that they come after all others.
    fn depth_adjusted_score(&self, depth: u16, score: f32) -> f32 {
        if self.is_beyond_initial_depth(depth) { score - 1.0 } else { score }
    }

    /// Returns the standing of the entity that a candidate is requested for.
    fn standing(&self, candidate: &QueueEntry) -> Option<CandidateStanding> {
        self.standings.find(self.entry_address(candidate))
    }

    fn entry_address(&self, candidate: &QueueEntry) -> u128 {
        self.entity_address(&candidate.target, &candidate.found_by, candidate.source.as_ref())
    }

    /// Whether a candidate is among the best of its hop, and was not dropped by the user.
    fn is_admitted(&mut self, candidate: &QueueEntry, standing: Option<CandidateStanding>) -> bool {
        let (keep, hop) = (self.options.max_candidates_per_hop, candidate.depth);
        let url = self.entry_address(candidate);
        if self.dropped.contains(&url) {
            return false;
        }
        match standing {
            Some(standing) => standing.rank_in_hop < keep && self.admitted.admit(hop, url, keep),
            // With strict hops, unranked candidates may be judged first; places are reserved for ranked ones.
            None if self.options.strict_hops => {
                let ranked = self.standings.ranked_in_hop(hop).min(keep);
                self.admitted.admit_unranked(hop, url, keep, ranked)
            }
            None => self.admitted.admit(hop, url, keep),
        }
    }

    /// URL fingerprint of the entity that a URL is requested for.
    fn entity_address(&self, target: &Uri, how: &FoundBy, source: Option<&Uri>) -> u128 {
        let origin = match how {
            FoundBy::Redirect(_) => self.origins.origin(target).or(source).unwrap_or(target),
            _ => target,
        };
        let requested = origin.fingerprint();
        self.options
            .descriptions_endpoint
            .as_ref()
            .and_then(|endpoint| endpoint.entity_address(requested))
            .unwrap_or(requested)
    }

    fn priority(&self, found: &LinkContext<'_>, link: &Link) -> f32 {
        if found.depth == 0 {
            return SEED_PRIORITY;
        }
        if self.options.strict_hops {
            return depth_priority(found);
        }
        let url = self.entity_address(&link.target, &link.via.found_by(), found.source);
        let source_priority = found.lease.map_or(0.0, |lease| lease.entry.priority.clamp(0.0, 1.0));
        let score = self.standings.find(url).map_or(UNRANKED_SHARE * source_priority, |known| known.score);
        self.depth_adjusted_score(found.depth, score)
    }

    /// Returns the reason to drop a link. Only links that name an entity, or may lead to one, are
    /// followed.
    fn drop_reason(&self, found: &LinkContext<'_>, link: &Link) -> Option<DropReason> {
        let is_promised = || promise::from_link(link).is_some();
        match &link.via {
            LinkKind::Seed | LinkKind::Redirect(_) => None,
            _ if found.depth > self.max_depth() => Some(DropReason::Depth),
            LinkKind::Triple { vocabulary: true, .. } => Some(DropReason::Vocabulary),
            LinkKind::Triple { .. } => None,
            _ if is_promised() => None,
            _ => Some(DropReason::Strategy),
        }
    }

    /// Whether a URL that the crawl starts with is a seed that was not known.
    fn is_new_seed(&mut self, target: &Uri) -> bool {
        let url = target.fingerprint();
        !self.found.contains(&url) && self.known_seeds.insert(url)
    }

    /// Replaces the URL of an entity by the query URL of the description endpoint, if there is one.
    /// Returns `None` if the entity was queried before.
    fn redirect_to_endpoint(&mut self, link: Link) -> Option<Link> {
        let is_entity = matches!(link.via, LinkKind::Seed | LinkKind::Triple { .. });
        match &mut self.options.descriptions_endpoint {
            Some(endpoint) if is_entity => {
                let named = self.fact_base.entities_at(&link.target).map(|entity| self.fact_base.name(entity));
                endpoint.query_uri_once(&link.target, named).map(|target| Link { target, ..link })
            }
            _ => Some(link),
        }
    }
}

impl Strategy for FocusStrategy {
    fn facts_options(&self) -> Option<Arc<FactsOptions>> {
        Some(Arc::clone(&self.options.facts))
    }

    fn read_facts(&mut self, lease: &Lease, facts: &Facts) {
        let QueueEntry { target, found_by, source, .. } = &lease.entry;
        let url = self.entry_address(&lease.entry);
        if lease.entry.depth == 0 && !self.found.contains(&url) {
            self.distances.record_seed(url);
        }
        let mut redirected_from = Vec::new();
        if matches!(found_by, FoundBy::Redirect(_)) {
            redirected_from.extend(self.origins.origin(target).or(source.as_ref()).cloned());
        }
        self.fact_base.add_document(target, &redirected_from, facts);
        self.distances.read(&self.fact_base, url, facts);
        // The entity is also marked as described if an endpoint returned its description.
        self.fact_base.mark_described_at(url);
    }

    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let mut offers = Vec::with_capacity(links.len());
        let found = &LinkContext { depth: self.link_depth(found), ..*found };
        for link in links {
            match &link.via {
                LinkKind::Seed if self.is_new_seed(&link.target) => {
                    self.seeds.push(link.target.clone());
                }
                LinkKind::Redirect(_) => self.origins.record(&link.target, found.source),
                _ => {}
            }
            let reason = self.drop_reason(found, &link);
            // The link is not recorded as dropped: a document nearer to the seeds may have the same link.
            if reason == Some(DropReason::Depth) && !self.options.strict_hops {
                continue;
            }
            let priority = self.priority(found, &link);
            let link = match reason {
                None => self.redirect_to_endpoint(link),
                Some(_) => Some(link),
            };
            // `None`: the endpoint was queried for this entity before.
            let Some(link) = link else { continue };
            let candidate = queue_entry(found, link, priority, FeatureVector::default());
            offers.push(match reason {
                Some(reason) => Offer::Drop(candidate, reason),
                None => Offer::Queue(candidate),
            });
        }
        offers
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let hop = lease.entry.depth;
        if hop == 0 {
            return Judgement::without_verdict(Decision::Fetch);
        }
        if self.options.strict_hops && hop > self.ranked_for_hop {
            self.ranked_for_hop = hop;
            self.rank();
        }
        let standing = self.standing(&lease.entry);
        let is_beyond = self.is_too_deep(hop) || !self.is_admitted(&lease.entry, standing);
        let (decision, action) = if is_beyond {
            (Decision::Skip, VerdictAction::LessRelevant)
        } else {
            (Decision::Fetch, VerdictAction::Relevant)
        };
        let score = standing.map_or(lease.entry.priority.clamp(0.0, 1.0), |standing| standing.score);
        Judgement { decision, verdict: Some(Verdict { action, score, reasons: Vec::new() }) }
    }

    fn learn(&mut self, _: &RequestResult<'_>) {}

    fn scores_changed(&mut self) -> bool {
        let is_outdated = self.is_outdated();
        if is_outdated {
            self.rank();
        }
        is_outdated
    }

    fn score(&mut self, candidate: &QueueEntry, _: &mut SmallRng) -> f32 {
        if candidate.depth == 0 {
            return SEED_PRIORITY;
        }
        let standing = self.standing(candidate);
        standing.map_or(candidate.priority, |standing| self.depth_adjusted_score(candidate.depth, standing.score))
    }

    fn order(&self) -> DomainOrder {
        if self.options.strict_hops { DomainOrder::Hops } else { DomainOrder::BestFirst }
    }
}
