//! Tests of the evaluation as a whole: on a small web with manually calculated figures,
//! on real data, and by the real binary.

mod by_hand;
mod command_line;
mod focus;
mod miniweb;
mod papers;
mod reference;
mod small_web;
mod trials;

use tidy::sandbox::BinarySandbox;

/// A temporary directory in which the binary is run.
fn new_sandbox() -> BinarySandbox {
    BinarySandbox::new(env!("CARGO_BIN_EXE_lodeward-eval"))
}
