//! The test suite of the Note “Microdata to RDF”.

use std::collections::HashMap;

use lodeward_markup::microdata::{MicrodataOptions, VocabularyRegistry, read};
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageSink};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, Graph, GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef, vocab::rdf};
use oxttl::TurtleParser;

const BASE: &str = "http://w3c.github.io/microdata-rdf/tests/";
const MANIFEST: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const RDFT: &str = "http://www.w3.org/ns/rdftest#";

#[derive(Default)]
struct DatasetSink {
    quads: Dataset,
    faults: Vec<MarkupFault>,
}

impl PageSink for DatasetSink {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.quads.insert(quad);
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

#[test]
fn the_microdata_suite_passes() {
    let Some(files) = toyweb::test_data::suite("microdata-rdf-tests") else { return };
    let manifest = turtle(&files["tests/manifest.ttl"], &format!("{BASE}manifest.ttl"));
    let registry = VocabularyRegistry::from_json(text(&files["tests/test-registry.json"])).unwrap();
    let test_options = MicrodataOptions { registry, ..MicrodataOptions::default() };
    let (mut passed, mut failed) = (0, Vec::new());

    for test in manifest.subjects_for_predicate_object(rdf::TYPE, term(&format!("{MANIFEST}ManifestEntry"))) {
        // Tests of the default registry declare it; the others use the registry of the suite.
        let has_registry = object(&manifest, test, &format!("{RDFT}registry")).is_some();
        let options = if has_registry { &MicrodataOptions::default() } else { &test_options };
        match run(&manifest, &files, test, options) {
            Ok(()) => passed += 1,
            Err(problem) => {
                eprintln!("{test}: {problem}");
                failed.push(test.to_string().trim_end_matches('>').rsplit('#').next().unwrap().to_owned());
            }
        }
    }

    toyweb::test_data::assert_expected_failures(include_str!("expected_failures.txt"), "microdata-rdf", passed, failed);
}

fn run(
    manifest: &Graph,
    files: &HashMap<String, Vec<u8>>,
    test: NamedOrBlankNodeRef<'_>,
    options: &MicrodataOptions,
) -> Result<(), String> {
    let file = |iri: &str| &files[&iri.replace(BASE, "tests/")];
    let action = object(manifest, test, &format!("{MANIFEST}action")).ok_or("no action")?;
    let mut sink = DatasetSink::default();
    read(text(file(&action)), &action, options, &mut sink);

    let Some(result) = object(manifest, test, &format!("{MANIFEST}result")) else {
        // A negative test.
        return if sink.faults.is_empty() { Err("no fault".to_owned()) } else { Ok(()) };
    };
    let expected = turtle(file(&result), &action);
    let mut expected: Dataset = expected.iter().map(|it| it.in_graph(GraphNameRef::DefaultGraph)).collect();
    sink.quads.canonicalize(CanonicalizationAlgorithm::Unstable);
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    if sink.quads == expected {
        Ok(())
    } else {
        Err(format!("expected\n{expected}\nfound\n{}\nwith {:?}", sink.quads, sink.faults))
    }
}

fn term(iri: &str) -> NamedNodeRef<'_> {
    NamedNodeRef::new_unchecked(iri)
}

fn object(graph: &Graph, subject: NamedOrBlankNodeRef<'_>, predicate: &str) -> Option<String> {
    match graph.object_for_subject_predicate(subject, term(predicate))? {
        TermRef::NamedNode(node) => Some(node.as_str().to_owned()),
        _ => None,
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the suite is in UTF-8")
}

fn turtle(bytes: &[u8], base: &str) -> Graph {
    let parser = TurtleParser::new().with_base_iri(base).expect("an IRI");
    parser.for_slice(bytes).map(|triple| triple.expect("valid Turtle")).collect()
}
