//! Finds the siblings of link targets within a document.

use std::collections::HashMap;

/// Maximum number of groups in a document; targets in later groups have no siblings.
const MAX_GROUPS: usize = 100_000;

/// The siblings `Sib_t` of LDCOC §3.1: subjects that share a (p, o) with the
/// target, and objects that share an (s, p).
pub(super) struct LinkSiblings {
    max_members: usize,
    groups: HashMap<(u64, u64), Vec<u32>, foldhash::fast::RandomState>,
    of_target: SiblingLists,
}

impl LinkSiblings {
    /// Stores at most `max_members` siblings per target.
    pub(super) fn new(max_members: usize) -> Self {
        Self { max_members, groups: HashMap::default(), of_target: HashMap::default() }
    }

    /// Adds a target to the group with this key.
    pub(super) fn add(&mut self, group: (u64, u64), target: u32) {
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&group) {
            return;
        }
        let members = self.groups.entry(group).or_default();
        // A full group accepts no further members, but a later target still receives its members as siblings.
        for &member in members.iter().filter(|&&member| member != target) {
            add_sibling(&mut self.of_target, target, member, self.max_members);
            add_sibling(&mut self.of_target, member, target, self.max_members);
        }
        if members.len() < self.max_members && !members.contains(&target) {
            members.push(target);
        }
    }

    /// The siblings of a target, in order of appearance.
    pub(super) fn get(&self, target: u32) -> &[u32] {
        self.of_target.get(&target).map_or(&[], Vec::as_slice)
    }
}

/// The siblings of each target.
type SiblingLists = HashMap<u32, Vec<u32>, foldhash::fast::RandomState>;

fn add_sibling(siblings: &mut SiblingLists, one: u32, other: u32, max_members: usize) {
    let list = siblings.entry(one).or_default();
    if list.len() < max_members && !list.contains(&other) {
        list.push(other);
    }
}
