//! robots.txt and sitemaps.

use std::fmt::Write as _;
use std::io::Write as _;

use bytes::Bytes;
use http::StatusCode;

use super::World;
use super::answer::{failure, text, with_body};
use super::faults::Fault;
use super::site::{RobotsFile, Side, Site, number};
use crate::message::{Body, Conduct, Response};

/// How many documents a sitemap lists before there is an index.
const DOCUMENTS_PER_SITEMAP: u32 = 1_000;

impl World {
    pub(crate) fn robots_txt(&self, site: &Site) -> Response {
        match site.robots {
            RobotsFile::Missing => failure(StatusCode::NOT_FOUND),
            RobotsFile::Present => ailing_robots(site.fault, self.robots_rules(site)),
        }
    }

    fn robots_rules(&self, site: &Site) -> String {
        let mut rules = "User-agent: *\nDisallow: /private/\n".to_owned();
        if site.has_crawl_delay {
            let _ = writeln!(rules, "Crawl-delay: {}", self.parameters().robots.crawl_delay_s);
        }
        if site.names_sitemap {
            let _ = writeln!(rules, "Sitemap: {}/sitemap.xml", site.origin(Side::Pages));
        }
        rules
    }

    /// `/sitemap.xml`, and where there are many documents, the `/sitemap-2.xml`
    /// and `/sitemap-3.xml.gz` it lists.
    pub(crate) fn sitemap(&self, site: &Site, file: &str) -> Response {
        let count = site.documents;
        let files = count.div_ceil(DOCUMENTS_PER_SITEMAP);
        if file == ".xml" {
            let map = if files > 1 { sitemap_index(site, files) } else { self.sitemap_part(site, 0) };
            return text(Some("application/xml"), map);
        }
        let part = |suffix: &str, parity: u32| {
            let part = number(file.strip_prefix('-')?.strip_suffix(suffix)?)?;
            (files > 1 && part < files && part % 2 == parity).then_some(part)
        };
        if let Some(part) = part(".xml", 0) {
            text(Some("application/xml"), self.sitemap_part(site, part))
        } else if let Some(part) = part(".xml.gz", 1) {
            with_body(Some("application/gzip"), Body::Whole(packed(&self.sitemap_part(site, part))))
        } else {
            failure(StatusCode::NOT_FOUND)
        }
    }

    fn sitemap_part(&self, site: &Site, part: u32) -> String {
        let first = part * DOCUMENTS_PER_SITEMAP;
        let last = (first + DOCUMENTS_PER_SITEMAP).min(site.documents);
        let mut map = opening("urlset");
        for number in first..last {
            let name = self.plan(*site, number).name();
            let url = name.split('#').next().unwrap_or_default();
            let _ = writeln!(map, "<url><loc>{url}</loc></url>");
        }
        map.push_str("</urlset>\n");
        map
    }
}

/// The robots.txt of these rules under a fault.
pub(crate) fn ailing_robots(fault: Option<Fault>, rules: String) -> Response {
    match fault {
        Some(Fault::RobotsError) => failure(StatusCode::INTERNAL_SERVER_ERROR),
        Some(Fault::RobotsDropped) => Response { conduct: Conduct::Dropped, ..text(Some("text/plain"), rules) },
        Some(Fault::RobotsHuge) => {
            // The rules come first: a reader may stop after 500 KiB.
            let filler = "# and so on\nDisallow: /never-there/\n".repeat(20_000);
            text(Some("text/plain"), rules + &filler)
        }
        _ => text(Some("text/plain"), rules),
    }
}

fn opening(element: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<{element} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
    )
}

fn sitemap_index(site: &Site, files: u32) -> String {
    let mut map = opening("sitemapindex");
    let origin = site.origin(Side::Pages);
    for part in 0..files {
        let packing = if part % 2 == 1 { ".gz" } else { "" };
        let _ = writeln!(map, "<sitemap><loc>{origin}/sitemap-{part}.xml{packing}</loc></sitemap>");
    }
    map.push_str("</sitemapindex>\n");
    map
}

fn packed(text: &str) -> Bytes {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes all writes");
    encoder.finish().expect("memory takes all writes").into()
}
