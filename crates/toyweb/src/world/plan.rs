//! What a document is to be, before a byte of it is written.

use super::World;
use super::chance::{Chance, Matter};
use super::faults::Fault;
use super::kind::Kind;
use super::revision::Fate;
use super::site::{Profile, Side, Site, push_number};

/// Sections that promise RDF, and those that do not.
const LEADING: [&str; 4] = ["staff", "dataset", "catalogue", "projects"];
const BARREN: [&str; 4] = ["news", "blog", "about", "events"];
/// Where RDF files with an extension are found.
const RDF_FILES: [&str; 2] = ["staff", "ontology"];

/// What is decided about a document before it is written.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each with a share of its own")]
pub(crate) struct Plan {
    pub(crate) site: Site,
    pub(crate) number: u32,
    pub(crate) kind: Kind,
    pub(crate) naming: Naming,
    /// The first segment of its path.
    pub(crate) section: &'static str,
    pub(crate) topic: u32,
    /// `None`: none is sent.
    pub(crate) content_type: Option<&'static str>,
    /// Whether it comes in all of `Kind::NEGOTIATED`.
    pub(crate) negotiating: bool,
    /// Whether no link leads to it.
    pub(crate) orphan: bool,
    pub(crate) fault: Option<Fault>,
    /// What has become of it since the world was made.
    pub(crate) fate: Fate,
    /// About how many bytes it is to have.
    pub(crate) bytes: u32,
    /// Whether its URL ends in what it is written in.
    file: bool,
    /// Whether it is a list: no RDF itself, and links to most of its section.
    pub(crate) list: bool,
    /// What stands before its number in its URL.
    prefix: Option<&'static str>,
}

/// How links call a document's thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// `/resource/7`, which answers 303.
    Slash,
    /// The document's URL with `#it`.
    Hash,
    /// The document's URL.
    Url,
}

/// The URLs under which something of a document answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    /// `/resource/7`.
    Resource,
    /// The document itself.
    Document,
    /// The HTML page beside an RDF document.
    Page,
}

impl World {
    /// Every so many documents one *carries* the others: it is sound, rich in
    /// links, and leads to those that follow it, so that all can be reached.
    pub(crate) fn stride(&self) -> u32 {
        (self.parameters().links.max / 3).clamp(2, 8)
    }

    pub(crate) fn plan(&self, site: Site, number: u32) -> Plan {
        let parameters = self.parameters();
        let naming = &parameters.naming;
        let chance = &mut Chance::of(parameters.seed, Matter::Plan, site.number, number);
        let carrier = number.is_multiple_of(self.stride());
        let own = self.own_section(site, number);
        let list = own.is_some_and(|own| own.lists);
        let kind = match own {
            None => self.kind(site, carrier, chance),
            Some(own) => self.kind_in(&own, carrier, chance),
        };
        let bytes = chance.size(parameters.bytes.min, parameters.bytes.mean, parameters.bytes.max);
        // Homes are seeds, and a seed must serve those who read no RDF, too.
        let hash = chance.happens(naming.hash) && number > 0;
        let file = hash && chance.happens(naming.extension);
        let negotiating = chance.happens(naming.negotiating) && !file && Kind::NEGOTIATED.contains(&kind);
        let label = chance.unit();
        let content_type = if carrier || negotiating || !kind.is_serialisation() {
            Some(kind.media_type())
        } else if label < naming.wrong_content_type {
            Some(chance.pick(kind.wrong_media_types()))
        } else if label < naming.wrong_content_type + naming.missing_content_type {
            None
        } else {
            Some(kind.media_type())
        };
        let orphan = chance.happens(naming.orphans) && !carrier;
        let own_fault = self.draw_fault(carrier, chance);
        let customary = self.section(site, kind, file, chance);
        let section = own.map_or(customary, |own| own.name_of(kind, file, customary));
        let topic = self.topic(site.number, number);
        Plan {
            site,
            number,
            kind,
            naming: match (kind.is_serialisation(), hash) {
                (true, false) => Naming::Slash,
                (true, true) => Naming::Hash,
                (false, _) => Naming::Url,
            },
            section,
            topic,
            content_type,
            negotiating,
            orphan,
            fault: site.fault.or(own_fault),
            fate: self.fate(&site, number, kind),
            bytes,
            file: match kind {
                Kind::Binary => true,
                kind if kind.is_serialisation() => file,
                _ => own.map_or(site.html_extension, |own| own.has_extension),
            },
            list,
            prefix: own.filter(|_| !kind.is_serialisation()).and_then(|own| own.prefix(topic)),
        }
    }

    fn kind(&self, site: Site, carrier: bool, chance: &mut Chance) -> Kind {
        match (site.profile, carrier) {
            (Profile::NoRdf, true) => Kind::Html,
            (Profile::NoRdf, false) => self.kinds.barren(chance),
            (Profile::AllRdf, _) | (Profile::Mixed, true) => self.kinds.bearing(chance),
            (Profile::Mixed, false) => {
                // Carriers are never barren, so the others make up for it.
                let stride = f64::from(self.stride());
                let share_barren = (1.0 - self.kinds.share_bearing) * stride / (stride - 1.0);
                if chance.happens(share_barren) { self.kinds.barren(chance) } else { self.kinds.bearing(chance) }
            }
        }
    }

    fn draw_fault(&self, carrier: bool, chance: &mut Chance) -> Option<Fault> {
        let faults = &self.parameters().faults;
        let ails = chance.happens(faults.documents) && !carrier && !faults.document_faults.is_empty();
        ails.then(|| chance.pick(&faults.document_faults))
    }

    fn section(&self, site: Site, kind: Kind, file: bool, chance: &mut Chance) -> &'static str {
        let truthful = chance.happens(self.parameters().skew.paths);
        let custom = usize::from(site.custom);
        let leading = LEADING[(custom + usize::from(chance.happens(0.5))) % LEADING.len()];
        let barren = BARREN[(custom / 4 + usize::from(chance.happens(0.5))) % BARREN.len()];
        match kind {
            Kind::Binary => ["files", "images", "media"][custom % 3],
            kind if kind.is_serialisation() && file => chance.pick(&RDF_FILES),
            kind if kind.is_serialisation() => "data",
            kind if kind.holds_rdf() == truthful => leading,
            _ => barren,
        }
    }

    /// Neighbouring documents have different topics, and each topic has the
    /// same share: so one of a wanted topic is found without searching.
    pub(crate) fn topic(&self, site: u32, number: u32) -> u32 {
        (site.wrapping_mul(7).wrapping_add(number)) % self.parameters().topics.count
    }
}

impl Plan {
    /// Whether the section says that here is RDF, or leads to RDF.
    pub(crate) fn in_leading_section(&self) -> bool {
        !BARREN.contains(&self.section)
    }

    /// Whether the document comes from its URL whole and readable, if need be
    /// after some patience.
    pub(crate) fn obtainable(&self) -> bool {
        self.is_there() && self.fault.is_none_or(Fault::spares_document)
    }

    /// Whether the document has not vanished.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.fate, Fate::Gone(_))
    }

    /// The URL of one face.
    pub(crate) fn url(&self, face: Face) -> String {
        let mut url = String::with_capacity(48);
        self.push_url(face, &mut url);
        url
    }

    /// What links call the document's thing.
    pub(crate) fn push_name(&self, out: &mut String) {
        match self.naming {
            Naming::Slash => self.push_url(Face::Resource, out),
            Naming::Url => self.push_url(Face::Document, out),
            Naming::Hash => {
                self.push_url(Face::Document, out);
                out.push_str("#it");
            }
        }
    }

    /// What links call the document's thing.
    pub(crate) fn name(&self) -> String {
        let mut name = String::with_capacity(48);
        self.push_name(&mut name);
        name
    }

    pub(crate) fn push_url(&self, face: Face, out: &mut String) {
        let on_data = face != Face::Page && (self.kind.is_serialisation() || self.kind == Kind::Binary);
        self.site.push_origin(if on_data { Side::Data } else { Side::Pages }, out);
        let section = match face {
            Face::Resource => "resource",
            Face::Document => self.section,
            Face::Page => "page",
        };
        out.push('/');
        out.push_str(section);
        out.push('/');
        if let Some(prefix) = self.prefix {
            out.push_str(prefix);
            out.push('-');
        }
        push_number(self.number, out);
        if self.file && face == Face::Document {
            out.push('.');
            out.push_str(self.kind.extension());
        }
    }
}
