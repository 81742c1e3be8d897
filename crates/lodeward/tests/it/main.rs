//! What is tested from outside: the public interface, against suites and over
//! loopback sockets.

mod http;
mod loopback;
mod robots;
mod warc;
