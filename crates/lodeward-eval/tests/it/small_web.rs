//! A recorded web of a dozen pages.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use lodeward_eval::{Ledger, PageId, RecordedWeb};

/// The pages: URL, status, content (or the target of a redirect), label, whether it is hard, class.
///
/// ```text
/// a/ ─▶ 1.ttl ─▶ b/x.ttl ─▶ b/y ─▶ b/z, b/secret.ttl (robots), b/far ─▶ (out)
///  ├──▶ 2 ─▶ 3.html              └▶ out.example (not recorded), b/pic.png
///  └──▶ r ─▶ 4.ttl
/// ```
const PAGES: &[(&str, u16, &str, &str, &str, &str)] = &[
    (
        "http://a.example/",
        200,
        "<p><a href='1.ttl'>data</a> <a href='2'>more</a> <a href='r'>thing</a></p>",
        "no-rdf",
        "1",
        "HR",
    ),
    ("http://a.example/1.ttl", 200, "<> <urn:p:see> <http://b.example/x.ttl> .", "rdf", "0", "R"),
    ("http://a.example/2", 200, "<p><a href='3.html'>on</a></p>", "no-rdf", "1", "H"),
    ("http://a.example/r", 303, "http://a.example/4.ttl", "rdf", "", "-"),
    ("http://a.example/3.html", 200, "<p prefix='v: urn:v:'><b property='v:name'>Ann</b></p>", "rdf", "1", "HR"),
    ("http://a.example/4.ttl", 200, "<> <urn:p:name> \"four\" .", "rdf", "0", "R"),
    ("http://b.example/x.ttl", 200, "<> <urn:p:see> <http://b.example/y> .", "rdf", "0", "R"),
    (
        "http://b.example/y",
        200,
        "<p><a href='secret.ttl'>no</a> <a href='z'>z</a> <a href='http://out.example/'>out</a> <a href='pic.png'>p</a> <a href='far'>far</a></p>",
        "no-rdf",
        "1",
        "H",
    ),
    ("http://b.example/z", 200, "<p>The label is in the manifest only.</p>", "og-only", "1", "H"),
    ("http://b.example/secret.ttl", 200, "<> <urn:p:name> \"secret\" .", "rdf", "0", "R"),
    ("http://b.example/far", 302, "http://elsewhere.example/", "unresolved", "", "-"),
    ("http://b.example/lonely.ttl", 200, "<> <urn:p:name> \"lonely\" .", "rdf", "0", "R"),
    ("http://b.example/robots.txt", 200, "User-agent: *\nDisallow: /secret\n", "no-rdf", "1", "N"),
];

/// Writes the web to a directory.
pub(crate) fn write() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let mut warc = File::create(path("web.warc.gz")).unwrap();
    let mut manifest = GzEncoder::new(File::create(path("manifest.tsv.gz")).unwrap(), Compression::fast());
    writeln!(manifest, "url\tstatus\tlabel\thard\tclass").unwrap();
    for (url, status, content, label, hard, class) in PAGES {
        writeln!(manifest, "{url}\t{status}\t{label}\t{hard}\t{class}").unwrap();
        record(&mut warc, url, "", *status, content);
    }
    // A variant for browsers, which is not used.
    record(&mut warc, "http://a.example/1.ttl", "X-Accept-Variant: text/html\r\n", 303, "http://a.example/2");
    manifest.finish().unwrap();
    fs::write(path("seeds.txt"), "http://a.example/\nhttp://unrecorded.example/\n").unwrap();
    fs::write(path("entry-pages.tsv"), "host\tentry_url\nb.example\thttp://b.example/y\n").unwrap();
    directory
}

/// The loaded web.
pub(crate) fn load() -> Arc<RecordedWeb> {
    Arc::new(RecordedWeb::load(write().path()).unwrap())
}

fn record(warc: &mut File, url: &str, fields: &str, status: u16, content: &str) {
    let media_type = match url.rsplit('.').next() {
        Some("ttl") => "text/turtle",
        Some("txt") => "text/plain",
        _ => "text/html",
    };
    let response = if status == 200 {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{content}")
    } else {
        format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {content}\r\n\r\n")
    };
    let mut member = GzEncoder::new(warc, Compression::fast());
    write!(
        member,
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n{fields}Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    )
    .unwrap();
    member.finish().unwrap();
}

/// The requests of a ledger as text: `Document a/1.ttl`.
pub(crate) fn requests(web: &RecordedWeb, ledger: &Ledger) -> Vec<String> {
    let name = |page: Option<PageId>| {
        page.map_or("nothing".to_owned(), |page| {
            web.page(page).uri.as_str().replace("http://", "").replace(".example", "")
        })
    };
    ledger.steps.iter().map(|step| format!("{:?} {}", step.kind, name(step.page))).collect()
}
