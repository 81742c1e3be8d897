//! Import, query, update and export of the archive, with the real binary.

use crate::sandbox::{Sandbox, sorted};

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

/// A sandbox with seven quads in three graphs.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("quads.nq", quads());
    sandbox.succeed(&["import", "quads.nq", "--data", "data"]);
    sandbox
}

#[test]
fn imported_quads_can_be_queried_and_exported() {
    let sandbox = sandbox();

    let everywhere = sandbox.rows(&["SELECT ?s ?p ?o { ?s ?p ?o }"]);
    let in_no_graph = sandbox.rows(&["SELECT ?s { ?s ?p ?o }", "--default-graph", "default"]);
    let in_one = sandbox.rows(&["SELECT ?s { ?s ?p ?o }", "--graph", "http://a.example/h"]);
    let exported = sandbox.succeed(&["export", "--data", "data"]);

    assert_eq!(everywhere.len(), 7);
    assert_eq!(in_no_graph, ["<http://a.example/alone>"]);
    assert_eq!(in_one.len(), 3);
    assert_eq!(sorted(exported.lines()), sorted(quads().lines()));
}

#[test]
fn an_import_reports_new_quads_and_the_position_of_errors() {
    let sandbox = sandbox();
    sandbox.write("bad.nt", "<http://a.example/new> <http://a.example/p> 1 .\n");

    let again = sandbox.run(&["import", "quads.nq", "--data", "data"]);
    let wrong = sandbox.run(&["import", "quads.nq", "bad.nt", "--data", "data", "--graph", "http://a.example/x"]);
    let tolerated = sandbox.run(&["import", "bad.nt", "quads.nq", "--data", "data", "--keep-going"]);

    assert_eq!(again.errors, "imported 7 quads from 1 file, 0 new\n");
    assert_eq!(wrong.code, 1);
    assert!(wrong.errors.starts_with("error: bad.nt:1:45: "), "{}", wrong.errors);
    assert!(wrong.errors.contains("\nhint: nothing was imported"), "{}", wrong.errors);
    assert_eq!(tolerated.code, 0);
    assert!(tolerated.errors.starts_with("fault: bad.nt:1:45: "), "{}", tolerated.errors);
    assert_eq!(sandbox.rows(&["SELECT ?s { ?s ?p ?o }"]).len(), 7);
}

#[test]
fn standard_input_and_directories_are_imported() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("files")).unwrap();
    sandbox.write("files/a.ttl", "<#a> a <#A> .");
    sandbox.write("files/notes.txt", "not RDF");

    let input = "@base <http://a.example/> . <x> a <y> .";
    assert_eq!(sandbox.run_with_input(&["import", "-", "--data", "data"], input).code, 0);
    sandbox.succeed(&["import", "files", "--data", "data", "--base", "http://b.example/"]);

    assert_eq!(sandbox.rows(&["SELECT ?s { ?s a ?o }"]), ["<http://a.example/x>", "<http://b.example/#a>"]);
}

#[test]
fn exports_are_filtered_and_written_in_every_format() {
    let sandbox = sandbox();
    let export = |arguments: &[&str]| {
        let mut all = vec!["export", "--data", "data"];
        all.extend(arguments);
        sandbox.run(&all)
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
        let exported = export(&arguments);
        assert_eq!(exported.errors, format!("wrote 7 statements to {name}\n"));
        sandbox.succeed(&["import", name, "--data", name.split('.').nth(1).unwrap()]);
        let back = sandbox.succeed(&["query", "SELECT * { ?s ?p ?o }", "--data", name.split('.').nth(1).unwrap()]);
        assert_eq!(back.lines().count(), 1 + 7, "{name}");
    }
    let one_graph = export(&["--graph", "http://a.example/g", "-o", "one.ttl"]);
    assert_eq!(one_graph.code, 0, "{}", one_graph.errors);
}

#[test]
fn a_rejected_export_leaves_no_file() {
    let sandbox = sandbox();

    insta::assert_snapshot!("export_without_graphs", sandbox.shown(&["export", "--data", "data", "-o", "all.ttl"]));
    insta::assert_snapshot!(
        "export_to_unknown_extension",
        sandbox.shown(&["export", "--data", "data", "-o", "all.doc"])
    );
    insta::assert_snapshot!("export_of_unknown_crawl", sandbox.shown(&["export", "--data", "data", "--crawl", "mine"]));
    insta::assert_snapshot!("export_of_invalid_term", sandbox.shown(&["export", "--object", "Alice"]));

    assert!(!sandbox.path("all.ttl").exists() && !sandbox.path("all.doc").exists());
}

#[test]
fn an_update_needs_the_update_flag() {
    let sandbox = sandbox();
    let update = "DELETE WHERE { GRAPH <http://a.example/h> { ?s ?p ?o } }";

    let rejected = sandbox.shown(&["query", update, "--data", "data"]);
    let done = sandbox.run(&["query", "--update", update, "--data", "data"]);
    let not_an_update = sandbox.shown(&["query", "--update", "ASK {}", "--data", "data"]);

    insta::assert_snapshot!("query_is_an_update", rejected);
    assert_eq!((done.code, done.errors.as_str()), (0, "0 quads inserted, 3 deleted\n"));
    insta::assert_snapshot!("update_is_a_query", not_an_update);
    assert_eq!(sandbox.rows(&["SELECT ?s { ?s ?p ?o }"]).len(), 4);
}

#[test]
fn an_archive_is_used_by_one_process_at_a_time() {
    let sandbox = sandbox();
    let archive = lodeward_archive::Archive::open(sandbox.path("data/archive"), &lodeward_archive::Options::default());

    let shown = sandbox.shown(&["query", "ASK {}", "--data", "data"]);

    drop(archive.unwrap());
    insta::assert_snapshot!("query_of_an_archive_in_use", shown);
    assert_eq!(sandbox.rows(&["ASK {}"]).len(), 0);
}
