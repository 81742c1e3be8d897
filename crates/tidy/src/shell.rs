//! Splits shell lines into simple commands, as far as documentation needs it.

/// The simple commands of a line: its parts between `|`, `;`, `&&`, `||` and `&`,
/// without redirections and comments; commands in `$(…)` follow the command that
/// uses them.
pub(crate) fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut splitter = Splitter { commands: vec![Vec::new()], ..Splitter::default() };
    let characters: Vec<char> = line.chars().collect();
    splitter.run(&characters);
    let mut commands: Vec<Vec<String>> =
        splitter.commands.into_iter().map(without_prefixes).filter(|words| !words.is_empty()).collect();
    for inner in splitter.substitutions {
        commands.extend(simple_commands(&inner));
    }
    commands
}

/// Whether a quote or a continuation is open at the end, so that the command goes
/// on in the next line.
pub(crate) fn is_incomplete(line: &str) -> bool {
    let mut quote = None;
    let mut previous = ' ';
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None | Some('"'), '\\') if characters.next().is_none() => return true,
            (None, '\'' | '"') => quote = Some(character),
            (None, '#') if previous.is_whitespace() => return false,
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
        previous = character;
    }
    quote.is_some()
}

/// The word that ends a here-document which the line opens.
pub(crate) fn here_document_end(line: &str) -> Option<&str> {
    let word = line.split_once("<<")?.1.trim_start_matches('-').split_whitespace().next()?;
    let word = word.trim_matches(['\'', '"']);
    (!word.is_empty() && !word.starts_with('<')).then_some(word)
}

#[derive(Default)]
struct Splitter {
    commands: Vec<Vec<String>>,
    substitutions: Vec<String>,
    word: Option<String>,
    /// The next word is the file of a redirection.
    is_redirection: bool,
}

impl Splitter {
    fn run(&mut self, characters: &[char]) {
        let mut at = 0;
        while let Some(&character) = characters.get(at) {
            let rest = &characters[at..];
            at += match character {
                '\'' => self.quoted(rest),
                '"' => self.double_quoted(rest),
                '$' => self.variable(rest),
                '\\' => self.escaped(rest),
                '#' if self.word.is_none() => break,
                '<' if placeholder_length(rest).is_some() => self.placeholder(rest),
                '<' | '>' => self.redirection(rest),
                '|' | ';' | '&' | '\n' => self.separator(),
                _ if character.is_whitespace() => self.end_word(),
                _ => self.push(character),
            };
        }
        self.end_word();
    }

    fn push(&mut self, character: char) -> usize {
        self.word.get_or_insert_default().push(character);
        1
    }

    fn end_word(&mut self) -> usize {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.is_redirection)
            && let Some(command) = self.commands.last_mut()
        {
            command.push(word);
        }
        1
    }

    fn separator(&mut self) -> usize {
        self.end_word();
        self.commands.push(Vec::new());
        1
    }

    fn quoted(&mut self, rest: &[char]) -> usize {
        let length = rest[1..].iter().position(|next| *next == '\'').unwrap_or(rest.len() - 1);
        self.word.get_or_insert_default().extend(&rest[1..=length]);
        length + 2
    }

    fn double_quoted(&mut self, rest: &[char]) -> usize {
        self.word.get_or_insert_default();
        let mut at = 1;
        while let Some(&character) = rest.get(at) {
            at += match character {
                '"' => return at + 1,
                '$' => self.variable(&rest[at..]),
                '\\' => self.escaped(&rest[at..]),
                _ => self.push(character),
            };
        }
        at
    }

    fn escaped(&mut self, rest: &[char]) -> usize {
        match rest.get(1) {
            Some('\n') | None => {}
            Some(next) => _ = self.push(*next),
        }
        2
    }

    /// A variable or a substitution has some value: `1` passes as text and as a number.
    fn variable(&mut self, rest: &[char]) -> usize {
        let closed = |close: char| rest.iter().position(|next| *next == close).map_or(rest.len(), |end| end + 1);
        let length = match rest.get(1) {
            Some('(') => {
                let length = closing_parenthesis(rest);
                self.substitutions.push(rest[2..length.max(3) - 1].iter().collect());
                length
            }
            Some('{') => closed('}'),
            Some(next) if next.is_alphanumeric() || *next == '_' => {
                let name = rest[1..].iter().take_while(|next| next.is_alphanumeric() || **next == '_');
                1 + name.count()
            }
            _ => return self.push('$'),
        };
        self.push('1');
        length
    }

    /// `2>&1`, `>file`, `< file`, `&>file`: the digits before and the word after go.
    fn redirection(&mut self, rest: &[char]) -> usize {
        if self.word.as_ref().is_some_and(|word| word.chars().all(|digit| digit.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.is_redirection = true;
        rest.iter().take_while(|next| matches!(next, '<' | '>' | '&')).count()
    }

    /// `<FILE>` stands for a value.
    fn placeholder(&mut self, rest: &[char]) -> usize {
        let length = placeholder_length(rest).unwrap_or(1);
        self.word.get_or_insert_default().extend(&rest[1..length - 1]);
        length
    }
}

fn placeholder_length(rest: &[char]) -> Option<usize> {
    let end = rest.iter().position(|next| *next == '>')?;
    let is_name = rest[1..end].iter().all(|next| next.is_alphanumeric() || matches!(next, '-' | '_'));
    (end > 1 && is_name).then_some(end + 1)
}

fn closing_parenthesis(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    for (index, character) in rest.iter().enumerate() {
        match character {
            '(' => depth += 1,
            ')' if depth <= 1 => return index + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// Drops `NAME=value` and the programs that run another one.
fn without_prefixes(words: Vec<String>) -> Vec<String> {
    let is_assignment = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.chars().all(|next| next.is_ascii_uppercase() || next.is_ascii_digit() || next == '_')
        })
    };
    let is_prefix =
        |word: &String| is_assignment(word) || matches!(word.as_str(), "sudo" | "time" | "env" | "exec" | "nohup");
    words.into_iter().skip_while(is_prefix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(line: &str) -> Vec<String> {
        simple_commands(line).into_iter().map(|words| words.join("·")).collect()
    }

    #[test]
    fn pipes_and_lists_are_split() {
        assert_eq!(commands("a b | c d; e && f || g &"), ["a·b", "c·d", "e", "f", "g"]);
    }

    #[test]
    fn quotes_make_one_word() {
        assert_eq!(commands(r#"a 'b | c' "d; \"e\"" f\ g"#), [r#"a·b | c·d; "e"·f g"#]);
    }

    #[test]
    fn redirections_and_comments_are_dropped() {
        assert_eq!(commands("a b > c 2>&1 d >>e < f # g"), ["a·b·d"]);
        assert_eq!(commands("a b#c"), ["a·b#c"]);
    }

    #[test]
    fn assignments_and_wrappers_are_dropped() {
        assert_eq!(commands("A=b C_1='d e' sudo f --g=h"), ["f·--g=h"]);
    }

    #[test]
    fn variables_and_placeholders_become_values() {
        assert_eq!(commands("a $B/${C} \"x $D\" <FILE>"), ["a·1/1·x 1·FILE"]);
    }

    #[test]
    fn substituted_commands_follow() {
        assert_eq!(commands("T=$(a 'b c' | d)"), ["a·b c", "d"]);
    }

    #[test]
    fn open_quotes_and_backslashes_continue() {
        assert!(is_incomplete("a \\") && is_incomplete("a 'b") && is_incomplete("a \"b \\\""));
        assert!(!is_incomplete("a 'b' # it's") && !is_incomplete("a \"it's\""));
    }

    #[test]
    fn here_documents_are_seen() {
        assert_eq!(here_document_end("cat > a <<'EOF'"), Some("EOF"));
        assert_eq!(here_document_end("cat < a"), None);
    }
}
