//! How fast pings are answered, against the time that it takes to read and to write them, and what memory they take.
//!
//! The ratios do not depend on the machine: the sides take turns in one process, and their medians are divided. Above
//! 1 means faster than a loop that parses each message with `serde_json` and serialises it again.

#![expect(clippy::print_stdout, reason = "the figures are what a script reads from this bench")]

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use std::{fs, thread};

use mcp_reference_server::{Action, Config, Server};
use serde_json::Value;

/// How much of its input a server is given at once.
const CHUNK: usize = 64 << 10;

const OPENING: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}"#;

/// How much is done.
struct Scale {
    rounds: usize,
    /// Pings in each round.
    pings: usize,
    /// Pings before memory is looked at for the first time.
    first: usize,
    /// Pings until it is looked at for the last time.
    last: usize,
}

const MEASURED: Scale = Scale { rounds: 7, pings: 200_000, first: 10_000, last: 1_000_000 };

/// Enough to see that the bench works.
const TRIED: Scale = Scale { rounds: 1, pings: 1000, first: 1000, last: 2000 };

/// What a round comes to.
type Done<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Done {
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let scale = if is_measured { MEASURED } else { TRIED };
    print_ratios(&scale)?;
    print_memory(&scale)
}

// What is said.

fn pings(ids: Range<usize>) -> Vec<String> {
    ids.map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).collect()
}

fn lines(messages: &[String]) -> Vec<u8> {
    (messages.join("\n") + "\n").into_bytes()
}

/// Fails unless a line is the answer to the ping of that id.
fn check(line: &[u8], id: usize) -> Done {
    let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
    if line == expected.as_bytes() {
        Ok(())
    } else {
        Err(format!("ping {id} was answered by {:?}", String::from_utf8_lossy(line)).into())
    }
}

// Who answers.

/// Nobody: each message is parsed and serialised.
fn echo(messages: &[String]) -> Done {
    for message in messages {
        let value: Value = serde_json::from_str(black_box(message))?;
        black_box(serde_json::to_vec(&value)?);
    }
    Ok(())
}

/// The core, in this process.
fn answer(server: &mut Server, input: &[u8], count: usize) -> Done {
    let mut answered = 0;
    for action in input.chunks(CHUNK).flat_map(|chunk| server.feed(chunk)) {
        if let Action::Send(line) = action {
            check(&line, answered)?;
            answered += 1;
        }
    }
    if answered == count { Ok(()) } else { Err(format!("{answered} of {count} pings were answered").into()) }
}

/// The binary, over pipes.
struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Peer {
    fn start() -> Done<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-reference-server"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.env_remove("MCP_DB").env_remove("MCP_AUDIT_LOG").spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = child.stdout.take().ok_or("no stdout")?;
        let mut peer = Self { child, stdin, stdout: BufReader::with_capacity(CHUNK, stdout) };
        writeln!(peer.stdin, "{OPENING}")?;
        peer.stdout.read_until(b'\n', &mut Vec::new())?;
        Ok(peer)
    }

    /// Sends the pings of these ids without waiting for anything, and reads their answers meanwhile.
    fn answer(&mut self, input: &[u8], ids: Range<usize>) -> Done {
        let Self { stdin, stdout, .. } = self;
        thread::scope(|scope| {
            let writer = scope.spawn(|| stdin.write_all(input));
            let mut line = Vec::new();
            for id in ids {
                line.clear();
                stdout.read_until(b'\n', &mut line)?;
                check(&line, id)?;
            }
            writer.join().map_err(|_| "the writer panicked")??;
            Ok(())
        })
    }

    /// The memory that it has in use, and the most that it ever had, in KiB; nothing where the system does not tell.
    fn memory(&self) -> Option<(usize, usize)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
        Some((line("VmRSS:")?.parse().ok()?, line("VmHWM:")?.parse().ok()?))
    }

    /// Ends it. Nothing but what was read may be left.
    fn end(self) -> Done {
        let Self { mut child, stdin, mut stdout } = self;
        drop(stdin);
        let left = stdout.read_to_end(&mut Vec::new())?;
        let status = child.wait()?;
        if left == 0 && status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}, and {left} bytes that nobody asked for").into())
        }
    }
}

// How they are measured.

fn print_ratios(scale: &Scale) -> Done {
    let messages = pings(0..scale.pings);
    let input = lines(&messages);
    let mut server = Server::new(Config::default());
    server.feed(format!("{OPENING}\n").as_bytes());
    let mut peer = Peer::start()?;
    let [echo, core, stdio] = medians(
        scale.rounds,
        [&mut || echo(&messages), &mut || answer(&mut server, &input, messages.len()), &mut || {
            peer.answer(&input, 0..messages.len())
        }],
    )?;
    peer.end()?;
    for (name, seconds) in [("serde_json", echo), ("core", core), ("stdio", stdio)] {
        println!("pings a second {name} {:.0}", scale.pings as f64 / seconds);
    }
    println!("ratio core/serde_json {:.2}", echo / core);
    println!("ratio stdio/serde_json {:.2}", echo / stdio);
    Ok(())
}

/// Medians of rounds that take turns, in seconds.
fn medians<const N: usize>(rounds: usize, mut sides: [&mut dyn FnMut() -> Done; N]) -> Done<[f64; N]> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (side, times) in sides.iter_mut().zip(&mut times) {
            let start = Instant::now();
            side()?;
            times.push(start.elapsed().as_secs_f64());
        }
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }))
}

fn print_memory(scale: &Scale) -> Done {
    let mut peer = Peer::start()?;
    let mut from = 0;
    for to in [scale.first, scale.last] {
        peer.answer(&lines(&pings(from..to)), from..to)?;
        match peer.memory() {
            Some((now, most)) => println!("memory after {to} pings {now} KiB, at most {most} KiB"),
            None => println!("memory after {to} pings unknown"),
        }
        from = to;
    }
    peer.end()
}
