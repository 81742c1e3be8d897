//! Tests of the lenient mode, compared with the strict one.

use lodeward_archive::sparql::{QueryOptions, UpdateOptions};

use crate::engine::{ArchiveEngine, Outcome, read};

fn rows(ours: &ArchiveEngine, pattern: &str, lenient: bool) -> usize {
    let options = QueryOptions { lenient, ..QueryOptions::default() };
    let sparql = format!("SELECT * {{ {pattern} }}");
    match read(ours.archive.snapshot().query(&sparql, &options).expect("a result")).expect("rows") {
        Outcome::Rows { rows, .. } => rows.len(),
        other => panic!("{other:?}"),
    }
}

fn ours() -> ArchiveEngine {
    let ours = ArchiveEngine::new();
    let data =
        "INSERT DATA { <s:s> <p:p> <http://dbpedia.org/resource/Berlin> , \"Berlin\"@de , \"Berlin\" , 5 , _:b }";
    ours.archive.update(data, &UpdateOptions::default()).expect("an update");
    ours
}

#[test]
fn lenient_string_functions_accept_iris() {
    let ours = ours();
    for (pattern, strict, lenient) in [
        ("?s ?p ?o FILTER regex(?o, \"Berlin\")", 2, 3),
        ("?s ?p ?o FILTER regex(?o, \"berlin\", \"i\")", 2, 3),
        ("?s ?p ?o FILTER CONTAINS(?o, \"erl\")", 2, 3),
        ("?s ?p ?o FILTER STRSTARTS(LCASE(?o), \"http\")", 0, 1),
        ("?s ?p ?o FILTER STRENDS(UCASE(?o), \"BERLIN\")", 2, 3),
        ("?s ?p ?o FILTER (STRLEN(?o) > 6)", 0, 1),
        ("?s ?p ?o FILTER (STRAFTER(?o, \"resource/\") = \"Berlin\")", 0, 1),
        ("?s ?p ?o FILTER (REPLACE(?o, \"^.*/\", \"\") = \"Berlin\")", 1, 2),
        ("?s ?p ?o FILTER (SUBSTR(?o, 1, 4) = \"http\")", 0, 1),
        ("?s ?p ?o FILTER (CONCAT(?o, \"!\") = \"http://dbpedia.org/resource/Berlin!\")", 0, 1),
        ("{ SELECT ?o { ?s ?p ?o FILTER regex(?o, \"Berlin\") } }", 2, 3),
        ("?s ?p ?o FILTER EXISTS { FILTER regex(?o, \"Berlin\") }", 2, 3),
        ("?s ?p ?o OPTIONAL { ?s ?p ?x FILTER (CONTAINS(?o, \"http\") && ?x = 5) } FILTER bound(?x)", 0, 1),
        ("?s ?p ?o FILTER regex(<http://dbpedia.org/resource/Berlin>, \"Berlin\")", 0, 5),
    ] {
        assert_eq!(rows(&ours, pattern, false), strict, "{pattern}");
        assert_eq!(rows(&ours, pattern, true), lenient, "{pattern}, lenient");
    }
}

#[test]
fn the_lenient_mode_does_not_change_literals() {
    let ours = ours();
    for pattern in [
        // A number is not a string in either mode, and a language is preserved.
        "?s ?p ?o FILTER (isLiteral(?o) && regex(?o, \"5\"))",
        "?s ?p ?o FILTER (lang(UCASE(?o)) = \"de\")",
        "?s ?p ?o FILTER (isBlank(?o) && regex(?o, \".\"))",
        "?s ?p ?o FILTER (isIRI(?o) && ?o = \"http://dbpedia.org/resource/Berlin\")",
    ] {
        assert_eq!(rows(&ours, pattern, true), rows(&ours, pattern, false), "{pattern}");
    }
}

#[test]
fn the_lenient_mode_applies_to_updates() {
    let ours = ours();
    let sparql = "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER regex(?o, \"dbpedia\") }";
    for (lenient, removed) in [(false, 0), (true, 1)] {
        let options = UpdateOptions { lenient, ..UpdateOptions::default() };
        assert_eq!(ours.archive.update(sparql, &options).expect("an update").removed, removed);
    }
}
