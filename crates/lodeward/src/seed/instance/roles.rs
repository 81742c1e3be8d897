//! Which properties hold what.

use std::collections::BTreeMap;

use crate::seed::{Problem, Problems};

/// Something that values are to whom they describe, and the properties that have
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its name: `places`.
    pub name: String,
    /// The IRIs of its properties.
    pub properties: Vec<String>,
}

/// The roles that are looked for if nobody says which.
const USUAL: &[&str] = &["places", "architects", "styles"];

/// The roles that are known, and their properties: those of buildM, of the
/// `DBpedia` ontology, of schema.org, of Dublin Core, and of Wikidata. Of buildM
/// DURAARK D3.6 §5 shows `architect`, `addressLocality` and `architectureStyle`;
/// the others are named as schema.org names them.
const BUILT_IN: &[(&str, &[&str])] = &[
    (
        "places",
        &[
            "http://data.duraark.eu/vocab/buildm/location",
            "http://data.duraark.eu/vocab/buildm/addressLocality",
            "http://data.duraark.eu/vocab/buildm/addressRegion",
            "http://data.duraark.eu/vocab/buildm/addressCountry",
            "http://dbpedia.org/ontology/location",
            "http://dbpedia.org/ontology/locationCity",
            "http://dbpedia.org/ontology/locationCountry",
            "http://dbpedia.org/ontology/city",
            "http://dbpedia.org/ontology/region",
            "http://dbpedia.org/ontology/country",
            "http://dbpedia.org/ontology/locatedInArea",
            "http://schema.org/location",
            "https://schema.org/location",
            "http://schema.org/containedInPlace",
            "https://schema.org/containedInPlace",
            "http://schema.org/addressLocality",
            "https://schema.org/addressLocality",
            "http://schema.org/addressRegion",
            "https://schema.org/addressRegion",
            "http://schema.org/addressCountry",
            "https://schema.org/addressCountry",
            "http://schema.org/spatialCoverage",
            "https://schema.org/spatialCoverage",
            "http://purl.org/dc/terms/spatial",
            "http://purl.org/dc/terms/coverage",
            "http://purl.org/dc/elements/1.1/coverage",
            "http://xmlns.com/foaf/0.1/based_near",
            "http://www.wikidata.org/prop/direct/P131",
            "http://www.wikidata.org/prop/direct/P17",
            "http://www.wikidata.org/prop/direct/P276",
        ],
    ),
    (
        "architects",
        &[
            "http://data.duraark.eu/vocab/buildm/architect",
            "http://dbpedia.org/ontology/architect",
            "http://schema.org/creator",
            "https://schema.org/creator",
            "http://purl.org/dc/terms/creator",
            "http://purl.org/dc/elements/1.1/creator",
            "http://www.wikidata.org/prop/direct/P84",
        ],
    ),
    (
        "styles",
        &[
            "http://data.duraark.eu/vocab/buildm/architectureStyle",
            "http://data.duraark.eu/vocab/buildm/architecturalStyle",
            "http://dbpedia.org/ontology/architecturalStyle",
            "http://schema.org/genre",
            "https://schema.org/genre",
            "http://www.wikidata.org/prop/direct/P149",
        ],
    ),
    (
        "owners",
        &[
            "http://data.duraark.eu/vocab/buildm/owner",
            "http://dbpedia.org/ontology/owner",
            "http://dbpedia.org/ontology/tenant",
            "http://www.wikidata.org/prop/direct/P127",
        ],
    ),
    (
        "topics",
        &[
            "http://purl.org/dc/terms/subject",
            "http://purl.org/dc/elements/1.1/subject",
            "http://schema.org/about",
            "https://schema.org/about",
            "http://schema.org/keywords",
            "https://schema.org/keywords",
            "http://xmlns.com/foaf/0.1/topic",
        ],
    ),
];

/// All roles: those that are built in, and the user's, which replace those of the
/// same name.
#[must_use]
pub fn roles(own: &BTreeMap<String, Vec<String>>) -> Vec<Role> {
    let built_in = BUILT_IN.iter().filter(|(name, _)| !own.contains_key(*name));
    let built_in = built_in.map(|(name, properties)| Role {
        name: (*name).to_owned(),
        properties: properties.iter().map(|&property| property.to_owned()).collect(),
    });
    let own = own.iter().map(|(name, properties)| Role { name: name.clone(), properties: properties.clone() });
    built_in.chain(own).collect()
}

/// The roles of these names; if there are none, the usual ones and the user's.
pub fn chosen(names: &[String], own: &BTreeMap<String, Vec<String>>) -> Result<Vec<Role>, Problems> {
    let all = roles(own);
    let mut problems = Problems::default();
    for name in names.iter().filter(|name| all.iter().all(|role| role.name != **name)) {
        let known: Vec<&str> = all.iter().map(|role| role.name.as_str()).collect();
        problems.push(Problem {
            place: Some(format!("the role {name}")),
            what: "there is no such role".to_owned(),
            hint: Some(format!(
                "there are {}; [seeds.roles] in lodeward.toml says which properties hold others",
                known.join(", ")
            )),
        });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let is_wanted = |role: &Role| match names {
        [] => USUAL.contains(&role.name.as_str()) || own.contains_key(&role.name),
        names => names.contains(&role.name),
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> BTreeMap<String, Vec<String>> {
        let list = |properties: &[&str]| properties.iter().map(|&property| property.to_owned()).collect();
        BTreeMap::from([
            ("materials".to_owned(), list(&["http://p.example/material"])),
            ("styles".to_owned(), list(&["http://p.example/style"])),
        ])
    }

    #[test]
    fn the_users_roles_come_besides_and_replace_those_of_the_same_name() {
        let check = |names: &[&str], own: &BTreeMap<String, Vec<String>>, expected: &[(&str, usize)]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let roles = chosen(&names, own).unwrap();
            let found: Vec<(&str, usize)> =
                roles.iter().map(|role| (role.name.as_str(), role.properties.len())).collect();
            assert_eq!(found, expected);
        };

        check(&[], &BTreeMap::new(), &[("places", 30), ("architects", 7), ("styles", 6)]);
        check(&[], &own(), &[("places", 30), ("architects", 7), ("materials", 1), ("styles", 1)]);
        check(&["owners"], &own(), &[("owners", 4)]);
        check(&["styles"], &own(), &[("styles", 1)]);
    }

    #[test]
    fn a_role_that_nobody_knows_is_a_problem_that_names_those_there_are() {
        let problems = chosen(&["place".to_owned()], &BTreeMap::new()).unwrap_err().to_string();

        assert!(
            problems.starts_with("the role place: there is no such role; there are places, architects,"),
            "{problems}"
        );
    }

    #[test]
    fn every_built_in_property_is_an_iri_and_in_one_role() {
        let all: Vec<String> = roles(&BTreeMap::new()).into_iter().flat_map(|role| role.properties).collect();
        let distinct: std::collections::BTreeSet<&String> = all.iter().collect();

        assert!(all.iter().all(|property| oxrdf::NamedNode::new(property).is_ok()));
        assert_eq!(distinct.len(), all.len());
    }
}
