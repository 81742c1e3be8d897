//! Our side of `benches/archive.sh` and `benches/queries.sh`: runs one step on an archive, and prints a line of JSON with
//! its CPU time and wall time in seconds. The other side is in
//! `benches/archive.py` and `benches/queries.py`.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::time::{Duration, Instant};

use lodeward_archive::sparql::{DefaultGraph, QueryOptions, QueryOutput, ResultFormat};
use lodeward_archive::{Archive, Collection, Options};
use oxrdf::{GraphName, GraphNameRef, NamedNode, Quad};
use oxttl::NQuadsParser;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const USAGE: &str =
    "usage: peer load|put|drop|query|table PATH, then FILE | FILE GROUP | GRAPH | TIMES SPARQL… | TIMES SPARQL…";

/// The allocator of the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["load", path, file] => load(path, file),
        ["put", path, file, group] => put(path, file, group.parse()?),
        ["drop", path, graph] => drop_graph(path, graph),
        ["query", path, times, ref queries @ ..] => query(path, times.parse()?, queries),
        ["table", path, times, ref queries @ ..] => table(path, times.parse()?, queries),
        _ => Err(USAGE.into()),
    }
}

fn open(path: &str) -> Result<Archive, lodeward_archive::ArchiveError> {
    Archive::open(path, &Options::default())
}

fn load(path: &str, file: &str) -> Outcome {
    let stopwatch = Stopwatch::start();
    let archive = open(path)?;
    let mut loader = archive.bulk_loader();
    for quad in NQuadsParser::new().for_reader(BufReader::with_capacity(1 << 20, File::open(file)?)) {
        loader.add(quad?.as_ref())?;
    }
    let summary = loader.finish()?;
    stopwatch.print("load", summary.inserted)
}

/// Stores documents, `group` of them per transaction.
fn put(path: &str, file: &str, group: usize) -> Outcome {
    let archive = open(path)?;
    let mut documents: Vec<(NamedNode, Vec<Quad>)> = Vec::new();
    for quad in NQuadsParser::new().for_reader(BufReader::new(File::open(file)?)) {
        let quad = quad?;
        let GraphName::NamedNode(graph) = quad.graph_name.clone() else { continue };
        match documents.last_mut() {
            Some((document, quads)) if *document == graph => quads.push(quad),
            _ => documents.push((graph, vec![quad])),
        }
    }
    let stopwatch = Stopwatch::start();
    for group in documents.chunks(group) {
        let mut transaction = archive.begin();
        for (document, quads) in group {
            transaction.put_document(Collection(1), document.as_ref(), quads.iter().map(Quad::as_ref))?;
        }
        transaction.commit()?;
    }
    archive.sync()?;
    stopwatch.print("put", archive.snapshot().len()?)
}

fn drop_graph(path: &str, graph: &str) -> Outcome {
    let archive = open(path)?;
    let stopwatch = Stopwatch::start();
    let mut transaction = archive.begin();
    transaction.drop_graph(GraphNameRef::NamedNode(NamedNode::new(graph)?.as_ref()))?;
    let summary = transaction.commit()?;
    stopwatch.print("drop", summary.removed)?;
    archive.reclaim()?;
    stopwatch.print("reclaim", archive.snapshot().len()?)
}

/// Runs each query once, then measures `times` further runs.
fn query(path: &str, times: u32, queries: &[&str]) -> Outcome {
    let archive = open(path)?;
    for sparql in queries {
        rows(&archive, sparql)?;
        let stopwatch = Stopwatch::start();
        let mut found = 0;
        for _ in 0..times {
            found = rows(&archive, sparql)?;
        }
        stopwatch.print("query", found)?;
    }
    Ok(())
}

fn rows(archive: &Archive, sparql: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let mut rows = 0;
    if let QueryOutput::Solutions(solutions) = archive.snapshot().query(sparql, &QueryOptions::default())? {
        for solution in solutions {
            solution?;
            rows += 1;
        }
    }
    Ok(rows)
}

/// As [`query`], on the union of all graphs, and with the results as TSV.
fn table(path: &str, times: u32, queries: &[&str]) -> Outcome {
    let archive = open(path)?;
    let options = QueryOptions { default_graph: DefaultGraph::Union, ..QueryOptions::default() };
    for sparql in queries {
        let mut rows = 0;
        let mut run = || {
            let mut text = Vec::new();
            archive.snapshot().query(sparql, &options)?.write(ResultFormat::Tsv, &mut text)?;
            rows = text.split(|byte| *byte == b'\n').count() as u64 - 2;
            Outcome::Ok(())
        };
        run()?;
        let stopwatch = Stopwatch::start();
        for _ in 0..times {
            run()?;
        }
        stopwatch.print("table", rows)?;
    }
    Ok(())
}

struct Stopwatch {
    begin: Instant,
    cpu: f64,
}

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "this program measures time")]
    fn start() -> Self {
        Self { begin: Instant::now(), cpu: cpu() }
    }

    fn print(&self, step: &str, count: u64) -> Outcome {
        let (wall, cpu) = (self.begin.elapsed().as_secs_f64(), cpu() - self.cpu);
        let line = format!(
            r#"{{"step": "{step}", "count": {count}, "cpu": {cpu:.6}, "wall": {wall:.3}, "rss_mb": {}}}"#,
            peak_mb()
        );
        Ok(writeln!(std::io::stdout(), "{line}")?)
    }
}

/// The CPU time of this process, in seconds, with that of threads that have ended.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default().as_secs_f64()
}

/// The peak memory of this process, in megabytes.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1_024
}
