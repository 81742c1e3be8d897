//! Tracking SVG and `MathML` in a page: inside, `title` and `style` are normal elements, not raw
//! text.

use std::borrow::Cow;

use crate::tokens::{TagAttributes, unescape_value};
use crate::tree::is_void;

/// The maximum number of tracked elements inside `<svg>` or `<math>`.
const MAX_OPEN_ELEMENTS: usize = 256;

/// The open elements, starting with the outermost `<svg>` or `<math>`.
#[derive(Debug, Default)]
pub(super) struct ForeignContent<'a> {
    open: Vec<(Cow<'a, str>, bool)>,
}

impl<'a> ForeignContent<'a> {
    /// Handles a start tag. Returns whether its element is in SVG or `MathML`.
    pub(super) fn start_tag(
        &mut self,
        name: Cow<'a, str>,
        is_self_closing: bool,
        attributes: &TagAttributes<'a>,
    ) -> bool {
        let is_entry = matches!(&*name, "svg" | "math");
        if self.open.is_empty() && !is_entry {
            return false;
        }
        if self.is_inside() && is_breakout(&name) {
            self.break_out();
        }
        let is_foreign = is_entry || self.is_inside();
        let is_open = if is_foreign { !is_self_closing } else { !self.open.is_empty() && !is_void(&name) };
        if is_open && self.open.len() < MAX_OPEN_ELEMENTS {
            let holds_html = is_foreign && is_integration_point(&name, attributes);
            self.open.push((name, is_foreign && !holds_html));
        }
        is_foreign
    }

    /// Handles an end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        if self.is_inside() && matches!(name, "p" | "br") {
            return self.break_out();
        }
        if let Some(depth) = self.open.iter().rposition(|(open, _)| open == name) {
            self.open.truncate(depth);
        }
    }

    /// Whether the next token is in SVG or `MathML`, and not in HTML embedded there.
    pub(super) fn is_inside(&self) -> bool {
        self.open.last().is_some_and(|(_, is_foreign)| *is_foreign)
    }

    fn break_out(&mut self) {
        while self.is_inside() {
            self.open.pop();
        }
    }
}

/// Elements of SVG and `MathML` that can contain HTML.
fn is_integration_point(name: &str, attributes: &TagAttributes<'_>) -> bool {
    match name {
        "foreignobject" | "desc" | "title" | "mi" | "mo" | "mn" | "ms" | "mtext" => true,
        "annotation-xml" => attributes.get("encoding").is_some_and(|encoding| {
            let encoding = unescape_value(encoding);
            ["text/html", "application/xhtml+xml"].iter().any(|html| encoding.eq_ignore_ascii_case(html))
        }),
        _ => false,
    }
}

/// HTML elements that end the SVG or `MathML` around them.
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
