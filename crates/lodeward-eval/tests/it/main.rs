//! The evaluation as a whole: on a web that fits on a page, whose figures are
//! worked out by hand, and on a real one.

mod by_hand;
mod focus;
mod miniweb;
mod small_web;
mod trials;
