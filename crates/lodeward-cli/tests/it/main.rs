//! Tests of the real binary: its output, and whole crawls over loopback sockets.

mod archive;
mod candidates;
mod command_line;
mod crawls;
mod damage;
mod duraark;
mod endpoint;
mod entity_web;
mod faults;
mod focus;
mod harvest;
mod ldspider;
mod model;
mod quarantine;
mod queries;
mod refresh;
mod remembered_settings;
mod running_service;
mod sandbox;
mod seeds;
mod serve;
mod service_survival;
mod survival;
mod terminal_text;
mod users;
mod web;
