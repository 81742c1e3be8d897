//! The running text of a page, and what of it surrounds each anchor.

/// Follows the text of a page block by block.
///
/// An anchor's context is what its block says just before and just after it.
/// Before is known when the anchor opens; after is filled in as text arrives,
/// until there is enough or the block ends. Each anchor is touched at most once
/// for each character of its context, so a page takes linear time whatever it
/// is made of.
pub(super) struct RunningText {
    context_characters: usize,
    anchor_characters: usize,
    /// The end of the block so far, white space folded.
    block: String,
    /// The anchor that is open, and how many characters of its text are wanted.
    open: Option<(usize, usize)>,
    /// Anchors that still lack text after them, and how many characters.
    waiting: Vec<(usize, usize)>,
}

/// What is known of an anchor's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AnchorText {
    /// Its own text.
    pub(super) text: String,
    /// The text before and after it.
    pub(super) context: String,
}

impl RunningText {
    pub(super) fn new(context_characters: usize, anchor_characters: usize) -> Self {
        Self { context_characters, anchor_characters, block: String::new(), open: None, waiting: Vec::new() }
    }

    /// A block begins or ends here.
    pub(super) fn boundary(&mut self) {
        self.block.clear();
        self.waiting.clear();
    }

    /// The anchor with this number opens. One that is open closes: anchors do
    /// not nest.
    pub(super) fn open(&mut self, number: usize, anchors: &mut Vec<AnchorText>) {
        self.close(anchors);
        let context = tail(&self.block, self.context_characters).trim_start().to_owned();
        if number == anchors.len() {
            anchors.push(AnchorText { text: String::new(), context });
        }
        self.open = Some((number, self.anchor_characters));
    }

    /// The anchor that is open, if any, closes.
    pub(super) fn close(&mut self, anchors: &mut [AnchorText]) {
        let Some((number, _)) = self.open.take() else { return };
        if self.context_characters > 0 {
            let context = &mut anchors[number].context;
            if !context.is_empty() && !context.ends_with(' ') {
                context.push(' ');
            }
            self.waiting.push((number, self.context_characters));
        }
    }

    /// Text of the page, character references resolved.
    pub(super) fn text(&mut self, text: &str, anchors: &mut [AnchorText]) {
        if let Some((number, characters)) = &mut self.open {
            *characters -= fold(text, &mut anchors[*number].text, *characters);
        }
        self.waiting.retain_mut(|(number, characters)| {
            *characters -= fold(text, &mut anchors[*number].context, *characters);
            *characters > 0
        });
        // Only the end of the block is ever looked at: of long text, its end.
        fold(tail(text, 2 * self.context_characters), &mut self.block, usize::MAX);
        if self.block.len() > 16 * self.context_characters {
            self.block = tail(&self.block, self.context_characters).to_owned();
        }
    }
}

/// Appends text with its white space folded, at most so many characters, and
/// says how many.
fn fold(text: &str, onto: &mut String, characters_max: usize) -> usize {
    let mut written = 0;
    for character in text.chars() {
        if written >= characters_max {
            break;
        }
        let is_space = character.is_whitespace();
        if is_space && (onto.is_empty() || onto.ends_with(' ')) {
            continue;
        }
        onto.push(if is_space { ' ' } else { character });
        written += 1;
    }
    written
}

/// The last characters of a text.
fn tail(text: &str, characters: usize) -> &str {
    let start = text.char_indices().rev().take(characters).last().map_or(text.len(), |(start, _)| start);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_what_the_block_says_around_the_anchor() {
        let mut running = RunningText::new(8, 200);
        let mut anchors = Vec::new();

        running.text("other block", &mut anchors);
        running.boundary();
        running.text("1234567 the \n", &mut anchors);
        running.open(0, &mut anchors);
        running.text(" anchor\ttext ", &mut anchors);
        running.close(&mut anchors);
        running.text(" goes on and on", &mut anchors);
        running.boundary();
        running.text("next block", &mut anchors);

        assert_eq!(anchors[0].text.trim(), "anchor text");
        assert_eq!(anchors[0].context, "567 the goes on ");
    }

    #[test]
    fn anchors_side_by_side_are_context_to_each_other() {
        let mut running = RunningText::new(80, 200);
        let mut anchors = Vec::new();

        for (number, text) in ["one", "two", "three"].into_iter().enumerate() {
            running.open(number, &mut anchors);
            running.text(text, &mut anchors);
            running.close(&mut anchors);
            running.text(" | ", &mut anchors);
        }

        assert_eq!(anchors[1].text, "two");
        assert_eq!(anchors[1].context, "one | | three | ");
    }

    #[test]
    fn text_is_cut_to_its_bound() {
        let mut running = RunningText::new(10, 5);
        let mut anchors = Vec::new();

        running.text(&"x".repeat(1_000_000), &mut anchors);
        running.open(0, &mut anchors);
        running.text(&"é".repeat(1_000_000), &mut anchors);
        running.close(&mut anchors);
        running.text(&"y".repeat(1_000_000), &mut anchors);

        assert_eq!(anchors[0].text, "é".repeat(5));
        assert_eq!(anchors[0].context, format!("{} {}", "x".repeat(10), "y".repeat(10)));
        assert!(running.block.capacity() < 10_000);
    }
}
