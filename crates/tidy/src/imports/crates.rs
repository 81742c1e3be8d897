//! The dependencies between the crates of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use crate::known::Violation;
use crate::{Finding, TextFile};

/// A violation for each dependency between crates that the table does not allow,
/// and for each crate without a line in it. Dev-dependencies are free.
///
/// The table has a line for each crate, `crate: dependency, dependency`; what a
/// dependency may depend on is allowed, too. Empty lines and lines with `#` are skipped.
#[must_use]
pub fn check(files: &[TextFile], table: &str) -> Vec<Violation> {
    let allowed = allowed(table);
    let manifests: Vec<(&str, &TextFile)> = files
        .iter()
        .filter_map(|file| Some((file.crate_name()?, file)))
        .filter(|(crate_name, file)| file.path == format!("crates/{crate_name}/Cargo.toml"))
        .collect();
    let members: BTreeSet<&str> = manifests.iter().map(|(crate_name, _)| *crate_name).collect();
    let mut found = Vec::new();
    for (crate_name, manifest) in &manifests {
        let Some(allowed) = allowed.get(crate_name) else {
            found.push(Violation {
                key: format!("dependency {crate_name}"),
                finding: Finding::new(&manifest.path, 1, "crate without a line in crates/tidy/crate_dependencies.txt"),
            });
            continue;
        };
        for (dependency, line) in dependencies(&manifest.text) {
            if members.contains(dependency) && !allowed.contains(dependency) {
                found.push(Violation {
                    key: format!("dependency {crate_name}: {dependency}"),
                    finding: Finding::new(&manifest.path, line, format!("must not depend on {dependency}")),
                });
            }
        }
    }
    found
}

/// The crates of the table, each with everything it may depend on.
fn allowed(table: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let direct: BTreeMap<&str, Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, list)| (name.trim(), list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()))
        .collect();
    let all_below = |crate_name: &str| {
        let mut below = BTreeSet::new();
        let mut pending = direct[crate_name].clone();
        while let Some(name) = pending.pop() {
            if below.insert(name) {
                pending.extend(direct.get(name).into_iter().flatten());
            }
        }
        below
    };
    direct.keys().map(|crate_name| (*crate_name, all_below(crate_name))).collect()
}

/// The dependencies of a manifest with their lines, dev-dependencies excluded.
fn dependencies(manifest: &str) -> Vec<(&str, usize)> {
    let mut is_list = false;
    let mut found = Vec::new();
    for (index, line) in manifest.lines().enumerate() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end().trim_end_matches(']');
            is_list = matches!(section.rsplit('.').next(), Some("dependencies" | "build-dependencies"));
            if let Some((_, name)) = section.split_once("dependencies.").filter(|_| !section.contains("dev-")) {
                found.push((name, index + 1));
            }
        } else if is_list && let Some(name) = line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty()) {
            found.push((name, index + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# picture\nlow:\nmiddle: low\nhigh: middle\n";

    fn found(crate_name: &str, manifest: &str) -> Vec<String> {
        let mut files: Vec<_> =
            ["low", "middle", "high"].map(|name| TextFile::new(&format!("crates/{name}/Cargo.toml"), "")).to_vec();
        files.retain(|file| file.crate_name() != Some(crate_name));
        files.push(TextFile::new(&format!("crates/{crate_name}/Cargo.toml"), manifest));
        check(&files, TABLE).iter().map(|violation| violation.finding.to_string()).collect()
    }

    #[test]
    fn a_dependency_that_the_table_does_not_imply_is_found() {
        let manifest = "[dependencies]\nlow.workspace = true\nmiddle = { workspace = true }\nserde = \"1\"\n";
        assert_eq!(found("high", manifest), [""; 0]);
        let upwards = "[dependencies]\nserde = \"1\"\nmiddle.workspace = true\n";
        assert_eq!(found("low", upwards), ["crates/low/Cargo.toml:3: must not depend on middle"]);
        assert_eq!(found("low", "[dependencies.high]\npath = \"..\"\n").len(), 1);
        assert_eq!(found("low", "[target.'cfg(unix)'.dependencies]\nhigh = \"1\"\n").len(), 1);
    }

    #[test]
    fn dev_dependencies_are_free() {
        assert_eq!(found("low", "[dev-dependencies]\nhigh = \"1\"\n[dev-dependencies.middle]\n"), [""; 0]);
    }

    #[test]
    fn every_crate_has_a_line() {
        assert_eq!(found("new", "").len(), 1);
    }
}
