//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod cathedral;
mod crawls;
mod door;
mod duraark;
mod events;
mod facade;
mod health;
mod house;
mod imports;
mod inward;
mod people;
mod python;
mod schemathesis;
mod secrets;
mod templates;
mod wait;
