//! Which URLs can be asked.

use std::net::{Ipv4Addr, Ipv6Addr};

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
        None if ends_in_a_number(host) => host.parse::<Ipv4Addr>().is_ok(),
        // What no host may hold (URL standard, "forbidden host code point"); `@` ends credentials.
        None => !host.is_empty() && !host.contains(['%', ':', '<', '>', '@', '[', ']', '^', '|']),
    };
    let is_port = port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let is_scheme = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    is_scheme && is_host && is_port && !url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\')
}

/// Whether a host can only be an address (URL standard, "ends in a number checker"). Of its forms, only that of four decimal
/// numbers is taken.
fn ends_in_a_number(host: &str) -> bool {
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default();
    !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
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
            "https://7.agent.example",
            "https://agent7.example7",
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
            "http://1.2.3.999",
            "http://1.2.3.4.",
            "http://127.1/rpc",
            "http://agent.7",
        ] {
            let fault = fault("url", url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(fault.field, "url");
        }
    }
}
