//! What was expected, and what of it was brought home.

use std::collections::HashMap;

use oxigraph::model::vocab::rdf;
use oxigraph::model::{GraphName, Quad, Term, Triple, TripleRef};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use xxhash_rust::xxh3::xxh3_64;

use crate::orca::cloud::Kind;
use crate::orca::node::Node;
use crate::orca::truth::{DCAT, TITLE};
use crate::orca::{OrcaWeb, ckan, rdfa, suite};

/// The harvest, as far as it matters. A triple that is expected is a hash.
pub(super) struct Harvest<'a> {
    web: &'a OrcaWeb,
    /// Whether a triple that is expected was found.
    found: HashMap<u64, bool, foldhash::fast::RandomState>,
    /// What may be part of the description of a catalogue.
    catalogues: Vec<Quad>,
    /// The triples of test pages, by node and page.
    pages: HashMap<String, Vec<Triple>>,
    /// The triples of a harvest without graphs.
    unplaced: Vec<Quad>,
    pub(super) quads: u64,
}

/// What was expected of a node, and what of it was found.
#[derive(Clone, Default)]
pub(super) struct Count {
    pub(super) expected: u64,
    pub(super) found: u64,
    /// Some of what was not found: triples, titles of datasets, URLs of pages.
    pub(super) missing: Vec<String>,
}

/// How much of what is missing is told of each node.
const MISSING_MAX: usize = 20;

impl Count {
    fn add(&mut self, found: bool, what: impl FnOnce() -> String) {
        self.expected += 1;
        self.found += u64::from(found);
        if !found && self.missing.len() < MISSING_MAX {
            self.missing.push(what());
        }
    }
}

impl<'a> Harvest<'a> {
    pub(super) fn new(web: &'a OrcaWeb) -> Self {
        let mut harvest = Self {
            web,
            found: HashMap::default(),
            catalogues: Vec::new(),
            pages: HashMap::new(),
            unplaced: Vec::new(),
            quads: 0,
        };
        for node in &web.nodes {
            for_each_triple(web, node, &mut |triple| {
                harvest.found.insert(hash(triple.as_ref()), false);
            });
            if node.kind == Kind::Rdfa {
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
            GraphName::DefaultGraph if !self.pages.is_empty() => self.unplaced.push(quad),
            _ => {}
        }
    }

    /// What was expected and found, by node.
    pub(super) fn counts(self) -> Vec<Count> {
        let mut counts = vec![Count::default(); self.web.nodes.len()];
        let catalogues = store(self.catalogues);
        let unplaced = (!self.unplaced.is_empty()).then(|| store(self.unplaced));
        for (node, count) in self.web.nodes.iter().zip(&mut counts) {
            for_each_triple(self.web, node, &mut |triple| {
                let found = self.found.get(&hash(triple.as_ref())) == Some(&true);
                count.add(found, || triple.to_string());
            });
            for (_, to) in node.links.iter().filter(|_| node.kind == Kind::Ckan) {
                let target = self.web.nodes[*to as usize].access();
                count.add(holds(&catalogues, &pattern(&target)), || ckan::title(&target));
            }
            let host = node.host();
            for page in self.web.pages.iter().filter(|_| node.kind == Kind::Rdfa) {
                let (query, url) = (page.query(&host), format!("http://{host}{}", page.path));
                let triples = self.pages.get(&url).map_or(&[][..], Vec::as_slice);
                let found = match (&unplaced, triples) {
                    (Some(store), []) => holds(store, &query),
                    (_, triples) => suite::holds(&query, triples),
                };
                count.add(found, || url);
            }
        }
        counts
    }
}

/// Calls `visit` for every triple that is expected of a node as it is.
fn for_each_triple(web: &OrcaWeb, node: &Node, visit: &mut impl FnMut(Triple)) {
    match node.kind {
        Kind::Ckan => {}
        Kind::Rdfa => rdfa::statements(&web.nodes, node, &web.pages).for_each(visit),
        Kind::Dereferencing | Kind::Dump | Kind::Sparql => node.triples(&web.nodes).for_each(visit),
    }
}

fn hash(triple: TripleRef<'_>) -> u64 {
    xxh3_64(triple.to_string().as_bytes())
}

/// Whether the quad may be part of what is expected of a catalogue.
fn belongs_to_catalogue(quad: &Quad) -> bool {
    let predicate = quad.predicate.as_str();
    let dcat = |term: &Term| matches!(term, Term::NamedNode(node) if node.as_str().starts_with(DCAT));
    predicate.starts_with(DCAT) || predicate == TITLE || (quad.predicate == rdf::TYPE && dcat(&quad.object))
}

/// What is to be said about a dataset.
fn pattern(target: &str) -> String {
    let title = ckan::title(target);
    format!(
        "PREFIX dcat: <{DCAT}> ASK {{ ?d a dcat:Dataset ; dcat:distribution ?r ; <{TITLE}> \"{title}\" . ?r a \
         dcat:Distribution ; dcat:accessURL <{target}> }}"
    )
}

fn store(quads: Vec<Quad>) -> Store {
    let store = Store::new().expect("a store in memory");
    store.extend(quads).expect("memory takes all quads");
    store
}

fn holds(store: &Store, query: &str) -> bool {
    let Ok(query) = SparqlEvaluator::new().parse_query(query) else { return false };
    matches!(query.on_store(store).execute(), Ok(QueryResults::Boolean(true)))
}
