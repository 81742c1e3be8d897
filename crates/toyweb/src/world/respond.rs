//! Responds to requests for the URLs of a world.

use http::{Method, StatusCode};
use url::Url;

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::compose::remaining_bytes;
use super::content::DocumentContent;
use super::faults::{self, ServerFault};
use super::kind::DocumentKind;
use super::links::{REDIRECT_STATUSES, RedirectDetour, push_redirect_url};
use super::plan::{DocumentPlan, DocumentUrlKind, LinkNaming};
use super::responses::{body_response, error_response, html_response, redirect, text_response, with_vary_accept};
use super::revision::RevisionFate;
use super::robots::robots_response;
use super::site::{HostSide, WorldSite, parse_number};
use super::write::{self, WriteContext, html::HtmlPage, html::HtmlPageLink};
use super::{fault_gallery, vocabulary, words};
use crate::accept::AcceptHeader;
use crate::conditional::apply_preconditions;
use crate::message::{Web, WebBody, WebRequest, WebResponse};

impl Web for World {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        apply_preconditions(request, self.unconditional_response(request))
    }
}

impl World {
    fn unconditional_response(&self, request: &WebRequest) -> WebResponse {
        if request.method != Method::GET && request.method != Method::HEAD {
            return error_response(StatusCode::METHOD_NOT_ALLOWED);
        }
        let accept = AcceptHeader::from_headers(&request.headers);
        let host = request.url.host_str().unwrap_or_default();
        if let Some((site, side)) = self.site_of_host(host) {
            return self.site_response(&site, side, &request.url, &accept);
        }
        if self.parameters().faults.gallery && (host == "faults.example" || fault_gallery::host_fault(host).is_some()) {
            return self.gallery_response(host, &request.url);
        }
        if let Some(number) = vocabulary::find_by_url(host, request.url.path(), self.parameters().vocabularies) {
            return self.vocabulary_response(number, &accept);
        }
        error_response(StatusCode::NOT_FOUND)
    }

    fn site_response(&self, site: &WorldSite, side: Option<HostSide>, url: &Url, accept: &AcceptHeader) -> WebResponse {
        if url.scheme() == "https" {
            return redirect(StatusCode::MOVED_PERMANENTLY, &url.as_str().replacen("https", "http", 1));
        }
        if url.path() == "/robots.txt" {
            return self.robots_txt(site);
        }
        let correct = self.faultless_response(site, side, url, accept);
        match site.fault {
            Some(fault) if !fault.affects_robots_txt() => self.apply_fault(fault, correct, url),
            _ => correct,
        }
    }

    fn apply_fault(&self, fault: ServerFault, correct: WebResponse, url: &Url) -> WebResponse {
        faults::apply(fault, correct, url.as_str(), &self.parameters().faults, &self.memory)
    }

    /// The response of a site before its configured fault is applied.
    fn faultless_response(
        &self,
        site: &WorldSite,
        side: Option<HostSide>,
        url: &Url,
        accept: &AcceptHeader,
    ) -> WebResponse {
        let not_found = || error_response(StatusCode::NOT_FOUND);
        let mut segments = url.path().split('/').skip(1);
        let mut next = || segments.next();
        match (next(), next(), next(), next(), next()) {
            (Some(""), None, ..) => redirect(StatusCode::FOUND, &self.plan(*site, 0).name()),
            (Some("private"), Some(item), None, ..) => private_response(url, item),
            (Some("calendar"), Some(year), Some(month), None, _) => match (parse_number(year), month.parse::<u32>()) {
                (Some(year), Ok(month)) => faults::calendar_page(year, month),
                _ => not_found(),
            },
            (Some("loop"), Some(turn @ ("0" | "1")), Some(item), None, _) => {
                redirect(StatusCode::FOUND, &format!("/loop/{}/{item}", u8::from(turn == "0")))
            }
            (Some("moved"), Some(status), Some(hops), Some(item), None) => {
                self.redirect_response(site, status, hops, item).unwrap_or_else(not_found)
            }
            (Some(file), None, ..) if file.starts_with("sitemap") => {
                self.sitemap(site, file.trim_start_matches("sitemap"))
            }
            (Some(_), Some(item), None, ..) => {
                let found = self.locate(site, side, item, url);
                found.map_or_else(not_found, |(plan, url_kind)| self.plan_response(&plan, url_kind, url, accept))
            }
            _ => not_found(),
        }
    }

    fn redirect_response(&self, site: &WorldSite, status: &str, hops: &str, item: &str) -> Option<WebResponse> {
        let status = parse_number(status)
            .and_then(|status| u16::try_from(status).ok())
            .filter(|s| REDIRECT_STATUSES.contains(s))?;
        let (hops, number) = (parse_number(hops)?, parse_number(item).filter(|n| *n < site.documents)?);
        let mut location = String::new();
        if hops > 1 {
            push_redirect_url(*site, RedirectDetour { status, hops: hops - 1 }, number, &mut location);
        } else {
            self.plan(*site, number).push_name(&mut location);
        }
        let status = StatusCode::from_u16(status).expect("redirect statuses are valid");
        Some(redirect(status, &location))
    }

    /// The document at this URL, and the kind of the URL.
    fn locate(
        &self,
        site: &WorldSite,
        side: Option<HostSide>,
        item: &str,
        url: &Url,
    ) -> Option<(DocumentPlan, DocumentUrlKind)> {
        side?;
        // `7`, `7.html` and `violin-7` all mean document 7, if its URL matches.
        let stem = item.split('.').next().unwrap_or_default();
        let number = parse_number(stem.rsplit('-').next().unwrap_or_default())?;
        if number >= site.documents || url.query().is_some() {
            return None;
        }
        let plan = self.plan(*site, number);
        let url_kinds: &[DocumentUrlKind] = match (plan.kind.is_serialisation(), plan.naming) {
            (true, LinkNaming::Slash) => &[DocumentUrlKind::Resource, DocumentUrlKind::Document, DocumentUrlKind::Page],
            (true, _) => &[DocumentUrlKind::Document, DocumentUrlKind::Page],
            (false, _) => &[DocumentUrlKind::Document],
        };
        url_kinds.iter().find(|url_kind| plan.url(**url_kind) == url.as_str()).map(|url_kind| (plan, *url_kind))
    }

    fn plan_response(
        &self,
        plan: &DocumentPlan,
        url_kind: DocumentUrlKind,
        url: &Url,
        accept: &AcceptHeader,
    ) -> WebResponse {
        if let RevisionFate::Deleted(status) = plan.fate {
            return error_response(status);
        }
        match url_kind {
            DocumentUrlKind::Resource => with_vary_accept(see_other(plan, accept)),
            DocumentUrlKind::Page => {
                self.with_validators(plan, url_kind, html_response(self.html_page(plan, DocumentKind::Page)))
            }
            DocumentUrlKind::Document => {
                let correct = self.with_validators(plan, url_kind, self.document_response(plan, accept));
                match plan.fault {
                    Some(fault) if plan.site.fault.is_none() => self.apply_fault(fault, correct, url),
                    _ => correct,
                }
            }
        }
    }

    fn document_response(&self, plan: &DocumentPlan, accept: &AcceptHeader) -> WebResponse {
        match plan.kind {
            DocumentKind::Binary => body_response(plan.content_type, WebBody::Whole(self.binary_content(plan).into())),
            kind if !kind.is_serialisation() => text_response(plan.content_type, self.html_page(plan, kind)),
            kind if plan.negotiating => {
                // The document's own syntax is listed first, so that it is chosen in a tie.
                let mut offered = vec![kind];
                offered.extend(DocumentKind::NEGOTIATED.into_iter().filter(|other| *other != kind));
                with_vary_accept(match accept.best(&offered, DocumentKind::media_type) {
                    Some(kind) => text_response(Some(kind.media_type()), self.serialise(plan, kind)),
                    None => error_response(StatusCode::NOT_ACCEPTABLE),
                })
            }
            kind => text_response(plan.content_type, self.serialise(plan, kind)),
        }
    }

    fn serialise(&self, plan: &DocumentPlan, kind: DocumentKind) -> String {
        let content = self.content(plan, &self.links(plan));
        let base = plan.url(DocumentUrlKind::Document);
        write::serialise(kind, &content, &self.write_context(plan, &base))
    }

    fn write_context<'a>(&self, plan: &DocumentPlan, base: &'a str) -> WriteContext<'a> {
        let mut chance = ChanceStream::new(self.parameters().seed, ChanceTopic::Style, plan.site.number, plan.number);
        let [style, relative, ..] = chance.next_u64().to_le_bytes();
        WriteContext { base, relative: relative.is_multiple_of(2), style }
    }

    /// An HTML document, or the HTML page of an RDF document.
    fn html_page(&self, plan: &DocumentPlan, kind: DocumentKind) -> String {
        let links = self.links(plan);
        let anchors = self.anchors(plan, &links);
        let content = if kind == DocumentKind::Page {
            DocumentContent { descriptions: Vec::new() }
        } else {
            self.content(plan, &links)
        };
        let origin = plan.site.origin(HostSide::Pages);
        let local = |uri: String| match uri.strip_prefix(&origin) {
            Some(path) if path.starts_with('/') => path.to_owned(),
            _ => uri,
        };
        let page_links = anchors.iter().map(|anchor| HtmlPageLink {
            href: local(self.destination_uri(&anchor.to)),
            text: anchor.text,
            media_type: anchor.media_type,
            list: self.link_list(plan, &anchor.to),
        });
        let mut chance = ChanceStream::new(self.parameters().seed, ChanceTopic::Text, plan.site.number, plan.number);
        let budget = remaining_bytes(plan, kind, links.len());
        let budget = if kind.holds_rdf() { budget / 2 } else { budget };
        let alternate = match kind {
            DocumentKind::Page => Some((local(plan.url(DocumentUrlKind::Document)), plan.kind.media_type())),
            // A page that wrongly announces an RDF alternate.
            DocumentKind::Html if chance.bernoulli(self.parameters().skew.misleading_links) => {
                Some((local(plan.url(DocumentUrlKind::Document)), DocumentKind::RdfXml.media_type()))
            }
            _ => None,
        };
        let page = HtmlPage {
            title: &words::text(plan.topic, 20, &mut chance),
            alternate,
            links: page_links.collect(),
            prose: prose(plan.topic, budget, &mut chance),
        };
        let base = plan.url(if kind == DocumentKind::Page { DocumentUrlKind::Page } else { DocumentUrlKind::Document });
        write::html::write(kind, &page, &content, &self.write_context(plan, &base))
    }

    fn binary_content(&self, plan: &DocumentPlan) -> Vec<u8> {
        let mut chance = ChanceStream::new(self.parameters().seed, ChanceTopic::Text, plan.site.number, plan.number);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        while bytes.len() < plan.bytes as usize {
            bytes.extend_from_slice(&chance.next_u64().to_le_bytes());
        }
        bytes
    }

    fn vocabulary_response(&self, number: u16, accept: &AcceptHeader) -> WebResponse {
        let vocabularies = self.parameters().vocabularies;
        with_vary_accept(
            match accept.best(
                &[DocumentKind::Turtle, DocumentKind::RdfXml, DocumentKind::NTriples, DocumentKind::JsonLd],
                DocumentKind::media_type,
            ) {
                None => error_response(StatusCode::NOT_ACCEPTABLE),
                Some(kind) => {
                    let base = vocabulary::url(number, vocabularies);
                    let context = WriteContext { base: &base, relative: false, style: 0 };
                    text_response(
                        Some(kind.media_type()),
                        write::serialise(kind, &vocabulary::content(number, vocabularies), &context),
                    )
                }
            },
        )
    }

    fn gallery_response(&self, host: &str, url: &Url) -> WebResponse {
        if fault_gallery::host_fault(host) == Some(ServerFault::BrokenTls) && url.scheme() == "https" {
            return self.apply_fault(ServerFault::BrokenTls, html_response(fault_gallery::index()), url);
        }
        match (host, url.path()) {
            (_, "/robots.txt") => {
                robots_response(fault_gallery::host_fault(host), "User-agent: *\nDisallow: /private/\n".to_owned())
            }
            ("faults.example", "/") => html_response(fault_gallery::index()),
            ("faults.example", path) if path.starts_with("/loop/") => {
                redirect(StatusCode::FOUND, if path == "/loop/0/0" { "/loop/1/0" } else { "/loop/0/0" })
            }
            ("faults.example", path) if path.starts_with("/calendar/") => {
                let mut numbers = path.split('/').skip(2).filter_map(|text| text.parse().ok());
                match (numbers.next(), numbers.next()) {
                    (Some(year), Some(month)) => faults::calendar_page(year, month),
                    _ => error_response(StatusCode::NOT_FOUND),
                }
            }
            (host, path) => match fault_gallery::fault_at(host, path) {
                None => error_response(StatusCode::NOT_FOUND),
                Some(fault) => {
                    let context = WriteContext { base: url.as_str(), relative: false, style: 0 };
                    let content = fault_gallery::content(fault, url.as_str());
                    let correct =
                        text_response(Some("text/turtle"), write::serialise(DocumentKind::Turtle, &content, &context));
                    self.apply_fault(fault, correct, url)
                }
            },
        }
    }
}

/// Redirects to the RDF document if the client prefers any RDF syntax to HTML, otherwise to the page.
fn see_other(plan: &DocumentPlan, accept: &AcceptHeader) -> WebResponse {
    let rdf = [
        DocumentKind::RdfXml,
        DocumentKind::Turtle,
        DocumentKind::NTriples,
        DocumentKind::NQuads,
        DocumentKind::TriG,
        DocumentKind::JsonLd,
    ];
    let rdf = rdf.into_iter().map(|kind| accept.quality(kind.media_type())).fold(0.0, f32::max);
    let page = accept.quality("text/html");
    if rdf <= 0.0 && page <= 0.0 {
        return error_response(StatusCode::NOT_ACCEPTABLE);
    }
    redirect(
        StatusCode::SEE_OTHER,
        &plan.url(if rdf > page { DocumentUrlKind::Document } else { DocumentUrlKind::Page }),
    )
}

/// A document at a path that robots.txt disallows, so that a violation also shows in the harvest.
fn private_response(url: &Url, item: &str) -> WebResponse {
    text_response(Some("text/turtle"), format!("<{url}#it> <http://vocab.example/ns#p0> \"private {item}\" .\n"))
}

fn prose(topic: u32, bytes: u32, chance: &mut ChanceStream) -> String {
    let mut prose = String::with_capacity(bytes as usize + 64);
    while prose.len() + 100 < bytes as usize {
        if !prose.is_empty() {
            prose.push('\n');
        }
        words::push_text(topic, 400.min(bytes as usize - prose.len()), chance, &mut prose);
    }
    prose
}
