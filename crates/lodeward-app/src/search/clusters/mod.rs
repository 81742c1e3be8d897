//! Clusters of entities: a batch job, whose result is a file of the data directory.
//!
//! [`cluster`] clusters the selected entities and replaces the result. [`extend`] assigns entities that
//! are new since then to the clusters, without a new clustering, and removes those that are gone.
//! Entities are stored by IRI, so the result survives a rebuild of the archive and a restore.

mod names;

use std::path::{Path, PathBuf};

use foldhash::HashMap;
use lodeward_search::cluster::{
    ClusterAlgorithm, ClusterNeighbourOptions, ClusterNeighbours, ClusterOptions, Clustering, LaplacianKind,
};
use lodeward_search::source::EntitySource as _;
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};
use serde::{Deserialize, Serialize};

use self::names::ClusterNames;
pub(in crate::search) use self::names::entity_label;
use super::{EntitySearchError, EntitySelection, SelectedEntities, result_file};
use crate::atomic_file::{self, FileAccess};
use crate::followers::search::SearchIndex;
use crate::json_file::{FileError, json_time};

/// The file in the data directory.
const FILE_NAME: &str = "clusters.jsonl";

/// The file with the nearest members of the cluster of each entity.
const NEIGHBOURS_FILE: &str = "cluster-neighbours";

/// Version of the file.
const VERSION: u32 = 1;

/// How entities are clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmName {
    /// Communities of the graph of nearest neighbours.
    #[default]
    Leiden,
    /// X-means, as published.
    XMeans,
    /// Spectral clustering, as published.
    Spectral,
}

/// What is clustered, and how.
#[derive(Clone, Debug)]
pub struct ClusterJob {
    /// How entities are clustered.
    pub algorithm: AlgorithmName,
    /// The entities.
    pub selection: EntitySelection,
    /// Minimum number of clusters of a type, for X-means and spectral clustering.
    pub k_min: usize,
    /// Maximum number of clusters of a type, for X-means and spectral clustering.
    pub k_max: usize,
}

impl Default for ClusterJob {
    fn default() -> Self {
        let ClusterOptions { k_min, k_max, .. } = ClusterOptions::default();
        Self { algorithm: AlgorithmName::default(), selection: EntitySelection::default(), k_min, k_max }
    }
}

/// What was clustered, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRun {
    version: u32,
    /// How entities were clustered.
    pub algorithm: AlgorithmName,
    /// Minimum number of clusters of a type.
    pub k_min: usize,
    /// Maximum number of clusters of a type.
    pub k_max: usize,
    /// The crawl whose entities were clustered; `None` for all.
    pub crawl: Option<u32>,
    /// Types of the entities; empty for all.
    pub types: Vec<String>,
    /// Domains of the entities; empty for all.
    pub domains: Vec<String>,
    /// When the entities were clustered.
    #[serde(with = "json_time")]
    pub clustered_at: u64,
    /// When new entities were assigned, or the same time.
    #[serde(with = "json_time")]
    pub updated_at: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Number of entities that the last update added.
    pub added: u64,
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Number of the cluster, from 1. It stays when entities are added.
    pub id: u32,
    /// Words that are frequent in the cluster and rare elsewhere.
    pub label: String,
    /// The most frequent types of its members.
    pub types: Vec<String>,
    /// Number of members.
    pub size: u64,
    /// The members, those with most links first.
    pub members: Vec<ClusterMember>,
}

/// A member of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterMember {
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
}

/// A cluster without its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSummary {
    /// Number of the cluster.
    pub id: u32,
    /// Words that are frequent in the cluster and rare elsewhere.
    pub label: String,
    /// The most frequent types of its members.
    pub types: Vec<String>,
    /// Number of members.
    pub size: u64,
}

/// Clusters entities and stores the result.
pub fn cluster(
    index: &SearchIndex,
    data: &Path,
    job: &ClusterJob,
    now_ms: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ClusterRun, EntitySearchError> {
    let source = SelectedEntities::new(index, &job.selection, is_stopped)?;
    let members = Members::read(&source)?;
    let vectors = EntityVectors::read(&source, &VectorOptions::new(VectorFeatures::default()))?;
    let clustering = Clustering::new(&vectors, &options(job));
    members.write_neighbours(data, &vectors, &clustering)?;
    let EntitySelection { crawl, types, domains } = job.selection.clone();
    let run = ClusterRun {
        version: VERSION,
        algorithm: job.algorithm,
        k_min: job.k_min,
        k_max: job.k_max,
        crawl,
        types,
        domains,
        clustered_at: now_ms,
        updated_at: now_ms,
        entities: members.list.len() as u64,
        clusters: clustering.count as u64,
        added: members.list.len() as u64,
    };
    members.write(data, &run, &clustering)?;
    Ok(run)
}

/// Assigns new entities to the stored clusters. Returns `None` if there are none stored.
pub fn extend(
    index: &SearchIndex,
    data: &Path,
    now_ms: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<ClusterRun>, EntitySearchError> {
    let mut known: HashMap<String, u32> = HashMap::default();
    let read = result_file::read(&path(data), |cluster: Cluster| {
        known.extend(cluster.members.into_iter().map(|member| (member.iri, cluster.id - 1)));
    });
    let Some(mut run): Option<ClusterRun> = read? else { return Ok(None) };
    let job = ClusterJob {
        algorithm: run.algorithm,
        selection: EntitySelection { crawl: run.crawl, types: run.types.clone(), domains: run.domains.clone() },
        k_min: run.k_min,
        k_max: run.k_max,
    };
    let source = SelectedEntities::new(index, &job.selection, is_stopped)?;
    let members = Members::read(&source)?;
    let before: Vec<Option<u32>> = members.list.iter().map(|(member, _, _)| known.get(&member.iri).copied()).collect();
    let added = before.iter().filter(|cluster| cluster.is_none()).count();
    if added == 0 && before.len() == known.len() {
        (run.added, run.updated_at) = (0, now_ms);
        return Ok(Some(run));
    }
    let vectors = EntityVectors::read(&source, &VectorOptions::new(VectorFeatures::default()))?;
    let clustering = Clustering::extend(&vectors, &before, &options(&job));
    members.write_neighbours(data, &vectors, &clustering)?;
    (run.entities, run.added, run.updated_at) = (before.len() as u64, added as u64, now_ms);
    run.clusters = members.write(data, &run, &clustering)?;
    Ok(Some(run))
}

/// The stored clusters, the largest first; `None` if there are none stored.
pub fn list(data: &Path) -> Result<Option<(ClusterRun, Vec<ClusterSummary>)>, EntitySearchError> {
    let mut found: Vec<ClusterSummary> = Vec::new();
    let run = result_file::read(&path(data), |summary| found.push(summary))?;
    found.sort_by_key(|cluster| (std::cmp::Reverse(cluster.size), cluster.id));
    Ok(run.map(|run| (run, found)))
}

/// One stored cluster with its members.
pub fn get(data: &Path, id: u32) -> Result<Cluster, EntitySearchError> {
    let mut found = None;
    let run: Option<ClusterRun> = result_file::read(&path(data), |cluster: Cluster| {
        if cluster.id == id {
            found = Some(cluster);
        }
    })?;
    run.ok_or(EntitySearchError::NoClusters)?;
    found.ok_or(EntitySearchError::UnknownCluster(id))
}

/// The nearest members of the cluster of each entity, for the method `published`; `None` if there are
/// none stored, or if the file is damaged.
pub(super) fn neighbours(data: &Path) -> Option<ClusterNeighbours> {
    ClusterNeighbours::from_bytes(&std::fs::read(data.join(NEIGHBOURS_FILE)).ok()?)
}

fn path(data: &Path) -> PathBuf {
    data.join(FILE_NAME)
}

fn options(job: &ClusterJob) -> ClusterOptions {
    let algorithm = match job.algorithm {
        AlgorithmName::Leiden => ClusterAlgorithm::Communities,
        AlgorithmName::XMeans => ClusterAlgorithm::XMeans,
        AlgorithmName::Spectral => ClusterAlgorithm::Spectral(LaplacianKind::default()),
    };
    ClusterOptions { algorithm, k_min: job.k_min, k_max: job.k_max, ..ClusterOptions::default() }
}

/// The entities that are clustered, in the order of their vectors.
struct Members {
    /// The member, its number of links, and its types as places in `types`.
    list: Vec<(ClusterMember, usize, Vec<u32>)>,
    types: Vec<String>,
}

/// Number of types of an entity that count.
const MAX_TYPES: usize = 8;

impl Members {
    fn read(source: &SelectedEntities<'_>) -> Result<Self, EntitySearchError> {
        let mut members = Self { list: Vec::new(), types: Vec::new() };
        let mut places: HashMap<String, u32> = HashMap::default();
        source.for_each_entity(&mut |entity| {
            let mut place = |kind: &String| {
                *places.entry(kind.clone()).or_insert_with(|| {
                    members.types.push(kind.clone());
                    u32::try_from(members.types.len() - 1).unwrap_or(u32::MAX)
                })
            };
            let types = entity.types.iter().take(MAX_TYPES).map(&mut place).collect();
            let member =
                ClusterMember { iri: entity.iri.clone(), label: entity_label(&entity.iri, entity.labels.first()) };
            members.list.push((member, entity.neighbours.len(), types));
        })?;
        Ok(members)
    }

    /// Writes the nearest members of the cluster of each entity.
    fn write_neighbours(
        &self,
        data: &Path,
        vectors: &EntityVectors,
        clustering: &Clustering,
    ) -> Result<(), EntitySearchError> {
        let iri = |number: usize| self.list[number].0.iri.clone();
        let neighbours = ClusterNeighbours::new(vectors, clustering, &ClusterNeighbourOptions::default(), iri);
        let path = data.join(NEIGHBOURS_FILE);
        let replaced = atomic_file::replace(&path, FileAccess::Umask, &neighbours.to_bytes());
        Ok(replaced.map_err(FileError::for_path(&path))?)
    }

    /// Writes the result. Returns the number of clusters with members.
    fn write(self, data: &Path, run: &ClusterRun, clustering: &Clustering) -> Result<u64, EntitySearchError> {
        let mut groups: Vec<Vec<(ClusterMember, usize, Vec<u32>)>> = vec![Vec::new(); clustering.count];
        for (member, cluster) in self.list.into_iter().zip(&clustering.clusters) {
            groups[*cluster as usize].push(member);
        }
        let labels = groups.iter().map(|group| group.iter().map(|(member, _, _)| member.label.as_str()));
        let names = ClusterNames::new(labels);
        let count = groups.iter().filter(|group| !group.is_empty()).count() as u64;
        let run = ClusterRun { clusters: count, ..run.clone() };
        let records = (1_u32..).zip(groups).filter(|(_, group)| !group.is_empty()).map(|(id, mut group)| {
            group.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.iri.cmp(&b.0.iri)));
            let types = names::frequent_types(group.iter().map(|(_, _, types)| types.as_slice()), &self.types);
            let label = names.label(group.iter().map(|(member, _, _)| member.label.as_str()), types.first());
            let members: Vec<ClusterMember> = group.into_iter().map(|(member, _, _)| member).collect();
            Cluster { id, label, types, size: members.len() as u64, members }
        });
        result_file::write(&path(data), &run, records)?;
        Ok(count)
    }
}
