//! Reads lists of URIs, one per line.

use std::io::BufRead;

use super::SeedCollector;

/// Reads a list. Blank lines and lines that begin with `#` are skipped.
pub(super) fn read(reader: &mut dyn BufRead, name: &str, seeds: &mut SeedCollector) {
    for_each_line(reader, name, seeds, |line, location, seeds| {
        let bare = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')).unwrap_or(line);
        seeds.parse_and_add(bare, Some(location));
    });
}

/// Passes every line that is neither blank nor a comment to `take`, trimmed, with its
/// file and line number.
pub(super) fn for_each_line(
    reader: &mut dyn BufRead,
    name: &str,
    seeds: &mut SeedCollector,
    take: impl Fn(&str, String, &mut SeedCollector),
) {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => read_line(&line, || format!("{name}:{number}"), seeds, &take),
            Err(error) => return seeds.add_problem(Some(format!("{name}:{number}")), error, None),
        }
    }
}

fn read_line(
    line: &[u8],
    location: impl Fn() -> String,
    seeds: &mut SeedCollector,
    take: &impl Fn(&str, String, &mut SeedCollector),
) {
    let Ok(line) = std::str::from_utf8(line) else { return seeds.add_problem(Some(location()), "not UTF-8", None) };
    // Some editors begin a file with a byte order mark.
    let line = line.trim_start_matches('\u{FEFF}').trim();
    if line.is_empty() || line.starts_with('#') {
        return;
    }
    take(line, location(), seeds);
}
