use std::io::Write as _;
use std::path::Path;

use super::*;

/// Remembers the faults.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Watcher for Faults {
    fn bytes(&mut self, _: u64) {}

    fn fault(&mut self, fault: &Fault) {
        self.0.push(fault.clone());
    }
}

struct Shelf {
    folder: tempfile::TempDir,
    archive: Archive,
}

impl Shelf {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        Self { folder, archive }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn load(&self, paths: &[PathBuf], options: &Options) -> (anyhow::Result<Loaded>, Vec<Fault>) {
        let mut faults = Faults::default();
        let sources = gather(paths).unwrap();
        let loaded = load(&self.archive, &sources, options, &Interrupt::default(), &mut faults);
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

/// The one statement that every file below makes.
const STATEMENT: &str = "<http://a.example/s> <http://a.example/p> \"o\"";

#[test]
fn every_syntax_is_read_by_its_name_or_by_its_looks() {
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
        ("packed-unsaid.nt", gzipped(&n_triples)),
    ];
    for (name, content) in files {
        let shelf = Shelf::new();
        let path = shelf.write(name, content);

        let (loaded, faults) = shelf.load(&[path], &Options::default());

        assert_eq!(loaded.unwrap(), Loaded { quads: 1, inserted: 1, faults: 0 }, "{name}: {faults:?}");
        assert_eq!(shelf.lines(), [STATEMENT], "{name}");
    }
}

#[test]
fn statements_without_a_graph_go_where_they_are_told_to() {
    let shelf = Shelf::new();
    let path = shelf.write("a.nq", format!("{STATEMENT} .\n{STATEMENT} <http://a.example/g> .\n"));
    let graph = NamedNode::new("http://a.example/target").unwrap();

    shelf.load(&[path], &Options { graph: Some(graph), ..Options::default() }).0.unwrap();

    let expected = ["g", "target"].map(|name| format!("{STATEMENT} <http://a.example/{name}>"));
    assert_eq!(shelf.lines(), expected);
}

#[test]
fn relative_iris_are_relative_to_the_file_or_to_the_base() {
    let shelf = Shelf::new();
    let path = shelf.write("a.ttl", "<#s> <p> <o> .");
    let base = Options { base: Some("http://a.example/x/y".to_owned()), ..Options::default() };

    shelf.load(std::slice::from_ref(&path), &base).0.unwrap();
    shelf.load(&[path], &Options::default()).0.unwrap();

    let [by_file, by_base] = shelf.lines().try_into().unwrap();
    assert!(by_file.starts_with("<file:///") && by_file.contains("/a.ttl#s> <file:///"), "{by_file}");
    assert_eq!(by_base, "<http://a.example/x/y#s> <http://a.example/x/p> <http://a.example/x/o>");
}

#[test]
fn a_file_with_an_error_stops_everything_and_tells_its_line() {
    let shelf = Shelf::new();
    let good = shelf.write("good.nt", format!("{STATEMENT} .\n"));
    let bad = shelf.write("bad.nt", format!("{STATEMENT} .\n<http://a.example/s> nonsense .\n"));

    let error = shelf.load(&[good, bad], &Options::default()).0.unwrap_err();

    assert!(error.is::<Refused>());
    assert!(error.to_string().contains("bad.nt:2:22: "), "{error}");
    assert_eq!(shelf.lines(), Vec::<String>::new());
}

#[test]
fn told_to_keep_going_it_loads_what_can_be_read() {
    let shelf = Shelf::new();
    let bad = shelf.write("bad.nt", format!("<http://a.example/s> nonsense .\n{STATEMENT} .\n"));
    let no_rdf = shelf.write("picture", b"\x89PNG\r\n");
    let cut = gzipped(&format!("{STATEMENT} .\n").repeat(5_000));
    let cut = shelf.write("cut.nt.gz", &cut[..cut.len() / 2]);

    let options = Options { tolerance: Tolerance::KeepGoing, ..Options::default() };
    let (loaded, faults) = shelf.load(&[bad, no_rdf, cut], &options);

    assert_eq!(loaded.unwrap().inserted, 1);
    assert_eq!(shelf.lines(), [STATEMENT]);
    let named = |fault: &Fault| Path::new(&fault.file).file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(faults.iter().map(named).collect::<Vec<_>>(), ["bad.nt", "picture", "cut.nt.gz"]);
    assert_eq!(faults[0].place, Some((1, 22)), "{faults:?}");
}

#[test]
fn faults_without_end_are_told_within_bounds() {
    let shelf = Shelf::new();
    let path = shelf.write("bad.nt", "nonsense\n".repeat(500));

    let options = Options { tolerance: Tolerance::KeepGoing, ..Options::default() };
    let (loaded, faults) = shelf.load(&[path], &options);

    assert_eq!(loaded.unwrap().quads, 0);
    assert_eq!(faults.len(), 21);
    assert!(faults[20].what.ends_with("more faults"), "{}", faults[20]);
}

#[test]
fn blank_nodes_are_those_of_their_file_and_the_same_file_adds_nothing() {
    let shelf = Shelf::new();
    let named = "_:x <http://a.example/p> _:x .\n";
    let first = shelf.write("first.nt", named);
    let second = shelf.write("second.nt", named);
    let nameless = shelf.write("nameless.ttl", "[] <http://a.example/p> [ <http://a.example/q> 1 ] .");
    let all = [first, second, nameless];

    let once = shelf.load(&all, &Options::default()).0.unwrap();
    let twice = shelf.load(&all, &Options::default()).0.unwrap();

    assert_eq!((once.quads, once.inserted), (4, 4));
    assert_eq!((twice.quads, twice.inserted), (4, 0));
}

#[test]
fn an_interrupted_import_leaves_no_trace() {
    let shelf = Shelf::new();
    let path = shelf.write("a.nt", format!("{STATEMENT} .\n"));
    let interrupt = Interrupt::default();
    interrupt.token.cancel();

    let sources = gather(&[path]).unwrap();
    let error = load(&shelf.archive, &sources, &Options::default(), &interrupt, &mut Faults::default()).unwrap_err();

    assert_eq!(error.to_string(), "stopped by Ctrl-C");
    assert_eq!(shelf.lines(), Vec::<String>::new());
}
