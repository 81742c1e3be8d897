//! The service over real sockets, in this process, and the web in a box that its
//! crawls visit.

mod cathedral;
mod duraark;
mod facade;
mod health;
mod house;
mod imports;
mod python;
