//! No cycle between the top-level modules of a crate.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{ModuleImport, imports};
use crate::known::Violation;
use crate::{Finding, TextFile};

/// For each module the modules that it imports, with one place of each.
type Graph<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a ModuleImport>>;

/// A violation for each cycle, with a place of every import in it. Of the cycles
/// through an import only the shortest counts.
#[must_use]
pub fn check(files: &[TextFile]) -> Vec<Violation> {
    imports(files).chunk_by(|one, other| one.crate_name == other.crate_name).flat_map(cycles_of_crate).collect()
}

fn cycles_of_crate(imports: &[ModuleImport]) -> Vec<Violation> {
    let mut graph: Graph<'_> = BTreeMap::new();
    for import in imports {
        graph.entry(&import.from).or_default().entry(&import.to).or_insert(import);
    }
    let mut cycles: BTreeSet<Vec<&str>> = BTreeSet::new();
    for import in imports {
        if let Some(mut cycle) = shortest_path(&graph, &import.to, &import.from) {
            let first = (0..cycle.len()).min_by_key(|index| cycle[*index]).unwrap_or(0);
            cycle.rotate_left(first);
            cycles.insert(cycle);
        }
    }
    cycles.iter().map(|cycle| violation(&graph, cycle)).collect()
}

fn shortest_path<'a>(graph: &Graph<'a>, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut paths = VecDeque::from([vec![from]]);
    let mut seen = BTreeSet::from([from]);
    while let Some(path) = paths.pop_front() {
        let last = path[path.len() - 1];
        if last == to {
            return Some(path);
        }
        for next in graph.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next) {
                paths.push_back(path.iter().chain([next]).copied().collect());
            }
        }
    }
    None
}

fn violation(graph: &Graph<'_>, cycle: &[&str]) -> Violation {
    let imports: Vec<&ModuleImport> =
        (0..cycle.len()).map(|index| graph[cycle[index]][cycle[(index + 1) % cycle.len()]]).collect();
    let places: Vec<String> =
        imports.iter().map(|import| format!("{}:{} imports `{}`", import.path, import.line, import.to)).collect();
    Violation {
        key: format!("cycle {}: {}", imports[0].crate_name, cycle.join(" ")),
        finding: Finding::new(
            &imports[0].path,
            imports[0].line,
            format!("cycle between modules of {}: {}", imports[0].crate_name, places.join(", ")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| TextFile::new(path, text)).collect();
        check(&files).into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn two_modules_that_import_each_other_are_a_cycle_and_both_places_are_named() {
        let files = [
            TextFile::new("crates/x/src/a.rs", "\nuse crate::b::B;"),
            TextFile::new("crates/x/src/b/c.rs", "use crate::a::A;"),
            TextFile::new("crates/x/src/d.rs", "use crate::a::A;"),
        ];
        let found: Vec<_> = check(&files).iter().map(|violation| violation.finding.to_string()).collect();
        assert_eq!(
            found,
            ["crates/x/src/a.rs:2: cycle between modules of x: \
              crates/x/src/a.rs:2 imports `b`, crates/x/src/b/c.rs:1 imports `a`"]
        );
    }

    #[test]
    fn longer_cycles_are_found_once() {
        let files = [
            ("crates/x/src/a.rs", "use crate::b;"),
            ("crates/x/src/b.rs", "use crate::c;"),
            ("crates/x/src/c.rs", "use crate::a;"),
        ];
        assert_eq!(keys(&files), ["cycle x: a b c"]);
    }

    #[test]
    fn modules_of_two_crates_are_no_cycle() {
        let files =
            [("crates/x/src/a.rs", "use crate::b;"), ("crates/x/src/b.rs", ""), ("crates/y/src/b.rs", "use crate::a;")];
        assert_eq!(keys(&files), [""; 0]);
    }
}
