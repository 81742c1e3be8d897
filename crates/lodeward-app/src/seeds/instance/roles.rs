//! The roles of values in instance data, and their properties.

use std::collections::BTreeMap;

use crate::seeds::{SeedProblem, SeedProblemInput, SeedProblems};

/// A role of values in instance data, such as `places`, and its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRole {
    /// The name, such as `places`.
    pub name: String,
    /// The IRIs of its properties.
    pub properties: Vec<String>,
}

/// The roles that are used by default.
const DEFAULT_ROLES: &[&str] = &["places", "architects", "styles"];

/// The built-in roles with their properties in buildM, the `DBpedia` ontology, schema.org, Dublin
/// Core and Wikidata. DURAARK D3.6 §5 shows three properties of buildM: `architect`,
/// `addressLocality` and `architectureStyle`; the names of the others follow schema.org.
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

/// Returns all roles. A role defined by the user replaces the built-in role of the same name.
#[must_use]
pub fn roles(own: &BTreeMap<String, Vec<String>>) -> Vec<InstanceRole> {
    let built_in = BUILT_IN.iter().filter(|(name, _)| !own.contains_key(*name));
    let built_in = built_in.map(|(name, properties)| InstanceRole {
        name: (*name).to_owned(),
        properties: properties.iter().map(|&property| property.to_owned()).collect(),
    });
    let own = own.iter().map(|(name, properties)| InstanceRole { name: name.clone(), properties: properties.clone() });
    built_in.chain(own).collect()
}

/// Returns the roles with these names. Without names, returns the default roles and those defined
/// by the user.
pub fn select_roles(names: &[String], own: &BTreeMap<String, Vec<String>>) -> Result<Vec<InstanceRole>, SeedProblems> {
    let all = roles(own);
    let mut problems = SeedProblems::default();
    for name in names.iter().filter(|name| all.iter().all(|role| role.name != **name)) {
        let known: Vec<&str> = all.iter().map(|role| role.name.as_str()).collect();
        problems.push(SeedProblem {
            location: None,
            message: format!("unknown role `{name}`"),
            hint: Some(format!("known roles: {}; [seeds.roles] in lodeward.toml defines others", known.join(", "))),
            input: Some(SeedProblemInput::Role(name.clone())),
        });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let is_wanted = |role: &InstanceRole| match names {
        [] => DEFAULT_ROLES.contains(&role.name.as_str()) || own.contains_key(&role.name),
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
    fn roles_of_the_user_are_added_and_replace_built_in_roles() {
        let check = |names: &[&str], own: &BTreeMap<String, Vec<String>>, expected: &[(&str, usize)]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let roles = select_roles(&names, own).unwrap();
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
    fn an_unknown_role_is_a_problem_that_lists_the_known_roles() {
        let problems = select_roles(&["place".to_owned()], &BTreeMap::new()).unwrap_err().to_string();

        assert!(problems.starts_with("unknown role `place`; known roles: places, architects,"), "{problems}");
    }

    #[test]
    fn every_built_in_property_is_an_iri_and_in_one_role() {
        let all: Vec<String> = roles(&BTreeMap::new()).into_iter().flat_map(|role| role.properties).collect();
        let distinct: std::collections::BTreeSet<&String> = all.iter().collect();

        assert!(all.iter().all(|property| oxrdf::NamedNode::new(property).is_ok()));
        assert_eq!(distinct.len(), all.len());
    }
}
