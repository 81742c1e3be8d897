//! Parsing the manifests of the W3C suites.

use std::collections::HashMap;
use std::str::FromStr;

use oxrdf::vocab::rdf;
use oxrdf::{Graph, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Quad, TermRef, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::TurtleParser;

/// The base IRI of the files.
const BASE: &str = "https://w3c.example/sparql/";

/// All files of the suites.
pub(super) struct Suite(HashMap<String, Vec<u8>>);

/// One test of a manifest.
pub(super) struct Test {
    /// `directory/name`.
    pub(super) name: String,
    /// The last part of its type: `QueryEvaluationTest`.
    pub(super) kind: String,
    /// The file of the query or the update.
    pub(super) request: String,
    /// The files of the default graph.
    pub(super) data: Vec<String>,
    /// Names and files of named graphs.
    pub(super) graphs: Vec<(String, String)>,
    /// Endpoints and their files.
    pub(super) services: Vec<(String, Vec<String>)>,
    /// The file of the result.
    pub(super) result: Option<String>,
    /// The default graph and the named graphs after an update.
    pub(super) after: (Vec<String>, Vec<(String, String)>),
    /// Whether repetitions of rows are ignored.
    pub(super) lax: bool,
}

impl Suite {
    pub(super) fn open() -> Option<Self> {
        toyweb::test_data::suite("w3c-sparql-tests").map(Self)
    }

    pub(super) fn bytes(&self, iri: &str) -> &[u8] {
        let path = iri.strip_prefix(BASE).unwrap_or(iri);
        self.0.get(path).unwrap_or_else(|| panic!("{path} is not in the suite"))
    }

    pub(super) fn has(&self, iri: &str) -> bool {
        iri.strip_prefix(BASE).is_some_and(|path| self.0.contains_key(path))
    }

    pub(super) fn text(&self, iri: &str) -> String {
        String::from_utf8(self.bytes(iri).to_vec()).expect("a text")
    }

    /// The triples of a file in Turtle or RDF/XML.
    pub(super) fn triples(&self, iri: &str) -> Vec<Triple> {
        let bytes = self.bytes(iri);
        if has_extension(iri, "rdf") {
            let parser = RdfXmlParser::new().with_base_iri(iri).expect("a base");
            return parser.for_slice(bytes).collect::<Result<_, _>>().unwrap_or_else(|e| panic!("{iri}: {e}"));
        }
        let parser = TurtleParser::new().with_base_iri(iri).expect("a base");
        parser.for_slice(bytes).collect::<Result<_, _>>().unwrap_or_else(|e| panic!("{iri}: {e}"))
    }

    /// The quads of a dataset. Blank nodes of different files are distinct.
    pub(super) fn quads(&self, data: &[String], graphs: &[(String, String)]) -> Vec<Quad> {
        let mut quads = Vec::new();
        for file in data {
            quads.extend(
                self.triples(file)
                    .into_iter()
                    .map(|triple| relabel(triple, file).in_graph(oxrdf::GraphName::DefaultGraph)),
            );
        }
        for (name, file) in graphs {
            let name = NamedNode::new(name).expect("a name");
            quads.extend(self.triples(file).into_iter().map(|triple| relabel(triple, file).in_graph(name.clone())));
        }
        quads
    }

    /// The tests of the manifest in a directory, including nested manifests.
    pub(super) fn tests(&self, directory: &str) -> Vec<Test> {
        self.manifest(&format!("{BASE}{directory}/manifest.ttl"))
    }

    fn manifest(&self, iri: &str) -> Vec<Test> {
        let graph = Graph::from_iter(self.triples(iri));
        let me = NamedNode::new(iri).expect("a manifest");
        let mut tests = Vec::new();
        for included in list(&graph, object(&graph, me.as_ref().into(), "mf#include")) {
            let TermRef::NamedNode(included) = included else { panic!("an included manifest is not an IRI") };
            tests.extend(self.manifest(included.as_str()));
        }
        let directory =
            iri.trim_start_matches(BASE).trim_end_matches("/manifest.ttl").rsplit('/').next().unwrap_or_default();
        for entry in list(&graph, object(&graph, me.as_ref().into(), "mf#entries")) {
            tests.extend(read_test(&graph, directory, entry));
        }
        tests
    }
}

fn has_extension(iri: &str, extension: &str) -> bool {
    iri.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

fn relabel(triple: Triple, file: &str) -> Triple {
    let salt = file.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let node =
        |node: oxrdf::BlankNode| oxrdf::BlankNode::from_str(&format!("_:f{salt}{}", node.as_str())).expect("a label");
    let subject = match triple.subject {
        oxrdf::NamedOrBlankNode::BlankNode(b) => node(b).into(),
        named @ oxrdf::NamedOrBlankNode::NamedNode(_) => named,
    };
    let object = match triple.object {
        oxrdf::Term::BlankNode(b) => node(b).into(),
        other => other,
    };
    Triple::new(subject, triple.predicate, object)
}

fn read_test(graph: &Graph, directory: &str, entry: TermRef<'_>) -> Option<Test> {
    let subject = node(entry)?;
    let kind = graph.object_for_subject_predicate(subject, rdf::TYPE)?;
    let action = object(graph, subject, "mf#action")?;
    let result = object(graph, subject, "mf#result");
    let local = |term: TermRef<'_>| text(term).rsplit(['#', '/']).next().unwrap_or_default().to_owned();
    let mut test = Test {
        name: format!("{directory}/{}", local(entry)),
        kind: local(kind),
        request: text(action),
        data: Vec::new(),
        graphs: Vec::new(),
        services: Vec::new(),
        result: result.filter(|result| matches!(result, TermRef::NamedNode(_))).map(text),
        after: result
            .and_then(node)
            .map(|node| (objects(graph, node, "ut#data"), named(graph, node)))
            .unwrap_or_default(),
        lax: object(graph, subject, "mf#resultCardinality").is_some(),
    };
    if let TermRef::BlankNode(action) = action {
        let action = action.into();
        test.request = object(graph, action, "qt#query").or_else(|| object(graph, action, "ut#request")).map(text)?;
        test.data = [objects(graph, action, "qt#data"), objects(graph, action, "ut#data")].concat();
        test.graphs = named(graph, action);
        for service in graph.objects_for_subject_predicate(action, name("qt#serviceData").as_ref()).filter_map(node) {
            let endpoint = object(graph, service, "qt#endpoint").map(text)?;
            test.services.push((endpoint, objects(graph, service, "qt#data")));
        }
    }
    Some(test)
}

/// The named graphs. In a query test, the name of a graph is its file; in an update test, it is a
/// label.
fn named(graph: &Graph, of: NamedOrBlankNodeRef<'_>) -> Vec<(String, String)> {
    let mut found: Vec<_> = objects(graph, of, "qt#graphData").into_iter().map(|file| (file.clone(), file)).collect();
    for data in graph.objects_for_subject_predicate(of, name("ut#graphData").as_ref()).filter_map(node) {
        let label = graph.object_for_subject_predicate(data, oxrdf::vocab::rdfs::LABEL).expect("a label");
        let TermRef::Literal(label) = label else { panic!("a label is not a literal") };
        let file = object(graph, data, "ut#graph").or_else(|| object(graph, data, "ut#data")).map(text);
        found.push((label.value().to_owned(), file.expect("a graph")));
    }
    found
}

fn name(short: &str) -> NamedNode {
    let (space, local) = short.split_once('#').expect("a short name");
    let space = match space {
        "mf" => "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#",
        "qt" => "http://www.w3.org/2001/sw/DataAccess/tests/test-query#",
        _ => "http://www.w3.org/2009/sparql/tests/test-update#",
    };
    NamedNode::new(format!("{space}{local}")).expect("a name")
}

fn object<'g>(graph: &'g Graph, subject: NamedOrBlankNodeRef<'_>, predicate: &str) -> Option<TermRef<'g>> {
    graph.object_for_subject_predicate(subject, name(predicate).as_ref())
}

fn objects(graph: &Graph, subject: NamedOrBlankNodeRef<'_>, predicate: &str) -> Vec<String> {
    graph
        .objects_for_subject_predicate(subject, name(predicate).as_ref())
        .filter(TermRef::is_named_node)
        .map(text)
        .collect()
}

fn node(term: TermRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match term {
        TermRef::NamedNode(node) => Some(node.into()),
        TermRef::BlankNode(node) => Some(node.into()),
        TermRef::Literal(_) => None,
    }
}

fn text(term: TermRef<'_>) -> String {
    match term {
        TermRef::NamedNode(node) => node.as_str().to_owned(),
        TermRef::Literal(literal) => literal.value().to_owned(),
        TermRef::BlankNode(_) => String::new(),
    }
}

fn list<'g>(graph: &'g Graph, mut head: Option<TermRef<'g>>) -> Vec<TermRef<'g>> {
    let mut items = Vec::new();
    let step = |at: TermRef<'g>, predicate: NamedNodeRef<'_>| graph.object_for_subject_predicate(node(at)?, predicate);
    while let Some(at) = head {
        items.extend(step(at, rdf::FIRST));
        head = step(at, rdf::REST);
    }
    items
}
