//! HTML: the frame, the links, and whatever RDF is embedded.

use super::super::content::Content;
use super::super::kind::Kind;
use super::{Setting, escape, json_ld, microdata, rdfa};

/// What a page is made of.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    /// `href` and `type` of `<link rel="alternate">`.
    pub(crate) alternate: Option<(String, &'static str)>,
    pub(crate) links: Vec<PageLink>,
    pub(crate) prose: String,
}

/// A link of a page, its `href` ready to be written.
pub(crate) struct PageLink {
    pub(crate) href: String,
    pub(crate) text: &'static str,
    pub(crate) media_type: Option<&'static str>,
    /// The class of the list it stands in, where there are several.
    pub(crate) list: Option<&'static str>,
}

/// Writes a page with what it says in the ways of its kind.
pub(crate) fn write(kind: Kind, page: &Page<'_>, content: &Content, setting: &Setting<'_>) -> String {
    let mut out = String::with_capacity(2048 + page.prose.len());
    out.push_str("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>");
    escape::markup(page.title, &mut out);
    out.push_str("</title>\n");
    if let Some((href, media_type)) = &page.alternate {
        push_alternate(href, media_type, &mut out);
    }
    if kind == Kind::HtmlJsonLd {
        push_script(content, setting, &mut out);
    }
    out.push_str("</head>\n<body>\n<h1>");
    escape::markup(page.title, &mut out);
    out.push_str("</h1>\n");
    push_links(&page.links, &mut out);
    match kind {
        Kind::HtmlRdfa => rdfa::write(content, &mut out),
        Kind::HtmlMicrodata => microdata::write(content, &mut out),
        Kind::HtmlSeveral => push_several(content, setting, &mut out),
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

/// RDFa for the thing itself, Microdata for its first part, scripts for the
/// others.
fn push_several(content: &Content, setting: &Setting<'_>, out: &mut String) {
    let part = |range: std::ops::Range<usize>| Content {
        descriptions: content.descriptions.get(range).map(<[_]>::to_vec).unwrap_or_default(),
    };
    rdfa::write(&part(0..1), out);
    microdata::write(&part(1..2), out);
    push_script(&part(2..content.descriptions.len()), setting, out);
}

fn push_script(content: &Content, setting: &Setting<'_>, out: &mut String) {
    out.push_str("<script type=\"application/ld+json\">\n");
    json_ld::write(content, setting, out);
    out.push_str("</script>\n");
}

fn push_alternate(href: &str, media_type: &str, out: &mut String) {
    out.push_str("<link rel=\"alternate\" type=\"");
    out.push_str(media_type);
    out.push_str("\" href=\"");
    escape::markup(href, out);
    out.push_str("\">\n");
}

fn push_links(links: &[PageLink], out: &mut String) {
    let mut lists: Vec<Option<&str>> = Vec::new();
    for link in links {
        if !lists.contains(&link.list) {
            lists.push(link.list);
        }
    }
    // A page without links has an empty list all the same.
    if lists.is_empty() {
        lists.push(None);
    }
    for list in lists {
        push_list(list, links.iter().filter(|link| link.list == list), out);
    }
}

fn push_list<'a>(class: Option<&str>, links: impl Iterator<Item = &'a PageLink>, out: &mut String) {
    match class {
        None => out.push_str("<ul>\n"),
        Some(class) => {
            out.push_str("<ul class=\"");
            out.push_str(class);
            out.push_str("\">\n");
        }
    }
    for PageLink { href, text, media_type, .. } in links {
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
