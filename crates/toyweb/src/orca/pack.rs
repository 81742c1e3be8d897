//! Dump files: their syntaxes and their compression.

use std::io::{self, Cursor, Write};

use oxigraph::io::RdfFormat;
use serde::{Deserialize, Serialize};

/// The syntax of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DumpSyntax {
    /// Turtle.
    #[serde(rename = "ttl")]
    Turtle,
    /// N3; the content is Turtle.
    #[serde(rename = "n3")]
    N3,
    /// RDF/XML.
    #[serde(rename = "rdf")]
    RdfXml,
    /// N-Triples.
    #[serde(rename = "nt")]
    NTriples,
    /// N-Quads.
    #[serde(rename = "nq")]
    NQuads,
    /// TriG.
    #[serde(rename = "trig")]
    TriG,
    /// JSON-LD.
    #[serde(rename = "jsonld")]
    JsonLd,
}

impl DumpSyntax {
    /// The syntaxes of ORCA.
    pub const ORCA: [Self; 4] = [Self::Turtle, Self::N3, Self::RdfXml, Self::NTriples];
    /// All syntaxes.
    pub const ALL: [Self; 7] =
        [Self::Turtle, Self::NTriples, Self::RdfXml, Self::NQuads, Self::TriG, Self::JsonLd, Self::N3];

    /// The file extension.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.format().file_extension()
    }

    /// The content type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Turtle => "text/turtle",
            Self::N3 => "text/n3",
            Self::RdfXml => "application/rdf+xml",
            Self::NTriples => "application/n-triples",
            Self::NQuads => "application/n-quads",
            Self::TriG => "application/trig",
            Self::JsonLd => "application/ld+json",
        }
    }

    pub(crate) fn format(self) -> RdfFormat {
        match self {
            Self::Turtle => RdfFormat::Turtle,
            Self::N3 => RdfFormat::N3,
            Self::RdfXml => RdfFormat::RdfXml,
            Self::NTriples => RdfFormat::NTriples,
            Self::NQuads => RdfFormat::NQuads,
            Self::TriG => RdfFormat::TriG,
            Self::JsonLd => RdfFormat::JsonLd { profile: oxigraph::io::JsonLdProfileSet::empty() },
        }
    }
}

/// The compression of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are file extensions")]
pub enum DumpPacking {
    #[serde(rename = "gz")]
    Gz,
    #[serde(rename = "bz2")]
    Bz2,
    #[serde(rename = "xz")]
    Xz,
    #[serde(rename = "zst")]
    Zst,
    #[serde(rename = "br")]
    Br,
    #[serde(rename = "zip")]
    Zip,
    #[serde(rename = "tar")]
    Tar,
    #[serde(rename = "tar.gz")]
    TarGz,
    #[serde(rename = "tar.bz2")]
    TarBz2,
    #[serde(rename = "tar.xz")]
    TarXz,
    #[serde(rename = "tar.zst")]
    TarZst,
}

impl DumpPacking {
    /// The formats of ORCA and its paper.
    pub const ORCA: [Self; 6] = [Self::Gz, Self::Bz2, Self::Zip, Self::Tar, Self::TarGz, Self::Br];
    /// All formats.
    pub const ALL: [Self; 11] = [
        Self::Gz,
        Self::Bz2,
        Self::Xz,
        Self::Zst,
        Self::Br,
        Self::Zip,
        Self::Tar,
        Self::TarGz,
        Self::TarBz2,
        Self::TarXz,
        Self::TarZst,
    ];

    /// The extension that is appended to the file name.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gz => "gz",
            Self::Bz2 => "bz2",
            Self::Xz => "xz",
            Self::Zst => "zst",
            Self::Br => "br",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::TarBz2 => "tar.bz2",
            Self::TarXz => "tar.xz",
            Self::TarZst => "tar.zst",
        }
    }

    /// The content type, which does not depend on the content.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Gz | Self::TarGz => "application/gzip",
            Self::Bz2 | Self::TarBz2 => "application/x-bzip2",
            Self::Xz | Self::TarXz => "application/x-xz",
            Self::Zst | Self::TarZst => "application/zstd",
            // Brotli has no media type of its own.
            Self::Br => "application/octet-stream",
            Self::Zip => "application/zip",
            Self::Tar => "application/x-tar",
        }
    }

    /// Compresses a file.
    pub(crate) fn pack(self, name: &str, content: &[u8]) -> Vec<u8> {
        self.try_pack(name, content).expect("writing to memory cannot fail")
    }

    fn try_pack(self, name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gz => gzip(content),
            Self::Bz2 => bzip2(content),
            Self::Xz => xz(content),
            Self::Zst => zstd::encode_all(content, 3),
            Self::Br => brotli(content),
            Self::Zip => zip(name, content),
            Self::Tar => tar(name, content),
            Self::TarGz => gzip(&tar(name, content)?),
            Self::TarBz2 => bzip2(&tar(name, content)?),
            Self::TarXz => xz(&tar(name, content)?),
            Self::TarZst => zstd::encode_all(tar(name, content)?.as_slice(), 3),
        }
    }
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

fn bzip2(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

fn xz(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(3))?;
    encoder.write_all(content)?;
    encoder.finish()
}

fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut packed, 4096, 5, 20);
    encoder.write_all(content)?;
    drop(encoder);
    Ok(packed)
}

fn zip(name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default())?;
    archive.write_all(content)?;
    Ok(archive.finish()?.into_inner())
}

fn tar(name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, name, content)?;
    archive.into_inner()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn unpack(packing: DumpPacking, packed: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        let read = |reader: &mut dyn Read, content: &mut Vec<u8>| reader.read_to_end(content).expect("sound");
        match packing {
            DumpPacking::Gz | DumpPacking::TarGz => read(&mut flate2::read::GzDecoder::new(packed), &mut content),
            DumpPacking::Bz2 | DumpPacking::TarBz2 => read(&mut bzip2::read::BzDecoder::new(packed), &mut content),
            DumpPacking::Xz | DumpPacking::TarXz => read(&mut lzma_rust2::XzReader::new(packed, false), &mut content),
            DumpPacking::Zst | DumpPacking::TarZst => {
                read(&mut zstd::Decoder::new(packed).expect("zstd"), &mut content)
            }
            DumpPacking::Br => read(&mut brotli::Decompressor::new(packed, 4096), &mut content),
            DumpPacking::Zip => {
                let mut archive = zip::ZipArchive::new(Cursor::new(packed)).expect("a zip file");
                let mut file = archive.by_name("dump.nt").expect("the file");
                read(&mut file, &mut content)
            }
            DumpPacking::Tar => read(&mut &*packed, &mut content),
        };
        if packing.extension().starts_with("tar") {
            let mut archive = tar::Archive::new(content.as_slice());
            let mut file = archive.entries().expect("a tar file").next().expect("a file").expect("sound");
            assert_eq!(file.path().expect("a path").to_str(), Some("dump.nt"));
            let mut inner = Vec::new();
            read(&mut file, &mut inner);
            return inner;
        }
        content
    }

    #[test]
    fn a_compressed_dump_can_be_decompressed() {
        let content = "<http://a.example/> <http://a.example/p> <http://a.example/o> .\n".repeat(100);
        for packing in DumpPacking::ALL {
            let packed = packing.pack("dump.nt", content.as_bytes());

            assert_eq!(unpack(packing, &packed), content.as_bytes(), "{packing:?}");
            assert_eq!(packed, packing.pack("dump.nt", content.as_bytes()), "{packing:?} is reproducible");
        }
    }
}
