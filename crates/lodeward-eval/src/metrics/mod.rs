//! What ledgers tell (SELECTION-STUDY §1).

pub mod calibration;
pub mod classes;
pub mod figures;
pub mod harvest;
pub mod spread;

pub use calibration::Calibration;
pub use classes::Classes;
pub use figures::{AtBudget, Figures};
pub use harvest::{Counts, Harvest, Harvested};
pub use spread::Spread;
