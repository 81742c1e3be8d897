//! The table of forbidden words.

/// A word or phrase that plain technical English does not need.
#[derive(Clone, Copy, Debug)]
pub struct ForbiddenWord {
    /// A regular expression for whole words in any case; a space stands for any space.
    pub pattern: &'static str,
    /// Phrases around the word that are fine.
    pub unless: Option<&'static str>,
    /// Why it is forbidden.
    pub reason: &'static str,
    /// What to write.
    pub instead: &'static str,
}

const fn word(pattern: &'static str, reason: &'static str, instead: &'static str) -> ForbiddenWord {
    ForbiddenWord { pattern, unless: None, reason, instead }
}

const PERSON: &str = "a program, a URI or a request is not a person";
const SPEECH: &str = "nothing speaks or listens in a program";
const VAGUE: &str = "the verb does not say what happens";
const METAPHOR: &str = "a metaphor that has to be learned";
const ARCHAIC: &str = "archaic";

/// All forbidden words.
pub const FORBIDDEN_WORDS: &[ForbiddenWord] = &[
    word("whoever|whomever", PERSON, "the client, the user, the URI"),
    word("somebody|anybody", PERSON, "a user, a client, a server"),
    word("nobody", PERSON, "no user, no client, none"),
    word("everybody", PERSON, "all users, all clients, all URIs"),
    word("those who", PERSON, "the subject itself"),
    word("who (?:is|are|was|were|has|have|had|waits?)", PERSON, "that is, which has, or name the subject"),
    word("(?:is|are|was|were|be|been|being) told", SPEECH, "is reported, is logged, is printed, is returned"),
    word("(?:tells?|told|telling) of", SPEECH, "reports, describes, lists"),
    word("(?:is|are|was|were) asked", SPEECH, "is requested, is queried"),
    word("(?:is|are|was|were) heard", SPEECH, "is received"),
    word("(?:as )?it (?:is|was) said", SPEECH, "as configured, as requested, as documented"),
    word("(?:be|is|was|were|been) had", VAGUE, "is fetched, is available, is stored"),
    word("(?:let|lets|letting) in", VAGUE, "accepted, authenticated, admitted"),
    word("what (?:became|becomes) of", VAGUE, "the outcome of, the state of"),
    word("gone again", VAGUE, "deleted, closed, removed"),
    word("anew", ARCHAIC, "again, from the start"),
    word("(?:web )?in a box", METAPHOR, "generated web, test web"),
    word("manners", METAPHOR, "politeness, behaviour, limits"),
    word("berths?", METAPHOR, "job"),
    word("luggage", METAPHOR, "what it contains"),
    word("graves", METAPHOR, "tombstones"),
    word("drawers?", METAPHOR, "store, file"),
    word("barren", METAPHOR, "without RDF"),
    ForbiddenWord {
        pattern: "rooms?",
        unless: Some(
            "(?:no|makes?|making|made|leaves?|left|enough|more|free|has|have|is|was|without|spare|takes?|take up|some) room|room (?:for|to|left|is left)",
        ),
        reason: METAPHOR,
        instead: "module",
    },
];
