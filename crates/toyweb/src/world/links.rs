//! The links of documents.
//!
//! One list of links per document is used for its RDF statements, its HTML anchors, and for reachability.

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::kind::DocumentKind;
use super::plan::{DocumentPlan, DocumentUrlKind, LinkNaming};
use super::site::{HostSide, SITE_STRIDE, WorldSite, push_number, tree_children};

/// A link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldLink {
    pub(crate) target: WorldLinkTarget,
    /// Whether it is an RDF statement; otherwise it is an HTML link only.
    pub(crate) stated: bool,
}

/// The target of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WorldLinkTarget {
    /// A document, by the URI of its resource.
    Document(DocumentPlan),
    /// A document, through redirects.
    Redirected(DocumentPlan, RedirectDetour),
    /// A redirect loop.
    Loop(WorldSite, u32),
    /// A missing document (404).
    Broken(WorldSite, u32, &'static str),
    /// A path that robots.txt disallows.
    Private(WorldSite, u32),
}

/// The redirects before a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RedirectDetour {
    pub(crate) status: u16,
    /// The number of redirects with this status.
    pub(crate) hops: u32,
}

/// The statuses of redirects.
pub(crate) const REDIRECT_STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

impl World {
    /// The links of a document. Every call returns the same links.
    pub(crate) fn links(&self, plan: &DocumentPlan) -> Vec<WorldLink> {
        if plan.kind == DocumentKind::Binary {
            return Vec::new();
        }
        let parameters = &self.parameters().links;
        let chance = &mut ChanceStream::new(self.parameters().seed, ChanceTopic::Links, plan.site.number, plan.number);
        let target_count = chance.between(parameters.min, parameters.max) as usize;
        let target_count = if plan.list { self.parameters().sections.list_links as usize } else { target_count };
        let mut links = Vec::with_capacity(target_count + 8);
        self.push_tree_links(plan, &mut links);
        // Small worlds contain fewer documents than a document may have links, so the number of attempts is bounded.
        for _ in 0..target_count * 2 {
            if links.len() >= target_count {
                break;
            }
            self.push_random(plan, chance, &mut links);
        }
        links
    }

    /// Adds the links of the spanning tree that makes all documents reachable.
    fn push_tree_links(&self, plan: &DocumentPlan, links: &mut Vec<WorldLink>) {
        let parameters = self.parameters();
        let own = tree_children(plan.number, plan.site.documents, self.stride());
        let documents = own.map(|number| self.plan(plan.site, number)).filter(|target| !target.orphan);
        let is_home = plan.number == 0;
        let sites = tree_children(plan.site.number, parameters.hosts, SITE_STRIDE).filter(|_| is_home);
        let homes = sites.map(|number| self.plan(self.site(number), 0));
        links.extend(documents.chain(homes).map(|target| WorldLink {
            target: WorldLinkTarget::Document(target),
            stated: target.site.may_be_linked_from(plan.site.number),
        }));
    }

    fn push_random(&self, plan: &DocumentPlan, chance: &mut ChanceStream, links: &mut Vec<WorldLink>) {
        let parameters = &self.parameters().links;
        let same = chance.bernoulli(parameters.same_host) || plan.list;
        let site = if same { plan.site } else { self.other_site(plan, chance) };
        let stated = site.may_be_linked_from(plan.site.number);
        let draw = chance.unit();
        let broken = parameters.broken;
        let private = broken + parameters.private;
        let looped = private + parameters.redirect_loops;
        let moved = looped + parameters.redirected;
        let target = if draw < broken {
            WorldLinkTarget::Broken(site, chance.below(1000), chance.pick(&["data", "resource", "news", "staff"]))
        } else if draw < private {
            WorldLinkTarget::Private(site, chance.below(100))
        } else if draw < looped {
            WorldLinkTarget::Loop(site, chance.below(100))
        } else {
            let target = self.random_target(plan, site, chance);
            let is_linked = |link: &WorldLink| match link.target {
                WorldLinkTarget::Document(other) | WorldLinkTarget::Redirected(other, _) => {
                    (other.site.number, other.number) == (site.number, target.number)
                }
                _ => false,
            };
            let is_self = (site.number, target.number) == (plan.site.number, plan.number);
            if is_self || target.orphan || links.iter().any(is_linked) {
                return;
            }
            if draw < moved {
                let hops = chance.between(1, parameters.max_redirects.max(1));
                WorldLinkTarget::Redirected(target, RedirectDetour { status: chance.pick(&REDIRECT_STATUSES), hops })
            } else {
                WorldLinkTarget::Document(target)
            }
        };
        links.push(WorldLink { target, stated });
    }

    /// A document of `site`. Links prefer documents with the topic of `plan`. Pages of a section with RDF prefer RDF
    /// documents, pages of a section without RDF prefer others.
    fn random_target(&self, plan: &DocumentPlan, site: WorldSite, chance: &mut ChanceStream) -> DocumentPlan {
        if self.has_sections() {
            return self.plan(site, self.draw_section_target(plan, site, chance));
        }
        let count = site.documents;
        let keeps_topic = chance.bernoulli(self.parameters().topics.affinity);
        let keeps_section = !plan.kind.is_serialisation() && chance.bernoulli(self.parameters().skew.paths);
        let mut draw = || {
            let number = chance.below(count);
            let shift = self.topic(site.number, number).abs_diff(plan.topic);
            let number = match (keeps_topic, self.topic(site.number, number) > plan.topic) {
                (false, _) => number,
                (true, true) => number.checked_sub(shift).unwrap_or(number),
                (true, false) => {
                    if number + shift < count {
                        number + shift
                    } else {
                        number
                    }
                }
            };
            self.plan(site, number)
        };
        let mut target = draw();
        for _ in 0..3 {
            if !keeps_section || target.kind.holds_rdf() == plan.is_in_rdf_section() {
                break;
            }
            target = draw();
        }
        target
    }

    /// The URI of a link target.
    pub(crate) fn target_uri(&self, target: &WorldLinkTarget) -> String {
        let mut uri = String::with_capacity(48);
        match *target {
            WorldLinkTarget::Document(plan) => plan.push_name(&mut uri),
            WorldLinkTarget::Redirected(plan, detour) => push_redirect_url(plan.site, detour, plan.number, &mut uri),
            WorldLinkTarget::Loop(site, number) => {
                site.push_origin(HostSide::Pages, &mut uri);
                uri.push_str("/loop/0/");
                push_number(number, &mut uri);
            }
            WorldLinkTarget::Broken(site, number, section) => {
                // On a split site, this host may not have the section. The URL is a 404 in either case.
                site.push_origin(HostSide::Data, &mut uri);
                uri.push('/');
                uri.push_str(section);
                uri.push('/');
                push_number(self.parameters().documents_per_host.saturating_add(number), &mut uri);
            }
            WorldLinkTarget::Private(site, number) => {
                site.push_origin(HostSide::Data, &mut uri);
                uri.push_str("/private/");
                push_number(number, &mut uri);
            }
        }
        uri
    }
}

/// `/moved/301/2/7`: two more redirects with 301, then document 7.
pub(crate) fn push_redirect_url(site: WorldSite, detour: RedirectDetour, number: u32, out: &mut String) {
    site.push_origin(HostSide::Pages, out);
    out.push_str("/moved/");
    push_number(u32::from(detour.status), out);
    out.push('/');
    push_number(detour.hops, out);
    out.push('/');
    push_number(number, out);
}

/// An HTML link.
#[derive(Clone, Debug)]
pub(crate) struct HtmlAnchor {
    pub(crate) to: AnchorTarget,
    pub(crate) text: &'static str,
    pub(crate) media_type: Option<&'static str>,
}

/// The target of an HTML link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnchorTarget {
    /// The target of a link of the document, with the URI that RDF statements use.
    Target(WorldLinkTarget),
    /// A document, with the URL of this kind.
    DocumentUrl(DocumentPlan, DocumentUrlKind),
    /// The document of the vocabulary with this number.
    Vocabulary(u16),
    /// The page that links to every document of the fault gallery.
    FaultGallery,
}

const RDF_ANCHOR_TEXTS: [&str; 4] = ["RDF", "FOAF file", "this record as triples", "machine-readable data"];
pub(super) const PLAIN_ANCHOR_TEXTS: [&str; 8] =
    ["see also", "read more", "details", "in other words", "previous", "overview", "background", "related"];

impl World {
    /// The HTML links of a document, or of the page of an RDF document.
    pub(crate) fn anchors(&self, plan: &DocumentPlan, links: &[WorldLink]) -> Vec<HtmlAnchor> {
        let skew = &self.parameters().skew;
        let chance =
            &mut ChanceStream::new(self.parameters().seed, ChanceTopic::Anchors, plan.site.number, plan.number);
        let mut anchors = Vec::with_capacity(links.len() * 5 / 4 + 8);
        for link in links {
            let text = self.anchor_text(&link.target, chance);
            match link.target {
                WorldLinkTarget::Document(target) if target.kind.is_serialisation() => {
                    // The link leads to the HTML page, so that a client without RDF support can continue.
                    let to = match target.naming {
                        LinkNaming::Hash => AnchorTarget::DocumentUrl(target, DocumentUrlKind::Page),
                        LinkNaming::Slash | LinkNaming::Url => AnchorTarget::Target(link.target),
                    };
                    anchors.push(HtmlAnchor { to, text, media_type: None });
                    if chance.bernoulli(skew.data_links) {
                        anchors.push(data_anchor(target, chance));
                    }
                }
                _ if chance.bernoulli(skew.misleading_links) => {
                    let media_type = chance.bernoulli(0.5).then_some("application/rdf+xml");
                    anchors.push(HtmlAnchor { to: AnchorTarget::Target(link.target), text: "RDF", media_type });
                }
                _ => anchors.push(HtmlAnchor { to: AnchorTarget::Target(link.target), text, media_type: None }),
            }
        }
        if plan.kind.is_serialisation() {
            anchors.push(data_anchor(*plan, chance));
        }
        if (plan.site.number, plan.number) == (0, 0) {
            let named = |to| HtmlAnchor { to, text: "vocabulary", media_type: None };
            anchors.extend((0..self.vocabulary_count()).map(AnchorTarget::Vocabulary).map(named));
            if self.parameters().faults.gallery {
                anchors.push(HtmlAnchor { to: AnchorTarget::FaultGallery, text: "gallery", media_type: None });
            }
        }
        anchors
    }

    pub(crate) fn destination_uri(&self, target: &AnchorTarget) -> String {
        match target {
            AnchorTarget::Target(target) => self.target_uri(target),
            AnchorTarget::DocumentUrl(plan, url_kind) => plan.url(*url_kind),
            AnchorTarget::Vocabulary(number) => super::vocabulary::url(*number, self.parameters().vocabularies),
            AnchorTarget::FaultGallery => super::fault_gallery::INDEX_URL.to_owned(),
        }
    }
}

/// A link to the RDF document, whose text or type states the format.
fn data_anchor(target: DocumentPlan, chance: &mut ChanceStream) -> HtmlAnchor {
    let media_type = chance.bernoulli(0.7).then_some(target.kind.media_type());
    let text = match chance.below(3) {
        0 => target.kind.label(),
        1 if media_type.is_some() => "download",
        _ => chance.pick(&RDF_ANCHOR_TEXTS),
    };
    HtmlAnchor { to: AnchorTarget::DocumentUrl(target, DocumentUrlKind::Document), text, media_type }
}
