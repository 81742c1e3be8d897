//! `lodeward extract`: one document in, its quads out.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::extract::{Extracted, Extractor as _, Options, Reader, Sink, contexts};
use lodeward::fetch::{Body, Representation};
use lodeward::model::media_type::Syntax;
use lodeward::model::{Fault, Link, Uri};
use lodeward::store::nquads::write_quad;
use oxrdf::QuadRef;

use crate::arguments::Extract;
use crate::failure::Usage;
use crate::summary;

/// Up to here a document is read at once, which is faster; beyond, as a stream.
const WHOLE_BYTES_MAX: usize = 16 << 20;

pub(crate) fn run(arguments: &Extract) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("--base {}: {error}", arguments.base), hint: None };
    let uri = Uri::parse(&arguments.base).map_err(unusable)?;
    if let Some(folder) = arguments.contexts.as_deref().filter(|folder| !folder.is_dir()) {
        let message = format!("--contexts {}: there is no such folder", folder.display());
        return Err(Usage { message, hint: None }.into());
    }
    let representation = Representation {
        uri,
        status: 200,
        content_type: arguments.content_type.clone().or_else(|| media_type_of(&arguments.file)),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body: body(&arguments.file)?,
    };
    let mut printer = Printer {
        out: BufWriter::new(io::stdout().lock()),
        line: Vec::new(),
        quads: 0,
        links: 0,
        faults: 0,
        failure: None,
    };
    // Whoever names a file of their own wants all of it.
    let options = Options { dump_bytes_max: u64::MAX, barren_bytes_max: u64::MAX, ..Options::default() };
    let reader = Reader::with_contexts(options, contexts(arguments.contexts.as_deref()));
    let extracted = reader.extract(representation, &mut printer);
    if arguments.summary {
        eprintln!("{}", summary(&extracted, &printer));
    }
    printer.end()
}

fn summary<W: Write>(extracted: &Extracted, printer: &Printer<W>) -> String {
    let Extracted { syntax, relevance, quads_by_syntax, bytes, .. } = extracted;
    let names: Vec<(String, u64)> = quads_by_syntax.iter().map(|(name, quads)| ((*name).to_owned(), *quads)).collect();
    let parts = summary::parts(names.iter().map(|(name, quads)| (name, quads)));
    let Printer { quads, links, faults, .. } = printer;
    let relevance = relevance.name();
    format!("{syntax}, {bytes} bytes: {quads} quads{parts}, {links} links, {faults} faults, relevance {relevance}")
}

/// The media type that the name of a file promises, compressed or not.
fn media_type_of(file: &Path) -> Option<String> {
    let extension = |file: &Path| Some(file.extension()?.to_str()?.to_ascii_lowercase());
    let syntax = match extension(file)?.as_str() {
        "gz" | "bz2" | "xz" | "zst" => Syntax::of_extension(&extension(Path::new(file.file_stem()?))?),
        // Nothing else says so.
        "br" => return Some("application/x-brotli".to_owned()),
        extension => Syntax::of_extension(extension),
    };
    syntax.map(|syntax| syntax.media_type().to_owned())
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
    links: u64,
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

    fn link(&mut self, _: Link) {
        self.links += 1;
    }

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
