//! Tests of the worlds in `eval/worlds`, on which strategies are measured.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::links::{AnchorTarget, WorldLinkTarget};
use super::plan::{DocumentPlan, DocumentUrlKind, LinkNaming};
use super::{World, WorldParameters};

const SMALL_WORLD: &str = include_str!("../../../../eval/worlds/small.toml");
const PAPER_WORLD: &str = include_str!("../../../../eval/worlds/paper.toml");

fn parse_world(text: &str) -> World {
    World::new(WorldParameters::from_toml(text).expect("sound parameters")).expect("sound parameters")
}

/// Counts of the URIs that a simulated crawl fetches.
#[derive(Debug, Default)]
struct WalkCounts {
    uris: u32,
    hard: u32,
    hard_rdf: u32,
}

/// A crawl that takes one URI of each site in turn, in the order of discovery.
struct BreadthFirstWalk<'a> {
    world: &'a World,
    known: HashSet<(u32, u32, u8)>,
    queues: BTreeMap<u32, VecDeque<(DocumentPlan, DocumentUrlKind)>>,
    counts: WalkCounts,
}

impl<'a> BreadthFirstWalk<'a> {
    fn crawl(world: &'a World, max_uris: u32) -> WalkCounts {
        let mut crawl = Self { world, known: HashSet::new(), queues: BTreeMap::new(), counts: WalkCounts::default() };
        for plan in world.seed_plans() {
            crawl.offer(plan, DocumentUrlKind::Document);
        }
        while crawl.queues.values().any(|queue| !queue.is_empty()) && crawl.counts.uris < max_uris {
            let round: Vec<(DocumentPlan, DocumentUrlKind)> =
                crawl.queues.values_mut().filter_map(VecDeque::pop_front).collect();
            for (plan, url_kind) in round {
                crawl.fetch(&plan, url_kind);
            }
        }
        crawl.counts
    }

    fn offer(&mut self, plan: DocumentPlan, url_kind: DocumentUrlKind) {
        if self.known.insert((plan.site.number, plan.number, url_kind as u8)) {
            self.queues.entry(plan.site.number).or_default().push_back((plan, url_kind));
        }
    }

    fn fetch(&mut self, plan: &DocumentPlan, url_kind: DocumentUrlKind) {
        // A slash URI costs one more request: the resource responds with a 303 to the document.
        self.counts.uris += 1 + u32::from(url_kind == DocumentUrlKind::Document && plan.naming == LinkNaming::Slash);
        let is_rdf = url_kind == DocumentUrlKind::Document && plan.kind.holds_rdf();
        let content_type = plan.content_type.unwrap_or_default();
        let has_extension =
            plan.url(DocumentUrlKind::Document).rsplit('/').next().is_some_and(|file| file.contains('.'))
                && (plan.kind.is_serialisation() || content_type == "image/png");
        let is_typed = plan.kind.is_serialisation() && content_type == plan.kind.media_type();
        if url_kind == DocumentUrlKind::Page || !has_extension && !is_typed {
            self.counts.hard += 1;
            self.counts.hard_rdf += u32::from(is_rdf);
        }
        let links = self.world.links(plan);
        if is_rdf {
            for link in links.iter().filter(|link| link.stated) {
                self.follow(&AnchorTarget::Target(link.target));
            }
        }
        if url_kind == DocumentUrlKind::Page || !plan.kind.is_serialisation() {
            for anchor in self.world.anchors(plan, &links) {
                self.follow(&anchor.to);
            }
        }
    }

    fn follow(&mut self, to: &AnchorTarget) {
        match to {
            AnchorTarget::Target(WorldLinkTarget::Document(plan) | WorldLinkTarget::Redirected(plan, _)) => {
                self.offer(*plan, DocumentUrlKind::Document);
            }
            AnchorTarget::DocumentUrl(plan, url_kind) => self.offer(*plan, *url_kind),
            _ => {}
        }
    }
}

#[test]
fn breadth_first_crawl_of_small_world_matches_rdf_share_of_papers() {
    let counts = BreadthFirstWalk::crawl(&parse_world(SMALL_WORLD), 2_000);

    let share = f64::from(counts.hard_rdf) / f64::from(counts.hard);
    assert!((0.2..0.4).contains(&share), "{share}: {counts:?}");
}

#[test]
fn small_world_is_scaled_down_paper_world() {
    let (mut small, paper) = (parse_world(SMALL_WORLD).parameters, parse_world(PAPER_WORLD).parameters);
    assert!(small.hosts < paper.hosts && small.documents_per_host < paper.documents_per_host);
    (small.hosts, small.documents_per_host, small.vocabularies) =
        (paper.hosts, paper.documents_per_host, paper.vocabularies);

    assert_eq!(small, paper);
}

/// The share of documents with RDF for each key that `part` returns.
fn rdf_shares<K: Ord>(world: &World, part: impl Fn(&DocumentPlan) -> K) -> Vec<f64> {
    let mut counts: BTreeMap<K, (f64, f64)> = BTreeMap::new();
    for site in 0..world.parameters().hosts {
        let site = world.site(site);
        for number in 0..site.documents {
            let plan = world.plan(site, number);
            let (rdf, all) = counts.entry(part(&plan)).or_default();
            *rdf += f64::from(u8::from(plan.kind.holds_rdf()));
            *all += 1.0;
        }
    }
    counts.values().filter(|(_, all)| *all >= 10.0).map(|(rdf, all)| rdf / all).collect()
}

#[test]
fn rdf_share_varies_by_site_and_section_in_small_world() {
    let world = parse_world(SMALL_WORLD);
    let sites = rdf_shares(&world, |plan| plan.site.number);
    let sections = rdf_shares(&world, |plan| (plan.site.number, plan.section));
    let names = rdf_shares(&world, |plan| plan.section);
    let mixed = |shares: &[f64]| {
        let count = shares.iter().filter(|share| (0.1..0.9).contains(*share)).count();
        f64::from(u32::try_from(count).expect("few")) / f64::from(u32::try_from(shares.len()).expect("few"))
    };

    assert!(sites.iter().any(|share| *share < 0.1) && sites.iter().any(|share| *share > 0.7), "{sites:?}");
    assert!(mixed(&sites) > 0.5, "most sites are mixed: {sites:?}");
    assert!((0.3..0.95).contains(&mixed(&sections)), "{sections:?}");
    assert!(mixed(&names) > 0.5, "most section names are ambiguous: {names:?}");
}

#[test]
fn list_page_links_into_its_section() {
    let world = parse_world(SMALL_WORLD);
    let mut lists = 0;
    for site in (0..world.parameters().hosts).map(|number| world.site(number)).filter(|site| site.documents > 100) {
        for plan in (0..site.documents).map(|number| world.plan(site, number)).filter(|plan| plan.list) {
            lists += 1;
            let links = world.links(&plan);
            let near = links.iter().filter(|link| match link.target {
                WorldLinkTarget::Document(target) | WorldLinkTarget::Redirected(target, _) => {
                    world.link_list(&plan, &AnchorTarget::Target(WorldLinkTarget::Document(target))) == Some("entries")
                }
                _ => false,
            });
            assert!(!plan.kind.holds_rdf());
            assert!(near.count() * 2 > links.len(), "{} {links:?}", plan.url(DocumentUrlKind::Document));
        }
    }
    assert!(lists > 10, "{lists}");
}
