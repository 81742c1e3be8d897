//! Cost of clusters and queries by number of entities.

use std::path::Path;
use std::time::{Duration, Instant};

use lodeward_search::cluster::{ClusterOptions, Clustering};
use lodeward_search::retrieve::{Method, RetrievalOptions};
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};
use lodeward_search::{EntityIndex, IndexOptions, IndexView, SearchError};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::generated::GeneratedEntities;
use super::page::SearchSection;
use crate::focus::cpu_time;
use crate::numbers::to_f64;

/// Number of queries that are measured, after as many to warm up.
const QUERIES: usize = 300;

/// Entities are committed in groups of this size, as a crawl does.
const COMMIT: u64 = 50_000;

/// Results of a query, as a user sees them.
const RESULTS: usize = 10;

/// Measures clusters and queries for several numbers of entities, in ascending order: the peak of
/// memory is that of the process.
pub(super) fn evaluate(sizes: &[u64], directory: &Path) -> Result<SearchSection, SearchError> {
    let mut section = SearchSection::new(
        "Cost",
        "Generated entities: words by Zipf's law, 40 types, 14 links each, hubs with 500. Clusters: the default \
         algorithm on all cores, with the peak memory of the process so far. Queries: 300 of two to four words, after \
         300 others, ten results, one thread; CPU time of the thread, which does not depend on other programs, and \
         elapsed time.",
    );
    section.table(&["entities", "vectors", "clusters", "µs per entity", "peak memory", "number of clusters"]);
    for count in sizes {
        measure_clusters(&mut section, *count);
    }
    section.end_table();
    section.table(&[
        "entities",
        "indexed in",
        "bytes per entity",
        "method",
        "median (CPU)",
        "p95 (CPU)",
        "p95 (elapsed)",
    ]);
    for count in sizes {
        measure_queries(&mut section, *count, directory)?;
    }
    section.end_table();
    Ok(section)
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn measure_clusters(section: &mut SearchSection, count: u64) {
    let entities = GeneratedEntities { count };
    let start = Instant::now();
    let Ok(vectors) = EntityVectors::read(&entities, &VectorOptions::new(VectorFeatures::WithPredicates));
    let read = start.elapsed();
    let start = Instant::now();
    let clustering = Clustering::new(&vectors, &ClusterOptions::default());
    let clustered = start.elapsed();
    let per_entity = (read + clustered).as_secs_f64() * 1e6 / number(count);
    let peak = peak_memory_bytes();
    let case = count.to_string();
    section.figure("generated", "clusters", &case, "seconds", (read + clustered).as_secs_f64());
    section.figure("generated", "clusters", &case, "peak-memory-bytes", number(peak));
    section.row(&[
        case,
        seconds(read),
        seconds(clustered),
        format!("{per_entity:.0}"),
        format!("{} MB", peak / 1_000_000),
        clustering.count.to_string(),
    ]);
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn measure_queries(section: &mut SearchSection, count: u64, directory: &Path) -> Result<(), SearchError> {
    let entities = GeneratedEntities { count };
    let path = directory.join(count.to_string());
    std::fs::create_dir_all(&path)?;
    let start = Instant::now();
    let index = EntityIndex::open(&path, IndexOptions::default())?;
    for number in 0..count {
        index.put(&entities.entity(number))?;
        if (number + 1) % COMMIT == 0 {
            index.commit("")?;
        }
    }
    index.commit("")?;
    let indexed = start.elapsed();
    let bytes = directory_bytes(&path)?;
    let view = index.view()?;
    for method in [Method::Bm25f, Method::Ranked] {
        let [cpu, elapsed] = query_times(&view, &entities, method)?;
        let at = |times: &[Duration], share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        let case = count.to_string();
        section.figure("generated", method.name(), &case, "p50-ms", at(&cpu, 50).as_secs_f64() * 1e3);
        section.figure("generated", method.name(), &case, "p95-ms", at(&cpu, 95).as_secs_f64() * 1e3);
        section.row(&[
            case,
            seconds(indexed),
            format!("{:.0}", number(bytes) / number(count)),
            method.name().to_owned(),
            milliseconds(at(&cpu, 50)),
            milliseconds(at(&cpu, 95)),
            milliseconds(at(&elapsed, 95)),
        ]);
    }
    Ok(())
}

/// CPU and elapsed times of queries, sorted. A query has the words of a label, and words of others.
#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn query_times(
    view: &IndexView,
    entities: &GeneratedEntities,
    method: Method,
) -> Result<[Vec<Duration>; 2], SearchError> {
    let mut rng = SmallRng::seed_from_u64(1);
    let options = RetrievalOptions::default();
    let mut times = [Vec::new(), Vec::new()];
    for at in 0..2 * QUERIES {
        let mut query = entities.label(rng.random_range(0..entities.count));
        for _ in 0..rng.random_range(0..2) {
            let other = entities.label(rng.random_range(0..entities.count));
            query.push(' ');
            query.push_str(other.split(' ').next().unwrap_or_default());
        }
        let (start, cpu) = (Instant::now(), cpu_time());
        view.search(&query, method, &options, RESULTS)?;
        if at >= QUERIES {
            times[0].push(cpu_time().saturating_sub(cpu));
            times[1].push(start.elapsed());
        }
    }
    for times in &mut times {
        times.sort_unstable();
    }
    Ok(times)
}

fn number(count: u64) -> f64 {
    to_f64(usize::try_from(count).unwrap_or(usize::MAX))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn directory_bytes(path: &Path) -> std::io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(path)? {
        sum += entry?.metadata()?.len();
    }
    Ok(sum)
}

/// Peak of the resident memory of the process; 0 if the system does not tell it.
fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes * 1_024)
}
