//! Detects archives and compressed files.

use super::tar;
use crate::fetch::content_coding::FileCompression;

/// A kind of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackingKind {
    /// One file, compressed.
    Compressed(FileCompression),
    /// A sequence of files.
    Tar,
    /// Files, each compressed separately.
    Zip,
    /// Detected but not supported, with the reason.
    Unsupported(&'static str),
}

/// The signatures. Brotli has none, and tar is detected by its checksum.
const MAGIC: &[(&[u8], PackingKind)] = &[
    (b"\x1f\x8b", PackingKind::Compressed(FileCompression::Gzip)),
    (b"\xfd7zXZ\0", PackingKind::Compressed(FileCompression::Xz)),
    (b"\x28\xb5\x2f\xfd", PackingKind::Compressed(FileCompression::Zstd)),
    (b"PK\x03\x04", PackingKind::Zip),
    (b"PK\x05\x06", PackingKind::Zip),
    (b"PK\x07\x08PK\x03\x04", PackingKind::Zip),
    (b"7z\xbc\xaf\x27\x1c", PackingKind::Unsupported("7z is not supported: its directory is at its end")),
    (b"Rar!\x1a\x07", PackingKind::Unsupported("rar is not supported")),
    (b"LZIP\x01", PackingKind::Unsupported("lzip is not supported")),
    (b"\x1f\x9d", PackingKind::Unsupported("compress (.Z) is not supported")),
];

/// Extensions of compressed files, with the extension of the content.
const EXTENSIONS: &[(&str, &str)] = &[
    ("gz", ""),
    ("bz2", ""),
    ("xz", ""),
    ("zst", ""),
    ("br", ""),
    ("tgz", "tar"),
    ("tbz", "tar"),
    ("tbz2", "tar"),
    ("txz", "tar"),
    ("tzst", "tar"),
];

/// The packing of a file with this beginning, name (in lower case) and media type. The first bytes take precedence,
/// because names are unreliable.
pub(super) fn detect_packing(head: &[u8], name: &str, declared: Option<&str>) -> Option<PackingKind> {
    let detected = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, packing)| *packing);
    match detected {
        // Office documents and ebooks are zip files but not dumps.
        Some(PackingKind::Zip) if declared.is_some_and(is_office_document) => None,
        Some(packing) => Some(packing),
        None if is_bzip2(head) => Some(PackingKind::Compressed(FileCompression::Bzip2)),
        None if is_skippable_zstd(head) => Some(PackingKind::Compressed(FileCompression::Zstd)),
        None if tar::is_header(head) => Some(PackingKind::Tar),
        None if is_declared_brotli(name, declared) && !is_text(head) => {
            Some(PackingKind::Compressed(FileCompression::Brotli))
        }
        None => None,
    }
}

/// The name of the content of a compressed file.
pub(super) fn inner_name(name: &str) -> String {
    let Some((stem, extension)) = name.rsplit_once('.') else { return name.to_owned() };
    match EXTENSIONS.iter().find(|(packed, _)| *packed == extension) {
        Some((_, "")) => stem.to_owned(),
        Some((_, inner)) => format!("{stem}.{inner}"),
        // If the name has no extension of this compression, it is the name of the content.
        None => name.to_owned(),
    }
}

/// The last segment of a path, in lower case.
pub(super) fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase()
}

fn is_office_document(essence: &str) -> bool {
    essence.starts_with("application/vnd.")
        || ["application/epub+zip", "application/java-archive", "application/x-xpinstall"].contains(&essence)
}

/// Whether the data begins like bzip2: `BZh`, the digit of the level, then the first byte of a block or of the end
/// marker.
fn is_bzip2(head: &[u8]) -> bool {
    matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..])
}

fn is_skippable_zstd(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn is_declared_brotli(name: &str, declared: Option<&str>) -> bool {
    let is_type = |essence| matches!(essence, "application/x-brotli" | "application/brotli" | "application/x-br");
    declared.is_some_and(is_type) || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "br")
}

/// Whether these bytes are text: the server may have unpacked a file named after its compression.
fn is_text(head: &[u8]) -> bool {
    // The last character may be incomplete.
    let is_utf8 = std::str::from_utf8(head).err().is_none_or(|error| error.error_len().is_none());
    is_utf8 && !head.iter().any(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_detected_by_the_first_bytes() {
        let check = |head: &[u8], name: &str, declared, expected| {
            assert_eq!(detect_packing(head, name, declared), expected, "{name} {declared:?}");
        };
        let compressed = |compression| Some(PackingKind::Compressed(compression));

        check(b"\x1f\x8b\x08", "x.zip", Some("application/zip"), compressed(FileCompression::Gzip));
        check(b"BZh91AY&SY", "x", None, compressed(FileCompression::Bzip2));
        check(b"BZh is a word", "x.bz2", None, None);
        check(b"\x5a\x2a\x4d\x18", "x", None, compressed(FileCompression::Zstd));
        check(b"PK\x03\x04", "x", Some("application/octet-stream"), Some(PackingKind::Zip));
        check(b"PK\x03\x04", "x", Some("application/vnd.oasis.opendocument.text"), None);
        check(b"<a> <b> <c> .", "x.ttl.gz", Some("application/gzip"), None);
        check(b"\x1b\x2f\x00\xf8", "x.ttl.br", None, compressed(FileCompression::Brotli));
        check(b"\x1b\x2f\x00\xf8", "x", Some("application/x-brotli"), compressed(FileCompression::Brotli));
        check(b"\x1b\x2f\x00\xf8", "x.ttl", None, None);
        check("<a> <b> \"ä".as_bytes(), "x.ttl.br", None, None);
        check(b"$HDT\x01", "x.hdt", None, None);
        check(&[0; 512], "x.tar", None, None);
        check(b"", "x.tar.gz", None, None);
    }

    #[test]
    fn inner_name_is_derived_from_the_extension() {
        let check = |name: &str, inside: &str| assert_eq!(inner_name(name), inside);

        check("dump.nt.gz", "dump.nt");
        check("dump.tgz", "dump.tar");
        check("dump.nt", "dump.nt");
        check("dump", "dump");
        assert_eq!(file_name("a/b\\C.NT.gz"), "c.nt.gz");
        assert_eq!(file_name("a/"), "");
    }
}
