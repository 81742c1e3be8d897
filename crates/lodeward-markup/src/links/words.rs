//! What elements and relations mean for links.

/// Whether a relation of a link is one that browsers have use for and nobody else: style,
/// icons, hints to load early.
#[must_use]
pub fn is_furniture(rel: &str) -> bool {
    const FURNITURE: &[&str] = &[
        "stylesheet",
        "icon",
        "shortcut",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "fluid-icon",
        "apple-touch-startup-image",
        "image_src",
        "preload",
        "prefetch",
        "prerender",
        "modulepreload",
        "dns-prefetch",
        "preconnect",
        "manifest",
        "pingback",
        "search",
        "edituri",
        "wlwmanifest",
    ];
    has_word(rel, FURNITURE)
}

/// Whether one of these words is in a text, in any case.
pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    text.split_ascii_whitespace().any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// Whether an element begins and ends a block of text.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "title"
            | "tr"
            | "ul"
    )
}

/// Whether an element may be closed while blocks inside it go on.
pub(super) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}
