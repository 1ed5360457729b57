//! What an interruption leaves behind: whole files or none, and one sentence that says which.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::output;

/// How far the results of the run are.
static STAGE: Mutex<Stage> = Mutex::new(Stage::Judging);

#[derive(Clone, Copy)]
enum Stage {
    /// Nothing is written yet.
    Judging,
    /// Results are going out.
    Writing,
}

/// Does something of which an interruption must see nothing or all.
pub(super) fn whole<T>(step: impl FnOnce() -> T) -> T {
    let _held = stage();
    step()
}

/// Notes that results go out from now on.
pub(super) fn writing() {
    *stage() = Stage::Writing;
}

/// Stops every result that has not begun to go out, for good. Says what the interruption leaves.
#[must_use]
pub fn interrupted() -> &'static str {
    let stage = stage();
    let left = match *stage {
        Stage::Judging => "interrupted; nothing was written",
        Stage::Writing => "interrupted while the results were written; some may be missing",
    };
    output::end_progress(false);
    // Never given back: what still wants to write waits until the process is gone.
    mem::forget(stage);
    left
}

fn stage() -> MutexGuard<'static, Stage> {
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}
