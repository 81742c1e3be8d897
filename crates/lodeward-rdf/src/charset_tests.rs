//! Tests of encoding detection and decoding.

use super::*;

fn detect_and_decode(kind: CharsetSource, charset: Option<&str>, bytes: &[u8]) -> (String, bool) {
    let encoding = detect_encoding(kind, charset, bytes, Some("org"));
    let (text, was_replaced) = decode(bytes, encoding);
    (text.into_owned(), was_replaced)
}

#[test]
fn encodings_are_detected_from_all_sources() {
    let check = |kind, charset, bytes: &[u8], contains: &str| {
        let (text, was_replaced) = detect_and_decode(kind, charset, bytes);
        assert!(text.contains(contains) && !was_replaced, "{text}");
    };

    check(CharsetSource::Text, None, "# é".as_bytes(), "é");
    check(CharsetSource::Text, Some("latin1"), "# é".as_bytes(), "é");
    check(CharsetSource::Text, None, b"\xff\xfe#\0\xe9\0", "é");
    check(CharsetSource::Xml, None, b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xe9</a>", "é");
    check(CharsetSource::Xml, Some("windows-1252"), b"<?xml version='1.0'?><a>\x80</a>", "€");
    check(CharsetSource::Xml, None, b"<\0?\0x\0m\0l\0 \0?\0>\0<\0\xe9\0/\0>\0", "é");
    check(CharsetSource::Html, Some("utf-8"), "<meta charset=latin1>é".as_bytes(), "é");
    check(
        CharsetSource::Html,
        None,
        b"<!-- <meta charset=utf-8> --><META content='text/html; CHARSET=latin1'>\xe9",
        "é",
    );
    check(CharsetSource::Html, None, b"<meta charset=\"shift_jis\">\x83\x65\x83\x58\x83\x67", "テスト");
    check(CharsetSource::Html, None, b"<meta charset=utf-16>\xc3\xa9", "é");
    check(CharsetSource::Html, None, "<p>déjà vu</p>".as_bytes(), "déjà");
    check(CharsetSource::Html, None, b"<p>d\xe9j\xe0 vu, le caf\xe9 est ferm\xe9 \xe0 No\xebl</p>", "déjà");
    check(CharsetSource::Html, None, "\u{feff}<p>é".as_bytes(), "<p>é");
}

#[test]
fn valid_utf_8_is_not_copied() {
    let (text, was_replaced) = decode("aé".as_bytes(), UTF_8);

    assert!(matches!(text, Cow::Borrowed(_)) && !was_replaced);
}

#[test]
fn invalid_bytes_are_replaced_and_reported() {
    assert_eq!(detect_and_decode(CharsetSource::Text, None, b"# a\xe9b"), ("# a\u{fffd}b".to_owned(), true));
}

#[test]
fn a_stream_is_decoded_like_a_whole_text() {
    struct SingleByteReader<'a>(&'a [u8]);
    impl Read for SingleByteReader<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self.0.split_at(self.0.len().min(1));
            self.0 = rest;
            into[..first.len()].copy_from_slice(first);
            Ok(first.len())
        }
    }
    let was_replaced = Rc::new(Cell::new(false));
    let mut text = Vec::new();

    let bytes = "\u{feff}aé€😀".as_bytes();
    Utf8Reader::new(SingleByteReader(bytes), UTF_8, Rc::clone(&was_replaced)).read_to_end(&mut text).unwrap();
    assert_eq!((text.as_slice(), was_replaced.get()), ("aé€😀".as_bytes(), false));

    text.clear();
    Utf8Reader::new(SingleByteReader(b"a\xff"), UTF_8, Rc::clone(&was_replaced)).read_to_end(&mut text).unwrap();
    assert_eq!((text.as_slice(), was_replaced.get()), ("a\u{fffd}".as_bytes(), true));
}

#[test]
fn the_xml_declaration_is_removed() {
    assert_eq!(strip_xml_declaration(b"<?xml version='1.0' encoding='x'?><a/>"), b"<a/>");
    assert_eq!(strip_xml_declaration(b"<a/>"), b"<a/>");
}
