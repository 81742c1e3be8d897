//! The order of the top-level modules of a crate: lower modules never import higher
//! ones.

use std::collections::BTreeSet;

use super::{imports, modules};
use crate::known::Violation;
use crate::{Finding, TextFile};

/// A violation for each import against the order, for each module that the order of
/// its crate does not name, and for each name that is no module.
///
/// The table has a line for each crate, `crate: lowest, also lowest < higher < highest`;
/// empty lines and lines with `#` are skipped. Modules of one level may import each
/// other, as long as there is no cycle. Crates without a line are not checked.
#[must_use]
pub fn check(files: &[TextFile], table: &str) -> Vec<Violation> {
    let (modules, imports) = (modules(files), imports(files));
    let mut found = BTreeSet::new();
    for (crate_name, levels) in orders(table) {
        let Some(declared) = modules.get(crate_name) else { continue };
        let root = format!("crates/{crate_name}/src/lib.rs");
        let listed: BTreeSet<&str> = levels.iter().flatten().copied().collect();
        for module in declared.symmetric_difference(&listed) {
            let message = format!("module `{module}` is in only one of src and the order of {crate_name}");
            found.insert(Violation {
                key: format!("order {crate_name}: {module}"),
                finding: Finding::new(&root, 1, message),
            });
        }
        let level = |module: &str| levels.iter().position(|level| level.contains(&module));
        for import in imports.iter().filter(|import| import.crate_name == crate_name) {
            let (Some(from), Some(to)) = (level(&import.from), level(&import.to)) else { continue };
            let key = format!("order {crate_name}: {} imports {}", import.from, import.to);
            if from < to && !found.iter().any(|violation| violation.key == key) {
                let message = format!("`{}` is below `{}` and must not import it", import.from, import.to);
                found.insert(Violation { key, finding: Finding::new(&import.path, import.line, message) });
            }
        }
    }
    found.into_iter().collect()
}

/// The crates of the table with their levels, lowest first.
fn orders(table: &str) -> impl Iterator<Item = (&str, Vec<Vec<&str>>)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (crate_name, order) = line.split_once(':')?;
        let levels = order.split('<').map(|level| level.split(',').map(str::trim).collect()).collect();
        Some((crate_name.trim(), levels))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_against_the_order_and_modules_without_a_place_are_found() {
        let files = [
            TextFile::new("crates/x/src/low.rs", "use crate::beside::A;\nuse crate::high::B;"),
            TextFile::new("crates/x/src/beside.rs", ""),
            TextFile::new("crates/x/src/high.rs", "use crate::low::C;"),
            TextFile::new("crates/x/src/new.rs", ""),
        ];
        let found: Vec<_> = check(&files, "# orders\nx: low, beside < high, gone\nabsent: a < b\n")
            .iter()
            .map(|violation| violation.finding.to_string())
            .collect();
        assert_eq!(
            found,
            [
                "crates/x/src/lib.rs:1: module `gone` is in only one of src and the order of x",
                "crates/x/src/low.rs:2: `low` is below `high` and must not import it",
                "crates/x/src/lib.rs:1: module `new` is in only one of src and the order of x",
            ]
        );
    }
}
