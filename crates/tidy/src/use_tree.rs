//! Reads `use` declarations.

use std::sync::LazyLock;

use regex::Regex;

static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\bpub\s*(?:\([^)]*\))?\s+)?\buse\s+([^;]+);").expect("a valid pattern"));

/// One path of a `use` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsedPath {
    /// The path without its alias; for a glob, the path of the module.
    pub(crate) segments: Vec<String>,
    /// The name that it brings into scope; `*` for a glob.
    pub(crate) name: String,
    /// Declared with `pub` and no restriction.
    pub(crate) is_public: bool,
}

/// The paths of all `use` declarations of code.
pub(crate) fn used_paths(code: &str) -> Vec<UsedPath> {
    let mut found = Vec::new();
    for captures in USE.captures_iter(code) {
        let is_public = captures.get(1).is_some_and(|visibility| visibility.as_str().trim() == "pub");
        let tree: String = captures[2].split_whitespace().collect::<Vec<_>>().join(" ");
        add_tree(&tree, &[], is_public, &mut found);
    }
    found
}

fn add_tree(tree: &str, prefix: &[String], is_public: bool, found: &mut Vec<UsedPath>) {
    let tree = tree.trim();
    if let Some((path, group)) = tree.split_once('{') {
        let prefix = [prefix, &segments(path)].concat();
        for part in split_group(group.trim_end().trim_end_matches('}')) {
            add_tree(part, &prefix, is_public, found);
        }
    } else if !tree.is_empty() {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let mut segments = [prefix, &segments(path)].concat();
        if segments.last().is_some_and(|last| last == "self" || last == "*") {
            let last = segments.pop().filter(|last| last == "*");
            let name = last.or_else(|| segments.last().cloned()).unwrap_or_default();
            found.push(UsedPath { name: alias.map_or(name, str::to_owned), segments, is_public });
        } else {
            let name = alias.map(str::to_owned).or_else(|| segments.last().cloned()).unwrap_or_default();
            found.push(UsedPath { segments, name, is_public });
        }
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The parts of a group; inner groups stay whole.
fn split_group(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_aliases_and_globs_are_resolved() {
        let code = "pub use a::{b::{C, self as d}, E as F,\n  g::*}; pub(crate) use h::I; use j;";
        let found: Vec<_> = used_paths(code)
            .into_iter()
            .map(|used| format!("{} {} {}", used.segments.join("::"), used.name, used.is_public))
            .collect();
        assert_eq!(found, ["a::b::C C true", "a::b d true", "a::E F true", "a::g * true", "h::I I false", "j j false"]);
    }
}
