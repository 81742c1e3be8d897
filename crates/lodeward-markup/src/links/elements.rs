//! Classification of elements and link relations.

/// Whether a link relation is only for browsers: styles, icons, preload hints.
#[must_use]
pub fn is_browser_rel(rel: &str) -> bool {
    const BROWSER_RELS: &[&str] = &[
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
    has_word(rel, BROWSER_RELS)
}

/// Whether a text contains one of these words, ignoring case.
pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    text.split_ascii_whitespace().any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// Whether an element starts and ends a block of text.
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

/// Whether an element can be closed while blocks inside it stay open.
pub(super) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}
