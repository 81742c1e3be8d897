//! Which settings a template may contain.

use toml::Table;

/// The settings that a template may contain: the scope of a crawl, and the ranking. Templates are
/// shared between users, so all other settings are rejected: how requests are sent, which other
/// servers and files are read, how much memory is used, and where the harvest is stored.
const ALLOWED_SETTINGS: &[(&str, &[&str])] = &[
    (
        "crawl",
        &[
            "strategy",
            "max_requests",
            "max_documents",
            "max_rdf_documents",
            "max_depth",
            "max_documents_per_domain",
            "include",
            "exclude",
            "stay",
            "follow_predicates",
            "links",
            "follow_vocabularies",
            "skip_extensions",
        ],
    ),
    ("crawl.hops", &["strict", "max_documents", "max_documents_per_domain", "max_domains", "min_domains"]),
    (
        "ranking",
        &["ranker", "max_hops", "max_candidates_per_hop", "max_listed", "text_properties", "languages", "stop_words"],
    ),
    (
        "ranking.published",
        &[
            "attrition",
            "jaccard",
            "katz_alpha",
            "katz_length",
            "path_max",
            "njsim_alpha",
            "njsim_tau",
            "pagerank_damping",
            "pagerank_direction",
            "text",
        ],
    ),
    ("discover", &["sparql_endpoints", "ckan", "sitemaps", "well_known_void"]),
];

/// Checks the settings of a template, or of a crawl that a user of the service requests.
pub fn check(settings: &Table) -> Result<(), String> {
    for (section, keys) in settings {
        let Some(keys) = keys.as_table() else {
            find_section(section)?;
            return Err(format!("`{section}` is not a section: write [settings.{section}] and its keys below"));
        };
        check_section(section, keys)?;
    }
    Ok(())
}

fn check_section(section: &str, keys: &Table) -> Result<(), String> {
    let allowed = find_section(section)?;
    for (key, value) in keys {
        let path = format!("{section}.{key}");
        match value.as_table().filter(|_| allowed_keys(&path).is_some()) {
            Some(inner) => check_section(&path, inner)?,
            None if allowed.contains(&key.as_str()) => {}
            None => {
                let allowed = allowed.join(", ");
                return Err(format!("{path} cannot be set here, only {allowed}; set other keys in lodeward.toml"));
            }
        }
    }
    Ok(())
}

fn allowed_keys(section: &str) -> Option<&'static [&'static str]> {
    ALLOWED_SETTINGS.iter().find(|(known, _)| *known == section).map(|(_, keys)| *keys)
}

fn find_section(section: &str) -> Result<&'static [&'static str], String> {
    allowed_keys(section).ok_or_else(|| {
        let known: Vec<String> = ALLOWED_SETTINGS.iter().map(|(known, _)| format!("[settings.{known}]")).collect();
        format!("`{section}` cannot be set here, only {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_settings_exist() {
        for (section, keys) in ALLOWED_SETTINGS {
            let (_, known) = crate::settings::KEYS.iter().find(|(known, _)| known == section).unwrap();
            for key in *keys {
                assert!(known.contains(key), "{section}.{key}");
            }
        }
    }

    #[test]
    fn subsections_are_checked() {
        let check = |text: &str| check(&toml::from_str(text).unwrap());

        assert_eq!(check("[crawl.hops]\nstrict = true\n[ranking.published]\njaccard = \"set\"\n"), Ok(()));
        assert!(check("[crawl.hops]\nstrikt = true\n").unwrap_err().starts_with("crawl.hops.strikt cannot be set"));
        assert!(check("[strategy.ldcoc]\ntau = 0.1\n").unwrap_err().contains("`strategy` cannot be set"));
    }
}
