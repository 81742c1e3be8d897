//! Contexts as tables of terms: one line for many similar terms.
//!
//! ```text
//! @vocab http://schema.org/               settings of the context
//! id=@id as=https://…/activitystreams#    aliases and prefixes
//! as: | Note Person orderedItems=items    terms of a vocabulary, with optional other names
//! as: @id list | items                    with the type and the container of their values
//! cred: | VerifiableCredential {          with a scoped context, up to a line with `}`
//! ```
//!
//! A table is converted to JSON at its first use.

use std::fmt::Write;

/// The JSON document with the context that a table describes.
pub(super) fn to_json(table: &str) -> Vec<u8> {
    let mut lines = table.lines();
    format!("{{\"@context\":{}}}", context_json(&mut lines)).into_bytes()
}

/// The context in these lines, up to the end of its block.
fn context_json(lines: &mut std::str::Lines<'_>) -> String {
    let mut parts = Vec::new();
    let mut entries = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line == "}" {
            break;
        }
        if let Some((head, names)) = line.split_once('|') {
            let (names, scoped) = match names.strip_suffix('{') {
                Some(names) => (names, Some(context_json(lines))),
                None => (names, None),
            };
            entries.extend(names.split_whitespace().map(|name| term_json(head, name, scoped.as_deref())));
        } else if let Some(url) = line.strip_prefix("@also ") {
            parts.push(object_json(&mut entries));
            parts.push(quote(url));
        } else if line.starts_with('@') {
            entries.push(setting_json(line));
        } else {
            let meanings = line.split_whitespace().filter_map(|word| word.split_once('='));
            entries.extend(meanings.map(|(name, meaning)| format!("{}:{}", quote(name), quote(meaning))));
        }
    }
    parts.push(object_json(&mut entries));
    if parts.len() == 1 { parts.remove(0) } else { format!("[{}]", parts.join(",")) }
}

fn object_json(entries: &mut Vec<String>) -> String {
    format!("{{{}}}", std::mem::take(entries).join(","))
}

fn setting_json(line: &str) -> String {
    match line.split_once(' ') {
        Some((name, value)) => format!("{}:{}", quote(name), quote(value)),
        None if line == "@version" => "\"@version\":1.1".to_owned(),
        None => format!("{}:true", quote(line)),
    }
}

/// The entry of a term: the options of its line, and its name.
fn term_json(head: &str, name: &str, scoped: Option<&str>) -> String {
    let mut options = head.split_whitespace();
    let vocabulary = options.next().unwrap_or_default();
    let (name, local) = name.split_once('=').unwrap_or((name, name));
    let mut entry = format!("{}:{{\"@id\":{}", quote(name), quote(&format!("{vocabulary}{local}")));
    let mut containers = Vec::new();
    for option in options {
        match option {
            "list" | "set" | "language" | "index" | "graph" | "id" | "type" => {
                containers.push(format!("\"@{option}\""));
            }
            "nothing" => entry.push_str(",\"@context\":null"),
            datatype => {
                let _ = write!(entry, ",\"@type\":{}", quote(datatype));
            }
        }
    }
    if !containers.is_empty() {
        let _ = write!(entry, ",\"@container\":[{}]", containers.join(","));
    }
    if let Some(scoped) = scoped {
        let _ = write!(entry, ",\"@context\":{scoped}");
    }
    entry + "}"
}

/// Quotes a text of a table, which never needs escapes.
fn quote(text: &str) -> String {
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_converted_to_a_context() {
        let table = "@version\n@also http://a.org/\n@protected\n@vocab http://v/\nid=@id x=http://x/\n\
                     x: | One two=2\nx: @id list set | three\nx: Date nothing | four\nx: | five {\n  six=x:6\n}\nx: | seven\n";
        let expected = concat!(
            r#"{"@context":[{"@version":1.1},"http://a.org/",{"@protected":true,"@vocab":"http://v/","id":"@id","x":"http://x/","#,
            r#""One":{"@id":"x:One"},"two":{"@id":"x:2"},"three":{"@id":"x:three","@type":"@id","@container":["@list","@set"]},"#,
            r#""four":{"@id":"x:four","@type":"Date","@context":null},"five":{"@id":"x:five","@context":{"six":"x:6"}},"#,
            r#""seven":{"@id":"x:seven"}}]}"#,
        );

        assert_eq!(String::from_utf8(to_json(table)).unwrap(), expected);
    }
}
