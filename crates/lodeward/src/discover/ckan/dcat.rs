//! Converts packages to DCAT statements.

use lodeward_rdf::iri::percent_encode;
use oxilangtag::LanguageTag;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{GraphNameRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};
use url::Url;

use super::package::{CkanGroup, CkanPackage, CkanResource, CkanText};
use crate::discover::StepSink;
use crate::model::rdf_likelihood::is_archive_media_type;
use crate::model::{Fault, FaultKind, Uri};
use lodeward_rdf::RdfFormat;

const DCAT: &str = "http://www.w3.org/ns/dcat#";
const DCT: &str = "http://purl.org/dc/terms/";

/// Writes packages as statements.
pub(super) struct DcatWriter<'a> {
    root: Url,
    pub(super) findings: &'a mut dyn StepSink,
    has_catalogue: bool,
    /// Number of invalid resource URLs, and one of them as an example.
    invalid_urls: (u64, String),
    /// Number of statements that could not be serialised, and the reason for one of them.
    rejected: (u64, String),
}

impl<'a> DcatWriter<'a> {
    pub(super) fn new(root: &Uri, findings: &'a mut dyn StepSink) -> Self {
        let none = || (0, String::new());
        Self { root: root.to_url(), findings, has_catalogue: false, invalid_urls: none(), rejected: none() }
    }

    /// Writes a package. A deleted package is skipped.
    pub(super) fn write_package(&mut self, package: &CkanPackage) {
        let Some(id) = package.id.plain().or(package.name.plain()) else { return };
        if package.state.plain() == Some("deleted") {
            return;
        }
        let dataset = self.page_iri(&["dataset", id]);
        let catalogue = self.root.to_string();
        if !self.has_catalogue {
            self.has_catalogue = true;
            self.write_type(&catalogue, "http://www.w3.org/ns/dcat#Catalog");
        }
        self.write_link(&catalogue, DCAT, "dataset", &dataset);
        self.write_type(&dataset, "http://www.w3.org/ns/dcat#Dataset");
        self.write_dataset(&dataset, package);
        for (number, resource) in package.resources.0.iter().enumerate() {
            self.write_resource(&dataset, id, number, resource);
        }
    }

    fn write_dataset(&mut self, dataset: &str, package: &CkanPackage) {
        self.write_text(dataset, DCT, "title", &package.title);
        self.write_text(dataset, DCT, "title", &package.title_translated);
        self.write_text(dataset, DCT, "description", &package.notes);
        self.write_text(dataset, DCT, "description", &package.notes_translated);
        for identifier in [&package.id, &package.name, &package.identifier] {
            self.write_text(dataset, DCT, "identifier", identifier);
        }
        self.write_literal(dataset, DCT, "identifier", package.extra("identifier").or(package.extra("guid")));
        self.write_time(dataset, "issued", package.metadata_created.plain());
        self.write_time(dataset, "modified", package.metadata_modified.plain());
        self.write_text(dataset, "http://www.w3.org/2002/07/owl#", "versionInfo", &package.version);
        self.write_literal(dataset, DCT, "language", package.extra("language"));
        for tag in &package.tags.0 {
            let name = if tag.display_name.is_empty() { &tag.name } else { &tag.display_name };
            self.write_text(dataset, DCAT, "keyword", name);
        }
        if let Some(page) = package.url.plain().and_then(|page| self.url_iri(page)) {
            self.write_link(dataset, DCAT, "landingPage", &page);
        }
        if let Some(other) = package.uri.plain().or(package.extra("uri")).and_then(|uri| self.url_iri(uri)) {
            self.write_link(dataset, "http://www.w3.org/2002/07/owl#", "sameAs", &other);
        }
        match package.license_url.plain().and_then(|license| self.url_iri(license)) {
            Some(license) => self.write_link(dataset, DCT, "license", &license),
            None => self.write_text(dataset, DCT, "rights", &package.license_title),
        }
        self.write_group(dataset, &package.organization.0, "organization");
        for group in &package.groups.0 {
            self.write_group(dataset, group, "group");
        }
    }

    /// Writes an organization as the `dct:publisher` of the dataset, and a group as a `dcat:theme`.
    fn write_group(&mut self, dataset: &str, group: &CkanGroup, directory: &str) {
        let Some(name) = group.name.plain() else { return };
        let page = self.page_iri(&[directory, name]);
        let title = if group.title.is_empty() { &group.name } else { &group.title };
        if directory == "organization" {
            self.write_link(dataset, DCT, "publisher", &page);
            self.write_type(&page, "http://xmlns.com/foaf/0.1/Organization");
            self.write_text(&page, "http://xmlns.com/foaf/0.1/", "name", title);
        } else {
            self.write_link(dataset, DCAT, "theme", &page);
            self.write_type(&page, "http://www.w3.org/2004/02/skos/core#Concept");
            self.write_text(&page, "http://www.w3.org/2004/02/skos/core#", "prefLabel", title);
        }
    }

    fn write_resource(&mut self, dataset: &str, package_id: &str, number: usize, resource: &CkanResource) {
        let number = number.to_string();
        let id = resource.id.plain().unwrap_or(&number);
        let distribution = self.page_iri(&["dataset", package_id, "resource", id]);
        self.write_link(dataset, DCAT, "distribution", &distribution);
        self.write_type(&distribution, "http://www.w3.org/ns/dcat#Distribution");
        self.write_text(&distribution, DCT, "title", &resource.name);
        self.write_text(&distribution, DCT, "description", &resource.description);
        self.write_text(&distribution, DCT, "format", &resource.format);
        self.write_text(&distribution, DCAT, "mediaType", &resource.mimetype);
        self.write_time(&distribution, "issued", resource.created.plain());
        self.write_time(&distribution, "modified", resource.last_modified.plain());
        if let Some(size) = resource.size.plain().filter(|size| size.bytes().all(|byte| byte.is_ascii_digit())) {
            self.write_typed(&distribution, DCAT, "byteSize", size, xsd::NON_NEGATIVE_INTEGER);
        }
        let Some(written) = resource.url.plain() else { return };
        let Some(url) = self.url_iri(written) else {
            self.invalid_urls.0 += 1;
            written.clone_into(&mut self.invalid_urls.1);
            return;
        };
        self.write_link(&distribution, DCAT, "accessURL", &url);
        match resource_kind(resource, &url) {
            CkanResourceKind::Endpoint => self.write_link(dataset, "http://rdfs.org/ns/void#", "sparqlEndpoint", &url),
            CkanResourceKind::File => self.write_link(&distribution, DCAT, "downloadURL", &url),
            CkanResourceKind::Unknown => {}
        }
    }

    /// Reports invalid resource URLs and rejected statements as faults.
    pub(super) fn finish(&mut self) {
        let (count, example) = &self.invalid_urls;
        if *count > 0 {
            let detail = format!("{count} invalid resource URLs, such as `{example}`");
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
        let (count, reason) = &self.rejected;
        if *count > 0 {
            let detail = format!("{count} statements about packages skipped: {reason}");
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
    }

    /// The URL of a page of the catalogue.
    fn page_iri(&self, segments: &[&str]) -> String {
        let mut url = self.root.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        percent_encode(url.as_str()).into_owned()
    }

    /// A URL from a form field, as an IRI. A valid one is not changed, because other documents may use the same
    /// spelling.
    fn url_iri(&self, written: &str) -> Option<String> {
        const SCHEMES: &[&str] = &["http", "https", "ftp", "ftps", "sftp", "s3", "gs", "urn", "doi", "ipfs"];
        let escaped = percent_encode(written);
        let scheme = escaped.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.as_str())) {
            let is_sound = oxiri::Iri::parse(&*escaped).is_ok() && Url::parse(&escaped).is_ok();
            return is_sound.then(|| escaped.into_owned());
        }
        if written.starts_with('/') {
            return self.root.join(&escaped).ok().map(|url| percent_encode(url.as_str()).into_owned());
        }
        let host = written.split(['/', '?', '#']).next().unwrap_or_default();
        let is_host_like = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
        let has_host = host.bytes().all(is_host_like) && host.split('.').filter(|label| !label.is_empty()).count() > 1;
        let url = if has_host { Url::parse(&format!("http://{escaped}")).ok()? } else { return None };
        Some(percent_encode(url.as_str()).into_owned())
    }

    fn write_type(&mut self, subject: &str, class: &str) {
        self.write_quad(subject, rdf::TYPE, NamedNodeRef::new_unchecked(class).into());
    }

    fn write_link(&mut self, subject: &str, namespace: &str, name: &str, object: &str) {
        let predicate = format!("{namespace}{name}");
        self.write_quad(subject, NamedNodeRef::new_unchecked(&predicate), NamedNodeRef::new_unchecked(object).into());
    }

    fn write_text(&mut self, subject: &str, namespace: &str, name: &str, text: &CkanText) {
        for (language, text) in &text.0 {
            match language.as_deref().filter(|language| LanguageTag::parse(*language).is_ok()) {
                Some(language) => {
                    let predicate = format!("{namespace}{name}");
                    let language = language.to_ascii_lowercase();
                    let literal = LiteralRef::new_language_tagged_literal_unchecked(text, &language);
                    self.write_quad(subject, NamedNodeRef::new_unchecked(&predicate), literal.into());
                }
                None => self.write_literal(subject, namespace, name, Some(text)),
            }
        }
    }

    fn write_literal(&mut self, subject: &str, namespace: &str, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        let predicate = format!("{namespace}{name}");
        self.write_quad(subject, NamedNodeRef::new_unchecked(&predicate), LiteralRef::new_simple_literal(text).into());
    }

    fn write_typed(&mut self, subject: &str, namespace: &str, name: &str, text: &str, datatype: NamedNodeRef<'_>) {
        let predicate = format!("{namespace}{name}");
        let literal = LiteralRef::new_typed_literal(text, datatype);
        self.write_quad(subject, NamedNodeRef::new_unchecked(&predicate), literal.into());
    }

    fn write_time(&mut self, subject: &str, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        match time_datatype(text) {
            Some(datatype) => self.write_typed(subject, DCT, name, text, datatype),
            None => self.write_literal(subject, DCT, name, Some(text)),
        }
    }

    fn write_quad(&mut self, subject: &str, predicate: NamedNodeRef<'_>, object: TermRef<'_>) {
        let subject = NamedNodeRef::new_unchecked(subject).into();
        let quad = QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph };
        if let Err(reason) = self.findings.quad(quad) {
            self.rejected = (self.rejected.0 + 1, reason);
        }
    }
}

/// The datatype of a time such as `2021-03-04T05:06:07.123456` or `2021-03-04`; `None` for any other text.
fn time_datatype(text: &str) -> Option<NamedNodeRef<'static>> {
    let fits = |pattern: &str| {
        let pairs = pattern.bytes().zip(text.bytes());
        text.len() >= pattern.len()
            && pairs.into_iter().all(|(expected, byte)| match expected {
                b'0' => byte.is_ascii_digit(),
                expected => byte == expected,
            })
    };
    if fits("0000-00-00T00:00:00") {
        let rest = &text["0000-00-00T00:00:00".len()..];
        let is_known =
            rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'+' | b'-' | b'Z'));
        return is_known.then_some(xsd::DATE_TIME);
    }
    (text.len() == 10 && fits("0000-00-00")).then_some(xsd::DATE)
}

/// The kinds of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CkanResourceKind {
    /// A SPARQL endpoint.
    Endpoint,
    /// A file, RDF or not.
    File,
    /// A page or a service.
    Unknown,
}

fn resource_kind(resource: &CkanResource, url: &str) -> CkanResourceKind {
    let format = resource.format.plain().unwrap_or_default().to_ascii_lowercase();
    let media_type = resource.mimetype.plain().unwrap_or_default();
    if format.contains("sparql") && !url.contains("query=") {
        return CkanResourceKind::Endpoint;
    }
    let is_upload = resource.url_type.plain() == Some("upload");
    let is_data = is_rdf_format(&format) || is_archive_media_type(media_type);
    let is_rdf = RdfFormat::from_media_type(media_type).is_some_and(RdfFormat::is_rdf);
    if is_upload || is_data || is_rdf || has_file_name(url) {
        CkanResourceKind::File
    } else {
        CkanResourceKind::Unknown
    }
}

/// Whether a format in lower case is an RDF format: `rdf`, `text/turtle`, `gzip::nquads`, `N-Triples`.
fn is_rdf_format(format: &str) -> bool {
    const RDF_FORMATS: &[&str] = &[
        "rdf",
        "turtle",
        "ttl",
        "n3",
        "nt",
        "ntriples",
        "xntriples",
        "nquads",
        "xnquads",
        "nq",
        "trig",
        "xtrig",
        "jsonld",
        "owl",
        "void",
    ];
    let joined: String = format.chars().filter(|character| *character != '-').collect();
    let mut words = joined.split(|character: char| !character.is_ascii_alphanumeric());
    words.any(|word| RDF_FORMATS.contains(&word)) || joined.contains("ld+json")
}

/// Whether a URL is that of a file rather than a page.
fn has_file_name(url: &str) -> bool {
    const PAGE_EXTENSIONS: &[&str] = &["html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "do", "cgi"];
    let extension = Uri::parse(url).ok().and_then(|uri| uri.extension());
    extension.is_some_and(|extension| {
        !PAGE_EXTENSIONS.contains(&extension.as_str()) && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}
