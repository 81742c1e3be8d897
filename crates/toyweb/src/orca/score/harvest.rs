//! Compares the harvest with the expected statements.

use std::collections::HashMap;

use oxigraph::model::vocab::rdf;
use oxigraph::model::{GraphName, Quad, Term, Triple, TripleRef};
use oxigraph::store::Store;
use xxhash_rust::xxh3::xxh3_64;

use crate::orca::cloud::NodeKind;
use crate::orca::node::OrcaNode;
use crate::orca::suite::{matches_store, matches_triples};
use crate::orca::truth::{DCAT, TITLE};
use crate::orca::{OrcaWeb, ckan, rdfa};

/// The relevant part of the harvest. An expected triple is stored as a hash.
pub(super) struct OrcaHarvest<'a> {
    web: &'a OrcaWeb,
    /// Expected triples by hash, and whether each was found.
    found: HashMap<u64, bool, foldhash::fast::RandomState>,
    /// Quads that may belong to the description of a catalogue.
    catalogues: Vec<Quad>,
    /// The triples of test pages, by node and page.
    pages: HashMap<String, Vec<Triple>>,
    /// The quads of a harvest without graph names.
    without_graph: Vec<Quad>,
    pub(super) quads: u64,
}

/// The expected and the found statements of a node.
#[derive(Clone, Default)]
pub(super) struct OrcaCount {
    pub(super) expected: u64,
    pub(super) found: u64,
    /// Examples of missing statements: triples, titles of datasets, URLs of pages.
    pub(super) missing: Vec<String>,
}

/// The maximum number of examples per node.
const MAX_REPORTED_MISSING: usize = 20;

impl OrcaCount {
    fn add(&mut self, found: bool, describe: impl FnOnce() -> String) {
        self.expected += 1;
        self.found += u64::from(found);
        if !found && self.missing.len() < MAX_REPORTED_MISSING {
            self.missing.push(describe());
        }
    }
}

impl<'a> OrcaHarvest<'a> {
    pub(super) fn new(web: &'a OrcaWeb) -> Self {
        let mut harvest = Self {
            web,
            found: HashMap::default(),
            catalogues: Vec::new(),
            pages: HashMap::new(),
            without_graph: Vec::new(),
            quads: 0,
        };
        for node in &web.nodes {
            for_each_triple(web, node, &mut |triple| {
                harvest.found.insert(hash(triple.as_ref()), false);
            });
            if node.kind == NodeKind::Rdfa {
                let urls = web.pages.iter().map(|page| format!("http://{}{}", node.host(), page.path));
                harvest.pages.extend(urls.map(|url| (url, Vec::new())));
            }
        }
        harvest
    }

    pub(super) fn push(&mut self, quad: Quad) {
        self.quads += 1;
        if let Some(found) = self.found.get_mut(&hash(quad.as_ref().into())) {
            *found = true;
        }
        if belongs_to_catalogue(&quad) {
            let triple = Triple::from(quad.clone());
            self.catalogues.push(triple.in_graph(GraphName::DefaultGraph));
        }
        match &quad.graph_name {
            GraphName::NamedNode(name) => {
                if let Some(triples) = self.pages.get_mut(name.as_str()) {
                    triples.push(quad.into());
                }
            }
            GraphName::DefaultGraph if !self.pages.is_empty() => self.without_graph.push(quad),
            _ => {}
        }
    }

    /// The expected and found statements, by node.
    pub(super) fn counts(self) -> Vec<OrcaCount> {
        let mut counts = vec![OrcaCount::default(); self.web.nodes.len()];
        let catalogues = load_store(self.catalogues);
        let without_graph = (!self.without_graph.is_empty()).then(|| load_store(self.without_graph));
        for (node, count) in self.web.nodes.iter().zip(&mut counts) {
            for_each_triple(self.web, node, &mut |triple| {
                let found = self.found.get(&hash(triple.as_ref())) == Some(&true);
                count.add(found, || triple.to_string());
            });
            for (_, to) in node.links.iter().filter(|_| node.kind == NodeKind::Ckan) {
                let target = self.web.nodes[*to as usize].entry_uri();
                count.add(matches_store(&catalogues, &dataset_query(&target)), || ckan::dataset_title(&target));
            }
            let host = node.host();
            for page in self.web.pages.iter().filter(|_| node.kind == NodeKind::Rdfa) {
                let (query, url) = (page.query(&host), format!("http://{host}{}", page.path));
                let triples = self.pages.get(&url).map_or(&[][..], Vec::as_slice);
                let found = match (&without_graph, triples) {
                    (Some(store), []) => matches_store(store, &query),
                    (_, triples) => matches_triples(&query, triples),
                };
                count.add(found, || url);
            }
        }
        counts
    }
}

/// Calls `emit` for every triple that is expected of a node.
fn for_each_triple(web: &OrcaWeb, node: &OrcaNode, emit: &mut impl FnMut(Triple)) {
    match node.kind {
        NodeKind::Ckan => {}
        NodeKind::Rdfa => rdfa::statements(&web.nodes, node, &web.pages).for_each(emit),
        NodeKind::Dereferencing | NodeKind::Dump | NodeKind::Sparql => node.triples(&web.nodes).for_each(emit),
    }
}

fn hash(triple: TripleRef<'_>) -> u64 {
    xxh3_64(triple.to_string().as_bytes())
}

/// Whether the quad may belong to the description of a catalogue.
fn belongs_to_catalogue(quad: &Quad) -> bool {
    let predicate = quad.predicate.as_str();
    let dcat = |term: &Term| matches!(term, Term::NamedNode(node) if node.as_str().starts_with(DCAT));
    predicate.starts_with(DCAT) || predicate == TITLE || (quad.predicate == rdf::TYPE && dcat(&quad.object))
}

/// An ASK query that is true if the harvest contains the expected description of a dataset.
fn dataset_query(target: &str) -> String {
    let title = ckan::dataset_title(target);
    format!(
        "PREFIX dcat: <{DCAT}> ASK {{ ?d a dcat:Dataset ; dcat:distribution ?r ; <{TITLE}> \"{title}\" . ?r a \
         dcat:Distribution ; dcat:accessURL <{target}> }}"
    )
}

fn load_store(quads: Vec<Quad>) -> Store {
    let store = Store::new().expect("a store in memory can be created");
    store.extend(quads).expect("a store in memory accepts all quads");
    store
}
