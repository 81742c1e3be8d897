//! Where a crawl begins.
//!
//! Seeds are given as URIs, as files of them (`@seeds.txt`, `@seeds.txt.gz`),
//! as RDF files (`@people.ttl`: whatever they describe or point at), as the first
//! column of tables of terms (`@seeds.nx.gz`, as LDSpider reads them), or on
//! standard input (`-`). Either all of them are good, or every problem is
//! reported at once, with its file and line: whoever has a list of a thousand
//! wants to mend it once.
//!
//! Not everybody has URIs. What somebody knows by name, from a [`template`] or in
//! [instance data](instance) is a [`Wish`], and becomes a seed as it is, or when a
//! [label index](labels) has told which entity is called so ([`Request`]). Where a
//! seed comes from is kept with it, as a [`Note`].

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use foldhash::HashSet;

use crate::model::media_type::Syntax;
use crate::model::{Uri, UriError};

pub mod instance;
pub mod labels;
mod nx;
mod origin;
mod rdf;
mod request;
pub mod template;
mod text;
mod wish;

pub use origin::{Found, Note, Origin};
pub use request::Request;
pub use wish::{Granted, Remark, Wanted, Wish, grant};

/// Reads seeds from the arguments of a command, in order, each once. Standard
/// input is read only where an argument is `-`. Who is written with a fragment is
/// an entity of its own, though its document is visited once.
pub fn gather(arguments: &[String], stdin: &mut dyn BufRead) -> Result<Vec<Note>, Problems> {
    let mut seeds = Gathering::default();
    for argument in arguments {
        match argument.strip_prefix('@') {
            Some(path) => seeds.file(path),
            None if argument == "-" => text::read(stdin, "stdin", &mut seeds),
            None => seeds.written(argument, None),
        }
    }
    if seeds.problems.is_empty() { Ok(seeds.found) } else { Err(seeds.problems) }
}

/// Reads seeds that may be nothing but URIs: from somebody who is not to name files
/// here.
pub fn written(uris: &[String]) -> Result<Vec<Note>, Problems> {
    let mut seeds = Gathering { is_strangers: true, ..Gathering::default() };
    for uri in uris {
        seeds.written(uri, None);
    }
    if seeds.problems.is_empty() { Ok(seeds.found) } else { Err(seeds.problems) }
}

/// What has been read so far.
#[derive(Default)]
struct Gathering {
    found: Vec<Note>,
    known: HashSet<String>,
    /// Seeds, counted as often as they were given.
    seen: u64,
    problems: Problems,
    /// Whether it is from somebody who is not to learn which files there are.
    is_strangers: bool,
}

impl Gathering {
    fn file(&mut self, path: &str) {
        let before = (self.seen, self.problems.count);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return self.problem(Some(path.to_owned()), error, None),
        };
        let (stem, unzipped): (_, Box<dyn Read>) = match path.strip_suffix(".gz") {
            Some(stem) => (stem, Box::new(MultiGzDecoder::new(file))),
            None => (path, Box::new(file)),
        };
        let extension = Path::new(stem).extension().and_then(|extension| extension.to_str());
        let syntax = extension.and_then(|extension| Syntax::of_extension(&extension.to_ascii_lowercase()));
        let mut reader = BufReader::new(unzipped);
        match syntax.filter(|syntax| syntax.is_rdf()) {
            _ if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("nx")) => {
                nx::read(&mut reader, path, self);
            }
            Some(syntax) => rdf::read(reader, path, syntax, self),
            None => text::read(&mut reader, path, self),
        }
        if before == (self.seen, self.problems.count) {
            self.problem(Some(path.to_owned()), "no seed in it", None);
        }
    }

    /// A seed as somebody wrote it: what is wrong with it is a problem.
    fn written(&mut self, written: &str, place: Option<String>) {
        match Uri::parse(written) {
            Ok(uri) => self.add_entity(uri, written.contains('#').then(|| written.to_owned())),
            Err(error) => {
                let shown = match error {
                    UriError::Credentials => without_credentials(written),
                    _ => Some(written.to_owned()),
                };
                let shown = shown.map(|shown| format!("`{shown}`"));
                let is_file = !self.is_strangers && Path::new(written).is_file();
                let file = is_file.then(|| format!("did you mean @{written} ?"));
                self.problem(place.or(shown), &error, file.or_else(|| hint(written, &error)));
            }
        }
    }

    fn add(&mut self, uri: Uri) {
        self.add_entity(uri, None);
    }

    fn add_entity(&mut self, uri: Uri, entity: Option<String>) {
        self.seen += 1;
        let note = Note { uri, entity, origin: Origin::Given, found: None };
        if self.known.insert(note.entity().to_owned()) {
            self.found.push(note);
        }
    }

    fn problem(&mut self, place: Option<String>, what: impl fmt::Display, hint: Option<String>) {
        self.problems.push(Problem { place, what: what.to_string(), hint });
    }
}

/// An address as it can be repeated.
fn without_credentials(written: &str) -> Option<String> {
    let mut url = url::Url::parse(written.trim()).ok()?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url.into())
}

/// What somebody who wrote this may have meant.
fn hint(written: &str, error: &UriError) -> Option<String> {
    let scheme_is_host = |scheme: &str| scheme.contains('.') || scheme == "localhost";
    let is_address = match error {
        UriError::Malformed(_) => !written.starts_with(['/', '.', '#', '?']) && !written.contains("//"),
        UriError::NotHttp(scheme) => scheme_is_host(scheme),
        _ => false,
    };
    let host = written.split(['/', ':', '?']).next().unwrap_or_default();
    if is_address && !scheme_is_host(host) && written.chars().any(char::is_alphabetic) {
        return Some("what is known by its name is given as a text to look up, not as a URI".to_owned());
    }
    if !is_address || !scheme_is_host(host) {
        return None;
    }
    let scheme = if host == "localhost" { "http" } else { "https" };
    let uri = Uri::parse(&format!("{scheme}://{written}")).ok()?;
    Some(format!("did you mean {uri} ?"))
}

/// Something wrong with a seed or a file of seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file and the line, counted from 1, or the argument.
    pub place: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

/// Everything that is wrong with some seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    first: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// A list of a million bad lines is not a list of seeds.
    const SHOWN_MAX: usize = 100;

    /// The first hundred.
    #[must_use]
    pub fn first(&self) -> &[Problem] {
        &self.first
    }

    /// How many there are beyond those.
    #[must_use]
    pub fn unshown(&self) -> usize {
        self.count - self.first.len()
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn push(&mut self, problem: Problem) {
        self.count += 1;
        if self.first.len() < Self::SHOWN_MAX {
            self.first.push(problem);
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.first.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            if let Some(place) = &problem.place {
                write!(formatter, "{place}: ")?;
            }
            write!(formatter, "{}", problem.what)?;
            if let Some(hint) = &problem.hint {
                write!(formatter, "; {hint}")?;
            }
        }
        match self.unshown() {
            0 => Ok(()),
            more => write!(formatter, "\nand {more} more problems"),
        }
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn gathered(arguments: &[&str], stdin: &str) -> Result<Vec<String>, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        match gather(&arguments, &mut stdin.as_bytes()) {
            Ok(seeds) => Ok(seeds.iter().map(|seed| seed.entity().to_owned()).collect()),
            Err(problems) => Err(problems.to_string()),
        }
    }

    /// Writes a file of seeds and reads it, its folder left out of messages.
    fn from_file(name: &str, content: &[u8]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let result = gathered(&[&format!("@{}", path.display())], "");
        result.map_err(|message| message.replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn strangers_do_not_learn_which_files_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "").unwrap();
        let path = path.display().to_string();

        assert!(gathered(&[&path], "").unwrap_err().contains("did you mean @"));
        let there = written(std::slice::from_ref(&path)).unwrap_err().to_string();
        let not_there = written(&[format!("{path}x")]).unwrap_err().to_string();
        assert_eq!(there, not_there.replace(&format!("{path}x"), &path));
    }

    #[test]
    fn the_first_column_of_a_table_of_terms_is_seeds() {
        let rows = "# what LDSpider wrote\n<http://a.example/1> <http://b.example/> .\n_:b <http://c.example/> .\n\
                    <http://a.example/2> <http://p.example/p> \"x\" <http://g.example/> .\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(rows.as_bytes()).unwrap();

        let seeds = ["http://a.example/1", "http://a.example/2"].map(str::to_owned);
        assert_eq!(from_file("seeds.nx", rows.as_bytes()), Ok(seeds.to_vec()));
        assert_eq!(from_file("seeds.nx.gz", &gzip.finish().unwrap()), Ok(seeds.to_vec()));
        assert_eq!(
            from_file("seeds.nx", b"http://a.example/\n"),
            Err("seeds.nx:1: the line does not begin with <an IRI>".to_owned())
        );
    }

    #[test]
    fn seeds_are_kept_in_order_and_once() {
        let seeds =
            gathered(&["http://b.example/#x", "http://a.example", "-", "http://b.example/"], "http://c.example/\n");

        // Of the document and of what is in it: two entities.
        let expected = ["http://b.example/#x", "http://a.example/", "http://c.example/", "http://b.example/"];
        assert_eq!(seeds.unwrap(), expected);
    }

    #[test]
    fn a_text_file_has_comments_and_blank_lines() {
        let text = "\u{FEFF}# seeds\r\n\r\n  http://a.example/1  \r\n<http://a.example/2>\nhttp://a.example/3#frag";

        let seeds = from_file("seeds.txt", text.as_bytes()).unwrap();

        assert_eq!(seeds, ["http://a.example/1", "http://a.example/2", "http://a.example/3#frag"]);
    }

    #[test]
    fn a_file_may_be_compressed() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"http://a.example/1\n").unwrap();

        assert_eq!(from_file("seeds.txt.gz", &encoder.finish().unwrap()).unwrap(), ["http://a.example/1"]);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = b"http://a.example/\nftp://a.example/x\n\nexample.org\n\xFF\nhttp://user:secret@a.example/\n";

        insta::assert_snapshot!(from_file("seeds.txt", text).unwrap_err(), @"
        seeds.txt:2: cannot dereference scheme `ftp`
        seeds.txt:4: not an absolute URL: relative URL without a base; did you mean https://example.org/ ?
        seeds.txt:5: not UTF-8
        seeds.txt:6: address contains credentials
        ");
    }

    #[test]
    fn an_argument_is_named_and_what_was_meant_is_guessed() {
        let arguments = [
            "example.org:8080/x",
            "localhost:3000",
            "http://me:secret@a.example/x",
            "urn:isbn:1",
            "a b",
            "../x.ttl",
            "@/nowhere/seeds.txt",
        ];

        insta::assert_snapshot!(gathered(&arguments, "").unwrap_err(), @r#"
        `example.org:8080/x`: cannot dereference scheme `example.org`; did you mean https://example.org:8080/x ?
        `localhost:3000`: cannot dereference scheme `localhost`; did you mean http://localhost:3000/ ?
        `http://a.example/x`: address contains credentials
        `urn:isbn:1`: cannot dereference scheme `urn`
        `a b`: not an absolute URL: relative URL without a base; what is known by its name is given as a text to look up, not as a URI
        `../x.ttl`: not an absolute URL: relative URL without a base
        /nowhere/seeds.txt: No such file or directory (os error 2)
        "#);
    }

    #[test]
    fn an_rdf_file_gives_its_subjects_and_then_its_objects() {
        let turtle = b"<http://a.example/s#me> <http://a.example/p> <http://a.example/o>, \"x\", _:b, <urn:x>, <rel> .
            <http://a.example/t> <http://a.example/p> <http://a.example/s> .";

        let seeds = from_file("seeds.ttl", turtle).unwrap();

        assert_eq!(seeds, ["http://a.example/s", "http://a.example/t", "http://a.example/o"]);
    }

    #[test]
    fn every_rdf_syntax_is_read() {
        let check = |name: &str, content: &str| {
            assert_eq!(from_file(name, content.as_bytes()).unwrap(), ["http://a.example/s"]);
        };
        let triple = "<http://a.example/s> <http://a.example/p> \"o\" .";

        check("x.nt", triple);
        check("x.nq", triple);
        check("x.trig", triple);
        check("x.n3", triple);
        check("x.jsonld", r#"{"@id": "http://a.example/s", "http://a.example/p": "o"}"#);
        check(
            "x.rdf",
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:a='http://a.example/'>\
             <rdf:Description rdf:about='http://a.example/s' a:p='o'/></rdf:RDF>",
        );
    }

    #[test]
    fn a_broken_or_empty_file_is_a_problem() {
        let message = from_file("seeds.ttl", b"<http://a.example/s> <http://a.example/p> .\n").unwrap_err();
        assert!(message.starts_with("seeds.ttl:1: "), "{message}");
        assert_eq!(from_file("seeds.txt", b"# nothing yet\n").unwrap_err(), "seeds.txt: no seed in it");
    }
}
