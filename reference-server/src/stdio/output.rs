//! Threads that write, so that a pipe which nobody reads blocks nobody else.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many bytes of log may wait for a reader. Stderr is a courtesy: what does not fit is dropped.
const LOG_BACKLOG: usize = 8 << 20;

/// How many bytes of answers may wait for a reader before no more requests are read. It is much, for the sake of
/// clients that write all that they have to say before they read a word.
const BACKLOG: usize = 64 << 20;

/// How many chunks of input may be on their way to the server.
const CHUNKS: usize = 2;

/// The most that is given to the pipe at once. A pipe rarely takes more, and each write is a sign of life.
const PIECE: usize = 64 << 10;

/// Messages on their way to stdout.
pub(crate) struct Output {
    shared: Arc<Shared>,
    pulse: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is not written yet.
    waiting: Vec<u8>,
    /// How many bytes the writer has taken and not written.
    taken: usize,
    /// How many chunks of input were admitted and not handled.
    chunks: usize,
    /// Nothing more will come, or nobody reads any more.
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let guard = self.changed.wait_while(self.lock(), |state| condition(state));
        guard.unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl Output {
    /// Starts the writer. Where the other end is gone it calls `broken`, and drops the rest.
    pub(crate) fn start(to: impl Write + Send + 'static, broken: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let (beat, pulse) = mpsc::sync_channel(1);
        let writer = Arc::clone(&shared);
        thread::Builder::new().name("writer".into()).spawn(move || {
            if write(to, &writer, &beat).is_err() {
                writer.change(|state| state.over = true);
                broken();
            }
        })?;
        Ok(Self { shared, pulse })
    }

    /// Has whole lines written, after all earlier ones. What waits together leaves together.
    pub(crate) fn send(&self, lines: &[u8]) {
        // The writer stops where nobody reads any more; then there is nobody to tell.
        self.shared.change(|state| {
            if !state.over {
                state.waiting.extend_from_slice(lines);
            }
        });
    }

    /// How many bytes wait for a reader.
    fn backlog(&self) -> usize {
        let state = self.shared.lock();
        state.waiting.len() + state.taken
    }

    /// What the reader has to ask before it reads on.
    pub(crate) fn intake(&self) -> Intake {
        Intake(Arc::clone(&self.shared))
    }

    /// Learns that a chunk of input was handled.
    pub(crate) fn handled(&self) {
        self.shared.change(|state| state.chunks = state.chunks.saturating_sub(1));
    }

    /// Waits until everything is written, or until nothing was taken from us for a while.
    pub(crate) fn finish(self, patience: Duration) {
        self.shared.change(|state| state.over = true);
        wait(&self.pulse, patience);
    }
}

/// Keeps input from coming faster than output goes, so that memory stays bounded.
pub(crate) struct Intake(Arc<Shared>);

impl Intake {
    /// Waits until there is room for the answers to one more chunk.
    pub(crate) fn admit(&self) {
        let full = |state: &State| state.chunks >= CHUNKS || state.waiting.len() + state.taken > BACKLOG;
        self.0.wait_while(|state| !state.over && full(state)).chunks += 1;
    }
}

/// Writes what comes until nothing more will.
fn write(mut to: impl Write, shared: &Shared, beat: &SyncSender<()>) -> io::Result<()> {
    let mut lines = Vec::new();
    loop {
        let mut state = shared.wait_while(|state| !state.over && state.waiting.is_empty());
        if state.waiting.is_empty() {
            return Ok(());
        }
        lines.clear();
        std::mem::swap(&mut lines, &mut state.waiting);
        state.taken = lines.len();
        drop(state);
        shared.changed.notify_all();
        let mut rest = lines.as_slice();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_of(rest));
            to.write_all(piece)?;
            to.flush()?;
            rest = after;
            shared.change(|state| state.taken = rest.len());
            let _ = beat.try_send(());
        }
        lines.shrink_to(PIECE);
    }
}

/// How much of the lines to write at once: as many whole ones as fit, or a part of one that does not.
fn piece_of(lines: &[u8]) -> usize {
    match lines.get(..PIECE) {
        None => lines.len(),
        Some(piece) => piece.iter().rposition(|byte| *byte == b'\n').map_or(PIECE, |end| end + 1),
    }
}

/// Lines on their way to stderr.
pub(crate) struct Log {
    output: Output,
    /// How many lines were dropped since one was not.
    dropped: usize,
}

impl Log {
    /// Starts the thread that writes the log.
    pub(crate) fn start(to: impl Write + Send + 'static) -> io::Result<Self> {
        Ok(Self { output: Output::start(Courtesy(to), || {})?, dropped: 0 })
    }

    /// Has whole lines written, unless too much waits for the reader. One who reads again is told what was missed.
    pub(crate) fn send(&mut self, lines: &str) {
        if self.output.backlog() + lines.len() > LOG_BACKLOG {
            self.dropped += lines.lines().count();
            return;
        }
        if self.dropped > 0 {
            let told = format!("mcp-reference-server: nobody read this, so {} lines are missing here\n", self.dropped);
            self.output.send(told.as_bytes());
            self.dropped = 0;
        }
        self.output.send(lines.as_bytes());
    }

    /// Waits until everything is written, or until nothing was taken from us for a while.
    pub(crate) fn finish(self, patience: Duration) {
        self.output.finish(patience);
    }
}

/// Somewhere to write what nobody has to read: a failure is no news.
struct Courtesy<W>(W);

impl<W: Write> Write for Courtesy<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Ok(0) | Err(_) => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

/// Waits for a thread that gives a sign after each line, and drops its side of the channel when it ends. One that
/// hangs on a full pipe gives no sign, and is left to the end of the process.
fn wait(pulse: &Receiver<()>, patience: Duration) {
    while pulse.recv_timeout(patience).is_ok() {}
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// What was written, write by write.
    type Writes = Arc<Mutex<Vec<Vec<u8>>>>;

    /// Remembers each write, once it is let.
    struct Pipe {
        gate: Receiver<()>,
        written: Writes,
    }

    impl Pipe {
        fn new() -> (Self, Sender<()>, Writes) {
            let (open, gate) = mpsc::channel();
            let written = Writes::default();
            (Self { gate, written: Arc::clone(&written) }, open, written)
        }
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.written.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_wait_together_leave_together_and_in_order() {
        let (pipe, open, written) = Pipe::new();
        let output = Output::start(pipe, || panic!("the pipe is whole")).unwrap();
        output.send(b"one\n");
        // The writer has taken the first line when it no longer waits; it can't write it yet.
        drop(output.shared.wait_while(|state| !state.waiting.is_empty()));
        output.send(b"two\n");
        output.send(b"three\nfour\n");
        open.send(()).unwrap();
        open.send(()).unwrap();
        output.finish(LONG);
        assert_eq!(*written.lock().unwrap(), [b"one\n".as_slice(), b"two\nthree\nfour\n"]);
    }

    #[test]
    fn much_leaves_in_pieces_of_whole_lines() {
        let line = [vec![b'x'; 999], vec![b'\n']].concat();
        let lines = line.repeat(200);
        assert_eq!(piece_of(&lines), PIECE / 1000 * 1000);
        assert_eq!(piece_of(&line), 1000);
        assert_eq!(piece_of(&vec![b'x'; 2 * PIECE]), PIECE);
    }

    #[test]
    fn a_broken_pipe_is_told_once() {
        let (pipe, open, _) = Pipe::new();
        let (told, news) = mpsc::channel();
        let output = Output::start(pipe, move || told.send(()).unwrap()).unwrap();
        drop(open);
        output.send(b"one\n");
        assert_eq!(news.recv_timeout(LONG), Ok(()));
        output.send(b"two\n");
        assert!(output.shared.lock().waiting.is_empty());
        output.finish(LONG);
    }

    #[test]
    fn input_waits_for_output_and_for_being_handled() {
        let (pipe, open, _) = Pipe::new();
        let output = Output::start(pipe, || panic!("the pipe is whole")).unwrap();
        let (admitted, news) = mpsc::channel();
        let intake = output.intake();
        let reader = thread::spawn(move || {
            for chunk in 0..5 {
                intake.admit();
                admitted.send(chunk).unwrap();
            }
        });
        for chunk in 0..CHUNKS {
            assert_eq!(news.recv_timeout(LONG), Ok(chunk));
        }
        output.send(&vec![b'x'; BACKLOG + 1]);
        output.handled();
        output.handled();
        assert!(news.try_recv().is_err());
        for _ in 0..=BACKLOG / PIECE + 1 {
            open.send(()).unwrap();
        }
        for chunk in [2, 3] {
            assert_eq!(news.recv_timeout(LONG), Ok(chunk));
        }
        output.finish(LONG);
        assert_eq!(news.recv_timeout(LONG), Ok(4), "at the end nobody has to wait");
        reader.join().unwrap();
    }

    #[test]
    fn a_pipe_that_nobody_reads_holds_up_no_log_and_no_end() {
        let (pipe, open, written) = Pipe::new();
        let mut log = Log::start(pipe).unwrap();
        let line = format!("{}\n", "x".repeat(LOG_BACKLOG / 4));
        for _ in 0..8 {
            log.send(&line);
        }
        assert!(log.output.backlog() <= LOG_BACKLOG);
        log.finish(Duration::from_millis(1));
        assert!(written.lock().unwrap().is_empty());
        drop(open);
    }

    #[test]
    fn a_log_that_is_read_misses_no_line_and_one_that_is_read_again_says_what_it_misses() {
        let (pipe, open, written) = Pipe::new();
        let mut log = Log::start(pipe).unwrap();
        let line = format!("{}\n", "x".repeat(1023));
        for _ in 0..LOG_BACKLOG / line.len() {
            log.send(&line);
        }
        log.send("one\ntwo\n");
        log.send("three\n");
        // It takes no more writes than there are lines.
        for _ in 0..LOG_BACKLOG / line.len() {
            open.send(()).unwrap();
        }
        drop(log.output.shared.wait_while(|state| state.waiting.len() + state.taken > 0));
        log.send("four\n");
        open.send(()).unwrap();
        log.finish(LONG);
        let written = written.lock().unwrap().concat();
        assert!(written.starts_with(line.repeat(LOG_BACKLOG / line.len()).as_bytes()));
        let rest = String::from_utf8_lossy(&written[LOG_BACKLOG..]).into_owned();
        assert_eq!(rest, "mcp-reference-server: nobody read this, so 3 lines are missing here\nfour\n");
    }

    #[test]
    fn a_log_that_can_not_be_written_is_no_news() {
        let (pipe, open, _) = Pipe::new();
        drop(open);
        let mut log = Log::start(pipe).unwrap();
        log.send("one\n");
        log.finish(LONG);
    }
}
