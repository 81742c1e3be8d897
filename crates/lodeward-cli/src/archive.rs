//! The archive of a data directory: found, opened, and brought up to date.

use std::io::IsTerminal as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward::config::Config;
use lodeward::open::{self, FeedError, Feeding, OpenError};
use lodeward::registry::{Damaged, Registry};
use lodeward::told;
use lodeward_archive::{Archive, ArchiveError};

use crate::failure::{CUT_SHORT, Hinted, Usage};
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::unserved::require_unserved;

/// A data directory, and whoever waits for its archive.
pub(crate) struct Keeper<'a> {
    pub(crate) config: &'a Config,
    pub(crate) data: &'a Path,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) quiet: bool,
}

impl Keeper<'_> {
    /// Opens an archive in which there may be something: there is one, or there
    /// are crawls that it can be made from.
    pub(crate) fn open(&self) -> anyhow::Result<Archive> {
        let data = self.data;
        if !data.is_dir() {
            return Err(anyhow::Error::new(Usage {
                message: format!("there is no folder {}", data.display()),
                hint: Some("say with --data where the harvest is; `crawl` and `import` make one".to_owned()),
            }));
        }
        let has_crawls = data.join("crawls").is_dir() && !Registry::open(data)?.list()?.is_empty();
        if !data.join("archive").is_dir() && !has_crawls {
            return Err(anyhow::Error::new(Usage {
                message: format!("{} holds neither an archive nor a crawl", data.display()),
                hint: Some("begin with `lodeward crawl` or `lodeward import`".to_owned()),
            }));
        }
        self.open_or_make()
    }

    /// Opens the archive, or makes it and its data directory.
    pub(crate) fn open_or_make(&self) -> anyhow::Result<Archive> {
        require_unserved(self.data)?;
        open::archive(self.config, self.data).map_err(explained)
    }

    /// Takes in what the crawls have kept since the archive was last fed.
    pub(crate) fn catch_up(&self, archive: &Archive) -> anyhow::Result<()> {
        // A data directory without crawls is not made into one with some.
        if !self.data.join("crawls").is_dir() {
            return Ok(());
        }
        let bar = Bar::new(self.quiet);
        let fed = open::catch_up(self.config, self.data, archive, &mut |feeding| self.look(&bar, feeding));
        bar.0.finish_and_clear();
        for feeding in fed.map_err(explained_feed)? {
            self.tell(&feeding, "took in");
        }
        self.tell_damaged()
    }

    /// Says what could not be taken in.
    fn tell_damaged(&self) -> anyhow::Result<()> {
        for Damaged { id, error } in Registry::open(self.data)?.look()?.damaged {
            if !self.quiet {
                let what = told::with_causes(&error);
                say(&format!("note: the crawl in crawls/{id} is passed over: {what}\n"));
            }
        }
        Ok(())
    }

    /// Makes what the archive holds of some crawls, or of all, anew.
    pub(crate) fn rebuild(&self, archive: &Archive, crawls: &[u32]) -> anyhow::Result<()> {
        let bar = Bar::new(self.quiet);
        let fed = open::rebuild(self.config, self.data, archive, crawls, &mut |feeding| self.look(&bar, feeding));
        bar.0.finish_and_clear();
        let fed = fed.map_err(explained_feed)?;
        if fed.is_empty() && !self.quiet {
            say(&format!("there is no crawl in {}; what was imported stays\n", self.data.display()));
        }
        for feeding in &fed {
            if feeding.documents == 0 && !feeding.in_use && !self.quiet {
                say(&format!("the crawl `{}` has kept no documents\n", feeding.name));
            }
            self.tell(feeding, "rebuilt");
        }
        self.tell_damaged()?;
        if fed.iter().any(|feeding| feeding.in_use) {
            let hint = Some("wait for it or stop it, and run this again".to_owned());
            return Err(Usage { message: "a crawl that runs cannot be rebuilt".to_owned(), hint }.into());
        }
        Ok(())
    }

    fn tell(&self, feeding: &Feeding, did: &str) {
        if self.quiet {
            return;
        }
        let Feeding { name, documents, in_use, .. } = feeding;
        if *in_use {
            say(&format!("note: the crawl `{name}` runs; what it finds is not in the archive yet\n"));
        } else if *documents > 0 {
            say(&format!("{did} {documents} documents of the crawl `{name}`\n"));
        }
    }

    /// Shows how far it is. What has been taken in is kept whenever this ends,
    /// so Ctrl-C may end it here.
    fn look(&self, bar: &Bar, feeding: &Feeding) {
        if self.interrupt.token.is_cancelled() {
            bar.0.finish_and_clear();
            say("error: stopped by Ctrl-C\nhint: what was taken in is kept; the next command goes on from there\n");
            std::process::exit(i32::from(CUT_SHORT));
        }
        bar.0.set_length(feeding.bytes_total);
        bar.0.set_position(feeding.bytes);
        bar.0.set_message(format!("crawl `{}`: {} documents", feeding.name, feeding.documents));
    }
}

/// Bytes of segments read, on a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new(quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let template = "{bar:24} {percent}% of {total_bytes} {wide_msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("a template of ours"));
        Self(bar)
    }
}

/// Tells what to do about an archive that cannot be opened.
pub(crate) fn explained(error: ArchiveError) -> anyhow::Error {
    let hint = match &error {
        ArchiveError::InUse(_) => {
            "a crawl, an endpoint or another command has it: wait for it or stop it; a running `lodeward endpoint` \
             answers queries meanwhile"
        }
        ArchiveError::Format { .. } => {
            "move its folder away and make it anew with `lodeward rebuild --all`: the crawls keep everything"
        }
        ArchiveError::Database(_) | ArchiveError::Corrupted(_) => {
            let hint = "if it is damaged: move its folder away and make it anew with `lodeward rebuild --all`, and import \
                        again what was imported; the crawls keep everything else";
            return anyhow::Error::new(Hinted { error: error.into(), hint: hint.to_owned() });
        }
        _ => return anyhow::Error::new(error),
    };
    anyhow::Error::new(Usage { message: error.to_string(), hint: Some(hint.to_owned()) })
}

fn explained_feed(error: FeedError) -> anyhow::Error {
    match error {
        FeedError::Archive(error) => explained(error),
        FeedError::Open(error @ OpenError::InUse(_)) => {
            anyhow::Error::new(Usage { message: error.to_string(), hint: Some("wait for it or stop it".to_owned()) })
        }
        error => anyhow::Error::new(error),
    }
}
