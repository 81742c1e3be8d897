//! robots.txt and sitemaps.

use std::fmt::Write as _;
use std::io::Write as _;

use bytes::Bytes;
use http::StatusCode;

use super::World;
use super::faults::ServerFault;
use super::responses::{body_response, error_response, text_response};
use super::site::{HostSide, RobotsFile, WorldSite, parse_number};
use crate::message::{DeliveryFault, WebBody, WebResponse};

/// The maximum number of documents per sitemap; larger sites have an index.
const DOCUMENTS_PER_SITEMAP: u32 = 1_000;

impl World {
    pub(crate) fn robots_txt(&self, site: &WorldSite) -> WebResponse {
        match site.robots {
            RobotsFile::Missing => error_response(StatusCode::NOT_FOUND),
            RobotsFile::Present => robots_response(site.fault, self.robots_rules(site)),
        }
    }

    fn robots_rules(&self, site: &WorldSite) -> String {
        let mut rules = "User-agent: *\nDisallow: /private/\n".to_owned();
        if site.has_crawl_delay {
            let _ = writeln!(rules, "Crawl-delay: {}", self.parameters().robots.crawl_delay_seconds);
        }
        if site.names_sitemap {
            let _ = writeln!(rules, "Sitemap: {}/sitemap.xml", site.origin(HostSide::Pages));
        }
        rules
    }

    /// `/sitemap.xml`, and for large sites the `/sitemap-2.xml` and `/sitemap-3.xml.gz` that it lists.
    pub(crate) fn sitemap(&self, site: &WorldSite, file: &str) -> WebResponse {
        let count = site.documents;
        let files = count.div_ceil(DOCUMENTS_PER_SITEMAP);
        if file == ".xml" {
            let map = if files > 1 { sitemap_index(site, files) } else { self.sitemap_part(site, 0) };
            return text_response(Some("application/xml"), map);
        }
        let part = |suffix: &str, parity: u32| {
            let part = parse_number(file.strip_prefix('-')?.strip_suffix(suffix)?)?;
            (files > 1 && part < files && part % 2 == parity).then_some(part)
        };
        if let Some(part) = part(".xml", 0) {
            text_response(Some("application/xml"), self.sitemap_part(site, part))
        } else if let Some(part) = part(".xml.gz", 1) {
            body_response(Some("application/gzip"), WebBody::Whole(gzip(&self.sitemap_part(site, part))))
        } else {
            error_response(StatusCode::NOT_FOUND)
        }
    }

    fn sitemap_part(&self, site: &WorldSite, part: u32) -> String {
        let first = part * DOCUMENTS_PER_SITEMAP;
        let last = (first + DOCUMENTS_PER_SITEMAP).min(site.documents);
        let mut map = sitemap_header("urlset");
        for number in first..last {
            let name = self.plan(*site, number).name();
            let url = name.split('#').next().unwrap_or_default();
            let _ = writeln!(map, "<url><loc>{url}</loc></url>");
        }
        map.push_str("</urlset>\n");
        map
    }
}

/// The response for a robots.txt with these rules, after its configured fault is applied.
pub(crate) fn robots_response(fault: Option<ServerFault>, rules: String) -> WebResponse {
    match fault {
        Some(ServerFault::RobotsError) => error_response(StatusCode::INTERNAL_SERVER_ERROR),
        Some(ServerFault::RobotsDropped) => {
            WebResponse { delivery: DeliveryFault::Dropped, ..text_response(Some("text/plain"), rules) }
        }
        Some(ServerFault::RobotsHuge) => {
            // The rules come first, because a client may stop after 500 KiB.
            let filler = "# and so on\nDisallow: /never-there/\n".repeat(20_000);
            text_response(Some("text/plain"), rules + &filler)
        }
        _ => text_response(Some("text/plain"), rules),
    }
}

fn sitemap_header(element: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<{element} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
    )
}

fn sitemap_index(site: &WorldSite, files: u32) -> String {
    let mut map = sitemap_header("sitemapindex");
    let origin = site.origin(HostSide::Pages);
    for part in 0..files {
        let extension = if part % 2 == 1 { ".gz" } else { "" };
        let _ = writeln!(map, "<sitemap><loc>{origin}/sitemap-{part}.xml{extension}</loc></sitemap>");
    }
    map.push_str("</sitemapindex>\n");
    map
}

fn gzip(text: &str) -> Bytes {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail").into()
}
