//! Figures about the sources: lines, public items, imports, assertions, types, names,
//! lengths of functions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use crate::line_counts::{LineCounts, by_crate};
use crate::public_items::PublicItems;
use crate::rust_items::functions;
use crate::rust_lexer::code_only;
use crate::test_code::{product_code, product_files};
use crate::{TextFile, function_length, imports, public_items, type_names};

static ASSERTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:debug_|prop_)?assert[a-z_]*!").expect("a valid pattern"));

/// The figures of one crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrateMetrics {
    /// Lines of its Rust files.
    pub lines: LineCounts,
    /// What users of the library can name.
    pub public_items: PublicItems,
}

/// The figures of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceMetrics {
    /// The figures of each crate.
    pub crates: BTreeMap<String, CrateMetrics>,
    /// Cycles between top-level modules of a crate.
    pub cycles: usize,
    /// Those of two modules that import each other.
    pub pairs: usize,
    /// Functions of the product above [`function_length::MAX_LINES`].
    pub long_functions: usize,
    /// Calls of `assert!` and its relatives, `insta::assert_…!` included.
    pub assertions: usize,
    /// Types and type aliases of the product.
    pub types: usize,
    /// Those that share their name with another type.
    pub types_sharing_a_name: usize,
    /// Those that share their name although it may not repeat.
    pub clashing_types: usize,
    /// Functions of the product that have a body.
    pub functions: usize,
    /// Lines of the median function, from `fn` to its closing brace.
    pub function_lines_p50: usize,
    /// Lines of the function at the 99th percentile.
    pub function_lines_p99: usize,
}

impl SourceMetrics {
    /// Measures the Rust files among some files.
    #[must_use]
    pub fn of(files: &[TextFile]) -> Self {
        let names = type_names::type_names(files);
        let mut sorted: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
        sorted.sort_unstable();
        let mut lengths: Vec<usize> = product_files(files).into_iter().flat_map(|file| lengths(&file.text)).collect();
        lengths.sort_unstable();
        let cycles = imports::check_cycles(files);
        let of_crate = |(name, lines): (&str, LineCounts)| {
            (name.to_owned(), CrateMetrics { lines, public_items: public_items::count(files, name) })
        };
        Self {
            crates: by_crate(files).into_iter().map(of_crate).collect(),
            cycles: cycles.len(),
            pairs: cycles.iter().filter(|cycle| cycle.key.split(' ').count() == 4).count(),
            long_functions: function_length::check(files).len(),
            assertions: files.iter().filter(|file| file.has_extension("rs")).map(|file| assertions(&file.text)).sum(),
            types: names.len(),
            types_sharing_a_name: sorted
                .chunk_by(|one, other| one == other)
                .map(<[_]>::len)
                .filter(|same| *same > 1)
                .sum(),
            clashing_types: type_names::clashes(&names).len(),
            functions: lengths.len(),
            function_lines_p50: percentile(&lengths, 50),
            function_lines_p99: percentile(&lengths, 99),
        }
    }
}

impl fmt::Display for SourceMetrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_crates(formatter)?;
        writeln!(formatter, "cycles between modules {:>6}  ({} of two modules)", self.cycles, self.pairs)?;
        writeln!(formatter, "functions above {:>2}     {:>6}", function_length::MAX_LINES, self.long_functions)?;
        let share = |part: usize| 100 * part / self.types.max(1);
        writeln!(formatter, "assertions             {:>6}", self.assertions)?;
        writeln!(formatter, "types                  {:>6}", self.types)?;
        let sharing = self.types_sharing_a_name;
        writeln!(formatter, "types sharing a name   {sharing:>6}  ({} %)", share(sharing))?;
        let clashing = self.clashing_types;
        writeln!(formatter, "  of which not allowed {clashing:>6}  ({} %)", share(clashing))?;
        writeln!(formatter, "functions              {:>6}", self.functions)?;
        writeln!(formatter, "function lines p50     {:>6}", self.function_lines_p50)?;
        write!(formatter, "function lines p99     {:>6}", self.function_lines_p99)
    }
}

impl SourceMetrics {
    fn fmt_crates(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<18} {:>8} {:>8} {:>8} {:>12}",
            "lines", "product", "tests", "examples", "public items"
        )?;
        let mut total = LineCounts::default();
        for (name, CrateMetrics { lines, public_items }) in &self.crates {
            let LineCounts { product, tests, examples } = *lines;
            let PublicItems { items, methods } = *public_items;
            let all = items + methods;
            writeln!(formatter, "{name:<18} {product:>8} {tests:>8} {examples:>8} {all:>12}  ({methods} methods)")?;
            total.product += product;
            total.tests += tests;
            total.examples += examples;
        }
        let LineCounts { product, tests, examples } = total;
        let all = product + tests + examples;
        writeln!(formatter, "{:<18} {product:>8} {tests:>8} {examples:>8}  total {all}\n", "all")
    }
}

fn assertions(source: &str) -> usize {
    ASSERTION.find_iter(&code_only(source)).count()
}

fn lengths(source: &str) -> Vec<usize> {
    let code = product_code(source);
    functions(&code).into_iter().map(|range| code[range].lines().count()).collect()
}

/// The smallest value that at least so many percent of the sorted values do not exceed.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_in_comments_and_strings_do_not_count() {
        let source =
            "assert!(a); assert_eq!(b, \"assert!(c)\"); // assert!(d)\ninsta::assert_snapshot!(e); debug_assert!(f);";
        assert_eq!(assertions(source), 4);
    }

    #[test]
    fn figures_are_those_of_the_product() {
        let files = [
            TextFile::new(
                "crates/a/src/lib.rs",
                "struct A;\nfn f() {\n    g();\n}\n#[cfg(test)]\nmod tests { fn h() {} }",
            ),
            TextFile::new("crates/b/src/lib.rs", "struct A;\nstruct B;"),
        ];
        let metrics = SourceMetrics::of(&files);
        let CrateMetrics { lines, public_items } = metrics.crates["a"];
        assert_eq!((lines.product, lines.tests, public_items.items), (4, 2, 0));
        assert_eq!((metrics.cycles, metrics.long_functions), (0, 0));
        assert_eq!((metrics.types, metrics.types_sharing_a_name, metrics.clashing_types), (3, 2, 2));
        assert_eq!((metrics.functions, metrics.function_lines_p50, metrics.function_lines_p99), (1, 3, 3));
    }

    #[test]
    fn percentile_is_a_value_of_the_list() {
        assert_eq!(percentile(&[1, 2, 3, 4], 50), 2);
        assert_eq!(percentile(&[1, 2, 3, 4], 99), 4);
        assert_eq!(percentile(&[], 50), 0);
    }
}
