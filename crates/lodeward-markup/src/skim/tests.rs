//! Tests that the token pass finds the same links as the tree.

use std::collections::BTreeSet;

use super::*;
use crate::links::{PageLink, collect_from_tree};
use crate::test_pages::real_pages;
use crate::tree::from_html;

const ONLY_LINKS: SkimRequest<'static> = SkimRequest { links: None, scripts: true, rdfa: None, microdata: false };

fn skimmed_links(page: &str) -> Vec<PageLink> {
    let options = links::LinkOptions::default();
    let page = tokens::normalize_newlines(page);
    skim(&page, SkimRequest { links: Some(&options), ..ONLY_LINKS }).unwrap().collected_links.links
}

/// A link without the text around it.
fn essence(link: &PageLink) -> (String, String, Option<String>, Option<String>, Option<String>) {
    let PageLink { href, element, rel, media_type, title, .. } = link.clone();
    (href, element, rel, media_type, title)
}

#[test]
fn the_token_pass_finds_the_links_of_the_tree() {
    let (mut links, mut same_texts, mut differing) = (0, 0, Vec::new());
    for (path, page) in real_pages() {
        let skimmed = skimmed_links(&page);
        let walked = collect_from_tree(&from_html(&page), &links::LinkOptions::default()).links;
        links += walked.len();
        let [from_tokens, from_tree] =
            [&skimmed, &walked].map(|links| links.iter().map(essence).collect::<BTreeSet<_>>());
        if from_tokens != from_tree {
            differing.push(path);
            for difference in from_tokens.symmetric_difference(&from_tree).take(3) {
                eprintln!("{}: {difference:?} {}", differing.last().unwrap(), from_tokens.contains(difference));
            }
        }
        same_texts += skimmed.iter().filter(|link| walked.contains(link)).count();
    }
    eprintln!("{links} links, {same_texts} of them with the same text, context and tag path");
    assert!(differing.is_empty(), "{} pages have different links", differing.len());
    assert!(same_texts * 100 >= links * 99, "{same_texts} of {links}");
}
