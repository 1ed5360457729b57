//! Threads that write, so that a pipe which nobody reads blocks nobody else.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::Duration;

/// The most log lines that wait for a reader. Stderr is a courtesy: what does not fit is dropped.
const LOG_LINES: usize = 1024;

/// Lines on their way to stdout.
pub(crate) struct Output {
    lines: Sender<Vec<u8>>,
    pulse: Receiver<()>,
}

impl Output {
    /// Starts the writer. Where the other end is gone it calls `broken`, and drops the rest.
    pub(crate) fn start(
        mut to: impl Write + Send + 'static,
        broken: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let (lines, queue) = mpsc::channel::<Vec<u8>>();
        let (beat, pulse) = mpsc::sync_channel(1);
        thread::Builder::new().name("writer".into()).spawn(move || {
            for line in queue {
                if to.write_all(&line).and_then(|()| to.flush()).is_err() {
                    return broken();
                }
                let _ = beat.try_send(());
            }
        })?;
        Ok(Self { lines, pulse })
    }

    /// Has a line written, whole, after all earlier ones.
    pub(crate) fn send(&self, line: Vec<u8>) {
        // The writer stops where nobody reads any more; then there is nobody to tell.
        let _ = self.lines.send(line);
    }

    /// Waits until everything is written, or until nothing was taken from us for a while.
    pub(crate) fn finish(self, patience: Duration) {
        let Self { lines, pulse } = self;
        drop(lines);
        wait(&pulse, patience);
    }
}

/// Lines on their way to stderr.
pub(crate) struct Log {
    lines: SyncSender<String>,
    pulse: Receiver<()>,
}

impl Log {
    /// Starts the thread that writes the log.
    pub(crate) fn start(mut to: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, queue) = mpsc::sync_channel::<String>(LOG_LINES);
        let (beat, pulse) = mpsc::sync_channel(1);
        thread::Builder::new().name("log".into()).spawn(move || {
            for line in queue {
                // One write for the whole line, so that no other process's words come in between. Nobody has to
                // read a log, so a failure is no news.
                let _ = to.write_all(format!("{line}\n").as_bytes());
                let _ = beat.try_send(());
            }
        })?;
        Ok(Self { lines, pulse })
    }

    /// Has a line written, if the reader keeps up.
    pub(crate) fn send(&self, line: String) {
        let _ = self.lines.try_send(line);
    }

    /// Waits until everything is written, or until nothing was taken from us for a while.
    pub(crate) fn finish(self, patience: Duration) {
        let Self { lines, pulse } = self;
        drop(lines);
        wait(&pulse, patience);
    }
}

/// Waits for a thread that gives a sign after each line, and drops its side of the channel when it ends. One that
/// hangs on a full pipe gives no sign, and is left to the end of the process.
fn wait(pulse: &Receiver<()>, patience: Duration) {
    while pulse.recv_timeout(patience).is_ok() {}
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Remembers what is written, once it is let.
    struct Pipe {
        gate: Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Pipe {
        fn new() -> (Self, Sender<()>, Arc<Mutex<Vec<u8>>>) {
            let (open, gate) = mpsc::channel();
            let written = Arc::default();
            (Self { gate, written: Arc::clone(&written) }, open, written)
        }
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.written.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_order_while_the_sender_goes_on() {
        let (pipe, open, written) = Pipe::new();
        let output = Output::start(pipe, || panic!("the pipe is whole")).unwrap();
        output.send(b"one\n".to_vec());
        output.send(b"two\n".to_vec());
        open.send(()).unwrap();
        open.send(()).unwrap();
        output.finish(LONG);
        assert_eq!(*written.lock().unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn a_broken_pipe_is_told_once() {
        let (pipe, open, _) = Pipe::new();
        let (told, news) = mpsc::channel();
        let output = Output::start(pipe, move || told.send(()).unwrap()).unwrap();
        drop(open);
        output.send(b"one\n".to_vec());
        assert_eq!(news.recv_timeout(LONG), Ok(()));
        output.send(b"two\n".to_vec());
        output.finish(LONG);
    }

    #[test]
    fn a_pipe_that_nobody_reads_holds_up_no_log_and_no_end() {
        let (pipe, open, written) = Pipe::new();
        let log = Log::start(pipe).unwrap();
        for number in 0..2 * LOG_LINES {
            log.send(number.to_string());
        }
        log.finish(Duration::from_millis(1));
        assert!(written.lock().unwrap().is_empty());
        drop(open);
    }
}
