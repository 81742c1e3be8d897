//! The web in a box as a visitor meets it: through sockets and files.

mod cli;
mod entities;
mod replay;
mod serve;
mod visitor;

/// The folder of shared data, which may be missing.
fn shared() -> std::path::PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    std::env::var_os("LODEWARD_SHARED").unwrap_or_else(|| beside.into()).into()
}
