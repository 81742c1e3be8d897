//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod door;
mod health;
mod house;
mod people;
mod python;
mod secrets;
