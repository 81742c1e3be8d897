//! Compares the relevance of recorded documents with the labels of a manifest.
//!
//! `labels MANIFEST WARC…` reads every document with status 200 and compares its relevance with
//! the label of the manifest. Prints a summary, then one line per disagreement.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, ExtractSummary, Extractor};
use lodeward::fetch::warc::WarcReplay;
use lodeward::fetch::{FetchOutcome, FetchRequest, Fetcher};
use lodeward::model::{Fault, Link, Uri};
use oxrdf::QuadRef;

#[derive(Default)]
struct FaultSink(Vec<Fault>);

impl ExtractSink for FaultSink {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.0.push(fault);
    }
}

/// A row of the manifest, by column names.
type Row = BTreeMap<String, String>;

fn rows(manifest: &str) -> Vec<Row> {
    let file = BufReader::new(GzDecoder::new(File::open(manifest).expect("a manifest")));
    let mut lines = file.lines().map(|line| line.expect("a whole manifest"));
    let names: Vec<String> = lines.next().expect("a head").split('\t').map(str::to_owned).collect();
    let row = |line: String| names.iter().cloned().zip(line.split('\t').map(str::to_owned)).collect();
    lines.map(row).filter(|row: &Row| row["status"] == "200").collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let manifest = arguments.next().expect("usage: labels MANIFEST WARC…");
    let replay = WarcReplay::open(arguments.map(PathBuf::from).collect()).expect("recordings");
    let reader = DocumentReader::new(ExtractOptions::default());
    let mut pairs: BTreeMap<(String, String, bool), usize> = BTreeMap::new();
    let mut disagreements = Vec::new();
    for row in rows(&manifest) {
        let Some((extracted, faults)) = read(&row["url"], &replay, &reader).await else { continue };
        // A document that is truncated after a statement has RDF and a fault.
        let expected = match row["label"].as_str() {
            "rdf-broken" => "rdf",
            "no-rdf" => "none",
            label => label,
        };
        let is_hard = row["hard"] == "1";
        let found = extracted.relevance.name();
        *pairs.entry((expected.to_owned(), found.to_owned(), is_hard)).or_default() += 1;
        if found != expected {
            let counts = ["fmt", "rdfa", "microdata", "jsonld", "og", "xhv"].map(|name| row[name].as_str()).join(" ");
            let fault = faults.first().map(|fault| fault.detail.replace(['\t', '\n'], " ")).unwrap_or_default();
            let ExtractSummary { format: syntax, quads_by_format, .. } = extracted;
            let url = &row["url"];
            disagreements.push(format!("{expected}\t{found}\t{url}\t{counts}\t{syntax}\t{quads_by_format:?}\t{fault}"));
        }
    }
    report(&pairs);
    println!("\nexpected\tfound\turl\tmanifest: fmt rdfa microdata jsonld og xhv\tsyntax\tquads\tfirst fault");
    for line in disagreements {
        println!("{line}");
    }
}

async fn read(url: &str, replay: &WarcReplay, reader: &DocumentReader) -> Option<(ExtractSummary, Vec<Fault>)> {
    let uri = Uri::parse(url).ok()?;
    let response = replay.fetch(FetchRequest::harvest(&uri)).await;
    let Ok(FetchOutcome::Representation(representation)) = response.result else {
        return None;
    };
    let mut faults = FaultSink::default();
    let extracted = reader.extract(*representation, &mut faults);
    Some((extracted, faults.0))
}

fn report(pairs: &BTreeMap<(String, String, bool), usize>) {
    for (name, hard_only) in [("all documents", false), ("hard ones", true)] {
        let rows = || pairs.iter().filter(|((.., is_hard), _)| *is_hard || !hard_only);
        let total: usize = rows().map(|(_, count)| count).sum();
        let same: usize = rows().filter(|((expected, found, _), _)| expected == found).map(|(_, count)| count).sum();
        println!("{name}: {same} of {total} agree, {:.3} %", 100.0 * same as f64 / total.max(1) as f64);
    }
    for ((expected, found, is_hard), count) in pairs {
        println!("  {expected} -> {found}{}: {count}", if *is_hard { ", hard" } else { "" });
    }
}
