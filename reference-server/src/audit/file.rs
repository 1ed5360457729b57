//! The file that the audit log is appended to.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// A file to which lines are appended, by this process and perhaps by others.
///
/// A line goes out in one write at the end of the file, wherever that is by then, so that lines of two processes do
/// not mix, and a process that is killed leaves all its lines whole but perhaps the last.
#[derive(Debug)]
pub(crate) struct AuditFile {
    path: PathBuf,
    file: Option<File>,
}

impl AuditFile {
    /// The file of that name. It is made where it is missing.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// The file's name, for people.
    pub(crate) fn name(&self) -> impl Display {
        self.path.display()
    }

    /// Opens the file, unless it is open. One that can't be opened may be tried again.
    pub(crate) fn open(&mut self) -> io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            empty => Ok(empty.insert(open(&self.path)?)),
        }
    }

    /// Appends a line, which ends with its line feed.
    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let written = self.open()?.write(line);
        let error = match written {
            Ok(size) if size == line.len() => return Ok(()),
            Ok(_) => io::Error::new(io::ErrorKind::WriteZero, "only a part of a line could be written"),
            Err(error) => error,
        };
        // To open it again is to see to it that what was written of this line does not spoil the next.
        self.file = None;
        Err(error)
    }
}

fn open(path: &PathBuf) -> io::Result<File> {
    // To open a pipe would wait for its reader, so look first.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if ends_in_a_line(path).is_ok_and(|whole| !whole) {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Whether whoever wrote the file before us has ended his last line.
fn ends_in_a_line(path: &PathBuf) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
