//! Tests of the sitemap reader.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::discover::ckan::tests::{CollectedStep, body, run_step};
use crate::discover::promise::{self};
use crate::fetch::ResponseBody;
use crate::model::Promise;

fn uri() -> Uri {
    Uri::parse("https://www.a.example/sitemap.xml").unwrap()
}

fn read_at_depth(depth: u8, body: ResponseBody) -> CollectedStep {
    let step = SitemapStep { depth, ..SitemapStep::first(&uri()) };
    run_step(&crate::discover::Step::from(step), &uri(), body)
}

fn read(text: &str) -> CollectedStep {
    read_at_depth(0, body(text))
}

fn targets(collected: &CollectedStep) -> Vec<&str> {
    collected.links.iter().map(|link| link.target.as_str()).collect()
}

const NAMESPACE: &str = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'";

#[test]
fn sitemap_lists_pages() {
    let collected = read(&format!(
        "\u{feff}<?xml version='1.0' encoding='UTF-8'?><!-- made by hand -->
         <urlset {NAMESPACE} xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>
           <url><loc> https://www.a.example/1?x=1&amp;y=2 </loc><lastmod>2020-01-01</lastmod>
             <image:image><image:loc>https://www.a.example/1.png</image:loc></image:image></url>
           <url><lastmod/><loc><![CDATA[https://a.example/2?x&y]]></loc></url>
           <url><loc>/3</loc></url> <url><loc/></url> <url/>
           <loc>https://www.a.example/stray</loc>
         </urlset>"
    ));

    let expected = ["https://www.a.example/1?x=1&y=2", "https://a.example/2?x&y", "https://www.a.example/3"];
    assert_eq!(targets(&collected), expected);
    let is_listed = |link: &Link| link.via == LinkKind::Listed { list: LinkListKind::Sitemap, media_type: None };
    assert!(collected.links.iter().all(is_listed));
    assert!(collected.faults.is_empty(), "{:?}", collected.faults);
}

#[test]
fn index_leads_to_sitemaps_up_to_a_depth() {
    let index = "<sm:sitemapindex xmlns:sm='x'>\
         <sm:sitemap><sm:loc>https://www.a.example/1.xml.gz</sm:loc></sm:sitemap>\
         <sm:sitemap><sm:loc>https://b.example/2.xml</sm:loc></sm:sitemap></sm:sitemapindex>";

    let collected = read(index);
    assert_eq!(collected.steps(), ["https://www.a.example/1.xml.gz"]);
    let step = SitemapStep { origin: "https://www.a.example".to_owned(), depth: 1 };
    assert_eq!(collected.next[0].step, crate::discover::Step::from(step));
    assert_eq!(collected.faults.len(), 1, "URLs of other sites are skipped");

    let deep = read_at_depth(MAX_DEPTH, body(index));
    assert!(deep.next.is_empty());
    assert_eq!(deep.faults.len(), 1);
}

#[test]
fn sitemap_is_restricted_to_its_own_site() {
    let collected = read(
        "<urlset><url><loc>http://a.example/</loc></url><url><loc>https://evil.example/</loc></url>\
         <url><loc>javascript:alert(1)</loc></url><url><loc>https://data.a.example:8080/x</loc></url></urlset>",
    );

    assert_eq!(targets(&collected), ["http://a.example/", "https://data.a.example:8080/x"]);
    assert_eq!(collected.faults.len(), 1);
    assert!(collected.faults[0].detail.starts_with("1 URLs of other sites"), "{:?}", collected.faults);
}

#[test]
fn sitemap_may_be_text_or_compressed() {
    let text = "\n https://www.a.example/1\r\nhttps://www.a.example/2\n\nnot an address\nhttps://www.a.example/3";
    let expected = [
        "https://www.a.example/1",
        "https://www.a.example/2",
        "https://www.a.example/not%20an%20address",
        "https://www.a.example/3",
    ];
    assert_eq!(targets(&read(text)), expected);

    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"<urlset><url><loc>https://www.a.example/1</loc></url></urlset>").unwrap();
    let bytes = encoder.finish().unwrap();
    let collected = read_at_depth(0, ResponseBody::Buffered { bytes: Bytes::from(bytes.clone()), truncation: None });
    assert_eq!(targets(&collected), ["https://www.a.example/1"]);

    let truncated = Bytes::copy_from_slice(&bytes[..bytes.len() - 12]);
    let collected = read_at_depth(0, ResponseBody::Buffered { bytes: truncated, truncation: None });
    assert_eq!(collected.faults.len(), 1, "a truncated one is a fault");
}

#[test]
fn entries_before_a_break_are_read() {
    let check = |text: &str, links: usize, faults: usize| {
        let collected = read(text);
        assert_eq!(
            (collected.links.len(), collected.faults.len()),
            (links, faults),
            "{text:.80} {:?}",
            collected.faults
        );
    };
    let page = "<url><loc>https://www.a.example/1</loc></url>";

    check(&format!("<urlset>{page}"), 1, 1);
    check(&format!("<urlset>{page}<url><loc>https://www.a.exa"), 1, 1);
    check(&format!("<urlset>{page}<url <loc"), 1, 1);
    check(&format!("<urlset>{page}</sitemap></urlset>"), 1, 0);
    check(&format!("<urlset>{page}<url><loc>https://www.a.example/&nbsp;</loc></url></urlset>"), 2, 0);
    check("<html><body>404</body></html>", 0, 1);
    check("<rss><channel/></rss>", 0, 1);
    check("Not found", 0, 1);
    check("", 0, 1);
    check("   \n ", 0, 1);
    check(&format!("<urlset>{}", "<x>".repeat(100_000)), 0, 1);
    let bomb = "<!DOCTYPE urlset [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><urlset><url><loc>/&b;</loc></url></urlset>";
    check(bomb, 1, 0);
}

#[test]
fn sitemap_is_truncated_at_the_limit_of_the_protocol() {
    let pages: Vec<_> = (0..50_010).map(|n| format!("<url><loc>/{n}</loc></url>")).collect();
    let pages = pages.concat();
    let collected = read(&format!("<urlset>{pages}</urlset>"));

    assert_eq!(collected.links.len(), 50_000);
    assert_eq!(collected.faults.len(), 1);
}

#[test]
fn semantic_sitemap_lists_dumps_and_endpoints() {
    let collected = read(&format!(
        "<urlset {NAMESPACE} xmlns:sc='http://sw.deri.org/2007/07/sitemapextension/scschema.xsd'>
          <sc:dataset>
            <sc:datasetLabel>Bees &amp; honey</sc:datasetLabel>
            <sc:datasetURI>http://a.example/catalog.rdf#bees</sc:datasetURI>
            <sc:linkedDataPrefix slicing='subject-object'>http://a.example/resources/</sc:linkedDataPrefix>
            <sc:sampleURI>http://a.example/resources/Queen</sc:sampleURI>
            <sc:sparqlEndpointLocation slicing='subject-object'>http://a.example/ask</sc:sparqlEndpointLocation>
            <sc:dataDumpLocation>http://dumps.example/bees</sc:dataDumpLocation>
            <changefreq>weekly</changefreq>
          </sc:dataset>
          <sc:dataset><sc:dataDumpLocation>/nameless.nt.gz</sc:dataDumpLocation></sc:dataset>
          <sc:dataset/>
        </urlset>"
    ));

    let check = |target: &str, expected| {
        let link = collected.links.iter().find(|link| link.target.as_str() == target).unwrap();
        assert_eq!(promise::from_link(link), expected, "{target}");
    };
    check("http://a.example/ask", Some(Promise::Endpoint));
    check("http://dumps.example/bees", Some(Promise::Dump));
    check("https://www.a.example/nameless.nt.gz", Some(Promise::Dump));
    check("http://a.example/resources/Queen", Some(Promise::Rdf));
    let named = "<http://a.example/catalog.rdf#bees> ";
    assert!(collected.quads.contains(&format!("{named}<http://purl.org/dc/terms/title> \"Bees & honey\"")));
    assert!(
        collected.quads.contains(&format!("{named}<http://rdfs.org/ns/void#uriSpace> \"http://a.example/resources/\""))
    );
    assert_eq!(collected.quads.iter().filter(|quad| quad.ends_with("<http://rdfs.org/ns/void#Dataset>")).count(), 2);
    assert!(collected.faults.is_empty(), "{:?}", collected.faults);
}

#[test]
fn sitemap_is_detected_by_its_first_element() {
    assert!(is_sitemap(b"<?xml version='1.0'?>\n<urlset xmlns='x'>"));
    assert!(is_sitemap("\u{feff}<!-- x --><sitemapindex>".as_bytes()));
    assert!(!is_sitemap(b"<html><body><pre><urlset></pre>"));
    assert!(!is_sitemap(b"see <urlset>"));
    assert!(!is_sitemap(b""));
}

#[test]
fn oversized_token_ends_a_sitemap() {
    let check = |start: &str, end: &str, is_read: bool| {
        let piece = "x".repeat(if is_read { 200 << 10 } else { 300 << 10 });
        let url = |n: u32| format!("<url><loc>https://www.a.example/{n}</loc></url>");
        let collected = read(&format!("<urlset {NAMESPACE}>{}{start}{piece}{end}{}</urlset>", url(1), url(2)));
        let expected = ["https://www.a.example/1", "https://www.a.example/2"];
        assert_eq!(targets(&collected), expected[..if is_read { 2 } else { 1 }], "{start}");
        let kinds: Vec<FaultKind> = collected.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, vec![FaultKind::Syntax; usize::from(!is_read)], "{start}");
    };

    for is_read in [true, false] {
        check("", "", is_read);
        check("<!--", "-->", is_read);
        check("<![CDATA[", "]]>", is_read);
        check("<a b='", "'/>", is_read);
        check("<", "/>", is_read);
    }
}
