//! Hints for unknown names.

use strsim::levenshtein;

use super::{ROWS, SECTIONS, renamed};

/// The hint for a setting that was removed.
pub(super) const REMOVED_HINT: &str = "delete it: the setting was removed, its value is fixed";

/// A hint for a section that does not exist.
pub(super) fn for_section(section: &str) -> Option<String> {
    if let Some(new) = renamed::section(section) {
        return Some(format!("did you mean `{new}`?"));
    }
    nearest_name(section, SECTIONS.iter().map(|(known, _)| *known))
}

/// A hint for a key that does not exist in a section.
pub(super) fn for_key(section: &str, key: &str) -> Option<String> {
    if let Some(new) = renamed::key(section, key) {
        return Some(format!("did you mean `{new}`?"));
    }
    if renamed::is_removed(section, key) {
        return Some(REMOVED_HINT.to_owned());
    }
    let subsections = SECTIONS.iter().filter_map(|(known, _)| known.strip_prefix(section)?.strip_prefix('.'));
    let keys = ROWS.iter().filter(|row| row.section == section).map(|row| row.key);
    let found = nearest_name(key, keys.chain(subsections));
    // If another section has the key, that section is suggested, as for `strict` of `crawl.hops`.
    found.or_else(|| home(key).map(|home| format!("did you mean `{home}.{key}`?")))
}

/// The first section that has this key.
pub(super) fn home(key: &str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.key == key).map(|row| row.section)
}

/// Returns a hint with the name of the smallest edit distance, if the distance is small.
pub(super) fn nearest_name<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let (distance, name) = names.map(|name| (levenshtein(written, name), name)).min()?;
    (distance <= 1 + name.len() / 4).then(|| format!("did you mean `{name}`?"))
}
