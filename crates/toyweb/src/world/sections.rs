//! Sections that are a site's own.
//!
//! On the real web sites differ in how much RDF they hold, and so do the
//! sections of one site; that is what a crawler can learn while it crawls.
//! What a section is like is drawn once for all its documents. Consecutive
//! documents of one carrier are in one section, so that a list of it can be
//! drawn without searching.

use super::World;
use super::chance::{Chance, Matter};
use super::kind::Kind;
use super::links::{Destination, PLAIN, Target};
use super::plan::Plan;
use super::site::{Profile, Site};

/// Names that say there is RDF, that there is none, and that say nothing.
const RICH: [&str; 12] = [
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
const POOR: [&str; 12] =
    ["news", "blog", "about", "events", "gallery", "forum", "press", "help", "imprint", "tour", "downloads", "letters"];
const NEUTRAL: [&str; 12] = [
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
/// Anchor texts of links to documents with RDF, and to those without.
const TO_RICH: [&str; 6] = ["full record", "profile", "product details", "the person", "data sheet", "bibliography"];
const TO_POOR: [&str; 6] = ["latest news", "comments", "contact", "our story", "next month", "photo album"];

/// The least number of documents of a site: its home, and what that leads to.
const DOCUMENTS_MIN: u32 = 8;
/// The share of RDF documents in a section that are of its own kind.
const OF_OWN_KIND: f64 = 0.8;

/// What a document has from its section.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each with a share of its own")]
pub(crate) struct Section {
    name: &'static str,
    share: f64,
    bearing: Kind,
    /// Whether HTML pages end in `.html`.
    pub(crate) has_extension: bool,
    /// Whether RDF documents stand beside the pages rather than under `/data/`.
    beside: bool,
    /// Whether URLs say the topic, as in `/recipes/cooking-7`.
    says_topic: bool,
    /// Whether this document is a list.
    pub(crate) lists: bool,
}

impl World {
    pub(crate) fn has_sections(&self) -> bool {
        self.parameters().sections.count > 0
    }

    /// How many documents a site has, and the share of RDF among them.
    pub(crate) fn size_and_share(&self, number: u32, profile: Profile) -> (u32, f64) {
        let parameters = self.parameters();
        let mean = match profile {
            Profile::AllRdf => 1.0,
            Profile::NoRdf => 0.0,
            Profile::Mixed => self.kinds.share_bearing,
        };
        if !self.has_sections() {
            return (parameters.documents_per_host, mean);
        }
        let chance = &mut Chance::of(parameters.seed, Matter::Share, number, 0);
        let size = f64::from(parameters.documents_per_host) * chance.unit().powf(parameters.sections.sizes);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a 32-bit number")]
        let size = (size as u32).max(DOCUMENTS_MIN).min(parameters.documents_per_host);
        (size, chance.share(mean, parameters.sections.sites))
    }

    /// Which section a document is in.
    fn section_number(&self, number: u32) -> u32 {
        number / self.stride() % self.parameters().sections.count
    }

    /// What a document has from its section, where sites have their own.
    pub(crate) fn own_section(&self, site: Site, number: u32) -> Option<Section> {
        let parameters = &self.parameters().sections;
        if parameters.count == 0 {
            return None;
        }
        let section = self.section_number(number);
        let chance = &mut Chance::of(self.parameters().seed, Matter::Section, site.number, section);
        let share = chance.share(site.share, parameters.within);
        let bearing = self.kinds.bearing(chance);
        let names = match (chance.happens(parameters.telling), chance.happens(share)) {
            (false, _) => &NEUTRAL,
            (true, true) => &RICH,
            (true, false) => &POOR,
        };
        // Names follow each other, so that no two sections have the same.
        let name = names[(usize::from(site.custom) + section as usize) % names.len()];
        let has_extension = chance.happens(0.25);
        let beside = chance.happens(0.5);
        let says_topic = chance.happens(0.25);
        let carrier = number.is_multiple_of(self.stride()) && number > 0;
        // The section's stream is the same for all its documents: whether this
        // one is a list must come from its own.
        let chance = &mut Chance::of(self.parameters().seed, Matter::Section, site.number, u32::MAX - number);
        let lists = carrier && chance.happens(parameters.lists);
        Some(Section { name, share, bearing, has_extension, beside, says_topic, lists })
    }

    /// The kind of a document in this section. What carries others is a page
    /// with links at least.
    pub(crate) fn kind_in(&self, section: &Section, carrier: bool, chance: &mut Chance) -> Kind {
        let kind = match (chance.happens(section.share), chance.happens(OF_OWN_KIND)) {
            (true, true) => section.bearing,
            (true, false) => self.kinds.bearing(chance),
            (false, _) => self.kinds.barren(chance),
        };
        if section.lists || carrier && kind == Kind::Binary { Kind::Html } else { kind }
    }

    /// Another site to link to, maybe one like the document's own.
    pub(crate) fn other_site(&self, plan: &Plan, chance: &mut Chance) -> Site {
        let hosts = self.parameters().hosts;
        let mut site = self.site(chance.below(hosts));
        if self.has_sections() && chance.happens(self.parameters().sections.alike) {
            for _ in 0..3 {
                let other = self.site(chance.below(hosts));
                if (other.share - plan.site.share).abs() < (site.share - plan.site.share).abs() {
                    site = other;
                }
            }
        }
        site
    }

    /// The number of a document to link to: of the same section, for lists
    /// always and for others as often as `skew.paths` says; else any.
    pub(crate) fn sectional_target(&self, plan: &Plan, site: Site, chance: &mut Chance) -> u32 {
        let keeps = site.number == plan.site.number && (plan.list || chance.happens(self.parameters().skew.paths));
        if !keeps {
            return chance.below(site.documents);
        }
        let (stride, count) = (self.stride(), self.parameters().sections.count);
        let rounds = site.documents.div_ceil(stride * count);
        let (section, place) = (self.section_number(plan.number), chance.below(stride));
        let number = (chance.below(rounds) * count + section) * stride + place;
        // The last round may be short, and then the first is whole, as a rule.
        let number = if number < site.documents { number } else { section * stride + place };
        if number < site.documents { number } else { chance.below(site.documents) }
    }

    /// What a link says.
    pub(crate) fn anchor_text(&self, target: &Target, chance: &mut Chance) -> &'static str {
        let plain = chance.pick(&PLAIN);
        match target {
            Target::Document(plan) if self.has_sections() && chance.happens(self.parameters().sections.anchors) => {
                chance.pick(if plan.kind.holds_rdf() { &TO_RICH } else { &TO_POOR })
            }
            _ => plain,
        }
    }

    /// The list of a page that a link stands in, where pages have several.
    pub(crate) fn list_of(&self, plan: &Plan, to: &Destination) -> Option<&'static str> {
        if !self.has_sections() {
            return None;
        }
        let (Destination::Target(Target::Document(target) | Target::Moved(target, _)) | Destination::Face(target, _)) =
            to
        else {
            return Some("elsewhere");
        };
        let near = target.site.number == plan.site.number;
        let same = self.section_number(target.number) == self.section_number(plan.number);
        Some(match (near, same) {
            (true, true) => "entries",
            (true, false) => "menu",
            (false, _) => "elsewhere",
        })
    }
}

impl Section {
    /// The first segment of a document's path.
    pub(crate) fn name_of(&self, kind: Kind, file: bool, customary: &'static str) -> &'static str {
        match kind {
            Kind::Binary => customary,
            kind if kind.is_serialisation() && !file && !self.beside => customary,
            _ => self.name,
        }
    }

    /// What stands before the number in the URL of a page.
    pub(crate) fn prefix(&self, topic: u32) -> Option<&'static str> {
        if self.lists {
            return Some("page");
        }
        self.says_topic.then(|| super::words::name(topic))
    }
}
