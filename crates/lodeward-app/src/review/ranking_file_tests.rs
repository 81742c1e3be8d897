//! Tests of the ranking file.

use std::fs;
use std::sync::Arc;

use super::*;
use lodeward::model::Uri;
use lodeward::select::facts::FactsReader;
use lodeward_focus::rank::terms::Tokeniser;
use lodeward_focus::rank::{FactBase, FactLimits, RankerKind, RankingOptions, TextScope, plan_ranking};

/// The facts of a document in Turtle.
fn fact_base_from(turtle: &str) -> FactBase {
    let prefixes = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n";
    let mut facts = FactsReader::new(Arc::default());
    for triple in oxttl::TurtleParser::new().for_slice(&format!("{prefixes}{turtle}")) {
        facts.add_quad(triple.unwrap().in_graph(oxrdf::GraphName::DefaultGraph).as_ref());
    }
    let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
    fact_base.add_document(&Uri::parse("http://a.example/").unwrap(), &[], &facts.finish());
    fact_base.dedup();
    fact_base
}

/// The ranking of a small graph.
fn ranked(max_listed: usize) -> (RankingHeader, Vec<RankingRow>) {
    let fact_base = fact_base_from(
        r#"<urn:s> rdfs:label "cologne cathedral"; <urn:p> <urn:dom>, <urn:station> .
        <urn:dom> rdfs:label "cathedral"; a <urn:Church>, _:class .
        <urn:station> rdfs:label "station" ."#,
    );
    let options = RankingOptions {
        ranker: Some(RankerKind::Ejsim),
        max_hops: Some(1),
        texts: TextScope::Own,
        ..RankingOptions::default()
    };
    let graph = fact_base.graph();
    let plan = plan_ranking(&graph, &["urn:s", "urn:missing"], &options, &[("urn:dom".to_owned(), true)], None);
    rank_candidates(&plan, RankingContext { max_listed, facts_omitted: 3, crawl_max_hops: Some(1), now_ms: 7 })
}

#[test]
fn the_best_candidates_are_listed() {
    let (header, rows) = ranked(9);

    assert_eq!((header.ranker.as_str(), header.max_hops, header.candidates, header.listed), ("ejsim", 1, 2, 2));
    assert_eq!((header.facts_omitted, header.marks, header.created_at_ms), (3, 1, 7));
    assert_eq!(header.seeds.missing, ["urn:missing"]);
    let [first, second] = &rows[..] else { panic!("two rows: {rows:?}") };
    assert_eq!((first.rank, first.entity.as_str(), first.hop), (1, "urn:dom", Some(1)));
    assert_eq!((first.label.as_deref(), &first.types[..]), (Some("cathedral"), &["urn:Church".to_owned()][..]));
    assert!(first.score > second.score && !first.reasons.is_empty(), "{rows:?}");
    assert_eq!(ranked(1).1, rows[..1]);
}

#[test]
fn a_long_seed_list_is_truncated() {
    let check = |seeds: Vec<String>, listed: usize, unlisted: u64| {
        let dir = tempfile::tempdir().unwrap();
        let fact_base = fact_base_from("<urn:s> <urn:p> <urn:dom> .");
        let graph = fact_base.graph();
        let plan = plan_ranking(&graph, &seeds, &RankingOptions::default(), &[], None);
        let (header, rows) =
            rank_candidates(&plan, RankingContext { max_listed: 9, facts_omitted: 0, crawl_max_hops: None, now_ms: 7 });
        write(&dir.path().join(FILE_NAME), &header, &rows).unwrap();
        let read = RankingFile::open(dir.path()).unwrap().header;
        let found =
            (read.seeds.seeds.len(), read.unlisted_seeds, read.seeds.missing.len(), read.unlisted_missing_seeds);
        assert_eq!(found, (1, 0, listed, unlisted));
    };
    let seeds = |count: usize, name: &dyn Fn(usize) -> String| {
        std::iter::once("urn:s".to_owned()).chain((0..count).map(name)).collect::<Vec<_>>()
    };

    check(seeds(3, &|number| format!("urn:{number}")), 3, 0);
    check(seeds(MAX_SEEDS + 2, &|number| format!("urn:{number}")), MAX_SEEDS, 2);
    check(seeds(5, &|number| format!("{number}{}", "\u{1}".repeat((1 << 20) - 1))), 4, 1);
}

#[test]
fn a_written_ranking_is_read() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(RankingFile::open(dir.path()), Err(RankingFileError::Missing)));
    let (header, rows) = ranked(9);

    for _ in 0..2 {
        write(&dir.path().join(FILE_NAME), &header, &rows).unwrap();
        let ranking = RankingFile::open(dir.path()).unwrap();
        assert_eq!((ranking.header.candidates, &ranking.header.seeds.missing), (2, &header.seeds.missing));
        let read: Vec<RankingRow> = ranking.collect::<Result<_, _>>().unwrap();
        assert_eq!(read.len(), rows.len());
        for (read, written) in read.iter().zip(&rows) {
            assert_eq!((read.rank, &read.entity, &read.types), (written.rank, &written.entity, &written.types));
            assert!((read.score.unwrap() - written.score.unwrap()).abs() < 1e-9);
        }
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn an_unreadable_ranking_is_reported_with_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    let (header, rows) = ranked(9);
    write(&dir.path().join(FILE_NAME), &header, &rows).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let check = |content: &[u8], what: &str| {
        fs::write(&path, content).unwrap();
        let read = RankingFile::open(dir.path()).and_then(Iterator::collect::<Result<Vec<RankingRow>, _>>);
        let error = read.unwrap_err().to_string();
        assert!(error.contains(what) && error.ends_with("hint: run `lodeward rank` to create it again"), "{error}");
    };

    check(b"", "line 1: unexpected end of file");
    check(b"\n", "line 1: ");
    check(b"\xff\xfe\n", "line 1: invalid UTF-8");
    check(&whole.as_bytes()[..whole.len() - 10], "line 3: unexpected end of file");
    check(&whole.as_bytes()[..=whole.find('\n').unwrap()], "line 2: unexpected end of file");
    check(whole.replace("\"hop\":1", "\"hop\":\"x\"").as_bytes(), "line 2: invalid type");
    let with_version =
        |version: u32| whole.replacen("\"lodeward_ranking\":3", &format!("\"lodeward_ranking\":{version}"), 1);
    check(with_version(1).as_bytes(), "has format version 1, expected 3");
    check(with_version(9).as_bytes(), "has format version 9, expected 3");
}
