//! The real binary: what people see, and whole crawls over loopback sockets.

mod archive;
mod candidates;
mod command_line;
mod crawls;
mod desk;
mod duraark;
mod endpoint;
mod entity_web;
mod focus;
mod harvest;
mod ldspider;
mod model;
mod papers;
mod queries;
mod seeds;
mod serve;
mod served;
mod service_survival;
mod survival;
mod users;
mod web;
mod refresh;
