//! Where a page is in SVG or `MathML`: there titles and styles are elements like
//! others, and not raw text.

use std::borrow::Cow;

use crate::tokens::{Attributes, unescaped_value};
use crate::tree::is_void;

/// Elements inside `<svg>` or `<math>` that are told apart.
const OPEN_ELEMENTS_MAX: usize = 256;

/// The open elements from the outermost `<svg>` or `<math>` on.
#[derive(Debug, Default)]
pub(super) struct Foreign<'a> {
    open: Vec<(Cow<'a, str>, bool)>,
}

impl<'a> Foreign<'a> {
    /// A start tag. Says whether its element is a foreign one.
    pub(super) fn start_tag(&mut self, name: Cow<'a, str>, is_self_closing: bool, attributes: &Attributes<'a>) -> bool {
        let is_entry = matches!(&*name, "svg" | "math");
        if self.open.is_empty() && !is_entry {
            return false;
        }
        if self.is_inside() && is_breakout(&name) {
            self.break_out();
        }
        let is_foreign = is_entry || self.is_inside();
        let is_open = if is_foreign { !is_self_closing } else { !self.open.is_empty() && !is_void(&name) };
        if is_open && self.open.len() < OPEN_ELEMENTS_MAX {
            let holds_html = is_foreign && is_integration_point(&name, attributes);
            self.open.push((name, is_foreign && !holds_html));
        }
        is_foreign
    }

    /// An end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        if self.is_inside() && matches!(name, "p" | "br") {
            return self.break_out();
        }
        if let Some(depth) = self.open.iter().rposition(|(open, _)| open == name) {
            self.open.truncate(depth);
        }
    }

    /// Whether what comes next is in SVG or `MathML`, and not in the HTML that
    /// may be inside again.
    pub(super) fn is_inside(&self) -> bool {
        self.open.last().is_some_and(|(_, is_foreign)| *is_foreign)
    }

    fn break_out(&mut self) {
        while self.is_inside() {
            self.open.pop();
        }
    }
}

/// Elements of SVG and `MathML` that HTML may be in.
fn is_integration_point(name: &str, attributes: &Attributes<'_>) -> bool {
    match name {
        "foreignobject" | "desc" | "title" | "mi" | "mo" | "mn" | "ms" | "mtext" => true,
        "annotation-xml" => attributes.get("encoding").is_some_and(|encoding| {
            let encoding = unescaped_value(encoding);
            ["text/html", "application/xhtml+xml"].iter().any(|html| encoding.eq_ignore_ascii_case(html))
        }),
        _ => false,
    }
}

/// Elements of HTML that end SVG and `MathML` around them.
fn is_breakout(name: &str) -> bool {
    const BREAKOUTS: &[&str] = &[
        "b",
        "big",
        "blockquote",
        "body",
        "br",
        "center",
        "code",
        "dd",
        "div",
        "dl",
        "dt",
        "em",
        "embed",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "hr",
        "i",
        "img",
        "li",
        "listing",
        "menu",
        "meta",
        "nobr",
        "ol",
        "p",
        "pre",
        "ruby",
        "s",
        "small",
        "span",
        "strong",
        "strike",
        "sub",
        "sup",
        "table",
        "tt",
        "u",
        "ul",
        "var",
    ];
    BREAKOUTS.contains(&name)
}
