//! A survey of a whole harvest, and its description with `VoID`.
//!
//! Statements are looked at once, one after the other, in bounded memory,
//! whatever the size of the harvest:
//!
//! - Triples and documents are counted. A triple in two documents counts twice.
//! - Entities (IRIs that are subjects), classes and properties are counted
//!   exactly up to a million different ones, and estimated beyond, with an error
//!   of about one percent (`HyperLogLog`).
//! - Of properties, classes and pairs of domains, the most frequent are listed,
//!   a thousand of each, and the others summed up. The figures are exact as long
//!   as there are no more than 64,000 different ones; beyond, the rarest are put
//!   to the others from time to time, so that one which comes back later is
//!   counted too low.
//! - The entities of a class are the `rdf:type` statements that name it.
//! - A link between domains is a triple whose subject and object are IRIs of
//!   different pay-level domains, unless its predicate is `rdf:type`.

use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, NamedNodeRef, Quad, Term};

use self::count::{Counts, Distinct};
use super::Names;
use super::quads::count as number;
use super::time::date_time;
use super::vocabulary::{dcterms, void};
use crate::model::{Pld, Uri};

mod count;

/// Listed of each sort.
const LISTED_MAX: usize = 1_000;

/// What is known of a harvest so far.
#[derive(Default)]
pub struct Survey {
    documents: u64,
    triples: u64,
    modified_at_ms: u64,
    entities: Distinct,
    properties: Counts,
    classes: Counts,
    links: Counts,
    pair: String,
}

/// What a description tells that no statement does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The name of the crawl.
    pub title: String,
    /// Where it began.
    pub seeds: Vec<Uri>,
}

impl Survey {
    /// Another document begins, which was fetched then, if that is known.
    pub fn document(&mut self, fetched_at_ms: Option<u64>) {
        self.documents += 1;
        self.modified_at_ms = self.modified_at_ms.max(fetched_at_ms.unwrap_or_default());
    }

    /// Looks at canonical N-Quads, whole lines of them.
    pub fn lines(&mut self, lines: &[u8]) {
        let mut rest = lines;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            if let Ok(line) = std::str::from_utf8(&rest[..end]) {
                self.line(line);
            }
            rest = &rest[end + 1..];
        }
    }

    fn line(&mut self, line: &str) {
        // In canonical form there is one blank between two terms, and none in an
        // IRI or the label of a blank node.
        let Some((subject, rest)) = line.split_once(' ') else { return };
        let Some((predicate, rest)) = rest.split_once(' ') else { return };
        self.triples += 1;
        let Some(predicate) = iri(predicate) else { return };
        self.properties.add(predicate);
        let subject = iri(subject);
        if let Some(subject) = subject {
            self.entities.add(subject);
        }
        let object = rest.split(' ').next().and_then(iri);
        if predicate == rdf::TYPE.as_str() {
            if let Some(class) = object {
                self.classes.add(class);
            }
        } else if let (Some(subject), Some(object)) = (subject, object) {
            self.link(subject, object);
        }
    }

    fn link(&mut self, from: &str, to: &str) {
        let (Some(from), Some(to)) = (host(from), host(to)) else { return };
        // Most links stay on their host, which needs no list of suffixes.
        if from == to {
            return;
        }
        let (from, to) = (domain(from), domain(to));
        if from != to {
            self.pair.clear();
            self.pair.extend([from.as_str(), " ", to.as_str()]);
            self.links.add(&self.pair);
        }
    }

    /// The description, in a graph of its own. No blank nodes.
    #[must_use]
    pub fn quads(&self, names: &Names, about: &About) -> Vec<Quad> {
        let mut writer = Writer { crawl: names.crawl(), graph: names.description_graph(), names, quads: Vec::new() };
        writer.totals(self, about);
        writer.partitions("property", &self.properties, (void::PROPERTY_PARTITION, void::PROPERTY, void::TRIPLES));
        writer.partitions("class", &self.classes, (void::CLASS_PARTITION, void::CLASS, void::ENTITIES));
        writer.linksets(&self.links);
        writer.quads
    }
}

/// What is in the angle brackets of an IRI. One with something escaped is none:
/// our readers let no such through.
fn iri(term: &str) -> Option<&str> {
    term.strip_prefix('<')?.strip_suffix('>').filter(|iri| !iri.contains('\\'))
}

fn host(iri: &str) -> Option<&str> {
    let rest = iri.strip_prefix("http://").or_else(|| iri.strip_prefix("https://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let end = if host.starts_with('[') { host.find(']').map(|end| end + 1) } else { host.find(':') };
    Some(&host[..end.unwrap_or(host.len())]).filter(|host| !host.is_empty())
}

fn domain(host: &str) -> Pld {
    Pld::of_host(&host.to_ascii_lowercase())
}

struct Writer<'a> {
    crawl: NamedNode,
    graph: NamedNode,
    names: &'a Names,
    quads: Vec<Quad>,
}

impl Writer<'_> {
    fn say(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, object: impl Into<Term>) {
        self.quads.push(Quad::new(subject.clone(), predicate, object, self.graph.clone()));
    }

    fn totals(&mut self, survey: &Survey, about: &About) {
        let crawl = self.crawl.clone();
        self.say(&crawl, rdf::TYPE, void::DATASET);
        if !about.title.is_empty() {
            self.say(&crawl, dcterms::TITLE, oxrdf::Literal::from(about.title.as_str()));
        }
        self.say(&crawl, void::DOCUMENTS, number(survey.documents));
        self.say(&crawl, void::TRIPLES, number(survey.triples));
        self.say(&crawl, void::ENTITIES, number(survey.entities.count()));
        self.say(&crawl, void::PROPERTIES, number(survey.properties.distinct()));
        self.say(&crawl, void::CLASSES, number(survey.classes.distinct()));
        if survey.modified_at_ms > 0 {
            self.say(&crawl, dcterms::MODIFIED, date_time(survey.modified_at_ms));
        }
        for seed in &about.seeds {
            self.say(&crawl, void::ROOT_RESOURCE, super::graph_of(seed));
        }
    }

    /// Lists what is most frequent, and sums up the rest.
    fn partitions(
        &mut self,
        kind: &str,
        counts: &Counts,
        (partition, of, measure): (NamedNodeRef<'_>, NamedNodeRef<'_>, NamedNodeRef<'_>),
    ) {
        let (listed, others) = counts.top(LISTED_MAX);
        let crawl = self.crawl.clone();
        for (name, count) in listed {
            let part = self.names.part(kind, name);
            self.say(&crawl, partition, part.clone());
            self.say(&part, of, NamedNode::new_unchecked(name));
            self.say(&part, measure, number(count));
        }
        self.others(kind, others, measure);
    }

    fn others(&mut self, kind: &str, count: u64, measure: NamedNodeRef<'_>) {
        if count > 0 {
            let part = self.names.part(kind, "others");
            self.say(&self.crawl.clone(), void::SUBSET, part.clone());
            self.say(&part, dcterms::DESCRIPTION, oxrdf::Literal::from(format!("every other {kind}")));
            self.say(&part, measure, number(count));
        }
    }

    fn linksets(&mut self, links: &Counts) {
        let (listed, others) = links.top(LISTED_MAX);
        let crawl = self.crawl.clone();
        for (pair, count) in listed {
            let Some((from, to)) = pair.split_once(' ') else { continue };
            let part = self.names.part("linkset", pair);
            self.say(&crawl, void::SUBSET, part.clone());
            self.say(&part, rdf::TYPE, void::LINKSET);
            self.say(&part, void::TRIPLES, number(count));
            for (domain, target) in [(from, void::SUBJECTS_TARGET), (to, void::OBJECTS_TARGET)] {
                let dataset = self.names.part("domain", domain);
                self.say(&part, target, dataset.clone());
                self.say(&dataset, rdf::TYPE, void::DATASET);
                self.say(&dataset, dcterms::TITLE, oxrdf::Literal::from(domain));
            }
        }
        self.others("linkset", others, void::TRIPLES);
        self.quads.sort_unstable_by_key(Quad::to_string);
        self.quads.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(lines: &[&str]) -> Survey {
        let mut survey = Survey::default();
        survey.document(Some(1_700_000_000_000));
        survey.lines((lines.join("\n") + "\n").as_bytes());
        survey
    }

    const HARVEST: &[&str] = &[
        "<http://a.example/1> <http://v.example/p> <http://www.b.example:80/x> <http://a.example/1> .",
        "<http://a.example/1> <http://v.example/p> <https://b.example> <http://a.example/1> .",
        "<http://a.example/1> <http://v.example/p> <http://data.a.example/2> <http://a.example/1> .",
        "<http://a.example/1> <http://v.example/q> \"<http://c.example/> text\" <http://a.example/1> .",
        "<http://a.example/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://v.example/C> <http://a.example/1> .",
        "_:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://v.example/C> <http://a.example/1> .",
        "<urn:isbn:1> <http://v.example/p> <http://b.example/> <http://a.example/1> .",
    ];

    #[test]
    fn a_harvest_is_described_by_what_is_in_it() {
        let names = Names::new("urn:lodeward:", 1);
        let about = About { title: "default".to_owned(), seeds: vec![Uri::parse("http://a.example/1").unwrap()] };

        let quads = survey(HARVEST).quads(&names, &about);

        let lines: Vec<String> =
            quads.iter().map(|quad| format!("{} {} {}", quad.subject, quad.predicate, quad.object)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn what_is_not_listed_is_summed_up() {
        let lines: Vec<String> = (0..3_000)
            .flat_map(|number| {
                vec![format!("<http://a.example/> <http://v.example/p{number}> \"x\" <http://g/> ."); 1 + number % 2]
            })
            .collect();
        let survey = survey(&lines.iter().map(String::as_str).collect::<Vec<_>>());

        let (listed, others) = survey.properties.top(LISTED_MAX);

        assert!(listed.iter().all(|(_, count)| *count == 2));
        assert_eq!((listed.len(), others), (1_000, 4_500 - 2_000));
        assert_eq!((survey.triples, survey.properties.distinct(), survey.entities.count()), (4_500, 3_000, 1));
    }

    #[test]
    fn the_host_of_an_iri_is_found() {
        let check = |iri: &str, expected: Option<&str>| assert_eq!(host(iri), expected, "{iri}");

        check("http://a.example/x", Some("a.example"));
        check("https://me:you@a.example:8080?x", Some("a.example"));
        check("http://[::1]:80/", Some("[::1]"));
        check("urn:a:b", None);
        check("http:///x", None);
    }
}
