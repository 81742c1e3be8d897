//! Prints the figures of the workspace: `cargo run -p tidy`.

use std::io::{self, Write as _};

use tidy::Repository;
use tidy::metrics::SourceMetrics;

fn main() -> io::Result<()> {
    let repository = Repository::read()?;
    writeln!(io::stdout(), "{}", SourceMetrics::of(&repository.files))
}
