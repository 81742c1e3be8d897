//! The parts of a Markdown page that rules look at: code blocks, code spans,
//! headings and links.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::rust_lexer::blank;

static CODE_SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new("(`+)[^`]+?(`+)").expect("a valid pattern"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").expect("a valid pattern"));
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$").expect("a valid pattern"));
static NAMED_ANCHOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"<[a-z0-9]+\s[^>]*?\b(?:id|name)="([^"]+)""#).expect("a valid pattern"));
static LINK_TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"!?\[([^\]]*)\]\([^)]*\)").expect("a valid pattern"));

/// A fenced block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeBlock<'a> {
    /// The first word behind the opening fence.
    pub(crate) language: &'a str,
    /// The line of the first line of code, counted from 1.
    pub(crate) first_line: usize,
    pub(crate) code: &'a str,
    /// The whole block, fences included.
    range: Range<usize>,
}

/// The fenced blocks of a page.
pub(crate) fn code_blocks(page: &str) -> Vec<CodeBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, usize, usize, &str, &str)> = None;
    let mut offset = 0;
    for (index, line) in page.split_inclusive('\n').enumerate() {
        let text = line.trim();
        match open {
            None if text.starts_with("```") || text.starts_with("~~~") => {
                let length = text.len() - text.trim_start_matches(['`', '~']).len();
                let language = text[length..].split([' ', ',']).find(|word| !word.is_empty()).unwrap_or("");
                open = Some((offset, offset + line.len(), index + 2, &text[..length], language));
            }
            Some((start, code, first_line, fence, language))
                if text.starts_with(fence) && text.trim_start_matches(['`', '~']).is_empty() =>
            {
                blocks.push(CodeBlock {
                    language,
                    first_line,
                    code: &page[code..offset],
                    range: start..offset + line.len(),
                });
                open = None;
            }
            _ => {}
        }
        offset += line.len();
    }
    if let Some((start, code, first_line, _, language)) = open {
        blocks.push(CodeBlock { language, first_line, code: &page[code..], range: start..page.len() });
    }
    blocks
}

/// The code spans outside of code blocks, without their backticks, each with its offset.
pub(crate) fn code_spans(page: &str) -> Vec<(usize, String)> {
    let text = without_blocks(page);
    CODE_SPAN
        .find_iter(&text)
        .map(|span| (span.start(), span.as_str().trim_matches('`').split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect()
}

/// The page with code and comments replaced by spaces; offsets stay.
pub(crate) fn prose(page: &str) -> String {
    let text = without_blocks(page);
    let mut bytes = text.clone().into_bytes();
    for found in CODE_SPAN.find_iter(&text).chain(COMMENT.find_iter(&text)) {
        blank(&mut bytes, found.range());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn without_blocks(page: &str) -> String {
    let mut bytes = page.as_bytes().to_vec();
    for block in code_blocks(page) {
        blank(&mut bytes, block.range);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The anchors that links to the page may name: its headings, as code hosting
/// sites and mdBook write them, and its named elements.
pub(crate) fn anchors(page: &str) -> Vec<String> {
    let text = without_blocks(page);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let headings = HEADING.captures_iter(&text).map(|captures| {
        let slug = slug(&captures[1]);
        let count = counts.entry(slug.clone()).or_default();
        *count += 1;
        if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
    });
    headings.chain(NAMED_ANCHOR.captures_iter(&text).map(|captures| captures[1].to_owned())).collect()
}

/// Lower case, spaces as `-`, punctuation left out.
fn slug(heading: &str) -> String {
    LINK_TEXT
        .replace_all(heading, "$1")
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# The page: `a`, b\n\n```console\n$ a\n# not a heading\n```\n\n## Two\n\n`code` text\n\n## Two\n";

    #[test]
    fn blocks_have_language_line_and_code() {
        let blocks = code_blocks(PAGE);
        assert_eq!((blocks.len(), blocks[0].language, blocks[0].first_line), (1, "console", 4));
        assert_eq!(blocks[0].code, "$ a\n# not a heading\n");
    }

    #[test]
    fn a_longer_fence_contains_a_shorter_one() {
        let blocks = code_blocks("````md\n```sh\na\n```\n````\n");
        assert_eq!((blocks.len(), blocks[0].code), (1, "```sh\na\n```\n"));
    }

    #[test]
    fn anchors_are_slugs_and_repeat_with_a_number() {
        assert_eq!(anchors(PAGE), ["the-page-a-b", "two", "two-1"]);
        assert_eq!(anchors("## [Link](a.md) and §4.2"), ["link-and-42"]);
        assert_eq!(anchors("<a id=\"x\"></a>"), ["x"]);
    }

    #[test]
    fn prose_has_no_code() {
        let text = prose(PAGE);
        assert!(text.contains("text") && !text.contains("code") && !text.contains("$ a"), "{text}");
        assert_eq!(text.len(), PAGE.len());
        assert_eq!(code_spans(PAGE).into_iter().map(|(_, code)| code).collect::<Vec<_>>(), ["a", "code"]);
    }
}
