//! How many bytes of real pages a core reads in a second.
//!
//! `page_throughput FOLDER` reads `FOLDER/pages.tsv`, lines of a class and a file.
//! For every line on its standard input it reads all pages once more, and
//! tells of each class: its bytes, the CPU seconds for them, the statements.
//! `benches/markup.py` asks it, turn by turn with the peer.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

mod shared;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use lodeward_markup::Reader;
use lodeward_markup::rdfa::Host;
use shared::{Count, cpu_seconds};

/// A class is read until it amounts to this much, for the clock is coarse.
const BYTES_MIN: usize = 20 << 20;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let list = fs::read_to_string(folder.join("pages.tsv")).expect("a list of pages");
    for (class, file) in list.lines().filter_map(|line| line.split_once('\t')) {
        let page = fs::read_to_string(folder.join(file)).expect("a page in UTF-8");
        classes.entry(class.to_owned()).or_default().push(page);
    }
    for _ in std::io::stdin().lines() {
        for (class, pages) in &classes {
            measure(class, pages);
        }
        println!("end");
    }
}

fn measure(class: &str, pages: &[String]) {
    let bytes: usize = pages.iter().map(String::len).sum();
    let rounds = BYTES_MIN.div_ceil(bytes);
    let reader = Reader::default();
    let mut count = Count::default();
    let start = cpu_seconds();
    for _ in 0..rounds {
        for page in pages {
            reader.read(page, "http://example.org/page", Host::Html, &mut count);
        }
    }
    let seconds = (cpu_seconds() - start) / rounds as f64;
    println!("{class}\t{bytes}\t{seconds}\t{}\t{}", count.quads / rounds, count.faults / rounds);
}
