//! Parses the `Link` header field (RFC 8288).

use url::Url;

use lodeward_markup::links::is_browser_rel;
use lodeward_rdf::media_type::parse_quoted;

use crate::model::{Link, LinkKind, Uri};

/// A link of a field, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkValue {
    /// The target, unresolved.
    pub(crate) target: String,
    /// The parameters: names in lower case, values without quotes.
    pub(crate) parameters: Vec<(String, String)>,
}

impl LinkValue {
    /// The value of a parameter. If it is repeated, the first value is used.
    #[must_use]
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|parameter| parameter.0 == name).map(|parameter| parameter.1.as_str())
    }
}

/// The links of a field, by the parsing algorithm of RFC 8288 (appendix B.2). Malformed text ends the field.
#[must_use]
pub(crate) fn parse(field: &str) -> Vec<LinkValue> {
    let mut values = Vec::new();
    let mut rest = field;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let Some((target, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return values };
        let (parameters, after) = parse_parameters(after);
        values.push(LinkValue { target: target.trim().to_owned(), parameters });
        // Text before the next comma is ignored.
        rest = after.find(',').map_or("", |comma| &after[comma..]);
    }
}

fn parse_parameters(mut rest: &str) -> (Vec<(String, String)>, &str) {
    let mut parameters = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix(';') else { return (parameters, rest) };
        rest = after.trim_start_matches([' ', '\t']);
        let end = rest.find([' ', '\t', '=', ';', ',']).unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start_matches([' ', '\t']);
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            rest = after.trim_start_matches([' ', '\t']);
            if let Some(quoted) = rest.strip_prefix('"') {
                (value, rest) = parse_quoted(quoted);
            } else {
                let end = rest.find([';', ',']).unwrap_or(rest.len());
                rest[..end].trim_end().clone_into(&mut value);
                rest = &rest[end..];
            }
        }
        if !name.is_empty() {
            parameters.push((name, value));
        }
    }
}

/// The links in the header of the document.
pub(super) fn links(document: &Uri, fields: &[String], respect_nofollow: bool) -> Vec<Link> {
    if fields.is_empty() {
        return Vec::new();
    }
    let base = document.to_url();
    let values = fields.iter().flat_map(|field| parse(field));
    let is_followed = |rel: &str| {
        let is_nofollow = || rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("nofollow"));
        !(is_browser_rel(rel) || respect_nofollow && is_nofollow())
    };
    let link = |value: LinkValue| {
        let rel = value.parameter("rel").unwrap_or_default();
        if !is_followed(rel) || has_other_anchor(&value, &base) {
            return None;
        }
        let target = Uri::resolve(&base, &value.target).ok()?;
        let media_type = value.parameter("type").map(str::to_owned);
        Some(Link { target, via: LinkKind::Header { rel: rel.to_owned(), media_type } })
    };
    values.filter_map(link).collect()
}

/// Whether the link starts from another resource, for which this server has no authority. A fragment of the document is
/// the document.
fn has_other_anchor(value: &LinkValue, base: &Url) -> bool {
    let Some(anchor) = value.parameter("anchor") else { return false };
    let Ok(mut context) = base.join(anchor) else { return true };
    context.set_fragment(None);
    context != *base
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(field: &str, expected: &[(&str, &[(&str, &str)])]) {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let value = |&(target, parameters): &(&str, &[(&str, &str)])| LinkValue {
            target: target.to_owned(),
            parameters: parameters.iter().map(owned).collect(),
        };
        assert_eq!(parse(field), expected.iter().map(value).collect::<Vec<_>>(), "{field}");
    }

    #[test]
    fn field_contains_links_with_parameters() {
        check(
            "<a.ttl>; rel=\"alternate\"; type=\"text/turtle\"",
            &[("a.ttl", &[("rel", "alternate"), ("type", "text/turtle")])],
        );
        check("<a>; REL = next , <b>;rel=prev", &[("a", &[("rel", "next")]), ("b", &[("rel", "prev")])]);
        check("<a,b;c>; title=\"x, \\\"y\\\"; z\"; rel=x", &[("a,b;c", &[("title", "x, \"y\"; z"), ("rel", "x")])]);
        check("<a>;rel=\"start http://b.org/rel\"", &[("a", &[("rel", "start http://b.org/rel")])]);
        check("<a>; rel=\"x\"; rel=\"y\"", &[("a", &[("rel", "x"), ("rel", "y")])]);
        check("<a>; flag; rel=x", &[("a", &[("flag", ""), ("rel", "x")])]);
        check("<a>;;rel=x", &[("a", &[("rel", "x")])]);
        check(",, <a> ,, <b>", &[("a", &[]), ("b", &[])]);
        check("<a>; title*=UTF-8''n%C3%A9", &[("a", &[("title*", "UTF-8''n%C3%A9")])]);
        check("<a>; rel=\"never closed", &[("a", &[("rel", "never closed")])]);
    }

    #[test]
    fn malformed_text_ends_the_field() {
        check("", &[]);
        check("a; rel=x", &[]);
        check("<a; rel=x", &[]);
        check("<a>; rel=x, b", &[("a", &[("rel", "x")])]);
        check("<a> junk, <b>", &[("a", &[]), ("b", &[])]);
    }

    #[test]
    fn links_start_from_the_document_and_lead_to_documents() {
        let document = Uri::parse("http://a.org/dir/doc").unwrap();
        let targets = |field: &str| {
            let links = links(&document, &[field.to_owned()], true);
            links.iter().map(|link| link.target.to_string()).collect::<Vec<_>>()
        };

        assert_eq!(targets("<data.ttl>; rel=describedby"), ["http://a.org/dir/data.ttl"]);
        assert_eq!(targets("</x#y>; rel=next; anchor=\"#part\""), ["http://a.org/x"]);
        assert!(targets("</x>; rel=next; anchor=\"/other\"").is_empty());
        assert!(targets("<s.css>; rel=stylesheet, <f.woff>; rel=preload, <mailto:a@b>; rel=author").is_empty());
        assert!(targets("</x>; rel=\"next nofollow\"").is_empty());
    }

    proptest! {
        #[test]
        fn parsing_never_panics(field in "\\PC*") {
            let _ = parse(&field);
        }

        #[test]
        fn parsing_never_panics_on_what_is_nearly_a_link(field in "[<>;,=\" a\\\\é\t]{0,40}") {
            let _ = parse(&field);
        }
    }
}
