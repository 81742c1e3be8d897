//! The entity graph: entities and links, read from tables.
//!
//! IRIs are stored once and numbered. Each document has two lists of link numbers: of its outgoing and of its incoming
//! links.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{Literal, NamedNode, NamedNodeRef, Triple};
use url::Url;

use super::ListedLinks;

const SKOS_DEFINITION: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#definition");
const SKOS_ALT_LABEL: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#altLabel");
/// The namespace of predicates for which the tables have only a number.
const RELATION_NAMESPACE: &str = "http://dbpedia.org/property/";

type StringId = u32;

/// The graph of all tables.
#[derive(Default)]
pub(super) struct EntityTableGraph {
    iris: Vec<NamedNode>,
    numbers: HashMap<String, StringId>,
    links: Vec<[StringId; 3]>,
    documents: Vec<EntityDocument>,
    document_ids: HashMap<String, StringId>,
    pub(super) hosts: HashSet<String>,
}

/// One document of the graph.
#[derive(Default)]
struct EntityDocument {
    entities: Vec<EntityRow>,
    /// Links from this document, as positions in the list of links.
    outgoing: Vec<StringId>,
    /// Links to this document from other documents.
    incoming: Vec<StringId>,
    url: String,
}

/// The columns of an entity, apart from its links.
struct EntityRow {
    iri: StringId,
    label: String,
    definition: String,
    other_labels: Vec<String>,
    types: Vec<StringId>,
}

/// The statements of a document.
pub(super) struct EntityStatements {
    pub(super) title: String,
    pub(super) triples: Vec<Triple>,
}

impl EntityTableGraph {
    /// Adds a table of entities: `uri`, and optionally `label` or `label_en`, `types`, `definition_en`, `all_labels`.
    pub(super) fn add_entities(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut table = TableReader::open(path)?;
        let iri = table.column(&["uri"])?;
        let label = table.column(&["label", "label_en"]).ok();
        let [types, definition, others] =
            ["types", "definition_en", "all_labels"].map(|name| table.column(&[name]).ok());
        table.for_each_row(|row| {
            let Some(iri) = row.get(iri).and_then(|iri| self.intern_iri(iri)) else { return };
            let field = |column: Option<usize>| column.and_then(|column| row.get(column)).copied().unwrap_or_default();
            let label = field(label).to_owned();
            let others = field(others).split(" | ").filter(|other| !other.is_empty() && *other != label);
            let entity = EntityRow {
                iri,
                definition: field(definition).to_owned(),
                other_labels: others.map(str::to_owned).collect(),
                types: field(types).split(' ').filter_map(|class| self.intern_iri(class)).collect(),
                label,
            };
            if let Some(document) = self.find_or_add_document(iri) {
                self.documents[document as usize].entities.push(entity);
            }
        })
    }

    /// Adds a table of links: `subject`, `predicate` or `relation_id`, `object`.
    pub(super) fn add_links(&mut self, path: &Path, hidden: &HashSet<String>) -> anyhow::Result<()> {
        let mut table = TableReader::open(path)?;
        let subject = table.column(&["subject"])?;
        let predicate = table.column(&["predicate", "relation_id"])?;
        let object = table.column(&["object"])?;
        table.for_each_row(|row| {
            let [Some(subject), Some(predicate), Some(object)] =
                [subject, predicate, object].map(|column| row.get(column))
            else {
                return;
            };
            let iri = relation_iri(predicate);
            if hidden.contains(*predicate) || hidden.contains(&iri) {
                return;
            }
            // A value that is not an IRI cannot be written as RDF.
            if let (Some(subject), Some(predicate), Some(object)) =
                (self.intern_iri(subject), self.intern_iri(&iri), self.intern_iri(object))
            {
                self.links.push([subject, predicate, object]);
            }
        })
    }

    /// Adds every link to the document of its subject and, for [`ListedLinks::BothWays`], to that of its object.
    pub(super) fn index_links(&mut self, listed: ListedLinks) {
        // Every subject of a link is a document. All documents have to be known before incoming links are assigned.
        let mut is_subject = vec![false; self.iris.len()];
        for [subject, ..] in &self.links {
            is_subject[*subject as usize] = true;
        }
        for (number, _) in (0..).zip(is_subject).filter(|(_, is_subject)| *is_subject) {
            self.find_or_add_document(number);
        }
        let ids: Vec<_> = (0..).take(self.iris.len()).map(|number| self.find_document(number)).collect();
        for (position, [subject, _, object]) in (0..).zip(&self.links) {
            let (from, to) = (ids[*subject as usize], ids[*object as usize]);
            if let Some(from) = from {
                self.documents[from as usize].outgoing.push(position);
            }
            if let (Some(to), true, ListedLinks::BothWays) = (to, from != to, listed) {
                self.documents[to as usize].incoming.push(position);
            }
        }
    }

    /// The statements of the document at `url`.
    pub(super) fn statements_at(&self, url: &Url) -> Option<EntityStatements> {
        let document = &self.documents[*self.document_ids.get(&document_key(url))? as usize];
        let mut triples = Vec::new();
        for entity in &document.entities {
            self.describe(entity, &mut triples);
        }
        for link in document.outgoing.iter().chain(&document.incoming) {
            let [subject, predicate, object] = self.links[*link as usize].map(|number| self.iri(number).clone());
            triples.push(Triple::new(subject, predicate, object));
        }
        // Some tables list an entity in several rows.
        let mut seen = HashSet::new();
        triples.retain(|triple| seen.insert(triple.clone()));
        let label = document.entities.first().map(|entity| entity.label.clone()).filter(|label| !label.is_empty());
        Some(EntityStatements { title: label.unwrap_or_else(|| document.url.clone()), triples })
    }

    fn describe(&self, entity: &EntityRow, triples: &mut Vec<Triple>) {
        let subject = self.iri(entity.iri);
        let mut add = |predicate: NamedNodeRef<'_>, object: oxrdf::Term| {
            triples.push(Triple::new(subject.clone(), predicate, object));
        };
        let english = |text: &str| Literal::new_language_tagged_literal_unchecked(text, "en").into();
        for class in &entity.types {
            add(rdf::TYPE, self.iri(*class).clone().into());
        }
        if !entity.label.is_empty() {
            add(rdfs::LABEL, english(&entity.label));
        }
        for other in &entity.other_labels {
            add(SKOS_ALT_LABEL, Literal::new_simple_literal(other).into());
        }
        if !entity.definition.is_empty() {
            add(SKOS_DEFINITION, english(&entity.definition));
        }
    }

    /// The URLs of all documents, percent-encoded, in the order of the tables.
    pub(super) fn urls(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| document.url.as_str())
    }

    fn iri(&self, number: StringId) -> &NamedNode {
        &self.iris[number as usize]
    }

    fn intern_iri(&mut self, iri: &str) -> Option<StringId> {
        if let Some(number) = self.numbers.get(iri) {
            return Some(*number);
        }
        let number = StringId::try_from(self.iris.len()).ok()?;
        self.iris.push(NamedNode::new(iri).ok()?);
        self.numbers.insert(iri.to_owned(), number);
        Some(number)
    }

    /// The document that describes an IRI, if there is one.
    fn find_document(&self, iri: StringId) -> Option<StringId> {
        let url = Url::parse(self.iri(iri).as_str()).ok()?;
        self.document_ids.get(&document_key(&url)).copied()
    }

    /// The document that describes an IRI, created if there is none.
    fn find_or_add_document(&mut self, iri: StringId) -> Option<StringId> {
        let mut url = Url::parse(self.iri(iri).as_str()).ok()?;
        let key = document_key(&url);
        if let Some(id) = self.document_ids.get(&key) {
            return Some(*id);
        }
        self.hosts.insert(url.host_str()?.to_owned());
        url.set_fragment(None);
        let number = StringId::try_from(self.documents.len()).ok()?;
        self.documents.push(EntityDocument { url: url.into(), ..EntityDocument::default() });
        self.document_ids.insert(key, number);
        Some(number)
    }
}

/// The key of a document: its URL without fragment and with the path decoded, because a client may percent-encode more
/// of an IRI than necessary.
fn document_key(url: &Url) -> String {
    let mut path = Vec::with_capacity(url.path().len());
    let mut rest = url.path().as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = if *first == b'%' { after.get(..2) } else { None };
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        path.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    let origin = &url[..url::Position::BeforePath];
    // A decoded path may contain a question mark, so a line feed separates the query.
    format!("{origin}{}\n{}", String::from_utf8_lossy(&path), url.query().unwrap_or_default())
}

fn relation_iri(predicate: &str) -> String {
    if predicate.starts_with("http://") || predicate.starts_with("https://") {
        return predicate.to_owned();
    }
    format!("{RELATION_NAMESPACE}{}", predicate.replace(':', "-"))
}

/// A tab-separated table with a header line, compressed or not.
struct TableReader {
    lines: BufReader<Box<dyn Read>>,
    headings: Vec<String>,
    name: String,
}

impl TableReader {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open table `{name}`"))?;
        let compressed = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut lines = BufReader::with_capacity(1 << 16, reader);
        let mut first = String::new();
        lines.read_line(&mut first).with_context(|| format!("cannot read table `{name}`"))?;
        let headings = first.trim_end().split('\t').map(str::to_owned).collect();
        Ok(Self { lines, headings, name })
    }

    fn column(&self, names: &[&str]) -> anyhow::Result<usize> {
        match self.headings.iter().position(|heading| names.contains(&heading.as_str())) {
            Some(column) => Ok(column),
            None => bail!("table `{}` has no column `{}`, only: {}", self.name, names[0], self.headings.join(", ")),
        }
    }

    fn for_each_row(&mut self, mut on_row: impl FnMut(&[&str])) -> anyhow::Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            let length =
                self.lines.read_line(&mut line).with_context(|| format!("cannot read table `{}`", self.name))?;
            if length == 0 {
                return Ok(());
            }
            on_row(&line.trim_end_matches(['\n', '\r']).split('\t').collect::<Vec<_>>());
        }
    }
}
