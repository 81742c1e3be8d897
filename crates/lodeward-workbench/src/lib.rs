//! The browser interface of Lodeward: its built files, embedded into the program.
//!
//! The sources are in `ui/`, the build is in `dist/` and committed, so that no front-end tool chain
//! is needed to compile the program. `make ui` builds `dist/` and the table in `files.rs`.

mod files;

use std::io::Write as _;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The policy that the page must be served with: only files and API of this server, no inline script
/// or style, and no assignment of text to markup (Trusted Types). Svelte clones its templates with the
/// one policy that is allowed.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html";

/// A file of the interface.
#[derive(Debug)]
pub struct WorkbenchFile {
    /// Name of the file; assets have a digest of their content in it.
    pub name: &'static str,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    /// Strong entity tag of the content, in quotes.
    pub etag: &'static str,
    /// The content.
    pub content: &'static [u8],
    gzip: OnceLock<Vec<u8>>,
}

impl WorkbenchFile {
    const fn new(name: &'static str, media_type: &'static str, etag: &'static str, content: &'static [u8]) -> Self {
        Self { name, media_type, etag, content, gzip: OnceLock::new() }
    }

    /// The content, compressed once per process.
    #[must_use]
    pub fn gzip(&self) -> &[u8] {
        self.gzip.get_or_init(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            let written = encoder.write_all(self.content).and_then(|()| encoder.finish());
            written.expect("writing to memory does not fail")
        })
    }
}

/// The page, which is served at `/`.
#[must_use]
pub fn page() -> &'static WorkbenchFile {
    &files::PAGE
}

/// The file that is served at `/assets/{name}`.
#[must_use]
pub fn asset(name: &str) -> Option<&'static WorkbenchFile> {
    files::ASSETS.iter().find(|file| file.name == name)
}

/// All assets.
#[must_use]
pub fn assets() -> &'static [WorkbenchFile] {
    &files::ASSETS
}

#[cfg(test)]
mod tests;
