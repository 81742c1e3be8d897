//! `lodeward extract`: one document in, its quads out.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::extract::{Extractor as _, Options, Reader, Sink};
use lodeward::fetch::{Body, Representation};
use lodeward::model::media_type::Syntax;
use lodeward::model::{Fault, Link, Uri};
use lodeward::store::nquads::write_quad;
use oxrdf::QuadRef;

use crate::arguments::Extract;
use crate::failure::Usage;

/// Up to here a document is read at once, which is faster; beyond, as a stream.
const WHOLE_BYTES_MAX: usize = 16 << 20;

pub(crate) fn run(arguments: &Extract) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("--base {}: {error}", arguments.base), hint: None };
    let uri = Uri::parse(&arguments.base).map_err(unusable)?;
    let representation = Representation {
        uri,
        content_type: arguments.content_type.clone().or_else(|| media_type_of(&arguments.file)),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body: body(&arguments.file)?,
    };
    let mut printer =
        Printer { out: BufWriter::new(io::stdout().lock()), line: Vec::new(), quads: 0, faults: 0, failure: None };
    Reader::new(Options::default()).extract(representation, &mut printer);
    printer.end()
}

fn media_type_of(file: &Path) -> Option<String> {
    let extension = file.extension()?.to_str()?.to_ascii_lowercase();
    Syntax::of_extension(&extension).map(|syntax| syntax.media_type().to_owned())
}

fn body(file: &Path) -> anyhow::Result<Body> {
    let mut source: Box<dyn Read + Send> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?)
    };
    let mut bytes = Vec::new();
    let read = source.by_ref().take(WHOLE_BYTES_MAX as u64).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", file.display()))?;
    if bytes.len() < WHOLE_BYTES_MAX {
        return Ok(Body::Whole { bytes: bytes.into(), cut: None });
    }
    Ok(Body::Stream(Box::new(io::Cursor::new(bytes).chain(source))))
}

/// Prints quads as they are found, and faults beside them.
struct Printer<W: Write> {
    out: W,
    line: Vec<u8>,
    quads: u64,
    faults: u64,
    failure: Option<io::Error>,
}

impl<W: Write> Sink for Printer<W> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.line.clear();
        write_quad(&mut self.line, quad);
        self.quads += 1;
        if self.failure.is_none() {
            self.failure = self.out.write_all(&self.line).err();
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.faults += 1;
        eprintln!("fault: {fault}");
    }
}

impl<W: Write> Printer<W> {
    fn end(mut self) -> anyhow::Result<ExitCode> {
        let written = self.failure.take().map_or_else(|| self.out.flush(), Err);
        match written {
            // Whoever reads us has seen enough: `| head` is no error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            written => written.context("cannot write to standard output")?,
        }
        if self.quads == 0 && self.faults == 0 {
            eprintln!("nothing to read: no RDF in it, or no syntax we know");
        }
        let nothing_but_faults = self.quads == 0 && self.faults > 0;
        Ok(if nothing_but_faults { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
