//! Removes paths of this machine from error messages for users.

/// Replaces each absolute path in a text by its file name. Callers should log the original text.
pub(super) fn redact_paths(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.find(|letter| !matches!(letter, '`' | '"' | '\'' | '(')) {
        Some(start) if word[start..].starts_with('/') => {
            let (before, path) = word.split_at(start);
            let file = path.rfind('/').map_or(path, |slash| &path[slash + 1..]);
            format!("{before}…/{file}")
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_removed_and_urls_are_not() {
        let text = "cannot use /var/lib/lodeward/crawls/3/order.json: `/etc/ca.pem` of http://a.example/b and 1/2";

        assert_eq!(redact_paths(text), "cannot use …/order.json: `…/ca.pem` of http://a.example/b and 1/2");
    }
}
