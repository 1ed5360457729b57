//! Bytes in, bytes out, and what happens when one side does not move.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mcp_plumb::peer::{Deadline, Exit, Limits, Peer, PeerEvent, Rung, Tap};

use crate::support::*;

/// Counts what passes.
#[derive(Default)]
struct Counter {
    sent: AtomicUsize,
    received: AtomicUsize,
    chunks: AtomicUsize,
    stderr: AtomicUsize,
}

impl Tap for Counter {
    fn sent(&self, bytes: &[u8]) {
        self.sent.fetch_add(bytes.len(), Ordering::SeqCst);
    }
    fn received(&self, bytes: &[u8]) {
        self.chunks.fetch_add(1, Ordering::SeqCst);
        self.received.fetch_add(bytes.len(), Ordering::SeqCst);
    }
    fn stderr(&self, bytes: &[u8]) {
        self.stderr.fetch_add(bytes.len(), Ordering::SeqCst);
    }
}

fn tapped(script: &str) -> (Peer, Arc<Counter>) {
    let counter = Arc::new(Counter::default());
    let peer = Peer::spawn(&shell(script), &Limits::default(), Some(counter.clone())).unwrap();
    (peer, counter)
}

#[test]
fn what_is_written_comes_back() {
    let (peer, counter) = tapped("cat");
    peer.write(b"one\n".to_vec());
    peer.write(Vec::new());
    peer.write(b"two\n".to_vec());
    assert_eq!(read_until(&peer, "two\n"), "one\ntwo\n");
    let ended = end(peer, &PATIENT);
    assert_eq!((ended.rung, ended.exit), (Rung::StdinClosed, Some(Exit::Code(0))));
    assert!(!ended.stdout_held);
    assert_eq!(counter.sent.load(Ordering::SeqCst), 8);
    assert_eq!(counter.received.load(Ordering::SeqCst), 8);
}

#[test]
fn each_piece_is_told_when_it_is_through() {
    let peer = spawn(&words(["cat"]));
    for total in [3, 6] {
        peer.write(b"abc".to_vec());
        assert_eq!(until(&peer, |event| matches!(event, PeerEvent::Written { .. })), PeerEvent::Written { total });
    }
    assert_eq!(peer.queued(), 0);
}

#[test]
fn a_deadline_passes_without_an_event() {
    let peer = spawn(&words(["cat"]));
    assert_eq!(peer.next(Deadline::at(Instant::now())), None);
    assert!(peer.cpu().is_some());
}

#[test]
fn a_peer_that_never_reads_does_not_block_us() {
    let peer = spawn(&shell("echo up; exec tail -f /dev/null"));
    read_until(&peer, "up\n");
    peer.write(vec![b'x'; 1 << 20]);
    eventually("the pipe is full", || peer.unread() == Some(65536));
    assert_eq!(peer.queued(), (1 << 20) - 65536);
    peer.abandon_writes();
    assert_eq!(peer.queued(), 0);
    eventually("stdin is closed", || peer.unread().is_none());
    let ended = peer.end(&crate::ending::hasty(), &mut drop);
    assert_eq!(ended.rung, Rung::Terminated);
}

#[test]
fn queued_bytes_do_not_keep_the_ladder_from_ending() {
    let peer = spawn(&shell("exec tail -f /dev/null"));
    peer.write(vec![b'x'; 1 << 20]);
    let ended = peer.end(&crate::ending::hasty(), &mut drop);
    assert_eq!(ended.rung, Rung::Terminated);
}

#[test]
fn a_closed_stdin_is_reported_and_survived() {
    let peer = spawn(&shell("exec 0<&-; echo closed; sleep 1000 & wait"));
    read_until(&peer, "closed\n");
    for _ in 0..2 {
        peer.write(b"hello\n".to_vec());
        let event = until(&peer, |event| !matches!(event, PeerEvent::Stdout(_)));
        assert_eq!(event, PeerEvent::WriteFailed(ErrorKind::BrokenPipe));
    }
    assert_eq!(peer.queued(), 0);
}

#[test]
fn writing_after_the_close_is_reported() {
    let peer = spawn(&words(["cat"]));
    peer.write(b"last\n".to_vec());
    peer.close_stdin();
    peer.write(b"too late\n".to_vec());
    let mut text = Vec::new();
    let mut failed = false;
    until(&peer, |event| {
        match event {
            PeerEvent::Stdout(bytes) => text.extend_from_slice(bytes),
            PeerEvent::WriteFailed(_) => failed = true,
            _ => {}
        }
        *event == PeerEvent::StdoutClosed
    });
    assert_eq!((text.as_slice(), failed), (&b"last\n"[..], true));
}

#[test]
fn two_peers_do_not_hold_each_others_pipes() {
    let first = spawn(&words(["cat"]));
    let second = spawn(&words(["cat"]));
    first.close_stdin();
    until_over(&first);
    second.write(b"still here\n".to_vec());
    assert_eq!(read_until(&second, "\n"), "still here\n");
    second.close_stdin();
    until_over(&second);
}

/// Waits for the exit and for the end of stdout, which come in either order.
fn until_over(peer: &Peer) {
    let mut missing = vec![PeerEvent::StdoutClosed, PeerEvent::Exited(Exit::Code(0))];
    until(peer, |event| {
        missing.retain(|one| one != event);
        missing.is_empty()
    });
}

#[test]
fn a_flood_of_stdout_blocks_the_peer_and_not_our_memory() {
    let (peer, counter) = tapped("exec cat /dev/zero");
    // 32 chunks wait in the queue, one is in the reader's hand.
    eventually("the window is full", || counter.chunks.load(Ordering::SeqCst) == 33);
    assert!(counter.received.load(Ordering::SeqCst) <= 33 * 64 * 1024);

    // A wait ends by its deadline however much there is to read.
    let deadline = Deadline::at(Instant::now());
    let mut waiting = 0;
    while peer.next(deadline).is_some() {
        waiting += 1;
    }
    assert!((32..=33).contains(&waiting), "{waiting} chunks");
    let ended = peer.end(&crate::ending::hasty(), &mut drop);
    assert_eq!(ended.rung, Rung::Terminated);
    assert!(!ended.stdout_held);
}

#[test]
fn all_of_stdout_arrives_in_the_end() {
    let peer = spawn(&shell("head -c 5000000 /dev/zero; exit 7"));
    let mut total = 0;
    let ended = peer.end(&PATIENT, &mut |event| {
        if let PeerEvent::Stdout(bytes) = event {
            total += bytes.len();
        }
    });
    assert_eq!((total, ended.exit), (5_000_000, Some(Exit::Code(7))));
}

#[test]
fn a_flood_of_stderr_is_drained_and_cut() {
    let (peer, counter) =
        tapped("echo first >&2; head -c 50000000 /dev/zero >&2; echo last >&2; echo done; cat >/dev/null");
    read_until(&peer, "done\n");
    let ended = end(peer, &PATIENT);
    assert_eq!(ended.stderr.total, 50_000_011);
    assert_eq!(counter.stderr.load(Ordering::SeqCst), 50_000_011);
    assert!(ended.stderr.head.starts_with(b"first\n"));
    assert!(ended.stderr.tail.ends_with(b"last\n"));
    assert_eq!((ended.stderr.head.len(), ended.stderr.tail.len()), (16384, 16384));
    assert_eq!(ended.stderr.lines, 2);
}

#[test]
fn the_last_words_on_stderr_are_kept() {
    let peer = spawn(&shell("echo why >&2; exit 1"));
    let ended = end(peer, &PATIENT);
    assert_eq!(ended.stderr.head, b"why\n");
}
