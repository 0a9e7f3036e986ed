//! Which webhooks may be called (specification 13.2): whoever registers one names a host that *this* agent will send
//! requests to, from inside whatever network it runs in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest URL. (Our own: the limit that servers commonly have.)
const MAX_URL_BYTES: usize = 2_048;

/// Names that mean a place within the network, whatever they resolve to (RFC 6761, 6762, 8375, and the metadata services
/// of clouds).
const PRIVATE_SUFFIXES: [&str; 6] = ["localhost", "local", "internal", "intranet", "lan", "home.arpa"];

/// Checks the URL of a webhook. In development, any http or https URL will do.
///
/// A public name can still resolve to a private address. On Workers that is no way in, since a Worker has no network of
/// its own; elsewhere it is the [`Fetch`](crate::ports::Fetch) adapter's to see to.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(url: &str, in_development: bool) -> Result<(), &'static str> {
    if url.len() > MAX_URL_BYTES {
        return Err("is too long");
    }
    // What is stripped or read in another way by one of the parsers on its way may hide another host.
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return Err("must be an absolute URL in ASCII");
    }
    let (scheme, rest) = url.split_once("://").ok_or("must be an absolute URL")?;
    let is = |wanted: &str| scheme.eq_ignore_ascii_case(wanted);
    if !(is("https") || in_development && is("http")) {
        return Err("must be an https URL");
    }
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if authority.contains('@') {
        return Err("must not hold credentials");
    }
    let host = host(authority).ok_or("must name a host")?;
    if in_development || is_public(host) { Ok(()) } else { Err("must name a public host") }
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            (host, port.strip_prefix(':').or_else(|| port.is_empty().then_some(""))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    let is_port = port.is_empty() || port.parse::<u16>().is_ok();
    (!host.is_empty() && is_port).then_some(host)
}

fn is_public(host: &str) -> bool {
    if host.contains(':') {
        return host.parse::<Ipv6Addr>().is_ok_and(|address| is_public_address(IpAddr::V6(address)));
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let mut labels = name.rsplit('.');
    let last = labels.next().unwrap_or_default();
    // What ends in a number is an IPv4 address to browsers and to workerd, in any of its old forms (WHATWG URL, 3.5): only the
    // usual one is taken, without leading zeros.
    if last.starts_with(|first: char| first.is_ascii_digit()) {
        return name.parse::<Ipv4Addr>().is_ok_and(|address| is_public_address(IpAddr::V4(address)));
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let is_private = |suffix: &str| name == suffix || name.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.'));
    name.contains('.') && name.split('.').all(is_label) && !PRIVATE_SUFFIXES.into_iter().any(is_private)
}

/// Addresses that are reached over the Internet (IANA special-purpose registries).
fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let segments = address.segments();
            let embedded = match segments {
                // Mapped (RFC 4291), and translated (RFC 6052).
                [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
                // 6to4 (RFC 3056).
                [0x2002, high, low, ..] => Some((high, low)),
                _ => None,
            };
            if let Some((high, low)) = embedded {
                return is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
            }
            // Global unicast, without documentation and Teredo.
            segments[0] & 0xe000 == 0x2000 && !matches!(segments, [0x2001, 0xdb8 | 0, ..] | [0x3fff, ..])
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        [0 | 10 | 127 | 224..=255, ..]
            | [100, 64..=127, ..]
            | [169, 254, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_hosts_over_https_will_do() {
        for url in [
            "https://hooks.example.com/a2a?key=1",
            "HTTPS://Example.COM",
            "https://example.com:8443/",
            "https://example.com./",
            "https://xn--bcher-kva.example/",
            "https://8.8.8.8/",
            "https://[2606:4700:4700::1111]:443/x",
            "https://[::ffff:8.8.8.8]/",
            "https://localhost.example.com/",
            "https://10.example.com/",
        ] {
            assert_eq!(check(url, false), Ok(()), "{url}");
        }
    }

    #[test]
    fn other_places_will_not() {
        for url in [
            "",
            "example.com",
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "https://",
            "https:///path",
            "https://user:pass@example.com/",
            "https://example.com@10.0.0.1/",
            "https://example.com\\@10.0.0.1/",
            "https://exa mple.com/",
            "https://example.com/\r\nX: y",
            "https://bücher.example/",
            "https://example.com:http/",
            "https://example.com:99999/",
            "https://localhost/",
            "https://a.localhost:8443/",
            "https://printer.local/",
            "https://metadata.google.internal/computeMetadata/v1/",
            "https://router.home.arpa/",
            "https://intranet/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.0.0.1/",
            "https://0177.0.0.1/",
            "https://127.0.0.1./",
            "https://10.1.2.3/",
            "https://172.16.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://100.64.0.1/",
            "https://0.0.0.0/",
            "https://255.255.255.255/",
            "https://224.0.0.1/",
            "https://192.0.2.1/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::7f00:1]/",
            "https://[64:ff9b::a9fe:a9fe]/",
            "https://[2002:7f00:1::]/",
            "https://[fe80::1]/",
            "https://[fd00:ec2::254]/",
            "https://[ff02::1]/",
            "https://[2001:db8::1]/",
            "https://[::1",
            "https://[::1]x/",
            "https://%31%32%37.0.0.1/",
        ] {
            assert!(check(url, false).is_err(), "{url}");
        }
        assert!(check(&format!("https://example.com/{}", "x".repeat(MAX_URL_BYTES)), false).is_err());
    }

    #[test]
    fn a_developer_may_call_herself() {
        for url in ["http://127.0.0.1:9000/hook", "http://localhost/", "https://example.com/"] {
            assert_eq!(check(url, true), Ok(()), "{url}");
        }
        for url in ["ftp://127.0.0.1/", "http://a:b@localhost/", "localhost", "http://"] {
            assert!(check(url, true).is_err(), "{url}");
        }
    }
}
