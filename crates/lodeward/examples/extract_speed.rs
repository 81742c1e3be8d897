//! Measures how many documents one core reads per second, by format.
//!
//! The target of the whole crawler is 2000 documents of 12 KB per CPU-second.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, Link, Uri};
use oxrdf::QuadRef;

#[derive(Default)]
struct CountingSink {
    quads: usize,
    links: usize,
    faults: usize,
}

impl ExtractSink for CountingSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        std::hint::black_box(quad);
        self.quads += 1;
    }

    fn link(&mut self, link: Link) {
        std::hint::black_box(link);
        self.links += 1;
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }
}

fn main() {
    let only = std::env::args().nth(1);
    let pages = std::env::args().nth(2).map(|dir| real_pages(Path::new(&dir))).unwrap_or_default();
    let cases: [(&str, &str, Vec<Bytes>); 7] = [
        ("n-quads", "application/n-quads", vec![lines(" <http://example.org/graph>")]),
        ("n-triples", "application/n-triples", vec![lines("")]),
        ("turtle", "text/turtle", vec![turtle()]),
        ("rdf-xml", "application/rdf+xml", vec![rdf_xml()]),
        ("json-ld", "application/ld+json", vec![json_ld()]),
        ("html", "text/html", vec![html()]),
        ("real-html", "text/html", pages),
    ];
    for (name, content_type, documents) in cases {
        if only.as_deref().is_none_or(|only| only == name || only == "all") && !documents.is_empty() {
            measure(name, content_type, &documents);
        }
    }
}

fn measure(name: &str, content_type: &str, documents: &[Bytes]) {
    let reader = DocumentReader::new(ExtractOptions::default());
    let bytes: usize = documents.iter().map(Bytes::len).sum();
    let rounds = (300 << 20) / bytes / if content_type.contains("json") { 8 } else { 2 };
    let uri = Uri::parse("http://example.org/data/document").unwrap();
    let mut count = CountingSink::default();
    let start = cpu_seconds();
    for _ in 0..rounds {
        for document in documents {
            let representation = Representation::new(
                uri.clone(),
                Some(content_type.to_owned()),
                ResponseBody::Buffered { bytes: document.clone(), truncation: None },
            );
            reader.extract(representation, &mut count);
        }
    }
    let seconds = cpu_seconds() - start;
    let per_second = |amount: usize| (amount * rounds) as f64 / seconds;
    println!(
        "{name:10} {:7} B each {:8.0} documents {:6.0} MB per CPU-second; {} quads, {} links, {} faults each",
        bytes / documents.len(),
        per_second(documents.len()),
        per_second(bytes) / 1e6,
        count.quads / rounds / documents.len(),
        count.links / rounds / documents.len(),
        count.faults / rounds / documents.len(),
    );
}

/// CPU time of this thread, which is independent of other load.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("a number comes first") / 1e9
}

const PEOPLE: usize = 14;

fn lines(graph: &str) -> Bytes {
    let mut text = String::new();
    let mut person = 0;
    while text.len() < 12_000 {
        let subject = format!("<http://example.org/people/person-{person}#me>");
        let _ = write!(
            text,
            "{subject} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://xmlns.com/foaf/0.1/Person>{graph} .\n\
             {subject} <http://xmlns.com/foaf/0.1/name> \"Person Number {person}\"@en{graph} .\n\
             {subject} <http://xmlns.com/foaf/0.1/age> \"{person}\"^^<http://www.w3.org/2001/XMLSchema#integer>{graph} .\n\
             {subject} <http://xmlns.com/foaf/0.1/knows> <http://example.org/people/person-{}#me>{graph} .\n\
             {subject} <http://xmlns.com/foaf/0.1/homepage> <http://host-{person}.example.com/>{graph} .\n\
             {subject} <http://xmlns.com/foaf/0.1/account> _:account{person}{graph} .\n",
            person + 1
        );
        person += 1;
    }
    text.into()
}

fn turtle() -> Bytes {
    let mut text =
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n".to_owned();
    let mut person = 0;
    while text.len() < 12_000 {
        let _ = write!(
            text,
            "<../people/person-{person}#me> a foaf:Person ;\n  foaf:name \"Person Number {person}\"@en ;\n  foaf:age {person} ;\n  \
             foaf:knows <http://example.org/people/person-{}#me> ;\n  foaf:homepage <http://host-{person}.example.com/> ;\n  \
             foaf:account [ foaf:accountName \"p{person}\" ] .\n",
            person + 1
        );
        person += 1;
    }
    text.into()
}

fn rdf_xml() -> Bytes {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
                    xmlns:foaf=\"http://xmlns.com/foaf/0.1/\">\n"
        .to_owned();
    let mut person = 0;
    while text.len() < 12_000 {
        let _ = write!(
            text,
            "<foaf:Person rdf:about=\"http://example.org/people/person-{person}#me\">\n  <foaf:name xml:lang=\"en\">Person Number \
             {person}</foaf:name>\n  <foaf:age rdf:datatype=\"http://www.w3.org/2001/XMLSchema#integer\">{person}</foaf:age>\n  \
             <foaf:knows rdf:resource=\"http://example.org/people/person-{}#me\"/>\n  \
             <foaf:homepage rdf:resource=\"http://host-{person}.example.com/\"/>\n</foaf:Person>\n",
            person + 1
        );
        person += 1;
    }
    (text + "</rdf:RDF>\n").into()
}

fn json_ld() -> Bytes {
    let mut people = Vec::new();
    for person in 0..PEOPLE * 4 {
        people.push(format!(
            "{{\"@id\": \"http://example.org/people/person-{person}#me\", \"@type\": \"Person\", \"name\": \"Person Number {person}\", \
             \"age\": {person}, \"knows\": {{\"@id\": \"http://example.org/people/person-{}#me\"}}, \
             \"homepage\": \"http://host-{person}.example.com/\"}}",
            person + 1
        ));
    }
    format!(
        "{{\"@context\": {{\"@vocab\": \"http://xmlns.com/foaf/0.1/\", \"homepage\": {{\"@type\": \"@id\"}}}}, \"@graph\": [{}]}}",
        people.join(",\n")
    )
    .into()
}

fn html() -> Bytes {
    let mut text = "<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>A page</title>\
                    <link rel=alternate type=\"text/turtle\" href=\"page.ttl\"></head><body>\n<div class=content>\n"
        .to_owned();
    let mut item = 0;
    while text.len() < 12_000 {
        let _ = writeln!(
            text,
            "<p class=\"item\">Some text that stands before <a class=\"link\" href=\"/things/{item}.html\">thing number {item}</a> and \
             some more, with <em>emphasis</em> &amp; so on, that stands after it. It goes on for a while, as text does, \
             and then ends.</p>"
        );
        item += 1;
    }
    (text + "</div></body></html>\n").into()
}

fn real_pages(dir: &Path) -> Vec<Bytes> {
    let mut pages = Vec::new();
    let mut dirs = vec![PathBuf::from(dir)];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).expect("a directory of pages").flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") && !path.ends_with("expected.html")
            {
                pages.push(fs::read(path).expect("a page").into());
            }
        }
    }
    pages
}
