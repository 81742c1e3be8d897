//! The links of a page, with their text and context.

mod collector;
mod feed;
mod text;
mod walk;
mod elements;

pub(crate) use collector::{CollectedLinks, LinkCollector};
pub use elements::is_browser_rel;
pub(crate) use feed::collect_from_feed;
pub(crate) use walk::collect_from_tree;

/// A link of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLink {
    /// The URL reference as written, without surrounding white space.
    pub href: String,
    /// The name of the element: `a`, `area`, `link`, `iframe`, `frame`, or `meta` for a refresh.
    pub element: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// The `type` attribute.
    pub media_type: Option<String>,
    /// The `title` attribute, truncated to a limit.
    pub title: Option<String>,
    /// The anchor text, with white space collapsed, truncated to a limit.
    pub text: String,
    /// The text around the anchor within its block, truncated to a limit on each side.
    pub context: String,
    /// The names of the enclosing elements, outermost first: `div/ul/li`. Elements with optional
    /// tags are omitted: `html`, `body`, `tbody`.
    pub tag_path: String,
}

/// Options of link extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOptions {
    /// The maximum number of links of a page. More links indicate a trap.
    pub max_links: usize,
    /// The number of characters of context on each side of an anchor.
    pub context_characters: usize,
    /// The maximum number of characters of an anchor text, and of a title.
    pub anchor_characters: usize,
    /// Whether to omit links marked `rel=nofollow`.
    pub obey_nofollow: bool,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { max_links: 10_000, context_characters: 80, anchor_characters: 200, obey_nofollow: false }
    }
}
