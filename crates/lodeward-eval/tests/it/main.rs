//! Tests of the evaluation as a whole: on a small web with manually calculated figures, and on real data.

mod by_hand;
mod focus;
mod miniweb;
mod small_web;
mod trials;
