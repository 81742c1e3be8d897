//! The heads of answers, for whoever listens.
//!
//! A fetcher returns of an answer what a crawl needs, and no more. Whoever keeps a
//! journal wants the rest: the status of a robots.txt, the fields of a redirect.
//! A fetcher says that in passing, to the task that asked it; and where nobody
//! listens, nothing is kept. Otherwise every fetcher, everything that wraps one
//! and everything that comes back from one would have to carry it, for the few
//! crawls that have a journal.

use std::cell::RefCell;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, StatusCode};

use super::answer::text;

/// How well somebody listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attention {
    /// Not at all.
    #[default]
    None,
    /// To everything but the fields.
    Gist,
    /// To the fields, too.
    Fields,
}

/// What the head of an answer said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The status code.
    pub status: Option<u16>,
    /// The `Content-Type` field.
    pub content_type: Option<String>,
    /// The `Content-Length` field.
    pub content_length: Option<u64>,
    /// Names and values of fields, in the order of the answer, cookies aside: they
    /// are for us alone. Bounded in number and length.
    pub fields: Vec<(String, String)>,
}

impl Heard {
    /// The most fields that are kept.
    pub const FIELDS_MAX: usize = 100;
    /// The longest value that is kept, in characters; a longer one is cut.
    pub const VALUE_CHARACTERS_MAX: usize = 4_096;
}

tokio::task_local! {
    static EAR: RefCell<(Attention, Heard)>;
}

/// Does some work, and tells what was heard meanwhile. Of several answers, the
/// last one is.
pub async fn listen<W: Future>(attention: Attention, work: W) -> (W::Output, Heard) {
    if attention == Attention::None {
        return (work.await, Heard::default());
    }
    let listening = async {
        let done = work.await;
        let heard = EAR.with(|ear| std::mem::take(&mut ear.borrow_mut().1));
        (done, heard)
    };
    EAR.scope(RefCell::new((attention, Heard::default())), listening).await
}

/// Says what the head of an answer says, to whoever listens.
pub fn tell(status: StatusCode, headers: &HeaderMap) {
    // It is no error that nobody does.
    let _ = EAR.try_with(|ear| {
        let (attention, heard) = &mut *ear.borrow_mut();
        *heard = Heard {
            status: Some(status.as_u16()),
            content_type: text(headers, &CONTENT_TYPE),
            content_length: text(headers, &CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()),
            fields: if *attention == Attention::Fields { fields(headers) } else { Vec::new() },
        };
    });
}

fn fields(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| **name != SET_COOKIE).take(Heard::FIELDS_MAX);
    let cut = |value: &[u8]| String::from_utf8_lossy(value).chars().take(Heard::VALUE_CHARACTERS_MAX).collect();
    kept.map(|(name, value)| (name.as_str().to_owned(), cut(value.as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use http::header::{LINK, LOCATION};

    use super::*;

    fn answer() {
        let headers = HeaderMap::from_iter([
            (LOCATION, "/there".parse().unwrap()),
            (SET_COOKIE, "secret".parse().unwrap()),
            (CONTENT_LENGTH, "12".parse().unwrap()),
        ]);
        tell(StatusCode::SEE_OTHER, &headers);
    }

    #[tokio::test]
    async fn only_who_listens_hears() {
        answer();
        let (done, nothing) = listen(Attention::None, async { answer() }).await;
        let ((), gist) = listen(Attention::Gist, async { answer() }).await;
        let ((), all) = listen(Attention::Fields, async { answer() }).await;

        assert_eq!((done, nothing), ((), Heard::default()));
        let expected = Heard { status: Some(303), content_length: Some(12), ..Heard::default() };
        assert_eq!(gist, expected);
        let fields = [("location", "/there"), ("content-length", "12")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(all, Heard { fields: fields.to_vec(), ..expected });
    }

    #[tokio::test]
    async fn fields_are_bounded_in_number_and_length() {
        let long = "x".repeat(10_000);
        let headers = (0..200).map(|_| (LINK, long.parse().unwrap()));
        let headers: HeaderMap = headers.fold(HeaderMap::new(), |mut all, (name, value)| {
            all.append(name, value);
            all
        });

        let ((), heard) = listen(Attention::Fields, async { tell(StatusCode::OK, &headers) }).await;

        assert_eq!(heard.fields.len(), Heard::FIELDS_MAX);
        assert_eq!(heard.fields[0].1.len(), Heard::VALUE_CHARACTERS_MAX);
    }
}
