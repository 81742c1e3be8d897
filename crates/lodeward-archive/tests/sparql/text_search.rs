//! The predicate `lodeward:search`.

use std::sync::{Arc, Mutex};

use lodeward_archive::sparql::{
    QueryError, QueryOptions, QueryOutput, TextSearch, TextSearchError, TextSearchFailure, UpdateOptions,
};
use lodeward_archive::{Archive, Options};
use oxrdf::NamedNode;

/// Finds two entities for the word `church`, and records its calls.
#[derive(Default)]
struct FixedSearch {
    calls: Mutex<Vec<(String, usize)>>,
}

impl TextSearch for FixedSearch {
    fn search(&self, words: &str, limit: usize) -> Result<Vec<(NamedNode, f64)>, TextSearchFailure> {
        self.calls.lock().unwrap().push((words.to_owned(), limit));
        if words == "broken" {
            return Err("the index is damaged".into());
        }
        let found = [("http://a.example/reims", 0.75), ("http://a.example/cologne", 0.5)];
        let found = found.into_iter().filter(|_| words == "church").take(limit);
        Ok(found.map(|(iri, score)| (NamedNode::new_unchecked(iri), score)).collect())
    }
}

const DATA: &str = "PREFIX : <http://a.example/> INSERT DATA { GRAPH :g {
    :reims :in :france . :cologne :in :germany . :list :members (:reims) } }";

struct SearchedArchive {
    _directory: tempfile::TempDir,
    archive: Archive,
    search: Arc<FixedSearch>,
}

impl SearchedArchive {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path(), &Options::default()).unwrap();
        archive.update(DATA, &UpdateOptions::default()).unwrap();
        Self { _directory: directory, archive, search: Arc::default() }
    }

    fn query(&self, pattern: &str) -> Result<Vec<String>, QueryError> {
        let options = QueryOptions {
            search: Some(Arc::<FixedSearch>::clone(&self.search)),
            default_graph: lodeward_archive::sparql::DefaultGraph::Union,
            ..QueryOptions::default()
        };
        let text = format!("PREFIX : <http://a.example/> PREFIX lodeward: <urn:lodeward:> SELECT * {{ {pattern} }}");
        let QueryOutput::Solutions(rows) = self.archive.snapshot().query(&text, &options)? else { unreachable!() };
        let mut found = Vec::new();
        for row in rows {
            let row = row?;
            let cells: Vec<String> = row.iter().map(|(name, value)| format!("{}={value}", name.as_str())).collect();
            found.push(cells.join(" ").replace("http://a.example/", ":"));
        }
        found.sort();
        Ok(found)
    }
}

#[test]
fn the_results_of_a_search_are_joined_with_the_rest_of_a_query() {
    let fixture = SearchedArchive::new();
    let check = |pattern: &str, expected: &[&str]| assert_eq!(fixture.query(pattern).unwrap(), expected, "{pattern}");

    check("?e lodeward:search \"church\"", &["e=<:cologne>", "e=<:reims>"]);
    check("?e lodeward:search \"church\" ; :in ?c", &["e=<:cologne> c=<:germany>", "e=<:reims> c=<:france>"]);
    check("?e lodeward:search (\"church\" 1)", &["e=<:reims>"]);
    let double = "\"0.75\"^^<http://www.w3.org/2001/XMLSchema#double>";
    check("(?e ?score) lodeward:search (\"church\" 1)", &[&format!("e=<:reims> score={double}")]);
    check(":reims lodeward:search \"church\" ; :in ?c", &["c=<:france>"]);
    check(":paris lodeward:search \"church\" ; :in ?c", &[]);
    check("?e lodeward:search \"nothing\"", &[]);
    check("GRAPH ?g { ?e lodeward:search \"church\" ; :in :france }", &["g=<:g> e=<:reims>"]);
    check("?e :in ?c FILTER EXISTS { ?e lodeward:search (\"church\" 1) }", &["e=<:reims> c=<:france>"]);
    assert_eq!(fixture.search.calls.lock().unwrap()[..2], [("church".to_owned(), 100), ("church".to_owned(), 100)]);
}

#[test]
fn a_search_that_cannot_run_is_an_error() {
    let fixture = SearchedArchive::new();
    let check = |pattern: &str, expected: &str| {
        let error = fixture.query(pattern).unwrap_err();
        assert!(matches!(error, QueryError::Search(_)), "{error:?}");
        assert!(error.to_string().contains(expected), "{pattern}: {error}");
    };

    check("?e lodeward:search ?words", "the words of lodeward:search are not a string (hint: write ?e");
    check("?e lodeward:search (\"church\" 0)", "the limit 0 is not from 1 to 10000");
    check("?e lodeward:search (\"church\" \"x\")", "the limit of lodeward:search is not an integer");
    check("(?e ?s ?x) lodeward:search \"church\"", "the subject of lodeward:search");
    check("?e lodeward:search \"broken\"", "the index is damaged");
    check(&"?e lodeward:search \"church\" . ".repeat(9), "more than 8 searches");
    let without = QueryOptions::default();
    let error = fixture.archive.snapshot().query("SELECT * { ?e <urn:lodeward:search> 'x' }", &without).err().unwrap();
    assert!(matches!(error, QueryError::Search(TextSearchError::Disabled)), "{error:?}");
    assert!(error.to_string().contains("hint: set `search.index = true`"), "{error}");
}

#[test]
fn an_update_can_use_the_results_of_a_search() {
    let fixture = SearchedArchive::new();
    let search = Some(Arc::<FixedSearch>::clone(&fixture.search) as Arc<dyn TextSearch>);
    let update = "INSERT { ?e a <http://a.example/Church> } WHERE { ?e <urn:lodeward:search> 'church' }";

    let done = fixture.archive.update(update, &UpdateOptions { search, ..UpdateOptions::default() }).unwrap();

    assert_eq!(done.inserted, 2);
    assert!(fixture.archive.update(update, &UpdateOptions::default()).is_err());
}
