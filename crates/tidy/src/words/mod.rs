//! Plain words: documents, messages and comments are free of private language.
//!
//! [`FORBIDDEN_WORDS`] lists the words, each with a reason and what to write instead. Text that
//! quotes such a word on purpose is listed, with a reason, in `allowed_words.txt`
//! beside this crate's manifest.

mod allowed;
mod passages;
mod table;

pub use allowed::{Allowance, parse_allowances};
pub use table::{FORBIDDEN_WORDS, ForbiddenWord};

use std::sync::LazyLock;

use regex::Regex;

use crate::{Finding, TextFile};
use passages::{Passage, passages_of};

/// How much text around a match decides whether it is an exception.
const CONTEXT_BYTES: usize = 60;

static PATTERNS: LazyLock<Vec<CompiledWord>> =
    LazyLock::new(|| FORBIDDEN_WORDS.iter().map(CompiledWord::new).collect());

struct CompiledWord {
    word: &'static ForbiddenWord,
    pattern: Regex,
    unless: Option<Regex>,
}

impl CompiledWord {
    fn new(word: &'static ForbiddenWord) -> Self {
        Self { word, pattern: compile(word.pattern), unless: word.unless.map(compile) }
    }

    /// The matches, exceptions left out: offset and text.
    fn matches<'a>(&self, text: &'a str) -> Vec<(usize, &'a str)> {
        let is_exception = |found: &regex::Match<'_>| {
            self.unless.as_ref().is_some_and(|unless| {
                let start = text.floor_char_boundary(found.start().saturating_sub(CONTEXT_BYTES));
                let end = text.ceil_char_boundary((found.end() + CONTEXT_BYTES).min(text.len()));
                let context = start..end;
                unless
                    .find_iter(&text[context])
                    .any(|around| around.start() + start <= found.start() && found.end() <= around.end() + start)
            })
        };
        self.pattern
            .find_iter(text)
            .filter(|found| !is_exception(found))
            .map(|found| (found.start(), found.as_str()))
            .collect()
    }
}

/// Whole words, any case, any space between them: a line break in a comment hides nothing.
fn compile(pattern: &str) -> Regex {
    Regex::new(&format!(r"(?i)\b(?:{})\b", pattern.replace(' ', r"\s+"))).expect("the patterns of the table are valid")
}

/// A finding for each forbidden word that no allowance covers, and for each
/// allowance that covers nothing: a list that only grows would hide mistakes.
#[must_use]
pub fn check(files: &[TextFile], allowances: &[Allowance]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = vec![false; allowances.len()];
    for file in files {
        for passage in passages_of(file) {
            check_passage(file, &passage, allowances, &mut used, &mut findings);
        }
    }
    for (allowance, used) in allowances.iter().zip(used) {
        if !used {
            let message = format!("allowance covers nothing: remove `{}`", allowance.quotation);
            findings.push(Finding::new(&allowance.path, 1, message));
        }
    }
    findings.sort();
    findings
}

fn check_passage(
    file: &TextFile,
    passage: &Passage,
    allowances: &[Allowance],
    used: &mut [bool],
    findings: &mut Vec<Finding>,
) {
    for compiled in PATTERNS.iter() {
        for (offset, text) in compiled.matches(&passage.text) {
            let covering = allowances.iter().position(|allowance| {
                allowance.path == file.path && allowance.covers(&passage.text, offset..offset + text.len())
            });
            if let Some(index) = covering {
                used[index] = true;
                continue;
            }
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let ForbiddenWord { reason, instead, .. } = compiled.word;
            let message = format!("`{words}`: {reason}; write {instead}");
            findings.push(Finding::new(&file.path, passage.line_of(offset), message));
        }
    }
}

#[cfg(test)]
mod tests;
