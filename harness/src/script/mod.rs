//! What we do to a peer, step by step: the model of a script, and the case files that hold it.

mod convert;
mod convert_step;
mod excerpt;
mod file;
mod json;
mod like;
mod like_parse;
mod lint;
mod load;
mod model;
mod playable;
mod print;
mod sendable;
mod template;
mod vars;

pub use excerpt::{Excerpt, LoadError};
pub(crate) use json::text_of as json_of;
pub use like::{Match, Pattern};
pub use like_parse::PatternError;
pub use lint::{LintError, Problem, Weight, lint};
pub use load::{embedded, load, load_dir, load_file, load_own};
pub use model::{
    Action, Bytes, CaseId, Channel, Cut, Delivery, Like, Need, On, Outcome, Prelude, Reply, Script, Signal, Step,
};
pub use print::print;
pub use template::TemplateError;
pub use vars::{Bindings, Source, expand, expand_bytes, literal};
