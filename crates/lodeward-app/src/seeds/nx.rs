//! Reads the first column of tables of RDF terms as seeds.
//!
//! A table has one row per line. LDSpider and its parser (`NxParser`) write rows of any
//! length to `.nx` files; N-Triples and N-Quads are special cases.

use std::io::BufRead;

use oxrdf::NamedNode;

use super::SeedCollector;
use super::text::for_each_line;

/// Reads the first column. Rows that begin with a blank node or a literal, blank lines
/// and comments are skipped.
pub(super) fn read(reader: &mut dyn BufRead, name: &str, seeds: &mut SeedCollector) {
    for_each_line(reader, name, seeds, |line, location, seeds| {
        if line.starts_with("_:") || line.starts_with('"') {
            return;
        }
        match first_column(line) {
            Some(iri) => seeds.parse_and_add(&iri, Some(location)),
            None => seeds.add_problem(Some(location), "line does not start with `<IRI>`", None),
        }
    });
}

/// Returns the IRI at the beginning of a row, unescaped.
fn first_column(line: &str) -> Option<String> {
    let end = line.find('>')?;
    line.starts_with('<').then(|| line[..=end].parse::<NamedNode>().ok().map(NamedNode::into_string)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_an_iri() {
        let check = |line: &str, iri: Option<&str>| assert_eq!(first_column(line).as_deref(), iri, "{line}");

        check("<http://a.example/> <http://b.example/> .", Some("http://a.example/"));
        check("<http://a.example/>", Some("http://a.example/"));
        check(r"<http://a.example/\u00E9> .", Some("http://a.example/é"));
        check("http://a.example/", None);
        check("<http://a.example/", None);
        check("<a b> .", None);
    }
}
