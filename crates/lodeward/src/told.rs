//! Errors, in words.

use std::error::Error;

/// An error with its causes, in one line: `a: b: c`.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Trouble {
        #[error("the crawl cannot go on")]
        Outer(#[source] Box<Trouble>),
        #[error("cannot use {0}")]
        Inner(&'static str, #[source] std::io::Error),
    }

    #[test]
    fn causes_follow_in_one_line() {
        let inner = Trouble::Inner("order.json", std::io::Error::other("the disk is full"));
        let outer = Trouble::Outer(Box::new(inner));

        assert_eq!(with_causes(&outer), "the crawl cannot go on: cannot use order.json: the disk is full");
        assert_eq!(with_causes(&std::fmt::Error), std::fmt::Error.to_string());
    }
}
