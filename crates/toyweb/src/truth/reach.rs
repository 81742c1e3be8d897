//! What can be reached from the seeds.
//!
//! A walk over links, not over bytes: no document is written for it, so that
//! a world of a million documents takes seconds.

use super::Mode;
use crate::world::Fault;
use crate::world::World;
use crate::world::links::{Destination, Target};
use crate::world::plan::{Face, Naming, Plan};

/// What can be reached.
pub(crate) struct Reach {
    documents_per_host: usize,
    /// One byte per document, one bit per face.
    faces: Vec<u8>,
    /// Whether an HTML link leads to the vocabularies.
    pub(crate) vocabularies: bool,
    /// Whether links lead to the exhibits of the gallery.
    pub(crate) gallery: bool,
}

impl Reach {
    pub(crate) fn compute(world: &World, mode: Mode) -> Self {
        let documents_per_host = world.parameters().documents_per_host as usize;
        let count = documents_per_host * world.parameters().hosts as usize;
        let mut reach = Self { documents_per_host, faces: vec![0; count], vocabularies: false, gallery: false };
        // The index of the gallery is a seed, and a page of HTML links.
        reach.gallery = world.parameters().faults.gallery && mode != Mode::Rdf;
        let mut waiting = Vec::new();
        for plan in world.seed_plans() {
            reach.land(&Destination::Target(Target::Document(plan)), mode, &mut waiting);
        }
        while let Some((plan, face)) = waiting.pop() {
            reach.follow(world, &plan, face, mode, &mut waiting);
        }
        reach
    }

    pub(crate) fn has(&self, plan: &Plan, face: Face) -> bool {
        self.faces[self.index(plan)] & bit(face) != 0
    }

    fn index(&self, plan: &Plan) -> usize {
        plan.site.number as usize * self.documents_per_host + plan.number as usize
    }

    fn follow(&mut self, world: &World, plan: &Plan, face: Face, mode: Mode, waiting: &mut Vec<(Plan, Face)>) {
        let fault = if face == Face::Page { plan.site.fault } else { plan.fault };
        if !plan.is_there() || !fault.is_none_or(Fault::spares_document) {
            return;
        }
        let is_page = face == Face::Page || !plan.kind.is_serialisation();
        let links = world.links(plan);
        if mode != Mode::Html && face == Face::Document && plan.kind.holds_rdf() {
            for link in links.iter().filter(|link| link.stated) {
                self.land(&Destination::Target(link.target), mode, waiting);
            }
        }
        if mode != Mode::Rdf && is_page {
            for anchor in world.anchors(plan, &links) {
                self.land(&anchor.to, mode, waiting);
            }
        }
    }

    fn land(&mut self, destination: &Destination, mode: Mode, waiting: &mut Vec<(Plan, Face)>) {
        let (plan, face) = match destination {
            Destination::Target(Target::Document(plan) | Target::Moved(plan, _)) => match (plan.naming, mode) {
                (Naming::Slash, Mode::Html) => (plan, Face::Page),
                _ => (plan, Face::Document),
            },
            Destination::Face(plan, face) => (plan, *face),
            Destination::Vocabulary(_) => {
                self.vocabularies = true;
                return;
            }
            Destination::Target(_) | Destination::Gallery => return,
        };
        let index = self.index(plan);
        if self.faces[index] & bit(face) == 0 {
            self.faces[index] |= bit(face);
            waiting.push((*plan, face));
        }
    }
}

fn bit(face: Face) -> u8 {
    match face {
        Face::Document => 1,
        Face::Page => 2,
        // Only a step on the way to one of the others.
        Face::Resource => 0,
    }
}
