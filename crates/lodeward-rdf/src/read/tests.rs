//! Tests of the reader of all formats.

use std::io::Read;

use super::*;

const BASE: &str = "http://a.example/b";
const STATEMENT: &str = "<http://a.example/b> <http://a.example/p> \"é\"";

/// One statement in each format.
const DOCUMENTS: &[(RdfFormat, &str)] = &[
    (RdfFormat::Turtle, "<> <p> \"é\" ."),
    (RdfFormat::TriG, "{ <> <p> \"é\" }"),
    (RdfFormat::N3, "<> <p> \"é\" . ?x <p> <> ."),
    (RdfFormat::NTriples, "<http://a.example/b> <http://a.example/p> \"é\" ."),
    (RdfFormat::NQuads, "<http://a.example/b> <http://a.example/p> \"é\" ."),
    (
        RdfFormat::RdfXml,
        "<?xml version='1.0'?><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://a.example/'>\
         <r:Description r:about=''><p>é</p></r:Description></r:RDF>",
    ),
    (RdfFormat::JsonLd, r#"{"@id": "", "http://a.example/p": "é"}"#),
    (RdfFormat::YamlLd, "\"@id\": ''\nhttp://a.example/p: é\n"),
    (
        RdfFormat::TriX,
        "<?xml version='1.0'?><TriX xmlns='http://www.w3.org/2004/03/trix/trix-1/'><graph>\
         <triple><uri></uri><uri>p</uri><plainLiteral>é</plainLiteral></triple></graph></TriX>",
    ),
    (RdfFormat::HexTuples, r#"["http://a.example/b", "http://a.example/p", "é", "", "", ""]"#),
];

fn stream(bytes: &[u8]) -> RdfInput<'_> {
    RdfInput::Stream(Box::new(bytes))
}

fn read(reader: &RdfReader, input: RdfInput<'_>) -> Vec<String> {
    reader.collect(input).unwrap().iter().map(Quad::to_string).collect()
}

/// Statements, faults and the limit of a sink that closes itself.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) quads: Vec<String>,
    pub(super) faults: Vec<String>,
    pub(super) kinds: Vec<RdfFaultKind>,
    pub(super) max_quads: Option<usize>,
}

impl QuadSink for Lines {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(quad.to_string());
    }

    fn fault(&mut self, fault: RdfFault) {
        self.faults.push(fault.to_string());
        self.kinds.push(fault.kind);
    }

    fn is_open(&self) -> bool {
        self.max_quads.is_none_or(|max| self.quads.len() < max)
    }
}

#[test]
fn every_format_is_read_from_memory_and_from_a_stream() {
    for (format, document) in DOCUMENTS {
        for reader in
            [RdfReader::new(*format), RdfReader::new(*format).lenient().repair(), RdfReader::new(*format).raw()]
        {
            let reader = reader.base(BASE);
            assert_eq!(read(&reader, document.as_bytes().into()), [STATEMENT], "{format:?}");
            assert_eq!(read(&reader, stream(document.as_bytes())), [STATEMENT], "{format:?}");
        }
    }
}

#[test]
fn raw_documents_may_have_a_byte_order_mark() {
    for (format, document) in DOCUMENTS {
        let document = ["\u{feff}", document].concat();
        let reader = RdfReader::new(*format).base(BASE).raw();

        assert_eq!(read(&reader, document.as_bytes().into()), [STATEMENT], "{format:?}");
        assert_eq!(read(&reader, stream(document.as_bytes())), [STATEMENT], "{format:?}");
    }
}

#[test]
fn raw_xml_is_decoded_as_it_declares() {
    let (_, document) = DOCUMENTS.iter().find(|(format, _)| *format == RdfFormat::RdfXml).unwrap();
    let document = document.replace("<?xml version='1.0'?>", "<?xml version='1.0' encoding='iso-8859-1'?>");
    let (latin_1, ..) = encoding_rs::WINDOWS_1252.encode(&document);
    let invalid = document.replace("iso-8859-1", "utf-8").into_bytes();
    let invalid = [&invalid[..invalid.len() - 30], b"\xff", &invalid[invalid.len() - 30..]].concat();
    let reader = RdfReader::new(RdfFormat::RdfXml).base(BASE).raw();

    assert_eq!(read(&reader, (&*latin_1).into()), [STATEMENT]);
    assert_eq!(read(&reader, stream(&latin_1)), [STATEMENT]);
    assert!(reader.collect(invalid.as_slice().into()).is_err());
}

#[test]
fn faults_have_positions_and_the_rest_is_read() {
    let mut lines = Lines::default();
    let text = b"<http://a/> <http://b/> .\n<http://a/> <http://b/> <http://c/> .\n";

    let end = RdfReader::new(RdfFormat::NTriples).read(text.into(), &mut lines).unwrap();

    assert_eq!(end, ReadEnd::Complete);
    assert_eq!(lines.quads, ["<http://a/> <http://b/> <http://c/>"]);
    assert!(lines.faults[0].starts_with("line 1, column 25: "), "{:?}", lines.faults);
}

#[test]
fn reading_stops_at_the_limits_of_errors_and_of_the_sink() {
    let errors = "<http://a/> .\n".repeat(10);
    let mut lines = Lines::default();
    let end = RdfReader::new(RdfFormat::NQuads).max_errors(3).read(errors.as_bytes().into(), &mut lines).unwrap();
    assert_eq!((end, lines.faults.len()), (ReadEnd::TooManyErrors, 3));

    let objects: Vec<String> = (0..10).map(|number| format!("<http://c/{number}>")).collect();
    let turtle = format!("<http://a/> <http://b/> {} .", objects.join(", "));
    let mut lines = Lines { max_quads: Some(4), ..Lines::default() };
    let end = RdfReader::new(RdfFormat::Turtle).read(turtle.as_bytes().into(), &mut lines).unwrap();
    assert_eq!((end, lines.quads.len()), (ReadEnd::Closed, 4));
}

#[test]
fn deep_nesting_is_refused_in_every_format_with_a_recursive_structure() {
    let xml = format!(
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://a.example/'>{}",
        "<A><p>".repeat(10_000)
    );
    let json = r#"{"http://a.example/p":"#.repeat(10_000);
    for (format, document) in [(RdfFormat::RdfXml, xml), (RdfFormat::JsonLd, json)] {
        let reader = RdfReader::new(format).base(BASE);
        for input in [document.as_bytes().into(), stream(document.as_bytes())] {
            let error = reader.collect(input).unwrap_err().to_string();
            assert!(error.contains("nested too deep") || error.contains("too deep"), "{format:?}: {error}");
        }
    }
}

#[test]
fn remote_contexts_are_faults_and_bundled_ones_are_read() {
    let reader = RdfReader::new(RdfFormat::JsonLd).base(BASE);
    let bundled = br#"{"@context": "https://schema.org", "@id": "", "name": "A"}"#;
    let remote = br#"{"@context": "https://a.example/context", "@id": "", "name": "A"}"#;

    assert_eq!(read(&reader, bundled.into()), ["<http://a.example/b> <http://schema.org/name> \"A\""]);
    let error = reader.collect(remote.into()).unwrap_err().to_string();
    assert_eq!(error, "loading remote context failed: <https://a.example/context>: not available");
}

#[test]
fn a_failing_stream_is_an_error_and_not_a_fault() {
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("connection reset"))
        }
    }

    for (format, document) in DOCUMENTS {
        for reader in [RdfReader::new(*format), RdfReader::new(*format).raw()] {
            let half = document.as_bytes()[..document.len() / 2].chain(Broken);
            let result = reader.base(BASE).read(RdfInput::Stream(Box::new(half)), &mut Lines::default());
            assert_eq!(result.unwrap_err().to_string(), "connection reset", "{format:?}");
        }
    }
}

#[test]
fn pages_and_invalid_bases_are_rejected() {
    assert!(RdfReader::new(RdfFormat::Html).collect(b"".into()).is_err());
    assert!(RdfReader::new(RdfFormat::Turtle).base("relative").collect(b"".into()).is_err());
}

#[test]
fn large_terms_of_a_stream_are_refused() {
    let text = format!("<http://a/> <http://b/> \"{}\" .\n", "x".repeat(17 << 20));
    for format in [RdfFormat::Turtle, RdfFormat::TriG, RdfFormat::N3, RdfFormat::NTriples, RdfFormat::NQuads] {
        let result = RdfReader::new(format).collect(stream(text.as_bytes()));

        assert!(matches!(result, Err(RdfReadError::Io(error)) if error.kind() == io::ErrorKind::OutOfMemory));
    }
}

#[test]
fn trix_has_graphs_nodes_and_literals() {
    let document = "<TriX xmlns='http://www.w3.org/2004/03/trix/trix-1/'><graph><uri>g</uri>\
        <triple><id>x</id><uri>p</uri><typedLiteral datatype='http://a.example/t'>1 &lt; 2</typedLiteral></triple>\
        <triple><uri>s</uri><uri>p</uri><plainLiteral xml:lang='en'>a</plainLiteral></triple>\
        <triple><plainLiteral>s</plainLiteral><uri>p</uri><uri>o</uri></triple></graph>\
        <graph><triple><uri>s</uri><uri>p</uri><uri>o</uri></triple></graph></TriX>";
    let mut lines = Lines::default();
    RdfReader::new(RdfFormat::TriX).base(BASE).read(document.as_bytes().into(), &mut lines).unwrap();

    let expected = [
        r#"_:nx <http://a.example/p> "1 < 2"^^<http://a.example/t> <http://a.example/g>"#,
        r#"<http://a.example/s> <http://a.example/p> "a"@en <http://a.example/g>"#,
        "<http://a.example/s> <http://a.example/p> <http://a.example/o>",
    ];
    assert_eq!(lines.quads, expected);
    assert_eq!(lines.faults, [r#""s" is not a subject"#]);
}

#[test]
fn hextuples_have_nodes_literals_and_graphs() {
    let document = r#"["_:a","http://a.example/p","http://a.example/o","globalId","","http://a.example/g"]
        ["http://a.example/s","http://a.example/p","_:a","localId","",""]
        ["http://a.example/s","http://a.example/p"]

        ["http://a.example/s","http://a.example/p","x","http://www.w3.org/1999/02/22-rdf-syntax-ns#langString","en",""]
        ["http://a.example/s","p","x","","",""]"#;
    let mut lines = Lines::default();
    RdfReader::new(RdfFormat::HexTuples).read(document.as_bytes().into(), &mut lines).unwrap();

    let expected = [
        "_:na <http://a.example/p> <http://a.example/o> <http://a.example/g>",
        "<http://a.example/s> <http://a.example/p> _:na",
        r#"<http://a.example/s> <http://a.example/p> "x"@en"#,
    ];
    assert_eq!(lines.quads, expected);
    assert_eq!(lines.faults.len(), 2, "{:?}", lines.faults);
    assert!(lines.faults[0].starts_with("line 3, column 1: "), "{:?}", lines.faults);
}

#[test]
fn documents_that_need_rdf_1_2_are_reported() {
    let read = |document: &str, is_stream: bool| {
        let mut lines = Lines::default();
        let input = if is_stream { stream(document.as_bytes()) } else { document.as_bytes().into() };
        RdfReader::new(RdfFormat::Turtle).base(BASE).read(input, &mut lines).unwrap();
        lines
    };

    for is_stream in [false, true] {
        let lines = read("<a> <b> <<( <c> <d> <e> )>> .\n<a> <p> <c> .\n", is_stream);
        assert_eq!(lines.kinds.last(), Some(&RdfFaultKind::Unsupported), "{:?}", lines.faults);
        assert!(lines.faults.last().unwrap().contains("triple terms"));
        let lines = read("<a> <b> <c> .\n<a> <b> 'no end .\n", is_stream);
        assert!(!lines.kinds.contains(&RdfFaultKind::Unsupported), "{:?}", lines.faults);
    }
}
