//! The markup crate against public suites and real pages.

mod microdata;
mod rdfa;
