//! Where answers and exports go: standard output, or a file that appears under
//! its name only when it is complete.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lodeward::durable::folder_of;
use lodeward::store::output::OutputFile;

use crate::failure::Usage;

/// What is to be written in the end is better refused in the beginning.
pub(crate) fn require_writable(file: Option<&Path>) -> Result<(), Usage> {
    let Some(file) = file.filter(|file| !is_standard_output(file)) else { return Ok(()) };
    let folder = folder_of(file);
    let refused = |why: String| Usage { message: format!("cannot write {}: {why}", file.display()), hint: None };
    if file.is_dir() {
        return Err(refused("it is a folder".to_owned()));
    }
    let about = folder.metadata().map_err(|error| refused(format!("{}: {error}", folder.display())))?;
    if about.is_dir() { Ok(()) } else { Err(refused(format!("{} is not a folder", folder.display()))) }
}

fn is_standard_output(file: &Path) -> bool {
    file == Path::new("-")
}

/// The extension of a file, before `.gz` or `.zst`, in lower case.
pub(crate) fn extension(file: &Path) -> Option<String> {
    let extension = |file: &Path| Some(file.extension()?.to_str()?.to_ascii_lowercase());
    match extension(file)?.as_str() {
        "gz" | "zst" => extension(Path::new(file.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

/// The file of one hop, where there is one for each: `out.hop-0.nq.gz` for
/// `out.nq.gz`.
pub(crate) fn of_hop(file: &Path, hop: u16) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (bare, compression) = match name.rsplit_once('.') {
        Some((bare, "gz" | "zst")) => name.split_at(bare.len()),
        _ => (&*name, ""),
    };
    // What begins with a dot is hidden, and has no extension for that.
    let (stem, extension) = match bare.rfind('.') {
        None | Some(0) => (bare, ""),
        Some(dot) => bare.split_at(dot),
    };
    file.with_file_name(format!("{stem}.hop-{hop}{extension}{compression}"))
}

const BUFFER_BYTES: usize = 128 << 10;

/// Takes bytes, compresses them as the name says, and in the end puts them
/// where they belong.
pub(crate) struct Target {
    place: PathBuf,
    stream: Stream,
}

enum Stream {
    Output(BufWriter<io::Stdout>),
    File(Box<OutputFile>),
}

impl Target {
    /// Begins to write; to standard output if that is `-`, or nothing is named.
    pub(crate) fn create(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file.filter(|file| !is_standard_output(file)) else {
            let stream = Stream::Output(BufWriter::with_capacity(BUFFER_BYTES, io::stdout()));
            return Ok(Self { place: PathBuf::from("standard output"), stream });
        };
        require_writable(Some(file))?;
        let output = OutputFile::create(file).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { place: file.to_owned(), stream: Stream::File(Box::new(output)) })
    }

    /// Whether somebody reads this as it is written.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.stream, Stream::Output(_)) && io::stdout().is_terminal()
    }

    /// Puts what was written in its place. Without this, it disappears.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.stream {
            Stream::Output(mut output) => output.flush(),
            Stream::File(file) => file.finish(),
        }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        self.place.display().to_string()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Output(output) => output.write(bytes),
            Stream::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Output(output) => output.flush(),
            Stream::File(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn written(folder: &Path, name: &str) -> Vec<u8> {
        let path = folder.join(name);
        let mut target = Target::create(Some(&path)).unwrap();
        target.write_all(b"some text").unwrap();
        assert!(!path.exists(), "it appears when it is complete");
        target.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_file_is_compressed_as_its_name_says() {
        let folder = tempfile::tempdir().unwrap();

        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(&*written(folder.path(), "a.nq.gz")).read_to_end(&mut gunzipped).unwrap();

        assert_eq!(gunzipped, b"some text");
        assert_eq!(written(folder.path(), "a.nq"), b"some text");
        assert_eq!(zstd::decode_all(&*written(folder.path(), "a.nq.zst")).unwrap(), b"some text");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();

        drop(Target::create(Some(&folder.path().join("a.nq"))).unwrap());

        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_of_a_hop_keeps_its_extensions() {
        let check = |name: &str, of_hop_2: &str| assert_eq!(of_hop(Path::new(name), 2), Path::new(of_hop_2));

        check("out.nq.gz", "out.hop-2.nq.gz");
        check("some.where/out.nq", "some.where/out.hop-2.nq");
        check("access.2026-11.log.zst", "access.2026-11.hop-2.log.zst");
        check("out", "out.hop-2");
        check("out.gz", "out.hop-2.gz");
        check(".hidden", ".hidden.hop-2");
    }

    #[test]
    fn an_extension_is_looked_for_before_the_compression() {
        let check = |name: &str, is: Option<&str>| assert_eq!(extension(Path::new(name)).as_deref(), is, "{name}");

        check("a.nq", Some("nq"));
        check("a.TTL.gz", Some("ttl"));
        check("a.zst", None);
        check("-", None);
    }
}
