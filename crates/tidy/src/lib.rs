//! Checks the sources of the workspace as text: names, words, links, documented
//! commands, module docs, the direction of imports and the length of functions.
//!
//! Each rule is a module with a function from files to [`Finding`]s. The
//! integration test runs every rule over the repository; `cargo run -p tidy`
//! prints the figures of [`metrics`]. With the feature `clap`, a program checks the
//! documented commands against its own clap definition. [`sandbox`] runs a binary for its tests.

#[cfg(feature = "clap")]
pub mod clap_check;
pub mod commands;
mod finding;
pub mod function_length;
pub mod imports;
pub mod known;
mod line_counts;
pub mod links;
pub mod make_targets;
mod markdown;
pub mod metrics;
pub mod module_docs;
mod public_items;
mod repository;
mod rust_items;
mod rust_lexer;
pub mod sandbox;
mod shell;
mod test_code;
pub mod type_names;
mod use_tree;
pub mod words;

pub use finding::{Finding, report};
pub use repository::{Repository, TextFile};
