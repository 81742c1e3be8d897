//! Words, so that literals speak of something.

use super::chance::Chance;

const COMMON: [&str; 32] = [
    "the", "of", "and", "a", "in", "with", "for", "from", "which", "was", "is", "on", "by", "as", "that", "about",
    "between", "first", "new", "many", "small", "known", "early", "since", "near", "under", "history", "name", "work",
    "place", "people", "year",
];

/// Words outside of ASCII or that need escaping somewhere.
const AWKWARD: [&str; 12] = [
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

/// The words documents of a topic speak in, the topic's name first.
pub(crate) fn of_topic(topic: u32) -> Vec<String> {
    let (name, words) = THEMES[topic as usize % THEMES.len()];
    let round = topic as usize / THEMES.len();
    let of_round = |word: &&str| if round == 0 { (*word).to_owned() } else { format!("{word}{round}") };
    [name].iter().chain(&words).map(of_round).collect()
}

/// The name of a topic, or of one much like it.
pub(crate) fn name(topic: u32) -> &'static str {
    THEMES[topic as usize % THEMES.len()].0
}

/// Pushes a few words about a topic, about `bytes` long.
pub(crate) fn push_text(topic: u32, bytes: usize, chance: &mut Chance, out: &mut String) {
    let (_, words) = THEMES[topic as usize % THEMES.len()];
    let round = topic as usize / THEMES.len();
    let end = out.len() + bytes;
    let mut separator = false;
    // One draw gives several words: words are most of a large document.
    while out.len() < end {
        let mut bits = chance.bits();
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
                out.push_str(COMMON[high % COMMON.len()]);
            } else {
                out.push_str(AWKWARD[high % AWKWARD.len()]);
            }
            if out.len() >= end {
                break;
            }
        }
    }
}

/// A few words about a topic.
pub(crate) fn text(topic: u32, bytes: usize, chance: &mut Chance) -> String {
    let mut text = String::with_capacity(bytes + 16);
    push_text(topic, bytes, chance, &mut text);
    text
}
