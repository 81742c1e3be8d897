//! Integration tests: focused crawls of generated webs, in virtual time.

#[path = "../../../lodeward/tests/it/in_process.rs"]
#[expect(dead_code, reason = "the tests of the library use more of it")]
mod in_process;

mod focus;
