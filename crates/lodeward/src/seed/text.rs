//! Lists of URIs, one a line.

use std::io::BufRead;

use super::Gathering;

/// Reads a list. Blank lines and lines that begin with `#` are passed over.
pub(super) fn read(reader: &mut dyn BufRead, name: &str, seeds: &mut Gathering) {
    each_line(reader, name, seeds, |line, place, seeds| {
        let bare = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')).unwrap_or(line);
        seeds.written(bare, Some(place));
    });
}

/// Does something with every line that is neither blank nor a comment, white space
/// around it left out, and with the place it is at.
pub(super) fn each_line(
    reader: &mut dyn BufRead,
    name: &str,
    seeds: &mut Gathering,
    take: impl Fn(&str, String, &mut Gathering),
) {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => read_line(&line, || format!("{name}:{number}"), seeds, &take),
            Err(error) => return seeds.problem(Some(format!("{name}:{number}")), error, None),
        }
    }
}

fn read_line(
    line: &[u8],
    place: impl Fn() -> String,
    seeds: &mut Gathering,
    take: &impl Fn(&str, String, &mut Gathering),
) {
    let Ok(line) = std::str::from_utf8(line) else { return seeds.problem(Some(place()), "not UTF-8", None) };
    // Some editors begin a file with a byte order mark.
    let line = line.trim_start_matches('\u{FEFF}').trim();
    if line.is_empty() || line.starts_with('#') {
        return;
    }
    take(line, place(), seeds);
}
