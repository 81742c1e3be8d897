//! Tests of the links and scripts of pages.

use lodeward_markup::links::PageLink;

use crate::extract::ExtractOptions;
use crate::extract::document_reader::tests::{TestSink, read};
use crate::model::{FaultKind, LinkKind, Relevance};

fn page(html: &str) -> TestSink {
    read(&ExtractOptions::default(), Some("text/html; charset=utf-8"), html.as_bytes()).1
}

fn link<'a>(sink: &'a TestSink, target: &str) -> &'a PageLink {
    let link = sink.links.iter().find(|link| link.target.as_str() == target).unwrap();
    let LinkKind::Html(link) = &link.via else { panic!("not from HTML") };
    link
}

#[test]
fn every_kind_of_reference_is_found() {
    let sink = page(
        r##"<!doctype html><head><base href="/dir/"><link rel=alternate type="application/rdf+xml" href=data.rdf title="Data">
        <link rel="stylesheet" href=s.css><link rel="shortcut icon" href=i.ico><link rel="alternate stylesheet" href=t.css>
        <link rel=canonical href=canonical><meta http-equiv=Refresh content="5; URL='later'"></head>
        <A HREF=" one?a=1&amp;b=2&copy=3 ">One</A><a name=none>x</a><a href="#part">x</a><a href="mailto:a@b.org">x</a>
        <a href="javascript:x()">x</a><map><area href=two></map><iframe src=three></iframe><frameset><frame src=four></frameset>
        <a href="one?a=1&amp;b=2&copy=3">again</a><a href="http://a.org/doc">self</a><!-- <a href=commented> -->
        <script>"<a href=scripted>"</script><textarea><a href=written></textarea>
        <noscript><p><a href=five>no script</a></noscript><style><a href=styled></style>"##,
    );

    let expected = ["data.rdf", "canonical", "later", "one?a=1&b=2&copy=3", "two", "three", "four", "five"];
    assert_eq!(sink.targets(), expected.map(|name| format!("http://a.org/dir/{name}")));
    let data = link(&sink, "http://a.org/dir/data.rdf");
    assert_eq!((data.element.as_str(), data.rel.as_deref()), ("link", Some("alternate")));
    assert_eq!((data.media_type.as_deref(), data.title.as_deref()), (Some("application/rdf+xml"), Some("Data")));
}

#[test]
fn link_has_text_context_and_tag_path() {
    let sink = page(
        "<html><body><p>Other block.<ul><li>First <li>The data &eacute;t&eacute; is <b>in</b>\n\n <a href=x title=t>an <i>RDF</i>\
         \n file</a>, says<br>he.</ul><p>Last block. <a href=y><div>Inner</div></a>",
    );

    let x = link(&sink, "http://a.org/x");
    assert_eq!(x.text, "an RDF file");
    assert_eq!(x.context, "The data été is in , says he.");
    assert_eq!(x.tag_path, "ul/li");
    assert_eq!(x.title.as_deref(), Some("t"));
    assert_eq!(link(&sink, "http://a.org/y").text, "Inner");
}

#[test]
fn nofollow_links_are_omitted_unless_requested() {
    let one = "<a href=x rel='external NoFollow'>x</a><a href=y>y</a>";
    let all = "<meta name=ROBOTS content='noindex, nofollow'><a href=y>y</a>";
    let disregard = ExtractOptions { obey_nofollow: false, ..ExtractOptions::default() };

    assert_eq!(page(one).targets(), ["http://a.org/y"]);
    assert!(page(all).links.is_empty());
    assert_eq!(read(&disregard, None, one.as_bytes()).1.links.len(), 2);
    assert_eq!(read(&disregard, Some("text/html"), all.as_bytes()).1.links.len(), 1);
}

#[test]
fn broken_script_does_not_affect_the_others() {
    let (extracted, sink) = read(
        &ExtractOptions::default(),
        Some("text/html"),
        br#"<html><script type="application/ld+json">{"@id": "x", "http://p.org/": 1, "http://q.org/": {"@id": "_:a"}}</script>
        <script type="application/ld+json">no JSON at all</script><script>var x = {};</script><script type="application/ld+json"></script>
        <script type="Application/LD+JSON; charset=utf-8">
            [{"@id": "_:a", "http://p.org/": {"@id": "/linked"}}]
        </script>"#,
    );

    assert_eq!((extracted.format, extracted.relevance), ("html", Relevance::Rdf));
    assert_eq!(extracted.quads_by_format, [("json-ld-script", 3)]);
    assert_eq!(sink.quads[0].subject.to_string(), "<http://a.org/x>");
    assert_ne!(sink.quads[1].object.to_string(), sink.quads[2].subject.to_string(), "scripts share no blank nodes");
    assert_eq!(sink.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Syntax]);
    assert!(sink.targets().contains(&"http://a.org/linked"));
}

#[test]
fn page_without_rdf_is_not_relevant() {
    let (extracted, _) = read(&ExtractOptions::default(), Some("text/html"), b"<html><p>Hello");

    assert_eq!((extracted.format, extracted.relevance), ("html", Relevance::None));
}

#[test]
fn hostile_pages_are_read_in_bounded_time_and_memory() {
    let nested = "<div>".repeat(30_000) + "<a href=x>x</a>" + &"</span>".repeat(30_000);
    let unclosed = "<a href=x>".repeat(30_000);
    let images = "<a href=x><img></a>".repeat(30_000) + &"<b>x</b>".repeat(30_000);
    let line = format!("<p>{}<a href=x>{0}</a>{0}", "x &amp; ".repeat(1 << 16));
    let tag = format!("<a href=x>x</a><a href='{}", "x".repeat(1 << 20));
    for html in [nested, unclosed, images, line, tag] {
        let sink = page(&format!("<html>{html}"));

        assert!(sink.links.len() <= 1);
    }
}

#[test]
fn page_of_a_catalogue_leads_to_its_api() {
    let check = |page: &str, expected: &[&str]| {
        let (_, found) = read(&ExtractOptions::default(), Some("text/html"), page.as_bytes());
        assert_eq!(found.steps.iter().map(|next| next.uri.as_str()).collect::<Vec<_>>(), expected, "{page}");
    };
    let api = "api/3/action/package_search?rows=100&start=0&sort=id+asc";
    let at_root = format!("http://a.org/{api}");
    let below = format!("http://a.org/data/{api}");

    check(
        "<head><meta name='generator' content='ckan 2.9.5' /></head><body data-site-root='http://x.org/'>",
        &[&at_root],
    );
    // A page with statements is parsed into a tree.
    check(
        "<html><head><meta content=' CKAN 2.10.1' name=Generator></head>\
         <body data-site-root='/data/'><p property='http://p.org/q' itemscope itemprop=x>1</p></body>",
        &[&below],
    );
    check("<head><meta name='generator' content='WordPress'></head><body data-site-root='/'>", &[]);
    check("<body data-site-root='/'>", &[]);
}
