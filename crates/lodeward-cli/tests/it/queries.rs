//! `lodeward query`: of files and of the archive.

use crate::sandbox::Sandbox;

/// A sandbox with a file to query.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.ttl", "@prefix : <http://a.example/> . :s :p 1, 2, 3 ; :name \"Ada\"@en .");
    sandbox
}

#[test]
fn files_are_queried_without_an_archive() {
    let sandbox = sandbox();
    sandbox.write("count.rq", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
    let count = "?n\n4\n";

    assert_eq!(sandbox.succeed(&["query", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "a.ttl"]), count);
    assert_eq!(sandbox.succeed(&["query", "--file", "count.rq", "a.ttl"]), count);
    assert_eq!(sandbox.run_with_input(&["query", "-", "a.ttl"], "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").output, count);
    assert!(!sandbox.path("lodeward-data").exists());
}

#[test]
fn results_are_written_in_every_format() {
    let sandbox = sandbox();
    let select = "SELECT ?o { ?s <http://a.example/p> ?o } ORDER BY ?o LIMIT 2";
    let ask = "ASK { ?s ?p 3 }";
    let construct = "CONSTRUCT { ?s <http://a.example/called> ?n } WHERE { ?s <http://a.example/name> ?n }";
    let formats = [
        (select, &["table", "json", "xml", "csv", "tsv"][..]),
        (ask, &["table", "json", "xml", "csv", "tsv"]),
        (construct, &["table", "turtle", "ntriples", "rdfxml", "trig", "nquads", "jsonld"]),
    ];

    let mut shown = Vec::new();
    for (query, names) in formats {
        for name in names {
            let result = sandbox.succeed(&["query", query, "a.ttl", "--format", name]);
            shown.push(format!("== {query} as {name}\n{}\n", result.trim_end()));
        }
    }

    insta::assert_snapshot!("results_in_every_format", shown.concat());
}

#[test]
fn in_a_pipe_rows_are_tsv_and_triples_are_n_triples() {
    let sandbox = sandbox();

    assert_eq!(sandbox.succeed(&["query", "SELECT ?n { ?s <http://a.example/name> ?n }", "a.ttl"]), "?n\n\"Ada\"@en\n");
    assert_eq!(
        sandbox.succeed(&["query", "CONSTRUCT WHERE { ?s <http://a.example/name> ?n }", "a.ttl"]),
        "<http://a.example/s> <http://a.example/name> \"Ada\"@en .\n"
    );
}

#[test]
fn the_extension_of_the_output_selects_the_format() {
    let sandbox = sandbox();

    let result = sandbox.run(&["query", "SELECT ?n { ?s <http://a.example/name> ?n }", "a.ttl", "-o", "names.csv"]);

    assert_eq!((result.code, result.output.as_str()), (0, ""));
    assert_eq!(result.errors, "wrote 1 rows to names.csv\n");
    assert_eq!(std::fs::read_to_string(sandbox.path("names.csv")).unwrap(), "n\r\nAda\r\n");
}

#[test]
fn errors_of_queries_are_reported_with_their_position() {
    let sandbox = sandbox();
    sandbox.write("wrong.rq", "PREFIX : <http://a.example/>\nSELECT ?s WHERE {\n\t?s :p ?o ;; FILTR(?o) }\n");
    sandbox.write("empty.rq", "\n");
    std::fs::create_dir(sandbox.path("empty")).unwrap();

    insta::assert_snapshot!("query_syntax_error", sandbox.shown(&["query", "--file", "wrong.rq", "a.ttl"]));
    insta::assert_snapshot!("query_of_an_empty_file", sandbox.shown(&["query", "--file", "empty.rq", "a.ttl"]));
    insta::assert_snapshot!("query_of_a_missing_file", sandbox.shown(&["query", "--file", "no.rq", "a.ttl"]));
    insta::assert_snapshot!("query_with_unknown_keyword", sandbox.shown(&["query", "SELEC * { ?s ?p ?o }", "a.ttl"]));
    insta::assert_snapshot!("query_without_query", sandbox.shown(&["query"]));
    insta::assert_snapshot!("query_without_data", sandbox.shown(&["query", "ASK {}", "--data", "nowhere"]));
    insta::assert_snapshot!("query_of_an_empty_directory", sandbox.shown(&["query", "ASK {}", "--data", "empty"]));
    insta::assert_snapshot!("query_of_missing_files", sandbox.shown(&["query", "ASK {}", "no.ttl", "nor.nq"]));
    insta::assert_snapshot!(
        "query_in_a_wrong_format",
        sandbox.shown(&["query", "SELECT * { ?s ?p ?o }", "a.ttl", "--format", "turtle"])
    );
    insta::assert_snapshot!(
        "query_to_an_unknown_extension",
        sandbox.shown(&["query", "SELECT * { ?s ?p ?o }", "a.ttl", "-o", "a.doc"])
    );
    insta::assert_snapshot!(
        "query_with_an_unreachable_service",
        sandbox.shown(&["query", "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "a.ttl"])
    );
}

#[test]
fn limits_stop_a_query_and_leave_no_truncated_file() {
    let sandbox = sandbox();
    let endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . \
                   ?s ?t ?u . ?v ?w ?x . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg . ?hh ?ii ?jj . ?kk ?ll ?mm }";

    let rows = sandbox.run(&["query", "SELECT ?o { ?s ?p ?o }", "a.ttl", "--max-rows", "2"]);
    let file = sandbox.run(&["query", "SELECT ?o { ?s ?p ?o }", "a.ttl", "--max-rows", "2", "-o", "a.tsv"]);
    let time = sandbox.run(&["query", endless, "a.ttl", "--timeout", "1s"]);

    assert_eq!((rows.code, rows.output.lines().count()), (3, 3));
    assert_eq!(file.code, 3);
    assert!(!sandbox.path("a.tsv").exists());
    assert_eq!(time.code, 3);
    assert!(time.errors.starts_with("error: query stopped: time limit of 1s exceeded\n"), "{}", time.errors);
}

#[test]
fn a_query_is_cancelled_by_ctrl_c() {
    use std::io::Read as _;
    let sandbox = sandbox();
    // An endless query that produces rows at once.
    let endless = "SELECT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . ?s ?t ?u . \
                   ?v ?w ?x . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg . ?hh ?ii ?jj . ?kk ?ll ?mm }";
    let mut child = sandbox
        .command(&["query", endless, "a.ttl"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 8]).unwrap();

    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    // The process writes until it is cancelled; the pipe must not block it.
    std::io::copy(&mut output, &mut std::io::sink()).unwrap();
    let status = child.wait().unwrap();

    assert!(kill.success());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(status.code(), Some(3), "{errors}");
    assert!(errors.starts_with("error: query stopped: cancelled"), "{errors}");
}

#[test]
fn a_plan_is_printed_as_text_and_as_json() {
    let sandbox = sandbox();
    let query = "SELECT ?n { ?s <http://a.example/name> ?n . ?s <http://a.example/p> ?o FILTER(?o > 2) }";

    let plan = sandbox.succeed(&["query", query, "a.ttl", "--explain=plan"]);
    let json = sandbox.succeed(&["query", query, "a.ttl", "--explain", "--format", "json"]);
    let profile = sandbox.succeed(&["query", query, "a.ttl", "--explain"]);

    assert!(plan.contains("http://a.example/name") && !plan.contains(" rows"), "{plan}");
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    // Every step has its rows and its time.
    assert!(profile.lines().count() > 2, "{profile}");
    assert!(profile.lines().all(|line| line.contains(" rows") && line.contains(" ms]")), "{profile}");
}

#[test]
fn columns_of_select_all_are_in_order_of_appearance() {
    let sandbox = sandbox();

    let head = |query: &str| sandbox.succeed(&["query", query, "a.ttl"]).lines().next().unwrap().to_owned();

    assert_eq!(head("SELECT * { ?subject ?p ?an_object } LIMIT 1"), "?subject\t?p\t?an_object");
    assert_eq!(
        head("PREFIX z: <urn:z> SELECT DISTINCT * # ?c\n{ ?z ?y ?x . FILTER(?x != '?a') BIND(1 AS ?b) } LIMIT 1"),
        "?z\t?y\t?x\t?b"
    );
    assert_eq!(head("SELECT (?a AS ?b) ?a { ?a ?p ?o } LIMIT 1"), "?b\t?a");
}

#[test]
fn usual_prefixes_need_no_declaration() {
    let sandbox = sandbox();
    sandbox.write("f.ttl", "@prefix foaf: <http://xmlns.com/foaf/0.1/> . <urn:a> foaf:name 'Ada' .");

    let found = sandbox.succeed(&["query", "SELECT ?n { ?s foaf:name ?n }", "f.ttl", "--format", "csv"]);
    let own = "PREFIX foaf: <urn:own:> ASK { ?s foaf:name ?n }";

    assert_eq!(found, "n\r\nAda\r\n");
    assert_eq!(sandbox.succeed(&["query", own, "f.ttl"]), "false\n", "a declaration overrides the usual prefix");
    let unknown = sandbox.run(&["query", "ASK { ?s nonsense:name ?n }", "f.ttl"]);
    assert!(unknown.errors.contains("hint: declare the prefix: PREFIX nonsense:"), "{}", unknown.errors);
}

#[test]
fn the_name_of_a_file_is_not_a_query() {
    let sandbox = sandbox();
    sandbox.write("all.rq", "SELECT * { ?s ?p ?o }");

    let rejected = sandbox.run(&["query", "all.rq", "a.ttl"]);

    assert_eq!(rejected.code, 2);
    assert!(rejected.errors.ends_with("hint: read the query from the file: --file all.rq\n"), "{}", rejected.errors);
}

#[test]
fn an_update_that_matches_only_named_graphs_says_so() {
    let sandbox = sandbox();
    sandbox.write("g.nq", "<urn:s> <urn:p> <urn:o> <urn:g> .\n");
    sandbox.succeed(&["import", "g.nq", "--data", "data"]);
    let update = |text: &str| sandbox.run(&["query", "--update", text, "--data", "data"]).errors;

    let missed = update("DELETE WHERE { ?s ?p ?o }");
    let absent = update("DELETE WHERE { <urn:absent> ?p ?o }");
    let deleted = update("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }");

    assert!(missed.starts_with("0 quads inserted, 0 deleted\nnote: the quads to delete are in named graphs only"));
    assert!(missed.contains("hint: write DELETE { GRAPH ?g"), "{missed}");
    assert_eq!(absent, "0 quads inserted, 0 deleted\n");
    assert_eq!(deleted, "0 quads inserted, 1 deleted\n");
}

#[test]
fn a_closed_pipe_ends_a_query() {
    let sandbox = sandbox();
    let endless = "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . ?s ?t ?u . ?v ?w ?x \
                   . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg }";
    let mut child = sandbox
        .command(&["query", endless, "a.ttl"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();

    drop(child.stdout.take());

    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}
