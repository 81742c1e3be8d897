use crate::extract::Options;
use crate::extract::reader::tests::{Basket, read};
use crate::model::link::HtmlLink;
use crate::model::{FaultKind, Relevance, Via};

fn page(html: &str) -> Basket {
    read(&Options::default(), Some("text/html; charset=utf-8"), html.as_bytes()).1
}

fn link<'a>(basket: &'a Basket, target: &str) -> &'a HtmlLink {
    let link = basket.links.iter().find(|link| link.target.as_str() == target).unwrap();
    let Via::Html(link) = &link.via else { panic!("not from HTML") };
    link
}

#[test]
fn every_sort_of_reference_is_found() {
    let basket = page(
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
    assert_eq!(basket.targets(), expected.map(|name| format!("http://a.org/dir/{name}")));
    let data = link(&basket, "http://a.org/dir/data.rdf");
    assert_eq!((data.element.as_str(), data.rel.as_deref()), ("link", Some("alternate")));
    assert_eq!((data.media_type.as_deref(), data.title.as_deref()), (Some("application/rdf+xml"), Some("Data")));
}

#[test]
fn a_link_has_its_text_its_context_and_its_place() {
    let basket = page(
        "<html><body><p>Other block.<ul><li>First <li>The data &eacute;t&eacute; is <b>in</b>\n\n <a href=x title=t>an <i>RDF</i>\
         \n file</a>, says<br>he.</ul><p>Last block. <a href=y><div>Inner</div></a>",
    );

    let x = link(&basket, "http://a.org/x");
    assert_eq!(x.text, "an RDF file");
    assert_eq!(x.context, "The data été is in , says he.");
    assert_eq!(x.tag_path, "ul/li");
    assert_eq!(x.title.as_deref(), Some("t"));
    assert_eq!(link(&basket, "http://a.org/y").text, "Inner");
}

#[test]
fn links_not_to_be_followed_are_left_out_unless_asked_for() {
    let one = "<a href=x rel='external NoFollow'>x</a><a href=y>y</a>";
    let all = "<meta name=ROBOTS content='noindex, nofollow'><a href=y>y</a>";
    let disregard = Options { respect_nofollow: false, ..Options::default() };

    assert_eq!(page(one).targets(), ["http://a.org/y"]);
    assert!(page(all).links.is_empty());
    assert_eq!(read(&disregard, None, one.as_bytes()).1.links.len(), 2);
    assert_eq!(read(&disregard, Some("text/html"), all.as_bytes()).1.links.len(), 1);
}

#[test]
fn a_broken_script_does_not_cost_the_others() {
    let (extracted, basket) = read(
        &Options::default(),
        Some("text/html"),
        br#"<html><script type="application/ld+json">{"@id": "x", "http://p.org/": 1, "http://q.org/": {"@id": "_:a"}}</script>
        <script type="application/ld+json">no JSON at all</script><script>var x = {};</script><script type="application/ld+json"></script>
        <script type="Application/LD+JSON; charset=utf-8">
            [{"@id": "_:a", "http://p.org/": {"@id": "/linked"}}]
        </script>"#,
    );

    assert_eq!((extracted.syntax, extracted.relevance), ("html", Relevance::Rdf));
    assert_eq!(extracted.quads_by_syntax, [("json-ld-script", 3)]);
    assert_eq!(basket.quads[0].subject.to_string(), "<http://a.org/x>");
    assert_ne!(basket.quads[1].object.to_string(), basket.quads[2].subject.to_string(), "scripts share no blank nodes");
    assert_eq!(basket.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Syntax]);
    assert!(basket.targets().contains(&"http://a.org/linked"));
}

#[test]
fn a_page_without_rdf_is_not_relevant() {
    let (extracted, _) = read(&Options::default(), Some("text/html"), b"<html><p>Hello");

    assert_eq!((extracted.syntax, extracted.relevance), ("html", Relevance::None));
}

#[test]
fn hostile_pages_are_read_in_bounded_time_and_memory() {
    let nested = "<div>".repeat(30_000) + "<a href=x>x</a>" + &"</span>".repeat(30_000);
    let unclosed = "<a href=x>".repeat(30_000);
    let images = "<a href=x><img></a>".repeat(30_000) + &"<b>x</b>".repeat(30_000);
    let line = format!("<p>{}<a href=x>{0}</a>{0}", "x &amp; ".repeat(1 << 16));
    let tag = format!("<a href=x>x</a><a href='{}", "x".repeat(1 << 20));
    for html in [nested, unclosed, images, line, tag] {
        let basket = page(&format!("<html>{html}"));

        assert!(basket.links.len() <= 1);
    }
}

#[test]
fn a_page_of_a_catalogue_leads_to_its_api() {
    let check = |page: &str, expected: &[&str]| {
        let (_, found) = read(&Options::default(), Some("text/html"), page.as_bytes());
        let steps: Vec<_> = found.links.iter().filter(|link| link.via.step().is_some()).collect();
        assert_eq!(steps.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), expected, "{page}");
    };
    let api = "api/3/action/package_search?rows=100&start=0&sort=id+asc";
    let at_root = format!("http://a.org/{api}");
    let below = format!("http://a.org/data/{api}");

    check(
        "<head><meta name='generator' content='ckan 2.9.5' /></head><body data-site-root='http://x.org/'>",
        &[&at_root],
    );
    // With statements in it, a page is read by way of its tree.
    check(
        "<html><head><meta content=' CKAN 2.10.1' name=Generator></head>\
         <body data-site-root='/data/'><p property='http://p.org/q' itemscope itemprop=x>1</p></body>",
        &[&below],
    );
    check("<head><meta name='generator' content='WordPress'></head><body data-site-root='/'>", &[]);
    check("<body data-site-root='/'>", &[]);
}
