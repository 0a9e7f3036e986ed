//! Expectations are those of the HTML specification's own examples (9.2.6) and parsing rules (9.2.5, 9.2.6).

use proptest::prelude::*;

use super::*;

fn frame(data: &str) -> Frame {
    Frame { event: None, data: data.to_owned(), id: None }
}

fn decode(stream: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    Decoder::default().push(stream, &mut frames).unwrap();
    frames
}

/// The data of every frame.
fn data(stream: &str) -> Vec<String> {
    decode(stream.as_bytes()).into_iter().map(|frame| frame.data).collect()
}

#[test]
fn an_event_is_its_lines_of_data() {
    assert_eq!(event("{\"a\":1}"), "data: {\"a\":1}\n\n");
    assert_eq!(event("one\r\ntwo\rthree\n\nfive"), "data: one\ndata: two\ndata: three\ndata: \ndata: five\n\n");
    assert_eq!(event(""), "data: \n\n");
}

#[test]
fn a_comment_never_becomes_a_field() {
    assert_eq!(comment("keep-alive"), ": keep-alive\n\n");
    assert_eq!(comment("a\ndata: x"), ": a\n: data: x\n\n");
    assert_eq!(decode(comment("a\r\ndata: x").as_bytes()), []);
}

#[test]
fn every_line_end_ends_a_line() {
    for stream in ["data: a\ndata: b\n\ndata: c\n\n", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"] {
        assert_eq!(data(stream), ["a\nb", "c"], "{stream:?}");
    }
    assert_eq!(data("data: a\rdata: b\r\rdata: c\r\r"), ["a\nb", "c"]);
    assert_eq!(data("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n"), ["a", "b", "c"]);
    assert_eq!(data("\r\n\r\ndata: a\n\r"), ["a"]);
}

#[test]
fn one_space_after_the_colon_is_no_data() {
    assert_eq!(data("data:a\n\ndata:  b\n\ndata\n\ndata:\n\n"), ["a", " b", "", ""]);
}

#[test]
fn the_examples_of_the_html_specification() {
    assert_eq!(data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
    let four = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n";
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        decode(four.as_bytes()),
        [
            Frame { id: id("1"), ..frame("first event") },
            // "id" alone resets the last event id to the empty string.
            Frame { id: id(""), ..frame("second event") },
        ]
    );
    assert_eq!(data("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
    assert_eq!(data("data:test\n\ndata: test\n\n"), ["test", "test"]);
}

#[test]
fn there_need_be_no_limit() {
    let mut frames = Vec::new();
    Decoder::new(usize::MAX).push(b"data: a line that is longer than that\n\n", &mut frames).unwrap();
    assert_eq!(frames.len(), 1);
}

#[test]
fn names_ids_and_waits_are_kept() {
    let mut decoder = Decoder::default();
    let mut frames = Vec::new();
    decoder.push(b"id: 7\nevent: error\nretry: 2500\ndata: x\n\ndata: y\n\n", &mut frames).unwrap();
    let id = Some("7".to_owned());
    assert_eq!(
        frames,
        [Frame { event: Some("error".to_owned()), data: "x".to_owned(), id: id.clone() }, Frame { id, ..frame("y") },]
    );
    assert_eq!(decoder.retry(), Some(std::time::Duration::from_millis(2500)));
}

#[test]
fn what_is_no_field_is_ignored() {
    assert_eq!(data("dat: a\n data: b\nDATA: c\nretry: 1x\nretry: -1\nid: a\0b\ndata: d\n\n"), ["d"]);
    assert_eq!(decode(b"id: a\0b\ndata: d\n\n"), [frame("d")]);
    // An event without data is none, and its name does not stick to the next.
    assert_eq!(decode(b"event: error\n\ndata: a\n\n"), [frame("a")]);
}

#[test]
fn a_byte_order_mark_counts_at_the_start_alone() {
    assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\ndata: \u{feff}c\n\n"), ["a", "\u{feff}c"]);
    assert_eq!(data("\u{feff}\ndata: a\n\n"), ["a"]);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(decode(b"data: a\xff\xe2\x82b\n\n"), [frame("a\u{fffd}\u{fffd}b")]);
}

#[test]
fn what_the_end_cuts_off_is_there_for_who_asks() {
    let rest = |stream: &[u8]| {
        let (mut decoder, mut frames) = (Decoder::default(), Vec::new());
        decoder.push(stream, &mut frames).unwrap();
        assert_eq!(frames, []);
        decoder.finish().unwrap()
    };
    assert_eq!(rest(b"data: a\ndata: b"), Some(frame("a\nb")));
    assert_eq!(rest(b"data: a\r"), Some(frame("a")));
    assert_eq!(rest(b": c"), None);
    assert_eq!(rest(b"event: error"), None);
    assert_eq!(rest(b""), None);
}

#[test]
fn a_frame_has_a_limit_however_it_is_made() {
    let limited = |stream: &[u8]| {
        let mut frames = Vec::new();
        let result = Decoder::new(10).push(stream, &mut frames);
        (result, frames)
    };
    let too_large = Err(FrameTooLarge { limit: 10 });
    assert_eq!(limited(b"data: 0123456789\n\n"), (Ok(()), vec![frame("0123456789")]));
    assert_eq!(limited(b"data: a\n\ndata: 0123456789a\n\n"), (too_large, vec![frame("a")]));
    assert_eq!(limited(b"data: 01234\ndata: 6789\n\n"), (Ok(()), vec![frame("01234\n6789")]));
    assert_eq!(limited(b"data: 01234\ndata: 67890\n\n").0, too_large);
    // Lines that never end, and lines that never become a frame.
    assert_eq!(limited(&[b'x'; 100]).0, too_large);
    assert_eq!(limited(&b"data\n".repeat(20)).0, too_large);
    assert_eq!(limited(&b": c\n".repeat(20)), (Ok(()), vec![]));
}

/// Streams made of what matters to a decoder, among it halves of characters.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"data",
        b"event",
        b"id",
        b"retry",
        b":",
        b": ",
        b" ",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\xef\xbb\xbf",
        b"\xef",
        b"\xbb",
        "ä€😀".as_bytes(),
        b"\xe2\x82",
        b"{\"a\":1}",
        b"12",
        b"\0",
        b"x",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(stream in stream(), cuts in prop::collection::vec(0_usize..200, 0..8), limit in 4_usize..60) {
        let whole = {
            let (mut decoder, mut frames) = (Decoder::new(limit), Vec::new());
            let result = decoder.push(&stream, &mut frames);
            (result, frames, result.is_ok().then(|| decoder.finish()))
        };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let (mut decoder, mut frames) = (Decoder::new(limit), Vec::new());
        let result = cuts.windows(2).try_for_each(|cut| decoder.push(&stream[cut[0]..cut[1]], &mut frames));
        prop_assert_eq!((result, frames, result.is_ok().then(|| decoder.finish())), whole);
    }

    #[test]
    fn what_is_encoded_is_decoded(texts in prop::collection::vec("[^\r]*", 0..5)) {
        let stream: String = texts.iter().map(|text| event(text)).collect();
        prop_assert_eq!(data(&stream), texts);
    }
}
