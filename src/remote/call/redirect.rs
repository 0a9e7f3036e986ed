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
    if location.contains('\\') {
        return None; // browsers read it as a slash, others do not
    }
    let origin = origin(url)?;
    let target = if location.starts_with('/') && !location.starts_with("//") {
        format!("{origin}{location}")
    } else {
        location.to_owned()
    };
    let is_within = self::origin(&target).is_some_and(|other| other.eq_ignore_ascii_case(origin));
    (is_within && target != url).then_some(target)
}

/// Scheme and authority.
fn origin(url: &str) -> Option<&str> {
    let start = url.find("://")? + 3;
    let length = url[start..].find(['/', '?', '#']).unwrap_or(url.len() - start);
    Some(&url[..start + length])
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
            "rpc/",
            "",
            "javascript:1",
            "https://a.example/rpc",
        ] {
            assert_eq!(follow("POST", 307, location), None, "{location}");
        }
        assert_eq!(follow("POST", 302, "/rpc/"), None);
        assert_eq!(follow("POST", 200, "/rpc/"), None);
        assert_eq!(follow("POST", 304, "/rpc/"), None);
    }
}
