//! Words of URLs and texts, with numbers and ids normalised.

/// Maximum length in bytes of a token that is treated as a word.
const MAX_WORD_BYTES: usize = 24;

/// Calls `take` with the first words of a text: sequences of letters and digits in lower case.
/// Numbers become `#`, trailing digits become `#`, ids become `~`.
pub(super) fn for_each_word(text: &str, max: usize, scratch: &mut String, mut take: impl FnMut(&str)) {
    let tokens = text.split(|character: char| !character.is_alphanumeric()).filter(|token| !token.is_empty());
    for token in tokens.take(max) {
        fold_token(token, scratch);
        if scratch.len() >= 2 || matches!(scratch.as_str(), "#" | "~") {
            take(scratch);
        }
    }
}

/// Normalises one token into `folded`.
pub(super) fn fold_token(token: &str, folded: &mut String) {
    folded.clear();
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        folded.push('#');
    } else if is_id(token) {
        folded.push('~');
    } else {
        for character in token.chars().flat_map(char::to_lowercase) {
            if !character.is_ascii_digit() {
                folded.push(character);
            } else if !folded.ends_with('#') {
                folded.push('#');
            }
        }
    }
}

/// Whether a token is an identifier rather than a word: long, or hexadecimal, or with many digits
/// among its letters.
fn is_id(token: &str) -> bool {
    if token.len() > MAX_WORD_BYTES {
        return true;
    }
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = token.len() >= 8 && digits > 0 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex || (token.len() >= 6 && digits * 3 >= token.len() && !ends_in_number(token))
}

fn ends_in_number(token: &str) -> bool {
    token.trim_end_matches(|character: char| character.is_ascii_digit()).bytes().all(|byte| !byte.is_ascii_digit())
}

/// The shape of a path: directories as normalised words (`#` and `~` for numbers and ids), the last
/// segment as `w`, `#`, `~`, or nothing, and its extension.
pub(super) fn path_shape(path: &str, shape: &mut String) {
    const MAX_SEGMENTS: usize = 6;
    shape.clear();
    let mut folded = String::new();
    let (directories, last) = path.rsplit_once('/').unwrap_or(("", path));
    for directory in directories.split('/').skip(1).take(MAX_SEGMENTS) {
        shape.push('/');
        fold_token(directory, &mut folded);
        shape.push_str(&folded);
    }
    shape.push('/');
    let (stem, extension) = match last.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 => (stem, Some(extension)),
        _ => (last, None),
    };
    if !stem.is_empty() {
        fold_token(stem, &mut folded);
        shape.push_str(match folded.as_str() {
            "#" | "~" => &folded,
            _ if folded.ends_with('#') => "w#",
            _ => "w",
        });
    }
    if let Some(extension) = extension {
        shape.push('.');
        shape.push_str(extension);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_normalised() {
        let check = |text: &str, expected: &[&str]| {
            let mut found = Vec::new();
            for_each_word(text, 9, &mut String::new(), |word| found.push(word.to_owned()));
            assert_eq!(found, expected, "{text}");
        };

        check("/Data/page12/2024-05-01", &["data", "page#", "#", "#", "#"]);
        check("a1b2c3d4e5f6 deadbeef01 x", &["~", "~"]);
        check("Größe über alles", &["größe", "über", "alles"]);
    }

    #[test]
    fn paths_have_shapes() {
        let check = |path: &str, expected: &str| {
            let mut found = String::new();
            path_shape(path, &mut found);
            assert_eq!(found, expected, "{path}");
        };

        check("/", "/");
        check("/people/alice", "/people/w");
        check("/people/alice/", "/people/alice/");
        check("/2019/09/06/hexo/index.html", "/#/#/#/hexo/w.html");
        check("/ns/term42", "/ns/w#");
        check("/id/12345", "/id/#");
    }
}
