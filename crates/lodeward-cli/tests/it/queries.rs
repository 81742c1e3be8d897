//! `lodeward query`, wherever the data is.

use crate::desk::Desk;

/// A desk with a file to ask.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("a.ttl", "@prefix : <http://a.example/> . :s :p 1, 2, 3 ; :name \"Ada\"@en .");
    desk
}

#[test]
fn files_are_asked_without_an_archive() {
    let desk = desk();
    desk.write("count.rq", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
    let count = "?n\n4\n";

    assert_eq!(desk.succeed(&["query", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "a.ttl"]), count);
    assert_eq!(desk.succeed(&["query", "--file", "count.rq", "a.ttl"]), count);
    assert_eq!(desk.run_with_input(&["query", "-", "a.ttl"], "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").output, count);
    assert!(!desk.path("lodeward-data").exists());
}

#[test]
fn answers_come_in_every_format() {
    let desk = desk();
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
            let answer = desk.succeed(&["query", query, "a.ttl", "--format", name]);
            shown.push(format!("== {query} as {name}\n{}\n", answer.trim_end()));
        }
    }

    insta::assert_snapshot!("answers_in_every_format", shown.concat());
}

#[test]
fn in_a_pipe_rows_are_tsv_and_triples_are_n_triples() {
    let desk = desk();

    assert_eq!(desk.succeed(&["query", "SELECT ?n { ?s <http://a.example/name> ?n }", "a.ttl"]), "?n\n\"Ada\"@en\n");
    assert_eq!(
        desk.succeed(&["query", "CONSTRUCT WHERE { ?s <http://a.example/name> ?n }", "a.ttl"]),
        "<http://a.example/s> <http://a.example/name> \"Ada\"@en .\n"
    );
}

#[test]
fn an_answer_is_written_to_a_file_in_the_format_of_its_name() {
    let desk = desk();

    let said = desk.run(&["query", "SELECT ?n { ?s <http://a.example/name> ?n }", "a.ttl", "-o", "names.csv"]);

    assert_eq!((said.code, said.output.as_str()), (0, ""));
    assert_eq!(said.errors, "wrote 1 rows to names.csv\n");
    assert_eq!(std::fs::read_to_string(desk.path("names.csv")).unwrap(), "n\r\nAda\r\n");
}

#[test]
fn what_is_wrong_with_a_query_is_shown() {
    let desk = desk();
    desk.write("wrong.rq", "PREFIX : <http://a.example/>\nSELECT ?s WHERE {\n\t?s :p ?o ;; FILTR(?o) }\n");
    desk.write("empty.rq", "\n");
    std::fs::create_dir(desk.path("empty")).unwrap();

    insta::assert_snapshot!("query_syntax_error", desk.shown(&["query", "--file", "wrong.rq", "a.ttl"]));
    insta::assert_snapshot!("query_of_an_empty_file", desk.shown(&["query", "--file", "empty.rq", "a.ttl"]));
    insta::assert_snapshot!("query_of_a_missing_file", desk.shown(&["query", "--file", "no.rq", "a.ttl"]));
    insta::assert_snapshot!("query_that_begins_wrongly", desk.shown(&["query", "SELEC * { ?s ?p ?o }", "a.ttl"]));
    insta::assert_snapshot!("query_without_query", desk.shown(&["query"]));
    insta::assert_snapshot!("query_without_data", desk.shown(&["query", "ASK {}", "--data", "nowhere"]));
    insta::assert_snapshot!("query_of_nothing", desk.shown(&["query", "ASK {}", "--data", "empty"]));
    insta::assert_snapshot!("query_of_missing_files", desk.shown(&["query", "ASK {}", "no.ttl", "nor.nq"]));
    insta::assert_snapshot!(
        "query_in_a_wrong_format",
        desk.shown(&["query", "SELECT * { ?s ?p ?o }", "a.ttl", "--format", "turtle"])
    );
    insta::assert_snapshot!(
        "query_to_an_unknown_extension",
        desk.shown(&["query", "SELECT * { ?s ?p ?o }", "a.ttl", "-o", "a.doc"])
    );
    insta::assert_snapshot!(
        "query_with_an_unreachable_service",
        desk.shown(&["query", "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "a.ttl"])
    );
}

#[test]
fn bounds_cut_a_query_short_and_leave_no_half_a_file() {
    let desk = desk();
    let endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . \
                   ?s ?t ?u . ?v ?w ?x . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg . ?hh ?ii ?jj . ?kk ?ll ?mm }";

    let rows = desk.run(&["query", "SELECT ?o { ?s ?p ?o }", "a.ttl", "--rows", "2"]);
    let file = desk.run(&["query", "SELECT ?o { ?s ?p ?o }", "a.ttl", "--rows", "2", "-o", "a.tsv"]);
    let time = desk.run(&["query", endless, "a.ttl", "--timeout", "1"]);

    assert_eq!((rows.code, rows.output.lines().count()), (3, 3));
    assert_eq!(file.code, 3);
    assert!(!desk.path("a.tsv").exists());
    assert_eq!(time.code, 3);
    assert!(time.errors.starts_with("error: the query was stopped: it ran for longer than 1s\n"), "{}", time.errors);
}

#[test]
fn a_query_is_cancelled_by_ctrl_c() {
    use std::io::Read as _;
    let desk = desk();
    // A query without end that tells when it has begun.
    let endless = "SELECT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . ?s ?t ?u . \
                   ?v ?w ?x . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg . ?hh ?ii ?jj . ?kk ?ll ?mm }";
    let mut child = desk
        .command(&["query", endless, "a.ttl"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 8]).unwrap();

    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    // Whoever cancels may still read.
    std::io::copy(&mut output, &mut std::io::sink()).unwrap();
    let status = child.wait().unwrap();

    assert!(kill.success());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(status.code(), Some(3), "{errors}");
    assert!(errors.starts_with("error: the query was stopped: it was cancelled"), "{errors}");
}

#[test]
fn a_plan_is_told_for_people_and_for_programs() {
    let desk = desk();
    let query = "SELECT ?n { ?s <http://a.example/name> ?n . ?s <http://a.example/p> ?o FILTER(?o > 2) }";

    let people = desk.succeed(&["query", query, "a.ttl", "--explain"]);
    let programs = desk.succeed(&["query", query, "a.ttl", "--explain", "--format", "json"]);
    let counted = desk.succeed(&["query", query, "a.ttl", "--explain=analyze"]);

    assert!(people.contains("http://a.example/name"), "{people}");
    assert!(serde_json::from_str::<serde_json::Value>(&programs).is_ok(), "{programs}");
    assert!(counted.contains("http://a.example/name"), "{counted}");
}

#[test]
fn whoever_has_seen_enough_ends_a_query() {
    let desk = desk();
    let endless = "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n0 ?o . ?p ?q ?r . ?s ?t ?u . ?v ?w ?x \
                   . ?y ?z ?aa . ?bb ?cc ?dd . ?ee ?ff ?gg }";
    let mut child = desk
        .command(&["query", endless, "a.ttl"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();

    drop(child.stdout.take());

    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}
