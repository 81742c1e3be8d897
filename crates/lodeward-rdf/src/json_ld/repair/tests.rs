//! Tests of the JSON repair.

use super::super::json::{TOO_DEEP, parse};
use super::repair;

#[track_caller]
fn check(text: &str, expected: &str) {
    let (repaired, notes) = repair(text).expect("the text can be repaired");
    assert_eq!(parse(&repaired, 64), Ok(parse(expected, 64).unwrap()), "{repaired}");
    assert!(parse(text, 64).is_ok() || !notes.is_empty(), "{text}");
}

#[test]
fn valid_json_is_unchanged() {
    for text in [
        r#"{"a":"http://b.org/*c*/","d":[1.5e3,true,null,"<!-- -->",{}],"e":"\u00e9\"\\\/"}"#,
        r#"[{"a": "b"}, [], "c", -1]"#,
        r#"{"a": "x, y: z", "b": "it's", "c": ""}"#,
    ] {
        assert_eq!(repair(text).unwrap().1, Vec::<&str>::new(), "{text}");
        check(text, text);
    }
}

#[test]
fn comments_are_removed() {
    check("<!--\n{\"a\": 1}\n-->", r#"{"a": 1}"#);
    check("//<![CDATA[\n{\"a\": 1}\n//]]>", r#"{"a": 1}"#);
    check("// <![CDATA[ {\"a\": 1} // ]]>", r#"{"a": 1}"#);
    check("<![CDATA[{\"a\": [1]}]]>", r#"{"a": [1]}"#);
    check("/* <![CDATA[ */ {\"a\": 1} /* ]]> */", r#"{"a": 1}"#);
    check("{ // one\n \"a\" /* two */ : \"http://b\" // \"three\": 3,\n}", r#"{"a": "http://b"}"#);
    check("{\"a\": \"b\", // c\n \"d\": 1}", r#"{"a": "b", "d": 1}"#);
    check("# one\n{\"a\": \"b#c\", # two\n \"d\": 1} # three", r#"{"a": "b#c", "d": 1}"#);
}

#[test]
fn separators_are_repaired() {
    check(r#"{"a": [1, 2,], "b": 3,};"#, r#"{"a": [1, 2], "b": 3}"#);
    check(r#"{"a": 1,, "b": 2}"#, r#"{"a": 1, "b": 2}"#);
    check("{\"a\": \"1\"\n \"b\": {\"c\": 2} \"d\": [1 2]}", r#"{"a": "1", "b": {"c": 2}, "d": ["1 2"]}"#);
    check(r#"{"a": , "b": }"#, r#"{"a": null, "b": null}"#);
    check(r#"{"a" 1}"#, r#"{"a": 1}"#);
}

#[test]
fn strings_are_repaired() {
    check("{\"a\": \"b\nc\td\u{1}\"}", r#"{"a": "b\nc\td\u0001"}"#);
    check(r#"{"a": "it\'s 5\d \u12"}"#, r#"{"a": "it's 5\\d \\u12"}"#);
    check(r#"{"a": "the "best", they say", "b": ""x" y"}"#, r#"{"a": "the \"best\", they say", "b": "\"x\" y"}"#);
    check("{'a': 'b \"c\"', d: 'e', $f: 1}", r#"{"a": "b \"c\"", "d": "e", "$f": 1}"#);
    check("{\"a\": \"b\",\n @c\": \"d\"}", r#"{"a": "b", "@c": "d"}"#);
    check("{\u{a0}\"a\": 1}", r#"{"a": 1}"#);
    check("{&quot;a&quot;: &quot;b &amp;amp; c&quot;}", r#"{"a": "b &amp; c"}"#);
}

#[test]
fn values_are_repaired() {
    check(
        "{\"a\": 007, \"b\": +49 30, \"c\": True, \"d\": undefined}",
        r#"{"a": "007", "b": "+49 30", "c": true, "d": null}"#,
    );
    check("{\"a\": 2020-01-01\n}", r#"{"a": "2020-01-01"}"#);
}

#[test]
fn several_top_level_values_become_an_array() {
    check(r#"{"a": 1} {"b": 2},{"c": 3}"#, r#"[{"a": 1}, {"b": 2}, {"c": 3}]"#);
    check("var x = {\"a\": 1}; </script>", r#"{"a": 1}"#);
    check("\u{feff}{\"a\": 1,}", r#"{"a": 1}"#);
    check(r#""@context": "x", "a": 1}"#, r#"{"@context": "x", "a": 1}"#);
}

#[test]
fn truncated_text_is_closed_without_its_last_value() {
    check(r#"{"a": [{"b": 1}, {"c": "http://d.or"#, r#"{"a": [{"b": 1}, {"c": null}]}"#);
    check(r#"{"a": 1, "b": 12"#, r#"{"a": 1, "b": null}"#);
    check(r#"{"a": 1, "b"#, r#"{"a": 1}"#);
    check(r#"{"a": 1, b"#, r#"{"a": 1}"#);
    check(r#"{"a": [1, 2"#, r#"{"a": [1, null]}"#);
}

#[test]
fn brackets_are_repaired() {
    check(r#"{"a": {"b": [1, 2}}"#, r#"{"a": {"b": [1, 2]}}"#);
    check(r#"{"a": 1}}"#, r#"{"a": 1}"#);
    check(r#"{"a": 1]}"#, r#"{"a": 1}"#);
    check(r#"{{"a": 1}"#, r#"{"a": 1}"#);
}

#[test]
fn text_that_is_not_json_is_not_repaired() {
    for text in ["", "hello", "<p>hello</p>", "{{ page.title }}", "{\"a\": \"{% b %}\",}"] {
        assert_eq!(repair(text), None);
    }
}

#[test]
fn hostile_text_is_repaired_in_linear_time() {
    let pieces = [
        "[",
        "{",
        "}",
        "{\"a\":",
        "\"",
        "\" ",
        "{a",
        "[\"\\",
        "/*",
        "//",
        "\" /*",
        "\" //",
        "{\"a\":\"b\",",
        "]}",
        "\"\",  x",
        "é",
        "<!--",
        "\\",
        ", ",
        "{{ \"",
    ];
    for piece in pieces {
        for start in ["", "[", "{\"a\": \"", "{\"a\": '"] {
            let Some((repaired, _)) = repair(&(start.to_owned() + &piece.repeat(50_000))) else { continue };
            let result = parse(&repaired, 64);
            assert!(result.is_ok() || result.is_err_and(|error| error.message == TOO_DEEP), "{start}{piece}");
        }
    }
}
