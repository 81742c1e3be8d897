//! Tests of the import: formats, graphs, faults, blank nodes and interruption.

use std::io::Write as _;
use std::path::Path;

use super::*;

/// Records the faults.
#[derive(Default)]
struct Faults(Vec<ImportFault>);

impl ImportWatcher for Faults {
    fn bytes_read(&mut self, _: u64) {}

    fn fault(&mut self, fault: &ImportFault) {
        self.0.push(fault.clone());
    }
}

struct TestArchive {
    directory: tempfile::TempDir,
    archive: Archive,
}

impl TestArchive {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        Self { directory, archive }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn load(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
    ) -> (Result<ImportSummary, ImportError>, Vec<ImportFault>) {
        let mut faults = Faults::default();
        let sources = collect_sources(paths).unwrap();
        let loaded = load(&self.archive, &sources, options, &CancellationToken::default(), &mut faults);
        (loaded, faults.0)
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.archive.snapshot().quads(None, None, None, None).map(|quad| quad.unwrap().to_string()).collect();
        lines.sort_unstable();
        lines
    }
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The statement that every file below contains.
const STATEMENT: &str = "<http://a.example/s> <http://a.example/p> \"o\"";

#[test]
fn every_format_is_recognised_by_extension_or_content() {
    let n_triples = format!("{STATEMENT} .\n");
    let turtle = "@prefix : <http://a.example/> .\n:s :p \"o\" .\n";
    let json_ld = r#"{"@id": "http://a.example/s", "http://a.example/p": "o"}"#;
    let page = r#"<!doctype html><p about="http://a.example/s" property="http://a.example/p">o</p>"#;
    let rdf_xml = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://a.example/">
        <rdf:Description rdf:about="http://a.example/s"><e:p>o</e:p></rdf:Description></rdf:RDF>"#;
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("a.nt", n_triples.clone().into()),
        ("a.nq", n_triples.clone().into()),
        ("a.ttl", turtle.into()),
        ("bom.ttl", format!("\u{feff}{turtle}").into()),
        ("a.trig", turtle.into()),
        ("a.n3", turtle.into()),
        ("a.rdf", rdf_xml.into()),
        ("a.jsonld", json_ld.into()),
        ("a.html", page.into()),
        ("unnamed", rdf_xml.into()),
        ("some.json", json_ld.into()),
        ("a.nt.gz", gzipped(&n_triples)),
        ("a.ttl.zst", zstd::encode_all(turtle.as_bytes(), 0).unwrap()),
        ("gzipped-without-extension.nt", gzipped(&n_triples)),
    ];
    for (name, content) in files {
        let archive = TestArchive::new();
        let path = archive.write(name, content);

        let (loaded, faults) = archive.load(&[path], &ImportOptions::default());

        assert_eq!(loaded.unwrap(), ImportSummary { quads: 1, inserted: 1, faults: 0 }, "{name}: {faults:?}");
        assert_eq!(archive.lines(), [STATEMENT], "{name}");
    }
}

#[test]
fn json_ld_is_read_with_bundled_contexts_only() {
    let archive = TestArchive::new();
    let bundled = r#"{"@context": "https://schema.org", "@id": "http://a.example/s", "name": "A"}"#;
    let remote = r#"{"@context": "https://a.example/context", "@id": "http://a.example/s", "name": "A"}"#;
    let (bundled, remote) = (archive.write("a.jsonld", bundled), archive.write("b.jsonld", remote));

    archive.load(&[bundled], &ImportOptions::default()).0.unwrap();
    let error = archive.load(&[remote], &ImportOptions::default()).0.unwrap_err().to_string();

    assert_eq!(archive.lines(), ["<http://a.example/s> <http://schema.org/name> \"A\""]);
    assert!(error.contains("loading remote context failed: <https://a.example/context>: not available"), "{error}");
}

#[test]
fn statements_without_a_graph_go_to_the_requested_graph() {
    let archive = TestArchive::new();
    let path = archive.write("a.nq", format!("{STATEMENT} .\n{STATEMENT} <http://a.example/g> .\n"));
    let graph = NamedNode::new("http://a.example/target").unwrap();

    archive.load(&[path], &ImportOptions { graph: Some(graph), ..ImportOptions::default() }).0.unwrap();

    let expected = ["g", "target"].map(|name| format!("{STATEMENT} <http://a.example/{name}>"));
    assert_eq!(archive.lines(), expected);
}

#[test]
fn relative_iris_are_resolved_against_the_file_or_the_base() {
    let archive = TestArchive::new();
    let path = archive.write("a.ttl", "<#s> <p> <o> .");
    let base = ImportOptions { base: Some("http://a.example/x/y".to_owned()), ..ImportOptions::default() };

    archive.load(std::slice::from_ref(&path), &base).0.unwrap();
    archive.load(&[path], &ImportOptions::default()).0.unwrap();

    let [by_file, by_base] = archive.lines().try_into().unwrap();
    assert!(by_file.starts_with("<file:///") && by_file.contains("/a.ttl#s> <file:///"), "{by_file}");
    assert_eq!(by_base, "<http://a.example/x/y#s> <http://a.example/x/p> <http://a.example/x/o>");
}

#[test]
fn a_file_with_an_error_rejects_the_import_with_its_line() {
    let archive = TestArchive::new();
    let good = archive.write("good.nt", format!("{STATEMENT} .\n"));
    let bad = archive.write("bad.nt", format!("{STATEMENT} .\n<http://a.example/s> nonsense .\n"));

    let error = archive.load(&[good, bad], &ImportOptions::default()).0.unwrap_err();

    assert!(matches!(error, ImportError::Rejected(_)));
    assert!(error.to_string().contains("bad.nt:2:22: "), "{error}");
    assert_eq!(archive.lines(), Vec::<String>::new());
}

#[test]
fn keep_going_imports_the_readable_statements() {
    let archive = TestArchive::new();
    let bad = archive.write("bad.nt", format!("<http://a.example/s> nonsense .\n{STATEMENT} .\n"));
    let no_rdf = archive.write("picture", b"\x89PNG\r\n");
    let truncated = gzipped(&format!("{STATEMENT} .\n").repeat(5_000));
    let truncated = archive.write("truncated.nt.gz", &truncated[..truncated.len() / 2]);

    let options = ImportOptions { tolerance: FaultTolerance::KeepGoing, ..ImportOptions::default() };
    let (loaded, faults) = archive.load(&[bad, no_rdf, truncated], &options);

    assert_eq!(loaded.unwrap().inserted, 1);
    assert_eq!(archive.lines(), [STATEMENT]);
    let named = |fault: &ImportFault| Path::new(&fault.file).file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(faults.iter().map(named).collect::<Vec<_>>(), ["bad.nt", "picture", "truncated.nt.gz"]);
    assert_eq!(faults[0].location, Some((1, 22)), "{faults:?}");
}

#[test]
fn the_number_of_reported_faults_is_bounded() {
    let archive = TestArchive::new();
    let path = archive.write("bad.nt", "nonsense\n".repeat(500));

    let options = ImportOptions { tolerance: FaultTolerance::KeepGoing, ..ImportOptions::default() };
    let (loaded, faults) = archive.load(&[path], &options);

    assert_eq!(loaded.unwrap().quads, 0);
    assert_eq!(faults.len(), 21);
    assert!(faults[20].message.ends_with("more faults"), "{}", faults[20]);
}

#[test]
fn blank_nodes_belong_to_their_file_and_a_repeated_import_adds_nothing() {
    let archive = TestArchive::new();
    let named = "_:x <http://a.example/p> _:x .\n";
    let first = archive.write("first.nt", named);
    let second = archive.write("second.nt", named);
    let nameless = archive.write("nameless.ttl", "[] <http://a.example/p> [ <http://a.example/q> 1 ] .");
    let all = [first, second, nameless];

    let once = archive.load(&all, &ImportOptions::default()).0.unwrap();
    let twice = archive.load(&all, &ImportOptions::default()).0.unwrap();

    assert_eq!((once.quads, once.inserted), (4, 4));
    assert_eq!((twice.quads, twice.inserted), (4, 0));
}

#[test]
fn an_interrupted_import_leaves_the_archive_unchanged() {
    let archive = TestArchive::new();
    let path = archive.write("a.nt", format!("{STATEMENT} .\n"));
    let cancellation = CancellationToken::default();
    cancellation.cancel();

    let sources = collect_sources(&[path]).unwrap();
    let error =
        load(&archive.archive, &sources, &ImportOptions::default(), &cancellation, &mut Faults::default()).unwrap_err();

    assert!(matches!(error, ImportError::Cancelled));
    assert_eq!(archive.lines(), Vec::<String>::new());
}

/// A tar archive of these files.
fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[148..156].copy_from_slice(b"        ");
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend(header);
        archive.extend(content.as_bytes());
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1_024, 0);
    archive
}

#[test]
fn all_files_of_an_archive_are_imported_and_others_are_skipped() {
    let test = TestArchive::new();
    let files = [
        ("d/a.nt", "_:b <http://a.example/p> \"1\" .\n"),
        ("b.ttl", "_:b <http://a.example/p> \"2\" . <> <http://a.example/p> \"3\" ."),
        ("README", "No RDF here, only words."),
    ];
    let packed = test.write("dump.tar.gz", gzipped(&String::from_utf8(tar(&files)).unwrap()));

    let (loaded, faults) = test.load(std::slice::from_ref(&packed), &ImportOptions::default());

    assert_eq!((loaded.unwrap().quads, faults), (3, Vec::new()));
    let lines = test.lines();
    let subjects: std::collections::BTreeSet<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(subjects.len(), 3, "blank nodes of different files differ: {lines:?}");
    let base = url::Url::from_file_path(&packed).unwrap();
    assert!(lines.iter().any(|line| line.starts_with(&format!("<{base}> "))), "{lines:?}");

    let broken = test.write("broken.tar", tar(&[("a/broken.nt", "no statement\n")]));
    let empty = test.write("empty.tar", tar(&[("README", "words")]));
    let fault =
        |path: &PathBuf| test.load(std::slice::from_ref(path), &ImportOptions::default()).0.unwrap_err().to_string();
    assert!(fault(&broken).contains("broken.tar/a/broken.nt:1:"), "{}", fault(&broken));
    assert!(fault(&empty).contains("empty.tar: no RDF found"), "{}", fault(&empty));
}
