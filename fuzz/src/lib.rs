//! Oracles for the fuzz targets, each an ordinary function that also runs in plain tests.
