//! The thread that writes stdout as the layer of bytes has it.

use std::io::{self, Write};
use std::process;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::bytes::{Bytes, Flow};

/// How long a newline is late.
const MOMENT: Duration = Duration::from_millis(20);

/// How a process ends on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It exits with this code.
    Exit(i32),
    /// It dies of a signal.
    Abort,
}

impl Ending {
    fn perform(self) -> ! {
        match self {
            Self::Exit(code) => process::exit(code),
            Self::Abort => process::abort(),
        }
    }
}

/// Something for the thread to do.
enum Parcel {
    Line(Vec<u8>),
    End(Ending),
    Drain(Sender<()>),
}

/// The way to the thread. It takes everything at once, whether or not anybody reads.
#[derive(Debug, Clone)]
pub(crate) struct Outlet(Sender<Parcel>);

impl Outlet {
    /// Starts the thread.
    pub(crate) fn start(to: impl Write + Send + 'static, changes: Vec<&'static Bytes>) -> io::Result<Self> {
        let (sender, parcels) = mpsc::channel();
        let pipe = Pipe::new(to, changes);
        thread::Builder::new().name("pipe".into()).spawn(move || pipe.run(&parcels))?;
        Ok(Self(sender))
    }

    /// Has a line written, which is given without its line feed.
    pub(crate) fn line(&self, line: Vec<u8>) -> io::Result<()> {
        self.0.send(Parcel::Line(line)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Ends the process when all is written.
    pub(crate) fn end(&self, ending: Ending) -> ! {
        if self.0.send(Parcel::End(ending)).is_err() {
            ending.perform();
        }
        loop {
            thread::park();
        }
    }

    /// Waits until all is written, for as long as that takes.
    pub(crate) fn drain(&self) {
        let (done, closed) = mpsc::channel();
        if self.0.send(Parcel::Drain(done)).is_ok() {
            let _ = closed.recv();
        }
    }
}

/// The writing side of the layer of bytes.
pub(super) struct Pipe<W> {
    to: W,
    changes: Vec<&'static Bytes>,
    flow: Flow,
    written: usize,
    held: Vec<u8>,
}

impl<W: Write> Pipe<W> {
    pub(super) fn new(to: W, changes: Vec<&'static Bytes>) -> Self {
        let flow = changes.iter().rev().find_map(|change| match change {
            Bytes::Flow(flow) => Some(*flow),
            _ => None,
        });
        Self { to, changes, flow: flow.unwrap_or(Flow::AtOnce), written: 0, held: Vec::new() }
    }

    /// Does what comes, until nobody reads any more.
    fn run(mut self, parcels: &Receiver<Parcel>) -> io::Result<()> {
        self.open()?;
        for parcel in parcels {
            match parcel {
                Parcel::Line(line) => self.line(line)?,
                Parcel::End(ending) => {
                    // It ends, whether or not anybody still reads.
                    let _ = self.drain();
                    ending.perform();
                }
                Parcel::Drain(done) => {
                    self.drain()?;
                    // Who asked may have gone.
                    let _ = done.send(());
                }
            }
        }
        Ok(())
    }

    pub(super) fn open(&mut self) -> io::Result<()> {
        let openings = self.changes.iter().filter_map(|change| match change {
            Bytes::Opening(bytes) => Some(*bytes),
            _ => None,
        });
        let opening = openings.collect::<Vec<_>>().concat();
        if opening.is_empty() { Ok(()) } else { self.release(&opening) }
    }

    pub(super) fn line(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        for change in &self.changes {
            if let Bytes::Line(change) = change {
                line = change(line.strip_suffix(b"\n").unwrap_or(&line), self.written);
            }
        }
        self.written += 1;
        self.release(&line)
    }

    fn release(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.flow {
            Flow::AtOnce => self.write(bytes),
            Flow::AtEnd => {
                self.held.extend_from_slice(bytes);
                Ok(())
            }
            Flow::Blocks(size) => {
                self.held.extend_from_slice(bytes);
                let whole = self.held.len() / size * size;
                let blocks: Vec<u8> = self.held.drain(..whole).collect();
                if blocks.is_empty() { Ok(()) } else { self.write(&blocks) }
            }
            Flow::Singly => bytes.iter().try_for_each(|byte| self.write(&[*byte])),
            Flow::Halves => {
                let (one, other) = bytes.split_at(bytes.len() / 2);
                self.write(one)?;
                self.write(other)
            }
            Flow::LateNewline => {
                let (message, newline) = bytes.split_at(bytes.len().saturating_sub(1));
                self.write(message)?;
                thread::sleep(MOMENT);
                self.write(newline)
            }
        }
    }

    pub(super) fn drain(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.write(&held)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands on the wire after each line, and in the end.
    fn wire(changes: Vec<&'static Bytes>, lines: &[&str]) -> Vec<String> {
        let mut pipe = Pipe::new(Vec::new(), changes);
        pipe.open().unwrap();
        let mut seen = Vec::new();
        for line in lines {
            pipe.line(line.as_bytes().to_vec()).unwrap();
            seen.push(String::from_utf8(pipe.to.clone()).unwrap());
        }
        pipe.drain().unwrap();
        seen.push(String::from_utf8(pipe.to).unwrap());
        seen
    }

    #[test]
    fn without_changes_lines_are_written_at_once() {
        assert_eq!(wire(Vec::new(), &["a", "b"]), ["a\n", "a\nb\n", "a\nb\n"]);
    }

    #[test]
    fn changes_of_lines_are_done_in_turn() {
        static OPENING: Bytes = Bytes::Opening(b"hello\n");
        static GLUED: Bytes = Bytes::Line(|line, number| [number.to_string().as_bytes(), line, b"\n"].concat());
        static CRLF: Bytes = Bytes::Line(|line, _| [line, b"\r\n"].concat());
        assert_eq!(wire(vec![&GLUED, &OPENING, &CRLF], &["a", "b"])[2], "hello\n0a\r\n1b\r\n");
    }

    #[test]
    fn lines_may_wait() {
        assert_eq!(wire(vec![&Bytes::Flow(Flow::AtEnd)], &["a", "b"]), ["", "", "a\nb\n"]);
        assert_eq!(wire(vec![&Bytes::Flow(Flow::Blocks(3))], &["a", "b"]), ["", "a\nb", "a\nb\n"]);
        for flow in [&Bytes::Flow(Flow::Singly), &Bytes::Flow(Flow::Halves), &Bytes::Flow(Flow::LateNewline)] {
            assert_eq!(wire(vec![flow], &["a"]), ["a\n", "a\n"]);
        }
    }
}
