//! Claims about the worlds under `eval/worlds`, on which strategies are measured.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::links::{Destination, Target};
use super::plan::{Face, Naming, Plan};
use super::{Parameters, World};

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");
const PAPER: &str = include_str!("../../../../eval/worlds/paper.toml");

fn world(text: &str) -> World {
    World::new(Parameters::from_toml(text).expect("sound parameters")).expect("sound parameters")
}

/// What a crawl met.
#[derive(Debug, Default)]
struct Met {
    uris: u32,
    hard: u32,
    hard_rdf: u32,
}

/// A crawl that takes one URI of each site in turn, those found first first.
struct BreadthFirst<'a> {
    world: &'a World,
    known: HashSet<(u32, u32, u8)>,
    waiting: BTreeMap<u32, VecDeque<(Plan, Face)>>,
    met: Met,
}

impl<'a> BreadthFirst<'a> {
    fn crawl(world: &'a World, uris_max: u32) -> Met {
        let mut crawl = Self { world, known: HashSet::new(), waiting: BTreeMap::new(), met: Met::default() };
        for plan in world.seed_plans() {
            crawl.offer(plan, Face::Document);
        }
        while crawl.waiting.values().any(|queue| !queue.is_empty()) && crawl.met.uris < uris_max {
            let round: Vec<(Plan, Face)> = crawl.waiting.values_mut().filter_map(VecDeque::pop_front).collect();
            for (plan, face) in round {
                crawl.visit(&plan, face);
            }
        }
        crawl.met
    }

    fn offer(&mut self, plan: Plan, face: Face) {
        if self.known.insert((plan.site.number, plan.number, face as u8)) {
            self.waiting.entry(plan.site.number).or_default().push_back((plan, face));
        }
    }

    fn visit(&mut self, plan: &Plan, face: Face) {
        // A thing's name answers 303 first.
        self.met.uris += 1 + u32::from(face == Face::Document && plan.naming == Naming::Slash);
        let is_rdf = face == Face::Document && plan.kind.holds_rdf();
        let content_type = plan.content_type.unwrap_or_default();
        let is_told = plan.url(Face::Document).rsplit('/').next().is_some_and(|file| file.contains('.'))
            && (plan.kind.is_serialisation() || content_type == "image/png");
        let is_typed = plan.kind.is_serialisation() && content_type == plan.kind.media_type();
        if face == Face::Page || !is_told && !is_typed {
            self.met.hard += 1;
            self.met.hard_rdf += u32::from(is_rdf);
        }
        let links = self.world.links(plan);
        if is_rdf {
            for link in links.iter().filter(|link| link.stated) {
                self.follow(&Destination::Target(link.target));
            }
        }
        if face == Face::Page || !plan.kind.is_serialisation() {
            for anchor in self.world.anchors(plan, &links) {
                self.follow(&anchor.to);
            }
        }
    }

    fn follow(&mut self, to: &Destination) {
        match to {
            Destination::Target(Target::Document(plan) | Target::Moved(plan, _)) => self.offer(*plan, Face::Document),
            Destination::Face(plan, face) => self.offer(*plan, *face),
            _ => {}
        }
    }
}

#[test]
fn a_breadth_first_crawl_of_the_small_world_meets_rdf_as_often_as_the_papers_did() {
    let met = BreadthFirst::crawl(&world(SMALL), 2_000);

    let share = f64::from(met.hard_rdf) / f64::from(met.hard);
    assert!((0.2..0.4).contains(&share), "{share}: {met:?}");
}

#[test]
fn the_small_world_is_the_papers_in_small() {
    let (mut small, paper) = (world(SMALL).parameters, world(PAPER).parameters);
    assert!(small.hosts < paper.hosts && small.documents_per_host < paper.documents_per_host);
    (small.hosts, small.documents_per_host, small.vocabularies) =
        (paper.hosts, paper.documents_per_host, paper.vocabularies);

    assert_eq!(small, paper);
}

/// Shares of documents with RDF, by some part of a site.
fn shares<K: Ord>(world: &World, part: impl Fn(&Plan) -> K) -> Vec<f64> {
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
fn sites_and_sections_of_the_small_world_differ_without_giving_it_away() {
    let world = world(SMALL);
    let sites = shares(&world, |plan| plan.site.number);
    let sections = shares(&world, |plan| (plan.site.number, plan.section));
    let names = shares(&world, |plan| plan.section);
    let mixed = |shares: &[f64]| {
        let count = shares.iter().filter(|share| (0.1..0.9).contains(*share)).count();
        f64::from(u32::try_from(count).expect("few")) / f64::from(u32::try_from(shares.len()).expect("few"))
    };

    assert!(sites.iter().any(|share| *share < 0.1) && sites.iter().any(|share| *share > 0.7), "{sites:?}");
    assert!(mixed(&sites) > 0.5, "most sites are mixed: {sites:?}");
    assert!((0.3..0.95).contains(&mixed(&sections)), "{sections:?}");
    assert!(mixed(&names) > 0.5, "most names alone say little: {names:?}");
}

#[test]
fn a_list_leads_into_its_section() {
    let world = world(SMALL);
    let mut lists = 0;
    for site in (0..world.parameters().hosts).map(|number| world.site(number)).filter(|site| site.documents > 100) {
        for plan in (0..site.documents).map(|number| world.plan(site, number)).filter(|plan| plan.list) {
            lists += 1;
            let links = world.links(&plan);
            let near = links.iter().filter(|link| match link.target {
                Target::Document(target) | Target::Moved(target, _) => {
                    world.list_of(&plan, &Destination::Target(Target::Document(target))) == Some("entries")
                }
                _ => false,
            });
            assert!(!plan.kind.holds_rdf());
            assert!(near.count() * 2 > links.len(), "{} {links:?}", plan.url(Face::Document));
        }
    }
    assert!(lists > 10, "{lists}");
}
