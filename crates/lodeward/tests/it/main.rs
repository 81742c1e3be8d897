//! Integration tests: the public interface against test suites and generated webs, in virtual
//! time and over loopback sockets.
#![expect(clippy::print_stdout, reason = "suites print their results, and why they were skipped")]

mod in_process;
mod generated_worlds;
mod repeated_requests;
mod settle_batches;
mod shared_politeness;
mod hops;
mod redirects;
mod disk_space;
mod end_progress;
mod run_limits;

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

mod fuzz_smoke;
