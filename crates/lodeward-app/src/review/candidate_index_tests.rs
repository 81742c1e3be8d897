//! Tests of pages and facets of candidates.

use super::*;
use crate::review::MarkFilter;
use crate::review::candidate_cache::CandidateCache;
use crate::review::marks::MarkAuthor;
use crate::review::ranking_file;
use lodeward_focus::rank::{RankingReason, SeedAnalysis};

const ROWS: u64 = 250;

/// A ranking whose odd candidates are churches of b.example.
fn write_ranking(directory: &Path) {
    let row = |rank: u64| RankingRow {
        rank,
        entity: format!("http://{}.example/{rank}", if rank % 2 == 1 { "b" } else { "a" }),
        score: Some(1.0 / f64::from(u32::try_from(rank).unwrap())),
        hop: Some(1 + u8::from(rank > 100)),
        label: Some(format!("Ort “{rank}”")),
        types: (rank % 2 == 1).then(|| "http://a.example/Church".to_owned()).into_iter().collect(),
        described: rank <= 10,
        reasons: vec![RankingReason { text: format!("reason {rank}"), weight: 1.0 }],
    };
    let rows: Vec<RankingRow> = (1..=ROWS).map(row).collect();
    let header = RankingHeader {
        ranker: "ppr".to_owned(),
        max_hops: 2,
        crawl_max_hops: None,
        reason: "requested".to_owned(),
        seeds: SeedAnalysis::default(),
        unlisted_seeds: 0,
        unlisted_missing_seeds: 0,
        candidates: ROWS,
        listed: ROWS,
        entities: ROWS + 1,
        links: ROWS,
        facts_omitted: 0,
        marks: 0,
        created_at_ms: 7,
    };
    ranking_file::write(&directory.join(ranking_file::FILE_NAME), &header, &rows).unwrap();
}

fn page(
    index: &CandidateIndex,
    marks: &MarkFile,
    filter: &str,
    (offset, limit): (u64, u64),
    at: Option<&str>,
) -> Option<CandidatePage> {
    let filter = CandidateFilter::parse(filter).unwrap();
    let query = CandidateQuery { filter: &filter, marks: MarkFilter::Undropped, offset, limit };
    let request = CandidatePageRequest { query, at, has_reasons: true };
    index.page(marks, &request, || unreachable!()).unwrap()
}

fn ranks(page: &CandidatePage) -> Vec<u64> {
    page.candidates.iter().map(|candidate| candidate.row.rank).collect()
}

#[test]
fn a_page_has_its_rows_with_reasons_also_after_the_file_was_replaced() {
    let dir = tempfile::tempdir().unwrap();
    write_ranking(dir.path());
    let (index, marks) = (CandidateIndex::open(dir.path()).unwrap(), MarkFile::open(dir.path()).unwrap());
    std::fs::remove_file(dir.path().join(ranking_file::FILE_NAME)).unwrap();

    let found = page(&index, &marks, "", (249, 10), None).unwrap();

    assert_eq!((ranks(&found), found.total, found.offset), (vec![250], ROWS, 249));
    assert_eq!(found.candidates[0].row.reasons[0].text, "reason 250");
    assert_eq!(ranks(&page(&index, &marks, "type = Church", (2, 2), None).unwrap()), [5, 7]);
    assert!(page(&index, &marks, "", (u64::MAX, 10), None).unwrap().candidates.is_empty());
}

#[test]
fn the_page_of_an_entity_is_found() {
    let dir = tempfile::tempdir().unwrap();
    write_ranking(dir.path());
    let (index, mut marks) = (CandidateIndex::open(dir.path()).unwrap(), MarkFile::open(dir.path()).unwrap());

    let found = page(&index, &marks, "type = Church", (0, 10), Some("http://b.example/27")).unwrap();
    assert_eq!((found.offset, ranks(&found)[3]), (10, 27));
    assert!(page(&index, &marks, "type = Church", (0, 10), Some("http://a.example/28")).is_none());
    // A kept entity that is not listed is on the last page.
    marks.set(["http://c.example/"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
    let found = page(&index, &marks, "", (0, 100), Some("http://c.example/")).unwrap();
    assert_eq!((found.offset, found.total, found.candidates.last().unwrap().row.rank), (200, 251, 251));
}

#[test]
fn facets_count_the_selected_candidates() {
    let dir = tempfile::tempdir().unwrap();
    write_ranking(dir.path());
    let (index, mut marks) = (CandidateIndex::open(dir.path()).unwrap(), MarkFile::open(dir.path()).unwrap());
    marks.set(["http://b.example/1"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();
    let facets = |filter: &str, selected: MarkFilter| {
        index.facets(&marks, &CandidateFilter::parse(filter).unwrap(), selected, || unreachable!()).unwrap()
    };

    let all = facets("", MarkFilter::Undropped);
    assert_eq!((all.total, all.types.values), (249, vec![("http://a.example/Church".to_owned(), 124)]));
    assert_eq!(all.domains.values, [("a.example".to_owned(), 125), ("b.example".to_owned(), 124)]);
    assert_eq!(all.hops.into_iter().collect::<Vec<_>>(), [(Some(1), 99), (Some(2), 150)]);
    assert_eq!((all.marks.drop, all.marks.none, all.described), (1, 249, 9));
    assert_eq!((all.scores.counts.iter().sum::<u64>(), all.scores.range), (249, Some((1.0 / 250.0, 0.5))));
    assert_eq!(facets("domain = a.example", MarkFilter::All).types.values, []);
    assert_eq!(facets("", MarkFilter::Only(Some(MarkKind::Drop))).total, 1);
}

#[test]
fn the_cache_notices_new_rankings_and_marks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(ranking_file::FILE_NAME);
    let cache = CandidateCache::new(1 << 20);
    assert!(cache.index(&path).is_err());
    write_ranking(dir.path());
    let first = cache.index(&path).unwrap();
    assert!(Arc::ptr_eq(&first, &cache.index(&path).unwrap()));
    assert!(cache.marks(dir.path()).unwrap().is_empty());

    write_ranking(dir.path());
    let mut marks = MarkFile::open(dir.path()).unwrap();
    marks.set(["http://b.example/1"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();

    assert!(!Arc::ptr_eq(&first, &cache.index(&path).unwrap()));
    assert_eq!(cache.marks(dir.path()).unwrap().len(), 1);
    let small = CandidateCache::new(10);
    assert!(!Arc::ptr_eq(&small.index(&path).unwrap(), &small.index(&path).unwrap()), "too large to be kept");
}
