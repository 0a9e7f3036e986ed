//! How a request and its answer look while they cross between JavaScript and WebAssembly: `js/boundary.js` is the other
//! side of everything here.

use std::borrow::Cow;
use std::fmt::Write;

use crate::protocol::http::{Body, Headers, JSON, Request, Response};

/// The body of a request: its text, unless `fault` says that there is none to be had.
pub(super) fn body(text: &str, fault: u32, limit: u64) -> Body<'_> {
    match fault {
        0 => Body::Bytes(text.as_bytes()),
        1 => Body::TooLarge { limit },
        _ => Body::NotUtf8,
    }
}

/// How many lines a head has before all headers follow, if they do.
const HEAD_LINES: usize = 12;

/// Order of the lines that make a head, after method and URL. `js/boundary.js` writes them in this order.
pub(super) fn request<'a>(head: &'a str, body: Body<'a>) -> Request<'a> {
    let mut lines = [""; HEAD_LINES + 1];
    let mut rest = Some(head);
    for line in &mut lines[..HEAD_LINES] {
        let Some(text) = rest else { break };
        (*line, rest) = cut(text, b'\n');
    }
    // What is left over is the rest, whole.
    lines[HEAD_LINES] = rest.unwrap_or_default();
    let [method, url, headers @ .., all] = lines;
    // An absent header and an empty one mean the same in every header that is read here.
    let headers = headers.map(|value| Some(value).filter(|value| !value.is_empty()));
    let [accept, content_type, version, extensions, authorization, origin, ray, rest @ ..] = headers;
    let [if_none_match, if_modified_since, preflight_method] = rest;
    let headers = Headers {
        accept,
        content_type,
        version,
        extensions,
        authorization,
        origin,
        ray,
        if_none_match,
        if_modified_since,
        preflight_method,
        all,
    };
    let (origin, path, query) = split_url(url);
    Request { method, origin, path, query, headers, body }
}

/// What comes before the first `end`, and what comes after it if it is there. Byte by byte: the pieces are short, and to
/// set up one of the standard library's searches costs more.
fn cut(text: &str, end: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|byte| byte == end) {
        Some(place) => (&text[..place], Some(&text[place + 1..])),
        None => (text, None),
    }
}

/// Origin, path and query of an absolute URL as a browser or workerd writes it: normalised, without a fragment.
fn split_url(url: &str) -> (&str, &str, &str) {
    // The scheme has two slashes behind it.
    let mut slashes = 0;
    let is_end = |byte: u8| {
        slashes += u8::from(byte == b'/');
        byte == b'?' || slashes == 3
    };
    let (origin, rest) = url.split_at(url.bytes().position(is_end).unwrap_or(url.len()));
    let (path, query) = cut(rest, b'?');
    (origin, path, query.unwrap_or_default())
}

/// A response as one string: status, then a line for each header, an empty line, the body. What nearly every JSON-RPC
/// call gets, an object as JSON with status 200 and no other header, is the body alone.
pub(super) fn frame(response: &Response) -> Cow<'_, str> {
    let is_plain = response.status == 200 && response.content_type == Some(JSON) && response.headers.is_empty();
    if is_plain && response.body.starts_with('{') {
        return Cow::Borrowed(&response.body);
    }
    let mut text = String::with_capacity(response.body.len() + 128);
    // Writing to a String does not fail.
    let _ = write!(text, "{}", response.status);
    if let Some(content_type) = response.content_type {
        let _ = write!(text, "\nContent-Type: {content_type}");
    }
    for (name, value) in &response.headers {
        let _ = write!(text, "\n{name}: {value}");
    }
    text.push_str("\n\n");
    text.push_str(&response.body);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_line_by_line() {
        let head = "POST\nhttps://a.example:8443/x/tasks?a=1&b=?\napplication/json\n\n1.0\n\nBearer t\n\n8f-FRA";
        let request = request(head, Body::Bytes(b"{}"));
        assert_eq!((request.method, request.origin), ("POST", "https://a.example:8443"));
        assert_eq!((request.path, request.query, request.body), ("/x/tasks", "a=1&b=?", Body::Bytes(b"{}")));
        let headers = request.headers;
        assert_eq!((headers.accept, headers.content_type), (Some("application/json"), None));
        assert_eq!((headers.version, headers.extensions), (Some("1.0"), None));
        assert_eq!((headers.authorization, headers.ray), (Some("Bearer t"), Some("8f-FRA")));
    }

    #[test]
    fn all_headers_follow_where_they_are_wanted() {
        let request = request("GET\nhttp://h/\n\n\n\n\n\n\n\n\n\n\nx-a: 1\ntraceparent: 00-a: b", Body::default());
        assert_eq!(request.headers.preflight_method, None);
        assert_eq!((request.headers.get("x-a"), request.headers.get("traceparent")), (Some("1"), Some("00-a: b")));
        assert_eq!((request.headers.get("a"), request.headers.get("00-a")), (None, None));
    }

    #[test]
    fn a_url_without_path_or_query_is_read() {
        assert_eq!(split_url("http://127.0.0.1:8787"), ("http://127.0.0.1:8787", "", ""));
        assert_eq!(split_url("http://h/"), ("http://h", "/", ""));
        assert_eq!(split_url("http://h?x=/y"), ("http://h", "", "x=/y"));
        assert_eq!(split_url(""), ("", "", ""));
    }

    #[test]
    fn an_object_under_200_is_its_own_frame_and_all_else_is_told_in_lines() {
        let object = || Response::new(200, JSON, "{\"a\":1}".to_owned());
        assert_eq!(frame(&object()), "{\"a\":1}");
        let with_header = object().with_header("Vary", "Origin");
        assert_eq!(frame(&with_header), "200\nContent-Type: application/json\nVary: Origin\n\n{\"a\":1}");
        let list = Response { body: "[1]".to_owned(), ..object() };
        assert_eq!(frame(&list), "200\nContent-Type: application/json\n\n[1]");
        assert_eq!(frame(&Response { status: 404, ..object() }), "404\nContent-Type: application/json\n\n{\"a\":1}");
        assert_eq!(frame(&Response::empty(204)), "204\n\n");
    }
}
