//! Regular expressions whose compilation and matching are bounded.
//!
//! A search takes at most (states × bytes) steps. If that is little, the usual engine searches. If
//! it is much, `REGEX` runs a lazy DFA, which takes one step per byte unless the expression is
//! hostile, and checks the limits of the query while it runs; `REPLACE` is rejected.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oxrdf::Term;
use regex_automata::hybrid::dfa::{Builder, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::syntax;
use regex_automata::{Input, meta};

use super::text::simple_literal;
use crate::sparql::error::QueryLimit;
use crate::sparql::query_control::{EvaluationAborted, QueryControl, StopCause};

/// The maximum size of a compiled expression, as in spareval.
const MAX_COMPILED_BYTES: usize = 1_000_000;
/// The maximum size of an expression. The parser needs 20 KB for a class such as `\w`.
const MAX_PATTERN_BYTES: usize = 8 << 10;
/// The maximum number of steps of a search that cannot be stopped: about half a second.
const MAX_UNCHECKED_STEPS: usize = 50_000_000;
/// The bytes of a lazy search between two checks. A hostile step takes 0.2 ms.
const BYTES_PER_CHECK: usize = 256;
/// The number of compiled expressions that a function retains.
const CACHED_REGEXES: usize = 8;

/// A compiled expression.
pub(in crate::sparql) struct BoundedRegex {
    pub(super) engine: meta::Regex,
    nfa: NFA,
    lazy: OnceLock<Option<DFA>>,
}

/// Why an expression cannot be compiled.
enum CompileError {
    Invalid,
    TooLarge,
}

impl BoundedRegex {
    fn compile(pattern: &str, flags: &str) -> Result<Self, CompileError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(CompileError::TooLarge);
        }
        let is_literal = flags.contains('q');
        let mut config = syntax::Config::new();
        for flag in flags.chars() {
            config = match flag {
                'i' => config.case_insensitive(true),
                // XPath: together with `q`, these have no effect.
                'q' | 's' | 'm' | 'x' if is_literal => config,
                's' => config.dot_matches_new_line(true),
                'm' => config.multi_line(true),
                'x' => config.ignore_whitespace(true),
                _ => return Err(CompileError::Invalid),
            };
        }
        let escaped = if is_literal { escape(pattern) } else { pattern.to_owned() };
        let engine = meta::Regex::builder()
            .syntax(config)
            .configure(meta::Config::new().nfa_size_limit(Some(MAX_COMPILED_BYTES)))
            .build(&escaped)
            .map_err(|error| match error.size_limit() {
                Some(_) => CompileError::TooLarge,
                None => CompileError::Invalid,
            })?;
        let nfa = thompson::Compiler::new().syntax(config).build(&escaped).map_err(|_| CompileError::Invalid)?;
        Ok(Self { engine, nfa, lazy: OnceLock::new() })
    }

    /// Stops the query if a search of this text could take too long.
    pub(super) fn check_unchecked_search(&self, text: &str, control: &QueryControl) -> Result<(), EvaluationAborted> {
        if self.is_short_search(text) { Ok(()) } else { Err(self.reject(text, control)) }
    }

    fn is_short_search(&self, text: &str) -> bool {
        self.nfa.states().len().saturating_mul(text.len()) <= MAX_UNCHECKED_STEPS
    }

    fn reject(&self, text: &str, control: &QueryControl) -> EvaluationAborted {
        let (states, bytes) = (self.nfa.states().len() as u64, text.len() as u64);
        control.fail(StopCause::Stopped(QueryLimit::Regex { states, bytes }))
    }

    /// Whether the expression matches a part of the text.
    pub(in crate::sparql) fn is_match(&self, text: &str, control: &QueryControl) -> Result<bool, EvaluationAborted> {
        if self.is_short_search(text) {
            return Ok(self.engine.is_match(text));
        }
        let lazy = self.lazy.get_or_init(|| {
            // Without Unicode word boundaries, `\b` is supported in ASCII texts.
            let config = DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true);
            Builder::new().configure(config).build_from_nfa(self.nfa.clone()).ok()
        });
        let found = match lazy {
            Some(dfa) => search_stepwise(dfa, text, control)?,
            None => None,
        };
        found.ok_or_else(|| self.reject(text, control))
    }
}

/// Searches byte by byte. Returns `None` if the DFA does not support the text.
fn search_stepwise(dfa: &DFA, text: &str, control: &QueryControl) -> Result<Option<bool>, EvaluationAborted> {
    let mut cache = dfa.create_cache();
    let Ok(mut state) = dfa.start_state_forward(&mut cache, &Input::new(text).earliest(true)) else { return Ok(None) };
    for (at, byte) in text.bytes().enumerate() {
        if at % BYTES_PER_CHECK == 0 {
            control.check()?;
        }
        let Ok(next) = dfa.next_state(&mut cache, state, byte) else { return Ok(None) };
        state = next;
        if state.is_match() || state.is_dead() {
            return Ok(Some(state.is_match()));
        }
        if state.is_quit() {
            return Ok(None);
        }
    }
    Ok(dfa.next_eoi_state(&mut cache, state).ok().map(|state| state.is_match()))
}

/// Escapes all characters that have a meaning in an expression.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// The last compiled expressions of a function: a pattern is usually the same for all rows.
#[derive(Default)]
pub(in crate::sparql) struct RegexCache(Mutex<Vec<CachedRegex>>);

struct CachedRegex {
    pattern: String,
    flags: String,
    /// `None` if the pattern is invalid.
    regex: Option<Arc<BoundedRegex>>,
}

impl RegexCache {
    /// The compiled expression; `None` if it is invalid. Stops the query if it is too large.
    pub(in crate::sparql) fn get(
        &self,
        pattern: &Term,
        flags: Option<&Term>,
        control: &QueryControl,
    ) -> Result<Option<Arc<BoundedRegex>>, EvaluationAborted> {
        let flags = flags.map_or(Some(""), simple_literal);
        let (Some(pattern), Some(flags)) = (simple_literal(pattern), flags) else { return Ok(None) };
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cached.iter().position(|one| one.pattern == pattern && one.flags == flags) {
            cached[..=at].rotate_right(1);
            return Ok(cached[0].regex.clone());
        }
        let regex = match BoundedRegex::compile(pattern, flags) {
            Ok(regex) => Some(Arc::new(regex)),
            Err(CompileError::Invalid) => None,
            Err(CompileError::TooLarge) => {
                drop(cached);
                return Err(control.fail(StopCause::Stopped(QueryLimit::RegexSize)));
            }
        };
        cached.truncate(CACHED_REGEXES - 1);
        cached.insert(0, CachedRegex { pattern: pattern.to_owned(), flags: flags.to_owned(), regex: regex.clone() });
        Ok(regex)
    }
}
