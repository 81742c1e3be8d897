use super::*;

fn decoded(kind: Kind, charset: Option<&str>, bytes: &[u8]) -> (String, bool) {
    let encoding = encoding(kind, charset, bytes, Some("org"));
    let (text, was_replaced) = decode(bytes, encoding);
    (text.into_owned(), was_replaced)
}

#[test]
fn a_document_says_its_encoding_in_many_ways() {
    let check = |kind, charset, bytes: &[u8], contains: &str| {
        let (text, was_replaced) = decoded(kind, charset, bytes);
        assert!(text.contains(contains) && !was_replaced, "{text}");
    };

    check(Kind::Text, None, "# é".as_bytes(), "é");
    check(Kind::Text, Some("latin1"), "# é".as_bytes(), "é");
    check(Kind::Text, None, b"\xff\xfe#\0\xe9\0", "é");
    check(Kind::Xml, None, b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xe9</a>", "é");
    check(Kind::Xml, Some("windows-1252"), b"<?xml version='1.0'?><a>\x80</a>", "€");
    check(Kind::Xml, None, b"<\0?\0x\0m\0l\0 \0?\0>\0<\0\xe9\0/\0>\0", "é");
    check(Kind::Html, Some("utf-8"), "<meta charset=latin1>é".as_bytes(), "é");
    check(Kind::Html, None, b"<!-- <meta charset=utf-8> --><META content='text/html; CHARSET=latin1'>\xe9", "é");
    check(Kind::Html, None, b"<meta charset=\"shift_jis\">\x83\x65\x83\x58\x83\x67", "テスト");
    check(Kind::Html, None, b"<meta charset=utf-16>\xc3\xa9", "é");
    check(Kind::Html, None, "<p>déjà vu</p>".as_bytes(), "déjà");
    check(Kind::Html, None, b"<p>d\xe9j\xe0 vu, le caf\xe9 est ferm\xe9 \xe0 No\xebl</p>", "déjà");
    check(Kind::Html, None, "\u{feff}<p>é".as_bytes(), "<p>é");
}

#[test]
fn what_is_utf_8_already_is_not_copied() {
    let (text, was_replaced) = decode("aé".as_bytes(), UTF_8);

    assert!(matches!(text, Cow::Borrowed(_)) && !was_replaced);
}

#[test]
fn bad_bytes_are_replaced_and_told() {
    assert_eq!(decoded(Kind::Text, None, b"# a\xe9b"), ("# a\u{fffd}b".to_owned(), true));
}

#[test]
fn a_stream_is_decoded_as_a_whole_would_be() {
    struct Trickle<'a>(&'a [u8]);
    impl Read for Trickle<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let (now, later) = self.0.split_at(self.0.len().min(1));
            self.0 = later;
            into[..now.len()].copy_from_slice(now);
            Ok(now.len())
        }
    }
    let was_replaced = Rc::new(Cell::new(false));
    let mut text = Vec::new();

    let bytes = "\u{feff}aé€😀".as_bytes();
    Decoding::new(Trickle(bytes), UTF_8, Rc::clone(&was_replaced)).read_to_end(&mut text).unwrap();
    assert_eq!((text.as_slice(), was_replaced.get()), ("aé€😀".as_bytes(), false));

    text.clear();
    Decoding::new(Trickle(b"a\xff"), UTF_8, Rc::clone(&was_replaced)).read_to_end(&mut text).unwrap();
    assert_eq!((text.as_slice(), was_replaced.get()), ("a\u{fffd}".as_bytes(), true));
}

#[test]
fn a_declaration_that_is_no_longer_true_is_taken_away() {
    assert_eq!(without_xml_declaration(b"<?xml version='1.0' encoding='x'?><a/>"), b"<a/>");
    assert_eq!(without_xml_declaration(b"<a/>"), b"<a/>");
}
