//! Figures computed from ledgers (docs/algorithms.md §2c).

pub mod baseline;
pub mod calibration;
pub mod classes;
pub mod figures;
pub mod harvest;
pub mod spread;

pub use baseline::EvalBaseline;
pub use calibration::CalibrationCurve;
pub use classes::ClassConfusion;
pub use figures::{BudgetFigures, TrialFigures};
pub use harvest::{HarvestCounts, HarvestedDocument, LedgerHarvest};
pub use spread::SeedSpread;
