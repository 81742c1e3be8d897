//! A dataset as public endpoints have them: large and uneven.
//!
//! Named graphs, predicates and classes differ in size by orders of magnitude;
//! literals have languages and datatypes; blank nodes are subjects and objects,
//! some of two statements; one subject has more statements with one predicate
//! than a result may have rows; some statements are in two graphs. It is a
//! function of its parameters, made statement by statement.

use std::io::{self, Write};

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::vocab::{rdf, rdfs, xsd};
use oxigraph::model::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use crate::world::chance::{Chance, Matter};

/// The parameters of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many quads in all.
    pub triples: u32,
    /// In how many named graphs, each half the size of the one before.
    pub graphs: u32,
    /// How many statements with one predicate the hub has; at most a quarter
    /// of its graph.
    pub hub: u32,
    /// The seed of all chance.
    pub seed: u64,
}

const NAMESPACE: &str = "http://endpoint.example/";
const PREDICATES: u32 = 60;
const CLASSES: u32 = 40;
const LANGUAGES: [&str; 5] = ["en", "de", "fa", "pt-br", "zh-hant"];

impl Sample {
    /// The quads, each once, in the order of graphs and things.
    pub fn quads(&self) -> impl Iterator<Item = Quad> + '_ {
        (0..self.graphs).flat_map(move |graph| {
            let size = self.size(graph) as usize;
            self.shared(graph, size).chain((0..u32::MAX).flat_map(move |number| self.thing(graph, number))).take(size)
        })
    }

    /// Writes the quads as N-Quads.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut serializer = RdfSerializer::from_format(RdfFormat::NQuads).for_writer(out);
        self.quads().try_for_each(|quad| serializer.serialize_quad(&quad))?;
        serializer.finish().map(drop)
    }

    /// The IRI of a graph.
    #[must_use]
    pub fn graph(&self, graph: u32) -> String {
        format!("{NAMESPACE}graph/{graph}")
    }

    /// How many quads a graph has: half of what is left, the last one all.
    fn size(&self, graph: u32) -> u32 {
        let before = |graph: u32| self.triples - (self.triples >> graph.min(31));
        if graph + 1 == self.graphs { self.triples - before(graph) } else { before(graph + 1) - before(graph) }
    }

    /// The hub's statements, of which the second graph repeats a few.
    fn shared(&self, graph: u32, size: usize) -> impl Iterator<Item = Quad> + '_ {
        let members = match graph {
            0 => (self.hub as usize).min(size / 4),
            1 => (self.hub as usize).min(size / 100),
            _ => 0,
        };
        let members = u32::try_from(members).expect("at most the number of triples");
        let name = graph_name(graph);
        (0..members).map(move |member| {
            let hub = named(&format!("{NAMESPACE}id/hub"));
            Quad::new(hub, named(&format!("{NAMESPACE}ns#member")), thing(0, member), name.clone())
        })
    }

    /// What is said about one thing, and about its address if it has one.
    fn thing(&self, graph: u32, number: u32) -> Vec<Quad> {
        let chance = &mut Chance::of(self.seed, Matter::Graph, graph, number);
        let subject = NamedOrBlankNode::from(thing(graph, number));
        let name = graph_name(graph);
        let mut quads = Vec::with_capacity(12);
        let mut say = |subject: &NamedOrBlankNode, predicate: NamedNode, object: Term| {
            quads.push(Quad::new(subject.clone(), predicate, object, name.clone()));
        };
        say(&subject, rdf::TYPE.into_owned(), named(&format!("{NAMESPACE}ns#Class{}", uneven(CLASSES, chance))).into());
        let label = Literal::new_language_tagged_literal_unchecked(format!("thing {number}"), chance.pick(&LANGUAGES));
        say(&subject, rdfs::LABEL.into_owned(), label.into());
        for predicate in 0..PREDICATES {
            // The first is everywhere, the last on one thing in sixty.
            if chance.happens(1.0 / f64::from(predicate + 1)) {
                say(&subject, property(predicate), object(graph, number, predicate, chance));
            }
        }
        if number.is_multiple_of(5_000) {
            say(&subject, property(1_000 + number / 5_000 % 200), Literal::from(i64::from(number)).into());
        }
        if number.is_multiple_of(8) {
            let address = BlankNode::new_unchecked(format!("g{graph}a{}", number / 16));
            say(&subject, named(&format!("{NAMESPACE}ns#address")), address.clone().into());
            // Two things share an address; the first of them tells it.
            if number.is_multiple_of(16) {
                let address = NamedOrBlankNode::from(address);
                let street = Literal::new_simple_literal(format!("{number} Long Street"));
                say(&address, named(&format!("{NAMESPACE}ns#street")), street.into());
                let country = BlankNode::new_unchecked(format!("g{graph}c{}", number / 16 % 200));
                say(&address, named(&format!("{NAMESPACE}ns#country")), country.into());
            }
        }
        quads
    }
}

/// A number below `bound`: 0 half of the time, 1 a quarter of it, and so on.
fn uneven(bound: u32, chance: &mut Chance) -> u32 {
    chance.bits().leading_zeros().min(bound - 1)
}

fn object(graph: u32, number: u32, predicate: u32, chance: &mut Chance) -> Term {
    let typed = |text: String, datatype| Literal::new_typed_literal(text, datatype).into();
    match predicate % 10 {
        0 | 1 => thing(graph, chance.below(number.max(10))).into(),
        2 => Literal::from(i64::from(chance.below(100_000)) - 50_000).into(),
        // Numbers as Oxigraph writes them, which does not keep how they were written.
        3 => typed(format!("{}.{}", chance.below(1_000), chance.between(1, 9)), xsd::DECIMAL),
        4 => {
            let (year, month, day) = (chance.between(1900, 2025), chance.between(1, 12), chance.between(1, 28));
            typed(format!("{year}-{month:02}-{day:02}"), xsd::DATE)
        }
        5 => typed(if chance.happens(0.5) { "true" } else { "false" }.to_owned(), xsd::BOOLEAN),
        6 => {
            let text = format!("description of {number} \u{2014} “quoted”, \\ and\nanother line");
            Literal::new_language_tagged_literal_unchecked(text, chance.pick(&LANGUAGES)).into()
        }
        7 => typed(format!("{}.5", chance.below(1_000)), xsd::DOUBLE),
        8 => typed(format!("POINT({} {})", chance.below(180), chance.below(90)), named_wkt().as_ref()),
        _ => Literal::new_simple_literal(format!("note {} of {number}", chance.below(1_000_000))).into(),
    }
}

fn named_wkt() -> NamedNode {
    named("http://www.opengis.net/ont/geosparql#wktLiteral")
}

fn named(iri: &str) -> NamedNode {
    NamedNode::new_unchecked(iri)
}

fn thing(graph: u32, number: u32) -> NamedNode {
    named(&format!("{NAMESPACE}id/{graph}/{number}"))
}

fn property(number: u32) -> NamedNode {
    named(&format!("{NAMESPACE}ns#p{number}"))
}

fn graph_name(graph: u32) -> GraphName {
    named(&format!("{NAMESPACE}graph/{graph}")).into()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn sample() -> Sample {
        Sample { triples: 20_000, graphs: 3, hub: 1_000, seed: 1 }
    }

    #[test]
    fn there_are_exactly_as_many_quads_as_asked_for_and_none_twice() {
        for (triples, graphs) in [(20_000, 3), (1, 1), (7, 2), (1_000, 5)] {
            let sample = Sample { triples, graphs, ..sample() };
            let quads: HashSet<Quad> = sample.quads().collect();

            assert_eq!(quads.len(), triples as usize, "{graphs}");
        }
    }

    #[test]
    fn sizes_differ_by_orders_of_magnitude() {
        let mut predicates: HashMap<NamedNode, usize> = HashMap::new();
        let mut graphs: HashMap<GraphName, usize> = HashMap::new();
        let (mut blank_subjects, mut blank_objects) = (0, 0);
        for quad in sample().quads() {
            blank_subjects += usize::from(quad.subject.is_blank_node());
            blank_objects += usize::from(quad.object.is_blank_node());
            *predicates.entry(quad.predicate).or_default() += 1;
            *graphs.entry(quad.graph_name).or_default() += 1;
        }

        assert_eq!(graphs[&graph_name(0)], 10_000);
        assert_eq!(graphs[&graph_name(2)], 5_000);
        assert_eq!(predicates[&named("http://endpoint.example/ns#member")], 1_000 + 50);
        assert!(predicates.len() > 50 && predicates[&property(0)] > 20 * predicates[&property(59)]);
        assert!(blank_subjects > 100 && blank_objects > 200);
    }
}
