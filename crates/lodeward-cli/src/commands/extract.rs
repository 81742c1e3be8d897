//! `lodeward extract`: prints the quads of one document.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::discover::NextStep;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, ExtractSummary, Extractor as _, contexts};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, Link, Uri};
use lodeward_app::display_text::{counted, single_line};
use lodeward_rdf::RdfFormat;
use lodeward_rdf::write::n_quads::write_quad;
use oxrdf::{GraphNameRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::args::ExtractArgs;
use crate::errors::UsageError;
use crate::progress::print_stderr;
use crate::{output_target, report_text};

/// Base of relative IRIs in a document without a base: a URL that is never fetched.
const PLACEHOLDER_BASE: &str = "http://relative.invalid/";

/// Documents up to this size are read at once, which is faster; larger ones as a stream.
const MAX_BUFFERED_BYTES: usize = 16 << 20;

pub(crate) fn run(arguments: &ExtractArgs) -> anyhow::Result<ExitCode> {
    let base = arguments.base.as_deref().unwrap_or(PLACEHOLDER_BASE);
    let invalid = |error| UsageError { message: format!("invalid --base {base}: {error}"), hint: None };
    let uri = Uri::parse(base).map_err(invalid)?;
    if let Some(directory) = arguments.contexts.as_deref().filter(|directory| !directory.is_dir()) {
        let message = format!("--contexts {}: no such directory", directory.display());
        return Err(UsageError { message, hint: None }.into());
    }
    let representation = Representation::new(
        uri,
        arguments.content_type.clone().or_else(|| media_type_by_name(&arguments.file)),
        open_body(&arguments.file)?,
    );
    let mut printer = QuadPrinter {
        out: BufWriter::new(output_target::standard_output()),
        line: Vec::new(),
        quads: 0,
        links: 0,
        faults: 0,
        failure: None,
        has_base: arguments.base.is_some(),
        relative: None,
    };
    // No size limit for the user's own file.
    let options = ExtractOptions {
        max_dump_bytes: u64::MAX,
        max_bytes_without_rdf: u64::MAX,
        microformats: arguments.microformats,
        ..ExtractOptions::default()
    };
    let reader = DocumentReader::with_contexts(options, contexts(arguments.contexts.as_deref()));
    let extracted = reader.extract(representation, &mut printer);
    if arguments.summary {
        print_stderr(&format!("{}\n", summary(&extracted, &printer)));
    }
    printer.finish()
}

fn summary<W: Write>(extracted: &ExtractSummary, printer: &QuadPrinter<W>) -> String {
    let ExtractSummary { format: syntax, relevance, quads_by_format, bytes, .. } = extracted;
    let names: Vec<(String, u64)> = quads_by_format.iter().map(|(name, quads)| ((*name).to_owned(), *quads)).collect();
    let parts = report_text::counts_text(names.iter().map(|(name, quads)| (name, quads)));
    let QuadPrinter { quads, links, faults, .. } = printer;
    let (bytes, quads, relevance) = (counted(*bytes, "byte"), counted(*quads, "quad"), relevance.name());
    let (links, faults) = (counted(*links, "link"), counted(*faults, "fault"));
    format!("{syntax}, {bytes}: {quads}{parts}, {links}, {faults}, relevance {relevance}")
}

/// The media type of the extension, without a compression extension.
fn media_type_by_name(file: &Path) -> Option<String> {
    // Brotli has no magic bytes.
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("br")) {
        return Some("application/x-brotli".to_owned());
    }
    RdfFormat::from_path(file).map(|format| format.media_type().to_owned())
}

fn open_body(file: &Path) -> anyhow::Result<ResponseBody> {
    let mut source: Box<dyn Read + Send> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?)
    };
    let mut bytes = Vec::new();
    let read = source.by_ref().take(MAX_BUFFERED_BYTES as u64).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", file.display()))?;
    if bytes.len() < MAX_BUFFERED_BYTES {
        return Ok(ResponseBody::Buffered { bytes: bytes.into(), truncation: None });
    }
    Ok(ResponseBody::Stream(Box::new(io::Cursor::new(bytes).chain(source))))
}

/// The first relative IRI of a statement of a document without a base, as it was written.
fn relative_iri(quad: QuadRef<'_>) -> Option<String> {
    let relative = |iri: &str| iri.strip_prefix(PLACEHOLDER_BASE).map(str::to_owned);
    let subject = match quad.subject {
        NamedOrBlankNodeRef::NamedNode(node) => relative(node.as_str()),
        NamedOrBlankNodeRef::BlankNode(_) => None,
    };
    let object = match quad.object {
        TermRef::NamedNode(node) => relative(node.as_str()),
        TermRef::Literal(literal) => relative(literal.datatype().as_str()),
        TermRef::BlankNode(_) => None,
    };
    subject.or_else(|| relative(quad.predicate.as_str())).or(object)
}

/// Prints quads to standard output and faults to standard error.
struct QuadPrinter<W: Write> {
    out: W,
    line: Vec<u8>,
    quads: u64,
    links: u64,
    faults: u64,
    failure: Option<io::Error>,
    has_base: bool,
    /// The first relative IRI, if there is no base.
    relative: Option<String>,
}

impl<W: Write> ExtractSink for QuadPrinter<W> {
    fn quad(&mut self, mut quad: QuadRef<'_>) {
        if !self.has_base {
            // The document has no URL, so its statements have no graph.
            quad.graph_name = GraphNameRef::DefaultGraph;
            if let Some(relative) = relative_iri(quad) {
                self.relative.get_or_insert(relative);
                return;
            }
        }
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

    fn step(&mut self, _: NextStep) {
        self.links += 1;
    }

    fn fault(&mut self, fault: Fault) {
        self.faults += 1;
        print_stderr(&format!("fault: {}\n", single_line(&fault.to_string())));
    }
}

impl<W: Write> QuadPrinter<W> {
    fn finish(mut self) -> anyhow::Result<ExitCode> {
        let written = self.failure.take().map_or_else(|| self.out.flush(), Err);
        match written {
            // The reader of the pipe has closed it, as `| head` does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            written => written.context("cannot write to standard output")?,
        }
        if let Some(relative) = self.relative {
            let shown =
                if relative.is_empty() { "<> (the document itself)".to_owned() } else { format!("<{relative}>") };
            let message = format!("statements with relative IRIs were left out: {shown} needs a base");
            let hint = Some("pass the URL of the document with --base".to_owned());
            return Err(UsageError { message, hint }.into());
        }
        if self.quads == 0 && self.faults == 0 {
            print_stderr("no RDF found: the document contains none, or its format is unknown\n");
        }
        let nothing_but_faults = self.quads == 0 && self.faults > 0;
        Ok(if nothing_but_faults { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
