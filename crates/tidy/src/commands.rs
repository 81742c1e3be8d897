//! The commands that documentation shows, as argument vectors.
//!
//! A test beside the clap definition of a program parses them: see
//! `docs_commands` in the sources of `lodeward-cli`, `lodeward-eval` and `toyweb`.

use crate::markdown::{code_blocks, code_spans};
use crate::rust_lexer::line_of;
use crate::shell::{here_document_end, is_incomplete, simple_commands};
use crate::{Repository, TextFile};

/// A command of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocCommand {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Part of a sentence: arguments that are required may be missing.
    pub is_inline: bool,
    /// Its output begins with `error: `, so it need not parse.
    pub fails: bool,
}

impl DocCommand {
    /// The name of the program, without its directory.
    #[must_use]
    pub fn program(&self) -> &str {
        self.argv[0].rsplit('/').next().unwrap_or_default()
    }
}

/// The commands in the code blocks of a page: all lines of a block that is marked
/// `sh`; in `console`, `text` and unmarked blocks the lines with the prompt `$`, as
/// the others are output.
#[must_use]
pub fn commands_in(markdown: &str) -> Vec<DocCommand> {
    let mut commands = Vec::new();
    for block in code_blocks(markdown) {
        let has_prompt = match block.language {
            "console" | "text" | "" => true,
            "sh" | "bash" | "shell" => false,
            _ => continue,
        };
        let mut lines = block.code.lines().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let line = line.trim_start();
            let (prompt, first) = line.strip_prefix("$ ").map_or((false, line), |rest| (true, rest));
            if has_prompt && !prompt {
                continue;
            }
            let mut text = first.to_owned();
            while is_incomplete(&text)
                && let Some((_, next)) = lines.next()
            {
                text.push('\n');
                text.push_str(next.strip_prefix("> ").filter(|_| has_prompt).unwrap_or(next));
            }
            if let Some(end) = here_document_end(first) {
                let _ = lines.find(|(_, line)| line.trim() == end);
            }
            let fails = has_prompt && lines.peek().is_some_and(|(_, output)| output.starts_with("error: "));
            let line = block.first_line + index;
            let found = simple_commands(&text).into_iter().filter_map(argv);
            commands.extend(found.map(|argv| DocCommand { line, argv, is_inline: false, fails }));
        }
    }
    commands
}

/// The commands in code spans of sentences, such as `` `lodeward crawl --refresh` ``.
#[must_use]
pub fn inline_commands_in(markdown: &str) -> Vec<DocCommand> {
    let spans = code_spans(markdown).into_iter();
    spans
        .filter_map(|(offset, code)| {
            let argv = argv(simple_commands(&code).into_iter().next()?).filter(|argv| argv.len() > 1)?;
            Some(DocCommand { line: line_of(markdown, offset), argv, is_inline: true, fails: false })
        })
        .collect()
}

/// The pages for users, and the commands in them that run a program.
pub fn documented<'a>(
    repository: &'a Repository,
    program: &'a str,
) -> impl Iterator<Item = (&'a TextFile, DocCommand)> {
    let is_page = |file: &&TextFile| {
        file.path.starts_with("docs/") || !file.path.contains('/') || file.file_name() == "README.md"
    };
    repository.with_extension("md").filter(is_page).filter(|file| file.path != "CHANGELOG.md").flat_map(move |file| {
        let commands = commands_in(&file.text).into_iter().chain(inline_commands_in(&file.text));
        commands.filter(move |command| command.program() == program).map(move |command| (file, command))
    })
}

/// The words of a command with placeholders filled in; nothing if no word is left.
fn argv(words: Vec<String>) -> Option<Vec<String>> {
    let words = cargo_run(&words).unwrap_or(words);
    let argv: Vec<String> = words.iter().filter_map(|word| filled(word)).collect();
    (!argv.is_empty()).then_some(argv)
}

/// `cargo run -p lodeward-cli -- crawl` runs `lodeward crawl`.
fn cargo_run(words: &[String]) -> Option<Vec<String>> {
    if words.first()? != "cargo" || words.get(1)? != "run" {
        return None;
    }
    let package = words.iter().position(|word| word == "-p").and_then(|index| words.get(index + 1))?;
    let arguments = words.iter().position(|word| word == "--").map_or(words.len(), |index| index + 1);
    let program = package.trim_end_matches("-cli").to_owned();
    Some([program].into_iter().chain(words[arguments..].iter().cloned()).collect())
}

/// `…` and `[OPTIONS]` stand for arguments that are left out; `URL…` for several of
/// one kind; `[--since TIME]` for arguments that may be left out; `PORT` and `N` for
/// a number.
fn filled(word: &str) -> Option<String> {
    if matches!(word, "…" | "..." | "[OPTIONS]" | "[COMMAND]") {
        return None;
    }
    let word = word.strip_suffix('…').or_else(|| word.strip_suffix("...")).unwrap_or(word);
    let word = word.strip_prefix("[-").map_or_else(|| word.to_owned(), |rest| format!("-{rest}"));
    let word = if word.contains('[') { &word } else { word.trim_end_matches(']') };
    let word = if word == "N" { "1".to_owned() } else { word.replace("PORT", "1") };
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> Vec<(usize, String)> {
        commands_in(markdown).into_iter().map(|command| (command.line, command.argv.join("·"))).collect()
    }

    fn expected(commands: &[(usize, &str)]) -> Vec<(usize, String)> {
        commands.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
    }

    #[test]
    fn console_blocks_have_prompts_and_output() {
        let page = "Text\n```console\n$ lodeward crawl \\\n    --delay 1s\nlodeward is output\n$ A=1 lodeward query 'SELECT *\n{ ?s ?p ?o }' | sort > x\n```\n";
        let query = "lodeward·query·SELECT *\n{ ?s ?p ?o }";
        assert_eq!(shown(page), expected(&[(3, "lodeward·crawl·--delay·1s"), (6, query), (6, "sort")]));
    }

    #[test]
    fn sh_blocks_have_commands_and_comments() {
        let page = "```sh\n# first\nlodeward rank   # ranks\ncat > a <<EOF\nlodeward none\nEOF\nmake test\n```\n```text\nlodeward no\n```\n```json\n$ lodeward no\n```\n";
        assert_eq!(shown(page), expected(&[(3, "lodeward·rank"), (4, "cat"), (7, "make·test")]));
    }

    #[test]
    fn placeholders_are_filled() {
        let page =
            "```sh\nlodeward crawl @a --proxy http://127.0.0.1:PORT …\nlodeward keep ENTITY… [OPTIONS] [--n N]\n```";
        let first = "lodeward·crawl·@a·--proxy·http://127.0.0.1:1";
        assert_eq!(shown(page), expected(&[(2, first), (3, "lodeward·keep·ENTITY·--n·1")]));
    }

    #[test]
    fn programs_may_have_a_directory_or_be_run_by_cargo() {
        let page = "```sh\ntarget/release/lodeward crawl\ncargo run -p lodeward-cli -- rank\n```";
        let commands = commands_in(page);
        assert_eq!((commands[0].program(), commands[1].argv.join(" ").as_str()), ("lodeward", "lodeward rank"));
    }

    #[test]
    fn commands_shown_with_an_error_are_marked() {
        let commands = commands_in("```console\n$ lodeward crawl x\nerror: no\n$ lodeward crawl y\nok\n```");
        assert_eq!(commands.iter().map(|command| command.fails).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn commands_in_sentences_are_found() {
        let commands = inline_commands_in("Run `lodeward crawl\n--refresh`, not `lodeward`.\n");
        assert_eq!(commands.len(), 1);
        assert_eq!((commands[0].argv.join(" ").as_str(), commands[0].line), ("lodeward crawl --refresh", 1));
    }
}
