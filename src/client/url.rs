//! Which URLs can be asked.

use std::net::Ipv6Addr;

use crate::protocol::details::FieldViolation;

/// What is wrong with a URL that the caller gave under this name: that it is none of HTTP, absolute and without credentials.
/// A platform would report it as if nobody answered, and some only when it is asked.
pub(super) fn fault(name: impl Into<String>, url: &str) -> Option<FieldViolation> {
    let rule = "must be an absolute http or https URL, without credentials";
    (!is_http(url)).then(|| FieldViolation::new(name, rule))
}

fn is_http(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        Some(_) | None => (authority, ""),
    };
    let is_host = match host.strip_prefix('[') {
        Some(address) => address.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
        // What no host may hold (URL standard, "forbidden host code point"); `@` ends credentials.
        None => !host.is_empty() && !host.contains(['%', ':', '<', '>', '@', '[', ']', '^', '|']),
    };
    let is_port = port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let is_scheme = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    is_scheme && is_host && is_port && !url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_asked_is_let_through() {
        for url in [
            "https://agent.example",
            "HTTP://agent.example/a%20b?key=user@host:1#top",
            "http://127.0.0.1:8787/rpc",
            "http://[::1]:8787",
            "http://[::1]",
            "https://localhost:/",
            "https://bücher.example/ä",
        ] {
            assert_eq!(fault("url", url), None, "{url}");
        }
    }

    #[test]
    fn what_cannot_is_not() {
        for url in [
            "",
            "nonsense",
            "agent.example",
            "/rpc",
            "//agent.example",
            "ftp://agent.example",
            "https:/agent.example",
            "https://",
            "https:///rpc",
            "https://:80",
            "https://agent.example:port",
            "https://agent.example:70000",
            "https://agent.example:+80",
            "https://agent.example:80:80",
            "https://a b.example",
            " https://agent.example",
            "https://agent.example/a\nb",
            "https://agent.example\\rpc",
            "https://user:secret@agent.example",
            "http://[::1",
            "http://[nonsense]",
            "http://<agent>",
            "http://%zz/",
        ] {
            let fault = fault("url", url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(fault.field, "url");
        }
    }
}
