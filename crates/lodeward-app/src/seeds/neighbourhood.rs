//! Measures how seeds are linked to each other in the archive, within limits.

use std::collections::{HashMap, VecDeque};

use foldhash::HashSet;
use lodeward_archive::{ArchiveError, Snapshot};
use oxrdf::vocab::rdfs;
use oxrdf::{GraphNameRef, LiteralRef, NamedNode, NamedNodeRef, Quad, QuadRef, Term};

use crate::review::ReferenceLoader;
use crate::review::ranking_options;
use crate::settings::Config;
use lodeward_focus::rank::{AnalysedSeed, HopCount, entity_distances, plan_ranking};

/// Maximum number of seeds that are measured, and between which distances are computed.
const MAX_SEEDS: usize = 200;
const MAX_PAIRED_SEEDS: usize = 30;

/// Maximum numbers of statements that are read: in all, and in each direction per entity.
const MAX_STATEMENTS: usize = 60_000;
const MAX_STATEMENTS_PER_ENTITY: usize = 300;

/// Number of links from a seed that are followed.
const MAX_HOPS: u8 = 2;

/// How seeds are linked in the archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeedNeighbourhood {
    /// Γ: 1 if all known seeds are linked to each other, less with distance; `None` if fewer than two
    /// are known.
    pub coherence: Option<f64>,
    /// The seeds that the archive has statements about, with their weights.
    pub weights: Vec<AnalysedSeed>,
    /// The seeds that the archive has no statements about.
    pub unknown: Vec<String>,
    /// Numbers of links between the first 30 known seeds; `None` if they are farther apart than was
    /// read.
    pub distances: Vec<SeedDistance>,
    /// Remarks, such as seeds that are far from the others.
    pub notes: Vec<String>,
    /// Whether the limits were reached, so that some links are missing.
    pub is_partial: bool,
}

/// The distance of two seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedDistance {
    /// The first seed.
    pub from: String,
    /// The second seed.
    pub to: String,
    /// Number of links between them.
    pub links: Option<u8>,
}

/// Measures seeds in the statements around them. `names` are the labels of seeds.
pub(super) fn measure_neighbourhood(
    config: &Config,
    snapshot: &Snapshot,
    seeds: &[String],
    names: &HashMap<String, String>,
) -> Result<SeedNeighbourhood, ArchiveError> {
    let measured = &seeds[..seeds.len().min(MAX_SEEDS)];
    let mut walk = NeighbourhoodWalk::new(config, measured);
    walk.run(snapshot)?;
    walk.add_names(measured, names);
    let is_partial = walk.is_partial || measured.len() < seeds.len();
    let facts = walk.loader.finish();
    let graph = facts.graph();
    let options = ranking_options(config);
    let analysis = plan_ranking(&graph, measured, &options, &[], None).analysis;
    let paired: Vec<&AnalysedSeed> = analysis.seeds.iter().take(MAX_PAIRED_SEEDS).collect();
    let mut distances = Vec::new();
    for (index, from) in paired.iter().enumerate() {
        let hops = entity_distances(&graph, from.entity, 2 * HopCount::from(MAX_HOPS));
        for to in &paired[index + 1..] {
            let links = hops[to.entity as usize];
            distances.push(SeedDistance { from: from.name.clone(), to: to.name.clone(), links });
        }
    }
    Ok(SeedNeighbourhood {
        coherence: (analysis.seeds.len() > 1).then_some(analysis.coherence),
        weights: analysis.seeds,
        unknown: analysis.missing,
        distances,
        notes: analysis.notes,
        is_partial,
    })
}

/// Reads the statements around seeds, breadth-first.
struct NeighbourhoodWalk {
    loader: ReferenceLoader,
    queue: VecDeque<(String, u8)>,
    seen: HashSet<String>,
    statements: usize,
    is_partial: bool,
}

impl NeighbourhoodWalk {
    fn new(config: &Config, seeds: &[String]) -> Self {
        Self {
            loader: ReferenceLoader::with_texts(config, &[rdfs::LABEL.as_str()]),
            queue: seeds.iter().map(|seed| (seed.clone(), 0)).collect(),
            seen: seeds.iter().cloned().collect(),
            statements: 0,
            is_partial: false,
        }
    }

    /// Adds the labels of seeds that the archive describes.
    fn add_names(&mut self, seeds: &[String], names: &HashMap<String, String>) {
        for (seed, name) in seeds.iter().filter_map(|seed| Some((seed, names.get(seed)?))) {
            let (subject, label) = (NamedNodeRef::new_unchecked(seed), LiteralRef::new_simple_literal(name));
            self.loader.quad(QuadRef::new(subject, rdfs::LABEL, label, GraphNameRef::DefaultGraph));
        }
    }

    fn run(&mut self, snapshot: &Snapshot) -> Result<(), ArchiveError> {
        while let Some((entity, hop)) = self.queue.pop_front() {
            if self.statements >= MAX_STATEMENTS {
                self.is_partial = true;
                break;
            }
            let Ok(node) = NamedNodeRef::new(&entity) else { continue };
            let outgoing = snapshot.quads(Some(node.into()), None, None, None);
            self.read(outgoing.take(MAX_STATEMENTS_PER_ENTITY + 1), &entity, hop)?;
            let incoming = snapshot.quads(None, None, Some(node.into()), None);
            self.read(incoming.take(MAX_STATEMENTS_PER_ENTITY + 1), &entity, hop)?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        quads: impl Iterator<Item = Result<Quad, ArchiveError>>,
        entity: &str,
        hop: u8,
    ) -> Result<(), ArchiveError> {
        for (index, quad) in quads.enumerate() {
            let quad = quad?;
            if index == MAX_STATEMENTS_PER_ENTITY {
                self.is_partial = true;
                break;
            }
            self.statements += 1;
            self.loader.quad(quad.as_ref());
            if hop + 1 >= MAX_HOPS {
                continue;
            }
            let other = match (&quad.subject, &quad.object) {
                (oxrdf::NamedOrBlankNode::NamedNode(subject), _) if subject.as_str() != entity => subject.clone(),
                (_, Term::NamedNode(object)) => NamedNode::clone(object),
                _ => continue,
            };
            if self.seen.insert(other.as_str().to_owned()) {
                self.queue.push_back((other.into_string(), hop + 1));
            }
        }
        Ok(())
    }
}
