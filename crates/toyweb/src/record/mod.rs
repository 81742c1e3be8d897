//! A generated world, or a graph of entities, written down as a recorded web.
//!
//! What comes out has the form of a web that was really recorded: WARC files, a
//! manifest with a label for every answer, seeds, and an entry page per host. So
//! whatever replays and scores recorded webs can do the same with a world. The
//! labels are read off the plan of each document, never off its bytes.
//!
//! Recorded is what can be reached from the seeds over links of RDF and HTML and
//! can be had, as a visitor sees it who prefers RDF; what answers an error is
//! missing, as in any recording. The same parameters give the same bytes. Of a
//! graph of entities everything is recorded, for any of them may be a seed.

mod entities;
mod manifest;
mod warc;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use http::StatusCode;
use http::header::{ACCEPT, LOCATION};

use crate::message::{Body, Request, Response, Web};
use crate::truth::Mode;
use crate::truth::reach::Reach;
use crate::world::links::{Anchor, Destination, Detour, Link, Target, push_moved};
use crate::world::plan::{Face, Naming, Plan};
use crate::world::site::{Side, Site};
use crate::world::{Fault, Kind, World, vocabulary};
pub use entities::record_entities;
use manifest::{Class, Manifest, Row};

/// What a visitor says who prefers RDF and takes anything.
const PREFERS_RDF: &str = "application/rdf+xml, text/turtle, application/n-triples, application/n-quads, \
                           application/trig, application/ld+json;q=0.9, text/html;q=0.5, */*;q=0.1";

/// How much was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Answers with 200.
    pub documents: u64,
    /// Those of them that hold RDF.
    pub rdf: u64,
    /// Those whose URL and media type do not tell whether they hold RDF.
    pub hard: u64,
    /// Those of the latter that do.
    pub hard_rdf: u64,
    /// Redirects.
    pub redirects: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
}

/// Records a world into a directory, which is made if need be. What earlier
/// recordings left there under the same names is replaced.
pub fn record(world: &World, directory: &Path) -> io::Result<Recorded> {
    std::fs::create_dir_all(directory)?;
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    let mut recorder = Recorder {
        world,
        reach: Reach::compute(world, Mode::All),
        warc: warc::Writer::new(directory),
        manifest: Manifest::new(create("manifest.tsv.gz")?)?,
        entries: create("entry-pages.tsv")?,
        detours: BTreeSet::new(),
        loops: BTreeSet::new(),
        recorded: Recorded::default(),
    };
    writeln!(recorder.entries, "host\tsplit\tentry_url\tlabel\treach_in_host")?;
    for number in 0..world.parameters().hosts {
        recorder.site(world.site(number))?;
    }
    recorder.ways()?;
    recorder.vocabularies()?;
    recorder.manifest.finish()?;
    recorder.entries.flush()?;
    recorder.warc.finish()?;
    let mut seeds = create("seeds.txt")?;
    world.seeds().iter().try_for_each(|seed| writeln!(seeds, "{}", without_fragment(seed)))?;
    seeds.flush()?;
    let parameters = toml::to_string(world.parameters()).map_err(io::Error::other)?;
    std::fs::write(directory.join("world.toml"), parameters)?;
    Ok(recorder.recorded)
}

struct Recorder<'a> {
    world: &'a World,
    reach: Reach,
    warc: warc::Writer,
    manifest: Manifest,
    entries: BufWriter<File>,
    /// Redirects that some link leads into: site, status, hops, document.
    detours: BTreeSet<(u32, u16, u32, u32)>,
    /// Endless redirects that some link leads into: site, number.
    loops: BTreeSet<(u32, u32)>,
    recorded: Recorded,
}

impl Recorder<'_> {
    fn site(&mut self, site: Site) -> io::Result<()> {
        let before = self.recorded.documents;
        for number in 0..site.documents {
            let plan = self.world.plan(site, number);
            self.document(&plan)?;
        }
        let home = self.world.plan(site, 0);
        if site.fault.is_some_and(|fault| !fault.spares_document()) {
            return Ok(());
        }
        let origin = site.origin(Side::Pages);
        self.redirect(&format!("{origin}/"), home.kind.holds_rdf().into())?;
        let robots = format!("{origin}/robots.txt");
        if let Some(answer) = self.ask(&robots).filter(|answer| answer.status == StatusCode::OK) {
            self.put(&robots, &answer, Class::Other, Label::None, "")?;
        }
        let documents = self.recorded.documents - before;
        let url = home.url(Face::Document);
        let (host, label) = (host_of(&url), Label::from(home.kind.holds_rdf()).name());
        writeln!(self.entries, "{host}\tpublic\t{url}\t{label}\t{documents}")
    }

    fn document(&mut self, plan: &Plan) -> io::Result<()> {
        let has_document = self.reach.has(plan, Face::Document) && plan.obtainable();
        let has_page = self.reach.has(plan, Face::Page) && plan.site.fault.is_none_or(Fault::spares_document);
        if !has_document && !has_page {
            return Ok(());
        }
        let links = self.world.links(plan);
        self.note_ways(&links);
        if has_document {
            let class = class(self.world, plan, &links);
            self.get(&plan.url(Face::Document), class, plan.kind.holds_rdf().into(), format(plan.kind))?;
        }
        if plan.naming == Naming::Slash {
            self.redirect(&plan.url(Face::Resource), has_document.into())?;
        }
        if has_page {
            // It always links to the RDF document it stands beside.
            self.get(&plan.url(Face::Page), Class::LeadsToRdf, Label::None, "html")?;
        }
        Ok(())
    }

    fn note_ways(&mut self, links: &[Link]) {
        for link in links {
            match link.target {
                Target::Moved(plan, detour) => {
                    for hops in 1..=detour.hops {
                        self.detours.insert((plan.site.number, detour.status, hops, plan.number));
                    }
                }
                Target::Loop(site, number) => drop(self.loops.insert((site.number, number))),
                Target::Document(_) | Target::Broken(..) | Target::Private(..) => {}
            }
        }
    }

    /// The redirects that links lead into.
    fn ways(&mut self) -> io::Result<()> {
        for (site, status, hops, number) in std::mem::take(&mut self.detours) {
            let plan = self.world.plan(self.world.site(site), number);
            let mut url = String::new();
            push_moved(plan.site, Detour { status, hops }, number, &mut url);
            let label = if plan.obtainable() { plan.kind.holds_rdf().into() } else { Label::Unresolved };
            self.redirect(&url, label)?;
        }
        for (site, number) in std::mem::take(&mut self.loops) {
            let origin = self.world.site(site).origin(Side::Pages);
            for turn in 0..2 {
                self.redirect(&format!("{origin}/loop/{turn}/{number}"), Label::Unresolved)?;
            }
        }
        Ok(())
    }

    fn vocabularies(&mut self) -> io::Result<()> {
        for number in 0..self.world.vocabularies() {
            let url = vocabulary::url(number, self.world.parameters().vocabularies);
            self.get(&url, Class::Rdf, Label::Rdf, format(Kind::Turtle))?;
        }
        Ok(())
    }

    /// Records a document that answers 200, if need be after some patience.
    fn get(&mut self, url: &str, class: Class, label: Label, format: &str) -> io::Result<()> {
        let patience = self.world.parameters().faults.passing_requests + 1;
        let mut answers = (0..patience).filter_map(|_| self.ask(url));
        let Some(answer) = answers.find(|answer| answer.status == StatusCode::OK) else { return Ok(()) };
        self.put(url, &answer, class, label, format)
    }

    /// Records a redirect, with the label of the document it ends at.
    fn redirect(&mut self, url: &str, label: Label) -> io::Result<()> {
        match self.ask(url).filter(|answer| answer.status.is_redirection()) {
            None => Ok(()),
            Some(answer) => self.put(url, &answer, Class::Redirect, label, ""),
        }
    }

    fn ask(&self, url: &str) -> Option<Response> {
        let answer = self.world.respond(&Request::get(url).with(ACCEPT, PREFERS_RDF));
        matches!(answer.body, Body::Whole(_)).then_some(answer)
    }

    fn put(&mut self, url: &str, answer: &Response, class: Class, label: Label, format: &str) -> io::Result<()> {
        let Body::Whole(body) = &answer.body else { unreachable!("only whole answers are put") };
        let row = Row { url, answer, bytes: body.len(), class, label, format, redirect: location(url, answer) };
        self.warc.put(url, answer, body)?;
        self.manifest.put(&row)?;
        self.recorded.bytes += body.len() as u64;
        if class == Class::Redirect {
            self.recorded.redirects += 1;
            return Ok(());
        }
        let (rdf, hard) = (label == Label::Rdf, row.is_hard());
        self.recorded.documents += 1;
        self.recorded.rdf += u64::from(rdf);
        self.recorded.hard += u64::from(hard);
        self.recorded.hard_rdf += u64::from(rdf && hard);
        Ok(())
    }
}

/// What the truth says about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Rdf,
    None,
    /// A redirect that ends nowhere.
    Unresolved,
}

impl From<bool> for Label {
    fn from(holds_rdf: bool) -> Self {
        if holds_rdf { Self::Rdf } else { Self::None }
    }
}

impl Label {
    fn name(self) -> &'static str {
        match self {
            Self::Rdf => "rdf",
            Self::None => "no-rdf",
            Self::Unresolved => "unresolved",
        }
    }
}

/// The class of link analysis; HTML that embeds RDF or links to an RDF document
/// is one, as in the recordings this follows.
fn class(world: &World, plan: &Plan, links: &[Link]) -> Class {
    let is_rdf = |plan: &Plan| plan.kind.is_serialisation() && plan.obtainable();
    let leads = |anchor: &Anchor| match &anchor.to {
        Destination::Target(Target::Document(plan) | Target::Moved(plan, _)) => is_rdf(plan),
        Destination::Face(plan, face) => *face == Face::Document && is_rdf(plan),
        Destination::Vocabulary(_) => true,
        Destination::Target(_) | Destination::Gallery => false,
    };
    match plan.kind {
        Kind::Binary => Class::Other,
        kind if kind.is_serialisation() => Class::Rdf,
        kind if kind.holds_rdf() || world.anchors(plan, links).iter().any(leads) => Class::LeadsToRdf,
        _ => Class::Html,
    }
}

/// What a document is written in, as manifests call it.
fn format(kind: Kind) -> &'static str {
    match kind {
        Kind::RdfXml => "xml",
        Kind::Turtle => "turtle",
        Kind::NTriples => "nt",
        Kind::NQuads => "nquads",
        Kind::TriG => "trig",
        Kind::JsonLd => "json-ld",
        Kind::Binary => "",
        _ => "html",
    }
}

fn location(url: &str, answer: &Response) -> Option<String> {
    let location = answer.headers.get(LOCATION)?.to_str().ok()?;
    let base = url::Url::parse(url).ok()?;
    Some(without_fragment(base.join(location).ok()?.as_str()).to_owned())
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

fn host_of(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}
