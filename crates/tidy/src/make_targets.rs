//! `make` commands of documentation name targets that exist.

use std::sync::LazyLock;

use regex::Regex;

use crate::commands::documented;
use crate::{Finding, Repository};

static TARGET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^([A-Za-z][A-Za-z0-9 _-]*):(?:[^=]|$)").expect("a valid pattern"));

/// A finding for each documented target that the Makefile lacks.
#[must_use]
pub fn check(repository: &Repository) -> Vec<Finding> {
    let makefile = repository.files.iter().find(|file| file.path == "Makefile").map_or("", |file| file.text.as_str());
    let targets = targets(makefile);
    documented(repository, "make")
        .flat_map(|(file, command)| {
            let requested: Vec<String> = command.argv[1..].to_vec();
            requested.into_iter().map(move |target| (file, command.line, target))
        })
        .filter(|(_, _, target)| !target.starts_with('-') && !target.contains('='))
        .filter(|(_, _, target)| !targets.contains(&target.as_str()))
        .map(|(file, line, target)| Finding::new(&file.path, line, format!("no such target in the Makefile: {target}")))
        .collect()
}

fn targets(makefile: &str) -> Vec<&str> {
    TARGET
        .captures_iter(makefile)
        .filter_map(|captures| captures.get(1))
        .flat_map(|names| names.as_str().split(' '))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextFile;

    #[test]
    fn targets_that_the_makefile_lacks_are_found() {
        let files = vec![
            TextFile::new("Makefile", "SHELL := bash\nA = b\n.PHONY: test\ntest: lint\n\tcargo test\nlint:\n"),
            TextFile::new(
                "README.md",
                "```sh\nmake test\nmake tset JOBS=2\n```\nRun `make lint`, never `make lnit`.\n",
            ),
        ];
        let findings = check(&Repository { root: ".".into(), files });
        let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            ["README.md:3: no such target in the Makefile: tset", "README.md:5: no such target in the Makefile: lnit"]
        );
    }
}
