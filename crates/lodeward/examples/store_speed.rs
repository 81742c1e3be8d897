//! How much of a CPU-second does it take to write and keep a harvest?
//!
//! Writes documents of about 110 statements and 12 KB, as a crawl would: drafts,
//! groups of 64, a commit for each group. Prints figures per CPU-second of this
//! process for the line writer alone, for drafts, for the compression alone,
//! and for the whole way into the segments; then reads them back and checks
//! that nothing is missing. The baseline is `Display` of oxrdf.
//!
//! `cargo run --release --example store_speed -- [DOCUMENTS]`

use std::fmt::Write as _;
use std::path::Path;

use lodeward::model::Uri;
use lodeward::store::nquads::LineWriter;
use lodeward::store::segments::{Options, SegmentStore};
use lodeward::store::{Exported, Store};
use oxrdf::{Literal, NamedNode, Quad, Term, vocab::xsd};

const QUADS: usize = 110;
const GROUP: usize = 64;

fn main() {
    let documents: usize = std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of documents"));
    let worlds: Vec<(Uri, Vec<Quad>)> = (0..256).map(document).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    measure_lines(&worlds, documents);
    measure_compression(&worlds);
    runtime.block_on(measure_store(&worlds, documents));
}

fn document(number: usize) -> (Uri, Vec<Quad>) {
    let uri = Uri::parse(&format!("https://data.site{}.example/resource/thing-{number}", number % 17)).expect("a URI");
    let node = NamedNode::new_unchecked;
    let quads = (0..QUADS).map(|index| {
        let subject = node(format!("{uri}#part-{}", index / 8));
        let predicate = node(format!("http://vocabulary.example/ns/core#property{}", index % 13));
        let object: Term = match index % 4 {
            0 => node(format!("https://data.site{}.example/resource/thing-{}", index % 31, number * 7 + index)).into(),
            1 => Literal::from(format!("The label of part {index} of thing {number}, in \"words\"")).into(),
            2 => Literal::new_language_tagged_literal_unchecked(format!("étiquette {index} {number}"), "fr").into(),
            _ => Literal::new_typed_literal((number * index).to_string(), xsd::INTEGER).into(),
        };
        Quad::new(subject, predicate, object, node(uri.to_string()))
    });
    let quads = quads.collect();
    (uri, quads)
}

fn measure_lines(worlds: &[(Uri, Vec<Quad>)], documents: usize) {
    let mut bytes = 0;
    let seconds = cpu(|| {
        for (uri, quads) in worlds.iter().cycle().take(documents) {
            let writer = LineWriter::new(uri.as_str());
            let mut lines = Vec::with_capacity(16 << 10);
            for quad in quads {
                writer.write(&mut lines, quad.as_ref());
            }
            bytes += lines.len();
        }
    });
    report("write lines", documents, bytes, seconds);
    let mut displayed = 0;
    let seconds = cpu(|| {
        for (_, quads) in worlds.iter().cycle().take(documents / 4) {
            let mut lines = String::with_capacity(16 << 10);
            for quad in quads {
                writeln!(lines, "{quad} .").expect("a string takes anything");
            }
            displayed += lines.len();
        }
    });
    report("baseline: Display", documents / 4, displayed, seconds);
}

fn measure_compression(worlds: &[(Uri, Vec<Quad>)]) {
    let mut group = Vec::new();
    for (uri, quads) in worlds.iter().take(20) {
        let writer = LineWriter::new(uri.as_str());
        for quad in quads {
            writer.write(&mut group, quad.as_ref());
        }
    }
    let mut compressor = zstd::bulk::Compressor::new(Options::default().level).expect("a compressor");
    let mut compressed = vec![0; zstd::zstd_safe::compress_bound(group.len())];
    let mut size = 0;
    let rounds = 2_000;
    let seconds = cpu(|| {
        for _ in 0..rounds {
            size = compressor.compress_to_buffer(&group[..], &mut compressed[..]).expect("room enough");
        }
    });
    report("compress", rounds * 20, rounds * group.len(), seconds);
    eprintln!("  {} KiB become {} KiB", group.len() >> 10, size >> 10);
}

async fn measure_store(worlds: &[(Uri, Vec<Quad>)], documents: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let seconds = cpu_of(async {
        for number in 0..documents {
            let (_, quads) = &worlds[number % worlds.len()];
            let uri = Uri::parse(&format!("https://data.example/{number}")).expect("a URI");
            let mut draft = store.draft(&uri);
            for quad in quads {
                draft.append(quad.as_ref());
            }
            store.put(draft.finish()).await.expect("a store");
            if number % GROUP == GROUP - 1 {
                store.commit().await.expect("a store");
            }
        }
        store.commit().await.expect("a store");
    })
    .await;
    report("draft, put, commit", documents, 0, seconds);

    let mut exported = Exported::default();
    let mut sink = Counter(0);
    let seconds = cpu(|| exported = store.export(&mut sink).expect("a store"));
    report("export", documents, sink.0, seconds);
    assert_eq!(exported, Exported { documents: documents as u64, quads: (documents * QUADS) as u64 });

    drop(store);
    let seconds = cpu(|| drop(open(folder.path())));
    eprintln!("open again: {:.0} ms", seconds * 1e3);
}

fn open(folder: &Path) -> SegmentStore {
    let database = fjall::Database::builder(folder.join("index")).open().expect("a database");
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).expect("a keyspace");
    SegmentStore::open(folder.join("segments"), documents, database, Options::default()).expect("a store")
}

struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn report(what: &str, documents: usize, bytes: usize, seconds: f64) {
    let (documents, bytes) = (documents as f64, bytes as f64);
    eprintln!(
        "{what:>20}: {:>9.0} documents, {:>6.2} M quads, {:>6.0} MB per CPU-second ({seconds:.2} s)",
        documents / seconds,
        documents * QUADS as f64 / seconds / 1e6,
        bytes / seconds / 1e6,
    );
}

fn cpu(work: impl FnOnce()) -> f64 {
    let before = cpu_seconds();
    work();
    cpu_seconds() - before
}

async fn cpu_of(work: impl Future<Output = ()>) -> f64 {
    let before = cpu_seconds();
    work.await;
    cpu_seconds() - before
}

/// User and system time of all threads of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("a Linux kernel");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().map(|&field: &usize| fields[field].parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}
