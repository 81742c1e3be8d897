//! Counters of a crawl over time, for charts.
//!
//! A running crawl has one point per second for the last 15 minutes, in memory, and one point per
//! minute for ever, in `DIR/crawls/1/series.jsonl`. Lines are appended; a line that a power cut left
//! incomplete is skipped.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use lodeward::engine::CrawlSnapshot;
use serde::{Deserialize, Serialize};

/// Name of the file in the directory of a crawl.
const FILE_NAME: &str = "series.jsonl";

/// Number of points in memory: one per second for 15 minutes.
const MAX_RECENT: usize = 15 * 60;

/// Time between two stored points, in milliseconds.
const STORED_INTERVAL_MS: u64 = 60_000;

/// Counters of a crawl at one time, over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// Time, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// Number of requests of all kinds.
    pub requests: u64,
    /// Number of documents fetched.
    pub documents: u64,
    /// Number of documents with RDF.
    pub rdf_documents: u64,
    /// Number of quads stored.
    pub quads: u64,
    /// Total size of documents after decompression, in bytes.
    pub bytes: u64,
    /// Number of URIs whose requests failed permanently.
    pub uris_failed: u64,
    /// Number of URIs that wait in the queue.
    pub uris_waiting: u64,
}

impl SeriesPoint {
    fn new(at_ms: u64, CrawlSnapshot { tally, census, .. }: &CrawlSnapshot) -> Self {
        Self {
            at_ms,
            requests: tally.requests(),
            documents: tally.documents,
            rdf_documents: tally.rdf_documents,
            quads: tally.quads,
            bytes: tally.bytes,
            uris_failed: tally.uris_failed,
            uris_waiting: census.uris_waiting,
        }
    }
}

/// Records the counters of a crawl that runs.
#[derive(Debug)]
pub struct SeriesRecorder {
    path: PathBuf,
    recent: VecDeque<SeriesPoint>,
    stored_at_ms: Option<u64>,
}

impl SeriesRecorder {
    /// A recorder for the crawl in this directory.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self { path: directory.join(FILE_NAME), recent: VecDeque::new(), stored_at_ms: None }
    }

    /// Records the counters. Once per minute, a point is stored.
    pub fn record(&mut self, now_ms: u64, snapshot: &CrawlSnapshot) -> io::Result<()> {
        let point = SeriesPoint::new(now_ms, snapshot);
        if self.recent.len() == MAX_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(point);
        if self.stored_at_ms.is_some_and(|stored| now_ms < stored + STORED_INTERVAL_MS) {
            return Ok(());
        }
        self.store(point)
    }

    /// Stores the last point, at the end of a run.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.recent.back() {
            Some(last) if self.stored_at_ms != Some(last.at_ms) => self.store(*last),
            _ => Ok(()),
        }
    }

    /// The points in memory, the oldest first.
    pub fn recent(&self) -> impl Iterator<Item = SeriesPoint> {
        self.recent.iter().copied()
    }

    fn store(&mut self, point: SeriesPoint) -> io::Result<()> {
        self.stored_at_ms = Some(point.at_ms);
        let mut line = serde_json::to_vec(&point)?;
        line.push(b'\n');
        OpenOptions::new().append(true).create(true).open(&self.path)?.write_all(&line)
    }
}

/// The points of the crawl in this directory since a time: the stored ones, and then those of `recent`, at most one
/// per `step_ms`. If there are more than `max`, the step is enlarged. Returns the points and the step. Blocks.
pub fn read_series(
    directory: &Path,
    recent: &[SeriesPoint],
    since_ms: u64,
    step_ms: u64,
    max: usize,
) -> io::Result<(Vec<SeriesPoint>, u64)> {
    let mut thinned = ThinnedSeries { points: Vec::new(), step_ms: step_ms.max(1), max: max.max(2) };
    let first_recent_ms = recent.first().map_or(u64::MAX, |point| point.at_ms);
    match File::open(directory.join(FILE_NAME)) {
        Ok(file) => {
            for line in BufReader::new(file).lines() {
                let Ok(point) = serde_json::from_str::<SeriesPoint>(&line?) else { continue };
                if point.at_ms >= since_ms && point.at_ms < first_recent_ms {
                    thinned.add(point);
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    recent.iter().filter(|point| point.at_ms >= since_ms).for_each(|point| thinned.add(*point));
    if let Some(last) = recent.last().filter(|last| last.at_ms >= since_ms)
        && thinned.points.last() != Some(last)
    {
        thinned.points.push(*last);
    }
    Ok((thinned.points, thinned.step_ms))
}

/// Points with at least one step between them.
struct ThinnedSeries {
    points: Vec<SeriesPoint>,
    step_ms: u64,
    max: usize,
}

impl ThinnedSeries {
    fn add(&mut self, point: SeriesPoint) {
        if self.points.last().is_some_and(|last| point.at_ms < last.at_ms + self.step_ms) {
            return;
        }
        if self.points.len() == self.max {
            self.step_ms *= 2;
            let points = std::mem::take(&mut self.points);
            for point in points {
                self.add(point);
            }
            return self.add(point);
        }
        self.points.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(documents: u64) -> CrawlSnapshot {
        let mut snapshot = CrawlSnapshot::default();
        snapshot.tally.documents = documents;
        snapshot
    }

    #[test]
    fn a_point_is_stored_each_minute_and_the_last_seconds_stay_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        let mut recorder = SeriesRecorder::new(dir.path());
        for second in 0..1_000 {
            recorder.record(second * 1_000, &snapshot(second)).unwrap();
        }
        recorder.finish().unwrap();
        let recent: Vec<SeriesPoint> = recorder.recent().collect();
        assert_eq!((recent.len(), recent[0].documents), (900, 100));

        let (points, step) = read_series(dir.path(), &recent, 0, 1_000, 2_000).unwrap();
        let seconds: Vec<u64> = points.iter().map(|point| point.at_ms / 1_000).take(4).collect();
        assert_eq!((seconds, points.len(), step), (vec![0, 60, 100, 101], 902, 1_000));
        // After a restart, only the stored points are left.
        let (points, _) = read_series(dir.path(), &[], 30_000, 1_000, 2_000).unwrap();
        assert_eq!((points[0].documents, points.last().unwrap().documents, points.len()), (60, 999, 17));
    }

    #[test]
    fn a_long_series_is_thinned_and_a_damaged_line_is_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let mut recorder = SeriesRecorder::new(dir.path());
        for minute in 0..500 {
            recorder.record(minute * 60_000, &snapshot(minute)).unwrap();
        }
        OpenOptions::new().append(true).open(dir.path().join(FILE_NAME)).unwrap().write_all(b"{\"at_").unwrap();

        let (points, step) = read_series(dir.path(), &[], 0, 1_000, 100).unwrap();

        assert!(points.len() <= 100 && points.len() >= 50, "{}", points.len());
        assert!(step > 60_000 && points.is_sorted_by_key(|point| point.at_ms));
    }
}
