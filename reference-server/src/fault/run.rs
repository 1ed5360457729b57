//! Runs the clean server between streams that do what the faults want.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read, Write};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::behaviour::Behaviour;
use super::bytes::{Arrival, Bytes, Input};
use super::choice::Choice;
use super::messages::{Filter, Messages};
use super::pipe::{Ending, Outlet};
use super::set::Set;
use super::table::Layer;
use crate::audit::AuditFile;
use crate::core::Server;
use crate::job::World;
use crate::stdio::{self, Wire};

/// How much one read takes.
const CHUNK: usize = 64 << 10;

/// The faults of a process, by layer.
#[derive(Default)]
pub(super) struct Faults {
    pub(super) bytes: Vec<&'static Bytes>,
    pub(super) messages: Vec<&'static Messages>,
    pub(super) behaviour: Vec<&'static Behaviour>,
    pub(super) sets: Vec<Set>,
}

impl Faults {
    pub(super) fn of(choices: Vec<Choice>) -> Self {
        let mut faults = Self::default();
        for choice in choices {
            match choice {
                Choice::Set(set) => faults.sets.push(set),
                Choice::Named(fault) => match fault.layer {
                    Layer::Bytes(changes) => faults.bytes.extend(changes),
                    Layer::Messages(changes) => faults.messages.extend(changes),
                    Layer::Behaviour(changes) => faults.behaviour.extend(changes),
                },
            }
        }
        faults
    }
}

/// Serves stdin and stdout, with faults.
pub(crate) fn serve(server: Server, world: World, audit: Option<AuditFile>, choices: Vec<Choice>) -> ExitCode {
    let Faults { bytes, messages, behaviour, sets } = Faults::of(choices);
    for change in &behaviour {
        if let Behaviour::Start(act) = change {
            act();
        }
    }
    let outlet = match Outlet::start(io::stdout(), bytes.clone()) {
        Ok(outlet) => outlet,
        Err(error) => {
            let _ = writeln!(io::stderr(), "mcp-reference-server: {error}");
            return ExitCode::FAILURE;
        }
    };
    let stage = Arc::new(Stage {
        filter: Mutex::new(Filter::new(messages, sets)),
        settled: Condvar::new(),
        outlet: outlet.clone(),
        behaviour: behaviour.clone(),
    });
    let input = Source::new(io::stdin(), Input::new(bytes), Arc::clone(&stage));
    let code = stdio::serve(server, world, audit, Wire { input, output: Sink { stage, line: Vec::new() } });
    outlet.drain();
    for change in behaviour {
        if let Behaviour::End(act) = change {
            act();
        }
    }
    code
}

/// Where the two directions meet.
struct Stage {
    filter: Mutex<Filter>,
    settled: Condvar,
    outlet: Outlet,
    behaviour: Vec<&'static Behaviour>,
}

impl Stage {
    fn filter(&self) -> MutexGuard<'_, Filter> {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line that came, and returns what the server is to see of it.
    fn hear(&self, line: Vec<u8>) -> Option<Vec<u8>> {
        if self.behaviour.iter().any(|change| matches!(change, Behaviour::Blocking)) {
            self.outlet.drain();
        }
        let mut filter = self.filter();
        if self.behaviour.iter().any(|change| matches!(change, Behaviour::Serial)) {
            let idle = self.settled.wait_while(filter, |filter| !filter.scene().is_idle());
            filter = idle.unwrap_or_else(PoisonError::into_inner);
        }
        let (passed, said) = filter.hear(line);
        let scene = filter.scene();
        let (pause, ending, deaf) = (scene.take_pause(), scene.ending(), scene.is_deaf());
        drop(filter);
        thread::sleep(pause);
        for line in said {
            // Where nobody reads, the server learns that from its own lines.
            let _ = self.outlet.line(line.into_bytes());
        }
        match ending {
            Some(ending) => self.outlet.end(ending),
            None if deaf => loop {
                thread::park();
            },
            None => passed,
        }
    }

    /// Takes a line that the server wants to send.
    fn tell(&self, line: Vec<u8>) -> io::Result<()> {
        for change in &self.behaviour {
            if let Behaviour::Late(time) = change {
                thread::sleep(*time);
            }
        }
        let mut filter = self.filter();
        let lines = filter.tell(line);
        let ending = filter.scene().ending();
        drop(filter);
        self.settled.notify_all();
        lines.into_iter().try_for_each(|line| self.outlet.line(line))?;
        match ending {
            Some(ending) => self.outlet.end(ending),
            None => Ok(()),
        }
    }
}

/// What the server reads.
struct Source<R> {
    from: R,
    input: Input,
    stage: Arc<Stage>,
    arrived: VecDeque<Arrival>,
    ready: Cursor<Vec<u8>>,
    has_ended: bool,
}

impl<R> Source<R> {
    fn new(from: R, input: Input, stage: Arc<Stage>) -> Self {
        Self { from, input, stage, arrived: VecDeque::new(), ready: Cursor::default(), has_ended: false }
    }

    fn end(&mut self) {
        self.has_ended = true;
        for change in &self.stage.behaviour {
            if let Behaviour::Eof(act) = change {
                act(self.input.unfinished());
            }
        }
        self.arrived.extend(self.input.rest());
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let size = self.ready.read(into)?;
            if size > 0 {
                return Ok(size);
            }
            match self.arrived.pop_front() {
                Some(Arrival::Line(line)) => {
                    let Some(mut line) = self.stage.hear(line) else { continue };
                    // A line that input ended in stays unfinished.
                    if !self.has_ended || !self.arrived.is_empty() {
                        line.push(b'\n');
                    }
                    self.ready = Cursor::new(line);
                }
                Some(Arrival::Death(code)) => self.stage.outlet.end(Ending::Exit(code)),
                None if self.has_ended => return Ok(0),
                None => {
                    let mut chunk = vec![0; CHUNK];
                    match self.from.read(&mut chunk)? {
                        0 => self.end(),
                        size => self.arrived.extend(self.input.feed(chunk.get(..size).unwrap_or_default())),
                    }
                }
            }
        }
    }
}

/// What the server writes to.
struct Sink {
    stage: Arc<Stage>,
    line: Vec<u8>,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
                self.stage.tell(std::mem::take(&mut self.line))?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
