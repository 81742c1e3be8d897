//! Tests of the evaluation as a whole: on a small web with manually calculated figures,
//! on real data, and by the real binary.

mod by_hand;
mod command_line;
mod focus;
mod miniweb;
mod papers;
mod reference;
mod sandbox;
mod small_web;
mod trials;
