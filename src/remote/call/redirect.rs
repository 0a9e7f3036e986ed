//! Which redirects are followed: those within the origin that was asked, which frameworks send for a slash too many or
//! too few. Others would hand credentials to somebody else, or be a way into a network of one's own.

use crate::ports::ResponseHead;

/// How many redirects in a row are followed. (Our own: one is usual.)
pub(super) const MAX_REDIRECTS: usize = 3;

/// Where to ask instead, if the answer is a redirect that may be followed.
pub(super) fn target(method: &str, url: &str, head: &ResponseHead) -> Option<String> {
    let keeps_method = match head.status {
        307 | 308 => true,
        // Of these, clients make a GET of anything (RFC 9110, section 15.4), and that is another request.
        301..=303 => method == "GET",
        _ => false,
    };
    let location = head.header("Location").map(str::trim).filter(|_| keeps_method)?;
    // A backslash browsers read as a slash, and line ends as nothing, which others do not.
    if location.contains(|c: char| c == '\\' || c.is_control() || c.is_whitespace()) {
        return None;
    }
    let target = resolved(url, location)?;
    let is_within = port_told(origin(&target)?).eq_ignore_ascii_case(&port_told(origin(url)?));
    (is_within && target != url).then_some(target)
}

/// A reference as an absolute URL (RFC 3986, section 5.2); steps along the path are left to whoever asks for it.
fn resolved(url: &str, reference: &str) -> Option<String> {
    let origin = origin(url)?;
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let before_path = reference.split(['/', '?', '#']).next().unwrap_or_default();
    Some(match reference.chars().next()? {
        '#' => return None,
        '?' => format!("{path}{reference}"),
        '/' if reference.starts_with("//") => format!("{}{reference}", &origin[..=origin.find(':')?]),
        '/' => format!("{origin}{reference}"),
        _ if before_path.contains(':') => reference.to_owned(),
        _ => {
            let path = path.strip_prefix(origin).unwrap_or_default();
            let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
            format!("{origin}{folder}{reference}")
        }
    })
}

/// Scheme and authority.
fn origin(url: &str) -> Option<&str> {
    let start = url.find("://")? + 3;
    let length = url[start..].find(['/', '?', '#']).unwrap_or(url.len() - start);
    Some(&url[..start + length])
}

/// An origin with its port, be it the usual one.
fn port_told(origin: &str) -> String {
    let usual = if origin.len() > 5 && origin[..5].eq_ignore_ascii_case("https") { ":443" } else { ":80" };
    let has_port = origin.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    format!("{origin}{}", if has_port { "" } else { usual })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(method: &str, status: u16, location: &str) -> Option<String> {
        let head = ResponseHead { status, headers: vec![("location".to_owned(), location.to_owned())] };
        target(method, "https://a.example/rpc", &head)
    }

    #[test]
    fn redirects_within_the_origin_are_followed() {
        let there = Some("https://a.example/rpc/".to_owned());
        assert_eq!(follow("POST", 307, "/rpc/"), there);
        assert_eq!(follow("POST", 308, "https://a.example/rpc/"), there);
        assert_eq!(follow("GET", 301, "https://A.example/rpc/").unwrap(), "https://A.example/rpc/");
        assert_eq!(follow("GET", 302, "/rpc/"), there);
        for location in [
            "rpc/",
            "./rpc/",
            "?x",
            "//a.example/rpc/",
            "https://a.example:443/rpc/",
            "../x",
            "/rpc/?u=http://b.example",
        ] {
            let target = follow("POST", 307, location).unwrap_or_else(|| panic!("{location}"));
            assert!(
                target.starts_with("https://a.example/") || target.starts_with("https://a.example:443/"),
                "{target}"
            );
        }
        assert_eq!(follow("POST", 307, "rpc/"), there);
        assert_eq!(follow("POST", 307, "?x"), Some("https://a.example/rpc?x".to_owned()));
        let head = ResponseHead { status: 307, headers: vec![("location".to_owned(), "b/c".to_owned())] };
        assert_eq!(target("POST", "http://a.example:80", &head), Some("http://a.example:80/b/c".to_owned()));
        assert_eq!(target("POST", "https://a.example/x/y?z=/", &head), Some("https://a.example/x/b/c".to_owned()));
    }

    #[test]
    fn others_are_not() {
        for location in [
            "https://b.example/rpc",
            "http://a.example/rpc",
            "https://a.example:444/rpc",
            "https://a.example@b.example/",
            "https://a.example.b.example/",
            "https://a.example\\@b.example/",
            "//b.example/",
            "//a.example:80/",
            "http://a.example:443/",
            "https://a.example:/",
            "https://a.example\t.b.example/",
            "/\t/b.example/",
            "#top",
            "",
            "javascript:1",
            "javascript://a.example/",
            "https://a.example/rpc",
        ] {
            assert_eq!(follow("POST", 307, location), None, "{location}");
        }
        assert_eq!(follow("POST", 302, "/rpc/"), None);
        assert_eq!(follow("POST", 200, "/rpc/"), None);
        assert_eq!(follow("POST", 304, "/rpc/"), None);
    }
}
