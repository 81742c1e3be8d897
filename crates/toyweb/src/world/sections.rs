//! Sections of sites.
//!
//! On the real web, sites differ in their share of RDF, and so do the sections of one site. A crawler can learn these
//! differences. The properties of a section are drawn once for all its documents. Consecutive documents of one carrier
//! are in one section, so that a list of them can be drawn without a search.

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::kind::DocumentKind;
use super::links::{AnchorTarget, PLAIN_ANCHOR_TEXTS, WorldLinkTarget};
use super::plan::DocumentPlan;
use super::site::{RdfProfile, WorldSite};

/// Section names that indicate RDF, that indicate no RDF, and neutral ones.
const RDF_SECTION_NAMES: [&str; 12] = [
    "dataset",
    "catalogue",
    "people",
    "products",
    "recipes",
    "records",
    "entity",
    "publications",
    "species",
    "places",
    "terms",
    "jobs",
];
const NON_RDF_SECTION_NAMES: [&str; 12] =
    ["news", "blog", "about", "events", "gallery", "forum", "press", "help", "imprint", "tour", "downloads", "letters"];
const NEUTRAL_SECTION_NAMES: [&str; 12] = [
    "archive",
    "items",
    "articles",
    "collection",
    "library",
    "topics",
    "projects",
    "info",
    "browse",
    "view",
    "docs",
    "works",
];
/// Anchor texts of links to documents with RDF and without.
const RDF_LINK_TEXTS: [&str; 6] =
    ["full record", "profile", "product details", "the person", "data sheet", "bibliography"];
const NON_RDF_LINK_TEXTS: [&str; 6] = ["latest news", "comments", "contact", "our story", "next month", "photo album"];

/// The minimum number of documents of a site: its home document and those it links to.
const MIN_DOCUMENTS: u32 = 8;
/// The share of RDF documents of a section that have the section's syntax.
const OWN_KIND_SHARE: f64 = 0.8;

/// The properties that a document inherits from its section.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties, each with its own share")]
pub(crate) struct SiteSection {
    name: &'static str,
    share: f64,
    rdf_kind: DocumentKind,
    /// Whether URLs of HTML pages end in `.html`.
    pub(crate) has_extension: bool,
    /// Whether RDF documents are in the section rather than in `/data/`.
    data_in_section: bool,
    /// Whether URLs contain the topic, as in `/recipes/cooking-7`.
    topic_in_url: bool,
    /// Whether this document is a list.
    pub(crate) is_list: bool,
}

impl World {
    pub(crate) fn has_sections(&self) -> bool {
        self.parameters().sections.count > 0
    }

    /// The number of documents of a site, and its share of RDF.
    pub(crate) fn size_and_share(&self, number: u32, profile: RdfProfile) -> (u32, f64) {
        let parameters = self.parameters();
        let mean = match profile {
            RdfProfile::AllRdf => 1.0,
            RdfProfile::NoRdf => 0.0,
            RdfProfile::Mixed => self.kinds.rdf_share,
        };
        if !self.has_sections() {
            return (parameters.documents_per_host, mean);
        }
        let chance = &mut ChanceStream::new(parameters.seed, ChanceTopic::Share, number, 0);
        let size = f64::from(parameters.documents_per_host) * chance.unit().powf(parameters.sections.sizes);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size is at most a u32 value")]
        let size = (size as u32).max(MIN_DOCUMENTS).min(parameters.documents_per_host);
        (size, chance.draw_share(mean, parameters.sections.sites))
    }

    /// The section of a document.
    fn section_number(&self, number: u32) -> u32 {
        number / self.stride() % self.parameters().sections.count
    }

    /// The section of a document, if sites have sections.
    pub(crate) fn own_section(&self, site: WorldSite, number: u32) -> Option<SiteSection> {
        let parameters = &self.parameters().sections;
        if parameters.count == 0 {
            return None;
        }
        let section = self.section_number(number);
        let chance = &mut ChanceStream::new(self.parameters().seed, ChanceTopic::Section, site.number, section);
        let share = chance.draw_share(site.share, parameters.within);
        let rdf_kind = self.kinds.draw_rdf_kind(chance);
        let names = match (chance.bernoulli(parameters.descriptive_names), chance.bernoulli(share)) {
            (false, _) => &NEUTRAL_SECTION_NAMES,
            (true, true) => &RDF_SECTION_NAMES,
            (true, false) => &NON_RDF_SECTION_NAMES,
        };
        // Consecutive names, so that no two sections of a site have the same name.
        let name = names[(usize::from(site.name_offset) + section as usize) % names.len()];
        let has_extension = chance.bernoulli(0.25);
        let data_in_section = chance.bernoulli(0.5);
        let topic_in_url = chance.bernoulli(0.25);
        let carrier = number.is_multiple_of(self.stride()) && number > 0;
        // The stream of the section is the same for all its documents, so whether this one is a list needs a stream of
        // its own.
        let chance =
            &mut ChanceStream::new(self.parameters().seed, ChanceTopic::Section, site.number, u32::MAX - number);
        let is_list = carrier && chance.bernoulli(parameters.lists);
        Some(SiteSection { name, share, rdf_kind, has_extension, data_in_section, topic_in_url, is_list })
    }

    /// The kind of a document in this section. A carrier is at least an HTML page, because it needs links.
    pub(crate) fn draw_section_kind(
        &self,
        section: &SiteSection,
        carrier: bool,
        chance: &mut ChanceStream,
    ) -> DocumentKind {
        let kind = match (chance.bernoulli(section.share), chance.bernoulli(OWN_KIND_SHARE)) {
            (true, true) => section.rdf_kind,
            (true, false) => self.kinds.draw_rdf_kind(chance),
            (false, _) => self.kinds.draw_non_rdf_kind(chance),
        };
        if section.is_list || carrier && kind == DocumentKind::Binary { DocumentKind::Html } else { kind }
    }

    /// Another site to link to, possibly one with a similar share of RDF.
    pub(crate) fn other_site(&self, plan: &DocumentPlan, chance: &mut ChanceStream) -> WorldSite {
        let hosts = self.parameters().hosts;
        let mut site = self.site(chance.below(hosts));
        if self.has_sections() && chance.bernoulli(self.parameters().sections.similar_sites) {
            for _ in 0..3 {
                let other = self.site(chance.below(hosts));
                if (other.share - plan.site.share).abs() < (site.share - plan.site.share).abs() {
                    site = other;
                }
            }
        }
        site
    }

    /// The number of a document to link to: in the same section always for lists, and with probability `skew.paths` for
    /// other documents; otherwise any.
    pub(crate) fn draw_section_target(&self, plan: &DocumentPlan, site: WorldSite, chance: &mut ChanceStream) -> u32 {
        let stays = site.number == plan.site.number && (plan.list || chance.bernoulli(self.parameters().skew.paths));
        if !stays {
            return chance.below(site.documents);
        }
        let (stride, count) = (self.stride(), self.parameters().sections.count);
        let rounds = site.documents.div_ceil(stride * count);
        let (section, offset) = (self.section_number(plan.number), chance.below(stride));
        let number = (chance.below(rounds) * count + section) * stride + offset;
        // The last round may be incomplete. Then the first round is used, which is usually complete.
        let number = if number < site.documents { number } else { section * stride + offset };
        if number < site.documents { number } else { chance.below(site.documents) }
    }

    /// The text of a link.
    pub(crate) fn anchor_text(&self, target: &WorldLinkTarget, chance: &mut ChanceStream) -> &'static str {
        let plain = chance.pick(&PLAIN_ANCHOR_TEXTS);
        match target {
            WorldLinkTarget::Document(plan)
                if self.has_sections() && chance.bernoulli(self.parameters().sections.anchors) =>
            {
                chance.pick(if plan.kind.holds_rdf() { &RDF_LINK_TEXTS } else { &NON_RDF_LINK_TEXTS })
            }
            _ => plain,
        }
    }

    /// The class of the list of a page that contains a link, if pages have several lists.
    pub(crate) fn link_list(&self, plan: &DocumentPlan, to: &AnchorTarget) -> Option<&'static str> {
        if !self.has_sections() {
            return None;
        }
        let (AnchorTarget::Target(WorldLinkTarget::Document(target) | WorldLinkTarget::Redirected(target, _))
        | AnchorTarget::DocumentUrl(target, _)) = to
        else {
            return Some("elsewhere");
        };
        let same_site = target.site.number == plan.site.number;
        let same_section = self.section_number(target.number) == self.section_number(plan.number);
        Some(match (same_site, same_section) {
            (true, true) => "entries",
            (true, false) => "menu",
            (false, _) => "elsewhere",
        })
    }
}

impl SiteSection {
    /// The first segment of a document's path.
    pub(crate) fn path_segment(&self, kind: DocumentKind, file: bool, default_segment: &'static str) -> &'static str {
        match kind {
            DocumentKind::Binary => default_segment,
            kind if kind.is_serialisation() && !file && !self.data_in_section => default_segment,
            _ => self.name,
        }
    }

    /// The text before the number in the URL of a page.
    pub(crate) fn prefix(&self, topic: u32) -> Option<&'static str> {
        if self.is_list {
            return Some("page");
        }
        self.topic_in_url.then(|| super::words::name(topic))
    }
}
