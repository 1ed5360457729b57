//! Reports: each format is a function of the log alone, one file each.

mod json;
mod layout;
mod target;
mod text;

pub use json::{Report, Summary};
pub(crate) use layout::{WIDTH, wrap};
pub use target::{Format, Target, TargetError};
pub use text::{Detail, text};
