//! Reads documents that are lists of links without statements: linked sitemaps and link sets (RFC 9264).

use std::io::Read;

use lodeward_markup::links::is_browser_rel;
use url::Url;

use super::extraction::Extraction;
use super::link_header;
use super::linkset::{self, LinksetError};
use crate::discover::sitemap;
use crate::model::{Fault, FaultKind, Link, LinkKind, Uri, stream_fault};

/// Maximum size of a link set in header field format.
const MAX_FIELDS_BYTES: u64 = 1 << 20;

/// The formats of link lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkListFormat {
    Sitemap,
    /// `application/linkset+json`.
    JsonLinkset,
    /// `application/linkset`: the format of the `Link` header field.
    Linkset,
}

/// The list format of a document, if it is a list. `declared` is the essence of its media type, in lower case.
pub(super) fn detect_format(declared: Option<&str>, head: &[u8]) -> Option<LinkListFormat> {
    match declared {
        Some("application/linkset+json") => Some(LinkListFormat::JsonLinkset),
        Some("application/linkset") => Some(LinkListFormat::Linkset),
        _ => sitemap::is_sitemap(head).then_some(LinkListFormat::Sitemap),
    }
}

/// Reads a list. Returns its format.
pub(super) fn read(list: LinkListFormat, body: impl Read, harvest: &mut Extraction<'_>) -> &'static str {
    let document = harvest.document.clone();
    if list == LinkListFormat::Sitemap {
        return sitemap::read(&sitemap::SitemapStep::first(&document), &document, body, harvest);
    }
    let base = document.to_url();
    if list == LinkListFormat::Linkset {
        read_fields(body, &base, harvest);
    } else {
        read_json(body, &base, harvest);
    }
    "linkset"
}

/// Reads a link set in header field format, with line breaks allowed. It is buffered as a whole.
fn read_fields(mut body: impl Read, base: &Url, harvest: &mut Extraction<'_>) {
    let mut bytes = Vec::new();
    if let Err(error) = body.by_ref().take(MAX_FIELDS_BYTES + 1).read_to_end(&mut bytes) {
        harvest.fault(stream_fault(&error));
    }
    if bytes.len() as u64 > MAX_FIELDS_BYTES {
        return harvest.fault(too_long_fault(MAX_FIELDS_BYTES));
    }
    for value in link_header::parse(&String::from_utf8_lossy(&bytes).replace(['\r', '\n'], " ")) {
        let rel = value.parameter("rel").unwrap_or_default();
        add_link(&value.target, rel, value.parameter("type"), base, harvest);
    }
}

fn read_json(body: impl Read, base: &Url, harvest: &mut Extraction<'_>) {
    let mut body = body.take(linkset::MAX_LINKSET_BYTES);
    let read = linkset::read(&mut body, &mut |link| add_link(link.href, link.rel, link.media_type, base, harvest));
    match read {
        Ok(()) => {}
        Err(_) if body.limit() == 0 => harvest.fault(too_long_fault(linkset::MAX_LINKSET_BYTES)),
        Err(LinksetError::Io(error)) => harvest.fault(stream_fault(&error)),
        Err(LinksetError::Syntax(detail)) => {
            harvest.fault(Fault::new(FaultKind::Syntax, format!("link set: {detail}")));
        }
    }
}

fn too_long_fault(max_bytes: u64) -> Fault {
    Fault::new(FaultKind::Limit, format!("link set truncated at {max_bytes} bytes"))
}

fn add_link(href: &str, rel: &str, media_type: Option<&str>, base: &Url, harvest: &mut Extraction<'_>) {
    if is_browser_rel(rel) {
        return;
    }
    if let Ok(target) = Uri::resolve(base, href) {
        let media_type = media_type.map(str::to_owned);
        harvest.link(Link { target, via: LinkKind::Header { rel: rel.to_owned(), media_type } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::ExtractOptions;
    use crate::extract::document_reader::tests::read;

    fn links(content_type: &str, text: &str) -> (&'static str, Vec<(String, LinkKind)>) {
        let (extracted, found) = read(&ExtractOptions::default(), Some(content_type), text.as_bytes());
        (extracted.format, found.links.into_iter().map(|link| (link.target.to_string(), link.via)).collect())
    }

    fn header(target: &str, rel: &str, media_type: Option<&str>) -> (String, LinkKind) {
        (target.to_owned(), LinkKind::Header { rel: rel.to_owned(), media_type: media_type.map(str::to_owned) })
    }

    #[test]
    fn link_set_has_the_links_of_all_its_contexts() {
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
    fn link_set_may_have_header_field_format() {
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
    fn invalid_link_set_is_a_fault() {
        for text in ["", "[", "{}", "[1]", r#"{"linkset": 7}"#] {
            let (_, found) = read(&ExtractOptions::default(), Some("application/linkset+json"), text.as_bytes());
            assert_eq!(found.faults.len(), 1, "{text}");
            assert!(found.links.is_empty());
        }
    }

    #[test]
    fn link_set_is_truncated_at_a_limit() {
        let check = |content_type: &str, text: &str| {
            let (_, found) = read(&ExtractOptions::default(), Some(content_type), text.as_bytes());
            assert_eq!(found.targets(), ["http://a.org/1"], "{content_type}");
            assert_eq!(found.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Limit]);
        };

        let zeros = "0,".repeat(5 << 20);
        check("application/linkset+json", &format!(r#"{{"linkset":[{{"item":[{{"href":"http://a.org/1"}},{zeros}"#));
    }

    #[test]
    fn sitemap_fetched_as_a_document_is_read_as_a_sitemap() {
        let text = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                    <url><loc>http://a.org/1</loc></url></urlset>";
        let (extracted, found) = read(&ExtractOptions::default(), Some("application/xml"), text.as_bytes());

        assert_eq!(extracted.format, "sitemap");
        assert_eq!(found.targets(), ["http://a.org/1"]);
        assert!(found.faults.is_empty());
    }
}
