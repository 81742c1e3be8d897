//! Words for literals and prose, by topic.

use super::chance_stream::ChanceStream;

const COMMON_WORDS: [&str; 32] = [
    "the", "of", "and", "a", "in", "with", "for", "from", "which", "was", "is", "on", "by", "as", "that", "about",
    "between", "first", "new", "many", "small", "known", "early", "since", "near", "under", "history", "name", "work",
    "place", "people", "year",
];

/// Words with characters outside of ASCII or that need escaping in some syntax.
const SPECIAL_WORDS: [&str; 12] = [
    "Zürich",
    "naïve",
    "東京",
    "Ωmega",
    "\"quoted\"",
    "R&D",
    "<b>bold</b>",
    "back\\slash",
    "it's",
    "smörgåsbord",
    "🎻",
    "100%",
];

const THEMES: [(&str, [&str; 12]); 8] = [
    (
        "music",
        [
            "violin",
            "sonata",
            "orchestra",
            "tempo",
            "melody",
            "opera",
            "quartet",
            "chord",
            "composer",
            "rhythm",
            "choir",
            "symphony",
        ],
    ),
    (
        "architecture",
        [
            "facade",
            "column",
            "vault",
            "masonry",
            "basilica",
            "arch",
            "blueprint",
            "cornice",
            "tower",
            "bridge",
            "atrium",
            "scaffold",
        ],
    ),
    (
        "chemistry",
        [
            "acid",
            "catalyst",
            "polymer",
            "isotope",
            "solvent",
            "reaction",
            "molecule",
            "titration",
            "enzyme",
            "oxide",
            "benzene",
            "reagent",
        ],
    ),
    (
        "geography",
        [
            "river", "plateau", "estuary", "glacier", "harbour", "valley", "island", "latitude", "delta", "steppe",
            "volcano", "coast",
        ],
    ),
    (
        "astronomy",
        [
            "comet",
            "galaxy",
            "nebula",
            "orbit",
            "telescope",
            "pulsar",
            "eclipse",
            "planet",
            "quasar",
            "meteor",
            "parallax",
            "supernova",
        ],
    ),
    (
        "medicine",
        [
            "diagnosis",
            "vaccine",
            "surgery",
            "antibody",
            "therapy",
            "dosage",
            "artery",
            "symptom",
            "clinic",
            "neuron",
            "plasma",
            "remedy",
        ],
    ),
    (
        "cooking",
        [
            "saffron", "oven", "broth", "dough", "recipe", "marinade", "pepper", "kettle", "pastry", "butter", "basil",
            "simmer",
        ],
    ),
    (
        "railways",
        [
            "locomotive",
            "gauge",
            "signal",
            "junction",
            "carriage",
            "timetable",
            "sleeper",
            "boiler",
            "siding",
            "platform",
            "freight",
            "tunnel",
        ],
    ),
];

/// The name of a topic; the topics of later rounds share the names of the first.
pub(crate) fn name(topic: u32) -> &'static str {
    THEMES[topic as usize % THEMES.len()].0
}

/// Appends a few words about a topic, about `bytes` bytes long.
pub(crate) fn push_text(topic: u32, bytes: usize, chance: &mut ChanceStream, out: &mut String) {
    let (_, words) = THEMES[topic as usize % THEMES.len()];
    let round = topic as usize / THEMES.len();
    let end = out.len() + bytes;
    let mut separator = false;
    // One random number selects several words: drawing is slow, and a large document is mostly words.
    while out.len() < end {
        let mut bits = chance.next_u64();
        for _ in 0..6 {
            if separator {
                out.push(' ');
            }
            separator = true;
            let [low, high, ..] = bits.to_le_bytes().map(usize::from);
            bits >>= 10;
            if low < 110 {
                out.push_str(words[high % words.len()]);
                if round > 0 {
                    super::site::push_number(u32::try_from(round).unwrap_or(0), out);
                }
            } else if low < 250 {
                out.push_str(COMMON_WORDS[high % COMMON_WORDS.len()]);
            } else {
                out.push_str(SPECIAL_WORDS[high % SPECIAL_WORDS.len()]);
            }
            if out.len() >= end {
                break;
            }
        }
    }
}

/// A few words about a topic.
pub(crate) fn text(topic: u32, bytes: usize, chance: &mut ChanceStream) -> String {
    let mut text = String::with_capacity(bytes + 16);
    push_text(topic, bytes, chance, &mut text);
    text
}
