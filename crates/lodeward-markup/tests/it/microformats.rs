//! Microformats, on the test pages of Any23.

use std::collections::BTreeSet;

use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageOptions, PageReader, PageSink};
use oxrdf::QuadRef;
use toyweb::test_data;

const BASE: &str = "http://bob.example.com/";

/// The statements of microformats, with short names: `predicate object`, and `subject` if it is not a blank node.
#[derive(Default)]
struct Statements(Vec<String>);

impl PageSink for Statements {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        if syntax == EmbeddedSyntax::Microformats {
            self.0.push(format!("{} {} {}", quad.subject, short(quad.predicate.as_str()), quad.object));
        }
    }

    fn fault(&mut self, fault: MarkupFault) {
        panic!("{fault}");
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

fn short(iri: &str) -> String {
    let namespaces = [
        ("http://www.w3.org/2006/vcard/ns#", "v:"),
        ("http://www.w3.org/2002/12/cal/icaltzd#", "cal:"),
        ("http://purl.org/stuff/rev#", "rev:"),
        ("http://vocab.sindice.com/xfn#", "xfn:"),
        ("http://purl.org/dc/terms/", "dct:"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "a"),
    ];
    namespaces.iter().fold(iri.to_owned(), |iri, (namespace, prefix)| iri.replace(namespace, prefix))
}

fn read(page: &str) -> Vec<String> {
    let reader = PageReader::new(PageOptions { microformats: true, ..PageOptions::default() });
    let mut statements = Statements::default();
    reader.read(page, BASE, HostLanguage::Html, &mut statements);
    statements.0.into_iter().map(|line| short(&line)).collect()
}

/// Whether a page of the suite has these statements, without their subjects.
fn check(path: &str, expected: &[&str]) {
    let Some(files) = test_data::suite("any23-test-resources") else { return };
    let page = &files[&format!("test-resources/src/test/resources/{path}")];
    let found = read(&String::from_utf8_lossy(page));
    let parts: BTreeSet<&str> = found.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    for statement in expected {
        assert!(parts.contains(statement), "{path}: {statement} is not in {found:#?}");
    }
}

#[test]
fn cards_have_names_organisations_and_addresses() {
    let check = |page: &str, expected: &[&str]| check(&format!("microformats/hcard/{page}.html"), expected);

    check(
        "01-tantek-basic",
        &[
            "a <v:VCard>",
            r#"v:fn "Tantek Celik""#,
            r#"v:given-name "Tantek""#,
            r#"v:family-name "Celik""#,
            "v:url <http://tantek.com/>",
            "a <v:Organization>",
            r#"v:organization-name "Technorati""#,
        ],
    );
    check("15-honorific-additional-single", &[r#"v:honorific-prefix "Mr.""#, r#"v:additional-name "Maurice""#]);
    check("17-email-not-uri", &["v:email <mailto:john@example.com>"]);
    check("21-tel", &["v:tel <tel:+1.415.555.1231>"]);
    check("22-adr", &["a <v:Address>", r#"v:street-address "1231 Main St.""#, r#"v:addressType "home""#]);
    check(
        "25-geo-abbr",
        &[r#"v:latitude "30.267991""#, r#"v:longitude "-97.739568""#, r#"v:organization-name "Paradise""#],
    );
    check(
        "23-abbr-title-everything",
        &[
            r#"v:fn "John Doe""#,
            r#"v:nickname "JJ""#,
            r#"v:given-name "Jonathan""#,
            r#"v:bday "2006-04-04""#,
            r#"v:latitude "37.77""#,
            r#"v:organization-unit "Intelligence""#,
        ],
    );
    check("30-fn-org", &[r#"v:fn "World Wide Web Consortium""#, r#"v:given-name "Dan""#]);
}

#[test]
fn organisations_have_no_parts_of_a_name() {
    let found = read("<div class=vcard><b class='fn org'>Two Words</b></div>");
    assert!(!found.iter().any(|line| line.contains("given-name")), "{found:#?}");
    assert!(found.iter().any(|line| line.ends_with("v:organization-name \"Two Words\"")), "{found:#?}");
}

#[test]
fn events_are_components_of_the_calendar_of_the_page() {
    let check = |page: &str, expected: &[&str]| check(&format!("microformats/hcalendar/{page}.html"), expected);

    check(
        "05-calendar-simple",
        &[
            "a <cal:Vcalendar>",
            "a <cal:Vevent>",
            r#"cal:summary "Web 2.0 Conference""#,
            r#"cal:dtstart "2005-10-05""#,
            r#"cal:dtend "2005-10-08""#,
            "cal:url <http://www.web2con.com/>",
            r#"cal:location "Argent Hotel, San Francisco, CA""#,
        ],
    );
    check("09-component-vevent-summary-in-img-alt", &[r#"cal:summary "O'Reilly Emerging Technology Conference""#]);
    check("10-component-vevent-entity", &[r#"cal:summary "Cricket & Tennis Centre""#]);
    check(
        "example1",
        &[r#"cal:categories "Business""#, r#"cal:categories "Human Resources""#, r#"cal:class "private""#],
    );
    check("example5.5", &["a <cal:Vjournal>"]);
}

#[test]
fn reviews_belong_to_what_they_review() {
    let check = |page: &str, expected: &[&str]| check(&format!("microformats/hreview/{page}.html"), expected);

    check(
        "01-spec",
        &[
            "a <rev:Review>",
            r#"rev:rating "5""#,
            r#"rev:title "Crepes on Cole is awesome""#,
            r#"dct:date "20050418T2300-0700""#,
            r#"v:organization-name "Crepes on Cole""#,
            r#"v:locality "San Francisco""#,
        ],
    );
    check(
        "03-spec-3",
        &[
            r#"v:fn "The Postal Service: Give Up""#,
            "v:url <http://www.amazon.com/exec/obidos/ASIN/B000089CJI/>",
            "v:photo <http://images.amazon.com/images/P/B000089CJI.01._SCTHUMBZZZ_.jpg>",
        ],
    );
    check("05-spec", &[r#"rev:rating "4""#]);
    let found = read("<p class=hreview><i class=item><b class=fn>A</b></i> <i class=rating>3</i></p>");
    assert!(found.contains(&"_:u1 rev:hasReview _:u0".to_owned()), "{found:#?}");
}

#[test]
fn version_2_has_the_same_terms() {
    let check = |page: &str, expected: &[&str]| check(&format!("microformats2/{page}-test.html"), expected);

    check(
        "h-card/h-card",
        &[
            "a <v:VCard>",
            r#"v:fn "Joe Bloggs""#,
            "v:photo <http://Joe.net/picture.jpg>",
            "v:url <http://linkedin.au/Joe/>",
            r#"v:bday "1989-10-27""#,
            r#"v:country-name "Iceland""#,
        ],
    );
    check(
        "h-event/h-event",
        &[
            r#"cal:summary "Microformats Meetup""#,
            r#"cal:dtstart "2013-06-30 12:00""#,
            r#"cal:location "Some bar in SF""#,
            r#"cal:categories "technical meetup""#,
        ],
    );
    check("h-geo/h-geo", &[r#"v:latitude "54.155278""#, r#"v:longitude "-0.14812""#, r#"v:altitude "50""#]);
    check("h-adr/h-adr", &[r#"v:postal-code "11325""#, r#"v:extended-address "Batagama,North""#]);
    assert!(read("<a class=h-card href=/ada>Ada</a>").contains(&"_:u0 v:url <http://bob.example.com/ada>".to_owned()));
}

#[test]
fn relationships_are_between_people_and_between_their_pages() {
    let check = |page: &str, expected: &[&str]| check(&format!("microformats/xfn/{page}.html"), expected);

    check("simple-me", &["a <http://xmlns.com/foaf/0.1/Person>", "xfn:mePage <http://bob.example.com/>"]);
    check(
        "multiple-rel",
        &["xfn:friend-hyperlink <http://alice.example.com/>", "xfn:sweetheart-hyperlink <http://alice.example.com/>"],
    );
    check("multiple-friends", &["xfn:mePage <http://charlie.example.com/>"]);
    for page in ["no-rel", "no-valid-rel", "me-and-sweetheart"] {
        let Some(files) = test_data::suite("any23-test-resources") else { return };
        let text = &files[&format!("test-resources/src/test/resources/microformats/xfn/{page}.html")];
        assert_eq!(read(&String::from_utf8_lossy(text)), Vec::<String>::new(), "{page}");
    }
}

#[derive(Default)]
struct Counts {
    quads: usize,
    faults: usize,
}

impl PageSink for Counts {
    fn quad(&mut self, _: EmbeddedSyntax, _: QuadRef<'_>) {
        self.quads += 1;
    }

    fn fault(&mut self, _: MarkupFault) {
        self.faults += 1;
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

#[test]
fn nested_values_are_bounded() {
    let text = "x".repeat(1_000);
    let page = format!("<div class=vcard>{}", format!("<div class='note fn adr geo'>{text}").repeat(400));
    let reader = PageReader::new(PageOptions { microformats: true, ..PageOptions::default() });
    let mut counts = Counts::default();
    reader.read(&page, BASE, HostLanguage::Html, &mut counts);

    assert!(counts.quads > 0);
    assert!(counts.faults > 0, "the texts are 80 MB in total");
}

#[test]
fn microformats_are_off_by_default() {
    let mut statements = Statements::default();
    PageReader::default().read("<p class=h-card>Ada</p>", BASE, HostLanguage::Html, &mut statements);
    assert_eq!(statements.0, Vec::<String>::new());
}
