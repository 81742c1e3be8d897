//! Computes the documents that are reachable from the seeds.
//!
//! The search follows planned links and writes no document, so that a world of a million documents takes seconds.

use super::TruthMode;
use crate::world::ServerFault;
use crate::world::World;
use crate::world::links::{AnchorTarget, WorldLinkTarget};
use crate::world::plan::{DocumentPlan, DocumentUrlKind, LinkNaming};

/// The reachable documents.
pub(crate) struct ReachableDocuments {
    documents_per_host: usize,
    /// One byte per document, with a bit for each kind of URL that is reachable.
    url_kinds: Vec<u8>,
    /// Whether an HTML link leads to the vocabularies.
    pub(crate) vocabularies: bool,
    /// Whether links lead to the documents of the fault gallery.
    pub(crate) gallery: bool,
}

impl ReachableDocuments {
    pub(crate) fn compute(world: &World, mode: TruthMode) -> Self {
        let documents_per_host = world.parameters().documents_per_host as usize;
        let count = documents_per_host * world.parameters().hosts as usize;
        let mut reach = Self { documents_per_host, url_kinds: vec![0; count], vocabularies: false, gallery: false };
        // The index of the gallery is a seed, and an HTML page of links.
        reach.gallery = world.parameters().faults.gallery && mode != TruthMode::Rdf;
        let mut queue = Vec::new();
        for plan in world.seed_plans() {
            reach.mark_reached(&AnchorTarget::Target(WorldLinkTarget::Document(plan)), mode, &mut queue);
        }
        while let Some((plan, url_kind)) = queue.pop() {
            reach.follow(world, &plan, url_kind, mode, &mut queue);
        }
        reach
    }

    pub(crate) fn contains(&self, plan: &DocumentPlan, url_kind: DocumentUrlKind) -> bool {
        self.url_kinds[self.index(plan)] & bit(url_kind) != 0
    }

    fn index(&self, plan: &DocumentPlan) -> usize {
        plan.site.number as usize * self.documents_per_host + plan.number as usize
    }

    fn follow(
        &mut self,
        world: &World,
        plan: &DocumentPlan,
        url_kind: DocumentUrlKind,
        mode: TruthMode,
        queue: &mut Vec<(DocumentPlan, DocumentUrlKind)>,
    ) {
        let fault = if url_kind == DocumentUrlKind::Page { plan.site.fault } else { plan.fault };
        if !plan.exists() || !fault.is_none_or(ServerFault::leaves_document_obtainable) {
            return;
        }
        let is_page = url_kind == DocumentUrlKind::Page || !plan.kind.is_serialisation();
        let links = world.links(plan);
        if mode != TruthMode::Html && url_kind == DocumentUrlKind::Document && plan.kind.holds_rdf() {
            for link in links.iter().filter(|link| link.stated) {
                self.mark_reached(&AnchorTarget::Target(link.target), mode, queue);
            }
        }
        if mode != TruthMode::Rdf && is_page {
            for anchor in world.anchors(plan, &links) {
                self.mark_reached(&anchor.to, mode, queue);
            }
        }
    }

    fn mark_reached(
        &mut self,
        target: &AnchorTarget,
        mode: TruthMode,
        queue: &mut Vec<(DocumentPlan, DocumentUrlKind)>,
    ) {
        let (plan, url_kind) = match target {
            AnchorTarget::Target(WorldLinkTarget::Document(plan) | WorldLinkTarget::Redirected(plan, _)) => {
                match (plan.naming, mode) {
                    (LinkNaming::Slash, TruthMode::Html) => (plan, DocumentUrlKind::Page),
                    _ => (plan, DocumentUrlKind::Document),
                }
            }
            AnchorTarget::DocumentUrl(plan, url_kind) => (plan, *url_kind),
            AnchorTarget::Vocabulary(_) => {
                self.vocabularies = true;
                return;
            }
            AnchorTarget::Target(_) | AnchorTarget::FaultGallery => return,
        };
        let index = self.index(plan);
        if self.url_kinds[index] & bit(url_kind) == 0 {
            self.url_kinds[index] |= bit(url_kind);
            queue.push((*plan, url_kind));
        }
    }
}

fn bit(url_kind: DocumentUrlKind) -> u8 {
    match url_kind {
        DocumentUrlKind::Document => 1,
        DocumentUrlKind::Page => 2,
        // The URL of the resource only redirects to the document or the page.
        DocumentUrlKind::Resource => 0,
    }
}
