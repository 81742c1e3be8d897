//! The markup crate against public suites and real pages.
mod json_ld;
