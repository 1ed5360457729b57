//! Tests of the reader on lines that real and imagined servers write.

use proptest::prelude::*;

use super::grammar::{self, Shape};
use super::*;

const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn read(frame: impl AsRef<[u8]>) -> Reading {
    Reader::new().read(frame.as_ref(), 0, FrameEnd::Newline)
}

fn class(frame: impl AsRef<[u8]>) -> Class {
    read(frame).class
}

/// The classes of lines that come one after another.
fn classes(text: &str) -> Vec<Class> {
    let mut reader = Reader::new();
    text.lines().map(|line| reader.read(line.as_bytes(), 0, FrameEnd::Newline).class).collect()
}

/// What a reading says about a frame must be true of its bytes.
fn assert_true_of(frame: &[u8], reading: &Reading) {
    for (message, range) in reading.messages() {
        if let Class::Joined { .. } | Class::NotUtf8 { .. } = reading.class {
            continue;
        }
        let text = std::str::from_utf8(frame).unwrap_or_else(|_| panic!("{reading:?}"));
        let text = text.get(range.clone()).unwrap_or_else(|| panic!("{range:?} of {text:?}"));
        assert_eq!(grammar::check(text.as_bytes()), Ok(Shape::Object), "{text:?}");
        for place in [&message.places.params, &message.places.result, &message.places.error].into_iter().flatten() {
            let value = text.get(place.clone()).unwrap_or_else(|| panic!("{place:?} of {text:?}"));
            assert!(grammar::check(value.as_bytes()).is_ok(), "{value:?}");
            assert_eq!(value.trim(), value);
        }
    }
    for note in &reading.notes {
        let holds = match note {
            Note::EscapeSequence(at) => frame[*at] == 0x1b,
            Note::Nul(at) => frame[*at] == 0,
            Note::NotANumber(at) => frame[*at..].starts_with(b"NaN") || frame[*at..].starts_with(b"Infinity"),
            _ => true,
        };
        assert!(holds, "{reading:?}");
    }
    match &reading.class {
        Class::NotJson { offset, .. } => assert!(*offset <= frame.len()),
        Class::NotUtf8 { offset, .. } => {
            assert!(std::str::from_utf8(&frame[..*offset]).is_ok() && frame[*offset] > 0x7f);
        }
        Class::Glued { before, after, .. } => {
            assert!(before.start == reading.span.start && after.end == reading.span.end);
            assert!(!before.is_empty() || !after.is_empty());
        }
        _ => {}
    }
}

#[test]
fn noise_is_not_json() {
    for noise in [
        "Server listening on stdio",
        "{'jsonrpc': '2.0', 'id': 1, 'result': {}}",
        "{jsonrpc: \"2.0\"}",
        "[INFO] 2026-01-01 ready",
        "[2026-01-01T00:00:00Z] {\"level\":\"info\"}",
        "> npm run start",
        "Traceback (most recent call last):",
        "\u{1b}[32mINFO\u{1b}[0m ready",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}",
        "{\"jsonrpc\":\"2.0\",\"id\":01,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\t\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},}",
        "undefined",
        "\u{2028}",
        "\u{a0}",
    ] {
        assert!(matches!(class(noise), Class::NotJson { .. }), "{noise:?}");
    }
}

#[test]
fn language_server_headers_are_known_in_any_case() {
    for header in [
        "Content-Length: 12",
        "content-length:12\r",
        "CONTENT-LENGTH: 0",
        "Content-Type: application/json",
        "content-TYPE:x",
    ] {
        assert_eq!(class(header), Class::LspHeader, "{header:?}");
    }
    assert!(matches!(class("Content-Length 12"), Class::NotJson { .. }));
}

#[test]
fn utf16_is_not_taken_for_anything_else() {
    let bytes: Vec<u8> = PONG.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let reading = read(&bytes);
    assert!(matches!(reading.class, Class::NotJson { offset: 1, .. }), "{reading:?}");
    assert_eq!(reading.notes, [Note::Nul(1)]);
    let marked = [b"\xff\xfe", &bytes[..]].concat();
    assert!(matches!(class(marked), Class::NotUtf8 { offset: 0, message: None }));
}

#[test]
fn what_is_not_a_number_is_noted_where_it_stands() {
    for (text, at) in
        [("NaN", 0), ("[1,NaN]", 3), ("-Infinity", 1), (r#"{"jsonrpc":"2.0","id":1,"result":{"a":Infinity}}"#, 38)]
    {
        let reading = read(text);
        assert!(matches!(reading.class, Class::NotJson { .. }), "{text}");
        assert_eq!(reading.notes, [Note::NotANumber(at)], "{text}");
    }
}

#[test]
fn offsets_are_those_of_the_frame_behind_a_byte_order_mark_too() {
    let frame = "\u{feff}\u{1b}[0m NaN".as_bytes();
    assert_eq!(read(frame).notes, [Note::Bom, Note::EscapeSequence(3)]);
    assert_eq!(read("\u{feff}NaN").notes, [Note::Bom, Note::NotANumber(3)]);
    assert_true_of(frame, &read(frame));
}

#[test]
fn a_byte_order_mark_counts_at_the_start_only() {
    let Class::Concatenated(_) = class(format!("{PONG} {PONG}")) else { panic!() };
    let Class::Glued { before, after, .. } = class(format!("{PONG}\u{feff}{PONG}")) else { panic!() };
    assert_eq!((before, after), (0..0, PONG.len()..2 * PONG.len() + 3));
    let Class::Glued { before, .. } = class(format!("\u{feff}\u{feff}{PONG}")) else { panic!() };
    assert_eq!(before, 3..6);
}

#[test]
fn a_carriage_return_is_an_end_only_before_a_newline() {
    let alone = format!("{PONG}\r{PONG}");
    assert_eq!(read(&alone).messages().len(), 2);
    assert_eq!(read(&alone).notes, []);
    let at_the_end = Reader::new().read(format!("{PONG}\r").as_bytes(), 0, FrameEnd::Eof);
    assert!(matches!(at_the_end.class, Class::Message(_)) && at_the_end.notes.is_empty());
    assert_eq!(class("\r"), Class::Blank);
}

#[test]
fn messages_are_found_within_noise() {
    for (before, after) in [
        ("INFO {not json} {\"a\":1} ", ""),
        ("", " \u{1b}[0m"),
        ("é {{{{ ", " }}}} é"),
        ("{\"level\":\"info\"}", "{"),
        ("\"", "\""),
    ] {
        let line = format!("{before}{PONG}{after}");
        let reading = read(&line);
        assert_eq!(reading.messages().len(), 1, "{line}");
        assert_eq!(reading.messages()[0].1, before.len()..before.len() + PONG.len(), "{line}");
        assert_true_of(line.as_bytes(), &reading);
    }
    let after_many = "{".repeat(500) + PONG;
    assert_eq!(read(&after_many).messages().len(), 1);
}

#[test]
fn ids_are_kept_whatever_they_are() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let long = "9".repeat(100_000);
    let ids = ["1e400", "-0", "18446744073709551616", r#""\ud800""#, "true", &deep, &long];
    for id in ids {
        let reading = read(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        let Class::Message(message) = reading.class else { panic!() };
        assert!(message.id.as_ref().is_some_and(|found| found.raw() == id));
        assert_eq!(message.kind, MessageKind::Result);
    }
}

#[test]
fn depth_does_not_end_us() {
    let opening = r#"{"a":["#.repeat(500_000);
    let closing = "]}".repeat(500_000);
    let params = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{opening}{closing}}}"#);
    assert!(matches!(class(&params), Class::Message(message) if message.faults.is_empty()));
    assert!(matches!(class(&opening), Class::NotJson { .. }));
    assert_eq!(class(format!("[{opening}{closing}]")), Class::Batch(vec![BatchElement::Other]));
}

#[test]
fn keys_that_stand_twice_are_named_where_they_count() {
    let Class::Message(message) =
        class(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":{"c":1,"c":2},"\u0061":2},"x":{"y":1,"y":1},"x":0}"#)
    else {
        panic!()
    };
    assert_eq!(message.duplicate_keys, ["a", "x"]);
    let lone = class(r#"{"jsonrpc":"2.0","id":1,"result":{"\ud800":1,"\ud800":1,"\udfff":1}}"#);
    let Class::Message(message) = lone else { panic!() };
    assert_eq!(message.duplicate_keys, [r#""\ud800""#]);
}

#[test]
fn a_batch_of_anything_is_a_batch() {
    let batch = format!(r#" [ 1,"é",{PONG},[{PONG}],null, {{}}, {PONG}] "#);
    let reading = read(&batch);
    assert_true_of(batch.as_bytes(), &reading);
    assert_eq!(reading.messages().len(), 2);
    assert!(matches!(reading.class, Class::Batch(elements) if elements.len() == 7));
}

#[test]
fn what_is_kept_of_one_line_is_bounded() {
    let Class::Batch(elements) = class(format!("[{}1]", "1,".repeat(20_000))) else { panic!() };
    assert_eq!(elements.len(), 10_000);
    let Class::Concatenated(messages) = class(PONG.repeat(11_000)) else { panic!() };
    assert_eq!(messages.len(), 10_000);
}

#[test]
fn lines_of_any_shape_are_joined() {
    let printed = [
        "{\n\"jsonrpc\":\"2.0\"\n,\n\"id\"\n:\n1,\"result\":\n{\n}\n}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":[\n{}\n]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":[\n1,\n2,\n\n[\n]\n]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\n{\"b\":1}\n,\"c\":\ntrue\n}}",
    ];
    for text in printed {
        let classes = classes(text);
        let (last, before) = classes.split_last().unwrap();
        assert!(matches!(last, Class::Joined { .. }), "{text}: {classes:?}");
        assert!(
            before.iter().all(|class| matches!(class, Class::NotJson { .. } | Class::Blank)),
            "{text}: {classes:?}"
        );
    }
}

#[test]
fn what_does_not_go_on_is_judged_for_itself() {
    let after = |head: &str, line: &str| classes(&format!("{head}\n{line}")).pop().unwrap();
    assert_eq!(after("{\"a\":1", "42"), Class::NotObject(Shape::Number));
    assert_eq!(after("{", "{\"level\":\"info\"}"), Class::NotMessage);
    assert_eq!(after("{\"a\":", "Content-Length: 3"), Class::LspHeader);
    assert!(matches!(after("[", PONG), Class::Message(_)));
    // The line that breaks off one message may begin the next.
    let broken = format!("{{\"a\":1,\n{}", PONG.replace(',', ",\n"));
    assert!(matches!(classes(&broken).pop(), Some(Class::Joined { frames: 3, .. })));
}

#[test]
fn very_many_lines_are_not_joined_for_ever() {
    let mut reader = Reader::new();
    for line in std::iter::once("[").chain(std::iter::repeat_n("1,", 10_100)) {
        assert!(matches!(reader.read(line.as_bytes(), 0, FrameEnd::Newline).class, Class::NotJson { .. }));
    }
    // No message is open any more.
    assert_eq!(reader.read(b"1", 0, FrameEnd::Newline).class, Class::NotObject(Shape::Number));
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        PONG.as_bytes(),
        br#"{"method":"m","params":{"a":[1,{}]}}"#,
        br#"{"error":{"code":1,"message":"\ud800"},"id":"#,
        br#"{"result":"#,
        br#"{"a":1}"#,
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"1",
        b"\"",
        b"\\",
        b" ",
        b"\r",
        b"\x1b[0m",
        b"\0",
        b"NaN",
        b"-Infinity",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\xff",
        "é".as_bytes(),
        b"Content-Length: ",
    ];
    prop_oneof![
        9 => proptest::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>(), 0..8),
    ]
}

fn frame() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_comes_the_reading_is_true_of_it(
        frames in proptest::collection::vec((frame(), prop_oneof![Just(FrameEnd::Newline), Just(FrameEnd::Eof)]), 1..6),
    ) {
        let mut reader = Reader::new();
        for (frame, end) in frames {
            assert_true_of(&frame, &reader.read(&frame, 0, end));
        }
    }

    #[test]
    fn any_bytes_are_read(frame in proptest::collection::vec(any::<u8>(), 0..64)) {
        assert_true_of(&frame, &read(&frame));
    }

    #[test]
    fn a_message_in_any_noise_without_braces_is_found(before in "[^{\\n]{0,20}", after in "[^\\n]{0,20}") {
        let line = format!("{before}{PONG}{after}");
        let reading = read(&line);
        // Other messages cannot come about by chance.
        prop_assert_eq!(reading.messages().len(), 1, "{:?}", reading);
        assert_true_of(line.as_bytes(), &reading);
    }
}
