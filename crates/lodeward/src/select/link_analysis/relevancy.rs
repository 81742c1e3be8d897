//! `Relevancy_R`: classifies a link as leading to an RDF document, to a page, or to neither (link
//! analysis §III.C.2).

use lodeward_markup::links::PageLink;

use super::class::{FiredHeuristics, Heuristic, LinkClass};
use super::term_lists::RdfTermLists;
use crate::model::{Link, LinkKind, Uri};

/// Texts of the linking document that describe a link.
struct LinkDescription<'a> {
    media_type: &'a str,
    title: &'a str,
    text: &'a str,
    context: &'a str,
}

/// Returns the class of a link (R, H or N) and the heuristics that fired for R. `from_page` is true if
/// the link was found in an HTML page.
///
/// Step 1 of the paper also checks the protocol. This is not needed here: the target of a [`Link`] is
/// always an HTTP URI.
pub(super) fn relevancy_r(lists: &RdfTermLists, link: &Link, from_page: bool) -> (LinkClass, FiredHeuristics) {
    let extension = extension_hint(lists, &link.target);
    if extension == ExtensionHint::Of(LinkClass::N) {
        return (LinkClass::N, FiredHeuristics::default());
    }
    // Links in the RDFa of a page are triples, too, but the paper's RDF links are only those
    // "extracted from an RDF document".
    let is_rdf_link = matches!(link.via, LinkKind::Triple { .. }) && !from_page;
    let mut evidence = term_evidence(lists, link);
    if extension == ExtensionHint::Of(LinkClass::R) {
        evidence.add(Heuristic::Extension);
    }
    if is_rdf_link && extension == ExtensionHint::None {
        evidence.add(Heuristic::RdfLink);
    }
    let is_page = extension == ExtensionHint::Of(LinkClass::H) || (extension == ExtensionHint::None && !is_rdf_link);
    let class = match evidence {
        evidence if !evidence.is_empty() => LinkClass::R,
        _ if is_page => LinkClass::H,
        _ => LinkClass::N,
    };
    (class, evidence)
}

/// The heuristics that fire because of terms and media types in the URL and the texts of a link.
fn term_evidence(lists: &RdfTermLists, link: &Link) -> FiredHeuristics {
    let mut evidence = FiredHeuristics::default();
    let mut record = |heuristic, fires: bool| {
        if fires {
            evidence.add(heuristic);
        }
    };
    let end = link.target.path().rfind('/').map_or(0, |slash| slash + 1);
    let (directories, file) = link.target.path_and_query().split_at(end);
    record(Heuristic::PathTerm, lists.terms.matches_address(directories));
    record(Heuristic::FilenameTerm, lists.terms.matches_address(file));
    if let Some(LinkDescription { media_type, title, text, context }) = link_description(&link.via) {
        record(Heuristic::TypeTerm, lists.terms.matches(media_type));
        record(Heuristic::TitleTerm, lists.terms.matches(title));
        record(Heuristic::AnchorTerm, lists.terms.matches(text));
        record(Heuristic::ContextTerm, lists.terms.matches(context));
        record(Heuristic::TypeMediaType, lists.contains_media_type(media_type));
        record(Heuristic::TitleMediaType, lists.contains_media_type(title));
        record(Heuristic::AnchorMediaType, lists.contains_media_type(text));
        record(Heuristic::ContextMediaType, lists.contains_media_type(context));
    }
    evidence
}

fn link_description(via: &LinkKind) -> Option<LinkDescription<'_>> {
    match via {
        LinkKind::Html(link) => {
            let PageLink { media_type, title, text, context, .. } = &**link;
            let media_type = media_type.as_deref().unwrap_or_default();
            Some(LinkDescription { media_type, title: title.as_deref().unwrap_or_default(), text, context })
        }
        // The paper does not consider link headers (RFC 8288): they are treated as <link> elements.
        LinkKind::Header { media_type, .. } => {
            let media_type = media_type.as_deref().unwrap_or_default();
            Some(LinkDescription { media_type, title: "", text: "", context: "" })
        }
        LinkKind::Listed { media_type: Some(media_type), .. } => {
            Some(LinkDescription { media_type, title: "", text: "", context: "" })
        }
        LinkKind::Seed | LinkKind::Triple { .. } | LinkKind::Redirect(_) | LinkKind::Listed { .. } => None,
    }
}

/// What the file extension of a URL indicates about the class of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtensionHint {
    /// The URL has no extension.
    None,
    /// The extension is in the lists, with this class.
    Of(LinkClass),
    /// The extension is not in the lists.
    Unknown,
}

/// Extensions of compressed files. They do not indicate the format of the content.
const COMPRESSION_EXTENSIONS: &[&str] = &["gz", "bz2", "xz", "zst"];

/// Maximum length of an unknown extension in characters. A longer suffix is not treated as an
/// extension.
const MAX_UNKNOWN_EXTENSION_CHARS: usize = 5;

fn extension_hint(lists: &RdfTermLists, uri: &Uri) -> ExtensionHint {
    let Some(extension) = uri.extension() else { return ExtensionHint::None };
    if COMPRESSION_EXTENSIONS.contains(&extension.as_str()) {
        let stem = uri.path().rsplit_once('.').map_or("", |(stem, _)| stem);
        let file = stem.rsplit('/').next().unwrap_or_default();
        let inner = file.rsplit_once('.').map(|(_, inner)| inner.to_ascii_lowercase());
        let class = inner.and_then(|inner| lists.extension_class(&inner));
        return class.filter(|class| *class == LinkClass::R).map_or(ExtensionHint::Unknown, ExtensionHint::Of);
    }
    match lists.extension_class(&extension) {
        Some(class) => ExtensionHint::Of(class),
        // `/version/1.0` and `/wiki/J.R.R.Tolkien` have no extension. The paper does not define
        // extensions; if every full stop began one, such pages would be dropped as N.
        None if extension.len() > MAX_UNKNOWN_EXTENSION_CHARS => ExtensionHint::None,
        None if extension.bytes().all(|byte| byte.is_ascii_digit()) => ExtensionHint::None,
        None => ExtensionHint::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Heuristic::{
        AnchorMediaType, AnchorTerm, ContextMediaType, ContextTerm, FilenameTerm, PathTerm, RdfLink, TitleMediaType,
        TitleTerm, TypeMediaType, TypeTerm,
    };

    const PAGE: bool = true;
    const RDF: bool = false;

    fn check(target: &str, via: LinkKind, from_page: bool, class: LinkClass, fired: &[Heuristic]) {
        let link = Link { target: Uri::parse(target).unwrap(), via };

        let (found, evidence) = relevancy_r(&RdfTermLists::built_in(), &link, from_page);

        let mut expected = fired.to_vec();
        expected.sort_unstable();
        assert_eq!((found, evidence.iter().collect::<Vec<_>>()), (class, expected), "{target} {:?}", link.via);
    }

    fn anchor(text: &str) -> LinkKind {
        LinkKind::Html(Box::new(PageLink { element: "a".to_owned(), text: text.to_owned(), ..PageLink::default() }))
    }

    fn html(change: impl FnOnce(&mut PageLink)) -> LinkKind {
        let mut link = PageLink { element: "a".to_owned(), ..PageLink::default() };
        change(&mut link);
        LinkKind::Html(Box::new(link))
    }

    fn triple() -> LinkKind {
        LinkKind::Triple { properties: Vec::new(), vocabulary: false, siblings: Vec::new(), type_hint: None }
    }

    #[test]
    fn step_1_non_rdf_extensions_are_n() {
        check("http://a.example/rdf.jpg", anchor("RDF"), PAGE, LinkClass::N, &[]);
        check("http://a.example/rdf.PDF", triple(), RDF, LinkClass::N, &[]);
    }

    #[test]
    fn step_2_every_property_may_mention_rdf() {
        let x = "http://a.example/x";
        let page = |change: fn(&mut PageLink)| html(change);

        check(x, anchor("as FOAF"), PAGE, LinkClass::R, &[AnchorTerm]);
        check(x, page(|link| link.title = Some("Triples".into())), PAGE, LinkClass::R, &[TitleTerm]);
        check(x, page(|link| link.context = "also in Turtle:".into()), PAGE, LinkClass::R, &[ContextTerm]);
        check("http://a.example/linked-data/x", anchor("x"), PAGE, LinkClass::R, &[PathTerm]);
        check("http://a.example/foaf", anchor("x"), PAGE, LinkClass::R, &[FilenameTerm]);
        check("http://a.example/x.php?format=rdf", anchor("x"), PAGE, LinkClass::R, &[FilenameTerm]);
        let fired = &[TypeTerm, TypeMediaType];
        check(x, page(|link| link.media_type = Some("application/rdf+xml".into())), PAGE, LinkClass::R, fired);
        check(
            x,
            page(|link| link.media_type = Some("application/n-quads".into())),
            PAGE,
            LinkClass::R,
            &[TypeMediaType],
        );
        check(x, page(|link| link.title = Some("text/n3".into())), PAGE, LinkClass::R, &[TitleTerm, TitleMediaType]);
        check(x, anchor("text/turtle"), PAGE, LinkClass::R, &[AnchorTerm, AnchorMediaType]);
        let fired = &[ContextTerm, ContextMediaType];
        check(x, page(|link| link.context = "(application/ld+json)".into()), PAGE, LinkClass::R, fired);
        check("http://a.example/x.ttl", anchor("x"), PAGE, LinkClass::R, &[FilenameTerm, Heuristic::Extension]);
        check("http://a.example/x.nt", anchor("x"), PAGE, LinkClass::R, &[Heuristic::Extension]);
        check("http://a.example/x.nt.gz", anchor("x"), PAGE, LinkClass::R, &[Heuristic::Extension]);
        check(x, triple(), RDF, LinkClass::R, &[RdfLink]);
    }

    #[test]
    fn step_2_the_type_of_a_link_header_counts() {
        let header =
            |media_type: &str| LinkKind::Header { rel: "alternate".into(), media_type: Some(media_type.into()) };

        check("http://a.example/x", header("text/turtle"), PAGE, LinkClass::R, &[TypeTerm, TypeMediaType]);
        check("http://a.example/x", header("text/html"), PAGE, LinkClass::H, &[]);
    }

    #[test]
    fn step_2_triples_of_a_page_are_not_rdf_links() {
        check("http://a.example/x", triple(), PAGE, LinkClass::H, &[]);
        check("http://a.example/x.rdf", triple(), PAGE, LinkClass::R, &[FilenameTerm, Heuristic::Extension]);
    }

    #[test]
    fn step_3_links_to_pages_are_h() {
        check("http://a.example/", anchor("home"), PAGE, LinkClass::H, &[]);
        check("http://a.example/x.html", anchor("x"), PAGE, LinkClass::H, &[]);
        check("http://a.example/x.php?id=1", anchor("x"), PAGE, LinkClass::H, &[]);
        check("http://a.example/x.html", triple(), RDF, LinkClass::H, &[]);
        check("http://a.example/version/1.0", anchor("x"), PAGE, LinkClass::H, &[]);
        check("http://a.example/wiki/J.R.R.Tolkien", anchor("x"), PAGE, LinkClass::H, &[]);
    }

    #[test]
    fn step_4_all_other_links_are_n() {
        check("http://a.example/feed.xml", anchor("x"), PAGE, LinkClass::N, &[]);
        check("http://a.example/data.zip", anchor("x"), PAGE, LinkClass::N, &[]);
        check("http://a.example/data.csv.gz", anchor("x"), PAGE, LinkClass::N, &[]);
        check("http://a.example/x.json", triple(), RDF, LinkClass::N, &[]);
        check("http://a.example/feed.xml", anchor("RDF"), PAGE, LinkClass::R, &[AnchorTerm]);
    }

    #[test]
    fn the_host_is_ignored() {
        check("http://rdf.example/x", anchor("x"), PAGE, LinkClass::H, &[]);
    }
}
