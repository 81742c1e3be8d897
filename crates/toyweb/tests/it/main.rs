//! Tests through sockets, files and the command line.

mod cli;
mod entities;
mod http_client;
mod replay;
mod serve;
