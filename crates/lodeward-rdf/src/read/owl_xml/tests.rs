//! Tests of the mapping of OWL/XML to RDF.

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName};
use oxttl::TurtleParser;

use crate::sink::RdfFaultKind;
use crate::{QuadSink, RdfFault, RdfFormat, RdfInput, RdfReader};

#[derive(Default)]
struct Collector(Dataset, Vec<RdfFault>);

impl QuadSink for Collector {
    fn quad(&mut self, quad: oxrdf::QuadRef<'_>) {
        self.0.insert(quad);
    }

    fn fault(&mut self, fault: RdfFault) {
        self.1.push(fault);
    }
}

const PREFIXES: &str = "@prefix : <http://a.example/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . \
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . ";

fn read(axioms: &str) -> Collector {
    let document = format!(
        "<?xml version='1.0'?><!DOCTYPE Ontology [ <!ENTITY o 'http://a.example/o#'> ]>\
         <Ontology xmlns='http://www.w3.org/2002/07/owl#' xml:base='http://a.example/o' \
         ontologyIRI='http://a.example/o' versionIRI='http://a.example/o/1'>\
         <Prefix name='' IRI='http://a.example/o#'/>{axioms}</Ontology>"
    );
    let mut collector = Collector::default();
    RdfReader::new(RdfFormat::OwlXml).read(RdfInput::Slice(document.as_bytes()), &mut collector).unwrap();
    collector
}

fn check(axioms: &str, turtle: &str) {
    let Collector(mut found, faults) = read(axioms);
    assert_eq!(faults, [], "{axioms}");
    let header = "<http://a.example/o> a owl:Ontology ; owl:versionIRI <http://a.example/o/1> . ";
    let text = format!("{PREFIXES}{header}{turtle}");
    let triples = TurtleParser::new().for_slice(&text).map(|triple| triple.expect("valid Turtle"));
    let mut expected: Dataset = triples.map(|triple| triple.in_graph(GraphName::DefaultGraph)).collect();
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    found.canonicalize(CanonicalizationAlgorithm::Unstable);
    assert_eq!(found, expected, "{axioms}\nfound\n{found}\nexpected\n{expected}");
}

#[test]
fn names_are_full_relative_abbreviated_or_have_entities() {
    for name in ["IRI='http://a.example/o#A'", "IRI='#A'", "abbreviatedIRI=':A'", "IRI='&o;A'"] {
        check(&format!("<Declaration><Class {name}/></Declaration>"), ":A a owl:Class .");
    }
    check("<Import>http://b.example/</Import>", "<http://a.example/o> owl:imports <http://b.example/> .");
}

#[test]
fn class_expressions_are_mapped_as_in_table_1() {
    let check = |expression: &str, turtle: &str| {
        let axiom = format!("<SubClassOf><Class IRI='#A'/>{expression}</SubClassOf>");
        check(&axiom, &format!(":A rdfs:subClassOf {turtle} ."));
    };
    let (p, b, d) = ("<ObjectProperty IRI='#p'/>", "<Class IRI='#B'/>", "<DataProperty IRI='#d'/>");
    let integer = "<Datatype abbreviatedIRI='xsd:integer'/>";

    check(b, ":B");
    check(
        &format!("<ObjectIntersectionOf>{b}<ObjectComplementOf>{b}</ObjectComplementOf></ObjectIntersectionOf>"),
        "[ a owl:Class ; owl:intersectionOf ( :B [ a owl:Class ; owl:complementOf :B ] ) ]",
    );
    check("<ObjectOneOf><NamedIndividual IRI='#i'/></ObjectOneOf>", "[ a owl:Class ; owl:oneOf ( :i ) ]");
    check(
        &format!("<ObjectSomeValuesFrom><ObjectInverseOf>{p}</ObjectInverseOf>{b}</ObjectSomeValuesFrom>"),
        "[ a owl:Restriction ; owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :B ]",
    );
    check(
        &format!("<ObjectHasSelf>{p}</ObjectHasSelf>"),
        "[ a owl:Restriction ; owl:onProperty :p ; owl:hasSelf true ]",
    );
    check(
        &format!("<ObjectMinCardinality cardinality='2'>{p}</ObjectMinCardinality>"),
        "[ a owl:Restriction ; owl:onProperty :p ; owl:minCardinality '2'^^xsd:nonNegativeInteger ]",
    );
    check(
        &format!("<DataExactCardinality cardinality='1'>{d}{integer}</DataExactCardinality>"),
        "[ a owl:Restriction ; owl:onProperty :d ; owl:qualifiedCardinality '1'^^xsd:nonNegativeInteger ; \
         owl:onDataRange xsd:integer ]",
    );
    check(
        &format!("<DataAllValuesFrom>{d}{d}{integer}</DataAllValuesFrom>"),
        "[ a owl:Restriction ; owl:onProperties ( :d :d ) ; owl:allValuesFrom xsd:integer ]",
    );
    check(
        &format!(
            "<DataSomeValuesFrom>{d}<DatatypeRestriction>{integer}\
             <FacetRestriction facet='http://www.w3.org/2001/XMLSchema#minInclusive'>\
             <Literal datatypeIRI='http://www.w3.org/2001/XMLSchema#integer'>5</Literal></FacetRestriction>\
             </DatatypeRestriction></DataSomeValuesFrom>"
        ),
        "[ a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom [ a rdfs:Datatype ; \
         owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 5 ] ) ] ]",
    );
}

#[test]
#[expect(clippy::many_single_char_names, reason = "the names of the classes, properties and individuals")]
fn axioms_are_mapped_as_in_table_1() {
    let class = |name: &str| format!("<Class IRI='#{name}'/>");
    let property = |name: &str| format!("<ObjectProperty IRI='#{name}'/>");
    let individual = |name: &str| format!("<NamedIndividual IRI='#{name}'/>");
    let (a, b, c, p, q) = (class("A"), class("B"), class("C"), property("p"), property("q"));
    let (i, j) = (individual("i"), individual("j"));

    check(
        &format!("<EquivalentClasses>{a}{b}{c}</EquivalentClasses>"),
        ":A owl:equivalentClass :B . :B owl:equivalentClass :C .",
    );
    check(&format!("<DisjointClasses>{a}{b}</DisjointClasses>"), ":A owl:disjointWith :B .");
    check(
        &format!("<DisjointClasses>{a}{b}{c}</DisjointClasses>"),
        "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .",
    );
    check(&format!("<DisjointUnion>{a}{b}{c}</DisjointUnion>"), ":A owl:disjointUnionOf ( :B :C ) .");
    check(
        &format!(
            "<SubObjectPropertyOf><ObjectPropertyChain>{p}{q}</ObjectPropertyChain>{p}</SubObjectPropertyOf>\
             <TransitiveObjectProperty>{q}</TransitiveObjectProperty>"
        ),
        ":p owl:propertyChainAxiom ( :p :q ) . :q a owl:TransitiveProperty .",
    );
    check(&format!("<HasKey>{a}{p}<DataProperty IRI='#d'/></HasKey>"), ":A owl:hasKey ( :p :d ) .");
    check(&format!("<ClassAssertion>{a}{i}</ClassAssertion>"), ":i a :A .");
    check(
        &format!("<ObjectPropertyAssertion><ObjectInverseOf>{p}</ObjectInverseOf>{i}{j}</ObjectPropertyAssertion>"),
        ":j :p :i .",
    );
    check(
        &format!("<NegativeObjectPropertyAssertion>{p}{i}{j}</NegativeObjectPropertyAssertion>"),
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:assertionProperty :p ; \
         owl:targetIndividual :j .",
    );
    check(
        "<AnnotationAssertion><AnnotationProperty abbreviatedIRI='rdfs:label'/><IRI>#A</IRI>\
         <Literal xml:lang='en'>a &amp; b</Literal></AnnotationAssertion>",
        ":A rdfs:label 'a & b'@en .",
    );
    check(
        &format!(
            "<ClassAssertion>{a}<AnonymousIndividual nodeID='_:x'/></ClassAssertion>\
             <ClassAssertion>{b}<AnonymousIndividual nodeID='_:x'/></ClassAssertion>"
        ),
        "[] a :A , :B .",
    );
}

#[test]
fn annotations_of_axioms_and_of_annotations_are_reified() {
    check(
        "<SubClassOf><Annotation><Annotation><AnnotationProperty IRI='#q'/><Literal>w</Literal></Annotation>\
         <AnnotationProperty IRI='#p'/><Literal>v</Literal></Annotation><Class IRI='#A'/><Class IRI='#B'/></SubClassOf>",
        ":A rdfs:subClassOf :B . _:x a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; \
         owl:annotatedTarget :B ; :p 'v' . [] a owl:Annotation ; owl:annotatedSource _:x ; owl:annotatedProperty :p ; \
         owl:annotatedTarget 'v' ; :q 'w' .",
    );
}

#[test]
fn axiom_with_an_error_is_a_fault_and_the_rest_is_read() {
    let Collector(found, faults) = read(
        "<SubClassOf><Class IRI='#A'/></SubClassOf><DLSafeRule/>\
         <Declaration><Class abbreviatedIRI='no:A'/></Declaration><Declaration><Class IRI='#B'/></Declaration>",
    );
    let details: Vec<&str> = faults.iter().map(|fault| fault.detail.as_str()).collect();

    assert_eq!(
        details,
        [
            "SubClassOf: 1 parts instead of 2",
            "DLSafeRule: SWRL rules are not read",
            "Declaration: prefix `no:` is not declared"
        ]
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn deep_and_truncated_ontologies_end_with_a_fault() {
    let deep = "<ObjectComplementOf>".repeat(100_000);
    let Collector(_, faults) = read(&format!("<SubClassOf><Class IRI='#A'/>{deep}"));
    assert!(faults.iter().any(|fault| fault.kind == RdfFaultKind::Limit), "{faults:?}");

    let Collector(_, faults) = read("<SubClassOf><Class IRI='#A'/>");
    assert!(!faults.is_empty());
}
