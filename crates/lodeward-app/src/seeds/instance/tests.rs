//! Tests of seeds from instance data.

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

fn options() -> InstanceOptions {
    let roles = select_roles(&[], &BTreeMap::new()).unwrap();
    InstanceOptions {
        roles,
        resolve_literals: false,
        include_subjects: false,
        max_seeds: 1_000,
        max_unpacked_bytes: u64::MAX,
    }
}

fn read(options: InstanceOptions, files: &[(&str, &[u8])]) -> Result<InstanceValues, String> {
    let mut instances = InstanceReader::new(options);
    for (name, content) in files {
        instances.read(name, None, Box::new(Cursor::new(content.to_vec())));
    }
    instances.finish().map_err(|problems| problems.to_string())
}

/// The requested seeds and their origins.
fn seeds_with_origins(extracted: &InstanceValues) -> Vec<(String, String)> {
    let displayed = |seed: &RequestedSeed| match &seed.spec {
        SeedSpec::Iri(iri) => (iri.replace("http://a.example/", ":"), seed.origin.to_string()),
        SeedSpec::Text(text) => (format!("“{text}”"), seed.origin.to_string()),
    };
    extracted.seeds.iter().map(displayed).collect()
}

fn names(extracted: &InstanceValues) -> Vec<String> {
    seeds_with_origins(extracted).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn seeds_are_the_values_of_roles_by_frequency() {
    let extracted = read(options(), &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    let expected = [
        (":Berlin", "from places in b.ttl, 2 times"),
        (":Hoffmann", "from architects in b.ttl"),
        ("urn:x", "from places in b.ttl"),
        (":ArtDeco", "from styles in b.ttl"),
    ];
    assert_eq!(seeds_with_origins(&extracted), expected.map(|(name, origin)| (name.to_owned(), origin.to_owned())));
    let examples = vec!["Ludwig Hoffmann".to_owned(), "Berlin".to_owned()];
    assert_eq!(extracted.warnings, [SeedWarning::Literals { count: 2, examples }]);
}

#[test]
fn texts_are_seeds_if_requested() {
    let extracted =
        read(InstanceOptions { resolve_literals: true, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted)[..2], ["“Ludwig Hoffmann”", ":Berlin"]);
    assert!(names(&extracted).contains(&"“Berlin”".to_owned()));
    assert_eq!(extracted.warnings, []);
}

#[test]
fn subjects_are_seeds_if_requested() {
    let extracted =
        read(InstanceOptions { include_subjects: true, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted)[4..], [":haus31", ":haus30"]);
    assert_eq!(extracted.seeds[4].origin.to_string(), "described in b.ttl");
}

#[test]
fn a_property_can_have_two_roles() {
    let own = |name: &str| (name.to_owned(), vec!["http://dbpedia.org/ontology/architecturalStyle".to_owned()]);
    let roles = select_roles(&[], &BTreeMap::from([own("fashions"), own("tastes")])).unwrap();

    let extracted = read(InstanceOptions { roles, ..options() }, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    let seeds = seeds_with_origins(&extracted).into_iter();
    let origins: Vec<String> = seeds.filter(|(name, _)| name == ":ArtDeco").map(|(_, origin)| origin).collect();
    assert_eq!(origins, ["from styles in b.ttl", "from fashions in b.ttl", "from tastes in b.ttl"]);
}

#[test]
fn the_number_of_seeds_is_limited_and_truncation_is_reported() {
    let options = InstanceOptions { max_seeds: 2, include_subjects: true, ..options() };

    let extracted = read(options, &[("b.ttl", BUILDINGS.as_bytes())]).unwrap();

    assert_eq!(names(&extracted), [":Berlin", ":Hoffmann"]);
    assert!(extracted.warnings.contains(&SeedWarning::Truncated { kept: 2, of: 6 }), "{:?}", extracted.warnings);
}

#[test]
fn files_in_any_format_are_counted_together_compressed_or_not() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(BUILDINGS.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let json = br#"{"@id": "http://a.example/x", "http://schema.org/location": {"@id": "http://a.example/Berlin"}}"#;
    let page = br#"<div vocab="http://schema.org/" typeof="Place"><a property="location" href="http://a.example/Berlin">x</a></div>"#;

    let extracted = read(options(), &[("b.ttl.gz", &packed), ("x.jsonld", json), ("dir/y.html", page)]).unwrap();

    assert_eq!(
        seeds_with_origins(&extracted)[0],
        (":Berlin".to_owned(), "from places in b.ttl.gz, 4 times".to_owned())
    );
}

#[test]
fn the_readable_part_of_a_broken_file_is_used() {
    let broken = format!("{BUILDINGS}\n:x :y");

    let extracted = read(options(), &[("b.ttl", broken.as_bytes())]).unwrap();

    assert_eq!(extracted.seeds.len(), 4);
    assert!(
        matches!(&extracted.warnings[0], SeedWarning::Fault { file, .. } if file == "b.ttl"),
        "{:?}",
        extracted.warnings
    );
}

#[test]
fn the_problem_of_files_without_seeds_states_the_cause() {
    let check = |content: &str, expected: &str| {
        let problem = read(options(), &[("b.ttl", content.as_bytes())]).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    };

    check("", "b.ttl: no RDF found, or unknown format");
    check(
        "<http://a.example/> <http://p.example/p> <http://a.example/b> .",
        "none of the 1 statements has a property of the roles places, architects, styles; [seeds.roles]",
    );
    check("<http://a.example/> <http://p.example/p> 1 .", "the most frequent properties are http://p.example/p");
    check(
        "<http://a.example/> <http://dbpedia.org/ontology/city> \"Bonn\" .",
        "are texts, such as “Bonn”; `resolve_literals` looks up texts",
    );
}

#[test]
fn a_file_is_read_up_to_the_byte_limit() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writeln!(packed, "<http://a.example/1> <http://dbpedia.org/ontology/location> <http://a.example/Berlin> .")
        .unwrap();
    for _ in 0..100_000 {
        writeln!(packed, "<http://a.example/1> <http://a.example/p> \"much\" .").unwrap();
    }
    writeln!(packed, "<http://a.example/1> <http://dbpedia.org/ontology/location> <http://a.example/Far> .").unwrap();
    let packed = packed.finish().unwrap();

    let all = read(options(), &[("b.nt.gz", &packed)]).unwrap();
    let some = read(InstanceOptions { max_unpacked_bytes: 100_000, ..options() }, &[("b.nt.gz", &packed)]).unwrap();

    assert_eq!(names(&all), [":Berlin", ":Far"]);
    assert_eq!(names(&some), [":Berlin"]);
    assert!(matches!(&some.warnings[..], [SeedWarning::Fault { .. }]), "{:?}", some.warnings);
}
