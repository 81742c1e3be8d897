//! How something is packed, if it is.

use super::tar;
use crate::fetch::decode::Compression;

/// A way of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// One file, compressed.
    Compressed(Compression),
    /// Files one after the other.
    Tar,
    /// Files, each compressed by itself.
    Zip,
    /// Known and not read, and why.
    Unread(&'static str),
}

/// The beginnings by which something is known. Brotli has none, and tar is
/// known by its checksum.
const MAGIC: &[(&[u8], Packing)] = &[
    (b"\x1f\x8b", Packing::Compressed(Compression::Gzip)),
    (b"\xfd7zXZ\0", Packing::Compressed(Compression::Xz)),
    (b"\x28\xb5\x2f\xfd", Packing::Compressed(Compression::Zstd)),
    (b"PK\x03\x04", Packing::Zip),
    (b"PK\x05\x06", Packing::Zip),
    (b"PK\x07\x08PK\x03\x04", Packing::Zip),
    (b"7z\xbc\xaf\x27\x1c", Packing::Unread("7z is not read: its directory is at its end")),
    (b"Rar!\x1a\x07", Packing::Unread("rar is not read")),
    (b"LZIP\x01", Packing::Unread("lzip is not read")),
    (b"\x1f\x9d", Packing::Unread("files of compress (.Z) are not read")),
    (b"$HDT", Packing::Unread("HDT is not read: it must be held in memory as a whole")),
];

/// Extensions of files that are one file, compressed, and the one they have
/// when they are not.
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

/// How something is packed that begins like this and has this name (in lower
/// case) and media type. By its first bytes, for names lie.
pub(super) fn packing(head: &[u8], name: &str, declared: Option<&str>) -> Option<Packing> {
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, packing)| *packing);
    match known {
        // Documents of offices and books are zip files, and no dumps.
        Some(Packing::Zip) if declared.is_some_and(is_office) => None,
        Some(packing) => Some(packing),
        None if is_bzip2(head) => Some(Packing::Compressed(Compression::Bzip2)),
        None if is_skippable_zstd(head) => Some(Packing::Compressed(Compression::Zstd)),
        None if tar::is_header(head) => Some(Packing::Tar),
        None if is_said_to_be_brotli(name, declared) && !is_text(head) => {
            Some(Packing::Compressed(Compression::Brotli))
        }
        None => None,
    }
}

/// The name of what is inside of a compressed file.
pub(super) fn inner_name(name: &str) -> String {
    let Some((stem, extension)) = name.rsplit_once('.') else { return name.to_owned() };
    match EXTENSIONS.iter().find(|(known, _)| *known == extension) {
        Some((_, "")) => stem.to_owned(),
        Some((_, inner)) => format!("{stem}.{inner}"),
        // It is compressed, and its name does not say so: the rest may be true.
        None => name.to_owned(),
    }
}

/// The last part of a path, in lower case.
pub(super) fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase()
}

fn is_office(essence: &str) -> bool {
    essence.starts_with("application/vnd.")
        || ["application/epub+zip", "application/java-archive", "application/x-xpinstall"].contains(&essence)
}

/// The number of a level, and then a block or the end.
fn is_bzip2(head: &[u8]) -> bool {
    matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..])
}

fn is_skippable_zstd(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn is_said_to_be_brotli(name: &str, declared: Option<&str>) -> bool {
    let is_type = |essence| matches!(essence, "application/x-brotli" | "application/brotli" | "application/x-br");
    declared.is_some_and(is_type) || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "br")
}

/// Whether these bytes are text: what is named for its compression may have
/// been unpacked by its server.
fn is_text(head: &[u8]) -> bool {
    // The last character may be cut in two.
    let is_utf8 = std::str::from_utf8(head).err().is_none_or(|error| error.error_len().is_none());
    is_utf8 && !head.iter().any(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_how_something_is_packed() {
        let check = |head: &[u8], name: &str, declared, expected| {
            assert_eq!(packing(head, name, declared), expected, "{name} {declared:?}");
        };
        let compressed = |compression| Some(Packing::Compressed(compression));

        check(b"\x1f\x8b\x08", "x.zip", Some("application/zip"), compressed(Compression::Gzip));
        check(b"BZh91AY&SY", "x", None, compressed(Compression::Bzip2));
        check(b"BZh is a word", "x.bz2", None, None);
        check(b"\x5a\x2a\x4d\x18", "x", None, compressed(Compression::Zstd));
        check(b"PK\x03\x04", "x", Some("application/octet-stream"), Some(Packing::Zip));
        check(b"PK\x03\x04", "x", Some("application/vnd.oasis.opendocument.text"), None);
        check(b"<a> <b> <c> .", "x.ttl.gz", Some("application/gzip"), None);
        check(b"\x1b\x2f\x00\xf8", "x.ttl.br", None, compressed(Compression::Brotli));
        check(b"\x1b\x2f\x00\xf8", "x", Some("application/x-brotli"), compressed(Compression::Brotli));
        check(b"\x1b\x2f\x00\xf8", "x.ttl", None, None);
        check("<a> <b> \"ä".as_bytes(), "x.ttl.br", None, None);
        check(
            b"$HDT\x01",
            "x.hdt",
            None,
            Some(Packing::Unread("HDT is not read: it must be held in memory as a whole")),
        );
        check(&[0; 512], "x.tar", None, None);
        check(b"", "x.tar.gz", None, None);
    }

    #[test]
    fn a_name_tells_what_is_inside() {
        let check = |name: &str, inside: &str| assert_eq!(inner_name(name), inside);

        check("dump.nt.gz", "dump.nt");
        check("dump.tgz", "dump.tar");
        check("dump.nt", "dump.nt");
        check("dump", "dump");
        assert_eq!(file_name("a/b\\C.NT.gz"), "c.nt.gz");
        assert_eq!(file_name("a/"), "");
    }
}
