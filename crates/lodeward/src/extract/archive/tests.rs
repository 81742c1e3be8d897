use std::io;

use bytes::Bytes;

use super::packers::{TRIPLES, Zipped, brotli, bzip2, gzip, tar, xz, zip, zip_member, zstd};
use super::*;
use crate::extract::reader::tests::{Basket, representation};
use crate::extract::{Extracted, Extractor as _, Options};
use crate::fetch::Body;
use crate::model::Relevance;

/// Reads a dump at this address, whole and as a stream, and checks that this
/// makes no difference.
pub(super) fn unpack(address: &str, content_type: Option<&str>, bytes: &[u8]) -> (Extracted, Basket) {
    let reader = Reader::new(Options::default());
    let extract = |body| {
        let mut basket = Basket::default();
        let address = format!("http://a.example/{address}");
        let extracted = reader.extract(representation(&address, content_type, body), &mut basket);
        (extracted, basket)
    };
    let whole = extract(Body::Whole { bytes: Bytes::copy_from_slice(bytes), cut: None });
    let stream = extract(Body::Stream(Box::new(io::Cursor::new(bytes.to_vec()))));
    assert_eq!((&whole.1.quads, &whole.1.faults), (&stream.1.quads, &stream.1.faults), "{address}");
    assert_eq!(Extracted { digest: 0, ..whole.0.clone() }, stream.0, "{address}");
    whole
}

/// The objects of the statements, and the kinds of the faults.
fn found(basket: &Basket) -> (Vec<String>, Vec<FaultKind>) {
    let objects = basket.quads.iter().map(|quad| quad.object.to_string());
    (objects.collect(), basket.faults.iter().map(|fault| fault.kind).collect())
}

/// Checks that a dump holds the triples of all these tests once, and nothing
/// else.
fn check(address: &str, content_type: Option<&str>, bytes: &[u8]) {
    let (extracted, basket) = unpack(address, content_type, bytes);

    let objects = vec!["\"a\"".to_owned(), "<http://o.example/>".to_owned()];
    assert_eq!(found(&basket), (objects, vec![]), "{address}: {:?}", basket.faults);
    assert!(basket.quads.iter().all(|quad| quad.graph_name.to_string() == format!("<http://a.example/{address}>")));
    assert_eq!((extracted.syntax, extracted.relevance), ("n-triples", Relevance::Rdf), "{address}");
    assert_eq!(extracted.quads_by_syntax, [("n-triples", 2)]);
}

const README: &[u8] = b"Read me, please: there is no RDF in here.\n";
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0";

#[test]
fn every_way_of_packing_is_undone() {
    let text = TRIPLES.as_bytes();
    let files: &[(&str, &[u8])] = &[("README", README), ("a/dump.nt", text), ("a.png", PICTURE)];

    check("dump.nt.gz", Some("application/gzip"), &gzip(text));
    check("dump.nt.bz2", Some("application/x-bzip2"), &bzip2(text));
    check("dump.nt.xz", None, &xz(text));
    check("dump.nt.zst", None, &zstd(text));
    check("dump.nt.br", None, &brotli(text));
    check("dump", Some("application/x-brotli"), &brotli(text));
    check("dump.tar", Some("application/x-tar"), &tar(files));
    for how in [Zipped::Stored, Zipped::Deflated, Zipped::Streamed] {
        check("dump.zip", Some("application/zip"), &zip(how, files));
    }
}

#[test]
fn files_of_several_members_are_read_to_their_end() {
    let (first, second) = TRIPLES.split_at(30);
    let (first, second) = (first.as_bytes(), second.as_bytes());

    check("dump.nt.gz", None, &[gzip(first), gzip(b""), gzip(second)].concat());
    check("dump.nt.bz2", None, &[bzip2(first), bzip2(b""), bzip2(second)].concat());
    check("dump.nt.xz", None, &[xz(first), vec![0; 8], xz(second), vec![0; 4]].concat());
    check("dump.nt.zst", None, &[zstd(first), b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(second)].concat());
}

#[test]
fn any_nesting_is_undone() {
    let packed = bzip2(TRIPLES.as_bytes());
    let inner = zip(Zipped::Deflated, &[("README", README), ("dump.nt.bz2", &packed)]);
    let outer = tar(&[("README.md", README), ("inner.zip", &inner)]);

    check("dump.tar.gz", Some("application/gzip"), &gzip(&outer));
    check("dump.tgz", None, &gzip(&outer));
    check("dump.tar.xz", None, &xz(&outer));
    check("dump.zip", None, &zip(Zipped::Streamed, &[("outer.tar", &outer)]));
    check("dump.zip", None, &zip(Zipped::Stored, &[("outer.tar", &outer)]));
    check("dump.nt.gz.xz.zst", None, &zstd(&xz(&gzip(TRIPLES.as_bytes()))));
    check("dump.nt.br.br", None, &brotli(&brotli(TRIPLES.as_bytes())));
}

#[test]
fn what_programs_of_others_write_is_read() {
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
fn what_cannot_be_read_is_passed_over_and_told() {
    let check = |name: &str, bytes: &[u8], objects: &[&str], what: &str| {
        let (_, basket) = unpack(name, None, bytes);
        let is_expected = |fault: &Fault| fault.kind == FaultKind::Encoding;
        assert_eq!(found(&basket).0, objects, "{name}");
        assert!(basket.faults.iter().all(is_expected) && basket.faults[0].detail.contains(what), "{:?}", basket.faults);
    };
    let both = ["\"a\"", "<http://o.example/>"];
    let encrypted = include_bytes!("../testdata/archives/encrypted.zip");
    // Up to its directory.
    let encrypted = &encrypted[..encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap()];
    let more = zip(Zipped::Deflated, &[("dump.nt", TRIPLES.as_bytes())]);

    check("dump.zip", &[encrypted, &more].concat(), &both, "an encrypted file was passed over: dump.nt");
    check("python-lzma.zip", include_bytes!("../testdata/archives/python-lzma.zip"), &[], "packed in a rare way");
    check("sparse.tar.gz", include_bytes!("../testdata/archives/sparse.tar.gz"), &both, "holes.nt");
    check("sparse-posix.tar.gz", include_bytes!("../testdata/archives/sparse-posix.tar.gz"), &both, "holes.nt");
    check("dump.7z", b"7z\xbc\xaf\x27\x1c\0\x04", &[], "7z is not read");
    check("dump.hdt", b"$HDT\x01", &[], "HDT is not read");
    let with_7z = tar(&[("dump.7z", b"7z\xbc\xaf\x27\x1c\0\x04"), ("dump.nt", TRIPLES.as_bytes())]);
    check("dump.tar", &with_7z, &both, "7z is not read");
}

#[test]
fn the_inner_name_decides_what_the_bytes_leave_open() {
    let turtle = "# a long comment\n<http://s.example/> <http://p.example/> <o> .".as_bytes();
    let syntax = |address: &str, content_type, bytes: &[u8]| unpack(address, content_type, bytes).0.syntax;

    assert_eq!(syntax("dump.ttl.gz", Some("application/gzip"), &gzip(turtle)), "turtle");
    assert_eq!(syntax("dump.trig.bz2", None, &bzip2(turtle)), "trig");
    assert_eq!(syntax("dump.zip", None, &zip(Zipped::Deflated, &[("dump.ttl", turtle)])), "turtle");
    assert_eq!(syntax("dump.nq.zip", None, &zip(Zipped::Deflated, &[("x.n3", turtle)])), "n3");
    assert_eq!(syntax("dump.ttl", None, &gzip(turtle)), "turtle");
    assert_eq!(syntax("dump", Some("application/trig"), &gzip(turtle)), "trig");
    // What the server says is not about the files of an archive.
    let archive = zip(Zipped::Deflated, &[("dump.ttl", turtle)]);
    assert_eq!(syntax("dump.zip", Some("application/trig"), &archive), "turtle");
}

#[test]
fn without_a_name_the_bytes_decide() {
    let rdf_xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.example/'>\
        <rdf:Description rdf:about='http://s.example/'><e:p>o</e:p></rdf:Description></rdf:RDF>";
    let (extracted, basket) = unpack("download", Some("application/octet-stream"), &gzip(rdf_xml.as_bytes()));

    assert_eq!((extracted.syntax, basket.quads.len()), ("rdf-xml", 1));
}

#[test]
fn each_file_has_its_own_syntax_and_blank_nodes() {
    let page = br#"<!doctype html><a href="next.html">next</a><p about="http://s.example/" property="http://p.example/">b</p>"#;
    let json = br#"{"@id": "http://s.example/", "http://p.example/": "c"}"#;
    let files: &[(&str, &[u8])] = &[
        ("a.nt", b"_:x <http://p.example/> _:x ."),
        ("page.html", page),
        ("b.nt", b"_:x <http://p.example/> _:x ."),
        ("data.json", json),
        ("plain.json", b"{\"a\": 1}"),
    ];

    let (extracted, basket) = unpack("dump.tar", None, &tar(files));

    assert_eq!(extracted.syntax, "archive");
    assert_eq!(extracted.quads_by_syntax, [("n-triples", 2), ("rdfa", 1), ("json-ld", 1)]);
    assert_eq!(extracted.relevance, Relevance::Rdf);
    let [first, _, second, _] = &basket.quads[..] else { panic!("four quads: {:?}", basket.quads) };
    assert_eq!(first.subject.to_string(), first.object.to_string());
    assert_ne!(first.subject, second.subject);
    // A page in an archive has nothing beside it to link to.
    assert!(!basket.targets().iter().any(|target| target.contains("next")), "{:?}", basket.targets());
}

#[test]
fn an_archive_is_as_relevant_as_the_best_of_its_files() {
    let og = br#"<!doctype html><html prefix="og: http://ogp.me/ns#"><meta property="og:title" content="x"></html>"#;
    let relevance = |files: &[(&str, &[u8])]| unpack("dump.tar", None, &tar(files)).0.relevance;

    assert_eq!(relevance(&[("a.html", og)]), Relevance::OgOnly);
    assert_eq!(relevance(&[("a.nt", TRIPLES.as_bytes()), ("a.html", og)]), Relevance::Rdf);
    assert_eq!(relevance(&[("a.html", og), ("a.nt", TRIPLES.as_bytes())]), Relevance::Rdf);
    assert_eq!(relevance(&[("README", README)]), Relevance::None);
}

#[test]
fn a_file_that_is_broken_costs_only_itself() {
    let mut broken = gzip(TRIPLES.as_bytes());
    let end = broken.len() - 5;
    broken[end] ^= 1; // the checksum
    let good: (&str, &[u8]) = ("good.nt", TRIPLES.as_bytes());
    let mut damaged = zip_member(Zipped::Deflated, "bad.nt", TRIPLES.as_bytes());
    damaged[14] ^= 1; // the checksum, again
    let mut streamed = zip_member(Zipped::Streamed, "bad.nt", TRIPLES.as_bytes());
    let at = streamed.len() - 12;
    streamed[at] ^= 1;
    let check = |address: &str, bytes: &[u8]| {
        let (_, basket) = unpack(address, None, bytes);
        assert_eq!((basket.quads.len(), found(&basket).1), (4, vec![FaultKind::Encoding]), "{:?}", basket.faults);
    };

    check("dump.tar", &tar(&[("bad.nt.gz", &broken), good]));
    check("dump.zip", &zip(Zipped::Streamed, &[("bad.nt.gz", &broken), good]));
    check("dump.zip", &[damaged, zip(Zipped::Deflated, &[good])].concat());
    check("dump.zip", &[streamed, zip(Zipped::Deflated, &[good])].concat());
}

#[test]
fn books_and_offices_are_no_dumps() {
    let book = zip(Zipped::Deflated, &[("manifest.rdf", TRIPLES.as_bytes())]);
    let quads = |content_type| unpack("file", Some(content_type), &book).1.quads.len();

    assert_eq!(quads("application/epub+zip"), 0);
    assert_eq!(quads("application/vnd.oasis.opendocument.text"), 0);
    assert_eq!(quads("application/zip"), 2);
}

#[test]
fn an_empty_archive_is_no_fault() {
    let empty_tar = vec![0; 1024];
    for (name, bytes) in [("a.zip", zip(Zipped::Stored, &[])), ("a.tar", empty_tar), ("a.gz", gzip(b""))] {
        let (extracted, basket) = unpack(name, None, &bytes);
        assert_eq!((extracted.syntax, basket.quads.len(), basket.faults.len()), ("other", 0, 0), "{name}");
    }
}
