//! The storage of the archive, from outside: what is put in comes out, whatever
//! happens in between.

mod bulk;
mod collections;
mod damage;
mod dump;
mod fixture;
mod formats;
mod model;
mod snapshots;
mod space;
mod survival;
