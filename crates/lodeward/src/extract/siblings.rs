//! Which targets of a document stand side by side.

use std::collections::HashMap;

/// Groups remembered in one document; later ones have no siblings.
const GROUPS_MAX: usize = 100_000;

/// The siblings `Sib_t` of LDCOC §3.1: subjects that share a (p, o) with the
/// target, and objects that share an (s, p).
pub(super) struct Siblings {
    members_max: usize,
    groups: HashMap<(u64, u64), Vec<u32>, foldhash::fast::RandomState>,
    of_target: Friends,
}

impl Siblings {
    /// At most `members_max` siblings are kept for each target.
    pub(super) fn new(members_max: usize) -> Self {
        Self { members_max, groups: HashMap::default(), of_target: HashMap::default() }
    }

    /// A target was met as a member of the group with this key.
    pub(super) fn meet(&mut self, group: (u64, u64), target: u32) {
        if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&group) {
            return;
        }
        let members = self.groups.entry(group).or_default();
        // A group that is full has siblings enough for whoever comes later.
        for &member in members.iter().filter(|&&member| member != target) {
            befriend(&mut self.of_target, target, member, self.members_max);
            befriend(&mut self.of_target, member, target, self.members_max);
        }
        if members.len() < self.members_max && !members.contains(&target) {
            members.push(target);
        }
    }

    /// The siblings of a target, in the order in which they were met.
    pub(super) fn of(&self, target: u32) -> &[u32] {
        self.of_target.get(&target).map_or(&[], Vec::as_slice)
    }
}

/// Targets, and those that stand beside them.
type Friends = HashMap<u32, Vec<u32>, foldhash::fast::RandomState>;

fn befriend(siblings: &mut Friends, one: u32, other: u32, members_max: usize) {
    let friends = siblings.entry(one).or_default();
    if friends.len() < members_max && !friends.contains(&other) {
        friends.push(other);
    }
}
