//! Paths of file systems, hosts that are nobody else's business, and private addresses.

use super::phrase::has_any;
use super::word::{first_word, is_host, last_word, words};

/// What systems say of places that they cannot get at, and names of cloud resources. In lower case.
const PLACES: &[&str] = &[
    "enoent",
    "eacces",
    "enotfound",
    "econnrefused",
    "econnreset",
    "etimedout",
    "ehostunreach",
    "getaddrinfo",
    "dial tcp",
    "x509:",
    "httpconnectionpool",
    "max retries exceeded with url",
    "localhost:#",
    "arn:aws",
    "projects/~/secrets/",
    "jdbc:",
];

/// Whether a text, in lower case, names a place that is not for everybody.
pub(super) fn has_place(lower: &str) -> bool {
    has_any(lower, PLACES)
        || words(lower, is_of_path).any(|word| is_path(word) || has_host(word))
        || words(lower, is_of_address).any(is_private_address)
        || lower.match_indices("://").any(|(at, _)| is_url_inside(&lower[..at], &lower[at + 3..]))
}

/// Paths and hosts are written up to white space, quotes and brackets.
fn is_of_path(letter: char) -> bool {
    !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | '=')
}

/// A path of a file system. Those of URLs, like `/tasks/t1`, are none, and neither is `and/or`.
fn is_path(word: &str) -> bool {
    const ROOTS: &[&str] = &[
        "usr",
        "bin",
        "sbin",
        "dev",
        "home",
        "var",
        "etc",
        "opt",
        "app",
        "srv",
        "root",
        "tmp",
        "users",
        "proc",
        "lib",
        "mnt",
        "workspace",
        "private",
        "run",
        "data",
        "code",
    ];
    const EXTENSIONS: &[&str] = &[
        "py", "rs", "js", "mjs", "cjs", "ts", "java", "go", "rb", "php", "cs", "c", "cpp", "ex", "sh", "so", "dll",
        "exe", "bin", "gguf", "db", "sqlite", "log", "sock", "pem", "key", "env", "ini", "cfg", "conf", "toml", "yaml",
        "yml", "lock", "csv",
    ];
    if word.contains("://") {
        return false;
    }
    // `unix:/run/agent.sock`, `path:/srv/x`
    let word =
        word.rsplit_once(":/").filter(|(name, _)| name.len() > 1).map_or(word, |(name, _)| &word[name.len() + 1..]);
    let is_step = word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
    let file = word.trim_end_matches(['.', ':', '!', '?']).rsplit('/').next().unwrap_or_default();
    let has_extension = file.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension));
    let mut parts = word.split('/');
    let is_rooted = parts.next() == Some("")
        && parts.next().is_some_and(|root| ROOTS.contains(&root))
        && parts.next().is_some_and(|rest| !rest.is_empty());
    is_rooted || (is_step && has_extension) || word.starts_with("~/") || is_windows_path(word)
}

/// `c:\agents`, `d:/agents`, `\\server\share`
fn is_windows_path(word: &str) -> bool {
    match word.as_bytes() {
        [drive, b':', b'\\' | b'/', rest, ..] => drive.is_ascii_alphabetic() && rest.is_ascii_alphanumeric(),
        [b'\\', b'\\', rest, ..] => rest.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Last labels of names that only a network of one's own knows (RFC 6762 appendix G, RFC 8375, ICANN's `internal`).
const INSIDE: &[&str] = &["internal", "intranet", "private", "corp", "home", "lan", "local", "svc"];

/// A name of such a network, or one made of parts and with a port, as in `db-7f9c:5432`.
fn has_host(word: &str) -> bool {
    let authority = word.split_once("://").map_or(word, |(_, rest)| rest);
    let (name, rest) = first_word(authority, is_host);
    let name = name.trim_end_matches('.');
    let is_inside = name.rsplit_once('.').is_some_and(|(host, label)| !host.is_empty() && INSIDE.contains(&label));
    let port = rest.strip_prefix(':').unwrap_or_default().trim_end_matches(['.', '!', '?']);
    let has_port = matches!(port.parse(), Ok(1000..=u16::MAX)) && name.contains(['-', '.']) && !is_number(name);
    match rest.as_bytes() {
        [] | [b'/' | b':', ..] => is_inside || has_port,
        // Something else that has a name in it.
        [_, ..] => false,
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| !byte.is_ascii_alphabetic())
}

/// A URL of another scheme than the web's, or one whose host has but one label. A blank to fill in is no host.
fn is_url_inside(before: &str, after: &str) -> bool {
    let (_, scheme) = last_word(before, is_of_scheme);
    let (host, _) = first_word(after, is_host);
    let is_web = matches!(scheme, "http" | "https" | "ws" | "wss");
    !scheme.is_empty() && !host.is_empty() && (!is_web || !host.trim_end_matches('.').contains('.'))
}

fn is_of_scheme(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.')
}

fn is_of_address(letter: char) -> bool {
    letter.is_ascii_hexdigit() || matches!(letter, '.' | ':')
}

/// An address of a private network, of the machine itself, or of its link, with or without a port. (The standard library's
/// parser would be larger than all of these rules.)
fn is_private_address(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':']);
    let is_v6 = word == "::1" || word.matches(':').nth(1).is_some() && is_private_prefix(word.as_bytes());
    is_v6
        || octets(word.split(':').next().unwrap_or_default()).is_some_and(|octets| match octets {
            [10 | 127, _, _, _] | [192, 168, _, _] | [169, 254, _, _] => true,
            [172, second, _, _] => (16..=31).contains(&second),
            _ => false,
        })
}

/// fc00::/7 (RFC 4193) and fe80::/10 (RFC 4291), by the first group.
fn is_private_prefix(address: &[u8]) -> bool {
    matches!(address, [b'f', b'c' | b'd', _, _, b':', ..] | [b'f', b'e', b'8' | b'9' | b'a' | b'b', _, b':', ..])
}

/// The numbers of an IPv4 address.
fn octets(text: &str) -> Option<[u8; 4]> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    let octets = [numbers.next()??, numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(octets)
}
