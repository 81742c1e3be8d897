//! Entities and the links between them, as tables have them.
//!
//! Strings are kept once and numbered; a document's statements are found
//! through two lists of numbers, one for each direction of a link.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{Literal, NamedNode, NamedNodeRef, Triple};
use url::Url;

use super::Listed;

const SKOS_DEFINITION: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#definition");
const SKOS_ALT_LABEL: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#altLabel");
/// Where predicates live that the tables know by a number only.
const RELATIONS: &str = "http://dbpedia.org/property/";

type Number = u32;

/// All tables together.
#[derive(Default)]
pub(super) struct Graph {
    iris: Vec<NamedNode>,
    numbers: HashMap<String, Number>,
    links: Vec<[Number; 3]>,
    documents: Vec<Document>,
    places: HashMap<String, Number>,
    pub(super) hosts: HashSet<String>,
}

/// What one URL answers with.
#[derive(Default)]
struct Document {
    entities: Vec<Entity>,
    /// Links from here, as positions in the list of links.
    outgoing: Vec<Number>,
    /// Links to here from other documents.
    incoming: Vec<Number>,
    url: String,
}

/// What the tables say of an entity besides its links.
struct Entity {
    iri: Number,
    label: String,
    definition: String,
    other_labels: Vec<String>,
    types: Vec<Number>,
}

/// What is said in a document.
pub(super) struct Said {
    pub(super) title: String,
    pub(super) triples: Vec<Triple>,
}

impl Graph {
    /// Adds a table of entities: `uri`, and of `label` or `label_en`, `types`,
    /// `definition_en`, `all_labels` what there is.
    pub(super) fn add_entities(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut table = Table::open(path)?;
        let iri = table.column(&["uri"])?;
        let label = table.column(&["label", "label_en"]).ok();
        let [types, definition, others] =
            ["types", "definition_en", "all_labels"].map(|name| table.column(&[name]).ok());
        table.each_row(|row| {
            let Some(iri) = row.get(iri).and_then(|iri| self.number(iri)) else { return };
            let field = |column: Option<usize>| column.and_then(|column| row.get(column)).copied().unwrap_or_default();
            let label = field(label).to_owned();
            let others = field(others).split(" | ").filter(|other| !other.is_empty() && *other != label);
            let entity = Entity {
                iri,
                definition: field(definition).to_owned(),
                other_labels: others.map(str::to_owned).collect(),
                types: field(types).split(' ').filter_map(|class| self.number(class)).collect(),
                label,
            };
            if let Some(document) = self.document(iri) {
                self.documents[document as usize].entities.push(entity);
            }
        })
    }

    /// Adds a table of links: `subject`, `predicate` or `relation_id`, `object`.
    pub(super) fn add_links(&mut self, path: &Path, hidden: &HashSet<String>) -> anyhow::Result<()> {
        let mut table = Table::open(path)?;
        let subject = table.column(&["subject"])?;
        let predicate = table.column(&["predicate", "relation_id"])?;
        let object = table.column(&["object"])?;
        table.each_row(|row| {
            let [Some(subject), Some(predicate), Some(object)] =
                [subject, predicate, object].map(|column| row.get(column))
            else {
                return;
            };
            let iri = relation_iri(predicate);
            if hidden.contains(*predicate) || hidden.contains(&iri) {
                return;
            }
            // What is no IRI cannot be said in RDF.
            if let (Some(subject), Some(predicate), Some(object)) =
                (self.number(subject), self.number(&iri), self.number(object))
            {
                self.links.push([subject, predicate, object]);
            }
        })
    }

    /// Lists every link where it leads from and, if wanted, where it leads to.
    pub(super) fn connect(&mut self, listed: Listed) {
        // Whatever a link starts from is a document, so all of them are known
        // before it is asked which links lead to one.
        let mut starts = vec![false; self.iris.len()];
        for [subject, ..] in &self.links {
            starts[*subject as usize] = true;
        }
        for (number, _) in (0..).zip(starts).filter(|(_, starts)| *starts) {
            self.document(number);
        }
        let places: Vec<_> = (0..).take(self.iris.len()).map(|number| self.place(number)).collect();
        for (position, [subject, _, object]) in (0..).zip(&self.links) {
            let (from, to) = (places[*subject as usize], places[*object as usize]);
            if let Some(from) = from {
                self.documents[from as usize].outgoing.push(position);
            }
            if let (Some(to), true, Listed::BothWays) = (to, from != to, listed) {
                self.documents[to as usize].incoming.push(position);
            }
        }
    }

    /// What the document at `url` says.
    pub(super) fn said_at(&self, url: &Url) -> Option<Said> {
        let document = &self.documents[*self.places.get(&address(url))? as usize];
        let mut triples = Vec::new();
        for entity in &document.entities {
            self.describe(entity, &mut triples);
        }
        for link in document.outgoing.iter().chain(&document.incoming) {
            let [subject, predicate, object] = self.links[*link as usize].map(|number| self.iri(number).clone());
            triples.push(Triple::new(subject, predicate, object));
        }
        // Some tables have an entity in several rows.
        let mut seen = HashSet::new();
        triples.retain(|triple| seen.insert(triple.clone()));
        let label = document.entities.first().map(|entity| entity.label.clone()).filter(|label| !label.is_empty());
        Some(Said { title: label.unwrap_or_else(|| document.url.clone()), triples })
    }

    fn describe(&self, entity: &Entity, triples: &mut Vec<Triple>) {
        let subject = self.iri(entity.iri);
        let mut say = |predicate: NamedNodeRef<'_>, object: oxrdf::Term| {
            triples.push(Triple::new(subject.clone(), predicate, object));
        };
        let english = |text: &str| Literal::new_language_tagged_literal_unchecked(text, "en").into();
        for class in &entity.types {
            say(rdf::TYPE, self.iri(*class).clone().into());
        }
        if !entity.label.is_empty() {
            say(rdfs::LABEL, english(&entity.label));
        }
        for other in &entity.other_labels {
            say(SKOS_ALT_LABEL, Literal::new_simple_literal(other).into());
        }
        if !entity.definition.is_empty() {
            say(SKOS_DEFINITION, english(&entity.definition));
        }
    }

    /// The URLs of all documents, percent-encoded, in the order of the tables.
    pub(super) fn urls(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| document.url.as_str())
    }

    fn iri(&self, number: Number) -> &NamedNode {
        &self.iris[number as usize]
    }

    fn number(&mut self, iri: &str) -> Option<Number> {
        if let Some(number) = self.numbers.get(iri) {
            return Some(*number);
        }
        let number = Number::try_from(self.iris.len()).ok()?;
        self.iris.push(NamedNode::new(iri).ok()?);
        self.numbers.insert(iri.to_owned(), number);
        Some(number)
    }

    /// The document in which an IRI is described, if there is one.
    fn place(&self, iri: Number) -> Option<Number> {
        let url = Url::parse(self.iri(iri).as_str()).ok()?;
        self.places.get(&address(&url)).copied()
    }

    /// The document in which an IRI is described, made if there is none yet.
    fn document(&mut self, iri: Number) -> Option<Number> {
        let mut url = Url::parse(self.iri(iri).as_str()).ok()?;
        let address = address(&url);
        if let Some(known) = self.places.get(&address) {
            return Some(*known);
        }
        self.hosts.insert(url.host_str()?.to_owned());
        url.set_fragment(None);
        let number = Number::try_from(self.documents.len()).ok()?;
        self.documents.push(Document { url: url.into(), ..Document::default() });
        self.places.insert(address, number);
        Some(number)
    }
}

/// What identifies a document: its URL without a fragment and with the path
/// decoded, for a visitor may encode more of an IRI than it must.
fn address(url: &Url) -> String {
    let mut path = Vec::with_capacity(url.path().len());
    let mut rest = url.path().as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = if *first == b'%' { after.get(..2) } else { None };
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        path.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    let origin = &url[..url::Position::BeforePath];
    // A decoded path may contain a question mark, but no line feed that matters.
    format!("{origin}{}\n{}", String::from_utf8_lossy(&path), url.query().unwrap_or_default())
}

fn relation_iri(predicate: &str) -> String {
    if predicate.starts_with("http://") || predicate.starts_with("https://") {
        return predicate.to_owned();
    }
    format!("{RELATIONS}{}", predicate.replace(':', "-"))
}

/// A tab-separated table with a line of headings, compressed or not.
struct Table {
    lines: BufReader<Box<dyn Read>>,
    headings: Vec<String>,
    name: String,
}

impl Table {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open the table {name}"))?;
        let compressed = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut lines = BufReader::with_capacity(1 << 16, reader);
        let mut first = String::new();
        lines.read_line(&mut first).with_context(|| format!("cannot read the table {name}"))?;
        let headings = first.trim_end().split('\t').map(str::to_owned).collect();
        Ok(Self { lines, headings, name })
    }

    fn column(&self, names: &[&str]) -> anyhow::Result<usize> {
        match self.headings.iter().position(|heading| names.contains(&heading.as_str())) {
            Some(column) => Ok(column),
            None => bail!("the table {} has no column `{}`, only: {}", self.name, names[0], self.headings.join(", ")),
        }
    }

    fn each_row(&mut self, mut take: impl FnMut(&[&str])) -> anyhow::Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            let length =
                self.lines.read_line(&mut line).with_context(|| format!("cannot read the table {}", self.name))?;
            if length == 0 {
                return Ok(());
            }
            take(&line.trim_end_matches(['\n', '\r']).split('\t').collect::<Vec<_>>());
        }
    }
}
