//! Tables of RDF terms, a row a line: the first column. `.nx` is how LDSpider and
//! the parser it uses write rows of any length, N-Triples and N-Quads among them.

use std::io::BufRead;

use oxrdf::NamedNode;

use super::Gathering;
use super::text::each_line;

/// Reads the first column. Rows that begin with a blank node or a literal are
/// passed over, as are blank lines and comments.
pub(super) fn read(reader: &mut dyn BufRead, name: &str, seeds: &mut Gathering) {
    each_line(reader, name, seeds, |line, place, seeds| {
        if line.starts_with("_:") || line.starts_with('"') {
            return;
        }
        match first_column(line) {
            Some(iri) => seeds.written(&iri, Some(place)),
            None => seeds.problem(Some(place), "the line does not begin with <an IRI>", None),
        }
    });
}

/// The IRI that a row begins with, its escapes undone.
fn first_column(line: &str) -> Option<String> {
    let end = line.find('>')?;
    line.starts_with('<').then(|| line[..=end].parse::<NamedNode>().ok().map(NamedNode::into_string)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_begins_with_an_iri() {
        let check = |line: &str, iri: Option<&str>| assert_eq!(first_column(line).as_deref(), iri, "{line}");

        check("<http://a.example/> <http://b.example/> .", Some("http://a.example/"));
        check("<http://a.example/>", Some("http://a.example/"));
        check(r"<http://a.example/\u00E9> .", Some("http://a.example/é"));
        check("http://a.example/", None);
        check("<http://a.example/", None);
        check("<a b> .", None);
    }
}
