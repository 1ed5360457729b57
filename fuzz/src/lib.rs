//! Oracles for the fuzz targets, each an ordinary function that also runs in plain tests.
//!
//! An oracle takes any bytes, panics where a property is broken, and says whether the bytes put it to the test: an
//! oracle that turns everything away proves nothing.

pub mod frame_chunks;

#[cfg(test)]
mod tests;
