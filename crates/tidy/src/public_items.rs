//! Counts the public items of a library: what users of the crate can name.
//!
//! Counted are declarations with a plain `pub`: functions, types, traits, constants
//! and statics. The lint `unreachable_pub`, which the workspace turns on, makes sure
//! that the crate root leads to each of them. Modules, re-exports and fields do not
//! count; what macros make does not, either.

use std::sync::LazyLock;

use regex::Regex;

use crate::TextFile;
use crate::test_code::{product_code, product_files};

static PUBLIC_ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^([ \t]*)pub\s+(?:(?:const|async|unsafe)\s+)*(?:fn|struct|enum|union|trait|type|const|static)\b")
        .expect("a valid pattern")
});

/// The public items of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublicItems {
    /// Items of modules.
    pub items: usize,
    /// Functions and constants of types.
    pub methods: usize,
}

/// The public items of a crate.
pub(crate) fn count(files: &[TextFile], crate_name: &str) -> PublicItems {
    let mut found = PublicItems::default();
    for file in product_files(files).into_iter().filter(|file| file.crate_name() == Some(crate_name)) {
        for captures in PUBLIC_ITEM.captures_iter(&product_code(&file.text)) {
            let is_item = captures[1].is_empty();
            found.items += usize::from(is_item);
            found.methods += usize::from(!is_item);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_methods_are_counted_apart() {
        let text = "pub mod a;\npub use a::B;\npub struct C {\n    pub d: u8,\n}\nimpl C {\n    pub const fn e() {}\n    \
                    fn f() {}\n}\npub(crate) fn g() {}\n// pub fn h() {}\n#[cfg(test)]\npub fn i() {}\n";
        let files = [TextFile::new("crates/x/src/lib.rs", text)];
        assert_eq!(count(&files, "x"), PublicItems { items: 1, methods: 1 });
    }
}
