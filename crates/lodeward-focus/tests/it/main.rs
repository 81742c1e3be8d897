//! Integration tests: focused crawls of generated webs, in virtual time.

#[path = "../../../lodeward/tests/it/in_process.rs"]
mod in_process;

mod focus;
