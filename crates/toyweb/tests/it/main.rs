//! The web in a box as a visitor meets it: through sockets and files.

mod serve;
mod visitor;
