//! Measures the CPU time of storing a harvest.
//!
//! Writes documents of about 110 statements and 12 KB as a crawl does: drafts, groups of 64, a
//! commit per group. Prints the throughput per CPU-second of this process for the line writer
//! alone, for drafts, for compression alone, and for all steps up to the segments, without and with
//! provenance. Then reads the segments back as an export, as a survey, and into an archive that
//! follows them, and checks that nothing is missing. The baseline is `Display` of oxrdf.
//!
//! `cargo run --release --example store_speed -- [DOCUMENTS]`

use std::fmt::Write as _;
use std::path::Path;

use lodeward::model::{FetchFacts, Provenance, Uri, Validators};
use lodeward::store::follow::feed_all;
use lodeward::store::segments::{ReadBounds, SegmentOptions, SegmentStore};
use lodeward::store::{ExportSummary, Store};
use lodeward_app::followers::ArchiveFollower;
use lodeward_app::provenance::GraphNames;
use lodeward_app::provenance::survey::{CrawlDescription, HarvestSurvey};
use lodeward_archive::Archive;
use lodeward_rdf::write::n_quads::NQuadsWriter;
use oxrdf::{Literal, NamedNode, NamedNodeRef, Quad, QuadRef, Term, vocab::xsd};

const QUADS: usize = 110;
const GROUP: usize = 64;

fn main() {
    let documents: usize = std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of documents"));
    let worlds: Vec<(Uri, Vec<Quad>)> = (0..256).map(document).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    measure_lines(&worlds, documents);
    measure_compression(&worlds);
    for provenance in [false, true] {
        runtime.block_on(measure_store(&worlds, documents, provenance));
    }
}

/// The provenance of a typical document.
fn provenance(number: usize) -> Provenance {
    let number = number as u64;
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let last_modified = Some(format!("Sun, 06 Nov 1994 {:02}:{:02}:37 GMT", number % 24, mixed % 60));
    Provenance {
        requested_at_ms: 1_700_000_000_000 + 17 * number,
        redirects: Vec::new(),
        fetch: FetchFacts {
            status: 200,
            declared_media_type: Some("text/turtle; charset=utf-8".to_owned()),
            validators: Validators { etag: Some(format!("\"{:x}\"", mixed >> 16)), last_modified },
            fetched_at_ms: 1_700_000_000_180 + 17 * number + mixed % 100,
            format: "turtle".to_owned(),
            bytes: 9_000 + mixed % 4_000,
            digest: mixed,
            quads_by_format: vec![("turtle".to_owned(), QUADS as u64)],
            faults: Vec::new(),
            terms: Box::default(),
        },
        user_agent: "lodeward/0.1.0 (+crawl@example.org)".to_owned(),
    }
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
            let writer = NQuadsWriter::new(uri.as_str());
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
                writeln!(lines, "{quad} .").expect("writing to a string succeeds");
            }
            displayed += lines.len();
        }
    });
    report("baseline: Display", documents / 4, displayed, seconds);
}

fn measure_compression(worlds: &[(Uri, Vec<Quad>)]) {
    let mut group = Vec::new();
    for (uri, quads) in worlds.iter().take(20) {
        let writer = NQuadsWriter::new(uri.as_str());
        for quad in quads {
            writer.write(&mut group, quad.as_ref());
        }
    }
    let mut compressor = zstd::bulk::Compressor::new(SegmentOptions::default().level).expect("a compressor");
    let mut compressed = vec![0; zstd::zstd_safe::compress_bound(group.len())];
    let mut size = 0;
    let rounds = 2_000;
    let seconds = cpu(|| {
        for _ in 0..rounds {
            size = compressor.compress_to_buffer(&group[..], &mut compressed[..]).expect("the buffer is large enough");
        }
    });
    report("compress", rounds * 20, rounds * group.len(), seconds);
    eprintln!("  {} KiB become {} KiB", group.len() >> 10, size >> 10);
}

async fn measure_store(worlds: &[(Uri, Vec<Quad>)], documents: usize, with_provenance: bool) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = open(dir.path());
    let seconds = cpu_async(async {
        for number in 0..documents {
            let (_, quads) = &worlds[number % worlds.len()];
            let uri = Uri::parse(&format!("https://data.example/{number}")).expect("a URI");
            let mut draft = store.draft(&uri);
            let graph_name = NamedNodeRef::new_unchecked(uri.as_str()).into();
            for quad in quads {
                draft.append(QuadRef { graph_name, ..quad.as_ref() });
            }
            let mut draft = draft.finish();
            draft.provenance = with_provenance.then(|| provenance(number));
            store.put(draft).await.expect("a store");
            if number % GROUP == GROUP - 1 {
                store.commit().await.expect("a store");
            }
        }
        store.commit().await.expect("a store");
    })
    .await;
    eprintln!("{} provenance:", if with_provenance { "with" } else { "without" });
    report("draft, put, commit", documents, 0, seconds);
    eprintln!("  {} bytes of segments a document", size_of(&dir.path().join("segments")) / documents as u64);

    let mut exported = ExportSummary::default();
    let mut sink = Counter(0);
    let seconds = cpu(|| exported = store.export(&mut sink).expect("a store"));
    report("export", documents, sink.0, seconds);
    assert_eq!(exported, ExportSummary { documents: documents as u64, quads: (documents * QUADS) as u64 });

    let mut surveyed = 0;
    let names = GraphNames::new("urn:lodeward:", 1);
    let seconds = cpu(|| {
        surveyed =
            HarvestSurvey::of_log(&store.log()).expect("a log").to_quads(&names, &CrawlDescription::default()).len();
    });
    report("survey", documents, 0, seconds);
    assert!(surveyed > 10);

    let archive = Archive::open(dir.path().join("archive"), &lodeward_app::followers::archive_options());
    let archive = archive.expect("an archive");
    let mut follower = ArchiveFollower::new(archive.clone(), 1, Some(names));
    let seconds = cpu(|| {
        feed_all(&store.log(), &mut follower, ReadBounds::default(), &mut |_| ()).expect("an archive");
    });
    report("feed the archive", documents, 0, seconds);
    let quads = archive.snapshot().len().expect("an archive");
    eprintln!(
        "  {quads} quads, {} bytes of archive a document",
        size_of(&dir.path().join("archive")) / documents as u64
    );
    assert!(quads >= (documents * QUADS) as u64);

    drop(store);
    let seconds = cpu(|| drop(open(dir.path())));
    eprintln!("reopen: {:.0} ms", seconds * 1e3);
}

fn open(dir: &Path) -> SegmentStore {
    let database = fjall::Database::builder(dir.join("index")).open().expect("a database");
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).expect("a keyspace");
    SegmentStore::open(dir.join("segments"), documents, database, SegmentOptions::default()).expect("a store")
}

/// Bytes of all files in a directory.
fn size_of(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
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

#[expect(clippy::cast_precision_loss, reason = "figures for display")]
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

async fn cpu_async(work: impl Future<Output = ()>) -> f64 {
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
