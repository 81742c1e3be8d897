use std::collections::BTreeSet;

use super::*;
use crate::links::{Link, gather_from_tree};
use crate::pages::real_pages;
use crate::tree::from_html;

const ONLY_LINKS: Wanted<'static> = Wanted { links: None, scripts: true, rdfa: None, microdata: false };

fn skimmed_links(page: &str) -> Vec<Link> {
    let options = links::Options::default();
    let page = tokens::with_line_feeds(page);
    skim(&page, Wanted { links: Some(&options), ..ONLY_LINKS }).unwrap().gathered.links
}

/// What a link is, apart from the text around it.
fn essence(link: &Link) -> (String, String, Option<String>, Option<String>, Option<String>) {
    let Link { href, element, rel, media_type, title, .. } = link.clone();
    (href, element, rel, media_type, title)
}

#[test]
fn tokens_and_tree_have_the_same_links() {
    let (mut links, mut same_texts, mut differing) = (0, 0, Vec::new());
    for (path, page) in real_pages() {
        let skimmed = skimmed_links(&page);
        let walked = gather_from_tree(&from_html(&page), &links::Options::default()).links;
        links += walked.len();
        let [ones, others] = [&skimmed, &walked].map(|links| links.iter().map(essence).collect::<BTreeSet<_>>());
        if ones != others {
            differing.push(path);
            for difference in ones.symmetric_difference(&others).take(3) {
                eprintln!("{}: {difference:?} {}", differing.last().unwrap(), ones.contains(difference));
            }
        }
        same_texts += skimmed.iter().filter(|link| walked.contains(link)).count();
    }
    eprintln!("{links} links, {same_texts} of them with the same text, context and place");
    assert!(differing.is_empty(), "{} pages have other links", differing.len());
    assert!(same_texts * 100 >= links * 99, "{same_texts} of {links}");
}
