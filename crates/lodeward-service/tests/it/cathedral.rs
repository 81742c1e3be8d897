//! A small web of entities around a cathedral, for focused crawls.

use std::fmt::Write as _;
use std::sync::Arc;

use toyweb::Web;
use toyweb::entities::{EntityWeb, Sources};

use crate::house::{House, Plan};

/// The seed of most crawls of it.
pub(crate) const SEED: &str = "http://e.example/Cologne_Cathedral";

/// Churches share a style, and a country connects everything.
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

/// A service beside this web.
pub(crate) async fn house() -> House {
    House::beside(Some(web()), Plan { no_auth: true, ..Plan::default() }).await
}

/// Every entity is a document, and is called by its name.
pub(crate) fn web() -> Arc<dyn Web> {
    let folder = tempfile::tempdir().unwrap();
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
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        vec![path]
    };
    let (entities, links) = (table("entities.tsv", &entities), table("links.tsv", &links));
    Arc::new(EntityWeb::load(&Sources { entities, links, ..Sources::default() }).unwrap())
}
