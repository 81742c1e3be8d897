//! The markup crate against public suites and real pages.

mod json_ld;
mod json_ld_hostile;
mod json_ld_pages;
mod json_ld_reading;
mod microdata;
mod rdfa;
