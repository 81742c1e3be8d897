//! Worlds that were recorded, measured or cited must stay what they are.

use xxhash_rust::xxh3::Xxh3Default;

use super::plan::Face;
use super::{Parameters, World};
use crate::message::{Body, Request, Web};

/// A digest of the documents of the first sites, and of where crawls start.
fn digest(world: &World) -> u64 {
    let mut hash = Xxh3Default::new();
    for seed in world.seeds() {
        hash.update(seed.as_bytes());
    }
    let parameters = world.parameters();
    for site in 0..parameters.hosts.min(9) {
        let site = world.site(site);
        for number in 0..parameters.documents_per_host.min(12) {
            let url = world.plan(site, number).url(Face::Document);
            let answer = world.respond(&Request::get(&url));
            hash.update(url.as_bytes());
            hash.update(answer.status.as_str().as_bytes());
            for (name, value) in &answer.headers {
                hash.update(name.as_str().as_bytes());
                hash.update(value.as_bytes());
            }
            let (Body::Whole(bytes) | Body::Endless(bytes) | Body::Repeated(bytes, _)) = &answer.body;
            hash.update(bytes);
        }
    }
    hash.digest()
}

#[test]
fn every_preset_is_still_the_world_it_was() {
    let check = |preset: &str, expected: u64| {
        let world = World::new(Parameters::preset(preset).expect("a preset")).expect("sound parameters");
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
