//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod backups;
mod cathedral;
mod crawls;
mod duraark;
mod events;
mod facade;
mod health;
mod house;
mod imports;
mod python;
mod server;
mod templates;
mod wait;
