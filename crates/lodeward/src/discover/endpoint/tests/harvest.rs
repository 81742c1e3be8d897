//! Whole data sets out of servers with habits.

use oxigraph::model::vocab::xsd;
use oxigraph::model::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use oxigraph::sparql::results::QueryResultsFormat;

use super::server::{Habits, Server};
use super::{Harvested, harvest, policy};
use crate::discover::{Endpoints, Policy};
use crate::model::{Fault, FaultKind};

fn node(name: impl std::fmt::Display) -> NamedNode {
    NamedNode::new(format!("http://data.example/{name}")).unwrap()
}

fn graph(name: &str) -> GraphName {
    if name.is_empty() { GraphName::DefaultGraph } else { node(name).into() }
}

fn quad(
    subject: impl Into<NamedOrBlankNode>,
    predicate: NamedNode,
    object: impl Into<Term>,
    graph_name: GraphName,
) -> Quad {
    Quad { subject: subject.into(), predicate, object: object.into(), graph_name }
}

/// Statements of all sorts in one graph: `subjects` subjects with a type, a
/// name in two languages and a number.
fn people(subjects: usize, name: &str) -> Vec<Quad> {
    let person = |number: usize| {
        let subject = node(format_args!("person/{number}"));
        let languages = ["en", "de"].map(|language| {
            let literal = Literal::new_language_tagged_literal("Same \"name\"\\ü", language).unwrap();
            quad(subject.clone(), node("name"), literal, graph(name))
        });
        let typed = quad(subject.clone(), node("type"), node("Person"), graph(name));
        let age = Literal::new_typed_literal((number % 7).to_string(), xsd::INTEGER);
        languages.into_iter().chain([typed, quad(subject, node("age"), age, graph(name))])
    };
    (0..subjects).flat_map(person).collect()
}

/// One subject with so many objects, some of which look alike.
fn hub(objects: usize, name: &str) -> Vec<Quad> {
    let objects = (0..objects).flat_map(|number| {
        let value = format!("http://data.example/{}", number / 3);
        let object = match number % 3 {
            0 => Term::from(NamedNode::new(value).unwrap()),
            1 => Literal::new_simple_literal(value).into(),
            _ => Literal::new_language_tagged_literal(value, "en").unwrap().into(),
        };
        let long = Literal::new_simple_literal(format!("{}{number}", "long ".repeat(50)));
        [object, long.into()]
    });
    objects.map(|object| quad(node("hub"), node("links"), object, graph(name))).collect()
}

/// Lists of blank nodes that point at each other.
fn blanks(chains: usize, name: &str) -> Vec<Quad> {
    let chain = |number: usize| {
        let (first, second) = (BlankNode::default(), BlankNode::default());
        let last = Literal::new_simple_literal(number.to_string());
        [
            quad(node(format_args!("person/{number}")), node("knows"), first.clone(), graph(name)),
            quad(first, node("knows"), second.clone(), graph(name)),
            quad(second, node("name"), last, graph(name)),
        ]
    };
    (0..chains).flat_map(chain).collect()
}

/// Checks that a server's data comes out whole. Returns how many requests that
/// took.
fn check(mut server: Server, rows: u32) -> usize {
    let harvested = harvest(&mut server, &policy(rows));
    assert!(harvested.faults.is_empty(), "{:?}", harvested.faults);
    check_whole(&harvested, &server)
}

/// As [`check`], and nothing comes twice.
fn check_once(mut server: Server, rows: u32) -> usize {
    let harvested = harvest(&mut server, &policy(rows));
    assert_eq!(harvested.quads.len(), server.len(), "{:#?}", harvested.queries());
    check_whole(&harvested, &server)
}

fn check_whole(harvested: &Harvested, server: &Server) -> usize {
    let (dataset, expected) = (harvested.dataset(), server.dataset());
    let missing: Vec<_> = expected.iter().filter(|quad| !dataset.contains(*quad)).take(5).collect();
    let surplus: Vec<_> = dataset.iter().filter(|quad| !expected.contains(*quad)).take(5).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "{missing:?} {surplus:?} {:#?}", harvested.queries());
    harvested.requests.len()
}

#[test]
fn a_small_endpoint_takes_few_requests() {
    let default = || people(20, "").into_iter().chain(blanks(5, "")).collect::<Vec<_>>();
    let named = || people(20, "a").into_iter().chain(blanks(5, "b")).chain(people(3, "c"));

    assert_eq!(check_once(Server::new(default(), Habits::default()), 1_000), 5);
    // Small graphs come together.
    assert_eq!(check_once(Server::new(named(), Habits::default()), 1_000), 4);
    let both = || named().chain(default());
    assert_eq!(check_once(Server::new(both(), Habits::default()), 1_000), 7);
    let union = Habits { is_union: true, ..Habits::default() };
    assert_eq!(check_once(Server::new(named(), union), 1_000), 6);
    let union = Habits { is_union: true, ..Habits::default() };
    let rest = people(40, "a").into_iter().chain(people(3, "a")).chain(hub(4, ""));
    assert_eq!(check_once(Server::new(rest, union), 1_000), 8);
    assert_eq!(check_once(Server::new([], Habits::default()), 1_000), 3);
}

#[test]
fn a_large_endpoint_takes_little_more_than_a_request_per_page() {
    let data = || people(1_000, "a").into_iter().chain(blanks(20, "a")).chain(hub(1, "a"));
    let server = Server::new(data(), Habits::default());
    let pages = server.len() / 200;

    let requests = check_once(server, 200);

    assert!(requests <= pages + 10, "{requests} requests for {pages} pages");
}

#[test]
fn silent_caps_cost_requests_and_nothing_else() {
    let data = || people(200, "a").into_iter().chain(people(60, "")).chain(blanks(10, "a")).chain(hub(70, "a"));
    for rows_max in [37, 70, 999] {
        check(Server::new(data(), Habits { rows_max, ..Habits::default() }), 100);
    }
    let union = people(200, "a").into_iter().chain(people(20, "b")).chain(hub(70, "b"));
    check(Server::new(union, Habits { rows_max: 60, is_union: true, ..Habits::default() }), 100);
}

#[test]
fn a_subject_with_more_than_a_page_is_read_by_its_objects() {
    let data = || hub(400, "").into_iter().chain(people(30, ""));

    check_once(Server::new(data(), Habits::default()), 100);
    check(Server::new(data(), Habits { rows_max: 60, ..Habits::default() }), 100);
}

#[test]
fn what_looks_alike_is_told_apart() {
    let languages = (0..300).map(|number| {
        let language = format!("en-x-a{number}");
        let literal = Literal::new_language_tagged_literal("alike", language).unwrap();
        quad(node("one"), node("label"), literal, GraphName::DefaultGraph)
    });
    let long = (0..300).map(|number| {
        let subject = node(format_args!("{}{number}", "x".repeat(500)));
        quad(subject, node("type"), node(format_args!("{}{number}", "y".repeat(300))), GraphName::DefaultGraph)
    });

    check_once(Server::new(languages.chain(people(60, "")).chain(long), Habits::default()), 50);
}

#[test]
fn many_predicates_are_asked_for_together() {
    let data = (0..1_500).map(|number| {
        let predicate = node(format_args!("predicate/{}", number % 300));
        quad(node(format_args!("s/{number}")), predicate, node(number), graph("a"))
    });
    let server = Server::new(data, Habits::default());

    let requests = check_once(server, 400);

    assert!(requests < 25, "{requests} requests");
}

#[test]
fn many_graphs_are_asked_for_together() {
    let data = || (0..150).flat_map(|number| people(2, &format!("graph/{number}")));

    let requests = check_once(Server::new(data(), Habits::default()), 500);

    assert!(requests < 25, "{requests} requests");
    check(Server::new(data(), Habits { rows_max: 100, ..Habits::default() }), 200);
}

#[test]
fn every_format_of_results_is_read() {
    for format in [QueryResultsFormat::Json, QueryResultsFormat::Xml, QueryResultsFormat::Tsv] {
        let data = people(100, "a").into_iter().chain(blanks(9, "")).chain(hub(80, "a")).chain(people(9, ""));
        check_once(Server::new(data, Habits { format, ..Habits::default() }), 120);
    }
}

#[test]
fn servers_that_stumble_are_asked_again() {
    for every in [2, 3, 7] {
        let data = people(150, "a").into_iter().chain(hub(50, "a")).chain(blanks(10, ""));
        let habits = Habits { stumbles_at: Some(every), rows_max: 90, ..Habits::default() };
        check(Server::new(data, habits), 120);
    }
}

#[test]
fn what_is_too_much_for_a_server_is_asked_for_in_smaller_parts() {
    let data = || people(150, "a").into_iter().chain(hub(150, "a")).chain(people(10, "")).chain(blanks(5, "a"));
    let with = |habits: Habits| check(Server::new(data(), habits), 400);

    with(Habits { sorted_max: 130, ..Habits::default() });
    with(Habits { limit_max: 150, refuses: vec![("COUNT", 500)], ..Habits::default() });
}

#[test]
fn answers_that_break_off_are_continued() {
    let data = || people(150, "a").into_iter().chain(hub(100, "a")).chain(people(10, "")).chain(blanks(5, "a"));
    for rows_max in [60, usize::MAX] {
        let mut server = Server::new(data(), Habits { bytes_max: 20_000, rows_max, ..Habits::default() });
        let harvested = harvest(&mut server, &policy(400));

        check_whole(&harvested, &server);
        let is_break = |fault: &Fault| *fault == Fault::new(FaultKind::Truncated, "the connection broke");
        assert!(harvested.faults.iter().all(is_break), "{:?}", harvested.faults);
    }
}

#[test]
fn what_a_server_does_not_understand_is_asked_in_other_words() {
    let data = || people(60, "a").into_iter().chain(hub(30, "a")).chain(people(10, "")).chain(blanks(10, "a"));
    let without = |words: &[&'static str], code: u16| {
        let refuses = words.iter().map(|word| (*word, code)).collect();
        check(Server::new(data(), Habits { refuses, ..Habits::default() }), 100)
    };

    for code in [400, 500, 504] {
        without(&["SUM("], code);
        without(&["COUNT("], code);
        without(&["COUNT(", "DISTINCT ?p"], code);
        without(&["VALUES"], code);
        without(&["ORDER BY"], code);
        without(&["ORDER BY", "VALUES", "COUNT("], code);
        without(&["NOT EXISTS"], code);
    }
}

#[test]
fn long_lists_need_no_order() {
    let data = || {
        (0..300).map(|number| {
            let name = if number % 2 == 0 { String::new() } else { format!("graph/{number}") };
            quad(node(number), node(format_args!("predicate/{number}")), node("x"), graph(&name))
        })
    };
    for refuses in [vec![("ORDER BY", 400)], vec![("ORDER BY", 500)], vec![("ORDER BY", 400), ("COUNT(", 504)]] {
        check(Server::new(data(), Habits { refuses, ..Habits::default() }), 120);
    }
    check(Server::new(data(), Habits { limit_max: 100, ..Habits::default() }), 120);
}

#[test]
fn an_endpoint_that_hides_its_graphs_gives_its_default_graph() {
    let data = || people(100, "").into_iter().chain(blanks(10, ""));
    let refuses = vec![("GRAPH", 400)];

    check(Server::new(data(), Habits { refuses, ..Habits::default() }), 100);
}

#[test]
fn graphs_of_the_server_itself_are_left_out() {
    let own = NamedNode::new("http://www.openlinksw.com/schemas/virtrdf#").unwrap();
    let data = people(5, "a").into_iter().chain([quad(node("x"), node("y"), node("z"), own.into())]);
    let mut server = Server::new(data, Habits { is_union: true, ..Habits::default() });

    let harvested = harvest(&mut server, &policy(100));

    assert_eq!(harvested.quads.len(), 20);
}

#[test]
fn a_description_tells_graphs_and_sizes_and_takes_nothing() {
    let data = people(5, "a").into_iter().chain(people(7, "b")).chain(people(1, ""));
    let mut server = Server::new(data, Habits::default());
    let policy = Policy { endpoints: Endpoints::Describe, ..Policy::default() };

    let harvested = harvest(&mut server, &policy);

    let objects: Vec<String> = harvested.quads.iter().map(|quad| quad.object.to_string()).collect();
    let integer = |number: u32| format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    for object in [node("a").to_string(), node("b").to_string(), integer(20), integer(28), integer(4)] {
        assert!(objects.contains(&object), "{object} in {objects:?}");
    }
    assert_eq!(harvested.requests.len(), 4);
}

#[test]
fn what_cannot_be_had_is_told() {
    let refuses = vec![("<http://data.example/name>", 500)];
    let mut server = Server::new(people(200, ""), Habits { refuses, ..Habits::default() });

    let harvested = harvest(&mut server, &policy(100));

    let lost = harvested.lost.last().unwrap();
    assert_eq!(
        lost,
        "SPARQL endpoint http://data.example/sparql: statements of the default graph with \
         <http://data.example/name>, from number 0"
    );
    assert_eq!(harvested.quads.len(), 400);
}
