//! Where a document links to.
//!
//! One list of links per document serves all its readers: as statements in
//! RDF, as anchors in HTML, as edges when reachability is computed.

use super::World;
use super::chance::{Chance, Matter};
use super::kind::Kind;
use super::plan::{Face, Naming, Plan};
use super::site::{SITE_STRIDE, Side, Site, carried, push_number};

/// A link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) target: Target,
    /// Whether RDF states it; else it is an HTML link only.
    pub(crate) stated: bool,
}

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// To a document by its name.
    Document(Plan),
    /// To a document, over redirects.
    Moved(Plan, Detour),
    /// Into redirects that never end.
    Loop(Site, u32),
    /// To nothing.
    Broken(Site, u32, &'static str),
    /// Where robots.txt forbids to go.
    Private(Site, u32),
}

/// Redirects on the way to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(crate) status: u16,
    /// How many redirects of this status in all.
    pub(crate) hops: u32,
}

/// The statuses of redirects.
pub(crate) const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

impl World {
    /// The links of a document; the same each time it is asked.
    pub(crate) fn links(&self, plan: &Plan) -> Vec<Link> {
        if plan.kind == Kind::Binary {
            return Vec::new();
        }
        let parameters = &self.parameters().links;
        let chance = &mut Chance::of(self.parameters().seed, Matter::Links, plan.site.number, plan.number);
        let wanted = chance.between(parameters.min, parameters.max) as usize;
        let wanted = if plan.list { self.parameters().sections.list_links as usize } else { wanted };
        let mut links = Vec::with_capacity(wanted + 8);
        self.push_carried(plan, &mut links);
        // Small worlds hold fewer documents than a document may have links:
        // so the number of attempts is bounded, not the number of links.
        for _ in 0..wanted * 2 {
            if links.len() >= wanted {
                break;
            }
            self.push_random(plan, chance, &mut links);
        }
        links
    }

    /// The links that hold the web together.
    fn push_carried(&self, plan: &Plan, links: &mut Vec<Link>) {
        let parameters = self.parameters();
        let own = carried(plan.number, plan.site.documents, self.stride());
        let documents = own.map(|number| self.plan(plan.site, number)).filter(|target| !target.orphan);
        let is_home = plan.number == 0;
        let sites = carried(plan.site.number, parameters.hosts, SITE_STRIDE).filter(|_| is_home);
        let homes = sites.map(|number| self.plan(self.site(number), 0));
        links.extend(documents.chain(homes).map(|target| Link {
            target: Target::Document(target),
            stated: target.site.is_stated_from(plan.site.number),
        }));
    }

    fn push_random(&self, plan: &Plan, chance: &mut Chance, links: &mut Vec<Link>) {
        let parameters = &self.parameters().links;
        let same = chance.happens(parameters.same_host) || plan.list;
        let site = if same { plan.site } else { self.other_site(plan, chance) };
        let stated = site.is_stated_from(plan.site.number);
        let fate = chance.unit();
        let broken = parameters.broken;
        let private = broken + parameters.private;
        let looped = private + parameters.redirect_loops;
        let moved = looped + parameters.redirected;
        let target = if fate < broken {
            Target::Broken(site, chance.below(1000), chance.pick(&["data", "resource", "news", "staff"]))
        } else if fate < private {
            Target::Private(site, chance.below(100))
        } else if fate < looped {
            Target::Loop(site, chance.below(100))
        } else {
            let target = self.random_target(plan, site, chance);
            let taken = |link: &Link| match link.target {
                Target::Document(other) | Target::Moved(other, _) => {
                    (other.site.number, other.number) == (site.number, target.number)
                }
                _ => false,
            };
            let itself = (site.number, target.number) == (plan.site.number, plan.number);
            if itself || target.orphan || links.iter().any(taken) {
                return;
            }
            if fate < moved {
                let hops = chance.between(1, parameters.redirects_max.max(1));
                Target::Moved(target, Detour { status: chance.pick(&REDIRECTS), hops })
            } else {
                Target::Document(target)
            }
        };
        links.push(Link { target, stated });
    }

    /// A document of `site`, drawn so that links keep to their topic and that
    /// pages of a leading section lead to RDF, those of a barren one do not.
    fn random_target(&self, plan: &Plan, site: Site, chance: &mut Chance) -> Plan {
        if self.has_sections() {
            return self.plan(site, self.sectional_target(plan, site, chance));
        }
        let count = site.documents;
        let keeps_topic = chance.happens(self.parameters().topics.affinity);
        let keeps_section = !plan.kind.is_serialisation() && chance.happens(self.parameters().skew.paths);
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
            if !keeps_section || target.kind.holds_rdf() == plan.in_leading_section() {
                break;
            }
            target = draw();
        }
        target
    }

    /// The URI a link states.
    pub(crate) fn target_uri(&self, target: &Target) -> String {
        let mut uri = String::with_capacity(48);
        match *target {
            Target::Document(plan) => plan.push_name(&mut uri),
            Target::Moved(plan, detour) => push_moved(plan.site, detour, plan.number, &mut uri),
            Target::Loop(site, number) => {
                site.push_origin(Side::Pages, &mut uri);
                uri.push_str("/loop/0/");
                push_number(number, &mut uri);
            }
            Target::Broken(site, number, section) => {
                // Some of the sections are not on this side of a split site:
                // then nothing is there either.
                site.push_origin(Side::Data, &mut uri);
                uri.push('/');
                uri.push_str(section);
                uri.push('/');
                push_number(self.parameters().documents_per_host.saturating_add(number), &mut uri);
            }
            Target::Private(site, number) => {
                site.push_origin(Side::Data, &mut uri);
                uri.push_str("/private/");
                push_number(number, &mut uri);
            }
        }
        uri
    }
}

/// `/moved/301/2/7`: two more redirects with 301, then document 7.
pub(crate) fn push_moved(site: Site, detour: Detour, number: u32, out: &mut String) {
    site.push_origin(Side::Pages, out);
    out.push_str("/moved/");
    push_number(u32::from(detour.status), out);
    out.push('/');
    push_number(detour.hops, out);
    out.push('/');
    push_number(number, out);
}

/// An HTML link.
#[derive(Clone, Debug)]
pub(crate) struct Anchor {
    pub(crate) to: Destination,
    pub(crate) text: &'static str,
    pub(crate) media_type: Option<&'static str>,
}

/// Where an HTML link leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    /// To the target as RDF would name it.
    Target(Target),
    /// To one face of a document.
    Face(Plan, Face),
    /// To a vocabulary.
    Vocabulary(u16),
    /// To the gallery of faults.
    Gallery,
}

const BETRAYING: [&str; 4] = ["RDF", "FOAF file", "this record as triples", "machine-readable data"];
pub(super) const PLAIN: [&str; 8] =
    ["see also", "read more", "details", "in other words", "previous", "overview", "background", "related"];

impl World {
    /// The HTML links of a document or of the page beside it.
    pub(crate) fn anchors(&self, plan: &Plan, links: &[Link]) -> Vec<Anchor> {
        let skew = &self.parameters().skew;
        let chance = &mut Chance::of(self.parameters().seed, Matter::Anchors, plan.site.number, plan.number);
        let mut anchors = Vec::with_capacity(links.len() * 5 / 4 + 8);
        for link in links {
            let text = self.anchor_text(&link.target, chance);
            match link.target {
                Target::Document(target) if target.kind.is_serialisation() => {
                    // A visitor who reads no RDF goes on from the page.
                    let to = match target.naming {
                        Naming::Hash => Destination::Face(target, Face::Page),
                        Naming::Slash | Naming::Url => Destination::Target(link.target),
                    };
                    anchors.push(Anchor { to, text, media_type: None });
                    if chance.happens(skew.betrayed) {
                        anchors.push(betraying(target, chance));
                    }
                }
                _ if chance.happens(skew.lies) => {
                    let media_type = chance.happens(0.5).then_some("application/rdf+xml");
                    anchors.push(Anchor { to: Destination::Target(link.target), text: "RDF", media_type });
                }
                _ => anchors.push(Anchor { to: Destination::Target(link.target), text, media_type: None }),
            }
        }
        if plan.kind.is_serialisation() {
            anchors.push(betraying(*plan, chance));
        }
        if (plan.site.number, plan.number) == (0, 0) {
            let named = |to| Anchor { to, text: "vocabulary", media_type: None };
            anchors.extend((0..self.vocabularies()).map(Destination::Vocabulary).map(named));
            if self.parameters().faults.gallery {
                anchors.push(Anchor { to: Destination::Gallery, text: "gallery", media_type: None });
            }
        }
        anchors
    }

    pub(crate) fn destination_uri(&self, destination: &Destination) -> String {
        match destination {
            Destination::Target(target) => self.target_uri(target),
            Destination::Face(plan, face) => plan.url(*face),
            Destination::Vocabulary(number) => super::vocabulary::url(*number, self.parameters().vocabularies),
            Destination::Gallery => super::gallery::INDEX.to_owned(),
        }
    }
}

/// A link straight to the data, which says what they are.
fn betraying(target: Plan, chance: &mut Chance) -> Anchor {
    let media_type = chance.happens(0.7).then_some(target.kind.media_type());
    let text = match chance.below(3) {
        0 => target.kind.label(),
        1 if media_type.is_some() => "download",
        _ => chance.pick(&BETRAYING),
    };
    Anchor { to: Destination::Face(target, Face::Document), text, media_type }
}
