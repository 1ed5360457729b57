//! The files that people write beside their servers: `plumb.toml`, a baseline and a rubric.
//!
//! Here are their forms, what is checked when they are read, and errors that show the place. What they ask for is done
//! elsewhere.

mod baseline;
mod plumb;
mod rubric;
mod source;
mod step;
mod value;

pub use baseline::{Accept, BaselineFile, RevisionScope};
pub use plumb::{Placeholder, PlumbFile, Server, Settings, Skip};
pub use rubric::{CommandFor, Credit, Item, RubricFile, Texts};
pub use source::ConfigError;
pub use step::{Answers, Exchange, JsonStep, Run, Sqlite, Stderr, Step};
pub use value::{Date, Expression, Glob, Like, NotEmpty, Version};
