//! A pseudo-terminal in which the binary runs, and its screen.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The size of the terminal.
pub(crate) const ROWS: u16 = 24;
pub(crate) const COLUMNS: u16 = 100;

/// A command that runs in a terminal.
pub(crate) struct TerminalRun {
    child: Child,
    output: File,
    screen: vt100::Parser,
}

impl TerminalRun {
    /// Starts a command whose input, output and errors are the terminal.
    pub(crate) fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let terminal = terminal.unwrap();
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).unwrap();
        let stdio = || Stdio::from(terminal.try_clone().unwrap());
        let child = command.env("TERM", "xterm").stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
        Self { child, output: File::from(master), screen: vt100::Parser::new(ROWS, COLUMNS, 1_000) }
    }

    /// Reads some output; `false` after the last one.
    pub(crate) fn read(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        // When the last process has closed the terminal, reading is an error.
        match self.output.read(&mut bytes) {
            Ok(length) if length > 0 => {
                self.screen.process(&bytes[..length]);
                true
            }
            _ => false,
        }
    }

    /// The text on the screen.
    pub(crate) fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits for the end of the command.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}
