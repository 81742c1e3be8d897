//! Folds labels for comparison: without case, accents and repeated spaces.

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

/// Maximum number of characters of a label that are compared. Longer labels are not names.
const MAX_LABEL_CHARS: usize = 300;

/// A label in lower case, without accents, with each run of white space as one space.
/// Marks that distinguish letters in scripts without accents are unchanged.
#[must_use]
pub fn fold_label(label: &str) -> String {
    if label.is_ascii() {
        return fold_ascii_label(label);
    }
    let mut text = String::with_capacity(label.len());
    let letters = label.nfkd().filter(|letter| !is_accent(*letter)).flat_map(char::to_lowercase);
    for letter in letters.take(MAX_LABEL_CHARS) {
        match letter {
            space if space.is_whitespace() => {
                if !text.is_empty() && !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            // Letters without a Unicode decomposition that are often typed as their base
            // letters.
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

/// A faster variant for ASCII: most labels are ASCII.
fn fold_ascii_label(label: &str) -> String {
    let label = &label[..label.len().min(MAX_LABEL_CHARS)];
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

/// The words of a folded label (Unicode UAX #29).
pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.unicode_words()
}

/// A text with every run of white space as one space.
#[must_use]
pub fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character is a mark on Latin, Greek or Cyrillic letters, or a vowel point of
/// Hebrew or Arabic. Vowel signs of Indic scripts are marks, but not accents.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{652}' | '\u{670}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_removes_case_accents_and_repeated_spaces() {
        let check = |label: &str, expected: &str| assert_eq!(fold_label(label), expected, "{label}");

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
    fn a_long_text_is_truncated() {
        assert_eq!(fold_label(&"a".repeat(100_000)).len(), MAX_LABEL_CHARS);
    }

    #[test]
    fn words_are_split_by_unicode_rules() {
        assert_eq!(words("st. peter's, cologne (1880)").collect::<Vec<_>>(), ["st", "peter's", "cologne", "1880"]);
    }
}
