//! Tests that the positions of enum variants on disk stay as they are.
//!
//! The frontier stores a variant by its position (postcard). If one of these tests fails, append the new variant instead,
//! or increase the format version of the frontier.

use super::RefreshSelection;
use crate::discover::sitemap::SitemapStep;
use crate::discover::{DiscoverPolicy, Step, ckan, endpoint};
use crate::model::outcome::DocumentSummary;
use crate::model::{DropReason, Fault, FaultKind, FoundBy, Outcome, Promise, Uri, VerdictAction};

/// The position of the variant, which is the first byte of a stored value.
fn position(value: &impl serde::Serialize) -> u8 {
    postcard::to_stdvec(value).unwrap()[0]
}

#[test]
fn the_positions_of_outcomes_are_fixed() {
    let fault = || Fault::new(FaultKind::Dns, "");
    let outcomes = [
        Outcome::Document(DocumentSummary::default()),
        Outcome::Redirected { status: 301, target: None },
        Outcome::Failed(fault()),
        Outcome::Dropped(DropReason::Robots),
        Outcome::Deleted { since_ms: 0, last_seen_ms: 0, fault: fault() },
    ];

    assert_eq!(outcomes.each_ref().map(position), [0, 1, 2, 3, 4]);
    assert_eq!([RefreshSelection::Due, RefreshSelection::All].each_ref().map(position), [0, 1]);
}

#[test]
fn the_positions_of_origins_are_fixed() {
    let text = String::new;
    let origins = [
        FoundBy::Seed,
        FoundBy::Triple(text()),
        FoundBy::Anchor(text()),
        FoundBy::Element(text()),
        FoundBy::Header(text()),
        FoundBy::Redirect(301),
        FoundBy::Step(text()),
        FoundBy::Listed(text()),
        FoundBy::Promised(Box::new(FoundBy::Seed), Promise::Rdf),
    ];

    assert_eq!(origins.each_ref().map(position), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_positions_of_verdicts_are_fixed() {
    let actions = [
        VerdictAction::None,
        VerdictAction::Easy,
        VerdictAction::Predicted,
        VerdictAction::Explored,
        VerdictAction::Skipped,
        VerdictAction::Best,
        VerdictAction::Requested,
        VerdictAction::Relevant,
        VerdictAction::LessRelevant,
    ];

    assert_eq!(actions.each_ref().map(position), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_positions_of_steps_are_fixed() {
    let uri = Uri::parse("http://a.example/sparql").unwrap();
    let steps = [
        Step::from(endpoint::EndpointStep::first(&uri, false, &DiscoverPolicy::default())),
        Step::from(ckan::CkanStep::first(&Uri::parse("http://a.example/api/3").unwrap()).unwrap()),
        Step::from(SitemapStep::first(&uri)),
    ];

    assert_eq!(steps.each_ref().map(position), [0, 1, 2]);
}
