//! A small entity web around a cathedral, for focused crawls.

use std::fmt::Write as _;
use std::sync::Arc;

use toyweb::Web;
use toyweb::entities::{EntityWeb, EntityWebSources};

use crate::test_server::{TestOptions, TestServer};

/// The seed of most crawls of it.
pub(crate) const SEED: &str = "http://e.example/Cologne_Cathedral";

/// Churches have the same style, and all entities are linked by a country.
const LINKS: &[(&str, &str, &str)] = &[
    ("Cologne_Cathedral", "country", "Germany"),
    ("Cologne_Cathedral", "style", "Gothic"),
    ("Cologne_Cathedral", "place", "Cologne"),
    ("Ulm_Minster", "style", "Gothic"),
    ("Ulm_Minster", "place", "Ulm"),
    ("Cologne", "country", "Germany"),
    ("Ulm", "country", "Germany"),
    ("Beer", "country", "Germany"),
    ("Beer", "made_of", "Malt"),
];

/// A service whose crawls use this web.
pub(crate) async fn start_service() -> TestServer {
    TestServer::with_web(Some(web()), TestOptions { no_auth: true, ..TestOptions::default() }).await
}

/// A web with a document for each entity; its label is its name.
pub(crate) fn web() -> Arc<dyn Web> {
    let dir = tempfile::tempdir().unwrap();
    let (mut entities, mut links) = ("uri\tlabel\n".to_owned(), "subject\tpredicate\tobject\n".to_owned());
    let mut names: Vec<&str> = LINKS.iter().flat_map(|(subject, _, object)| [*subject, *object]).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        writeln!(entities, "http://e.example/{name}\t{}", name.replace('_', " ")).unwrap();
    }
    for (subject, predicate, object) in LINKS {
        writeln!(links, "http://e.example/{subject}\thttp://e.example/p/{predicate}\thttp://e.example/{object}")
            .unwrap();
    }
    let table = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        vec![path]
    };
    let (entities, links) = (table("entities.tsv", &entities), table("links.tsv", &links));
    Arc::new(EntityWeb::load(&EntityWebSources { entities, links, ..EntityWebSources::default() }).unwrap())
}
