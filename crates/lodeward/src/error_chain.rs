//! Formats an error together with its chain of causes.

use std::error::Error;

/// Returns the error and its causes on one line: `a: b: c`.
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
    enum TestError {
        #[error("the crawl cannot continue")]
        Outer(#[source] Box<TestError>),
        #[error("cannot use {0}")]
        Inner(&'static str, #[source] std::io::Error),
    }

    #[test]
    fn causes_are_joined_on_one_line() {
        let inner = TestError::Inner("order.json", std::io::Error::other("disk full"));
        let outer = TestError::Outer(Box::new(inner));

        assert_eq!(with_causes(&outer), "the crawl cannot continue: cannot use order.json: disk full");
        assert_eq!(with_causes(&std::fmt::Error), std::fmt::Error.to_string());
    }
}
