//! Version negotiation (specification 3.6).

use super::error::A2aError;
use super::path::{MAX_ECHO, clipped};

/// The protocol versions that are served, as `Major.Minor`.
pub const SERVED: &[&str] = &["1.0"];

/// The version that a request without one asks for (specification 3.6.2).
const UNSTATED: &str = "0.3";

/// Checks the `A2A-Version` that a request asks for; `assume` stands in where it asks for none.
///
/// # Errors
/// `-32009`, with the version that was asked for and those that are served.
pub fn check(requested: Option<&str>, assume: Option<&str>) -> Result<(), A2aError> {
    match stated(requested).or_else(|| stated(assume)) {
        Some(version) if SERVED.contains(&version) => Ok(()),
        Some(version) => Err(A2aError::version_not_supported(clipped(version, MAX_ECHO), SERVED)),
        None => Err(A2aError::version_not_supported(UNSTATED, SERVED).with_message(
            "Version not supported: a request without a version asks for 0.3; send the header A2A-Version: 1.0",
        )),
    }
}

/// The version without the space around it, if there is one.
fn stated(version: Option<&str>) -> Option<&str> {
    version.map(str::trim).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn refused(requested: Option<&str>) -> A2aError {
        let error = check(requested, None).unwrap_err();
        assert_eq!((error.kind(), error.code(), error.http_status()), (ErrorKind::VersionNotSupported, -32009, 400));
        assert_eq!(error.metadata("supportedVersions"), Some("1.0"));
        error
    }

    #[test]
    fn version_1_0_is_served() {
        assert!(check(Some("1.0"), None).is_ok());
        assert!(check(Some(" 1.0\t"), None).is_ok());
    }

    #[test]
    fn no_version_means_0_3_and_the_message_names_the_header() {
        for requested in [None, Some(""), Some("  ")] {
            let error = refused(requested);
            assert_eq!(error.metadata("version"), Some("0.3"));
            assert!(error.message().starts_with("Version not supported"));
            assert!(error.message().contains("A2A-Version: 1.0"));
        }
    }

    #[test]
    fn other_versions_are_refused_by_name_under_the_usual_message() {
        for requested in ["0.3", "99.0", "1.0.1", "1", "1.00", "v1.0", "1.0, 1.0", "\u{661}.0"] {
            let error = refused(Some(requested));
            assert_eq!(error.metadata("version"), Some(requested));
            assert_eq!(error.message(), "Version not supported");
        }
    }

    #[test]
    fn an_assumed_version_stands_in_for_none_and_for_no_other() {
        assert!(check(None, Some("1.0")).is_ok());
        assert!(check(Some(""), Some("1.0")).is_ok());
        assert_eq!(check(Some("0.3"), Some("1.0")).unwrap_err().metadata("version"), Some("0.3"));
        assert_eq!(check(None, Some("0.9")).unwrap_err().metadata("version"), Some("0.9"));
    }

    #[test]
    fn a_long_version_is_not_sent_back_whole() {
        let error = refused(Some(&"\u{e4}".repeat(1000)));
        assert_eq!(error.metadata("version"), Some("\u{e4}".repeat(32).as_str()));
    }
}
