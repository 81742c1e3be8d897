//! Labels as people compare them: without case, accents and odd spaces.

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

/// Of a longer label only the beginning is compared: it is no name.
const LABEL_CHARACTERS_MAX: usize = 300;

/// A label in lower case, without accents, every run of white space one space.
/// What tells letters apart in scripts that have no accents is left as it is.
#[must_use]
pub fn folded(label: &str) -> String {
    if label.is_ascii() {
        return folded_ascii(label);
    }
    let mut text = String::with_capacity(label.len());
    let letters = label.nfkd().filter(|letter| !is_accent(*letter)).flat_map(char::to_lowercase);
    for letter in letters.take(LABEL_CHARACTERS_MAX) {
        match letter {
            space if space.is_whitespace() => {
                if !text.is_empty() && !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            // Letters that are not made of another one and an accent, though they
            // are typed that way by those who do not have them.
            'ß' => text.push_str("ss"),
            'æ' => text.push_str("ae"),
            'œ' => text.push_str("oe"),
            'ø' => text.push('o'),
            'ł' => text.push('l'),
            'đ' | 'ð' => text.push('d'),
            'ı' => text.push('i'),
            letter => text.push(letter),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The same, quickly: most labels are.
fn folded_ascii(label: &str) -> String {
    let label = &label[..label.len().min(LABEL_CHARACTERS_MAX)];
    let mut text = String::with_capacity(label.len());
    for word in label.split_ascii_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.make_ascii_lowercase();
    text
}

/// The words of a folded label, by the rules of Unicode.
pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.unicode_words()
}

/// A text with every run of white space as one space.
pub(crate) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks on Latin, Greek and Cyrillic letters, and the vowel points of Hebrew and
/// Arabic. The vowel signs of Indic scripts are marks, too, and no accents.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{652}' | '\u{670}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_spaces_do_not_count() {
        let check = |label: &str, expected: &str| assert_eq!(folded(label), expected, "{label}");

        check("  Kölner\u{A0}  DOM\n", "kolner dom");
        check("Ko\u{308}ln", "koln");
        check("Édifice Price", "edifice price");
        check("Straße", "strasse");
        check("Łódź", "lodz");
        check("İstanbul", "istanbul");
        check("Ἀθῆναι", "αθηναι");
        check(" Cologne \t CATHEDRAL ", "cologne cathedral");
        check("ﬁn", "fin");
        check("東京", "東京");
        check("किताब", "किताब");
        check(" \t ", "");
    }

    #[test]
    fn a_text_that_is_no_name_is_cut() {
        assert_eq!(folded(&"a".repeat(100_000)).len(), LABEL_CHARACTERS_MAX);
    }

    #[test]
    fn words_are_those_of_unicode() {
        assert_eq!(words("st. peter's, cologne (1880)").collect::<Vec<_>>(), ["st", "peter's", "cologne", "1880"]);
    }
}
