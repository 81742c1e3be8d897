//! Records a generated world or an entity graph.
//!
//! The output has the form of a web recorded from the internet: WARC files, a manifest with a label for every response,
//! seeds, and an entry page per host. Tools that replay and score recorded webs can use it unchanged. The labels come
//! from the plan of each document, never from its bytes.
//!
//! A recording of a world contains every document that is reachable from the seeds over RDF and HTML links and is
//! obtainable, as a client that prefers RDF receives it. Error responses are omitted, as in any recording. Equal
//! parameters give equal bytes. A recording of an entity graph contains all documents, because each may be a seed.

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

use crate::message::{Web, WebBody, WebRequest, WebResponse};
use crate::truth::TruthMode;
use crate::truth::reach::ReachableDocuments;
use crate::world::links::{AnchorTarget, HtmlAnchor, RedirectDetour, WorldLink, WorldLinkTarget, push_redirect_url};
use crate::world::plan::{DocumentPlan, DocumentUrlKind, LinkNaming};
use crate::world::site::{HostSide, WorldSite};
use crate::world::{DocumentKind, ServerFault, World, vocabulary};
pub use entities::record_entities;
use manifest::{ManifestClass, ManifestRow, RecordingManifest};

/// The `Accept` field of a client that prefers RDF and accepts everything.
const ACCEPT_RDF_FIRST: &str = "application/rdf+xml, text/turtle, application/n-triples, application/n-quads, \
                           application/trig, application/ld+json;q=0.9, text/html;q=0.5, */*;q=0.1";

/// Counts of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordSummary {
    /// Responses with status 200.
    pub documents: u64,
    /// Documents that contain RDF.
    pub rdf: u64,
    /// Hard URIs: documents whose URL and media type do not show whether they contain RDF.
    pub hard: u64,
    /// Hard URIs that contain RDF.
    pub hard_rdf: u64,
    /// Redirects.
    pub redirects: u64,
    /// Total size of all bodies, in bytes.
    pub bytes: u64,
}

/// Records a world into a directory, which is created if necessary. Files of earlier recordings are replaced.
pub fn record(world: &World, directory: &Path) -> io::Result<RecordSummary> {
    std::fs::create_dir_all(directory)?;
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    let mut recorder = WorldRecorder {
        world,
        reach: ReachableDocuments::compute(world, TruthMode::All),
        warc: warc::WarcFileWriter::new(directory),
        manifest: RecordingManifest::new(create("manifest.tsv.gz")?)?,
        entries: create("entry-pages.tsv")?,
        detours: BTreeSet::new(),
        loops: BTreeSet::new(),
        summary: RecordSummary::default(),
    };
    writeln!(recorder.entries, "host\tsplit\tentry_url\tlabel\treach_in_host")?;
    for number in 0..world.parameters().hosts {
        recorder.record_site(world.site(number))?;
    }
    recorder.record_redirects()?;
    recorder.record_vocabularies()?;
    recorder.manifest.finish()?;
    recorder.entries.flush()?;
    recorder.warc.finish()?;
    let mut seeds = create("seeds.txt")?;
    world.seeds().iter().try_for_each(|seed| writeln!(seeds, "{}", without_fragment(seed)))?;
    seeds.flush()?;
    let parameters = toml::to_string(world.parameters()).map_err(io::Error::other)?;
    std::fs::write(directory.join("world.toml"), parameters)?;
    Ok(recorder.summary)
}

struct WorldRecorder<'a> {
    world: &'a World,
    reach: ReachableDocuments,
    warc: warc::WarcFileWriter,
    manifest: RecordingManifest,
    entries: BufWriter<File>,
    /// The redirects that are targets of links: site, status, hops, document.
    detours: BTreeSet<(u32, u16, u32, u32)>,
    /// The redirect loops that are targets of links: site, number.
    loops: BTreeSet<(u32, u32)>,
    summary: RecordSummary,
}

impl WorldRecorder<'_> {
    fn record_site(&mut self, site: WorldSite) -> io::Result<()> {
        let before = self.summary.documents;
        for number in 0..site.documents {
            let plan = self.world.plan(site, number);
            self.record_document(&plan)?;
        }
        let home = self.world.plan(site, 0);
        if site.fault.is_some_and(|fault| !fault.leaves_document_obtainable()) {
            return Ok(());
        }
        let origin = site.origin(HostSide::Pages);
        self.record_redirect(&format!("{origin}/"), home.kind.holds_rdf().into())?;
        let robots = format!("{origin}/robots.txt");
        if let Some(response) = self.request(&robots).filter(|response| response.status == StatusCode::OK) {
            self.write_record(&robots, &response, ManifestClass::Other, TruthLabel::None, "")?;
        }
        let documents = self.summary.documents - before;
        let url = home.url(DocumentUrlKind::Document);
        let (host, label) = (host_of(&url), TruthLabel::from(home.kind.holds_rdf()).name());
        writeln!(self.entries, "{host}\tpublic\t{url}\t{label}\t{documents}")
    }

    fn record_document(&mut self, plan: &DocumentPlan) -> io::Result<()> {
        let has_document = self.reach.contains(plan, DocumentUrlKind::Document) && plan.is_obtainable();
        let has_page = self.reach.contains(plan, DocumentUrlKind::Page)
            && plan.site.fault.is_none_or(ServerFault::leaves_document_obtainable);
        if !has_document && !has_page {
            return Ok(());
        }
        let links = self.world.links(plan);
        self.collect_redirects(&links);
        if has_document {
            let class = classify(self.world, plan, &links);
            self.record_url(
                &plan.url(DocumentUrlKind::Document),
                class,
                plan.kind.holds_rdf().into(),
                format_name(plan.kind),
            )?;
        }
        if plan.naming == LinkNaming::Slash {
            self.record_redirect(&plan.url(DocumentUrlKind::Resource), has_document.into())?;
        }
        if has_page {
            // The page always links to its RDF document.
            self.record_url(&plan.url(DocumentUrlKind::Page), ManifestClass::LeadsToRdf, TruthLabel::None, "html")?;
        }
        Ok(())
    }

    fn collect_redirects(&mut self, links: &[WorldLink]) {
        for link in links {
            match link.target {
                WorldLinkTarget::Redirected(plan, detour) => {
                    for hops in 1..=detour.hops {
                        self.detours.insert((plan.site.number, detour.status, hops, plan.number));
                    }
                }
                WorldLinkTarget::Loop(site, number) => drop(self.loops.insert((site.number, number))),
                WorldLinkTarget::Document(_) | WorldLinkTarget::Broken(..) | WorldLinkTarget::Private(..) => {}
            }
        }
    }

    /// Records the redirects that are targets of links.
    fn record_redirects(&mut self) -> io::Result<()> {
        for (site, status, hops, number) in std::mem::take(&mut self.detours) {
            let plan = self.world.plan(self.world.site(site), number);
            let mut url = String::new();
            push_redirect_url(plan.site, RedirectDetour { status, hops }, number, &mut url);
            let label = if plan.is_obtainable() { plan.kind.holds_rdf().into() } else { TruthLabel::Unresolved };
            self.record_redirect(&url, label)?;
        }
        for (site, number) in std::mem::take(&mut self.loops) {
            let origin = self.world.site(site).origin(HostSide::Pages);
            for turn in 0..2 {
                self.record_redirect(&format!("{origin}/loop/{turn}/{number}"), TruthLabel::Unresolved)?;
            }
        }
        Ok(())
    }

    fn record_vocabularies(&mut self) -> io::Result<()> {
        for number in 0..self.world.vocabulary_count() {
            let url = vocabulary::url(number, self.world.parameters().vocabularies);
            self.record_url(&url, ManifestClass::Rdf, TruthLabel::Rdf, format_name(DocumentKind::Turtle))?;
        }
        Ok(())
    }

    /// Records a document that responds with 200, after retries if its fault is transient.
    fn record_url(&mut self, url: &str, class: ManifestClass, label: TruthLabel, format: &str) -> io::Result<()> {
        let attempts = self.world.parameters().faults.passing_requests + 1;
        let mut responses = (0..attempts).filter_map(|_| self.request(url));
        let Some(response) = responses.find(|response| response.status == StatusCode::OK) else { return Ok(()) };
        self.write_record(url, &response, class, label, format)
    }

    /// Records a redirect with the label of its final document.
    fn record_redirect(&mut self, url: &str, label: TruthLabel) -> io::Result<()> {
        match self.request(url).filter(|response| response.status.is_redirection()) {
            None => Ok(()),
            Some(response) => self.write_record(url, &response, ManifestClass::Redirect, label, ""),
        }
    }

    fn request(&self, url: &str) -> Option<WebResponse> {
        let response = self.world.respond(&WebRequest::get(url).with_header(ACCEPT, ACCEPT_RDF_FIRST));
        matches!(response.body, WebBody::Whole(_)).then_some(response)
    }

    fn write_record(
        &mut self,
        url: &str,
        response: &WebResponse,
        class: ManifestClass,
        label: TruthLabel,
        format: &str,
    ) -> io::Result<()> {
        let WebBody::Whole(body) = &response.body else { unreachable!("only whole bodies are recorded") };
        let row = ManifestRow {
            url,
            response,
            bytes: body.len(),
            class,
            label,
            format,
            redirect: redirect_target(url, response),
        };
        self.warc.write_response(url, response, body)?;
        self.manifest.write_row(&row)?;
        self.summary.bytes += body.len() as u64;
        if class == ManifestClass::Redirect {
            self.summary.redirects += 1;
            return Ok(());
        }
        let (rdf, hard) = (label == TruthLabel::Rdf, row.is_hard());
        self.summary.documents += 1;
        self.summary.rdf += u64::from(rdf);
        self.summary.hard += u64::from(hard);
        self.summary.hard_rdf += u64::from(rdf && hard);
        Ok(())
    }
}

/// The label of a response according to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruthLabel {
    Rdf,
    None,
    /// A redirect that leads to no document.
    Unresolved,
}

impl From<bool> for TruthLabel {
    fn from(holds_rdf: bool) -> Self {
        if holds_rdf { Self::Rdf } else { Self::None }
    }
}

impl TruthLabel {
    fn name(self) -> &'static str {
        match self {
            Self::Rdf => "rdf",
            Self::None => "no-rdf",
            Self::Unresolved => "unresolved",
        }
    }
}

/// The class of a document in link analysis. HTML that embeds RDF or links to an RDF document has its own class, as in
/// the recordings of the papers.
fn classify(world: &World, plan: &DocumentPlan, links: &[WorldLink]) -> ManifestClass {
    let is_rdf = |plan: &DocumentPlan| plan.kind.is_serialisation() && plan.is_obtainable();
    let leads = |anchor: &HtmlAnchor| match &anchor.to {
        AnchorTarget::Target(WorldLinkTarget::Document(plan) | WorldLinkTarget::Redirected(plan, _)) => is_rdf(plan),
        AnchorTarget::DocumentUrl(plan, face) => *face == DocumentUrlKind::Document && is_rdf(plan),
        AnchorTarget::Vocabulary(_) => true,
        AnchorTarget::Target(_) | AnchorTarget::FaultGallery => false,
    };
    match plan.kind {
        DocumentKind::Binary => ManifestClass::Other,
        kind if kind.is_serialisation() => ManifestClass::Rdf,
        kind if kind.holds_rdf() || world.anchors(plan, links).iter().any(leads) => ManifestClass::LeadsToRdf,
        _ => ManifestClass::Html,
    }
}

/// The name of a document's format in manifests.
fn format_name(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::RdfXml => "xml",
        DocumentKind::Turtle => "turtle",
        DocumentKind::NTriples => "nt",
        DocumentKind::NQuads => "nquads",
        DocumentKind::TriG => "trig",
        DocumentKind::JsonLd => "json-ld",
        DocumentKind::Binary => "",
        _ => "html",
    }
}

fn redirect_target(url: &str, response: &WebResponse) -> Option<String> {
    let location = response.headers.get(LOCATION)?.to_str().ok()?;
    let base = url::Url::parse(url).ok()?;
    Some(without_fragment(base.join(location).ok()?.as_str()).to_owned())
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

fn host_of(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}
