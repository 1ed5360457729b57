//! Glue for the oracle of the same name.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    mcp_plumb_fuzz::frame_chunks::run(input);
});

#[cfg(not(fuzzing))]
fn main() {}
