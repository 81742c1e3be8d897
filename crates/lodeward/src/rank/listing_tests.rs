use std::fs;

use super::*;
use crate::rank::gather::tests::gathering;
use crate::rank::{Options, RankerKind, TextScope, answer};

/// The listing of a small graph.
fn listed(listed_max: usize) -> (Heading, Vec<Row>) {
    let gathered = gathering(&[
        "urn:s label \"cologne cathedral",
        "urn:s p urn:dom",
        "urn:s p urn:station",
        "urn:dom label \"cathedral",
        "urn:dom a urn:Church",
        "urn:dom a _:class",
        "urn:station label \"station",
    ]);
    let options =
        Options { ranker: Some(RankerKind::Ejsim), depth: Some(1), texts: TextScope::Own, ..Options::default() };
    let graph = gathered.graph();
    let answer = answer(&graph, &["urn:s", "urn:nobody"], &options, &[("urn:dom".to_owned(), true)], None);
    list(&answer, Circumstances { listed_max, left_out: 3, now_ms: 7 })
}

#[test]
fn the_best_are_listed_with_what_is_known_of_them() {
    let (heading, rows) = listed(9);

    assert_eq!((heading.ranker.as_str(), heading.depth, heading.candidates, heading.listed), ("ejsim", 1, 2, 2));
    assert_eq!((heading.left_out, heading.marks, heading.made_at_ms), (3, 1, 7));
    assert_eq!(heading.seeds.missing, ["urn:nobody"]);
    let [first, second] = &rows[..] else { panic!("two rows: {rows:?}") };
    assert_eq!((first.rank, first.entity.as_str(), first.hop), (1, "urn:dom", 1));
    assert_eq!((first.label.as_deref(), &first.types[..]), (Some("cathedral"), &["urn:Church".to_owned()][..]));
    assert!(first.score > second.score && !first.why.is_empty(), "{rows:?}");
    assert_eq!(listed(1).1, rows[..1]);
}

#[test]
fn very_many_seeds_are_told_of_in_part() {
    let check = |seeds: Vec<String>, listed: usize, unlisted: u64| {
        let folder = tempfile::tempdir().unwrap();
        let gathered = gathering(&["urn:s p urn:dom"]);
        let graph = gathered.graph();
        let answer = answer(&graph, &seeds, &Options::default(), &[], None);
        let (heading, rows) = list(&answer, Circumstances { listed_max: 9, left_out: 0, now_ms: 7 });
        write(folder.path(), &heading, &rows).unwrap();
        let read = Listing::open(folder.path()).unwrap().heading;
        let told = (read.seeds.seeds.len(), read.seeds_unlisted, read.seeds.missing.len(), read.missing_unlisted);
        assert_eq!(told, (1, 0, listed, unlisted));
    };
    let seeds = |count: usize, name: &dyn Fn(usize) -> String| {
        std::iter::once("urn:s".to_owned()).chain((0..count).map(name)).collect::<Vec<_>>()
    };

    check(seeds(3, &|number| format!("urn:{number}")), 3, 0);
    check(seeds(SEEDS_MAX + 2, &|number| format!("urn:{number}")), SEEDS_MAX, 2);
    check(seeds(5, &|number| format!("{number}{}", "\u{1}".repeat((1 << 20) - 1))), 4, 1);
}

#[test]
fn a_ranking_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Listing::open(folder.path()), Err(ListingError::Missing)));
    let (heading, rows) = listed(9);

    for _ in 0..2 {
        write(folder.path(), &heading, &rows).unwrap();
        let listing = Listing::open(folder.path()).unwrap();
        assert_eq!((listing.heading.candidates, &listing.heading.seeds.missing), (2, &heading.seeds.missing));
        let read: Vec<Row> = listing.collect::<Result<_, _>>().unwrap();
        assert_eq!(read.len(), rows.len());
        for (read, written) in read.iter().zip(&rows) {
            assert_eq!((read.rank, &read.entity, &read.types), (written.rank, &written.entity, &written.types));
            assert!((read.score - written.score).abs() < 1e-9);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_damaged_ranking_says_how_to_make_it_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let (heading, rows) = listed(9);
    write(folder.path(), &heading, &rows).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let check = |content: &[u8], what: &str| {
        fs::write(&path, content).unwrap();
        let read = Listing::open(folder.path()).and_then(Iterator::collect::<Result<Vec<Row>, _>>);
        let error = read.unwrap_err().to_string();
        assert!(error.contains(what) && error.ends_with("`lodeward rank` makes it anew"), "{error}");
    };

    check(b"", "line 1: it ends too early");
    check(b"\n", "line 1: ");
    check(b"\xff\xfe\n", "line 1: it is no text");
    check(&whole.as_bytes()[..whole.len() - 10], "line 3: it ends too early");
    check(&whole.as_bytes()[..=whole.find('\n').unwrap()], "line 2: it ends too early");
    check(whole.replace("\"hop\":1", "\"hop\":\"x\"").as_bytes(), "line 2: invalid type");
    check(whole.replace("\"lodeward_ranking\":1", "\"lodeward_ranking\":9").as_bytes(), "another version (9)");
}
