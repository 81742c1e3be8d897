//! Which settings a template may contain.
//!
//! The scope of a crawl, and the ranking. Templates are shared between users, so all other settings
//! are rejected: how requests are sent, which other servers and files are read, how much memory is
//! used, and where the harvest is stored.

use toml::Table;

use crate::settings::{ROWS, SECTIONS};

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
        match value.as_table().filter(|_| !allowed_keys(&path).is_empty()) {
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

fn allowed_keys(section: &str) -> Vec<&'static str> {
    ROWS.iter().filter(|row| row.is_for_users && row.section == section).map(|row| row.key).collect()
}

fn find_section(section: &str) -> Result<Vec<&'static str>, String> {
    let allowed = allowed_keys(section);
    if !allowed.is_empty() {
        return Ok(allowed);
    }
    let known = SECTIONS.iter().filter(|(known, _)| !allowed_keys(known).is_empty());
    let known: Vec<String> = known.map(|(known, _)| format!("[settings.{known}]")).collect();
    Err(format!("`{section}` cannot be set here, only {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsections_are_checked() {
        let check = |text: &str| check(&toml::from_str(text).unwrap());

        assert_eq!(check("[crawl.hops]\nstrict = true\n[ranking.published]\njaccard = \"set\"\n"), Ok(()));
        assert!(check("[crawl.hops]\nstrikt = true\n").unwrap_err().starts_with("crawl.hops.strikt cannot be set"));
        assert!(check("[strategy.ldcoc]\ntau = 0.1\n").unwrap_err().contains("`strategy` cannot be set"));
    }
}
