//! The archive behind HTTP, asked as clients ask.

mod exchange;
mod graph_store;
mod manifest;
mod manners;
mod prose;
mod queries;
