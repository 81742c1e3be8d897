//! What is tested from outside: the public interface, against suites and whole
//! webs, in virtual time and over loopback sockets.
#![expect(clippy::print_stdout, reason = "suites say what they did, and why they were skipped")]

mod in_process;
mod circle;
mod manners;
mod hops;
mod focus;

mod loopback;
mod orca;
mod catalogues;
mod http;
mod warc;
mod robots;

mod suites;
mod wpt;
mod pages;
mod resume;

mod following;
mod refresh;
mod fuzz_smoke;
