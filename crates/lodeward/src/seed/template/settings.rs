//! What a template may set.

use toml::Table;

/// The settings that a template may have: what is crawled and what matters, not how
/// servers are asked, who else is asked, which files are read, how much memory there
/// is, nor where the harvest goes. Templates are passed around, so whatever is not
/// here is refused.
const SETTINGS: &[(&str, &[&str])] = &[
    (
        "crawl",
        &[
            "strategy",
            "max_requests",
            "max_documents",
            "max_relevant",
            "max_depth",
            "max_per_pld",
            "strict_hops",
            "max_per_hop",
            "max_per_pld_hop",
            "max_plds",
            "min_plds",
            "include",
            "exclude",
            "stay",
            "stay_on",
            "follow",
            "links",
            "vocabularies",
            "skip_extensions",
        ],
    ),
    (
        "focus",
        &[
            "ranker",
            "depth",
            "keep",
            "attrition",
            "jaccard",
            "katz_alpha",
            "katz_length",
            "path_max",
            "text_properties",
            "languages",
            "stop_words",
            "listed",
        ],
    ),
    ("discover", &["endpoints", "catalogues", "sitemaps", "well_known"]),
];

/// Says what is wrong with settings that somebody else makes: a template, or whoever
/// asks a service for a crawl.
pub fn check(settings: &Table) -> Result<(), String> {
    for (section, keys) in settings {
        let Some((_, allowed)) = SETTINGS.iter().find(|(known, _)| known == section) else {
            let known: Vec<String> = SETTINGS.iter().map(|(known, _)| format!("[settings.{known}]")).collect();
            return Err(format!("there are no settings for `{section}`, only {}", known.join(", ")));
        };
        let Some(keys) = keys.as_table() else {
            return Err(format!("`{section}` is not a section: write [settings.{section}] and its keys below"));
        };
        if let Some(key) = keys.keys().find(|key| !allowed.contains(&key.as_str())) {
            let allowed = allowed.join(", ");
            return Err(format!("{section}.{key} cannot be set here, only {allowed}; lodeward.toml can set all"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_may_set_is_a_setting() {
        for (section, keys) in SETTINGS {
            let (_, known) = crate::config::KEYS.iter().find(|(known, _)| known == section).unwrap();
            for key in *keys {
                assert!(known.contains(key), "{section}.{key}");
            }
        }
    }
}
