//! What there is to be found in a world.
//!
//! Read off what the generator means to say, never off the bytes it writes.

pub(crate) mod reach;

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::world::content::{Content, Node};
use crate::world::plan::{Face, Plan};
use crate::world::vocabulary::{self, Namespace};
use crate::world::write::flat;
use crate::world::{Fault, Kind, World, gallery};

use reach::Reach;

/// Which links a visitor follows, and what it would rather be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Links that RDF states, embedded in HTML or not; prefers RDF.
    Rdf,
    /// Links of RDF and of HTML; prefers RDF.
    All,
    /// Links of HTML only; prefers HTML.
    Html,
}

/// The truth about one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The URL that answers 200.
    pub url: String,
    /// What it is written in; for a negotiating document, first of all.
    pub kind: Kind,
    /// Whether it holds RDF.
    pub relevant: bool,
    /// Whether links lead to it from the seeds.
    pub reachable: bool,
    /// Whether a patient and polite visitor gets it whole.
    pub obtainable: bool,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub topic: Option<u32>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fault: Option<Fault>,
    /// What it says, each statement once.
    pub quads: Vec<Quad>,
}

impl Document {
    /// Whether it is to be found: relevant, reachable and obtainable.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.relevant && self.reachable && self.obtainable
    }
}

/// One statement of a document. Its graph is the document's URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quad {
    /// Subject, predicate and object as N-Triples write them, without the
    /// full stop.
    pub triple: String,
    /// The named graph the document itself puts it in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_graph: Option<String>,
}

/// Tells the truth about every document of a world.
pub fn truth(world: &World, mode: Mode, tell: &mut impl FnMut(Document)) {
    let reach = Reach::compute(world, mode);
    // Vocabularies are reached by being used.
    let mut used = Vec::new();
    for site in 0..world.parameters().hosts {
        let site = world.site(site);
        for number in 0..site.documents {
            let plan = world.plan(site, number);
            let content = world.content(&plan, &world.links(&plan));
            let document = of_plan(&plan, &content, &reach);
            if document.counts() && mode != Mode::Html {
                note_namespaces(&content, &mut used);
            }
            tell(document);
            if plan.kind.is_serialisation() {
                tell(of_page(&plan, &reach));
            }
        }
    }
    of_vocabularies(world, &reach, &used, tell);
    if world.parameters().faults.gallery {
        of_gallery(&reach, tell);
    }
}

fn of_plan(plan: &Plan, content: &Content, reach: &Reach) -> Document {
    let url = plan.url(Face::Document);
    Document {
        kind: plan.kind,
        relevant: plan.kind.holds_rdf(),
        reachable: reach.has(plan, Face::Document),
        obtainable: plan.obtainable(),
        topic: Some(plan.topic),
        fault: plan.fault,
        quads: quads(content, &url),
        url,
    }
}

fn of_page(plan: &Plan, reach: &Reach) -> Document {
    Document {
        url: plan.url(Face::Page),
        kind: Kind::Page,
        relevant: false,
        reachable: reach.has(plan, Face::Page),
        obtainable: plan.is_there() && plan.site.fault.is_none_or(Fault::spares_document),
        topic: Some(plan.topic),
        fault: plan.site.fault,
        quads: Vec::new(),
    }
}

fn of_vocabularies(world: &World, reach: &Reach, used: &[Namespace], tell: &mut impl FnMut(Document)) {
    let of_world = world.parameters().vocabularies;
    for number in 0..world.vocabularies() {
        let url = vocabulary::url(number, of_world);
        let content = vocabulary::content(number, of_world);
        tell(Document {
            kind: Kind::Turtle,
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

fn of_gallery(reach: &Reach, tell: &mut impl FnMut(Document)) {
    for (fault, url) in gallery::exhibits() {
        tell(Document {
            kind: Kind::Turtle,
            relevant: true,
            reachable: reach.gallery,
            obtainable: fault.spares_document(),
            topic: None,
            fault: Some(fault),
            quads: quads(&gallery::content(fault, &url), &url),
            url,
        });
    }
}

fn quads(content: &Content, url: &str) -> Vec<Quad> {
    let mut quads = Vec::new();
    content.for_each(&mut |statement| {
        let mut triple = String::with_capacity(128);
        flat::push_triple(statement.subject, Node::Name(statement.predicate), statement.object, &mut triple);
        let original_graph = statement.graph.map(|graph| {
            let mut name = String::new();
            flat::push_graph(url, graph, &mut name);
            name
        });
        quads.push(Quad { triple, original_graph });
    });
    quads.sort_unstable();
    // Folded into one graph, a statement of two graphs is one.
    quads.dedup_by(|left, right| left.triple == right.triple);
    quads
}

fn note_namespaces(content: &Content, used: &mut Vec<Namespace>) {
    for namespace in content.namespaces() {
        if !used.contains(&namespace) {
            used.push(namespace);
        }
    }
}

/// Writes the truth as one JSON object per line.
pub fn write_ndjson(world: &World, mode: Mode, out: &mut impl Write) -> io::Result<()> {
    write_each(world, mode, |document| {
        serde_json::to_writer(&mut *out, &document)?;
        out.write_all(b"\n")
    })
}

/// Writes the quads of all documents that count, each in the graph named by
/// its document's URL. Blank nodes are labelled apart by document.
pub fn write_n_quads(world: &World, mode: Mode, out: &mut impl Write) -> io::Result<()> {
    let mut documents = 0_u64;
    write_each(world, mode, |document| {
        if !document.counts() {
            return Ok(());
        }
        documents += 1;
        for quad in &document.quads {
            let triple = apart(&quad.triple, documents);
            writeln!(out, "{triple} <{}> .", document.url)?;
        }
        Ok(())
    })
}

/// The triple with its blank node labels made this document's own.
fn apart(triple: &str, document: u64) -> String {
    let label = |term: &str| match term.strip_prefix("_:") {
        Some(label) => format!("_:d{document}{label}"),
        None => term.to_owned(),
    };
    // Subject and predicate hold no space; the object may.
    let mut terms = triple.splitn(3, ' ');
    let mut next = || terms.next().unwrap_or_default();
    let (subject, predicate, object) = (next(), next(), next());
    format!("{} {predicate} {}", label(subject), label(object))
}

fn write_each(world: &World, mode: Mode, mut write: impl FnMut(Document) -> io::Result<()>) -> io::Result<()> {
    let mut outcome = Ok(());
    truth(world, mode, &mut |document| {
        if outcome.is_ok() {
            outcome = write(document);
        }
    });
    outcome
}

/// Reads what `write_ndjson` wrote.
pub fn read_ndjson(reader: impl BufRead) -> impl Iterator<Item = io::Result<Document>> {
    reader.lines().map(|line| Ok(serde_json::from_str(&line?)?))
}
