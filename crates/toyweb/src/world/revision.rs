//! Worlds that change.
//!
//! A revision is the same world some time later: a share of its documents says
//! other things, a share of them is gone, and everything else is what it was,
//! to the byte. What a document is known by (`ETag`, `Last-Modified`) is told
//! here, too.

use std::time::{Duration, SystemTime};

use http::header::{ETAG, LAST_MODIFIED};
use http::{HeaderValue, StatusCode};

use super::World;
use super::chance::{Chance, Matter};
use super::content::{Content, Literal, Property, Term};
use super::kind::Kind;
use super::plan::{Face, Plan};
use super::site::Site;
use super::vocabulary::Name;
use crate::conditional::tag;
use crate::message::{Body, Conduct, Response};

/// What a revision has made of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is what it was.
    Kept,
    /// It says something else.
    Changed,
    /// It is gone, and answers with this status.
    Gone(StatusCode),
}

/// New Year's Day of 2024, before which nothing has changed.
const BEGINNING_S: u64 = 1_704_067_200;
/// New Year's Day of 2025; each revision is made a day later than the one before.
const REVISIONS_S: u64 = 1_735_689_600;
const DAY_S: u64 = 86_400;

impl World {
    /// What the world's revision makes of a document. Those that lead to
    /// others stay, so that what is left can still be reached.
    pub(crate) fn fate(&self, site: &Site, number: u32, kind: Kind) -> Fate {
        let changes = &self.parameters().changes;
        if changes.revision == 0 {
            return Fate::Kept;
        }
        let carrier = number.is_multiple_of(self.stride());
        let chance = &mut self.revision_chance(site.number, number);
        // The others make up for those that must stay.
        let stride = f64::from(self.stride());
        let vanishes = chance.happens(changes.vanished_share * stride / (stride - 1.0)) && !carrier;
        let for_good = chance.happens(0.5);
        let changed = chance.happens(changes.changed_share) && kind.holds_rdf();
        match (vanishes, changed) {
            (true, _) => Fate::Gone(if for_good { StatusCode::GONE } else { StatusCode::NOT_FOUND }),
            (false, true) => Fate::Changed,
            (false, false) => Fate::Kept,
        }
    }

    fn revision_chance(&self, site: u32, number: u32) -> Chance {
        let parameters = self.parameters();
        let seed = parameters.seed.rotate_left(32) ^ u64::from(parameters.changes.revision);
        Chance::of(seed, Matter::Revision, site, number)
    }

    /// Makes a document that has changed say something else: one statement in
    /// four with a literal is gone, and two are new. Links stay.
    pub(crate) fn revise(&self, plan: &Plan, content: &mut Content) {
        if plan.fate != Fate::Changed {
            return;
        }
        let mut chance = self.revision_chance(plan.site.number, plan.number);
        let revision = self.parameters().changes.revision;
        // The first one always goes, so that something does.
        let mut first = true;
        for description in &mut content.descriptions {
            description.properties.retain(|property| {
                let literal = matches!(property.object, Term::Literal(_));
                !(literal && (std::mem::take(&mut first) || chance.happens(0.25)))
            });
        }
        let Some(description) = content.descriptions.first_mut() else { return };
        for number in 0..2 {
            let text = format!("new in revision {revision}, number {number} of {}", plan.number);
            let object = Term::Literal(Literal::plain(text));
            description.properties.push(Property { predicate: Name::property(0, number), object });
        }
    }

    /// The answer with what it may be known by later.
    pub(crate) fn with_validators(&self, plan: &Plan, face: Face, mut response: Response) -> Response {
        let changes = &self.parameters().changes;
        let Body::Whole(bytes) = &response.body else { return response };
        if response.status != StatusCode::OK || response.conduct != Conduct::Plain {
            return response;
        }
        let chance = &mut Chance::of(self.parameters().seed, Matter::Validators, plan.site.number, plan.number);
        if chance.happens(changes.etag_share) {
            response.headers.insert(ETAG, tag(bytes));
        }
        if chance.happens(changes.last_modified_share) {
            let modified_s = match (plan.fate, face) {
                (Fate::Changed, Face::Document) => REVISIONS_S + u64::from(changes.revision) * DAY_S,
                _ => BEGINNING_S + u64::from(chance.below(366)) * DAY_S,
            };
            let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(modified_s));
            response.headers.insert(LAST_MODIFIED, HeaderValue::try_from(date).expect("plain letters"));
        }
        response
    }
}
