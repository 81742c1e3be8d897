//! What is tested from outside: the public interface, against suites and over
//! loopback sockets.

mod http;
mod loopback;
mod circle;
mod in_process;
mod robots;
mod warc;
