//! Tests of archives and compressed files.

use std::io::{self, Cursor};
use std::ops::ControlFlow;

use bytes::Bytes;

use super::test_archives::{TRIPLES, ZipVariant, brotli, bzip2, gzip, tar, xz, zip, zip_member, zstd};
use super::*;
use crate::extract::document_reader::tests::{TestSink, representation};
use crate::extract::{ExtractOptions, ExtractSummary, Extractor as _};
use crate::fetch::ResponseBody;
use crate::model::Relevance;

/// Reads a dump with this name, buffered and as a stream, and checks that the results are equal.
pub(super) fn unpack(name: &str, content_type: Option<&str>, bytes: &[u8]) -> (ExtractSummary, TestSink) {
    let reader = DocumentReader::new(ExtractOptions::default());
    let extract = |body| {
        let mut sink = TestSink::default();
        let uri = format!("http://a.example/{name}");
        let extracted = reader.extract(representation(&uri, content_type, body), &mut sink);
        (extracted, sink)
    };
    let buffered = extract(ResponseBody::Buffered { bytes: Bytes::copy_from_slice(bytes), truncation: None });
    let stream = extract(ResponseBody::Stream(Box::new(io::Cursor::new(bytes.to_vec()))));
    assert_eq!((&buffered.1.quads, &buffered.1.faults), (&stream.1.quads, &stream.1.faults), "{name}");
    assert_eq!(ExtractSummary { digest: 0, ..buffered.0.clone() }, stream.0, "{name}");
    buffered
}

/// The objects of the statements, and the kinds of the faults.
fn objects_and_faults(sink: &TestSink) -> (Vec<String>, Vec<FaultKind>) {
    let objects = sink.quads.iter().map(|quad| quad.object.to_string());
    (objects.collect(), sink.faults.iter().map(|fault| fault.kind).collect())
}

/// Checks that a dump contains exactly [`TRIPLES`].
fn check(name: &str, content_type: Option<&str>, bytes: &[u8]) {
    let (extracted, sink) = unpack(name, content_type, bytes);

    let objects = vec!["\"a\"".to_owned(), "<http://o.example/>".to_owned()];
    assert_eq!(objects_and_faults(&sink), (objects, vec![]), "{name}: {:?}", sink.faults);
    assert!(sink.quads.iter().all(|quad| quad.graph_name.to_string() == format!("<http://a.example/{name}>")));
    assert_eq!((extracted.format, extracted.relevance), ("n-triples", Relevance::Rdf), "{name}");
    assert_eq!(extracted.quads_by_format, [("n-triples", 2)]);
}

const README: &[u8] = b"Read me, please: there is no RDF in here.\n";
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0";

#[test]
fn every_packing_is_unpacked() {
    let text = TRIPLES.as_bytes();
    let files: &[(&str, &[u8])] = &[("README", README), ("a/dump.nt", text), ("a.png", PICTURE)];

    check("dump.nt.gz", Some("application/gzip"), &gzip(text));
    check("dump.nt.bz2", Some("application/x-bzip2"), &bzip2(text));
    check("dump.nt.xz", None, &xz(text));
    check("dump.nt.zst", None, &zstd(text));
    check("dump.nt.br", None, &brotli(text));
    check("dump", Some("application/x-brotli"), &brotli(text));
    check("dump.tar", Some("application/x-tar"), &tar(files));
    for variant in [ZipVariant::Stored, ZipVariant::Deflated, ZipVariant::Streamed] {
        check("dump.zip", Some("application/zip"), &zip(variant, files));
    }
}

#[test]
fn files_with_several_members_are_read_to_their_end() {
    let (first, second) = TRIPLES.split_at(30);
    let (first, second) = (first.as_bytes(), second.as_bytes());

    check("dump.nt.gz", None, &[gzip(first), gzip(b""), gzip(second)].concat());
    check("dump.nt.bz2", None, &[bzip2(first), bzip2(b""), bzip2(second)].concat());
    check("dump.nt.xz", None, &[xz(first), vec![0; 8], xz(second), vec![0; 4]].concat());
    check("dump.nt.zst", None, &[zstd(first), b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(second)].concat());
}

#[test]
fn nested_packing_is_unpacked() {
    let packed = bzip2(TRIPLES.as_bytes());
    let inner = zip(ZipVariant::Deflated, &[("README", README), ("dump.nt.bz2", &packed)]);
    let outer = tar(&[("README.md", README), ("inner.zip", &inner)]);

    check("dump.tar.gz", Some("application/gzip"), &gzip(&outer));
    check("dump.tgz", None, &gzip(&outer));
    check("dump.tar.xz", None, &xz(&outer));
    check("dump.zip", None, &zip(ZipVariant::Streamed, &[("outer.tar", &outer)]));
    check("dump.zip", None, &zip(ZipVariant::Stored, &[("outer.tar", &outer)]));
    check("dump.nt.gz.xz.zst", None, &zstd(&xz(&gzip(TRIPLES.as_bytes()))));
    check("dump.nt.br.br", None, &brotli(&brotli(TRIPLES.as_bytes())));
}

#[test]
fn archives_of_other_programs_are_read() {
    macro_rules! archives {
        ($($name:literal),+) => { [$(($name, &include_bytes!(concat!("../testdata/archives/", $name))[..])),+] };
    }
    let archives = archives![
        "java.zip",
        "piped.zip",
        "piped-stored.zip",
        "stdin.zip",
        "python-stored.zip",
        "python-bzip2.zip",
        "zip64.zip",
        "v7.tar.gz",
        "ustar.tar.gz",
        "gnu.tar.gz",
        "posix.tar.gz"
    ];
    for (name, bytes) in archives {
        check(name, None, bytes);
    }
}

#[test]
fn unsupported_files_are_skipped_and_reported() {
    let check = |name: &str, bytes: &[u8], objects: &[&str], what: &str| {
        let (_, sink) = unpack(name, None, bytes);
        let is_expected = |fault: &Fault| matches!(fault.kind, FaultKind::Encoding | FaultKind::UnsupportedFormat);
        assert_eq!(objects_and_faults(&sink).0, objects, "{name}");
        assert!(sink.faults.iter().all(is_expected) && sink.faults[0].detail.contains(what), "{:?}", sink.faults);
    };
    let both = ["\"a\"", "<http://o.example/>"];
    let encrypted = include_bytes!("../testdata/archives/encrypted.zip");
    // Everything before the directory.
    let encrypted = &encrypted[..encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap()];
    let more = zip(ZipVariant::Deflated, &[("dump.nt", TRIPLES.as_bytes())]);

    check("dump.zip", &[encrypted, &more].concat(), &both, "encrypted file skipped: dump.nt");
    check(
        "python-lzma.zip",
        include_bytes!("../testdata/archives/python-lzma.zip"),
        &[],
        "unsupported compression method",
    );
    check("sparse.tar.gz", include_bytes!("../testdata/archives/sparse.tar.gz"), &both, "holes.nt");
    check("sparse-posix.tar.gz", include_bytes!("../testdata/archives/sparse-posix.tar.gz"), &both, "holes.nt");
    check("dump.7z", b"7z\xbc\xaf\x27\x1c\0\x04", &[], "7z is not supported");
    check("dump.hdt", b"$HDT\x01", &[], "HDT is not read");
    let with_7z = tar(&[("dump.7z", b"7z\xbc\xaf\x27\x1c\0\x04"), ("dump.nt", TRIPLES.as_bytes())]);
    check("dump.tar", &with_7z, &both, "7z is not supported");
}

#[test]
fn inner_name_decides_ambiguous_content() {
    let turtle = "# a long comment\n<http://s.example/> <http://p.example/> <o> .".as_bytes();
    let syntax = |name: &str, content_type, bytes: &[u8]| unpack(name, content_type, bytes).0.format;

    assert_eq!(syntax("dump.ttl.gz", Some("application/gzip"), &gzip(turtle)), "turtle");
    assert_eq!(syntax("dump.trig.bz2", None, &bzip2(turtle)), "trig");
    assert_eq!(syntax("dump.zip", None, &zip(ZipVariant::Deflated, &[("dump.ttl", turtle)])), "turtle");
    assert_eq!(syntax("dump.nq.zip", None, &zip(ZipVariant::Deflated, &[("x.n3", turtle)])), "n3");
    assert_eq!(syntax("dump.ttl", None, &gzip(turtle)), "turtle");
    assert_eq!(syntax("dump", Some("application/trig"), &gzip(turtle)), "trig");
    // The declared media type does not apply to the files of an archive.
    let archive = zip(ZipVariant::Deflated, &[("dump.ttl", turtle)]);
    assert_eq!(syntax("dump.zip", Some("application/trig"), &archive), "turtle");
}

#[test]
fn content_decides_without_a_name() {
    let rdf_xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.example/'>\
        <rdf:Description rdf:about='http://s.example/'><e:p>o</e:p></rdf:Description></rdf:RDF>";
    let (extracted, sink) = unpack("download", Some("application/octet-stream"), &gzip(rdf_xml.as_bytes()));

    assert_eq!((extracted.format, sink.quads.len()), ("rdf-xml", 1));
}

#[test]
fn each_file_has_its_own_format_and_blank_nodes() {
    let page = br#"<!doctype html><a href="next.html">next</a><p about="http://s.example/" property="http://p.example/">b</p>"#;
    let json = br#"{"@id": "http://s.example/", "http://p.example/": "c"}"#;
    let files: &[(&str, &[u8])] = &[
        ("a.nt", b"_:x <http://p.example/> _:x ."),
        ("page.html", page),
        ("b.nt", b"_:x <http://p.example/> _:x ."),
        ("data.json", json),
        ("plain.json", b"{\"a\": 1}"),
    ];

    let (extracted, sink) = unpack("dump.tar", None, &tar(files));

    assert_eq!(extracted.format, "archive");
    assert_eq!(extracted.quads_by_format, [("n-triples", 2), ("rdfa", 1), ("json-ld", 1)]);
    assert_eq!(extracted.relevance, Relevance::Rdf);
    let [first, _, second, _] = &sink.quads[..] else { panic!("four quads: {:?}", sink.quads) };
    assert_eq!(first.subject.to_string(), first.object.to_string());
    assert_ne!(first.subject, second.subject);
    // The relative links of a page in an archive are not followed.
    assert!(!sink.targets().iter().any(|target| target.contains("next")), "{:?}", sink.targets());
}

#[test]
fn archive_has_the_highest_relevance_of_its_files() {
    let og = br#"<!doctype html><html prefix="og: http://ogp.me/ns#"><meta property="og:title" content="x"></html>"#;
    let relevance = |files: &[(&str, &[u8])]| unpack("dump.tar", None, &tar(files)).0.relevance;

    assert_eq!(relevance(&[("a.html", og)]), Relevance::OgOnly);
    assert_eq!(relevance(&[("a.nt", TRIPLES.as_bytes()), ("a.html", og)]), Relevance::Rdf);
    assert_eq!(relevance(&[("a.html", og), ("a.nt", TRIPLES.as_bytes())]), Relevance::Rdf);
    assert_eq!(relevance(&[("README", README)]), Relevance::None);
}

#[test]
fn broken_file_does_not_affect_the_others() {
    let mut broken = gzip(TRIPLES.as_bytes());
    let end = broken.len() - 5;
    broken[end] ^= 1; // the checksum
    let good: (&str, &[u8]) = ("good.nt", TRIPLES.as_bytes());
    let mut damaged = zip_member(ZipVariant::Deflated, "bad.nt", TRIPLES.as_bytes());
    damaged[14] ^= 1; // the checksum, again
    let mut streamed = zip_member(ZipVariant::Streamed, "bad.nt", TRIPLES.as_bytes());
    let at = streamed.len() - 12;
    streamed[at] ^= 1;
    let check = |name: &str, bytes: &[u8]| {
        let (_, sink) = unpack(name, None, bytes);
        assert_eq!(
            (sink.quads.len(), objects_and_faults(&sink).1),
            (4, vec![FaultKind::Encoding]),
            "{:?}",
            sink.faults
        );
    };

    check("dump.tar", &tar(&[("bad.nt.gz", &broken), good]));
    check("dump.zip", &zip(ZipVariant::Streamed, &[("bad.nt.gz", &broken), good]));
    check("dump.zip", &[damaged, zip(ZipVariant::Deflated, &[good])].concat());
    check("dump.zip", &[streamed, zip(ZipVariant::Deflated, &[good])].concat());
}

#[test]
fn ebooks_and_office_documents_are_not_dumps() {
    let book = zip(ZipVariant::Deflated, &[("manifest.rdf", TRIPLES.as_bytes())]);
    let quads = |content_type| unpack("file", Some(content_type), &book).1.quads.len();

    assert_eq!(quads("application/epub+zip"), 0);
    assert_eq!(quads("application/vnd.oasis.opendocument.text"), 0);
    assert_eq!(quads("application/zip"), 2);
}

#[test]
fn empty_archive_is_not_a_fault() {
    let empty_tar = vec![0; 1024];
    for (name, bytes) in [("a.zip", zip(ZipVariant::Stored, &[])), ("a.tar", empty_tar), ("a.gz", gzip(b""))] {
        let (extracted, sink) = unpack(name, None, &bytes);
        assert_eq!((extracted.format, sink.quads.len(), sink.faults.len()), ("other", 0, 0), "{name}");
    }
}

#[test]
fn the_files_of_a_local_archive_are_visited_in_any_packing() {
    let visited = |name: &str, packed: Vec<u8>| {
        let mut files = Vec::new();
        unpack_file(Box::new(Cursor::new(packed)), name, &mut |path, name, content| {
            let mut text = String::new();
            content.read_to_string(&mut text).unwrap();
            files.push(format!("{} {name} {}", path.unwrap_or("-"), text.len()));
            ControlFlow::Continue(())
        })
        .unwrap();
        files
    };
    let files: &[(&str, &[u8])] = &[("d/a.nt", TRIPLES.as_bytes()), ("logo.png", b"x"), ("b.nt.gz", &gzip(b"12345"))];
    let length = TRIPLES.len();
    let inside = vec![format!("d/a.nt a.nt {length}"), "b.nt.gz b.nt 5".to_owned()];

    assert_eq!(visited("a.nt", TRIPLES.into()), [format!("- a.nt {length}")]);
    assert_eq!(visited("a.nt.bz2", bzip2(TRIPLES.as_bytes())), [format!("- a.nt {length}")]);
    assert_eq!(visited("x.zip", zip(ZipVariant::Deflated, files)), inside);
    assert_eq!(visited("x.tar", tar(files)), inside);
    assert_eq!(visited("x.tar.xz", xz(&tar(files))), inside);
    assert_eq!(visited("x.tzst", zstd(&tar(files))), inside);
    let nested = tar(&[("in.zip", &zip(ZipVariant::Stored, &[("a.nt", b"1")]))]);
    assert_eq!(visited("x.tar", nested), ["in.zip/a.nt a.nt 1"]);
}

#[test]
fn a_truncated_local_archive_is_an_error() {
    let packed = tar(&[("a.nt", TRIPLES.as_bytes())]);

    let mut is_read = true;
    let unpacked = unpack_file(Box::new(&packed[..600]), "x.tar", &mut |_, _, content| {
        is_read = content.read_to_end(&mut Vec::new()).is_ok();
        ControlFlow::Continue(())
    });

    assert!(!is_read || unpacked.is_err(), "either the content or the archive ends with an error");
}
