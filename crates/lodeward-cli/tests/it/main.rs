//! The real binary: what people see, and whole crawls over loopback sockets.

mod command_line;
mod crawls;
mod survival;
mod web;
