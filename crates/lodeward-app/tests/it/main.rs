//! Integration tests: followers and refresh rounds in virtual time.

#[path = "../../../lodeward/tests/it/in_process.rs"]
#[expect(dead_code, reason = "the tests of the library use more of it")]
mod in_process;

mod followers;
mod frontier_contract;
mod refresh;
mod registry;
mod sessions;
