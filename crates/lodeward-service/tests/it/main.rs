//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod backups;
mod cathedral;
mod crawls;
mod downloads;
mod duraark;
mod events;
mod export;
mod facade;
mod health;
mod house;
mod imports;
mod python;
mod reference;
mod server;
mod sparql;
mod templates;
mod wait;
