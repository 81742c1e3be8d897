//! Tests that recorded, measured or cited worlds do not change.

use xxhash_rust::xxh3::Xxh3Default;

use super::plan::DocumentUrlKind;
use super::{World, WorldParameters};
use crate::message::{Web, WebBody, WebRequest};

/// A digest of the seeds and of the documents of the first sites.
fn digest(world: &World) -> u64 {
    let mut hash = Xxh3Default::new();
    for seed in world.seeds() {
        hash.update(seed.as_bytes());
    }
    let parameters = world.parameters();
    for site in 0..parameters.hosts.min(9) {
        let site = world.site(site);
        for number in 0..parameters.documents_per_host.min(12) {
            let url = world.plan(site, number).url(DocumentUrlKind::Document);
            let response = world.respond(&WebRequest::get(&url));
            hash.update(url.as_bytes());
            hash.update(response.status.as_str().as_bytes());
            for (name, value) in &response.headers {
                hash.update(name.as_str().as_bytes());
                hash.update(value.as_bytes());
            }
            let (WebBody::Whole(bytes) | WebBody::Endless(bytes) | WebBody::Repeated(bytes, _)) = &response.body;
            hash.update(bytes);
        }
    }
    hash.digest()
}

#[test]
fn preset_worlds_match_their_digests() {
    let check = |preset: &str, expected: u64| {
        let world = World::new(WorldParameters::preset(preset).expect("a preset")).expect("sound parameters");
        assert_eq!(digest(&world), expected, "{preset}");
    };

    check("mixed", 0x83af_af8a_0abe_7520);
    check("tiny", 0x02ee_01eb_bf14_4d1c);
    check("rdfxml", 0x03a7_77d8_a19a_789c);
    check("polite", 0x02d3_377d_b33f_58ae);
    check("faults", 0x5fa8_dabc_bba5_0390);
    check("focus", 0x170c_afb6_9b9d_b22a);
    check("surrounded", 0x19da_b499_db40_3cf1);
    check("demo", 0xafba_44fd_5652_c3ce);
}
