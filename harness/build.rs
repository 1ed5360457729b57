//! Rebuilds the harness when a case is added or removed: the macro that embeds the folder notices changed files only.

fn main() {
    println!("cargo::rerun-if-changed=../cases");
}
