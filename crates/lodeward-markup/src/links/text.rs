//! The running text of a page, and what of it surrounds each anchor.

/// Follows the text of a page block by block.
///
/// An anchor's context is what its block says just before and just after it.
/// Before is known when the anchor opens; after is filled in as text arrives,
/// until there is enough or the block ends. Each anchor is touched at most once
/// for each character of its context, so a page takes linear time whatever it
/// is made of.
#[derive(Debug)]
pub(super) struct RunningText {
    context_characters: usize,
    anchor_characters: usize,
    /// The end of the block so far, as it is written.
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
        let mut context = String::new();
        fold(tail(&self.block, self.raw_characters()), &mut context, usize::MAX);
        let context = tail(&context, self.context_characters).trim_start().to_owned();
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
            // White space counts for something, too: else nobody would be done.
            let written = fold(text, &mut anchors[*number].context, *characters);
            *characters = characters.saturating_sub(written.max(1));
            *characters > 0
        });
        // Only the end of the block is ever looked at, and only if there is an
        // anchor: most text is never folded.
        self.block.push_str(tail(text, self.raw_characters()));
        if self.block.len() > 8 * self.raw_characters() {
            self.block = tail(&self.block, self.raw_characters()).to_owned();
        }
    }

    /// How many characters of text as it is written make up a context: enough,
    /// unless it is mostly white space.
    fn raw_characters(&self) -> usize {
        4 * self.context_characters
    }
}

/// Appends text with its white space folded, at most so many characters, and
/// says how many.
fn fold(text: &str, onto: &mut String, characters_max: usize) -> usize {
    let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let mut written = 0;
    let mut is_apart = is_space(text.as_bytes().first());
    for word in text.split_ascii_whitespace() {
        if is_apart && written < characters_max {
            written += space(onto);
        }
        is_apart = true;
        let word = head(word, characters_max - written);
        onto.push_str(word);
        written += word.chars().count();
        if written >= characters_max {
            return written;
        }
    }
    if is_space(text.as_bytes().last()) && written < characters_max {
        written += space(onto);
    }
    written
}

/// Appends a space where there is none, and says how many that makes.
fn space(onto: &mut String) -> usize {
    if onto.is_empty() || onto.ends_with(' ') {
        return 0;
    }
    onto.push(' ');
    1
}

/// The first characters of a text.
fn head(text: &str, characters: usize) -> &str {
    if text.len() <= characters {
        return text;
    }
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The last characters of a text.
fn tail(text: &str, characters: usize) -> &str {
    let start = text.len().saturating_sub(characters);
    if text.as_bytes()[start..].is_ascii() {
        return &text[start..];
    }
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
