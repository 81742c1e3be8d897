//! Contexts written as tables of terms: a line for many terms that are alike.
//!
//! ```text
//! @vocab http://schema.org/               what is said of all terms
//! id=@id as=https://…/activitystreams#    terms that stand for something
//! as: | Note Person orderedItems=items    terms of a vocabulary, and other names for them
//! as: @id list | items                    with the type and the container of their values
//! cred: | VerifiableCredential {          with a context of their own, up to a line with `}`
//! ```
//!
//! A table becomes JSON when it is first asked for.

use std::fmt::Write;

/// A JSON document with the context that a table describes.
pub(super) fn expanded(table: &str) -> Vec<u8> {
    let mut lines = table.lines();
    format!("{{\"@context\":{}}}", context(&mut lines)).into_bytes()
}

/// The context in these lines, up to the end of its block.
fn context(lines: &mut std::str::Lines<'_>) -> String {
    let mut parts = Vec::new();
    let mut entries = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line == "}" {
            break;
        }
        if let Some((head, names)) = line.split_once('|') {
            let (names, scoped) = match names.strip_suffix('{') {
                Some(names) => (names, Some(context(lines))),
                None => (names, None),
            };
            entries.extend(names.split_whitespace().map(|name| term(head, name, scoped.as_deref())));
        } else if let Some(address) = line.strip_prefix("@also ") {
            parts.push(object(&mut entries));
            parts.push(quoted(address));
        } else if line.starts_with('@') {
            entries.push(setting(line));
        } else {
            let meanings = line.split_whitespace().filter_map(|word| word.split_once('='));
            entries.extend(meanings.map(|(name, meaning)| format!("{}:{}", quoted(name), quoted(meaning))));
        }
    }
    parts.push(object(&mut entries));
    if parts.len() == 1 { parts.remove(0) } else { format!("[{}]", parts.join(",")) }
}

fn object(entries: &mut Vec<String>) -> String {
    format!("{{{}}}", std::mem::take(entries).join(","))
}

fn setting(line: &str) -> String {
    match line.split_once(' ') {
        Some((name, value)) => format!("{}:{}", quoted(name), quoted(value)),
        None if line == "@version" => "\"@version\":1.1".to_owned(),
        None => format!("{}:true", quoted(line)),
    }
}

/// The entry for a term: what its line says of all terms, and its name.
fn term(head: &str, name: &str, scoped: Option<&str>) -> String {
    let mut options = head.split_whitespace();
    let vocabulary = options.next().unwrap_or_default();
    let (name, local) = name.split_once('=').unwrap_or((name, name));
    let mut entry = format!("{}:{{\"@id\":{}", quoted(name), quoted(&format!("{vocabulary}{local}")));
    let mut containers = Vec::new();
    for option in options {
        match option {
            "list" | "set" | "language" | "index" | "graph" | "id" | "type" => {
                containers.push(format!("\"@{option}\""));
            }
            "nothing" => entry.push_str(",\"@context\":null"),
            datatype => {
                let _ = write!(entry, ",\"@type\":{}", quoted(datatype));
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

/// Our own words have nothing in them that needs an escape.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_contexts() {
        let table = "@version\n@also http://a.org/\n@protected\n@vocab http://v/\nid=@id x=http://x/\n\
                     x: | One two=2\nx: @id list set | three\nx: Date nothing | four\nx: | five {\n  six=x:6\n}\nx: | seven\n";
        let expected = concat!(
            r#"{"@context":[{"@version":1.1},"http://a.org/",{"@protected":true,"@vocab":"http://v/","id":"@id","x":"http://x/","#,
            r#""One":{"@id":"x:One"},"two":{"@id":"x:2"},"three":{"@id":"x:three","@type":"@id","@container":["@list","@set"]},"#,
            r#""four":{"@id":"x:four","@type":"Date","@context":null},"five":{"@id":"x:five","@context":{"six":"x:6"}},"#,
            r#""seven":{"@id":"x:seven"}}]}"#,
        );

        assert_eq!(String::from_utf8(expanded(table)).unwrap(), expected);
    }
}
