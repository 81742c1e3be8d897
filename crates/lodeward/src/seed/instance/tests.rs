use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use super::*;

const BUILDINGS: &str = r#"
    @prefix buildm: <http://data.duraark.eu/vocab/buildm/> .
    @prefix dbo: <http://dbpedia.org/ontology/> .
    @prefix : <http://a.example/> .
    :haus30 a buildm:PhysicalAsset ; buildm:name "Haus 30" ; buildm:architect "Ludwig  Hoffmann" ;
        buildm:addressLocality "Berlin" ; dbo:location :Berlin ; buildm:buildingCount 1 .
    :haus31 buildm:architect "Ludwig Hoffmann" , :Hoffmann ; dbo:location :Berlin , <rel> , <urn:x> , [] .
    _:b dbo:architecturalStyle :ArtDeco ; dbo:location 7 , "" .
"#;

fn options() -> Options {
    let roles = chosen(&[], &BTreeMap::new()).unwrap();
    Options { roles, resolve_literals: false, with_subjects: false, seeds_max: 1_000, unpacked_bytes_max: u64::MAX }
}

fn read(options: Options, files: &[(&str, &[u8])]) -> Result<Extracted, String> {
    let mut instances = Instances::new(options);
    for (name, content) in files {
        instances.read(name, None, Box::new(Cursor::new(content.to_vec())));
    }
    instances.finish().map_err(|problems| problems.to_string())
}

/// What is wanted, and why.
fn told(extracted: &Extracted) -> Vec<(String, String)> {
    let told = |wish: &Wish| match &wish.wanted {
        Wanted::Iri(iri) => (iri.replace("http://a.example/", ":"), wish.origin.to_string()),
        Wanted::Text(text) => (format!("“{text}”"), wish.origin.to_string()),
    };
    extracted.wishes.iter().map(told).collect()
}

fn names(extracted: &Extracted) -> Vec<String> {
    told(extracted).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn values_of_roles_are_seeds_the_most_frequent_first() {
    let extracted = read(options(), &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    let expected = [
        (":Berlin", "from places in b.ttl, 2 times"),
        (":Hoffmann", "from architects in b.ttl"),
        ("urn:x", "from places in b.ttl"),
        (":ArtDeco", "from styles in b.ttl"),
    ];
    assert_eq!(told(&extracted), expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    let examples = vec!["Ludwig Hoffmann".to_owned(), "Berlin".to_owned()];
    assert_eq!(extracted.remarks, [Remark::Literals { count: 2, examples }]);
}

#[test]
fn texts_are_wished_for_if_somebody_wants_them_looked_up() {
    let extracted = read(Options { resolve_literals: true, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted)[..2], ["“Ludwig Hoffmann”", ":Berlin"]);
    assert!(names(&extracted).contains(&"“Berlin”".to_owned()));
    assert_eq!(extracted.remarks, []);
}

#[test]
fn those_who_are_described_are_seeds_if_somebody_wants_them() {
    let extracted = read(Options { with_subjects: true, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted)[4..], [":haus31", ":haus30"]);
    assert_eq!(extracted.wishes[4].origin.to_string(), "described in b.ttl");
}

#[test]
fn a_property_can_have_two_roles() {
    let own = |name: &str| (name.to_owned(), vec!["http://dbpedia.org/ontology/architecturalStyle".to_owned()]);
    let roles = chosen(&[], &BTreeMap::from([own("fashions"), own("tastes")])).unwrap();

    let extracted = read(Options { roles, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    let why: Vec<String> =
        told(&extracted).into_iter().filter(|(name, _)| name == ":ArtDeco").map(|(_, why)| why).collect();
    assert_eq!(why, ["from styles in b.ttl", "from fashions in b.ttl", "from tastes in b.ttl"]);
}

#[test]
fn there_is_a_bound_and_what_it_cuts_is_told() {
    let options = Options { seeds_max: 2, with_subjects: true, ..options() };

    let extracted = read(options, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted), [":Berlin", ":Hoffmann"]);
    assert!(extracted.remarks.contains(&Remark::Cut { kept: 2, of: 6 }), "{:?}", extracted.remarks);
}

#[test]
fn files_in_any_syntax_are_counted_together_packed_or_not() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(BUILDINGS.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let json = br#"{"@id": "http://a.example/x", "http://schema.org/location": {"@id": "http://a.example/Berlin"}}"#;
    let page = br#"<div vocab="http://schema.org/" typeof="Place"><a property="location" href="http://a.example/Berlin">x</a></div>"#;

    let extracted = read(options(), &[("b.ttl.gz", &packed), ("x.jsonld", json), ("dir/y.html", page)]).unwrap();

    assert_eq!(told(&extracted)[0], (":Berlin".to_owned(), "from places in b.ttl.gz, 4 times".to_owned()));
}

#[test]
fn what_could_be_read_of_a_broken_file_is_taken() {
    let broken = format!("{BUILDINGS}\n:x :y");

    let extracted = read(options(), &[("b.ttl", broken.as_bytes())]).unwrap();

    assert_eq!(extracted.wishes.len(), 4);
    assert!(matches!(&extracted.remarks[0], Remark::Fault { file, .. } if file == "b.ttl"), "{:?}", extracted.remarks);
}

#[test]
fn files_without_a_seed_are_told_why() {
    let check = |content: &str, told: &str| {
        let problem = read(options(), &[("b.ttl", content.as_bytes())]).unwrap_err();
        assert!(problem.contains(told), "{problem}");
    };

    check("", "b.ttl: no RDF in it, or in no syntax we know");
    check(
        "<http://a.example/> <http://p.example/p> <http://a.example/b> .",
        "none of its 1 statements tells places, architects, styles; [seeds.roles]",
    );
    check("<http://a.example/> <http://p.example/p> 1 .", "most used in it are http://p.example/p");
    check(
        "<http://a.example/> <http://dbpedia.org/ontology/city> \"Bonn\" .",
        "are texts, as “Bonn”; `resolve_literals` looks them up",
    );
}

#[test]
fn a_file_is_read_as_far_as_somebody_wants() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writeln!(packed, "<http://a.example/1> <http://dbpedia.org/ontology/location> <http://a.example/Berlin> .")
        .unwrap();
    for _ in 0..100_000 {
        writeln!(packed, "<http://a.example/1> <http://a.example/p> \"much\" .").unwrap();
    }
    writeln!(packed, "<http://a.example/1> <http://dbpedia.org/ontology/location> <http://a.example/Far> .").unwrap();
    let packed = packed.finish().unwrap();

    let all = read(options(), &[("b.nt.gz", &packed)]).unwrap();
    let some = read(Options { unpacked_bytes_max: 100_000, ..options() }, &[("b.nt.gz", &packed)]).unwrap();

    assert_eq!(names(&all), [":Berlin", ":Far"]);
    assert_eq!(names(&some), [":Berlin"]);
    assert!(matches!(&some.remarks[..], [Remark::Fault { .. }]), "{:?}", some.remarks);
}
