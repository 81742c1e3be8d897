//! Property tests: any data is harvested completely from any server.

use std::collections::{BTreeSet, HashSet};

use oxigraph::model::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use oxigraph::sparql::results::QueryResultsFormat;
use proptest::prelude::*;

use super::server::{Quirks, Server};
use super::{harvest, policy};

/// Few names, so that terms collide often.
fn node(number: u8) -> NamedNode {
    let name: String = "ab\u{e9}cd".chars().cycle().take(1 + usize::from(number)).collect();
    NamedNode::new(format!("http://a.org/{name}")).unwrap()
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        6 => (0_u8..12).prop_map(|number| node(number).into()),
        2 => (0_u8..5).prop_map(|number| BlankNode::new(format!("b{number}")).unwrap().into()),
        4 => ("[a-c\"\\\\\n]{0,3}", "[a-c]").prop_map(|(value, language)| {
            Literal::new_language_tagged_literal(value, format!("x-{language}")).unwrap().into()
        }),
        4 => "[a-c\"\\\\\n]{0,3}".prop_map(|value| Literal::new_simple_literal(value).into()),
        2 => (0_u8..3).prop_map(|value| Literal::from(u16::from(value)).into()),
        1 => (0_u8..3).prop_map(|value| Literal::new_simple_literal(format!("{}{value}", "z".repeat(300))).into()),
    ]
}

fn subject() -> impl Strategy<Value = NamedOrBlankNode> {
    prop_oneof![
        5 => (0_u8..12).prop_map(|number| node(number).into()),
        1 => (0_u8..5).prop_map(|number| BlankNode::new(format!("b{number}")).unwrap().into()),
    ]
}

fn graph() -> impl Strategy<Value = GraphName> {
    prop_oneof![
        2 => Just(GraphName::DefaultGraph),
        3 => (0_u8..3).prop_map(|number| node(number).into()),
        1 => (0_u8..40).prop_map(|number| NamedNode::new(format!("http://g.org/{number}")).unwrap().into()),
    ]
}

fn quads() -> impl Strategy<Value = Vec<Quad>> {
    let quad = (subject(), prop_oneof![0_u8..3, 0_u8..12], term(), graph());
    let quad = quad.prop_map(|(subject, predicate, object, graph_name)| Quad {
        subject,
        predicate: node(predicate),
        object,
        graph_name,
    });
    prop::collection::vec(quad, 0..120)
}

fn quirks() -> impl Strategy<Value = (u32, Quirks)> {
    let format =
        prop_oneof![Just(QueryResultsFormat::Json), Just(QueryResultsFormat::Xml), Just(QueryResultsFormat::Tsv)];
    let refusals: Vec<&'static str> = vec!["SUM(", "COUNT(", "VALUES", "DISTINCT ?p", "ORDER BY STR(?s)"];
    let rejects = prop::collection::vec((prop::sample::select(refusals), prop_oneof![Just(400), Just(500)]), 0..2);
    // A server returns at least a quarter of the requested rows.
    let rows = (4_u32..40).prop_flat_map(|rows| (Just(rows), rows.div_ceil(4) as usize..60));
    (rows, any::<bool>(), format, rejects, prop::option::of(3_u64..9)).prop_map(
        |((rows, max_rows), is_union, format, rejects, fails_every)| {
            (rows, Quirks { is_union, max_rows, fails_every, rejects, format, ..Quirks::default() })
        },
    )
}

fn quad_in_default(quad: Quad) -> Quad {
    Quad { graph_name: GraphName::DefaultGraph, ..quad }
}

fn has_blank(quad: &Quad) -> bool {
    quad.subject.is_blank_node() || quad.object.is_blank_node()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_data_is_harvested_completely_from_any_server(quads in quads(), (rows, quirks) in quirks()) {
        let is_union = quirks.is_union;
        let mut server = Server::new(quads.clone(), quirks);

        let harvested = harvest(&mut server, &policy(rows));

        let named = |quads: &[Quad]| {
            let named = quads.iter().filter(|quad| !has_blank(quad)).cloned();
            // The default graph contains the statements of the named graphs.
            let merged = named.map(|quad| if is_union { quad_in_default(quad) } else { quad });
            merged.map(|quad| quad.to_string()).collect::<BTreeSet<_>>()
        };
        prop_assert_eq!(named(&quads), named(&harvested.quads), "{:#?}", harvested.queries());
        // Blank node labels are valid within a page only, so these statements are counted.
        let blanks = harvested.quads.iter().filter(|quad| has_blank(quad)).count();
        let expected = quads.iter().filter(|quad| has_blank(quad)).collect::<HashSet<_>>().len();
        prop_assert!(is_union || blanks == expected, "{blanks} {expected} {:#?}", harvested.queries());
        prop_assert!(harvested.faults.is_empty(), "{:?} {:#?}", harvested.faults, harvested.queries());
    }
}
