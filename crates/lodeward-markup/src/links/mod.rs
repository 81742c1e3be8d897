//! What a page links to, with what it says about each link.

mod gather;
mod text;
mod walk;
mod words;

pub(crate) use gather::{Gathered, Gathering};
pub(crate) use walk::gather_from_tree;
pub use words::is_furniture;

/// A link of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// The address, as written, without white space around it.
    pub href: String,
    /// The element's name: `a`, `area`, `link`, `iframe`, `frame`, or `meta`
    /// for a page that sends its readers elsewhere.
    pub element: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// The `type` attribute.
    pub media_type: Option<String>,
    /// The `title` attribute, cut to a bound.
    pub title: Option<String>,
    /// The anchor text, white space folded, cut to a bound.
    pub text: String,
    /// The text around the anchor within its block, cut to a bound each side.
    pub context: String,
    /// The names of the enclosing elements, outermost first: `div/ul/li`.
    /// Those that people may leave out are left out: `html`, `body`, `tbody`.
    pub tag_path: String,
}

/// How links are gathered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Links taken from one page. More are the mark of a trap.
    pub links_max: usize,
    /// Characters of context kept on each side of an anchor.
    pub context_characters: usize,
    /// Characters kept of an anchor's text, and of its title.
    pub anchor_characters: usize,
    /// Whether links marked `rel=nofollow`, and all links of a page whose
    /// robots meta element says `nofollow`, are left out.
    pub respect_nofollow: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { links_max: 10_000, context_characters: 80, anchor_characters: 200, respect_nofollow: false }
    }
}
