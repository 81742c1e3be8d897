//! Tests of JSON-LD with public test suites and hostile documents.

mod json_ld;
mod json_ld_hostile;
mod json_ld_reading;
mod json_ld_suite;
