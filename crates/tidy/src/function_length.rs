//! No long functions: at most 60 lines, tests excluded.

use crate::known::Violation;
use crate::rust_items::functions;
use crate::rust_lexer::line_of;
use crate::test_code::{product_code, product_files};
use crate::{Finding, TextFile};

/// Lines of the longest function that is allowed, from `fn` to its closing brace.
pub const MAX_LINES: usize = 60;

/// A violation for each longer function of the product.
#[must_use]
pub fn check(files: &[TextFile]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in product_files(files) {
        let code = product_code(&file.text);
        for range in functions(&code) {
            let lines = code[range.clone()].lines().count();
            if lines > MAX_LINES {
                let name = code[range.start..].split_whitespace().nth(1).unwrap_or_default();
                let name = name.split(['(', '<']).next().unwrap_or_default();
                let message = format!("function `{name}` has {lines} lines, at most {MAX_LINES} are allowed");
                found.push(Violation {
                    key: format!("function {}: {name}", file.path),
                    finding: Finding::new(&file.path, line_of(&code, range.start), message),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_above_the_limit_are_found() {
        let function = |name: &str, lines: usize| format!("fn {name}<T>() {{\n{}}}\n", "g();\n".repeat(lines - 2));
        let source = format!(
            "{}{}#[cfg(test)]\nmod tests {{ {} }}",
            function("short", 60),
            function("long", 61),
            function("test", 70)
        );
        let found = check(&[TextFile::new("crates/x/src/lib.rs", &source)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].key, "function crates/x/src/lib.rs: long");
        assert_eq!(
            found[0].finding.to_string(),
            "crates/x/src/lib.rs:61: function `long` has 61 lines, at most 60 are allowed"
        );
    }
}
