//! The running text of a page, and the context of each anchor.

/// Tracks the text of a page block by block.
///
/// The context of an anchor is the text of its block directly before and after it. The text before
/// is known when the anchor opens; the text after is appended as it arrives, until the limit is
/// reached or the block ends. Each anchor is updated at most once for each character of its
/// context, so a page takes linear time.
#[derive(Debug)]
pub(super) struct RunningText {
    context_characters: usize,
    anchor_characters: usize,
    /// The end of the current block, as written.
    block: String,
    /// The open anchor, and how many more characters of its text are needed.
    open: Option<(usize, usize)>,
    /// Closed anchors that need more text after them, and how many characters.
    incomplete: Vec<(usize, usize)>,
}

/// The text of an anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AnchorText {
    /// The anchor text.
    pub(super) text: String,
    /// The text before and after the anchor.
    pub(super) context: String,
}

impl RunningText {
    pub(super) fn new(context_characters: usize, anchor_characters: usize) -> Self {
        Self { context_characters, anchor_characters, block: String::new(), open: None, incomplete: Vec::new() }
    }

    /// Starts or ends a block.
    pub(super) fn end_block(&mut self) {
        self.block.clear();
        self.incomplete.clear();
    }

    /// Opens the anchor with this number. An open anchor is closed: anchors do not nest.
    pub(super) fn open_anchor(&mut self, number: usize, anchors: &mut Vec<AnchorText>) {
        self.close_anchor(anchors);
        let mut context = String::new();
        append_folded(tail(&self.block, self.raw_context_chars()), &mut context, usize::MAX);
        let context = tail(&context, self.context_characters).trim_start().to_owned();
        if number == anchors.len() {
            anchors.push(AnchorText { text: String::new(), context });
        }
        self.open = Some((number, self.anchor_characters));
    }

    /// Closes the open anchor, if any.
    pub(super) fn close_anchor(&mut self, anchors: &mut [AnchorText]) {
        let Some((number, _)) = self.open.take() else { return };
        if self.context_characters > 0 {
            let context = &mut anchors[number].context;
            if !context.is_empty() && !context.ends_with(' ') {
                context.push(' ');
            }
            self.incomplete.push((number, self.context_characters));
        }
    }

    /// Appends text of the page, with character references resolved.
    pub(super) fn push_text(&mut self, text: &str, anchors: &mut [AnchorText]) {
        if let Some((number, characters)) = &mut self.open {
            *characters -= append_folded(text, &mut anchors[*number].text, *characters);
        }
        self.incomplete.retain_mut(|(number, characters)| {
            // White space also counts; otherwise an anchor could stay incomplete forever.
            let written = append_folded(text, &mut anchors[*number].context, *characters);
            *characters = characters.saturating_sub(written.max(1));
            *characters > 0
        });
        // White space is collapsed later, and only in the text before an anchor: most text is never part of one.
        self.block.push_str(tail(text, self.raw_context_chars()));
        if self.block.len() > 8 * self.raw_context_chars() {
            self.block = tail(&self.block, self.raw_context_chars()).to_owned();
        }
    }

    /// How many characters of written text are stored for a context: sufficient, unless the text is
    /// mostly white space.
    fn raw_context_chars(&self) -> usize {
        4 * self.context_characters
    }
}

/// Appends text with white space collapsed, up to a number of characters. Returns how many were
/// appended.
fn append_folded(text: &str, onto: &mut String, max_characters: usize) -> usize {
    let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let mut written = 0;
    let mut is_apart = is_space(text.as_bytes().first());
    for word in text.split_ascii_whitespace() {
        if is_apart && written < max_characters {
            written += append_space(onto);
        }
        is_apart = true;
        let word = head(word, max_characters - written);
        onto.push_str(word);
        written += word.chars().count();
        if written >= max_characters {
            return written;
        }
    }
    if is_space(text.as_bytes().last()) && written < max_characters {
        written += append_space(onto);
    }
    written
}

/// Appends a space, unless the text ends with one. Returns the number of appended characters.
fn append_space(onto: &mut String) -> usize {
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
    fn context_is_the_text_of_the_block_around_the_anchor() {
        let mut running = RunningText::new(8, 200);
        let mut anchors = Vec::new();

        running.push_text("other block", &mut anchors);
        running.end_block();
        running.push_text("1234567 the \n", &mut anchors);
        running.open_anchor(0, &mut anchors);
        running.push_text(" anchor\ttext ", &mut anchors);
        running.close_anchor(&mut anchors);
        running.push_text(" goes on and on", &mut anchors);
        running.end_block();
        running.push_text("next block", &mut anchors);

        assert_eq!(anchors[0].text.trim(), "anchor text");
        assert_eq!(anchors[0].context, "567 the goes on ");
    }

    #[test]
    fn adjacent_anchors_are_context_of_each_other() {
        let mut running = RunningText::new(80, 200);
        let mut anchors = Vec::new();

        for (number, text) in ["one", "two", "three"].into_iter().enumerate() {
            running.open_anchor(number, &mut anchors);
            running.push_text(text, &mut anchors);
            running.close_anchor(&mut anchors);
            running.push_text(" | ", &mut anchors);
        }

        assert_eq!(anchors[1].text, "two");
        assert_eq!(anchors[1].context, "one | | three | ");
    }

    #[test]
    fn anchor_text_and_context_are_truncated() {
        let mut running = RunningText::new(10, 5);
        let mut anchors = Vec::new();

        running.push_text(&"x".repeat(1_000_000), &mut anchors);
        running.open_anchor(0, &mut anchors);
        running.push_text(&"é".repeat(1_000_000), &mut anchors);
        running.close_anchor(&mut anchors);
        running.push_text(&"y".repeat(1_000_000), &mut anchors);

        assert_eq!(anchors[0].text, "é".repeat(5));
        assert_eq!(anchors[0].context, format!("{} {}", "x".repeat(10), "y".repeat(10)));
        assert!(running.block.capacity() < 10_000);
    }
}
