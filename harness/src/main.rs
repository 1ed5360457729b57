//! The `mcp-plumb` binary.
fn main() {}
