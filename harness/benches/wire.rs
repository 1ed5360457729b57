//! How fast bytes are read, against the fastest thing that could read them.
//!
//! Beside criterion's groups it prints ratios, which do not depend on the machine: the two sides take turns in one
//! process, and their medians are divided. Above 1 means faster than the other side.

#![expect(clippy::print_stdout, reason = "the ratios are what a script reads from this bench")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use mcp_plumb::wire::{FrameEnd, Reader, Splitter, grammar};
use serde::de::IgnoredAny;

const MIB: usize = 1 << 20;
const CHUNK: usize = 64 << 10;
const ROUNDS: usize = 31;

/// Lines of one kind, about a megabyte of them.
struct Traffic {
    name: &'static str,
    lines: Vec<String>,
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .configure_from_args();
    let traffic = traffic();
    bench_splitter(&mut criterion, &frames());
    bench_lines(&mut criterion, &traffic);
    criterion.final_summary();
    // Not where the bench is only tried, as `cargo test` does.
    if std::env::args().any(|argument| argument == "--bench") {
        print_ratios(&traffic);
        print_worst_cases();
    }
}

// What is read.

fn traffic() -> Vec<Traffic> {
    let message = |data: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"data":{data}}}}}"#);
    let repeated = |item: &str, bytes: usize| vec![item; bytes / (item.len() + 1)].join(",");
    let numbers = repeated("0,-1,17,2026,3.14159,-0.5e-7,9007199254740993,1e400", MIB);
    let escapes = r#"line\n\t\"quoted\" C:\\path\u00e9\ud83d\ude00 "#.repeat(MIB / 44);
    let nesting = r#"{"a":[{"b":["#.repeat(MIB / 16) + "1" + &"]}]}".repeat(MIB / 16);
    let one = |name, data: &str| Traffic { name, lines: vec![message(data)] };
    let tools = tools_list();
    vec![
        Traffic { name: "ping", lines: vec![ping(); MIB / 200] },
        Traffic { name: "tools-list", lines: vec![tools.clone(); MIB / tools.len()] },
        one("string", &format!("\"{}\"", "The quick brown fox. ".repeat(MIB / 21))),
        one("numbers", &format!("[{numbers}]")),
        one("nesting", &nesting),
        one("escapes", &format!("\"{escapes}\"")),
    ]
}

/// A frame of 200 bytes with its newline.
fn ping() -> String {
    let empty = r#"{"jsonrpc":"2.0","id":123456,"method":"ping","params":{"_meta":{"progressToken":""}}}"#;
    empty.replace(r#""""#, &format!(r#""{}""#, "x".repeat(199 - empty.len())))
}

/// An answer of about 20 KiB.
fn tools_list() -> String {
    let tool = |n: usize| {
        serde_json::json!({
            "name": format!("tool_{n}"),
            "title": "Looks things up",
            "description": "Looks up a thing by its name.\nGives \"nothing\" where there is none, and the reason why.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "What to look up", "minLength": 1 },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 },
                    "deep": { "type": "boolean", "default": false },
                },
                "required": ["name"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    };
    let tools: Vec<_> = (0..40).map(tool).collect();
    serde_json::json!({ "jsonrpc": "2.0", "id": 2, "result": { "tools": tools } }).to_string()
}

fn frames() -> Vec<u8> {
    (ping() + "\n").repeat(4 * MIB / 200).into_bytes()
}

// Who reads it.

fn split(bytes: &[u8]) -> usize {
    let mut splitter = Splitter::new(16 * MIB);
    let mut count = 0;
    for chunk in bytes.chunks(CHUNK) {
        let result = splitter.push(chunk, &mut |frame| count += usize::from(frame.end == FrameEnd::Newline));
        result.expect("no line is above the cap");
    }
    count
}

/// Finds each newline, which whoever hands out frames must do; counting them without places is another, faster thing.
fn find_newlines(bytes: &[u8]) -> usize {
    let mut count = 0;
    for chunk in bytes.chunks(CHUNK) {
        for place in memchr::memchr_iter(b'\n', chunk) {
            count += black_box(place).min(1);
        }
    }
    count
}

fn check(lines: &[String]) {
    for line in lines {
        black_box(grammar::check(line.as_bytes()).is_ok());
    }
}

fn ignore(lines: &[String]) {
    for line in lines {
        black_box(serde_json::from_slice::<IgnoredAny>(line.as_bytes()).is_ok());
    }
}

fn read(lines: &[String]) {
    let mut reader = Reader::new();
    for line in lines {
        black_box(reader.read(line.as_bytes(), 0, FrameEnd::Newline));
    }
}

// How they are measured.

fn bench_splitter(criterion: &mut Criterion, bytes: &[u8]) {
    let mut group = criterion.benchmark_group("frames");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("splitter", |bencher| bencher.iter(|| split(bytes)));
    group.bench_function("memchr", |bencher| bencher.iter(|| find_newlines(bytes)));
    group.finish();
}

/// One way to read lines.
type Side = fn(&[String]);

fn bench_lines(criterion: &mut Criterion, traffic: &[Traffic]) {
    let mut group = criterion.benchmark_group("lines");
    let sides: [(&str, Side); 3] = [("grammar", check), ("serde_json", ignore), ("reader", read)];
    for Traffic { name, lines } in traffic {
        group.throughput(Throughput::Bytes(lines.iter().map(|line| line.len() as u64).sum()));
        for (side, run) in sides {
            group.bench_with_input(BenchmarkId::new(side, name), &lines[..], |bencher, lines| {
                bencher.iter(|| run(lines));
            });
        }
    }
    group.finish();
}

/// Medians of runs that take turns, in seconds.
fn medians<const N: usize>(mut sides: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (side, times) in sides.iter_mut().zip(&mut times) {
            let start = Instant::now();
            side();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn print_ratios(traffic: &[Traffic]) {
    let bytes = frames();
    let [ours, theirs] = medians([&mut || _ = black_box(split(&bytes)), &mut || _ = black_box(find_newlines(&bytes))]);
    println!("ratio splitter/memchr {:.2}", theirs / ours);
    let mut sums = [0.0; 3];
    for Traffic { name, lines } in traffic {
        let times = medians([&mut || check(lines), &mut || ignore(lines), &mut || read(lines)]);
        print_lines(name, times);
        // Each kind counts alike, whatever it takes.
        let all: f64 = times.iter().sum();
        sums = std::array::from_fn(|side| sums[side] + times[side] / all);
    }
    print_lines("overall", sums);
}

fn print_lines(name: &str, [grammar, serde_json, reader]: [f64; 3]) {
    println!("ratio grammar/serde_json {name} {:.2}", serde_json / grammar);
    println!("ratio reader/grammar {name} {:.2}", grammar / reader);
}

/// Lines that would show a reader which looks at bytes again and again.
fn print_worst_cases() {
    let noise = |text: &str, bytes: usize| vec![text.repeat(bytes / text.len())];
    let printed = |head: &str, line: &str, count: usize| {
        let mut lines = vec![head.to_owned()];
        lines.resize(count, line.to_owned());
        lines
    };
    let result = |data: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"data":{data}}}}}"#);
    let cases = [
        ("8 MiB string", vec![result(&format!("\"{}\"", "x".repeat(8 * MIB)))]),
        ("8 MiB of tools", vec![result(&format!("[{}]", vec![tools_list(); 8 * MIB / 20_000].join(",")))]),
        ("1 MiB of open braces", noise("{", MIB)),
        ("1 MiB of open objects", noise(r#"{"a":"#, MIB)),
        ("1 MiB of braces in a string", noise(r#"{"{"#, MIB)),
        ("16 MiB of small objects", noise(r#"{"a":1} "#, 16 * MIB)),
        ("16 MiB of small messages", noise(r#"{"result":1}"#, 16 * MIB)),
        ("16 MiB of small elements", vec![format!("[{}1]", "1,".repeat(8 * MIB))]),
        ("10 000 printed lines", printed("[{}", ",{}", 10_000)),
        ("1 MiB of printed lines", printed("[{}", &format!(r#",{{"a":"{}"}}"#, "x".repeat(90)), 10_000)),
        ("10 000 printed openings", printed(r#"{"a":"#, r#"{"a":"#, 10_000)),
    ];
    for (name, lines) in cases {
        let start = Instant::now();
        read(&lines);
        println!("time {name}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
}
