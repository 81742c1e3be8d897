//! The application around the crawler library: its data directory, its settings, and its use cases.
//!
//! The command line and the service use the same functions of this crate. It takes and returns
//! plain data; it prints nothing and serves no HTTP.

pub mod atomic_file;
pub mod output_file;
pub mod display_text;
mod local_file;
mod quarantine;
pub mod seed_note;
pub mod json_file;
pub mod live;
pub mod prefixes;
pub mod provenance;
pub mod settings;
pub mod data_dir;
pub mod crawl_lock;
pub mod damage_record;
pub mod disk_space;
pub mod removal_list;
pub mod pause;
pub mod followers;
pub mod entity;
pub mod terms;
pub mod crawl_dir;
pub mod catch_up;
pub mod federation;
pub mod seeds;
pub mod review;
#[cfg(feature = "search")]
pub mod search;
pub mod model_store;
pub mod compare;
pub mod crawl_change;
pub mod crawl_log;
pub mod assemble;
pub mod domains;
pub mod explain;
pub mod failed_seeds;
pub mod forecast;
pub mod file_export;
pub mod graph_export;
pub mod deletion;
pub mod import;
pub mod request_logs;
pub mod backup;
pub mod repair;
pub mod removal;
pub mod report;
mod notification;
pub mod series;
pub mod session;
