//! A linked-data crawler, as a circle of rooms.
//!
//! ```text
//!                seed
//!                  │
//!                  ▼
//!     ┌──────── frontier ◀───────────── offer ────────────┐
//!     │ lease      ▲                                      │
//!     ▼            └──────── settle ────────┐             │
//!   judge ──────▶ fetch ─────▶ extract ─────┴──▶ place ───┘
//!     ▲          └── beside the conductor ─┘│
//!     │                                     └──▶ store
//!     └──────────── learn ──────────────────┘
//! ```
//!
//! Each room is a module, declared below in the order in which a URI passes
//! through them. `ARCHITECTURE.md` tells what each promises.

pub mod model;

pub mod seed;
pub mod frontier;
pub mod rank;
pub mod select;
pub mod fetch;
pub mod extract;
pub mod discover;
pub mod provenance;
pub mod store;

pub mod engine;

pub mod durable;
pub mod told;
pub mod registry;
pub mod config;
pub mod open;
pub mod backup;
