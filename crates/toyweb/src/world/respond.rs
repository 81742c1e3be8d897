//! Answering requests.

use http::{Method, StatusCode};
use url::Url;

use super::World;
use super::answer::{failure, html, redirect, text, varying, with_body};
use super::chance::{Chance, Matter};
use super::compose::room;
use super::content::Content;
use super::faults::{self, Fault};
use super::kind::Kind;
use super::links::{Detour, REDIRECTS, push_moved};
use super::plan::{Face, Naming, Plan};
use super::revision::Fate;
use super::robots::ailing_robots;
use super::site::{Side, Site, number};
use super::write::{self, Setting, html::Page, html::PageLink};
use super::{gallery, vocabulary, words};
use crate::accept::Accept;
use crate::conditional::settle;
use crate::message::{Body, Request, Response, Web};

impl Web for World {
    fn respond(&self, request: &Request) -> Response {
        settle(request, self.answer(request))
    }
}

impl World {
    fn answer(&self, request: &Request) -> Response {
        if request.method != Method::GET && request.method != Method::HEAD {
            return failure(StatusCode::METHOD_NOT_ALLOWED);
        }
        let accept = Accept::of(&request.headers);
        let host = request.url.host_str().unwrap_or_default();
        if let Some((site, side)) = self.site_of_host(host) {
            return self.of_site(&site, side, &request.url, &accept);
        }
        if self.parameters().faults.gallery && (host == "faults.example" || gallery::host_fault(host).is_some()) {
            return self.of_gallery(host, &request.url);
        }
        if let Some(number) = vocabulary::at(host, request.url.path(), self.parameters().vocabularies) {
            return self.of_vocabulary(number, &accept);
        }
        failure(StatusCode::NOT_FOUND)
    }

    fn of_site(&self, site: &Site, side: Option<Side>, url: &Url, accept: &Accept) -> Response {
        if url.scheme() == "https" {
            return redirect(StatusCode::MOVED_PERMANENTLY, &url.as_str().replacen("https", "http", 1));
        }
        if url.path() == "/robots.txt" {
            return self.robots_txt(site);
        }
        let sound = self.sound(site, side, url, accept);
        match site.fault {
            Some(fault) if !fault.is_of_robots() => self.fail(fault, sound, url),
            _ => sound,
        }
    }

    fn fail(&self, fault: Fault, sound: Response, url: &Url) -> Response {
        faults::apply(fault, sound, url.as_str(), &self.parameters().faults, &self.memory)
    }

    /// The answer of a site without a fault of its own.
    fn sound(&self, site: &Site, side: Option<Side>, url: &Url, accept: &Accept) -> Response {
        let nothing = || failure(StatusCode::NOT_FOUND);
        let mut segments = url.path().split('/').skip(1);
        let mut next = || segments.next();
        match (next(), next(), next(), next(), next()) {
            (Some(""), None, ..) => redirect(StatusCode::FOUND, &self.plan(*site, 0).name()),
            (Some("private"), Some(item), None, ..) => private(url, item),
            (Some("calendar"), Some(year), Some(month), None, _) => match (number(year), month.parse::<u32>()) {
                (Some(year), Ok(month)) => faults::calendar(year, month),
                _ => nothing(),
            },
            (Some("loop"), Some(turn @ ("0" | "1")), Some(item), None, _) => {
                redirect(StatusCode::FOUND, &format!("/loop/{}/{item}", u8::from(turn == "0")))
            }
            (Some("moved"), Some(status), Some(hops), Some(item), None) => {
                self.moved(site, status, hops, item).unwrap_or_else(nothing)
            }
            (Some(file), None, ..) if file.starts_with("sitemap") => {
                self.sitemap(site, file.trim_start_matches("sitemap"))
            }
            (Some(_), Some(item), None, ..) => {
                let place = self.locate(site, side, item, url);
                place.map_or_else(nothing, |(plan, face)| self.face(&plan, face, url, accept))
            }
            _ => nothing(),
        }
    }

    fn moved(&self, site: &Site, status: &str, hops: &str, item: &str) -> Option<Response> {
        let status = number(status).and_then(|status| u16::try_from(status).ok()).filter(|s| REDIRECTS.contains(s))?;
        let (hops, number) = (number(hops)?, number(item).filter(|n| *n < site.documents)?);
        let mut location = String::new();
        if hops > 1 {
            push_moved(*site, Detour { status, hops: hops - 1 }, number, &mut location);
        } else {
            self.plan(*site, number).push_name(&mut location);
        }
        let status = StatusCode::from_u16(status).expect("a status of the table");
        Some(redirect(status, &location))
    }

    /// The document with a face at this URL.
    fn locate(&self, site: &Site, side: Option<Side>, item: &str, url: &Url) -> Option<(Plan, Face)> {
        side?;
        // `7`, `7.html` and `violin-7` are all document 7, or none.
        let stem = item.split('.').next().unwrap_or_default();
        let number = number(stem.rsplit('-').next().unwrap_or_default())?;
        if number >= site.documents || url.query().is_some() {
            return None;
        }
        let plan = self.plan(*site, number);
        let faces: &[Face] = match (plan.kind.is_serialisation(), plan.naming) {
            (true, Naming::Slash) => &[Face::Resource, Face::Document, Face::Page],
            (true, _) => &[Face::Document, Face::Page],
            (false, _) => &[Face::Document],
        };
        faces.iter().find(|face| plan.url(**face) == url.as_str()).map(|face| (plan, *face))
    }

    fn face(&self, plan: &Plan, face: Face, url: &Url, accept: &Accept) -> Response {
        if let Fate::Gone(status) = plan.fate {
            return failure(status);
        }
        match face {
            Face::Resource => varying(see_other(plan, accept)),
            Face::Page => self.with_validators(plan, face, html(self.page(plan, Kind::Page))),
            Face::Document => {
                let sound = self.with_validators(plan, face, self.document(plan, accept));
                match plan.fault {
                    Some(fault) if plan.site.fault.is_none() => self.fail(fault, sound, url),
                    _ => sound,
                }
            }
        }
    }

    fn document(&self, plan: &Plan, accept: &Accept) -> Response {
        match plan.kind {
            Kind::Binary => with_body(plan.content_type, Body::Whole(self.binary(plan).into())),
            kind if !kind.is_serialisation() => text(plan.content_type, self.page(plan, kind)),
            kind if plan.negotiating => {
                // Its own syntax first, so that it wins among equals.
                let mut offered = vec![kind];
                offered.extend(Kind::NEGOTIATED.into_iter().filter(|other| *other != kind));
                varying(match accept.best(&offered, Kind::media_type) {
                    Some(kind) => text(Some(kind.media_type()), self.serialised(plan, kind)),
                    None => failure(StatusCode::NOT_ACCEPTABLE),
                })
            }
            kind => text(plan.content_type, self.serialised(plan, kind)),
        }
    }

    fn serialised(&self, plan: &Plan, kind: Kind) -> String {
        let content = self.content(plan, &self.links(plan));
        let base = plan.url(Face::Document);
        write::serialise(kind, &content, &self.setting(plan, &base))
    }

    fn setting<'a>(&self, plan: &Plan, base: &'a str) -> Setting<'a> {
        let mut chance = Chance::of(self.parameters().seed, Matter::Style, plan.site.number, plan.number);
        let [manner, relative, ..] = chance.bits().to_le_bytes();
        Setting { base, relative: relative.is_multiple_of(2), manner }
    }

    /// An HTML document, or the page beside an RDF document.
    fn page(&self, plan: &Plan, kind: Kind) -> String {
        let links = self.links(plan);
        let anchors = self.anchors(plan, &links);
        let content =
            if kind == Kind::Page { Content { descriptions: Vec::new() } } else { self.content(plan, &links) };
        let origin = plan.site.origin(Side::Pages);
        let local = |uri: String| match uri.strip_prefix(&origin) {
            Some(path) if path.starts_with('/') => path.to_owned(),
            _ => uri,
        };
        let page_links = anchors.iter().map(|anchor| PageLink {
            href: local(self.destination_uri(&anchor.to)),
            text: anchor.text,
            media_type: anchor.media_type,
            list: self.list_of(plan, &anchor.to),
        });
        let mut chance = Chance::of(self.parameters().seed, Matter::Text, plan.site.number, plan.number);
        let room = room(plan, kind, links.len());
        let room = if kind.holds_rdf() { room / 2 } else { room };
        let alternate = match kind {
            Kind::Page => Some((local(plan.url(Face::Document)), plan.kind.media_type())),
            // A page that says it comes as RDF, too, and does not.
            Kind::Html if chance.happens(self.parameters().skew.lies) => {
                Some((local(plan.url(Face::Document)), Kind::RdfXml.media_type()))
            }
            _ => None,
        };
        let page = Page {
            title: &words::text(plan.topic, 20, &mut chance),
            alternate,
            links: page_links.collect(),
            prose: prose(plan.topic, room, &mut chance),
        };
        let base = plan.url(if kind == Kind::Page { Face::Page } else { Face::Document });
        write::html::write(kind, &page, &content, &self.setting(plan, &base))
    }

    fn binary(&self, plan: &Plan) -> Vec<u8> {
        let mut chance = Chance::of(self.parameters().seed, Matter::Text, plan.site.number, plan.number);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        while bytes.len() < plan.bytes as usize {
            bytes.extend_from_slice(&chance.bits().to_le_bytes());
        }
        bytes
    }

    fn of_vocabulary(&self, number: u16, accept: &Accept) -> Response {
        let of_world = self.parameters().vocabularies;
        varying(match accept.best(&[Kind::Turtle, Kind::RdfXml, Kind::NTriples, Kind::JsonLd], Kind::media_type) {
            None => failure(StatusCode::NOT_ACCEPTABLE),
            Some(kind) => {
                let base = vocabulary::url(number, of_world);
                let setting = Setting { base: &base, relative: false, manner: 0 };
                text(Some(kind.media_type()), write::serialise(kind, &vocabulary::content(number, of_world), &setting))
            }
        })
    }

    fn of_gallery(&self, host: &str, url: &Url) -> Response {
        if gallery::host_fault(host) == Some(Fault::BrokenTls) && url.scheme() == "https" {
            return self.fail(Fault::BrokenTls, html(gallery::index()), url);
        }
        match (host, url.path()) {
            (_, "/robots.txt") => {
                ailing_robots(gallery::host_fault(host), "User-agent: *\nDisallow: /private/\n".to_owned())
            }
            ("faults.example", "/") => html(gallery::index()),
            ("faults.example", path) if path.starts_with("/loop/") => {
                redirect(StatusCode::FOUND, if path == "/loop/0/0" { "/loop/1/0" } else { "/loop/0/0" })
            }
            ("faults.example", path) if path.starts_with("/calendar/") => {
                let mut numbers = path.split('/').skip(2).filter_map(|text| text.parse().ok());
                match (numbers.next(), numbers.next()) {
                    (Some(year), Some(month)) => faults::calendar(year, month),
                    _ => failure(StatusCode::NOT_FOUND),
                }
            }
            (host, path) => match gallery::exhibit(host, path) {
                None => failure(StatusCode::NOT_FOUND),
                Some(fault) => {
                    let setting = Setting { base: url.as_str(), relative: false, manner: 0 };
                    let content = gallery::content(fault, url.as_str());
                    let sound = text(Some("text/turtle"), write::serialise(Kind::Turtle, &content, &setting));
                    self.fail(fault, sound, url)
                }
            },
        }
    }
}

/// To the data for those who prefer RDF, of whatever syntax, to HTML.
fn see_other(plan: &Plan, accept: &Accept) -> Response {
    let rdf = [Kind::RdfXml, Kind::Turtle, Kind::NTriples, Kind::NQuads, Kind::TriG, Kind::JsonLd];
    let rdf = rdf.into_iter().map(|kind| accept.quality(kind.media_type())).fold(0.0, f32::max);
    let page = accept.quality("text/html");
    if rdf <= 0.0 && page <= 0.0 {
        return failure(StatusCode::NOT_ACCEPTABLE);
    }
    redirect(StatusCode::SEE_OTHER, &plan.url(if rdf > page { Face::Document } else { Face::Page }))
}

/// There is something where robots.txt forbids to go, so that going there
/// shows in what a crawler brings home, too.
fn private(url: &Url, item: &str) -> Response {
    text(Some("text/turtle"), format!("<{url}#it> <http://vocab.example/ns#p0> \"private {item}\" .\n"))
}

fn prose(topic: u32, bytes: u32, chance: &mut Chance) -> String {
    let mut prose = String::with_capacity(bytes as usize + 64);
    while prose.len() + 100 < bytes as usize {
        if !prose.is_empty() {
            prose.push('\n');
        }
        words::push_text(topic, 400.min(bytes as usize - prose.len()), chance, &mut prose);
    }
    prose
}
