//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod backups;
mod bounds;
mod candidates;
mod cathedral;
mod crawls;
mod damage;
mod documents;
mod door;
mod downloads;
mod duraark;
mod events;
mod export;
mod facade;
mod health;
mod house;
mod imports;
mod inward;
mod people;
mod python;
mod reference;
mod schemathesis;
mod secrets;
mod server;
mod sparql;
mod templates;
mod wait;
mod waits;
mod wrongly;
