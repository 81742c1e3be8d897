//! Plans of documents: what is decided about a document before its content is generated.

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::faults::ServerFault;
use super::kind::DocumentKind;
use super::revision::RevisionFate;
use super::site::{HostSide, RdfProfile, WorldSite, push_number};

/// Section names that indicate RDF, and names that indicate no RDF.
const RDF_SECTIONS: [&str; 4] = ["staff", "dataset", "catalogue", "projects"];
const NON_RDF_SECTIONS: [&str; 4] = ["news", "blog", "about", "events"];
/// Sections with RDF files that have an extension.
const RDF_FILE_SECTIONS: [&str; 2] = ["staff", "ontology"];

/// The plan of a document.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties, each with its own share")]
pub(crate) struct DocumentPlan {
    pub(crate) site: WorldSite,
    pub(crate) number: u32,
    pub(crate) kind: DocumentKind,
    pub(crate) naming: LinkNaming,
    /// The first segment of the path.
    pub(crate) section: &'static str,
    pub(crate) topic: u32,
    /// The declared content type; `None` if no `Content-Type` is sent.
    pub(crate) content_type: Option<&'static str>,
    /// Whether the document is available in all syntaxes of [`DocumentKind::NEGOTIATED`].
    pub(crate) negotiating: bool,
    /// Whether the document has no incoming links.
    pub(crate) orphan: bool,
    pub(crate) fault: Option<ServerFault>,
    /// How the document changes in the current revision.
    pub(crate) fate: RevisionFate,
    /// The approximate size in bytes.
    pub(crate) bytes: u32,
    /// Whether the URL ends with the extension of the syntax.
    file: bool,
    /// Whether the document is a list: without RDF, with links to most of its section.
    pub(crate) list: bool,
    /// The text before the document number in the URL.
    prefix: Option<&'static str>,
}

/// How links name the resource of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkNaming {
    /// `/resource/7`, which responds with 303.
    Slash,
    /// The document's URL with `#it`.
    Hash,
    /// The document's URL.
    Url,
}

/// The URLs of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentUrlKind {
    /// `/resource/7`.
    Resource,
    /// The document itself.
    Document,
    /// The HTML page of an RDF document.
    Page,
}

impl World {
    /// Every `stride`-th document is a *carrier*: it has no fault and many links, and links to the documents after it,
    /// so that all documents are reachable.
    pub(crate) fn stride(&self) -> u32 {
        (self.parameters().links.max / 3).clamp(2, 8)
    }

    pub(crate) fn plan(&self, site: WorldSite, number: u32) -> DocumentPlan {
        let parameters = self.parameters();
        let naming = &parameters.naming;
        let chance = &mut ChanceStream::new(parameters.seed, ChanceTopic::Plan, site.number, number);
        let carrier = number.is_multiple_of(self.stride());
        let own_section = self.own_section(site, number);
        let list = own_section.is_some_and(|own_section| own_section.is_list);
        let kind = match own_section {
            None => self.draw_kind(site, carrier, chance),
            Some(own_section) => self.draw_section_kind(&own_section, carrier, chance),
        };
        let bytes = chance.draw_size(parameters.bytes.min, parameters.bytes.mean, parameters.bytes.max);
        // Home documents are seeds, and a seed must also serve clients that do not read RDF.
        let hash = chance.bernoulli(naming.hash) && number > 0;
        let file = hash && chance.bernoulli(naming.extension);
        let negotiating = chance.bernoulli(naming.negotiating) && !file && DocumentKind::NEGOTIATED.contains(&kind);
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
        let orphan = chance.bernoulli(naming.orphans) && !carrier;
        let own_fault = self.draw_fault(carrier, chance);
        let default_section = self.draw_section(site, kind, file, chance);
        let section =
            own_section.map_or(default_section, |own_section| own_section.path_segment(kind, file, default_section));
        let topic = self.topic(site.number, number);
        DocumentPlan {
            site,
            number,
            kind,
            naming: match (kind.is_serialisation(), hash) {
                (true, false) => LinkNaming::Slash,
                (true, true) => LinkNaming::Hash,
                (false, _) => LinkNaming::Url,
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
                DocumentKind::Binary => true,
                kind if kind.is_serialisation() => file,
                _ => own_section.map_or(site.html_extension, |own_section| own_section.has_extension),
            },
            list,
            prefix: own_section.filter(|_| !kind.is_serialisation()).and_then(|own_section| own_section.prefix(topic)),
        }
    }

    fn draw_kind(&self, site: WorldSite, carrier: bool, chance: &mut ChanceStream) -> DocumentKind {
        match (site.profile, carrier) {
            (RdfProfile::NoRdf, true) => DocumentKind::Html,
            (RdfProfile::NoRdf, false) => self.kinds.draw_non_rdf_kind(chance),
            (RdfProfile::AllRdf, _) | (RdfProfile::Mixed, true) => self.kinds.draw_rdf_kind(chance),
            (RdfProfile::Mixed, false) => {
                // Carriers always contain RDF, so the share of the other documents is adjusted.
                let stride = f64::from(self.stride());
                let non_rdf_share = (1.0 - self.kinds.rdf_share) * stride / (stride - 1.0);
                if chance.bernoulli(non_rdf_share) {
                    self.kinds.draw_non_rdf_kind(chance)
                } else {
                    self.kinds.draw_rdf_kind(chance)
                }
            }
        }
    }

    fn draw_fault(&self, carrier: bool, chance: &mut ChanceStream) -> Option<ServerFault> {
        let faults = &self.parameters().faults;
        let has_fault = chance.bernoulli(faults.documents) && !carrier && !faults.document_faults.is_empty();
        has_fault.then(|| chance.pick(&faults.document_faults))
    }

    fn draw_section(&self, site: WorldSite, kind: DocumentKind, file: bool, chance: &mut ChanceStream) -> &'static str {
        let truthful = chance.bernoulli(self.parameters().skew.paths);
        let offset = usize::from(site.name_offset);
        let rdf_section = RDF_SECTIONS[(offset + usize::from(chance.bernoulli(0.5))) % RDF_SECTIONS.len()];
        let non_rdf_section =
            NON_RDF_SECTIONS[(offset / 4 + usize::from(chance.bernoulli(0.5))) % NON_RDF_SECTIONS.len()];
        match kind {
            DocumentKind::Binary => ["files", "images", "media"][offset % 3],
            kind if kind.is_serialisation() && file => chance.pick(&RDF_FILE_SECTIONS),
            kind if kind.is_serialisation() => "data",
            kind if kind.holds_rdf() == truthful => rdf_section,
            _ => non_rdf_section,
        }
    }

    /// Neighbouring documents have different topics, and each topic has the same share, so that a document of a given
    /// topic is found without a search.
    pub(crate) fn topic(&self, site: u32, number: u32) -> u32 {
        (site.wrapping_mul(7).wrapping_add(number)) % self.parameters().topics.count
    }
}

impl DocumentPlan {
    /// Whether the section indicates RDF, or links to RDF.
    pub(crate) fn is_in_rdf_section(&self) -> bool {
        !NON_RDF_SECTIONS.contains(&self.section)
    }

    /// Whether the document can be fetched whole and readable, with retries if necessary.
    pub(crate) fn is_obtainable(&self) -> bool {
        self.exists() && self.fault.is_none_or(ServerFault::leaves_document_obtainable)
    }

    /// Whether the document is not deleted.
    pub(crate) fn exists(&self) -> bool {
        !matches!(self.fate, RevisionFate::Deleted(_))
    }

    /// The URL of this kind.
    pub(crate) fn url(&self, url_kind: DocumentUrlKind) -> String {
        let mut url = String::with_capacity(48);
        self.push_url(url_kind, &mut url);
        url
    }

    /// Appends the URI that links use for the document's resource.
    pub(crate) fn push_name(&self, out: &mut String) {
        match self.naming {
            LinkNaming::Slash => self.push_url(DocumentUrlKind::Resource, out),
            LinkNaming::Url => self.push_url(DocumentUrlKind::Document, out),
            LinkNaming::Hash => {
                self.push_url(DocumentUrlKind::Document, out);
                out.push_str("#it");
            }
        }
    }

    /// The URI that links use for the document's resource.
    pub(crate) fn name(&self) -> String {
        let mut name = String::with_capacity(48);
        self.push_name(&mut name);
        name
    }

    pub(crate) fn push_url(&self, url_kind: DocumentUrlKind, out: &mut String) {
        let on_data =
            url_kind != DocumentUrlKind::Page && (self.kind.is_serialisation() || self.kind == DocumentKind::Binary);
        self.site.push_origin(if on_data { HostSide::Data } else { HostSide::Pages }, out);
        let section = match url_kind {
            DocumentUrlKind::Resource => "resource",
            DocumentUrlKind::Document => self.section,
            DocumentUrlKind::Page => "page",
        };
        out.push('/');
        out.push_str(section);
        out.push('/');
        if let Some(prefix) = self.prefix {
            out.push_str(prefix);
            out.push('-');
        }
        push_number(self.number, out);
        if self.file && url_kind == DocumentUrlKind::Document {
            out.push('.');
            out.push_str(self.kind.extension());
        }
    }
}
