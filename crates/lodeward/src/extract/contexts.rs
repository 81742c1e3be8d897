//! JSON-LD contexts that documents name by their addresses.
//!
//! The bundled ones come with the program. Others a user may put into a folder,
//! each in a file named by its address. The web is not asked: a document must
//! mean the same whenever it is read.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_markup::json_ld::{Bundled, Cache, Chain, Contexts};

/// Contexts of the folder that are kept in memory, and bytes of them.
const CACHED_MAX: (usize, usize) = (256, 16 << 20);

/// The contexts of a crawl: those in a folder, if there is one, and then the
/// bundled ones.
#[must_use]
pub fn contexts(folder: Option<&Path>) -> Arc<dyn Contexts> {
    match folder {
        Some(folder) => {
            let folder = Cache::new(Folder(folder.to_owned()), CACHED_MAX.0, CACHED_MAX.1);
            Arc::new(Chain(vec![Arc::new(Bundled), Arc::new(folder)]))
        }
        None => Arc::new(WithHint),
    }
}

/// The bundled contexts, and a word on where others could be.
struct WithHint;

impl Contexts for WithHint {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let hint = |why| format!("{why}; with --contexts DIR it is looked for in DIR/{}", file_name(address));
        Bundled.load(address).map_err(hint)
    }
}

/// Contexts in files named by their addresses.
struct Folder(PathBuf);

impl Contexts for Folder {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let path = self.0.join(file_name(address));
        fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("not at hand; save it as {}", path.display()),
            _ => format!("{}: {error}", path.display()),
        })
    }
}

/// The name of the file for an address: what is neither letter, digit, dot,
/// hyphen nor underscore is percent-encoded.
fn file_name(address: &str) -> String {
    let mut name = String::with_capacity(address.len() + 16);
    for byte in address.bytes() {
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
    fn a_context_is_found_under_its_address() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("https%3A%2F%2Fa.org%2Fb_c.jsonld"), "{}").unwrap();
        let contexts = contexts(Some(folder.path()));

        assert_eq!(contexts.load("https://a.org/b_c").as_deref(), Ok(&b"{}"[..]));
        assert!(contexts.load("https://schema.org").is_ok());
        assert!(contexts.load("https://a.org/../x").unwrap_err().contains("save it as"));
    }

    #[test]
    fn without_a_folder_it_is_told_what_to_do() {
        let told = contexts(None).load("https://a.org/x").unwrap_err();
        assert_eq!(told, "not at hand; with --contexts DIR it is looked for in DIR/https%3A%2F%2Fa.org%2Fx.jsonld");
    }
}
