//! Links in Markdown pages lead somewhere; indexes of pages are complete.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{anchors, prose};
use crate::rust_lexer::line_of;
use crate::{Finding, Repository, TextFile};

static TARGETS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r#"\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)"#,
        r"(?m)^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)",
        r#"\b(?:href|src)="([^"]+)""#,
    ]
    .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});
static SCHEME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:[a-z][a-z0-9+.-]*:|//)").expect("a valid pattern"));
static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[[^\]\[]+\]\[([^\]\[]+)\]").expect("a valid pattern"));
static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^ {0,3}\[([^\]]+)\]:").expect("a valid pattern"));

/// An index page and the directory whose pages it lists.
#[derive(Clone, Copy, Debug)]
pub struct PageIndex {
    /// The page with the list.
    pub index: &'static str,
    /// The directory; pages in its subdirectories count.
    pub directory: &'static str,
}

/// The indexes of the repository.
pub const INDEXES: &[PageIndex] = &[
    PageIndex { index: "docs/SUMMARY.md", directory: "docs" },
    PageIndex { index: "docs/decisions/README.md", directory: "docs/decisions" },
];

/// A finding for each relative link that leads nowhere.
#[must_use]
pub fn check(repository: &Repository) -> Vec<Finding> {
    let pages: Vec<_> = repository.with_extension("md").collect();
    let mut findings = Vec::new();
    for page in &pages {
        let text = prose(&page.text);
        for (offset, target) in relative_targets(&text) {
            if let Err(message) = resolve(repository, &pages, page, target) {
                findings.push(Finding::new(&page.path, line_of(&text, offset), message));
            }
        }
        findings.extend(undefined_references(page, &text));
    }
    findings
}

/// A finding for each page that the index of its directory does not link.
#[must_use]
pub fn check_index(files: &[TextFile], index: PageIndex) -> Vec<Finding> {
    let prefix = format!("{}/", index.directory);
    let pages = files.iter().filter(|file| file.has_extension("md") && file.path.starts_with(&prefix));
    let mut pages = pages.filter(|page| page.path != index.index && page.file_name() != "SUMMARY.md").peekable();
    let Some(list) = files.iter().find(|file| file.path == index.index) else {
        let missing =
            pages.peek().map(|_| Finding::new(index.index, 1, "no such index, although its directory has pages"));
        return missing.into_iter().collect();
    };
    let text = prose(&list.text);
    let targets = relative_targets(&text);
    let linked: BTreeSet<String> =
        targets.iter().filter_map(|(_, target)| join(&list.path, target.split('#').next()?)).collect();
    pages
        .filter(|page| !linked.contains(&page.path))
        .map(|page| Finding::new(&page.path, 1, format!("not listed in {}", index.index)))
        .collect()
}

/// The targets of the links that name no scheme, with their offsets.
fn relative_targets(prose: &str) -> Vec<(usize, &str)> {
    let mut targets: Vec<(usize, &str)> = TARGETS
        .iter()
        .flat_map(|pattern| pattern.captures_iter(prose))
        .filter_map(|captures| captures.get(1))
        .map(|target| (target.start(), target.as_str()))
        .filter(|(_, target)| !SCHEME.is_match(target))
        .collect();
    targets.sort_unstable();
    targets
}

fn resolve(repository: &Repository, pages: &[&TextFile], page: &TextFile, target: &str) -> Result<(), String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let path = if path.is_empty() {
        page.path.clone()
    } else {
        join(&page.path, path).ok_or_else(|| format!("link leaves the repository: {target}"))?
    };
    if !repository.contains(&path) {
        return Err(format!("link leads nowhere: {target}"));
    }
    let linked = pages.iter().find(|page| page.path == path);
    match (anchor, linked) {
        (Some(anchor), Some(linked)) if !anchors(&linked.text).iter().any(|known| known == anchor) => {
            Err(format!("no such heading: {target}"))
        }
        _ => Ok(()),
    }
}

/// A relative path seen from a file, as a path from the root; nothing if it leads out of it.
fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if path.starts_with('/') {
        parts.clear();
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn undefined_references(page: &TextFile, text: &str) -> Vec<Finding> {
    let defined: BTreeSet<String> = DEFINITION.captures_iter(text).map(|captures| captures[1].to_lowercase()).collect();
    REFERENCE
        .captures_iter(text)
        .filter(|captures| !defined.contains(&captures[1].to_lowercase()))
        .filter_map(|captures| captures.get(1))
        .map(|name| {
            Finding::new(&page.path, line_of(text, name.start()), format!("undefined link: [{}]", name.as_str()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pages: &[(&str, &str)]) -> Vec<String> {
        let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let files = pages.iter().map(|(path, text)| TextFile::new(path, text)).collect();
        check(&Repository { root, files }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let page = ("a.md", "# A\n\n[one](src/lib.rs) [two](src/gone.rs)\n![three](b.svg \"title\")\n\n[x]: gone.md\n");
        assert_eq!(
            found(&[page]),
            [
                "a.md:3: link leads nowhere: src/gone.rs",
                "a.md:4: link leads nowhere: b.svg",
                "a.md:6: link leads nowhere: gone.md"
            ]
        );
    }

    #[test]
    fn links_to_the_web_and_in_code_are_not_followed() {
        let page =
            ("a.md", "[a](https://example.org/x) [b](mailto:a@example.org) `[c](gone.md)`\n```md\n[d](gone.md)\n```\n");
        assert_eq!(found(&[page]), [""; 0]);
    }

    #[test]
    fn anchors_must_be_headings() {
        let page = ("a.md", "# The title\n\n[a](#the-title) [b](#no-title)\n");
        assert_eq!(found(&[page]), ["a.md:3: no such heading: #no-title"]);
    }

    #[test]
    fn links_out_of_the_repository_are_found() {
        assert_eq!(found(&[("a.md", "[a](../shared/x.md)")]), ["a.md:1: link leaves the repository: ../shared/x.md"]);
    }

    #[test]
    fn undefined_references_are_found() {
        assert_eq!(found(&[("a.md", "[text][b] [text][c]\n\n[b]: src\n")]), ["a.md:1: undefined link: [c]"]);
    }

    #[test]
    fn pages_that_their_index_lacks_are_found() {
        let index = PageIndex { index: "docs/decisions/README.md", directory: "docs/decisions" };
        let files = [
            TextFile::new("docs/decisions/README.md", "- [One](0001-one.md)"),
            TextFile::new("docs/decisions/0001-one.md", "# One"),
            TextFile::new("docs/decisions/0002-two.md", "# Two"),
        ];
        let findings = check_index(&files, index);
        assert_eq!(
            findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["docs/decisions/0002-two.md:1: not listed in docs/decisions/README.md"]
        );
        assert_eq!(check_index(&files[1..], index).len(), 1);
    }
}
