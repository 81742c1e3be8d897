//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod crawls;
mod events;
mod health;
mod house;
mod python;
mod templates;
mod wait;
