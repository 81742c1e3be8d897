//! Tests of the markup crate with public test suites and real pages.

mod json_ld;
mod json_ld_hostile;
mod json_ld_pages;
mod json_ld_reading;
mod microdata;
mod rdfa;
