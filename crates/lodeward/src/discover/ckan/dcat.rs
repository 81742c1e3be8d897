//! Packages as statements in DCAT.

use lodeward_markup::escape_iri;
use oxilangtag::LanguageTag;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{GraphNameRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};
use url::Url;

use super::package::{Group, Package, Resource, Text};
use crate::discover::Findings;
use crate::model::media_type::{Syntax, is_archive_media_type};
use crate::model::{Fault, FaultKind, Uri};

const DCAT: &str = "http://www.w3.org/ns/dcat#";
const DCT: &str = "http://purl.org/dc/terms/";

/// Writes packages down.
pub(super) struct Writer<'a> {
    root: Url,
    pub(super) findings: &'a mut dyn Findings,
    has_catalogue: bool,
    /// Addresses of resources that are none, and one of them.
    bad_addresses: (u64, String),
    /// Statements that could not be written down, and why.
    refusals: (u64, String),
}

impl<'a> Writer<'a> {
    pub(super) fn new(root: &Uri, findings: &'a mut dyn Findings) -> Self {
        let none = || (0, String::new());
        Self { root: root.to_url(), findings, has_catalogue: false, bad_addresses: none(), refusals: none() }
    }

    /// Writes down a package. What has been deleted is none.
    pub(super) fn package(&mut self, package: &Package) {
        let Some(id) = package.id.plain().or(package.name.plain()) else { return };
        if package.state.plain() == Some("deleted") {
            return;
        }
        let dataset = self.page(&["dataset", id]);
        let catalogue = self.root.to_string();
        if !self.has_catalogue {
            self.has_catalogue = true;
            self.is_a(&catalogue, "http://www.w3.org/ns/dcat#Catalog");
        }
        self.refer(&catalogue, DCAT, "dataset", &dataset);
        self.is_a(&dataset, "http://www.w3.org/ns/dcat#Dataset");
        self.dataset(&dataset, package);
        for (number, resource) in package.resources.0.iter().enumerate() {
            self.resource(&dataset, id, number, resource);
        }
    }

    fn dataset(&mut self, dataset: &str, package: &Package) {
        self.text(dataset, DCT, "title", &package.title);
        self.text(dataset, DCT, "title", &package.title_translated);
        self.text(dataset, DCT, "description", &package.notes);
        self.text(dataset, DCT, "description", &package.notes_translated);
        for identifier in [&package.id, &package.name, &package.identifier] {
            self.text(dataset, DCT, "identifier", identifier);
        }
        self.say(dataset, DCT, "identifier", package.extra("identifier").or(package.extra("guid")));
        self.time(dataset, "issued", package.metadata_created.plain());
        self.time(dataset, "modified", package.metadata_modified.plain());
        self.text(dataset, "http://www.w3.org/2002/07/owl#", "versionInfo", &package.version);
        self.say(dataset, DCT, "language", package.extra("language"));
        for tag in &package.tags.0 {
            let name = if tag.display_name.is_empty() { &tag.name } else { &tag.display_name };
            self.text(dataset, DCAT, "keyword", name);
        }
        if let Some(page) = package.url.plain().and_then(|page| self.address(page)) {
            self.refer(dataset, DCAT, "landingPage", &page);
        }
        if let Some(other) = package.uri.plain().or(package.extra("uri")).and_then(|uri| self.address(uri)) {
            self.refer(dataset, "http://www.w3.org/2002/07/owl#", "sameAs", &other);
        }
        match package.license_url.plain().and_then(|license| self.address(license)) {
            Some(license) => self.refer(dataset, DCT, "license", &license),
            None => self.text(dataset, DCT, "rights", &package.license_title),
        }
        self.group(dataset, &package.organization.0, "organization");
        for group in &package.groups.0 {
            self.group(dataset, group, "group");
        }
    }

    /// Organizations publish; groups are about something.
    fn group(&mut self, dataset: &str, group: &Group, directory: &str) {
        let Some(name) = group.name.plain() else { return };
        let page = self.page(&[directory, name]);
        let title = if group.title.is_empty() { &group.name } else { &group.title };
        if directory == "organization" {
            self.refer(dataset, DCT, "publisher", &page);
            self.is_a(&page, "http://xmlns.com/foaf/0.1/Organization");
            self.text(&page, "http://xmlns.com/foaf/0.1/", "name", title);
        } else {
            self.refer(dataset, DCAT, "theme", &page);
            self.is_a(&page, "http://www.w3.org/2004/02/skos/core#Concept");
            self.text(&page, "http://www.w3.org/2004/02/skos/core#", "prefLabel", title);
        }
    }

    fn resource(&mut self, dataset: &str, package_id: &str, number: usize, resource: &Resource) {
        let number = number.to_string();
        let id = resource.id.plain().unwrap_or(&number);
        let distribution = self.page(&["dataset", package_id, "resource", id]);
        self.refer(dataset, DCAT, "distribution", &distribution);
        self.is_a(&distribution, "http://www.w3.org/ns/dcat#Distribution");
        self.text(&distribution, DCT, "title", &resource.name);
        self.text(&distribution, DCT, "description", &resource.description);
        self.text(&distribution, DCT, "format", &resource.format);
        self.text(&distribution, DCAT, "mediaType", &resource.mimetype);
        self.time(&distribution, "issued", resource.created.plain());
        self.time(&distribution, "modified", resource.last_modified.plain());
        if let Some(size) = resource.size.plain().filter(|size| size.bytes().all(|byte| byte.is_ascii_digit())) {
            self.typed(&distribution, DCAT, "byteSize", size, xsd::NON_NEGATIVE_INTEGER);
        }
        let Some(written) = resource.url.plain() else { return };
        let Some(address) = self.address(written) else {
            self.bad_addresses.0 += 1;
            written.clone_into(&mut self.bad_addresses.1);
            return;
        };
        self.refer(&distribution, DCAT, "accessURL", &address);
        match sort(resource, &address) {
            Sort::Endpoint => self.refer(dataset, "http://rdfs.org/ns/void#", "sparqlEndpoint", &address),
            Sort::File => self.refer(&distribution, DCAT, "downloadURL", &address),
            Sort::Unknown => {}
        }
    }

    /// Tells what could not be used.
    pub(super) fn finish(&mut self) {
        let (count, example) = &self.bad_addresses;
        if *count > 0 {
            let detail = format!("{count} addresses of resources are none, such as `{example}`");
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
        let (count, reason) = &self.refusals;
        if *count > 0 {
            let detail = format!("{count} statements about packages were left out: {reason}");
            self.findings.fault(Fault::new(FaultKind::Syntax, detail));
        }
    }

    /// The address of a page of the catalogue.
    fn page(&self, segments: &[&str]) -> String {
        let mut url = self.root.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        escape_iri(url.as_str()).into_owned()
    }

    /// An address that somebody wrote into a form, as an IRI. One that is fine is
    /// left as it is, because others may have written it the same way.
    fn address(&self, written: &str) -> Option<String> {
        const SCHEMES: &[&str] = &["http", "https", "ftp", "ftps", "sftp", "s3", "gs", "urn", "doi", "ipfs"];
        let escaped = escape_iri(written);
        let scheme = escaped.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.as_str())) {
            let is_sound = oxiri::Iri::parse(&*escaped).is_ok() && Url::parse(&escaped).is_ok();
            return is_sound.then(|| escaped.into_owned());
        }
        if written.starts_with('/') {
            return self.root.join(&escaped).ok().map(|url| escape_iri(url.as_str()).into_owned());
        }
        let host = written.split(['/', '?', '#']).next().unwrap_or_default();
        let is_host_like = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
        let has_host = host.bytes().all(is_host_like) && host.split('.').filter(|label| !label.is_empty()).count() > 1;
        let url = if has_host { Url::parse(&format!("http://{escaped}")).ok()? } else { return None };
        Some(escape_iri(url.as_str()).into_owned())
    }

    fn is_a(&mut self, subject: &str, class: &str) {
        self.quad(subject, rdf::TYPE, NamedNodeRef::new_unchecked(class).into());
    }

    fn refer(&mut self, subject: &str, namespace: &str, name: &str, object: &str) {
        let predicate = format!("{namespace}{name}");
        self.quad(subject, NamedNodeRef::new_unchecked(&predicate), NamedNodeRef::new_unchecked(object).into());
    }

    fn text(&mut self, subject: &str, namespace: &str, name: &str, text: &Text) {
        for (language, text) in &text.0 {
            match language.as_deref().filter(|language| LanguageTag::parse(*language).is_ok()) {
                Some(language) => {
                    let predicate = format!("{namespace}{name}");
                    let language = language.to_ascii_lowercase();
                    let literal = LiteralRef::new_language_tagged_literal_unchecked(text, &language);
                    self.quad(subject, NamedNodeRef::new_unchecked(&predicate), literal.into());
                }
                None => self.say(subject, namespace, name, Some(text)),
            }
        }
    }

    fn say(&mut self, subject: &str, namespace: &str, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        let predicate = format!("{namespace}{name}");
        self.quad(subject, NamedNodeRef::new_unchecked(&predicate), LiteralRef::new_simple_literal(text).into());
    }

    fn typed(&mut self, subject: &str, namespace: &str, name: &str, text: &str, datatype: NamedNodeRef<'_>) {
        let predicate = format!("{namespace}{name}");
        let literal = LiteralRef::new_typed_literal(text, datatype);
        self.quad(subject, NamedNodeRef::new_unchecked(&predicate), literal.into());
    }

    fn time(&mut self, subject: &str, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        match sort_of_time(text) {
            Some(datatype) => self.typed(subject, DCT, name, text, datatype),
            None => self.say(subject, DCT, name, Some(text)),
        }
    }

    fn quad(&mut self, subject: &str, predicate: NamedNodeRef<'_>, object: TermRef<'_>) {
        let subject = NamedNodeRef::new_unchecked(subject).into();
        let quad = QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph };
        if let Err(reason) = self.findings.quad(quad) {
            self.refusals = (self.refusals.0 + 1, reason);
        }
    }
}

/// `2021-03-04T05:06:07.123456`, `2021-03-04`, or neither.
fn sort_of_time(text: &str) -> Option<NamedNodeRef<'static>> {
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

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A SPARQL endpoint.
    Endpoint,
    /// A file, RDF or not.
    File,
    /// Perhaps a page, perhaps a service.
    Unknown,
}

fn sort(resource: &Resource, address: &str) -> Sort {
    let format = resource.format.plain().unwrap_or_default().to_ascii_lowercase();
    let media_type = resource.mimetype.plain().unwrap_or_default();
    if format.contains("sparql") && !address.contains("query=") {
        return Sort::Endpoint;
    }
    let is_upload = resource.url_type.plain() == Some("upload");
    let is_data = says_rdf(&format) || is_archive_media_type(media_type);
    let is_rdf = Syntax::of_media_type(media_type).is_some_and(Syntax::is_rdf);
    if is_upload || is_data || is_rdf || has_file_name(address) { Sort::File } else { Sort::Unknown }
}

/// Whether a format, in lower case, is one of RDF: `rdf`, `text/turtle`,
/// `gzip::nquads`, `N-Triples`.
fn says_rdf(format: &str) -> bool {
    const WORDS: &[&str] = &[
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
    words.any(|word| WORDS.contains(&word)) || joined.contains("ld+json")
}

/// Whether an address is that of a file, rather than of a page.
fn has_file_name(address: &str) -> bool {
    const PAGES: &[&str] = &["html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "do", "cgi"];
    let extension = Uri::parse(address).ok().and_then(|uri| uri.extension());
    extension.is_some_and(|extension| {
        !PAGES.contains(&extension.as_str()) && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}
