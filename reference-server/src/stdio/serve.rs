//! The loop of the process.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::output::{Intake, Log, Output};
use super::pool::Pool;
use crate::audit::{AuditFile, Entry};
use crate::core::{Action, Server};
use crate::db::StoreError;
use crate::job::{Job, Report, World};

/// How long calls may still run after stdin has ended.
const GRACE: Duration = Duration::from_secs(1);

/// How long answers may wait for a reader in the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much of stdin one read takes.
const CHUNK: usize = 64 << 10;

/// How many events may wait. Once so many do, reading stops and the pipe fills, until the loop has caught up.
const EVENTS: usize = 64;

/// What the loop hears of.
enum Event {
    /// Bytes came from stdin.
    Bytes(Vec<u8>),
    /// Stdin has ended.
    End,
    /// A job has news.
    News(Report),
    /// The data can't be had.
    Unready(StoreError),
    /// Nobody reads stdout any more.
    Broken,
}

/// The parts of a running process.
struct Process {
    server: Server,
    world: Arc<World>,
    output: Output,
    log: Log,
    ledger: Option<Ledger>,
    pool: Pool,
    events: SyncSender<Event>,
}

/// The audit log, and whether it can be written.
struct Ledger {
    file: AuditFile,
    works: bool,
}

/// Where bytes come from and where they go: stdin and stdout, or what stands for them.
pub(crate) struct Wire<R, W> {
    /// What is read, to its end.
    pub(crate) input: R,
    /// What is written.
    pub(crate) output: W,
}

/// Serves a wire to the end of its input. Calls of tools are written to `audit`, if the server has it so.
pub(crate) fn serve<R, W>(server: Server, world: World, audit: Option<AuditFile>, wire: Wire<R, W>) -> ExitCode
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (events, queue) = mpsc::sync_channel(EVENTS);
    match Process::start(server, world, audit, wire, events) {
        Ok(mut process) => {
            process.run(&queue);
            process.finish();
            ExitCode::SUCCESS
        }
        // Stderr is all that is left to say it with; if that is gone too, the exit code says it.
        Err(error) => {
            let _ = writeln!(io::stderr(), "mcp-reference-server: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Process {
    fn start<R, W>(
        server: Server,
        world: World,
        audit: Option<AuditFile>,
        wire: Wire<R, W>,
        events: SyncSender<Event>,
    ) -> io::Result<Self>
    where
        R: Read + Send + 'static,
        W: Write + Send + 'static,
    {
        let broken = events.clone();
        let output = Output::start(wire.output, move || drop(broken.send(Event::Broken)))?;
        let log = Log::start(io::stderr())?;
        let input = events.clone();
        thread::Builder::new().name("reader".into()).spawn({
            let intake = output.intake();
            move || read(wire.input, &intake, &input)
        })?;
        let world = Arc::new(world);
        let ledger = audit.map(|file| Ledger { file, works: true });
        let unready = events.clone();
        let mut process =
            Self { server, world: Arc::clone(&world), output, log, ledger, pool: Pool::default(), events };
        process.audit(None);
        // The database opens meanwhile: the handshake must not wait for a disk, and a broken one is told by calls.
        process.pool.submit(Box::new(move || {
            if let Err(error) = world.store().open() {
                drop(unready.send(Event::Unready(error)));
            }
        }))?;
        Ok(process)
    }

    /// Handles events until nothing is left to do.
    fn run(&mut self, queue: &Receiver<Event>) {
        let mut deadline: Option<Instant> = None;
        while deadline.is_none() || !self.server.is_idle() {
            let event = match deadline {
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => queue.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            let actions = match event {
                Ok(Event::Bytes(bytes)) => {
                    let actions = self.server.feed(&bytes);
                    self.act(actions);
                    self.output.handled();
                    continue;
                }
                Ok(Event::News(report)) => self.server.settle(report),
                Ok(Event::Unready(error)) => {
                    self.log.send(&format!("mcp-reference-server: {error}; look at what MCP_DB names\n"));
                    continue;
                }
                Ok(Event::End) => {
                    deadline = Some(Instant::now() + GRACE);
                    self.server.end()
                }
                Ok(Event::Broken) | Err(_) => return,
            };
            self.act(actions);
        }
    }

    /// Does what the server wants. Messages that are ready together are handed over together.
    fn act(&mut self, actions: Vec<Action>) {
        let (mut lines, mut log) = (Vec::new(), String::new());
        let mut actions = VecDeque::from(actions);
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Send(line) => lines.extend(line),
                Action::Log(line) => {
                    log.push_str(&line);
                    log.push('\n');
                }
                Action::Audit(entry) => self.audit(Some(&entry)),
                Action::Start(job) => actions.extend(self.begin(job)),
            }
        }
        if !log.is_empty() {
            self.log.send(&log);
        }
        if !lines.is_empty() {
            self.output.send(&lines);
        }
    }

    /// Starts a job, and returns what is to be done where that fails.
    fn begin(&mut self, job: Job) -> Vec<Action> {
        let refused = job.refused();
        let (world, events) = (Arc::clone(&self.world), self.events.clone());
        let task = move || job.run(&world, &mut |report| drop(events.send(Event::News(report))));
        match self.pool.submit(Box::new(task)) {
            Ok(()) => Vec::new(),
            Err(_) => self.server.settle(refused),
        }
    }

    /// Writes an entry to the audit log, or sees whether one could be written. An answer that was handed over with
    /// its entry is sent after that is written.
    fn audit(&mut self, entry: Option<&Entry>) {
        let Some(Ledger { file, works }) = &mut self.ledger else {
            return;
        };
        let written = match entry {
            Some(entry) => file.append(&entry.line()),
            None => file.open().map(drop),
        };
        // Said when it begins and when it is over, and not for each call between.
        if written.is_ok() != *works {
            *works = written.is_ok();
            let told = match written {
                Ok(()) => format!("{} is written again", file.name()),
                Err(error) => format!("{} can't be written, so no tool is called: {error}", file.name()),
            };
            self.log.send(&format!("mcp-reference-server: {told}\n"));
            self.server.audit_works(*works);
        }
    }

    fn finish(mut self) {
        let actions = self.server.abandon();
        self.act(actions);
        self.output.finish(PATIENCE);
        self.log.finish(PATIENCE / 10);
    }
}

/// Passes stdin on until it ends, or until nobody listens.
fn read(mut input: impl Read, intake: &Intake, events: &SyncSender<Event>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        intake.admit();
        let event = match input.read(&mut chunk) {
            Ok(0) => Event::End,
            Ok(size) => Event::Bytes(chunk.get(..size).unwrap_or_default().to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Event::Bytes(Vec::new()),
            // A stdin that can't be read has ended for us.
            Err(_) => Event::End,
        };
        let last = matches!(event, Event::End);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its parts one by one, and an error where a part is missing.
    struct Parts(Vec<io::Result<&'static [u8]>>);

    impl Read for Parts {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let part = self.0.remove(0)?;
            into[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn reading_survives_an_interruption_and_takes_a_failure_for_the_end() {
        let (events, queue) = mpsc::sync_channel(EVENTS);
        let interrupted = Err(io::ErrorKind::Interrupted.into());
        let failed = Err(io::ErrorKind::Other.into());
        let output = Output::start(io::sink(), || panic!("a sink takes everything")).unwrap();
        let parts = Parts(vec![Ok(b"a"), interrupted, Ok(b"bc"), failed]);
        let intake = output.intake();
        let reader = thread::spawn(move || read(parts, &intake, &events));
        let events: Vec<_> = queue.into_iter().inspect(|_| output.handled()).collect();
        reader.join().unwrap();
        output.finish(PATIENCE);
        assert!(matches!(
            &events[..],
            [Event::Bytes(a), Event::Bytes(nothing), Event::Bytes(bc), Event::End]
                if a == b"a" && nothing.is_empty() && bc == b"bc"
        ));
    }
}
