//! Tests of the markup crate with public test suites and real pages.

mod json_ld_scripts;
#[path = "../../../lodeward-rdf/tests/it/json_ld_suite.rs"]
mod json_ld_suite;
mod microdata;
mod microformats;
mod rdfa;
