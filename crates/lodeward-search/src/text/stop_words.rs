//! Words that carry no meaning in a query.

/// Whether a folded word is left out of a query, unless nothing else remains.
///
/// The first list is Lucene's English one (33 words). The second has words of questions and
/// requests ("show me all", "which of"), from `SEARCH-STUDY.md`, section 1.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    LUCENE.binary_search(&word).is_ok() || QUESTIONS.binary_search(&word).is_ok()
}

const LUCENE: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

const QUESTIONS: [&str; 46] = [
    "all", "also", "any", "been", "being", "can", "could", "did", "do", "does", "done", "from", "give", "had", "has",
    "have", "he", "her", "his", "how", "i", "its", "less", "list", "many", "me", "more", "much", "name", "she",
    "should", "show", "tell", "than", "us", "we", "were", "what", "when", "where", "which", "who", "whom", "whose",
    "would", "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(LUCENE.is_sorted() && QUESTIONS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("would") && !is_stop_word("gothic"));
    }
}
