//! Surveys a whole harvest and describes it with `VoID`.
//!
//! Statements are read once, in sequence, with bounded memory:
//!
//! - Triples and documents are counted. A triple in two documents counts twice.
//! - Entities (IRIs that are subjects), classes and properties are counted exactly up to a million distinct ones.
//!   Beyond, their number is estimated with an error of about one percent (`HyperLogLog`).
//! - The 1,000 most frequent properties, classes and pairs of domains are listed, and the others are summed up. The
//!   figures are exact up to 64,000 distinct names. Beyond, the rarest are moved to the sum from time to time, so that
//!   a name that occurs again later is counted too low.
//! - The entities of a class are the `rdf:type` statements that name it.
//! - A link between domains is a triple whose subject and object are IRIs of
//!   different pay-level domains, unless its predicate is `rdf:type`.

use lodeward::model::{Pld, Uri};
use lodeward::store::StoreError;
use lodeward::store::segments::{ReadBounds, SegmentLog};
use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, NamedNodeRef, Quad, Term};

use self::count::{DistinctCounter, FrequentCounts};
use super::GraphNames;
use super::quads::{date_time, integer_literal as number};
use super::vocabulary::{dcterms, void};

mod count;

/// Maximum number of listed entries of each kind.
const MAX_LISTED: usize = 1_000;

/// The counts of a harvest.
#[derive(Default)]
pub struct HarvestSurvey {
    documents: u64,
    triples: u64,
    modified_at_ms: u64,
    entities: DistinctCounter,
    properties: FrequentCounts,
    classes: FrequentCounts,
    links: FrequentCounts,
    pair: String,
}

/// The parts of a description that are not derived from statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlDescription {
    /// The name of the crawl.
    pub title: String,
    /// The seeds.
    pub seeds: Vec<Uri>,
}

impl HarvestSurvey {
    /// Surveys every current document of a log once, in bounded memory.
    pub fn of_log(log: &SegmentLog) -> Result<Self, StoreError> {
        let mut survey = Self::default();
        let mut reader = log.read(None)?;
        while let Some(group) = reader.next_group(ReadBounds::default())? {
            for change in group.changes.iter().filter(|change| !change.is_removal()) {
                survey.add_document(change.provenance.as_ref().map(|provenance| provenance.fetch.fetched_at_ms));
                change.statements.for_each_block(&mut |lines| {
                    survey.add_lines(lines);
                    Ok::<_, StoreError>(())
                })?;
            }
        }
        Ok(survey)
    }

    /// Starts a document, with the time of its fetch if it is known.
    fn add_document(&mut self, fetched_at_ms: Option<u64>) {
        self.documents += 1;
        self.modified_at_ms = self.modified_at_ms.max(fetched_at_ms.unwrap_or_default());
    }

    /// Adds complete lines of canonical N-Quads.
    fn add_lines(&mut self, lines: &[u8]) {
        let mut rest = lines;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            if let Ok(line) = std::str::from_utf8(&rest[..end]) {
                self.add_line(line);
            }
            rest = &rest[end + 1..];
        }
    }

    fn add_line(&mut self, line: &str) {
        // In canonical form one space separates two terms, and an IRI or blank node label contains none.
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
            self.add_link(subject, object);
        }
    }

    fn add_link(&mut self, from: &str, to: &str) {
        let (Some(from), Some(to)) = (host(from), host(to)) else { return };
        // Most links stay on their host; for these the list of public suffixes is not needed.
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

    /// The description, in its own graph. No blank nodes.
    #[must_use]
    pub fn to_quads(&self, names: &GraphNames, about: &CrawlDescription) -> Vec<Quad> {
        let mut writer =
            VoidWriter { crawl: names.crawl(), graph: names.description_graph(), names, quads: Vec::new() };
        writer.write_totals(self, about);
        writer.write_partitions(
            "property",
            &self.properties,
            (void::PROPERTY_PARTITION, void::PROPERTY, void::TRIPLES),
        );
        writer.write_partitions("class", &self.classes, (void::CLASS_PARTITION, void::CLASS, void::ENTITIES));
        writer.write_linksets(&self.links);
        writer.quads
    }
}

/// The text between the angle brackets of an IRI. An IRI with escapes is rejected; the readers produce none.
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
    Pld::from_host(&host.to_ascii_lowercase())
}

struct VoidWriter<'a> {
    crawl: NamedNode,
    graph: NamedNode,
    names: &'a GraphNames,
    quads: Vec<Quad>,
}

impl VoidWriter<'_> {
    fn add(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, object: impl Into<Term>) {
        self.quads.push(Quad::new(subject.clone(), predicate, object, self.graph.clone()));
    }

    fn write_totals(&mut self, survey: &HarvestSurvey, about: &CrawlDescription) {
        let crawl = self.crawl.clone();
        self.add(&crawl, rdf::TYPE, void::DATASET);
        if !about.title.is_empty() {
            self.add(&crawl, dcterms::TITLE, oxrdf::Literal::from(about.title.as_str()));
        }
        self.add(&crawl, void::DOCUMENTS, number(survey.documents));
        self.add(&crawl, void::TRIPLES, number(survey.triples));
        self.add(&crawl, void::ENTITIES, number(survey.entities.count()));
        self.add(&crawl, void::PROPERTIES, number(survey.properties.distinct()));
        self.add(&crawl, void::CLASSES, number(survey.classes.distinct()));
        if survey.modified_at_ms > 0 {
            self.add(&crawl, dcterms::MODIFIED, date_time(survey.modified_at_ms));
        }
        for seed in &about.seeds {
            self.add(&crawl, void::ROOT_RESOURCE, seed.document_graph());
        }
    }

    /// Lists the most frequent names and sums up the rest.
    fn write_partitions(
        &mut self,
        kind: &str,
        counts: &FrequentCounts,
        (partition, of, measure): (NamedNodeRef<'_>, NamedNodeRef<'_>, NamedNodeRef<'_>),
    ) {
        let (listed, others) = counts.top(MAX_LISTED);
        let crawl = self.crawl.clone();
        for (name, count) in listed {
            let part = self.names.part_iri(kind, name);
            self.add(&crawl, partition, part.clone());
            self.add(&part, of, NamedNode::new_unchecked(name));
            self.add(&part, measure, number(count));
        }
        self.write_others(kind, others, measure);
    }

    fn write_others(&mut self, kind: &str, count: u64, measure: NamedNodeRef<'_>) {
        if count > 0 {
            let part = self.names.part_iri(kind, "others");
            self.add(&self.crawl.clone(), void::SUBSET, part.clone());
            self.add(&part, dcterms::DESCRIPTION, oxrdf::Literal::from(format!("every other {kind}")));
            self.add(&part, measure, number(count));
        }
    }

    fn write_linksets(&mut self, links: &FrequentCounts) {
        let (listed, others) = links.top(MAX_LISTED);
        let crawl = self.crawl.clone();
        for (pair, count) in listed {
            let Some((from, to)) = pair.split_once(' ') else { continue };
            let part = self.names.part_iri("linkset", pair);
            self.add(&crawl, void::SUBSET, part.clone());
            self.add(&part, rdf::TYPE, void::LINKSET);
            self.add(&part, void::TRIPLES, number(count));
            for (domain, target) in [(from, void::SUBJECTS_TARGET), (to, void::OBJECTS_TARGET)] {
                let dataset = self.names.part_iri("domain", domain);
                self.add(&part, target, dataset.clone());
                self.add(&dataset, rdf::TYPE, void::DATASET);
                self.add(&dataset, dcterms::TITLE, oxrdf::Literal::from(domain));
            }
        }
        self.write_others("linkset", others, void::TRIPLES);
        self.quads.sort_unstable_by_key(Quad::to_string);
        self.quads.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(lines: &[&str]) -> HarvestSurvey {
        let mut survey = HarvestSurvey::default();
        survey.add_document(Some(1_700_000_000_000));
        survey.add_lines((lines.join("\n") + "\n").as_bytes());
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
    fn harvest_is_described_by_its_counts() {
        let names = GraphNames::new("urn:lodeward:", 1);
        let about =
            CrawlDescription { title: "default".to_owned(), seeds: vec![Uri::parse("http://a.example/1").unwrap()] };

        let quads = survey(HARVEST).to_quads(&names, &about);

        let lines: Vec<String> =
            quads.iter().map(|quad| format!("{} {} {}", quad.subject, quad.predicate, quad.object)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn unlisted_names_are_summed_up() {
        let lines: Vec<String> = (0..3_000)
            .flat_map(|number| {
                vec![format!("<http://a.example/> <http://v.example/p{number}> \"x\" <http://g/> ."); 1 + number % 2]
            })
            .collect();
        let survey = survey(&lines.iter().map(String::as_str).collect::<Vec<_>>());

        let (listed, others) = survey.properties.top(MAX_LISTED);

        assert!(listed.iter().all(|(_, count)| *count == 2));
        assert_eq!((listed.len(), others), (1_000, 4_500 - 2_000));
        assert_eq!((survey.triples, survey.properties.distinct(), survey.entities.count()), (4_500, 3_000, 1));
    }

    #[test]
    fn host_of_an_iri_is_extracted() {
        let check = |iri: &str, expected: Option<&str>| assert_eq!(host(iri), expected, "{iri}");

        check("http://a.example/x", Some("a.example"));
        check("https://me:you@a.example:8080?x", Some("a.example"));
        check("http://[::1]:80/", Some("[::1]"));
        check("urn:a:b", None);
        check("http:///x", None);
    }
}
