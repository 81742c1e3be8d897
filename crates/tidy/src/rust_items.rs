//! Finds types and functions in Rust code.
//!
//! The input is code without comments and literals ([`crate::rust_lexer`]), so a
//! scan over words and brackets is enough; nothing is resolved.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static MACRO_DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bmacro_rules!\s*([a-z_][a-z0-9_]*)\s*\{").expect("a valid pattern"));
static MACRO_CALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([a-z_][a-z0-9_]*)!\s*\{").expect("a valid pattern"));
static TYPE_IN_MACRO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:struct|enum|trait|union|type)\s+\$").expect("a valid pattern"));
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_$][A-Za-z0-9_]*|[{};]").expect("a valid pattern"));

/// A type that is declared in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeDeclaration {
    pub(crate) name: String,
    pub(crate) offset: usize,
    /// Visible outside of its module.
    pub(crate) is_public: bool,
}

/// What a brace belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// `impl` or `trait`: a `type` in it is an associated type.
    Associated,
    Function,
    Other,
}

/// The structs, enums, traits, unions and type aliases that are declared in code,
/// those made by its own macros included. Associated types are not types of their own.
pub(crate) fn types(code: &str) -> Vec<TypeDeclaration> {
    let mut found = made_by_macros(code);
    let mut blocks: Vec<Block> = Vec::new();
    let mut pending = Block::Other;
    let words: Vec<_> = WORD.find_iter(code).collect();
    for (index, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => {
                blocks.push(pending);
                pending = Block::Other;
            }
            "}" => {
                blocks.pop();
                pending = Block::Other;
            }
            ";" => pending = Block::Other,
            "fn" => pending = Block::Function,
            "impl" if pending == Block::Other => pending = Block::Associated,
            keyword @ ("struct" | "enum" | "trait" | "union" | "type") => {
                let Some(name) = words.get(index + 1) else { continue };
                let is_associated = keyword == "type" && blocks.last() == Some(&Block::Associated);
                if !is_associated && is_declaration(code, word.end(), name) {
                    found.push(TypeDeclaration {
                        name: name.as_str().to_owned(),
                        offset: name.start(),
                        is_public: is_public(code, word.start()),
                    });
                }
                if keyword == "trait" && pending == Block::Other {
                    pending = Block::Associated;
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|declaration| declaration.offset);
    found
}

/// A keyword declares a type if only space lies between it and a type name.
fn is_declaration(code: &str, keyword_end: usize, name: &regex::Match<'_>) -> bool {
    let between = &code[keyword_end..name.start()];
    !between.is_empty() && between.trim().is_empty() && is_type_name(name.as_str())
}

fn is_type_name(word: &str) -> bool {
    word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase())
}

fn is_public(code: &str, keyword: usize) -> bool {
    let before = code[..keyword].trim_end();
    before.ends_with("pub")
        || (before.ends_with(')') && before.rfind('(').is_some_and(|at| before[..at].ends_with("pub")))
}

/// Types made by calls of macros whose body declares `struct $Name`: by
/// convention, in a call each `Name {` at the outermost level is one.
fn made_by_macros(code: &str) -> Vec<TypeDeclaration> {
    let makers: Vec<&str> = MACRO_DEFINITION
        .captures_iter(code)
        .filter_map(|captures| {
            let (whole, name) = (captures.get(0)?, captures.get(1)?);
            TYPE_IN_MACRO.is_match(&code[block(code, whole.end() - 1)]).then_some(name.as_str())
        })
        .collect();
    let mut found = Vec::new();
    for captures in MACRO_CALL.captures_iter(code) {
        if let (Some(whole), Some(name)) = (captures.get(0), captures.get(1))
            && makers.contains(&name.as_str())
        {
            names_with_braces(code, block(code, whole.end() - 1), &mut found);
        }
    }
    found
}

fn names_with_braces(code: &str, call: Range<usize>, found: &mut Vec<TypeDeclaration>) {
    let mut depth = 0_usize;
    let mut previous: Option<regex::Match<'_>> = None;
    for word in WORD.find_iter(&code[call.clone()]) {
        match word.as_str() {
            "{" => {
                if let Some(name) = previous.filter(|name| depth == 1 && is_type_name(name.as_str())) {
                    let offset = call.start + name.start();
                    found.push(TypeDeclaration { name: name.as_str().to_owned(), offset, is_public: true });
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        previous = Some(word);
    }
}

/// The range from an opening brace to the brace that closes it, both included.
pub(crate) fn block(code: &str, open: usize) -> Range<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in code.as_bytes()[open..].iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return open..open + offset + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    open..code.len()
}

/// The functions with a body, each from `fn` to its closing brace.
pub(crate) fn functions(code: &str) -> Vec<Range<usize>> {
    static FUNCTION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\bfn\s+[a-z_][A-Za-z0-9_]*").expect("a valid pattern"));
    FUNCTION
        .find_iter(code)
        .filter_map(|function| body_start(code, function.end()).map(|open| function.start()..block(code, open).end))
        .collect()
}

/// The opening brace of the body; a declaration in a trait ends at `;` before one.
/// Brackets are counted, because an array type has a `;` in it.
fn body_start(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in code.as_bytes()[from..].iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return Some(from + offset),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> Vec<String> {
        types(code).into_iter().map(|declaration| declaration.name).collect()
    }

    #[test]
    fn every_kind_of_type_is_found() {
        let code = "pub struct A<'a>(&'a str); enum B {} trait C: D {} union E { f: u8 } type G = u8;";
        assert_eq!(names(code), ["A", "B", "C", "E", "G"]);
    }

    #[test]
    fn associated_types_are_no_types_of_their_own() {
        let code = "impl X for Y { type Error = E; fn f() -> impl Z { type Local = u8; } } trait T { type Item; }";
        assert_eq!(names(code), ["Local", "T"]);
    }

    #[test]
    fn made_by_macros_are_found() {
        let code =
            "macro_rules! sections { ($s:ident: $S:ident { $k:ident }) => { pub struct All; pub struct $S { $k } }; }
            sections! { crawl: CrawlSettings { depth: u8 = Limit { a: 1 }, } fetch: FetchSettings { } }
            other! { a: NotAType { } }";
        assert_eq!(names(code), ["All", "CrawlSettings", "FetchSettings"]);
    }

    #[test]
    fn visibility_is_seen() {
        let visible: Vec<_> =
            types("pub(crate) struct A; pub enum B {} struct C;").iter().map(|t| t.is_public).collect();
        assert_eq!(visible, [true, true, false]);
    }

    #[test]
    fn functions_reach_to_their_closing_brace() {
        let code = "trait T { fn a(x: [u8; 2]); }\nfn b(x: [u8; 2]) {\n  if x { y }\n}\nlet f: fn(u8);";
        let bodies: Vec<_> = functions(code).into_iter().map(|range| &code[range]).collect();
        assert_eq!(bodies, ["fn b(x: [u8; 2]) {\n  if x { y }\n}"]);
    }
}
