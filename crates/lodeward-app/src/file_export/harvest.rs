//! Writing the harvest of a crawl to a file, in the format of its name.
//!
//! The harvest is stored as N-Quads. Other formats are converted statement by statement while the
//! file is written, so memory is bounded at any size. The file is written from the store after each
//! run, and gets its name when it is complete: after a kill, a resumed crawl or a refresh it is never
//! partial, and never appended to.

use std::io::{self, Write};
use std::path::Path;

use crate::output_file::OutputFile;
use crate::provenance::{GraphNames, export_provenance};
use lodeward::store::{ExportSummary, SegmentStore, Store as _, StoreError};
use lodeward_rdf::write::{COMMON_PREFIXES, WRITTEN_FORMATS};
use lodeward_rdf::{QuadWriter, RdfFormat};
use oxttl::NQuadsParser;
use oxttl::nquads::LowLevelNQuadsParser;

use super::FileExportError;

/// The extensions of the formats that can be written.
const EXTENSIONS: &str = ".nq, .nt, .ttl, .trig, .jsonld or .rdf (optionally with .gz or .zst)";

/// No format is known for the extension of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot derive a format from the extension .{extension}")]
pub struct UnknownExtension {
    /// The extension, without that of a compression.
    pub extension: String,
}

impl UnknownExtension {
    /// The extensions that can be used instead.
    #[must_use]
    pub fn hint(&self) -> String {
        format!("use {EXTENSIONS}")
    }
}

/// The format of an output file by its name. N-Quads for standard output (`-`), and for a name without
/// an extension.
pub fn format_by_name(file: &Path) -> Result<RdfFormat, UnknownExtension> {
    if file == Path::new("-") {
        return Ok(RdfFormat::NQuads);
    }
    match extension(file).as_deref() {
        None => Ok(RdfFormat::NQuads),
        Some("xml") => Ok(RdfFormat::RdfXml),
        Some(extension) => {
            let format = RdfFormat::from_extension(extension).filter(|format| WRITTEN_FORMATS.contains(format));
            format.ok_or_else(|| UnknownExtension { extension: extension.to_owned() })
        }
    }
}

/// The extension of a file before `.gz` or `.zst`, in lower case.
#[must_use]
pub fn extension(file: &Path) -> Option<String> {
    let extension = |file: &Path| Some(file.extension()?.to_str()?.to_ascii_lowercase());
    match extension(file)?.as_str() {
        "gz" | "zst" => extension(Path::new(file.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

/// Writes a harvest to a file, and its provenance if the names of the graphs for it are given. In a
/// format without named graphs, graph names are omitted.
pub fn write_harvest(
    store: &SegmentStore,
    path: &Path,
    format: RdfFormat,
    names: Option<&GraphNames>,
) -> Result<ExportSummary, FileExportError> {
    let failed = |source| FileExportError::Write { path: path.to_owned(), source };
    let file = OutputFile::create(path).map_err(failed)?;
    let (exported, file) = write_harvest_to(store, file, format, names).map_err(|error| match error {
        FileExportError::Io(source) => failed(source),
        error => error,
    })?;
    file.finish().map_err(failed)?;
    Ok(exported)
}

/// As [`write_harvest`], into a writer, which it returns.
pub fn write_harvest_to<W: Write>(
    store: &SegmentStore,
    out: W,
    format: RdfFormat,
    names: Option<&GraphNames>,
) -> Result<(ExportSummary, W), FileExportError> {
    let mut converter = HarvestWriter::new(format, out).map_err(FileExportError::Io)?;
    let mut exported = store.export(&mut converter).map_err(store_error)?;
    if let Some(names) = names {
        exported.quads += export_provenance(store, names, &mut converter).map_err(store_error)?;
    }
    Ok((exported, converter.finish().map_err(FileExportError::Io)?))
}

fn store_error(error: StoreError) -> FileExportError {
    match error {
        StoreError::Export(source) => FileExportError::Io(source),
        error => FileExportError::Store(error),
    }
}

/// Converts N-Quads that are written to it into a format. N-Quads are not converted.
pub(super) enum HarvestWriter<W: Write> {
    Exact(W),
    Converted { parser: Box<LowLevelNQuadsParser>, writer: Box<QuadWriter<W>> },
}

impl<W: Write> HarvestWriter<W> {
    pub(super) fn new(format: RdfFormat, out: W) -> io::Result<Self> {
        if format == RdfFormat::NQuads {
            return Ok(Self::Exact(out));
        }
        let writer = Box::new(QuadWriter::with_prefixes(format, COMMON_PREFIXES, out)?);
        // The statements were checked when they were stored.
        Ok(Self::Converted { parser: Box::new(NQuadsParser::new().lenient().low_level()), writer })
    }

    /// Completes the output and returns the writer.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if let Self::Converted { parser, .. } = &mut self {
            parser.end();
        }
        self.convert()?;
        match self {
            Self::Exact(out) => Ok(out),
            Self::Converted { writer, .. } => writer.finish(),
        }
    }

    /// Writes the statements that have been received completely.
    fn convert(&mut self) -> io::Result<()> {
        let Self::Converted { parser, writer } = self else { return Ok(()) };
        while let Some(quad) = parser.parse_next() {
            writer.write(quad.map_err(io::Error::other)?.as_ref())?;
        }
        Ok(())
    }
}

impl<W: Write> Write for HarvestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Exact(out) => out.write(bytes),
            Self::Converted { parser, .. } => {
                parser.extend_from_slice(bytes);
                self.convert()?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Exact(out) => out.flush(),
            // A format such as JSON-LD is complete only when it is finished.
            Self::Converted { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lodeward_rdf::RdfReader;
    use oxrdf::{Quad, Triple};

    use super::*;

    const QUADS: &str = "<http://a.example/s> <http://a.example/p> \"one\\ntwo\"@en <http://a.example/1> .
<http://a.example/s> <http://a.example/p> _:b <http://a.example/1> .
_:b <http://a.example/p> \"\u{fc}\" <http://a.example/1> .
<http://a.example/s> <http://a.example/p> \"one\\ntwo\"@en <http://a.example/2> .
";

    fn parse(quads: &str) -> BTreeSet<String> {
        NQuadsParser::new().for_slice(quads).map(|quad| quad.unwrap().to_string()).collect()
    }

    #[test]
    fn a_harvest_is_converted_to_every_format_wherever_the_writes_are_split() {
        for format in WRITTEN_FORMATS {
            for split in [0, 1, 50, 150, QUADS.len()] {
                let mut writer = HarvestWriter::new(format, Vec::new()).unwrap();
                writer.write_all(&QUADS.as_bytes()[..split]).unwrap();
                writer.write_all(&QUADS.as_bytes()[split..]).unwrap();
                let written = writer.finish().unwrap();

                let read: Vec<Quad> = RdfReader::new(format).collect(written.as_slice().into()).unwrap();
                let has_no_blank = |text: &String| !text.contains("_:");
                let found: BTreeSet<String> = if format.has_graphs() {
                    read.iter().map(ToString::to_string).filter(has_no_blank).collect()
                } else {
                    read.into_iter().map(|quad| Triple::from(quad).to_string()).filter(has_no_blank).collect()
                };
                let expected: BTreeSet<String> = if format.has_graphs() {
                    parse(QUADS).into_iter().filter(has_no_blank).collect()
                } else {
                    BTreeSet::from(["<http://a.example/s> <http://a.example/p> \"one\\ntwo\"@en".to_owned()])
                };
                assert_eq!(found, expected, "{format:?}, {split}");
            }
        }
    }

    #[test]
    fn the_extension_defines_the_format() {
        let check = |name: &str, format: RdfFormat| assert_eq!(format_by_name(Path::new(name)), Ok(format), "{name}");

        check("-", RdfFormat::NQuads);
        check("out", RdfFormat::NQuads);
        check("out.nq.zst", RdfFormat::NQuads);
        check("out.NT", RdfFormat::NTriples);
        check("out.ttl.gz", RdfFormat::Turtle);
        check("some.where/out.trig", RdfFormat::TriG);
        check("out.jsonld", RdfFormat::JsonLd);
        check("out.rdf", RdfFormat::RdfXml);
        for name in ["out.txt", "out.html", "out.n3", "out.csv.gz"] {
            let error = format_by_name(Path::new(name)).unwrap_err();
            assert!(error.hint().contains(".jsonld"), "{name}: {error}");
        }
    }

    #[test]
    fn the_extension_is_the_one_before_the_compression() {
        let check = |name: &str, is: Option<&str>| assert_eq!(extension(Path::new(name)).as_deref(), is, "{name}");

        check("a.nq", Some("nq"));
        check("a.TTL.gz", Some("ttl"));
        check("a.zst", None);
        check("-", None);
    }
}
