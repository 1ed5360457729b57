//! Takes time in steps, so that a client hears how far it is and can end it.

use std::time::Duration;

use crate::job::{Caller, Stop, World};

/// How many times a long wait tells how far it is.
const STEPS: u64 = 10;

/// Lets time pass, in steps of a whole number of milliseconds, so that each step's progress is greater than the last.
pub(super) fn pass(total: u64, world: &World, caller: &mut Caller<'_>) -> Result<(), Stop> {
    let steps = STEPS.min(total);
    let mut done = 0;
    for step in 1..=steps {
        let reached = total * step / steps;
        world.clock.pause(Duration::from_millis(reached - done), caller.cancel());
        if caller.cancel().is_cancelled() {
            return Err(format!("cancelled after about {done} ms").into());
        }
        done = reached;
        caller.advance(done, total);
    }
    Ok(())
}
