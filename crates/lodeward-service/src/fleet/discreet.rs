//! What everybody may know of an error.

/// A text without the folders of this machine: of each file that it names, the name
/// is left. The whole text belongs into the log.
pub(super) fn discreet(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.find(|letter| !matches!(letter, '`' | '"' | '\'' | '(')) {
        Some(begin) if word[begin..].starts_with('/') => {
            let (before, path) = word.split_at(begin);
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
    fn folders_are_left_out_and_addresses_are_not() {
        let text = "cannot use /var/lib/lodeward/crawls/3/order.json: `/etc/ca.pem` of http://a.example/b and 1/2";

        assert_eq!(discreet(text), "cannot use …/order.json: `…/ca.pem` of http://a.example/b and 1/2");
    }
}
