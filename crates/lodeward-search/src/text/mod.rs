//! Text to terms, the same way for the index and for queries.
//!
//! A text is decomposed (NFKD), accents are dropped, and it is split into words: runs of letters
//! and digits. Text in scripts without spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar)
//! becomes overlapping pairs of characters, so that a part of a compound is found without a
//! dictionary. Words are then stemmed (Snowball), if the language of the text has a stemmer among
//! the [`StemmedLanguages`].

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

pub mod names;
mod stemming;
mod stop_words;

pub use stemming::{StemmedLanguages, singular};
pub use stop_words::is_stop_word;

/// Maximum length of a word in bytes; the rest of a longer one is dropped. Also below the limit
/// of the index for one term.
const MAX_WORD_BYTES: usize = 96;

/// Returns a text in lower case, in compatibility form, without accents.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd().filter(|c| !is_accent(*c)).nfc().flat_map(char::to_lowercase).collect()
}

/// Whether a character is an accent, which is dropped: marks placed above, below or through a
/// letter, Hebrew points and Arabic vowel marks. Signs of Indic and Thai vowels are parts of words.
fn is_accent(c: char) -> bool {
    matches!(canonical_combining_class(c), 10..=36 | 200..)
}

/// Returns the words of a text, folded and not stemmed.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for_each_word(text, |word| found.push(word.to_owned()));
    found
}

/// Calls `visit` for each word of a text, folded and not stemmed.
pub fn for_each_word(text: &str, mut visit: impl FnMut(&str)) {
    if !text.is_ascii() {
        let folded = fold(text);
        let runs = folded.split(|c: char| !is_word_char(c)).filter(|run| !run.is_empty());
        runs.for_each(|run| split_run(run, &mut visit));
        return;
    }
    let mut word = String::new();
    for run in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
        word.clear();
        word.push_str(bounded(run));
        word.make_ascii_lowercase();
        visit(&word);
    }
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

/// Splits a run of word characters where text with and without spaces between words meets.
fn split_run(run: &str, visit: &mut impl FnMut(&str)) {
    if run.is_ascii() {
        visit(bounded(run));
        return;
    }
    let chars: Vec<char> = run.chars().collect();
    for piece in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        let text = |piece: &[char]| piece.iter().collect::<String>();
        if !is_unspaced(piece[0]) {
            visit(bounded(&text(piece)));
        } else if piece.len() == 1 {
            visit(&text(piece));
        } else {
            piece.windows(2).for_each(|pair| visit(&text(pair)));
        }
    }
}

/// Whether a character is of a script that has no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF // Thai, Lao, Myanmar, Khmer
        | 0x3040..=0x30FF | 0x31F0..=0x31FF                 // Hiragana, Katakana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF) // Han
}

fn bounded(word: &str) -> &str {
    &word[..word.floor_char_boundary(MAX_WORD_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{text}");
    }

    #[test]
    fn words_are_folded() {
        check("Abdullah Gül", &["abdullah", "gul"]);
        check("Kim Dae-jung (1924)", &["kim", "dae", "jung", "1924"]);
        check("ﬁn Ⅻ", &["fin", "xii"]);
        check("Москва́", &["москва"]);
        check("", &[]);
        check("  –– !", &[]);
    }

    #[test]
    fn text_without_spaces_becomes_pairs_of_characters() {
        check("東京都", &["東京", "京都"]);
        check("京", &["京"]);
        check("東京Tower 2", &["東京", "tower", "2"]);
        check("ไทย", &["ไท", "ทย"]);
    }

    #[test]
    fn hangul_syllables_and_indic_vowel_signs_are_kept() {
        check("서울 특별시", &["서울", "특별시"]);
        check("हिन्दी", &["हिन्दी"]);
    }

    #[test]
    fn long_words_are_cut() {
        let word = "é€".repeat(1_000);
        assert!(words(&word).iter().all(|word| word.len() <= MAX_WORD_BYTES));
    }
}
