//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod candidates;
mod cathedral;
mod crawls;
mod documents;
mod duraark;
mod events;
mod facade;
mod health;
mod house;
mod imports;
mod inward;
mod python;
mod templates;
mod wait;
