//! The web in a box as a visitor meets it: through sockets and files.

mod cli;
mod entities;
mod replay;
mod serve;
mod visitor;
