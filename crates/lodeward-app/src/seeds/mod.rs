//! Reads and resolves the seeds of a crawl.
//!
//! Seeds are URIs, files of URIs (`@seeds.txt`, `@seeds.txt.gz`), RDF files
//! (`@people.ttl`: their subjects and objects), the first column of tables of terms
//! (`@seeds.nx.gz`, as LDSpider reads them), or lists on standard input (`-`). If a seed
//! is invalid, no seed is returned, and all problems are reported at once with file and
//! line, so that a long list can be fixed in one pass.
//!
//! Labels, the seeds of a [`template`] and values in [instance data](instance) are
//! [`RequestedSeed`]s. [`SeedRequest`] resolves them: an IRI is used as it is, a text is
//! looked up in a [label index](labels). The origin of each seed is stored with it, as a
//! [`SeedNote`].

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use foldhash::HashSet;

use crate::seed_note::{SeedNote, SeedOrigin};
use lodeward::model::{Uri, UriError};
use lodeward_rdf::RdfFormat;

pub mod check;
pub mod instance;
pub mod labels;
mod neighbourhood;
mod nx;
mod rdf;
mod request;
pub mod template;
mod text;
mod resolve;

pub use neighbourhood::{SeedDistance, SeedNeighbourhood};
pub use request::SeedRequest;
pub use resolve::{RequestedSeed, ResolvedSeeds, SeedSpec, SeedWarning, resolve_seeds};

/// Reads seeds from the arguments of a command, in order, without duplicates. Standard input is
/// read only if an argument is `-`. Two URIs that differ only in their fragment are two entities,
/// but their document is fetched once.
pub fn read_arguments(arguments: &[String], stdin: &mut dyn BufRead) -> Result<Vec<SeedNote>, SeedProblems> {
    let mut seeds = SeedCollector::default();
    for argument in arguments {
        match argument.strip_prefix('@') {
            Some(path) => seeds.read_file(path),
            None if argument == "-" => text::read(stdin, "stdin", &mut seeds),
            None => seeds.parse_and_add(argument, None),
        }
    }
    if seeds.problems.is_empty() { Ok(seeds.found) } else { Err(seeds.problems) }
}

/// Reads seeds that must be URIs. Used for clients of the service, which must not name files of the
/// server.
pub fn parse_uris(uris: &[String]) -> Result<Vec<SeedNote>, SeedProblems> {
    let mut seeds = SeedCollector { is_remote: true, ..SeedCollector::default() };
    for (index, uri) in uris.iter().enumerate() {
        let count = seeds.problems.first.len();
        seeds.parse_and_add(uri, None);
        if let Some(problem) = seeds.problems.first.get_mut(count) {
            problem.input = Some(SeedProblemInput::Uri(index));
        }
    }
    if seeds.problems.is_empty() { Ok(seeds.found) } else { Err(seeds.problems) }
}

/// The seeds and problems read so far.
#[derive(Default)]
struct SeedCollector {
    found: Vec<SeedNote>,
    known: HashSet<String>,
    /// Number of seeds read, duplicates included.
    seen: u64,
    problems: SeedProblems,
    /// Whether the seeds come from a remote client. If so, hints do not reveal which files exist.
    is_remote: bool,
}

impl SeedCollector {
    fn read_file(&mut self, path: &str) {
        let before = (self.seen, self.problems.count);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return self.add_problem(Some(path.to_owned()), error, None),
        };
        let (stem, unzipped): (_, Box<dyn Read>) = match path.strip_suffix(".gz") {
            Some(stem) => (stem, Box::new(MultiGzDecoder::new(file))),
            None => (path, Box::new(file)),
        };
        let extension = Path::new(stem).extension().and_then(|extension| extension.to_str());
        let syntax = extension.and_then(|extension| RdfFormat::from_extension(&extension.to_ascii_lowercase()));
        let mut reader = BufReader::new(unzipped);
        match syntax.filter(|syntax| syntax.is_rdf()) {
            _ if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("nx")) => {
                nx::read(&mut reader, path, self);
            }
            Some(syntax) => rdf::read(reader, path, syntax, self),
            None => text::read(&mut reader, path, self),
        }
        if before == (self.seen, self.problems.count) {
            self.add_problem(Some(path.to_owned()), "no seeds found", None);
        }
    }

    /// Adds a seed, or a problem if it is not a valid URI.
    fn parse_and_add(&mut self, written: &str, location: Option<String>) {
        match Uri::parse(written) {
            Ok(uri) => self.add_entity(uri, written.contains('#').then(|| written.to_owned())),
            Err(error) => {
                let shown = match error {
                    UriError::Credentials => without_credentials(written),
                    _ => Some(written.to_owned()),
                };
                let shown = shown.map(|shown| format!("`{shown}`"));
                let is_file = !self.is_remote && Path::new(written).is_file();
                let file = is_file.then(|| format!("did you mean @{written} ?"));
                self.add_problem(location.or(shown), &error, file.or_else(|| hint(written, &error)));
            }
        }
    }

    fn add(&mut self, uri: Uri) {
        self.add_entity(uri, None);
    }

    fn add_entity(&mut self, uri: Uri, entity: Option<String>) {
        self.seen += 1;
        let note = SeedNote { uri, entity, origin: SeedOrigin::Given, found: None };
        if self.known.insert(note.entity().to_owned()) {
            self.found.push(note);
        }
    }

    fn add_problem(&mut self, location: Option<String>, what: impl fmt::Display, hint: Option<String>) {
        self.problems.push(SeedProblem { location, message: what.to_string(), hint, input: None });
    }
}

/// A URL without its user name and password, for messages.
fn without_credentials(written: &str) -> Option<String> {
    let mut url = url::Url::parse(written.trim()).ok()?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url.into())
}

/// A correction of an invalid seed, if there is a likely one.
fn hint(written: &str, error: &UriError) -> Option<String> {
    let scheme_is_host = |scheme: &str| scheme.contains('.') || scheme == "localhost";
    let is_relative = match error {
        UriError::Malformed(_) => !written.starts_with(['/', '.', '#', '?']) && !written.contains("//"),
        UriError::NotHttp(scheme) => scheme_is_host(scheme),
        _ => false,
    };
    let host = written.split(['/', ':', '?']).next().unwrap_or_default();
    if is_relative && !scheme_is_host(host) && written.chars().any(char::is_alphabetic) {
        return Some("to look up an entity by its name, pass the name as a label, not as a URI".to_owned());
    }
    if !is_relative || !scheme_is_host(host) {
        return None;
    }
    let scheme = if host == "localhost" { "http" } else { "https" };
    let uri = Uri::parse(&format!("{scheme}://{written}")).ok()?;
    Some(format!("did you mean {uri} ?"))
}

/// An error in a seed or in a file of seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedProblem {
    /// The file and the line, counted from 1, or the argument.
    pub location: Option<String>,
    /// What is wrong with the seed or the file.
    pub message: String,
    /// A likely correction.
    pub hint: Option<String>,
    /// The part of the request that is wrong, if it is known.
    pub input: Option<SeedProblemInput>,
}

/// A part of a request for seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedProblemInput {
    /// The URI with this index.
    Uri(usize),
    /// A text that was looked up, with single spaces.
    Text(String),
    /// The values of a placeholder.
    Placeholder(String),
    /// The name of a role.
    Role(String),
}

/// All errors in a list of seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedProblems {
    first: Vec<SeedProblem>,
    count: usize,
}

impl SeedProblems {
    /// Maximum number of problems that are stored. It bounds memory and output for files that are
    /// not lists of seeds.
    const MAX_SHOWN: usize = 100;

    /// The first 100 problems.
    #[must_use]
    pub fn first(&self) -> &[SeedProblem] {
        &self.first
    }

    /// The problems of this list and of another one.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.count += other.hidden_count();
        other.first.into_iter().for_each(|problem| self.push(problem));
        self
    }

    /// The number of problems after the first 100.
    #[must_use]
    pub fn hidden_count(&self) -> usize {
        self.count - self.first.len()
    }

    /// Whether there are no problems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: SeedProblem) {
        self.count += 1;
        if self.first.len() < Self::MAX_SHOWN {
            self.first.push(problem);
        }
    }
}

impl fmt::Display for SeedProblems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.first.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            if let Some(place) = &problem.location {
                write!(formatter, "{place}: ")?;
            }
            write!(formatter, "{}", problem.message)?;
            if let Some(hint) = &problem.hint {
                write!(formatter, "; {hint}")?;
            }
        }
        match self.hidden_count() {
            0 => Ok(()),
            more => write!(formatter, "\nand {more} more problems"),
        }
    }
}

impl std::error::Error for SeedProblems {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn read_seeds(arguments: &[&str], stdin: &str) -> Result<Vec<String>, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        match read_arguments(&arguments, &mut stdin.as_bytes()) {
            Ok(seeds) => Ok(seeds.iter().map(|seed| seed.entity().to_owned()).collect()),
            Err(problems) => Err(problems.to_string()),
        }
    }

    /// Writes a file of seeds and reads it. Messages are returned without its directory.
    fn from_file(name: &str, content: &[u8]) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        let result = read_seeds(&[&format!("@{}", path.display())], "");
        result.map_err(|message| message.replace(&format!("{}/", directory.path().display()), ""))
    }

    #[test]
    fn errors_for_remote_clients_do_not_reveal_which_files_exist() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        fs::write(&path, "").unwrap();
        let path = path.display().to_string();

        assert!(read_seeds(&[&path], "").unwrap_err().contains("did you mean @"));
        let existing = parse_uris(std::slice::from_ref(&path)).unwrap_err().to_string();
        let missing = parse_uris(&[format!("{path}x")]).unwrap_err().to_string();
        assert_eq!(existing, missing.replace(&format!("{path}x"), &path));
    }

    #[test]
    fn seeds_are_the_first_column_of_a_table_of_terms() {
        let rows = "# written by LDSpider\n<http://a.example/1> <http://b.example/> .\n_:b <http://c.example/> .\n\
                    <http://a.example/2> <http://p.example/p> \"x\" <http://g.example/> .\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(rows.as_bytes()).unwrap();

        let seeds = ["http://a.example/1", "http://a.example/2"].map(str::to_owned);
        assert_eq!(from_file("seeds.nx", rows.as_bytes()), Ok(seeds.to_vec()));
        assert_eq!(from_file("seeds.nx.gz", &gzip.finish().unwrap()), Ok(seeds.to_vec()));
        assert_eq!(
            from_file("seeds.nx", b"http://a.example/\n"),
            Err("seeds.nx:1: line does not start with `<IRI>`".to_owned())
        );
    }

    #[test]
    fn seeds_are_ordered_and_distinct() {
        let seeds =
            read_seeds(&["http://b.example/#x", "http://a.example", "-", "http://b.example/"], "http://c.example/\n");

        // The document and the entity in it are two different seeds.
        let expected = ["http://b.example/#x", "http://a.example/", "http://c.example/", "http://b.example/"];
        assert_eq!(seeds.unwrap(), expected);
    }

    #[test]
    fn comments_and_blank_lines_of_a_text_file_are_skipped() {
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
        seeds.txt:6: URL contains credentials
        ");
    }

    #[test]
    fn a_problem_names_the_argument_and_suggests_a_correction() {
        let arguments = [
            "example.org:8080/x",
            "localhost:3000",
            "http://me:secret@a.example/x",
            "urn:isbn:1",
            "a b",
            "../x.ttl",
            "@/nowhere/seeds.txt",
        ];

        insta::assert_snapshot!(read_seeds(&arguments, "").unwrap_err(), @r#"
        `example.org:8080/x`: cannot dereference scheme `example.org`; did you mean https://example.org:8080/x ?
        `localhost:3000`: cannot dereference scheme `localhost`; did you mean http://localhost:3000/ ?
        `http://a.example/x`: URL contains credentials
        `urn:isbn:1`: cannot dereference scheme `urn`
        `a b`: not an absolute URL: relative URL without a base; to look up an entity by its name, pass the name as a label, not as a URI
        `../x.ttl`: not an absolute URL: relative URL without a base
        /nowhere/seeds.txt: No such file or directory (os error 2)
        "#);
    }

    #[test]
    fn seeds_of_an_rdf_file_are_its_subjects_and_then_its_objects() {
        let turtle = b"<http://a.example/s#me> <http://a.example/p> <http://a.example/o>, \"x\", _:b, <urn:x>, <rel> .
            <http://a.example/t> <http://a.example/p> <http://a.example/s> .";

        let seeds = from_file("seeds.ttl", turtle).unwrap();

        assert_eq!(seeds, ["http://a.example/s", "http://a.example/t", "http://a.example/o"]);
    }

    #[test]
    fn every_rdf_format_is_read() {
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
    fn json_ld_is_read_with_bundled_contexts_only() {
        let bundled = br#"{"@context": "https://schema.org", "@id": "http://a.example/s", "name": "A"}"#;
        let remote = br#"{"@context": "https://a.example/context", "@id": "http://a.example/s", "name": "A"}"#;

        assert_eq!(from_file("x.jsonld", bundled).unwrap(), ["http://a.example/s"]);
        let message = from_file("x.jsonld", remote).unwrap_err();
        assert!(message.starts_with("x.jsonld: loading remote context failed"), "{message}");
    }

    #[test]
    fn a_broken_or_empty_file_is_a_problem() {
        let message = from_file("seeds.ttl", b"<http://a.example/s> <http://a.example/p> .\n").unwrap_err();
        assert!(message.starts_with("seeds.ttl:1: "), "{message}");
        assert_eq!(from_file("seeds.txt", b"# nothing yet\n").unwrap_err(), "seeds.txt: no seeds found");
    }
}
