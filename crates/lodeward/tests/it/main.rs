//! Tests from outside: one binary, one module a subject.
#![expect(clippy::print_stdout, reason = "suites say what they did, and why they were skipped")]

mod shared;
mod suites;
mod wpt;
mod pages;
