//! `Relevancy_R`: whether a link leads to an RDF document, to a page, or to
//! neither (link analysis §III.C.2).

use super::class::{Class, Evidence, Heuristic};
use super::lists::Lists;
use crate::model::link::HtmlLink;
use crate::model::{Link, Uri, Via};

/// What is said about a link where it was found.
struct Described<'a> {
    media_type: &'a str,
    title: &'a str,
    text: &'a str,
    context: &'a str,
}

/// The class of a link, R, H or N, and what speaks for R. `from_page` says
/// whether it was found in HTML.
///
/// Step 1 of the paper also looks at the protocol; what is not HTTP never
/// becomes a [`Link`].
pub(super) fn relevancy_r(lists: &Lists, link: &Link, from_page: bool) -> (Class, Evidence) {
    let extension = extension(lists, &link.target);
    if extension == Extension::Of(Class::N) {
        return (Class::N, Evidence::default());
    }
    // RDFa in a page makes triples, too, but only a link that was "extracted from
    // an RDF document" is an RDF link.
    let is_rdf_link = matches!(link.via, Via::Triple { .. }) && !from_page;
    let mut evidence = speaks_for_r(lists, link);
    if extension == Extension::Of(Class::R) {
        evidence.add(Heuristic::Extension);
    }
    if is_rdf_link && extension == Extension::None {
        evidence.add(Heuristic::RdfLink);
    }
    let is_page = extension == Extension::Of(Class::H) || (extension == Extension::None && !is_rdf_link);
    let class = match evidence {
        evidence if !evidence.is_empty() => Class::R,
        _ if is_page => Class::H,
        _ => Class::N,
    };
    (class, evidence)
}

/// Terms and media types, in whatever has words.
fn speaks_for_r(lists: &Lists, link: &Link) -> Evidence {
    let mut evidence = Evidence::default();
    let mut note = |heuristic, fires: bool| {
        if fires {
            evidence.add(heuristic);
        }
    };
    let end = link.target.path().rfind('/').map_or(0, |slash| slash + 1);
    let (directories, file) = link.target.path_and_query().split_at(end);
    note(Heuristic::PathTerm, lists.terms.are_in_address(directories));
    note(Heuristic::FilenameTerm, lists.terms.are_in_address(file));
    if let Some(Described { media_type, title, text, context }) = described(&link.via) {
        note(Heuristic::TypeTerm, lists.terms.are_in(media_type));
        note(Heuristic::TitleTerm, lists.terms.are_in(title));
        note(Heuristic::AnchorTerm, lists.terms.are_in(text));
        note(Heuristic::ContextTerm, lists.terms.are_in(context));
        note(Heuristic::TypeMediaType, lists.has_media_type(media_type));
        note(Heuristic::TitleMediaType, lists.has_media_type(title));
        note(Heuristic::AnchorMediaType, lists.has_media_type(text));
        note(Heuristic::ContextMediaType, lists.has_media_type(context));
    }
    evidence
}

fn described(via: &Via) -> Option<Described<'_>> {
    match via {
        Via::Html(link) => {
            let HtmlLink { media_type, title, text, context, .. } = &**link;
            let media_type = media_type.as_deref().unwrap_or_default();
            Some(Described { media_type, title: title.as_deref().unwrap_or_default(), text, context })
        }
        // As old as RFC 8288 is, the paper does not know it: it is a <link> that
        // went ahead of its document.
        Via::Header { media_type, .. } => {
            let media_type = media_type.as_deref().unwrap_or_default();
            Some(Described { media_type, title: "", text: "", context: "" })
        }
        Via::Listed { media_type: Some(media_type), .. } => {
            Some(Described { media_type, title: "", text: "", context: "" })
        }
        Via::Seed | Via::Triple { .. } | Via::Redirect(_) | Via::Listed { .. } | Via::Step(_) => None,
    }
}

/// What the end of a file name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    /// There is none.
    None,
    /// One that the lists know.
    Of(Class),
    /// One that nobody knows.
    Unknown,
}

/// Compression says nothing about what is compressed.
const COMPRESSIONS: &[&str] = &["gz", "bz2", "xz", "zst"];

/// The longest extension that is believed to be one without being listed.
const UNKNOWN_CHARACTERS_MAX: usize = 5;

fn extension(lists: &Lists, uri: &Uri) -> Extension {
    let Some(extension) = uri.extension() else { return Extension::None };
    if COMPRESSIONS.contains(&extension.as_str()) {
        let stem = uri.path().rsplit_once('.').map_or("", |(stem, _)| stem);
        let file = stem.rsplit('/').next().unwrap_or_default();
        let inner = file.rsplit_once('.').map(|(_, inner)| inner.to_ascii_lowercase());
        let class = inner.and_then(|inner| lists.class_of_extension(&inner));
        return class.filter(|class| *class == Class::R).map_or(Extension::Unknown, Extension::Of);
    }
    match lists.class_of_extension(&extension) {
        Some(class) => Extension::Of(class),
        // `/version/1.0` and `/wiki/J.R.R.Tolkien` have none. The paper does not
        // say; to take every full stop for one would drop such pages as N.
        None if extension.len() > UNKNOWN_CHARACTERS_MAX => Extension::None,
        None if extension.bytes().all(|byte| byte.is_ascii_digit()) => Extension::None,
        None => Extension::Unknown,
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

    fn check(target: &str, via: Via, from_page: bool, class: Class, fired: &[Heuristic]) {
        let link = Link { target: Uri::parse(target).unwrap(), via };

        let (found, evidence) = relevancy_r(&Lists::built_in(), &link, from_page);

        let mut expected = fired.to_vec();
        expected.sort_unstable();
        assert_eq!((found, evidence.iter().collect::<Vec<_>>()), (class, expected), "{target} {:?}", link.via);
    }

    fn anchor(text: &str) -> Via {
        Via::Html(Box::new(HtmlLink { element: "a".to_owned(), text: text.to_owned(), ..HtmlLink::default() }))
    }

    fn html(change: impl FnOnce(&mut HtmlLink)) -> Via {
        let mut link = HtmlLink { element: "a".to_owned(), ..HtmlLink::default() };
        change(&mut link);
        Via::Html(Box::new(link))
    }

    fn triple() -> Via {
        Via::Triple { properties: Vec::new(), vocabulary: false, siblings: Vec::new(), telling: None }
    }

    #[test]
    fn step_1_what_cannot_be_rdf_is_n_whatever_else_is_said() {
        check("http://a.example/rdf.jpg", anchor("RDF"), PAGE, Class::N, &[]);
        check("http://a.example/rdf.PDF", triple(), RDF, Class::N, &[]);
    }

    #[test]
    fn step_2_every_property_may_speak_of_rdf() {
        let x = "http://a.example/x";
        let page = |change: fn(&mut HtmlLink)| html(change);

        check(x, anchor("as FOAF"), PAGE, Class::R, &[AnchorTerm]);
        check(x, page(|link| link.title = Some("Triples".into())), PAGE, Class::R, &[TitleTerm]);
        check(x, page(|link| link.context = "also in Turtle:".into()), PAGE, Class::R, &[ContextTerm]);
        check("http://a.example/linked-data/x", anchor("x"), PAGE, Class::R, &[PathTerm]);
        check("http://a.example/foaf", anchor("x"), PAGE, Class::R, &[FilenameTerm]);
        check("http://a.example/x.php?format=rdf", anchor("x"), PAGE, Class::R, &[FilenameTerm]);
        let fired = &[TypeTerm, TypeMediaType];
        check(x, page(|link| link.media_type = Some("application/rdf+xml".into())), PAGE, Class::R, fired);
        check(x, page(|link| link.media_type = Some("application/n-quads".into())), PAGE, Class::R, &[TypeMediaType]);
        check(x, page(|link| link.title = Some("text/n3".into())), PAGE, Class::R, &[TitleTerm, TitleMediaType]);
        check(x, anchor("text/turtle"), PAGE, Class::R, &[AnchorTerm, AnchorMediaType]);
        let fired = &[ContextTerm, ContextMediaType];
        check(x, page(|link| link.context = "(application/ld+json)".into()), PAGE, Class::R, fired);
        check("http://a.example/x.ttl", anchor("x"), PAGE, Class::R, &[FilenameTerm, Heuristic::Extension]);
        check("http://a.example/x.nt", anchor("x"), PAGE, Class::R, &[Heuristic::Extension]);
        check("http://a.example/x.nt.gz", anchor("x"), PAGE, Class::R, &[Heuristic::Extension]);
        check(x, triple(), RDF, Class::R, &[RdfLink]);
    }

    #[test]
    fn step_2_a_link_header_has_a_type() {
        let header = |media_type: &str| Via::Header { rel: "alternate".into(), media_type: Some(media_type.into()) };

        check("http://a.example/x", header("text/turtle"), PAGE, Class::R, &[TypeTerm, TypeMediaType]);
        check("http://a.example/x", header("text/html"), PAGE, Class::H, &[]);
    }

    #[test]
    fn step_2_triples_of_a_page_are_no_rdf_links() {
        check("http://a.example/x", triple(), PAGE, Class::H, &[]);
        check("http://a.example/x.rdf", triple(), PAGE, Class::R, &[FilenameTerm, Heuristic::Extension]);
    }

    #[test]
    fn step_3_what_looks_like_a_page_is_h() {
        check("http://a.example/", anchor("home"), PAGE, Class::H, &[]);
        check("http://a.example/x.html", anchor("x"), PAGE, Class::H, &[]);
        check("http://a.example/x.php?id=1", anchor("x"), PAGE, Class::H, &[]);
        check("http://a.example/x.html", triple(), RDF, Class::H, &[]);
        check("http://a.example/version/1.0", anchor("x"), PAGE, Class::H, &[]);
        check("http://a.example/wiki/J.R.R.Tolkien", anchor("x"), PAGE, Class::H, &[]);
    }

    #[test]
    fn step_4_everything_else_is_n() {
        check("http://a.example/feed.xml", anchor("x"), PAGE, Class::N, &[]);
        check("http://a.example/data.zip", anchor("x"), PAGE, Class::N, &[]);
        check("http://a.example/data.csv.gz", anchor("x"), PAGE, Class::N, &[]);
        check("http://a.example/x.json", triple(), RDF, Class::N, &[]);
        check("http://a.example/feed.xml", anchor("RDF"), PAGE, Class::R, &[AnchorTerm]);
    }

    #[test]
    fn the_host_says_nothing() {
        check("http://rdf.example/x", anchor("x"), PAGE, Class::H, &[]);
    }
}
