//! Revisions of worlds: changed and deleted documents, and validators.
//!
//! A revision is the same world at a later time. A share of its documents has other statements, a share is deleted, and
//! all others are equal byte by byte. This module also sets the validators (`ETag`, `Last-Modified`).

use std::time::{Duration, SystemTime};

use http::header::{ETAG, LAST_MODIFIED};
use http::{HeaderValue, StatusCode};

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::content::{ContentLiteral, ContentProperty, ContentTerm, DocumentContent};
use super::kind::DocumentKind;
use super::plan::{DocumentPlan, DocumentUrlKind};
use super::site::WorldSite;
use super::vocabulary::VocabularyName;
use crate::conditional::strong_etag;
use crate::message::{DeliveryFault, WebBody, WebResponse};

/// How a revision changes a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RevisionFate {
    /// The document is unchanged.
    Unchanged,
    /// The document has other statements.
    Changed,
    /// The document is deleted; requests get this status.
    Deleted(StatusCode),
}

/// 1 January 2024, the earliest modification time.
const INITIAL_MODIFIED_S: u64 = 1_704_067_200;
/// 1 January 2025; each revision is one day later than the previous one.
const FIRST_REVISION_S: u64 = 1_735_689_600;
const DAY_S: u64 = 86_400;

impl World {
    /// How the world's revision changes a document. Carriers are not deleted, so that the other documents remain
    /// reachable.
    pub(crate) fn fate(&self, site: &WorldSite, number: u32, kind: DocumentKind) -> RevisionFate {
        let changes = &self.parameters().changes;
        if changes.revision == 0 {
            return RevisionFate::Unchanged;
        }
        let carrier = number.is_multiple_of(self.stride());
        let chance = &mut self.revision_chance(site.number, number);
        // The share of the other documents is adjusted, because carriers are not deleted.
        let stride = f64::from(self.stride());
        let deleted = chance.bernoulli(changes.deleted_share * stride / (stride - 1.0)) && !carrier;
        let permanent = chance.bernoulli(0.5);
        let changed = chance.bernoulli(changes.changed_share) && kind.holds_rdf();
        match (deleted, changed) {
            (true, _) => RevisionFate::Deleted(if permanent { StatusCode::GONE } else { StatusCode::NOT_FOUND }),
            (false, true) => RevisionFate::Changed,
            (false, false) => RevisionFate::Unchanged,
        }
    }

    fn revision_chance(&self, site: u32, number: u32) -> ChanceStream {
        let parameters = self.parameters();
        let seed = parameters.seed.rotate_left(32) ^ u64::from(parameters.changes.revision);
        ChanceStream::new(seed, ChanceTopic::Revision, site, number)
    }

    /// Changes the statements of a document: a quarter of its literals is removed, and two are added. Links stay.
    pub(crate) fn revise(&self, plan: &DocumentPlan, content: &mut DocumentContent) {
        if plan.fate != RevisionFate::Changed {
            return;
        }
        let mut chance = self.revision_chance(plan.site.number, plan.number);
        let revision = self.parameters().changes.revision;
        // The first literal is always removed, so that at least one statement changes.
        let mut first = true;
        for description in &mut content.descriptions {
            description.properties.retain(|property| {
                let literal = matches!(property.object, ContentTerm::Literal(_));
                !(literal && (std::mem::take(&mut first) || chance.bernoulli(0.25)))
            });
        }
        let Some(description) = content.descriptions.first_mut() else { return };
        for number in 0..2 {
            let text = format!("new in revision {revision}, number {number} of {}", plan.number);
            let object = ContentTerm::Literal(ContentLiteral::plain(text));
            description.properties.push(ContentProperty { predicate: VocabularyName::property(0, number), object });
        }
    }

    /// The response with its validators.
    pub(crate) fn with_validators(
        &self,
        plan: &DocumentPlan,
        url_kind: DocumentUrlKind,
        mut response: WebResponse,
    ) -> WebResponse {
        let changes = &self.parameters().changes;
        let WebBody::Whole(bytes) = &response.body else { return response };
        if response.status != StatusCode::OK || response.delivery != DeliveryFault::Plain {
            return response;
        }
        let chance =
            &mut ChanceStream::new(self.parameters().seed, ChanceTopic::Validators, plan.site.number, plan.number);
        if chance.bernoulli(changes.etag_share) {
            response.headers.insert(ETAG, strong_etag(bytes));
        }
        if chance.bernoulli(changes.last_modified_share) {
            let modified_s = match (plan.fate, url_kind) {
                (RevisionFate::Changed, DocumentUrlKind::Document) => {
                    FIRST_REVISION_S + u64::from(changes.revision) * DAY_S
                }
                _ => INITIAL_MODIFIED_S + u64::from(chance.below(366)) * DAY_S,
            };
            let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(modified_s));
            response.headers.insert(LAST_MODIFIED, HeaderValue::try_from(date).expect("plain letters"));
        }
        response
    }
}
