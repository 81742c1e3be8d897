//! Complete harvests of servers with quirks.

use oxigraph::model::vocab::xsd;
use oxigraph::model::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use oxigraph::sparql::results::QueryResultsFormat;

use super::server::{Quirks, Server};
use super::{Harvested, Web, harvest, policy, status};
use crate::discover::{DiscoverPolicy, EndpointPolicy};
use crate::model::{Fault, FaultKind, Uri};

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

/// Statements of several kinds in one graph: each of `subjects` subjects has a type, a name in two languages and a
/// number.
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

/// One subject with this number of objects, some with the same key.
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

/// Chains of blank nodes.
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

/// Checks that the data of a server is harvested completely. Returns the number of requests.
fn check(mut server: Server, rows: u32) -> usize {
    let harvested = harvest(&mut server, &policy(rows));
    assert!(harvested.faults.is_empty(), "{:?}", harvested.faults);
    check_complete(&harvested, &server)
}

/// As [`check`], and no statement is stored twice.
fn check_once(mut server: Server, rows: u32) -> usize {
    let harvested = harvest(&mut server, &policy(rows));
    assert_eq!(harvested.quads.len(), server.len(), "{:#?}", harvested.queries());
    check_complete(&harvested, &server)
}

fn check_complete(harvested: &Harvested, server: &Server) -> usize {
    let (dataset, expected) = (harvested.dataset(), server.dataset());
    let missing: Vec<_> = expected.iter().filter(|quad| !dataset.contains(*quad)).take(5).collect();
    let surplus: Vec<_> = dataset.iter().filter(|quad| !expected.contains(*quad)).take(5).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "{missing:?} {surplus:?} {:#?}", harvested.queries());
    harvested.requests.len()
}

#[test]
fn small_endpoint_takes_few_requests() {
    let default = || people(20, "").into_iter().chain(blanks(5, "")).collect::<Vec<_>>();
    let named = || people(20, "a").into_iter().chain(blanks(5, "b")).chain(people(3, "c"));

    assert_eq!(check_once(Server::new(default(), Quirks::default()), 1_000), 5);
    // Small graphs share a request.
    assert_eq!(check_once(Server::new(named(), Quirks::default()), 1_000), 4);
    let both = || named().chain(default());
    assert_eq!(check_once(Server::new(both(), Quirks::default()), 1_000), 7);
    let union = Quirks { is_union: true, ..Quirks::default() };
    assert_eq!(check_once(Server::new(named(), union), 1_000), 6);
    let union = Quirks { is_union: true, ..Quirks::default() };
    let rest = people(40, "a").into_iter().chain(people(3, "a")).chain(hub(4, ""));
    assert_eq!(check_once(Server::new(rest, union), 1_000), 8);
    assert_eq!(check_once(Server::new([], Quirks::default()), 1_000), 3);
}

#[test]
fn large_endpoint_takes_little_more_than_one_request_per_page() {
    let data = || people(1_000, "a").into_iter().chain(blanks(20, "a")).chain(hub(1, "a"));
    let server = Server::new(data(), Quirks::default());
    let pages = server.len() / 200;

    let requests = check_once(server, 200);

    assert!(requests <= pages + 10, "{requests} requests for {pages} pages");
}

#[test]
fn silent_row_limits_cost_requests_but_no_data() {
    let data = || people(200, "a").into_iter().chain(people(60, "")).chain(blanks(10, "a")).chain(hub(70, "a"));
    for max_rows in [37, 70, 999] {
        check(Server::new(data(), Quirks { max_rows, ..Quirks::default() }), 100);
    }
    let union = people(200, "a").into_iter().chain(people(20, "b")).chain(hub(70, "b"));
    check(Server::new(union, Quirks { max_rows: 60, is_union: true, ..Quirks::default() }), 100);
}

#[test]
fn subject_larger_than_a_page_is_read_by_objects() {
    let data = || hub(400, "").into_iter().chain(people(30, ""));

    check_once(Server::new(data(), Quirks::default()), 100);
    check(Server::new(data(), Quirks { max_rows: 60, ..Quirks::default() }), 100);
}

#[test]
fn terms_with_equal_keys_are_distinguished() {
    let languages = (0..300).map(|number| {
        let language = format!("en-x-a{number}");
        let literal = Literal::new_language_tagged_literal("alike", language).unwrap();
        quad(node("one"), node("label"), literal, GraphName::DefaultGraph)
    });
    let long = (0..300).map(|number| {
        let subject = node(format_args!("{}{number}", "x".repeat(500)));
        quad(subject, node("type"), node(format_args!("{}{number}", "y".repeat(300))), GraphName::DefaultGraph)
    });

    check_once(Server::new(languages.chain(people(60, "")).chain(long), Quirks::default()), 50);
}

#[test]
fn many_predicates_share_a_request() {
    let data = (0..1_500).map(|number| {
        let predicate = node(format_args!("predicate/{}", number % 300));
        quad(node(format_args!("s/{number}")), predicate, node(number), graph("a"))
    });
    let server = Server::new(data, Quirks::default());

    let requests = check_once(server, 400);

    assert!(requests < 25, "{requests} requests");
}

#[test]
fn many_graphs_share_a_request() {
    let data = || (0..150).flat_map(|number| people(2, &format!("graph/{number}")));

    let requests = check_once(Server::new(data(), Quirks::default()), 500);

    assert!(requests < 25, "{requests} requests");
    check(Server::new(data(), Quirks { max_rows: 100, ..Quirks::default() }), 200);
}

#[test]
fn every_result_format_is_read() {
    for format in [QueryResultsFormat::Json, QueryResultsFormat::Xml, QueryResultsFormat::Tsv] {
        let data = people(100, "a").into_iter().chain(blanks(9, "")).chain(hub(80, "a")).chain(people(9, ""));
        check_once(Server::new(data, Quirks { format, ..Quirks::default() }), 120);
    }
}

#[test]
fn failing_servers_are_retried() {
    for every in [2, 3, 7] {
        let data = people(150, "a").into_iter().chain(hub(50, "a")).chain(blanks(10, ""));
        let habits = Quirks { fails_every: Some(every), max_rows: 90, ..Quirks::default() };
        check(Server::new(data, habits), 120);
    }
}

#[test]
fn pages_grow_again_after_a_failure() {
    let is_type = |quad: &Quad| quad.predicate == node("type");
    let mut server = Server::new(people(890, "").into_iter().filter(is_type), Quirks::default());
    let mut requests_sent = 0;
    let mut stumbling = |uri: &Uri| {
        requests_sent += 1;
        if (5..=7).contains(&requests_sent) { Err(status(500)) } else { server.get(uri) }
    };

    let harvested = harvest(&mut stumbling, &policy(400));

    let limits: Vec<_> = harvested
        .queries()
        .iter()
        .filter_map(|query| query.split("STR(?s) LIMIT ").nth(1).map(str::to_owned))
        .collect();
    assert_eq!(limits, ["400", "400", "400", "100", "200", "300", "300"]);
    check_complete(&harvested, &server);
}

#[test]
fn expensive_page_is_requested_in_smaller_parts() {
    let data = || people(150, "a").into_iter().chain(hub(150, "a")).chain(people(10, "")).chain(blanks(5, "a"));
    let with = |habits: Quirks| check(Server::new(data(), habits), 400);

    with(Quirks { max_sorted: 130, ..Quirks::default() });
    with(Quirks { max_limit: 150, rejects: vec![("COUNT", 500)], ..Quirks::default() });
}

#[test]
fn truncated_results_are_continued() {
    let data = || people(150, "a").into_iter().chain(hub(100, "a")).chain(people(10, "")).chain(blanks(5, "a"));
    for max_rows in [60, usize::MAX] {
        let mut server = Server::new(data(), Quirks { max_bytes: 20_000, max_rows, ..Quirks::default() });
        let harvested = harvest(&mut server, &policy(400));

        check_complete(&harvested, &server);
        let is_break = |fault: &Fault| *fault == Fault::new(FaultKind::Truncated, "the connection broke");
        assert!(harvested.faults.iter().all(is_break), "{:?}", harvested.faults);
    }
}

#[test]
fn unsupported_query_is_replaced_by_another() {
    let data = || people(60, "a").into_iter().chain(hub(30, "a")).chain(people(10, "")).chain(blanks(10, "a"));
    let without = |keywords: &[&'static str], code: u16| {
        let rejects = keywords.iter().map(|keyword| (*keyword, code)).collect();
        check(Server::new(data(), Quirks { rejects, ..Quirks::default() }), 100)
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
    for rejects in [vec![("ORDER BY", 400)], vec![("ORDER BY", 500)], vec![("ORDER BY", 400), ("COUNT(", 504)]] {
        check(Server::new(data(), Quirks { rejects, ..Quirks::default() }), 120);
    }
    check(Server::new(data(), Quirks { max_limit: 100, ..Quirks::default() }), 120);
}

#[test]
fn default_graph_is_harvested_if_graphs_are_hidden() {
    let data = || people(100, "").into_iter().chain(blanks(10, ""));
    let rejects = vec![("GRAPH", 400)];

    check(Server::new(data(), Quirks { rejects, ..Quirks::default() }), 100);
}

#[test]
fn system_graphs_are_skipped() {
    let own = NamedNode::new("http://www.openlinksw.com/schemas/virtrdf#").unwrap();
    let data = people(5, "a").into_iter().chain([quad(node("x"), node("y"), node("z"), own.into())]);
    let mut server = Server::new(data, Quirks { is_union: true, ..Quirks::default() });

    let harvested = harvest(&mut server, &policy(100));

    assert_eq!(harvested.quads.len(), 20);
}

#[test]
fn description_has_graphs_and_sizes_but_no_data() {
    let data = people(5, "a").into_iter().chain(people(7, "b")).chain(people(1, ""));
    let mut server = Server::new(data, Quirks::default());
    let policy = DiscoverPolicy { sparql_endpoints: EndpointPolicy::Describe, ..DiscoverPolicy::default() };

    let harvested = harvest(&mut server, &policy);

    let objects: Vec<String> = harvested.quads.iter().map(|quad| quad.object.to_string()).collect();
    let integer = |number: u32| format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    for object in [node("a").to_string(), node("b").to_string(), integer(20), integer(28), integer(4)] {
        assert!(objects.contains(&object), "{object} in {objects:?}");
    }
    assert_eq!(harvested.requests.len(), 4);
}

#[test]
fn lost_part_is_reported() {
    let rejects = vec![("<http://data.example/name>", 500)];
    let mut server = Server::new(people(200, ""), Quirks { rejects, ..Quirks::default() });

    let harvested = harvest(&mut server, &policy(100));

    let lost = harvested.lost.last().unwrap();
    assert_eq!(
        lost,
        "SPARQL endpoint http://data.example/sparql: statements of the default graph with \
         <http://data.example/name>, from offset 0"
    );
    assert_eq!(harvested.quads.len(), 400);
}

/// Two graphs, in each of which one person has a class.
fn classified() -> Vec<Quad> {
    let class = |person: &str, name: &str| {
        quad(node(person), NamedNode::from(oxigraph::model::vocab::rdf::TYPE), node("Person"), graph(name))
    };
    let people = people(20, "a").into_iter().chain(people(20, "b"));
    people.chain([class("person/3", "a"), class("person/4", "b")]).collect()
}

fn harvest_selection(change: impl FnOnce(&mut DiscoverPolicy), keeps: impl Fn(&Quad) -> bool) {
    let mut policy = policy(100);
    change(&mut policy);
    let harvested = harvest(&mut Server::new(classified(), Quirks::default()), &policy);
    let expected: Vec<Quad> = classified().into_iter().filter(keeps).collect();
    assert_eq!((harvested.dataset(), &*harvested.faults), (super::canonical(&expected), &[][..]));
}

#[test]
fn one_graph_or_class_can_be_harvested() {
    let is_typed = |quad: &Quad| {
        let subject = quad.subject.to_string();
        (subject.ends_with("person/3>") && quad.graph_name == graph("a"))
            || (subject.ends_with("person/4>") && quad.graph_name == graph("b"))
    };
    let name = |name: &str| Some(node(name).into_string());
    harvest_selection(|policy| policy.endpoint_graph = name("a"), |quad| quad.graph_name == graph("a"));
    harvest_selection(|policy| policy.endpoint_class = name("Person"), is_typed);
    harvest_selection(
        |policy| (policy.endpoint_graph, policy.endpoint_class) = (name("b"), name("Person")),
        |quad| is_typed(quad) && quad.graph_name == graph("b"),
    );
    harvest_selection(|policy| policy.endpoint_class = name("Nothing"), |_| false);
}

#[test]
fn harvested_iris_are_links_only_if_requested() {
    for follow_harvested in [false, true] {
        let policy = DiscoverPolicy { follow_harvested, ..policy(100) };
        let harvested = harvest(&mut Server::new(classified(), Quirks::default()), &policy);
        assert!(!harvested.rules.is_empty());
        for rules in harvested.rules {
            assert_eq!((rules.has_links, rules.keeps_graph_names), (follow_harvested, true));
        }
    }
}
