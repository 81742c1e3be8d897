//! Into the archive, asked, and out again: by the real binary.

use crate::desk::{Desk, sorted};

const G: &str = "<http://a.example/g>";

fn quads() -> String {
    let in_graphs = |number: u8| {
        let subject = format!("<http://a.example/s{number}>");
        let first = format!("{subject} <http://a.example/p> \"{number}\"@en {G} .\n");
        first + &subject + " <http://a.example/q> <http://a.example/s0> <http://a.example/h> .\n"
    };
    let alone = "<http://a.example/alone> <http://a.example/p> \"in no graph\" .\n".to_owned();
    std::iter::once(alone).chain((0..3).map(in_graphs)).collect()
}

/// A desk with seven quads in three graphs.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("quads.nq", quads());
    desk.succeed(&["import", "quads.nq", "--data", "data"]);
    desk
}

#[test]
fn what_was_imported_can_be_asked_and_exported() {
    let desk = desk();

    let everywhere = desk.rows(&["SELECT ?s ?p ?o { ?s ?p ?o }"]);
    let in_no_graph = desk.rows(&["SELECT ?s { ?s ?p ?o }", "--default-graph", "own"]);
    let in_one = desk.rows(&["SELECT ?s { ?s ?p ?o }", "--graph", "http://a.example/h"]);
    let exported = desk.succeed(&["export", "--data", "data"]);

    assert_eq!(everywhere.len(), 7);
    assert_eq!(in_no_graph, ["<http://a.example/alone>"]);
    assert_eq!(in_one.len(), 3);
    assert_eq!(sorted(exported.lines()), sorted(quads().lines()));
}

#[test]
fn an_import_tells_what_was_new_and_where_a_file_is_wrong() {
    let desk = desk();
    desk.write("bad.nt", "<http://a.example/new> <http://a.example/p> 1 .\n");

    let again = desk.run(&["import", "quads.nq", "--data", "data"]);
    let wrong = desk.run(&["import", "quads.nq", "bad.nt", "--data", "data", "--graph", "http://a.example/x"]);
    let tolerated = desk.run(&["import", "bad.nt", "quads.nq", "--data", "data", "--keep-going"]);

    assert_eq!(again.errors, "imported 7 quads from 1 file, 0 of them new\n");
    assert_eq!(wrong.code, 1);
    assert!(wrong.errors.starts_with("error: bad.nt:1:45: "), "{}", wrong.errors);
    assert!(wrong.errors.contains("\nhint: nothing was imported"), "{}", wrong.errors);
    assert_eq!(tolerated.code, 0);
    assert!(tolerated.errors.starts_with("fault: bad.nt:1:45: "), "{}", tolerated.errors);
    assert_eq!(desk.rows(&["SELECT ?s { ?s ?p ?o }"]).len(), 7);
}

#[test]
fn standard_input_and_folders_are_imported_too() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    desk.write("folder/a.ttl", "<#a> a <#A> .");
    desk.write("folder/notes.txt", "not RDF");

    let input = "@base <http://a.example/> . <x> a <y> .";
    assert_eq!(desk.run_with_input(&["import", "-", "--data", "data"], input).code, 0);
    desk.succeed(&["import", "folder", "--data", "data", "--base", "http://b.example/"]);

    assert_eq!(desk.rows(&["SELECT ?s { ?s a ?o }"]), ["<http://a.example/x>", "<http://b.example/#a>"]);
}

#[test]
fn exports_are_selected_and_come_in_every_format() {
    let desk = desk();
    let export = |arguments: &[&str]| {
        let mut all = vec!["export", "--data", "data"];
        all.extend(arguments);
        desk.run(&all)
    };
    let lines = |arguments: &[&str]| export(arguments).output.lines().count();

    assert_eq!(lines(&["--graph", "http://a.example/g"]), 3);
    assert_eq!(lines(&["--graph", "http://a.example/g", "--graph", "http://a.example/h"]), 6);
    assert_eq!(lines(&["--subject", "http://a.example/s1"]), 2);
    assert_eq!(lines(&["--predicate", "<http://a.example/p>", "--object", "\"1\"@en"]), 1);
    assert_eq!(lines(&["--object", "http://a.example/s0", "--graph", "http://a.example/g"]), 0);
    for (name, flags) in [
        ("a.nq.gz", &[][..]),
        ("a.trig.zst", &[]),
        ("a.jsonld", &[]),
        ("a.nt", &["--merge-graphs"]),
        ("a.ttl", &["--merge-graphs"]),
        ("a.rdf", &["--merge-graphs"]),
    ] {
        let mut arguments = vec!["-o", name];
        arguments.extend(flags);
        let said = export(&arguments);
        assert_eq!(said.errors, format!("wrote 7 statements to {name}\n"));
        desk.succeed(&["import", name, "--data", name.split('.').nth(1).unwrap()]);
        let back = desk.succeed(&["query", "SELECT * { ?s ?p ?o }", "--data", name.split('.').nth(1).unwrap()]);
        assert_eq!(back.lines().count(), 1 + 7, "{name}");
    }
    let one_graph = export(&["--graph", "http://a.example/g", "-o", "one.ttl"]);
    assert_eq!(one_graph.code, 0, "{}", one_graph.errors);
}

#[test]
fn what_cannot_be_exported_is_told_and_leaves_no_file() {
    let desk = desk();

    insta::assert_snapshot!("export_without_graphs", desk.shown(&["export", "--data", "data", "-o", "all.ttl"]));
    insta::assert_snapshot!("export_to_what", desk.shown(&["export", "--data", "data", "-o", "all.doc"]));
    insta::assert_snapshot!("export_of_no_crawl", desk.shown(&["export", "--data", "data", "--crawl", "mine"]));
    insta::assert_snapshot!("export_of_no_term", desk.shown(&["export", "--object", "Alice"]));

    assert!(!desk.path("all.ttl").exists() && !desk.path("all.doc").exists());
}

#[test]
fn an_update_must_be_called_one() {
    let desk = desk();
    let update = "DELETE WHERE { GRAPH <http://a.example/h> { ?s ?p ?o } }";

    let refused = desk.shown(&["query", update, "--data", "data"]);
    let done = desk.run(&["query", "--update", update, "--data", "data"]);
    let no_update = desk.shown(&["query", "--update", "ASK {}", "--data", "data"]);

    insta::assert_snapshot!("query_is_an_update", refused);
    assert_eq!((done.code, done.errors.as_str()), (0, "0 quads inserted, 3 removed\n"));
    insta::assert_snapshot!("update_is_a_query", no_update);
    assert_eq!(desk.rows(&["SELECT ?s { ?s ?p ?o }"]).len(), 4);
}

#[test]
fn an_archive_can_be_used_by_one_process_at_a_time() {
    let desk = desk();
    let archive = lodeward_archive::Archive::open(desk.path("data/archive"), &lodeward_archive::Options::default());

    let shown = desk.shown(&["query", "ASK {}", "--data", "data"]);

    drop(archive.unwrap());
    insta::assert_snapshot!("query_of_an_archive_in_use", shown);
    assert_eq!(desk.rows(&["ASK {}"]).len(), 0);
}
