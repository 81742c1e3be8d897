//! A dataset like those of public endpoints: large and skewed.
//!
//! Named graphs, predicates and classes differ in size by orders of magnitude. Literals have languages and datatypes.
//! Blank nodes are subjects and objects; some are objects of two statements. One subject has more statements with one
//! predicate than a result may have rows. Some statements are in two graphs. The dataset is a function of its
//! parameters, generated statement by statement.

use std::io::{self, Write};

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::vocab::{rdf, rdfs, xsd};
use oxigraph::model::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use crate::world::chance_stream::{ChanceStream, ChanceTopic};

/// The parameters of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleDataset {
    /// The number of quads.
    pub triples: u32,
    /// The number of named graphs, each half the size of the previous one.
    pub graphs: u32,
    /// The number of statements of the largest subject, the hub, with one predicate; at most a quarter of its graph.
    pub hub: u32,
    /// Seed of the random numbers.
    pub seed: u64,
}

const NAMESPACE: &str = "http://endpoint.example/";
const PREDICATES: u32 = 60;
const CLASSES: u32 = 40;
const LANGUAGES: [&str; 5] = ["en", "de", "fa", "pt-br", "zh-hant"];

impl SampleDataset {
    /// The quads, each once, ordered by graph and thing.
    pub fn quads(&self) -> impl Iterator<Item = Quad> + '_ {
        (0..self.graphs).flat_map(move |graph| {
            let size = self.graph_size(graph) as usize;
            self.hub_quads(graph, size)
                .chain((0..u32::MAX).flat_map(move |number| self.thing_quads(graph, number)))
                .take(size)
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
    pub fn graph_iri(&self, graph: u32) -> String {
        format!("{NAMESPACE}graph/{graph}")
    }

    /// The number of quads of a graph: half of the remaining ones; all of them for the last graph.
    fn graph_size(&self, graph: u32) -> u32 {
        let before = |graph: u32| self.triples - (self.triples >> graph.min(31));
        if graph + 1 == self.graphs { self.triples - before(graph) } else { before(graph + 1) - before(graph) }
    }

    /// The statements of the hub. The second graph repeats a few.
    fn hub_quads(&self, graph: u32, size: usize) -> impl Iterator<Item = Quad> + '_ {
        let members = match graph {
            0 => (self.hub as usize).min(size / 4),
            1 => (self.hub as usize).min(size / 100),
            _ => 0,
        };
        let members = u32::try_from(members).expect("`members` is at most `hub`, a u32");
        let name = graph_name(graph);
        (0..members).map(move |member| {
            let hub = named_node(&format!("{NAMESPACE}id/hub"));
            Quad::new(hub, named_node(&format!("{NAMESPACE}ns#member")), thing_iri(0, member), name.clone())
        })
    }

    /// The statements about one thing, and about its address if it has one.
    fn thing_quads(&self, graph: u32, number: u32) -> Vec<Quad> {
        let chance = &mut ChanceStream::new(self.seed, ChanceTopic::Graph, graph, number);
        let subject = NamedOrBlankNode::from(thing_iri(graph, number));
        let name = graph_name(graph);
        let mut quads = Vec::with_capacity(12);
        let mut add = |subject: &NamedOrBlankNode, predicate: NamedNode, object: Term| {
            quads.push(Quad::new(subject.clone(), predicate, object, name.clone()));
        };
        add(
            &subject,
            rdf::TYPE.into_owned(),
            named_node(&format!("{NAMESPACE}ns#Class{}", geometric(CLASSES, chance))).into(),
        );
        let label = Literal::new_language_tagged_literal_unchecked(format!("thing {number}"), chance.pick(&LANGUAGES));
        add(&subject, rdfs::LABEL.into_owned(), label.into());
        for predicate in 0..PREDICATES {
            // Every thing has the first predicate; one in sixty has the last.
            if chance.bernoulli(1.0 / f64::from(predicate + 1)) {
                add(&subject, property_iri(predicate), object(graph, number, predicate, chance));
            }
        }
        if number.is_multiple_of(5_000) {
            add(&subject, property_iri(1_000 + number / 5_000 % 200), Literal::from(i64::from(number)).into());
        }
        if number.is_multiple_of(8) {
            let address = BlankNode::new_unchecked(format!("g{graph}a{}", number / 16));
            add(&subject, named_node(&format!("{NAMESPACE}ns#address")), address.clone().into());
            // Two things share an address, whose statements are added with the first thing.
            if number.is_multiple_of(16) {
                let address = NamedOrBlankNode::from(address);
                let street = Literal::new_simple_literal(format!("{number} Long Street"));
                add(&address, named_node(&format!("{NAMESPACE}ns#street")), street.into());
                let country = BlankNode::new_unchecked(format!("g{graph}c{}", number / 16 % 200));
                add(&address, named_node(&format!("{NAMESPACE}ns#country")), country.into());
            }
        }
        quads
    }
}

/// A number below `bound`: 0 with probability 1/2, 1 with 1/4, and so on.
fn geometric(bound: u32, chance: &mut ChanceStream) -> u32 {
    chance.next_u64().leading_zeros().min(bound - 1)
}

fn object(graph: u32, number: u32, predicate: u32, chance: &mut ChanceStream) -> Term {
    let typed = |text: String, datatype| Literal::new_typed_literal(text, datatype).into();
    match predicate % 10 {
        0 | 1 => thing_iri(graph, chance.below(number.max(10))).into(),
        2 => Literal::from(i64::from(chance.below(100_000)) - 50_000).into(),
        // Numbers in Oxigraph's canonical form, because Oxigraph does not preserve the lexical form.
        3 => typed(format!("{}.{}", chance.below(1_000), chance.between(1, 9)), xsd::DECIMAL),
        4 => {
            let (year, month, day) = (chance.between(1900, 2025), chance.between(1, 12), chance.between(1, 28));
            typed(format!("{year}-{month:02}-{day:02}"), xsd::DATE)
        }
        5 => typed(if chance.bernoulli(0.5) { "true" } else { "false" }.to_owned(), xsd::BOOLEAN),
        6 => {
            let text = format!("description of {number} \u{2014} “quoted”, \\ and\nanother line");
            Literal::new_language_tagged_literal_unchecked(text, chance.pick(&LANGUAGES)).into()
        }
        7 => typed(format!("{}.5", chance.below(1_000)), xsd::DOUBLE),
        8 => typed(format!("POINT({} {})", chance.below(180), chance.below(90)), wkt_datatype().as_ref()),
        _ => Literal::new_simple_literal(format!("note {} of {number}", chance.below(1_000_000))).into(),
    }
}

fn wkt_datatype() -> NamedNode {
    named_node("http://www.opengis.net/ont/geosparql#wktLiteral")
}

fn named_node(iri: &str) -> NamedNode {
    NamedNode::new_unchecked(iri)
}

fn thing_iri(graph: u32, number: u32) -> NamedNode {
    named_node(&format!("{NAMESPACE}id/{graph}/{number}"))
}

fn property_iri(number: u32) -> NamedNode {
    named_node(&format!("{NAMESPACE}ns#p{number}"))
}

fn graph_name(graph: u32) -> GraphName {
    named_node(&format!("{NAMESPACE}graph/{graph}")).into()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn sample() -> SampleDataset {
        SampleDataset { triples: 20_000, graphs: 3, hub: 1_000, seed: 1 }
    }

    #[test]
    fn a_dataset_has_the_requested_number_of_distinct_quads() {
        for (triples, graphs) in [(20_000, 3), (1, 1), (7, 2), (1_000, 5)] {
            let sample = SampleDataset { triples, graphs, ..sample() };
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
        assert_eq!(predicates[&named_node("http://endpoint.example/ns#member")], 1_000 + 50);
        assert!(predicates.len() > 50 && predicates[&property_iri(0)] > 20 * predicates[&property_iri(59)]);
        assert!(blank_subjects > 100 && blank_objects > 200);
    }
}
