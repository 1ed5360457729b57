//! A place in the file system that a result goes to: a file that is replaced whole, or a pipe that is written through.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use super::{CliError, interrupt};
use crate::peer::Deadline;

/// How long a named pipe may be without a reader: the reader may be started beside us.
const READER: Duration = Duration::from_secs(10);
/// The pause between two looks for a reader.
const STEP: Duration = Duration::from_millis(10);
/// Links that may be followed from one to the next.
const LINKS: usize = 40;

/// Where a result goes.
pub(super) struct Destination {
    /// As the user wrote it.
    name: PathBuf,
    kind: Kind,
}

enum Kind {
    /// A file takes its place at this path only when it is whole.
    File(PathBuf),
    /// What stands there already is no regular file, and stays.
    Stream,
}

impl Destination {
    /// Tries whether a file can be written there, so that a wrong path shows before the run.
    ///
    /// # Errors
    /// The path is that of a folder, or nothing can be written there.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let kind = kind_of(path).map_err(|error| failed(path, &error))?;
        Ok(Self { name: path.to_owned(), kind })
    }

    /// Writes all of a result.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn finish(self, bytes: &[u8]) -> Result<(), CliError> {
        let written = match self.kind {
            Kind::File(path) => interrupt::whole(|| replace(&path, bytes)),
            Kind::Stream => write_through(&self.name, bytes),
        };
        written.map_err(|error| failed(&self.name, &error))
    }
}

fn failed(path: &Path, error: &io::Error) -> CliError {
    CliError::Output(match error.kind() {
        io::ErrorKind::IsADirectory => format!("{} is a folder; name a file", path.display()),
        _ => format!("{} cannot be written: {error}", path.display()),
    })
}

fn kind_of(path: &Path) -> io::Result<Kind> {
    let target = match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => return Ok(Kind::Stream),
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => followed(path)?,
    };
    // Not kept until it is needed: an interruption of the run would leave it there.
    interrupt::whole(|| file_beside(&target).map(drop))?;
    Ok(Kind::File(target))
}

/// A new file in the folder of the one that it will be.
fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".mcp-plumb-").tempfile_in(folder)
}

/// Where a link leads to when there is nothing at its end yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead nowhere"))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = file_beside(path)?;
    file.write_all(bytes)?;
    file.flush()?;
    // A report is for others to read, as any file of the user is.
    fs::set_permissions(file.path(), Permissions::from_mode(0o644))?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes to a pipe or a device. A reader that has gone away is no error.
fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut stream = open_stream(path)?;
    // Only the wait for a reader is ours to bound: the reader reads as fast as it can.
    let flags = rustix::fs::fcntl_getfl(&stream)?;
    rustix::fs::fcntl_setfl(&stream, flags - OFlags::NONBLOCK)?;
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Opens a pipe or a device, without waiting for ever for a reader of a named pipe.
fn open_stream(path: &Path) -> io::Result<File> {
    let is_pipe = fs::metadata(path)?.file_type().is_fifo();
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NONBLOCK);
    let deadline = Deadline::after(READER);
    loop {
        match options.open(path) {
            Err(error) if is_pipe && error.raw_os_error() == Some(libc::ENXIO) => {
                if deadline.passed() {
                    return Err(io::Error::other("nobody reads from this pipe"));
                }
                thread::park_timeout(STEP);
            }
            opened => return opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_followed_to_the_file_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("there")).unwrap();
        fs::write(at("there/old"), "old").unwrap();
        symlink("there/old", at("to-old")).unwrap();
        symlink("there/new", at("to-new")).unwrap();
        symlink("to-new", at("to-link")).unwrap();
        for (link, end) in [("to-old", "there/old"), ("to-new", "there/new"), ("to-link", "there/new")] {
            Destination::open(&at(link)).unwrap().finish(link.as_bytes()).unwrap();
            assert!(at(link).is_symlink(), "{link}");
            assert_eq!(fs::read_to_string(at(end)).unwrap(), link);
        }
        assert_eq!(fs::read_dir(at("there")).unwrap().count(), 2);
    }

    #[test]
    fn links_in_a_circle_and_folders_behind_links_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        symlink(".", at("here")).unwrap();
        let refused = |name: &str| Destination::open(&at(name)).err().map(|error| error.to_string()).unwrap();
        assert!(refused("a").ends_with("its links lead nowhere"), "{}", refused("a"));
        assert!(refused("here").ends_with("is a folder; name a file"), "{}", refused("here"));
    }
}
