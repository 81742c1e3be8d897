//! Documents that are lists of links, and hold no statements: sitemaps that
//! somebody linked to, and link sets (RFC 9264).

use std::io::Read;

use lodeward_markup::links::is_furniture;
use url::Url;

use super::harvest::Harvest;
use super::link_header;
use super::linkset::{self, Trouble};
use super::rdf::fault_of_stream;
use crate::discover::sitemap;
use crate::model::{Fault, FaultKind, Link, Uri, Via};

/// The longest link set like a header field that is read.
const FIELDS_BYTES_MAX: u64 = 1 << 20;

/// The sorts of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Sitemap,
    /// `application/linkset+json`.
    JsonLinkset,
    /// `application/linkset`: like the `Link` header field.
    Linkset,
}

/// Which sort of list a document is, if it is one. `declared` is the essence of
/// its media type, in lower case.
pub(super) fn sort(declared: Option<&str>, head: &[u8]) -> Option<List> {
    match declared {
        Some("application/linkset+json") => Some(List::JsonLinkset),
        Some("application/linkset") => Some(List::Linkset),
        _ => sitemap::is_sitemap(head).then_some(List::Sitemap),
    }
}

/// Reads a list. Returns its syntax.
pub(super) fn read(list: List, body: impl Read, harvest: &mut Harvest<'_>) -> &'static str {
    let document = harvest.document.clone();
    if list == List::Sitemap {
        return sitemap::read(&sitemap::Step::first(&document), &document, body, harvest);
    }
    let base = document.to_url();
    if list == List::Linkset {
        read_fields(body, &base, harvest);
    } else {
        read_json(body, &base, harvest);
    }
    "linkset"
}

/// A link set like a header field, where lines may be broken. It is held as a whole.
fn read_fields(mut body: impl Read, base: &Url, harvest: &mut Harvest<'_>) {
    let mut bytes = Vec::new();
    if let Err(error) = body.by_ref().take(FIELDS_BYTES_MAX + 1).read_to_end(&mut bytes) {
        harvest.fault(fault_of_stream(&error));
    }
    if bytes.len() as u64 > FIELDS_BYTES_MAX {
        return harvest.fault(too_long(FIELDS_BYTES_MAX));
    }
    for value in link_header::parse(&String::from_utf8_lossy(&bytes).replace(['\r', '\n'], " ")) {
        let rel = value.parameter("rel").unwrap_or_default();
        take(&value.target, rel, value.parameter("type"), base, harvest);
    }
}

fn read_json(body: impl Read, base: &Url, harvest: &mut Harvest<'_>) {
    let mut body = body.take(linkset::BYTES_MAX);
    let read = linkset::read(&mut body, &mut |link| take(link.href, link.rel, link.media_type, base, harvest));
    match read {
        Ok(()) => {}
        Err(_) if body.limit() == 0 => harvest.fault(too_long(linkset::BYTES_MAX)),
        Err(Trouble::Io(error)) => harvest.fault(fault_of_stream(&error)),
        Err(Trouble::Syntax(detail)) => harvest.fault(Fault::new(FaultKind::Syntax, format!("link set: {detail}"))),
    }
}

fn too_long(bytes_max: u64) -> Fault {
    Fault::new(FaultKind::Excess, format!("a link set of this sort is read up to {bytes_max} bytes"))
}

fn take(href: &str, rel: &str, media_type: Option<&str>, base: &Url, harvest: &mut Harvest<'_>) {
    if is_furniture(rel) {
        return;
    }
    if let Ok(target) = Uri::resolve(base, href) {
        let media_type = media_type.map(str::to_owned);
        harvest.link(Link { target, via: Via::Header { rel: rel.to_owned(), media_type } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Options;
    use crate::extract::reader::tests::read;

    fn links(content_type: &str, text: &str) -> (&'static str, Vec<(String, Via)>) {
        let (extracted, found) = read(&Options::default(), Some(content_type), text.as_bytes());
        (extracted.syntax, found.links.into_iter().map(|link| (link.target.to_string(), link.via)).collect())
    }

    fn header(target: &str, rel: &str, media_type: Option<&str>) -> (String, Via) {
        (target.to_owned(), Via::Header { rel: rel.to_owned(), media_type: media_type.map(str::to_owned) })
    }

    #[test]
    fn a_link_set_has_the_links_of_all_its_contexts() {
        let json = r#"{"linkset": [
            {"anchor": "https://b.example/page/7",
             "item": [{"href": "https://b.example/7.zip", "type": "application/zip"}, {"href": "relative.ttl"}],
             "describedby": [{"href": "https://b.example/7.ttl", "type": "text/turtle"}],
             "stylesheet": [{"href": "https://b.example/x.css"}]},
            {"anchor": "x", "cite-as": [{"href": "mailto:a@b.example"}, {"no": "href"}, 7], "license": "x"},
            null ]}"#;

        let (syntax, links) = links("application/linkset+json; profile=x", json);

        assert_eq!(syntax, "linkset");
        let expected = [
            header("https://b.example/7.ttl", "describedby", Some("text/turtle")),
            header("https://b.example/7.zip", "item", Some("application/zip")),
        ];
        assert_eq!(links.len(), 3, "{links:?}");
        assert!(expected.iter().all(|link| links.contains(link)), "{links:?}");
        assert!(links.iter().any(|(target, _)| target.ends_with("/relative.ttl")));
    }

    #[test]
    fn a_link_set_may_look_like_a_header_field() {
        let text = "<https://b.example/7.nt.gz>\r\n ; rel=\"item\" ; anchor=\"https://b.example/7\"\n\
                    , <https://b.example/meta>; rel=\"describedby\"; type=\"application/ld+json\"";

        let (syntax, links) = links("application/linkset", text);

        assert_eq!(syntax, "linkset");
        let expected = [
            header("https://b.example/7.nt.gz", "item", None),
            header("https://b.example/meta", "describedby", Some("application/ld+json")),
        ];
        assert_eq!(links, expected);
    }

    #[test]
    fn what_is_no_link_set_is_a_fault() {
        for text in ["", "[", "{}", "[1]", r#"{"linkset": 7}"#] {
            let (_, found) = read(&Options::default(), Some("application/linkset+json"), text.as_bytes());
            assert_eq!(found.faults.len(), 1, "{text}");
            assert!(found.links.is_empty());
        }
    }

    #[test]
    fn a_link_set_is_read_up_to_a_bound() {
        let check = |content_type: &str, text: &str| {
            let (_, found) = read(&Options::default(), Some(content_type), text.as_bytes());
            assert_eq!(found.targets(), ["http://a.org/1"], "{content_type}");
            assert_eq!(found.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Excess]);
        };

        let zeros = "0,".repeat(5 << 20);
        check("application/linkset+json", &format!(r#"{{"linkset":[{{"item":[{{"href":"http://a.org/1"}},{zeros}"#));
    }

    #[test]
    fn a_sitemap_that_was_visited_as_a_document_is_read_as_what_it_is() {
        let text = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                    <url><loc>http://a.org/1</loc></url></urlset>";
        let (extracted, found) = read(&Options::default(), Some("application/xml"), text.as_bytes());

        assert_eq!(extracted.syntax, "sitemap");
        assert_eq!(found.targets(), ["http://a.org/1"]);
        assert!(found.faults.is_empty());
    }
}
