//! Measures how many bytes of real pages one core reads per second.
//!
//! `page_throughput DIR` reads `DIR/pages.tsv`, lines of a class and a file. For every line on
//! standard input, it reads all pages again and prints for each class: its bytes, the CPU seconds,
//! the statements. `benches/markup.py` alternates between it and the program it is compared with.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a measurement that prints its results")]

mod shared;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use lodeward_markup::PageReader;
use lodeward_markup::rdfa::HostLanguage;
use shared::{Count, cpu_seconds};

/// A class is read repeatedly up to this size, because the clock is coarse.
const MIN_BYTES: usize = 20 << 20;

fn main() {
    let directory = PathBuf::from(std::env::args().nth(1).expect("a directory as argument"));
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let list = fs::read_to_string(directory.join("pages.tsv")).expect("a list of pages");
    for (class, file) in list.lines().filter_map(|line| line.split_once('\t')) {
        let page = fs::read_to_string(directory.join(file)).expect("a readable page in UTF-8");
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
    let rounds = MIN_BYTES.div_ceil(bytes);
    let reader = PageReader::default();
    let mut count = Count::default();
    let start = cpu_seconds();
    for _ in 0..rounds {
        for page in pages {
            reader.read(page, "http://example.org/page", HostLanguage::Html, &mut count);
        }
    }
    let seconds = (cpu_seconds() - start) / rounds as f64;
    println!("{class}\t{bytes}\t{seconds}\t{}\t{}", count.quads / rounds, count.faults / rounds);
}
