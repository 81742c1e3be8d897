//! XML sitemaps, sitemap indexes, text sitemaps and semantic sitemaps, also compressed.

use std::path::Path;

use bytes::Bytes;
use lodeward::discover::Step;
use lodeward::extract::{DocumentReader, ExtractOptions, Extractor as _};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::Uri;

use super::Target;
use super::extract::CheckingSink;
use super::seeds::SITEMAPS;

pub(super) struct Sitemaps;

impl Target for Sitemaps {
    fn name(&self) -> &'static str {
        "sitemap"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        SITEMAPS.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let is_xml = Path::new(path).extension().is_some_and(|extension| extension == "xml");
        if is_xml { vec![document.to_vec()] } else { Vec::new() }
    }

    fn run(&self, input: &[u8]) {
        let uri = Uri::parse("http://a.example/sitemap.xml").expect("a valid URL");
        let stored = serde_json::json!({ "Sitemap": { "origin": uri.origin(), "depth": 0 } });
        let step: Step = serde_json::from_value(stored).expect("a stored step");
        let mut sink = CheckingSink::new(&uri);
        let body = ResponseBody::Buffered { bytes: Bytes::copy_from_slice(input), truncation: None };
        let representation = Representation::new(uri, Some("application/xml".to_owned()), body);
        let _ = DocumentReader::new(ExtractOptions::default()).extract_step(&step, representation, &mut sink);
        sink.check();
    }
}
