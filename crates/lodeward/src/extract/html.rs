//! Pages: links of all sorts, and the RDF inside.
//!
//! One pass of a streaming tokenizer takes out the links with what the page
//! says about them, and the text of JSON-LD scripts. Those are then read like
//! documents of their own: one that is broken does not cost the others.
//!
//! RDFa and Microdata need a tree, and come here: between the pass, which can
//! tell whether a page has any of their attributes, and the scripts.

use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;

use lol_html::errors::RewritingError;
use lol_html::html_content::{Element, TextChunk, TextType};
use lol_html::{EndTagHandler, HtmlRewriter, MemorySettings, Settings, doc_text, element};
use url::Url;

use super::harvest::Harvest;
use super::html_links::Page;
use super::json_ld::{self, Contexts};
use super::rdf::{Input, fault_of_stream};
use crate::model::{Fault, FaultKind, Link, Uri, Via};

/// What the tokenizer may hold: open elements, and a tag that has not ended.
const MEMORY_BYTES_MAX: usize = 32 << 20;

/// Reads a page.
pub(super) fn read(input: Input<'_>, contexts: &Arc<dyn Contexts>, harvest: &mut Harvest<'_>) {
    let page = pass(input, harvest);
    let document = harvest.document.to_url();
    let base =
        page.base.as_deref().and_then(|base| document.join(base).ok()).filter(|base| base.scheme().starts_with("http"));
    let base = base.unwrap_or(document);
    read_scripts(&page.scripts, &base, contexts, harvest);
    hand_over_links(page, &base, harvest);
}

fn pass(input: Input<'_>, harvest: &mut Harvest<'_>) -> Page {
    let page = Rc::new(RefCell::new(Page::new(harvest.options)));
    let mut result = run(input, &page, harvest);
    // The tokenizer takes <noscript> for text, as a browser with scripts does.
    let no_script = std::mem::take(&mut page.borrow_mut().no_script);
    if result.is_ok() && !no_script.is_empty() {
        result = run(Input::Slice(no_script.as_bytes()), &page, harvest);
    }
    if let Err(error) = result {
        let kind = match error {
            RewritingError::MemoryLimitExceeded(_) => FaultKind::Excess,
            _ => FaultKind::Syntax,
        };
        harvest.fault(Fault::new(kind, format!("the page was read only in part: {error}")));
    }
    // Elements that never close hold on to the page until the tokenizer goes,
    // which it has.
    Rc::into_inner(page).expect("the tokenizer is gone").into_inner()
}

fn run(input: Input<'_>, page: &Rc<RefCell<Page>>, harvest: &mut Harvest<'_>) -> Result<(), RewritingError> {
    let on_element = |element: &mut Element<'_, '_>| {
        let depth = page.borrow_mut().open(element);
        if let (Some(depth), Some(handlers)) = (depth, element.end_tag_handlers()) {
            let page = Rc::clone(page);
            let on_end: EndTagHandler<'static> = Box::new(move |_| {
                page.borrow_mut().close(depth);
                Ok(())
            });
            handlers.push(on_end);
        }
        Ok(())
    };
    let mut is_first_of_script = true;
    let on_text = |chunk: &mut TextChunk<'_>| {
        match chunk.text_type() {
            TextType::Data => page.borrow_mut().text(chunk.as_str(), chunk.last_in_text_node()),
            TextType::ScriptData => {
                page.borrow_mut().script_text(chunk.as_str(), is_first_of_script);
                is_first_of_script = chunk.last_in_text_node();
            }
            TextType::RawText => page.borrow_mut().raw_text(chunk.as_str()),
            _ => {}
        }
        Ok(())
    };
    let settings = Settings::new()
        .append_element_content_handler(element!("*", on_element))
        .append_document_content_handler(doc_text!(on_text))
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY_BYTES_MAX))
        // Markup that might be read in two ways is read in one of them.
        .with_strict(false);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    match input {
        Input::Slice(bytes) => rewriter.write(bytes)?,
        Input::Stream(mut reader) => {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                match reader.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(len) => rewriter.write(&buffer[..len])?,
                    Err(error) => {
                        harvest.fault(fault_of_stream(&error));
                        break;
                    }
                }
            }
        }
    }
    rewriter.end()
}

fn read_scripts(scripts: &[String], base: &Url, contexts: &Arc<dyn Contexts>, harvest: &mut Harvest<'_>) {
    let is_same = base.as_str() == harvest.document.as_str();
    let base = if is_same { harvest.base().to_owned() } else { base.to_string() };
    for script in scripts {
        harvest.begin("json-ld-script");
        json_ld::read(Input::Slice(script.trim().as_bytes()), &base, contexts, harvest);
    }
}

fn hand_over_links(page: Page, base: &Url, harvest: &mut Harvest<'_>) {
    if page.has_excess {
        harvest.note_excess();
    }
    if page.is_nofollow && harvest.options.respect_nofollow {
        return;
    }
    for (href, link) in page.into_references() {
        if let Ok(target) = Uri::resolve(base, &href) {
            harvest.link(Link { target, via: Via::Html(Box::new(link)) });
        }
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
