//! The ground truth of a world: its documents and their statements.
//!
//! The truth comes from the plan of each document, never from the bytes that the generator writes.

pub(crate) mod reach;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::world::content::{ContentNode, DocumentContent};
use crate::world::plan::{DocumentPlan, DocumentUrlKind};
use crate::world::vocabulary::{self, VocabularyNamespace};
use crate::world::write::flat;
use crate::world::{DocumentKind, ServerFault, World, fault_gallery};

use reach::ReachableDocuments;

/// The links that a crawler follows, and the representation it prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruthMode {
    /// Links that RDF states, embedded in HTML or not; prefers RDF.
    Rdf,
    /// Links of RDF and of HTML; prefers RDF.
    All,
    /// Links of HTML only; prefers HTML.
    Html,
}

/// The truth about one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthDocument {
    /// The URL that responds with 200.
    pub url: String,
    /// The syntax; the preferred one for a document with content negotiation.
    pub kind: DocumentKind,
    /// Whether the document contains RDF.
    pub relevant: bool,
    /// Whether the document is reachable from the seeds over links.
    pub reachable: bool,
    /// Whether a polite crawler that retries receives the complete document.
    pub obtainable: bool,
    /// The topic number of the document, if it has a topic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub topic: Option<u32>,
    /// The configured server fault of this document, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fault: Option<ServerFault>,
    /// The statements, each once.
    pub quads: Vec<TruthQuad>,
}

impl TruthDocument {
    /// Whether a crawl is expected to find the document: it is relevant, reachable and obtainable.
    #[must_use]
    pub fn is_expected(&self) -> bool {
        self.relevant && self.reachable && self.obtainable
    }
}

/// One statement of a document. Its graph is the document's URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TruthQuad {
    /// Subject, predicate and object in N-Triples syntax, without the full stop.
    pub triple: String,
    /// The named graph inside the document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_graph: Option<String>,
}

/// Calls `emit` with the truth about every document of a world.
pub fn for_each_document(world: &World, mode: TruthMode, emit: &mut impl FnMut(TruthDocument)) {
    let reach = ReachableDocuments::compute(world, mode);
    // A vocabulary is reachable if a document uses it.
    let mut used = Vec::new();
    for site in 0..world.parameters().hosts {
        let site = world.site(site);
        for number in 0..site.documents {
            let plan = world.plan(site, number);
            let content = world.content(&plan, &world.links(&plan));
            let document = document_truth(&plan, &content, &reach);
            if document.is_expected() && mode != TruthMode::Html {
                collect_namespaces(&content, &mut used);
            }
            emit(document);
            if plan.kind.is_serialisation() {
                emit(page_truth(&plan, &reach));
            }
        }
    }
    for_each_vocabulary(world, &reach, &used, emit);
    if world.parameters().faults.gallery {
        for_each_fault_document(&reach, emit);
    }
}

fn document_truth(plan: &DocumentPlan, content: &DocumentContent, reach: &ReachableDocuments) -> TruthDocument {
    let url = plan.url(DocumentUrlKind::Document);
    TruthDocument {
        kind: plan.kind,
        relevant: plan.kind.holds_rdf(),
        reachable: reach.contains(plan, DocumentUrlKind::Document),
        obtainable: plan.is_obtainable(),
        topic: Some(plan.topic),
        fault: plan.fault,
        quads: quads(content, &url),
        url,
    }
}

fn page_truth(plan: &DocumentPlan, reach: &ReachableDocuments) -> TruthDocument {
    TruthDocument {
        url: plan.url(DocumentUrlKind::Page),
        kind: DocumentKind::Page,
        relevant: false,
        reachable: reach.contains(plan, DocumentUrlKind::Page),
        obtainable: plan.exists() && plan.site.fault.is_none_or(ServerFault::leaves_document_obtainable),
        topic: Some(plan.topic),
        fault: plan.site.fault,
        quads: Vec::new(),
    }
}

fn for_each_vocabulary(
    world: &World,
    reach: &ReachableDocuments,
    used: &[VocabularyNamespace],
    emit: &mut impl FnMut(TruthDocument),
) {
    let of_world = world.parameters().vocabularies;
    for number in 0..world.vocabulary_count() {
        let url = vocabulary::url(number, of_world);
        let content = vocabulary::content(number, of_world);
        emit(TruthDocument {
            kind: DocumentKind::Turtle,
            relevant: true,
            reachable: reach.vocabularies || used.contains(&vocabulary::namespace(number, of_world)),
            obtainable: true,
            topic: None,
            fault: None,
            quads: quads(&content, &url),
            url,
        });
    }
}

fn for_each_fault_document(reach: &ReachableDocuments, emit: &mut impl FnMut(TruthDocument)) {
    for (fault, url) in fault_gallery::fault_urls() {
        emit(TruthDocument {
            kind: DocumentKind::Turtle,
            relevant: true,
            reachable: reach.gallery,
            obtainable: fault.leaves_document_obtainable(),
            topic: None,
            fault: Some(fault),
            quads: quads(&fault_gallery::content(fault, &url), &url),
            url,
        });
    }
}

fn quads(content: &DocumentContent, url: &str) -> Vec<TruthQuad> {
    let mut quads = Vec::new();
    content.for_each(&mut |statement| {
        let mut triple = String::with_capacity(128);
        flat::push_triple(statement.subject, ContentNode::Name(statement.predicate), statement.object, &mut triple);
        let original_graph = statement.graph.map(|graph| {
            let mut name = String::new();
            flat::push_graph(url, graph, &mut name);
            name
        });
        quads.push(TruthQuad { triple, original_graph });
    });
    quads.sort_unstable();
    // All graphs of a document are merged, so a statement in two graphs counts once.
    quads.dedup_by(|left, right| left.triple == right.triple);
    quads
}

fn collect_namespaces(content: &DocumentContent, used: &mut Vec<VocabularyNamespace>) {
    for namespace in content.namespaces() {
        if !used.contains(&namespace) {
            used.push(namespace);
        }
    }
}

/// Writes the truth as one JSON object per line.
pub fn write_ndjson(world: &World, mode: TruthMode, out: &mut impl Write) -> io::Result<()> {
    try_for_each_document(world, mode, |document| {
        serde_json::to_writer(&mut *out, &document)?;
        out.write_all(b"\n")
    })
}

/// Writes the quads of all expected documents, each in the graph named by its document's URL. Blank node labels are
/// unique per document.
pub fn write_n_quads(world: &World, mode: TruthMode, out: &mut impl Write) -> io::Result<()> {
    let mut documents = 0_u64;
    try_for_each_document(world, mode, |document| {
        if !document.is_expected() {
            return Ok(());
        }
        documents += 1;
        for quad in &document.quads {
            let triple = scope_blank_nodes(&quad.triple, documents);
            writeln!(out, "{triple} <{}> .", document.url)?;
        }
        Ok(())
    })
}

/// The triple with blank node labels that are unique to this document.
fn scope_blank_nodes(triple: &str, document: u64) -> String {
    let label = |term: &str| match term.strip_prefix("_:") {
        Some(label) => format!("_:d{document}{label}"),
        None => term.to_owned(),
    };
    // Subject and predicate contain no space; the object may.
    let mut terms = triple.splitn(3, ' ');
    let mut next = || terms.next().unwrap_or_default();
    let (subject, predicate, object) = (next(), next(), next());
    format!("{} {predicate} {}", label(subject), label(object))
}

fn try_for_each_document(
    world: &World,
    mode: TruthMode,
    mut write: impl FnMut(TruthDocument) -> io::Result<()>,
) -> io::Result<()> {
    let mut outcome = Ok(());
    for_each_document(world, mode, &mut |document| {
        if outcome.is_ok() {
            outcome = write(document);
        }
    });
    outcome
}
