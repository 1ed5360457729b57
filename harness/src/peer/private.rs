//! Folders that only one peer uses: its home, and where it may put what is temporary.

use std::collections::BTreeSet;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, io, mem};

use super::events::lock;

/// The private directories: the variable that names each, and its name below the private root.
const PRIVATE: [(&str, &str); 7] = [
    ("HOME", "home"),
    ("TMPDIR", "tmp"),
    ("XDG_CACHE_HOME", "home/.cache"),
    ("XDG_CONFIG_HOME", "home/.config"),
    ("XDG_DATA_HOME", "home/.local/share"),
    ("XDG_STATE_HOME", "home/.local/state"),
    ("XDG_RUNTIME_DIR", "run"),
];
/// The directory in which the peer starts.
const WORK: &str = "work";

/// The roots that are there now, for an end of the process that drops nothing; `None` once that has come.
static ROOTS: Mutex<Option<BTreeSet<PathBuf>>> = Mutex::new(Some(BTreeSet::new()));

/// The directories of one peer. Dropping it removes them.
#[derive(Debug)]
pub(super) struct PrivateDirs(PathBuf);

impl PrivateDirs {
    /// Makes the directories.
    pub(super) fn new() -> io::Result<Self> {
        let mut roots = lock(&ROOTS);
        let roots = roots.as_mut().ok_or_else(|| io::Error::other("the run is being ended"))?;
        let root = tempfile::Builder::new().prefix("mcp-plumb-").tempdir()?;
        let mut builder = fs::DirBuilder::new();
        // The runtime directory must be open to its owner only; the others do not mind.
        builder.recursive(true).mode(0o700);
        for path in PRIVATE.into_iter().map(|(_, path)| path).chain([WORK]) {
            builder.create(root.path().join(path))?;
        }
        let root = root.keep();
        roots.insert(root.clone());
        Ok(Self(root))
    }

    /// The variables that name them.
    pub(super) fn vars(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        PRIVATE.into_iter().map(|(name, path)| (name, self.0.join(path)))
    }

    /// The directory in which the peer starts.
    pub(super) fn work(&self) -> PathBuf {
        self.0.join(WORK)
    }
}

impl Drop for PrivateDirs {
    fn drop(&mut self) {
        // Removed under the lock: an end of the process waits for a removal that has begun.
        let mut roots = lock(&ROOTS);
        if roots.as_mut().is_some_and(|roots| roots.remove(&self.0)) {
            remove(&self.0);
        }
    }
}

/// Removes the directories of all peers, and lets no new ones be made.
pub(super) fn remove_all() {
    let mut roots = lock(&ROOTS);
    mem::take(&mut *roots).iter().flatten().for_each(|root| remove(root));
}

fn remove(root: &Path) {
    // What cannot be removed is no reason not to end.
    let _ = fs::remove_dir_all(root);
}
