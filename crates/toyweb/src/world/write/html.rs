//! Writes HTML pages: frame, links, prose and embedded RDF.

use super::super::content::DocumentContent;
use super::super::kind::DocumentKind;
use super::{WriteContext, escape, json_ld, microdata, rdfa};

/// The parts of a page.
pub(crate) struct HtmlPage<'a> {
    pub(crate) title: &'a str,
    /// `href` and `type` of `<link rel="alternate">`.
    pub(crate) alternate: Option<(String, &'static str)>,
    pub(crate) links: Vec<HtmlPageLink>,
    pub(crate) prose: String,
}

/// A link of a page, with the final `href`.
pub(crate) struct HtmlPageLink {
    pub(crate) href: String,
    pub(crate) text: &'static str,
    pub(crate) media_type: Option<&'static str>,
    /// The class of its list, if there are several lists.
    pub(crate) list: Option<&'static str>,
}

/// Writes a page with the RDF embedding of its kind.
pub(crate) fn write(
    kind: DocumentKind,
    page: &HtmlPage<'_>,
    content: &DocumentContent,
    context: &WriteContext<'_>,
) -> String {
    let mut out = String::with_capacity(2048 + page.prose.len());
    out.push_str("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>");
    escape::markup(page.title, &mut out);
    out.push_str("</title>\n");
    if let Some((href, media_type)) = &page.alternate {
        push_alternate(href, media_type, &mut out);
    }
    if kind == DocumentKind::HtmlJsonLd {
        push_script(content, context, &mut out);
    }
    out.push_str("</head>\n<body>\n<h1>");
    escape::markup(page.title, &mut out);
    out.push_str("</h1>\n");
    push_links(&page.links, &mut out);
    match kind {
        DocumentKind::HtmlRdfa => rdfa::write(content, &mut out),
        DocumentKind::HtmlMicrodata => microdata::write(content, &mut out),
        DocumentKind::HtmlSeveral => push_mixed_markup(content, context, &mut out),
        _ => {}
    }
    for paragraph in page.prose.split('\n') {
        out.push_str("<p>");
        escape::markup(paragraph, &mut out);
        out.push_str("</p>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// RDFa for the main subject, Microdata for its first part, scripts for the others.
fn push_mixed_markup(content: &DocumentContent, context: &WriteContext<'_>, out: &mut String) {
    let part = |range: std::ops::Range<usize>| DocumentContent {
        descriptions: content.descriptions.get(range).map(<[_]>::to_vec).unwrap_or_default(),
    };
    rdfa::write(&part(0..1), out);
    microdata::write(&part(1..2), out);
    push_script(&part(2..content.descriptions.len()), context, out);
}

fn push_script(content: &DocumentContent, context: &WriteContext<'_>, out: &mut String) {
    out.push_str("<script type=\"application/ld+json\">\n");
    json_ld::write(content, context, out);
    out.push_str("</script>\n");
}

fn push_alternate(href: &str, media_type: &str, out: &mut String) {
    out.push_str("<link rel=\"alternate\" type=\"");
    out.push_str(media_type);
    out.push_str("\" href=\"");
    escape::markup(href, out);
    out.push_str("\">\n");
}

fn push_links(links: &[HtmlPageLink], out: &mut String) {
    let mut lists: Vec<Option<&str>> = Vec::new();
    for link in links {
        if !lists.contains(&link.list) {
            lists.push(link.list);
        }
    }
    // A page without links has one empty list.
    if lists.is_empty() {
        lists.push(None);
    }
    for list in lists {
        push_list(list, links.iter().filter(|link| link.list == list), out);
    }
}

fn push_list<'a>(class: Option<&str>, links: impl Iterator<Item = &'a HtmlPageLink>, out: &mut String) {
    match class {
        None => out.push_str("<ul>\n"),
        Some(class) => {
            out.push_str("<ul class=\"");
            out.push_str(class);
            out.push_str("\">\n");
        }
    }
    for HtmlPageLink { href, text, media_type, .. } in links {
        out.push_str("<li><a href=\"");
        escape::markup(href, out);
        out.push('"');
        if let Some(media_type) = media_type {
            out.push_str(" type=\"");
            out.push_str(media_type);
            out.push('"');
        }
        out.push('>');
        out.push_str(text);
        out.push_str("</a></li>\n");
    }
    out.push_str("</ul>\n");
}
