//! Provides the JSON-LD contexts that documents reference by URL.
//!
//! Some contexts are bundled. Others are read from a directory, each from a file named by its URL. Contexts are never
//! fetched from the web, so that a document has the same meaning whenever it is read.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_rdf::json_ld::{BundledContexts, ContextCache, ContextChain, ContextLoader};

/// Maximum number and total size in bytes of the cached contexts from the directory.
const MAX_CACHED: (usize, usize) = (256, 16 << 20);

/// The contexts of a crawl: the bundled ones, then those in the directory, if there is one.
#[must_use]
pub fn contexts(dir: Option<&Path>) -> Arc<dyn ContextLoader> {
    match dir {
        Some(dir) => {
            let dir = ContextCache::new(ContextDir(dir.to_owned()), MAX_CACHED.0, MAX_CACHED.1);
            Arc::new(ContextChain(vec![Arc::new(BundledContexts), Arc::new(dir)]))
        }
        None => Arc::new(HintedContexts),
    }
}

/// The bundled contexts. The error for any other context names the file to save it as.
struct HintedContexts;

impl ContextLoader for HintedContexts {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        let hint = |why| format!("{why}; save it as DIR/{} and use --contexts DIR", file_name(url));
        BundledContexts.load(url).map_err(hint)
    }
}

/// Contexts in files named by their URLs.
struct ContextDir(PathBuf);

impl ContextLoader for ContextDir {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        let path = self.0.join(file_name(url));
        fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("not found; save it as {}", path.display()),
            _ => format!("{}: {error}", path.display()),
        })
    }
}

/// The file name for a URL: everything but letters, digits, dots, hyphens and underscores is percent-encoded.
fn file_name(url: &str) -> String {
    let mut name = String::with_capacity(url.len() + 16);
    for byte in url.bytes() {
        match byte {
            b'.' | b'-' | b'_' => name.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
            _ => {
                let _ = write!(name, "%{byte:02X}");
            }
        }
    }
    name + ".jsonld"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_found_by_its_url() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("https%3A%2F%2Fa.org%2Fb_c.jsonld"), "{}").unwrap();
        let contexts = contexts(Some(dir.path()));

        assert_eq!(contexts.load("https://a.org/b_c").as_deref(), Ok(&b"{}"[..]));
        assert!(contexts.load("https://schema.org").is_ok());
        assert!(contexts.load("https://a.org/../x").unwrap_err().contains("save it as"));
    }

    #[test]
    fn error_without_a_directory_has_a_hint() {
        let error = contexts(None).load("https://a.org/x").unwrap_err();
        assert_eq!(error, "not available; save it as DIR/https%3A%2F%2Fa.org%2Fx.jsonld and use --contexts DIR");
    }
}
