//! Texts that must not be passed on: internals of the agent that sent them, and secrets.
//!
//! A guess, and one that errs on the side of silence: what is suspected is replaced by the default text of its kind, so
//! that the caller loses a sentence and never the kind of error. No regular expressions: they would cost more of the
//! upload than all of the normaliser.

/// Whether a text looks like something that only its author should see: a stack, a path, a query, markup, an address, a
/// secret.
pub(super) fn is_internal(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    is_secret(text)
        || contains_any(&lower, TRACES)
        || contains_any(&lower, QUERIES)
        || contains_any(&lower, MARKUP)
        || contains_any(&lower, ADDRESSES)
        || has_query(text, &lower)
        || has_source_line(&lower)
        || has_path(text)
        || has_dotted_exception(text)
        || has_private_address(&lower)
        || text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
}

/// Whether a text looks like it holds a credential.
pub(super) fn is_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    contains_any(&lower, SECRETS) || has_assigned_secret(&lower) || has_credentials_in_url(&lower) || has_token(text)
}

fn contains_any(text: &str, needles: &[&str]) -> bool {
    needles.iter().any(|needle| text.contains(needle))
}

/// Stack traces and crashes, in lower case.
const TRACES: &[&str] = &[
    "traceback (most recent call last)",
    "\n    at ",
    "\n\tat ",
    "stack backtrace",
    "stacktrace",
    "stack trace:",
    "panicked at",
    "goroutine ",
    "caused by:",
    "exception in thread",
    "segmentation fault",
    "node_modules/",
    "site-packages/",
    "<anonymous>",
    "nullpointerexception",
    "cannot read properties of",
    "is not a function",
    "undefined method",
    "runtime error:",
    "segfault",
    "keyerror:",
    "no such file or directory",
];

/// What databases and their drivers say.
const QUERIES: &[&str] = &[
    "sqlstate",
    "relation \"",
    "wrongtype operation",
    "mysql error",
    "deadlock detected",
    "psycopg",
    "sqlalchemy",
    "sqlite",
    "activerecord::",
    "syntax error at or near",
    "violates unique constraint",
    "violates foreign key constraint",
    "you have an error in your sql syntax",
    "ora-0",
    "[sql:",
    "insert into ",
    "delete from ",
    "select * from",
];

const MARKUP: &[&str] = &[
    "<!doctype",
    "<!--",
    "</",
    "<html",
    "<head",
    "<body",
    "<pre",
    "<title",
    "<script",
    "<div",
    "<p>",
    "<h1",
    "<br",
    "<?xml",
];

/// Where something inside can be reached.
const ADDRESSES: &[&str] = &[
    "localhost:",
    "127.0.0.1:",
    "[::1]:",
    "0.0.0.0:",
    "169.254.",
    ".internal:",
    ".ec2.",
    "://internal.",
    ".corp:",
    "s3://",
    "gs://",
    ".svc.cluster",
    "econnrefused",
    "enoent",
    "jdbc:",
    "postgres://",
    "postgresql://",
    "mysql://",
    "mongodb://",
    "mongodb+srv://",
    "redis://",
    "amqp://",
    "file://",
    "unix:/",
];

const SECRETS: &[&str] = &["bearer ey", "authorization:", "authorization\":", "-----begin", "set-cookie", "x-api-key:"];

/// SQL is told from a sentence by its capitals, or by clauses that no sentence has.
fn has_query(text: &str, lower: &str) -> bool {
    (text.contains("SELECT ") && text.contains(" FROM "))
        || (text.contains("UPDATE ") && text.contains(" SET "))
        || (lower.contains("select ") && lower.contains(" from ") && lower.contains(" where "))
        || (lower.contains("update ") && lower.contains(" set ") && lower.contains(" = "))
}

/// `app.py", line 3`, `main.rs:12:5`, `Task.java:88`.
fn has_source_line(lower: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        ".py", ".rs", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".java", ".kt", ".go", ".rb", ".php", ".cs", ".c", ".cpp",
        ".ex", ".exs",
    ];
    EXTENSIONS.iter().any(|extension| {
        lower.match_indices(extension).any(|(at, _)| {
            let rest = &lower[at + extension.len()..];
            let numbered = rest.strip_prefix(':').or_else(|| rest.strip_prefix('(')).unwrap_or_default();
            rest.starts_with("\", line ") || numbered.starts_with(|first: char| first.is_ascii_digit())
        })
    })
}

/// A path of a file system. Paths of URLs, like `/tasks/t1`, are none.
fn has_path(text: &str) -> bool {
    const ROOTS: &[&str] = &[
        "/usr/",
        "/home/",
        "/var/",
        "/etc/",
        "/opt/",
        "/app/",
        "/srv/",
        "/root/",
        "/tmp/",
        "/users/",
        "/proc/",
        "/lib/",
        "/mnt/",
        "/workspace/",
        "/private/",
        "/run/",
        "/data/",
        "/code/",
    ];
    let lower = text.to_ascii_lowercase();
    let unix = ROOTS.iter().any(|root| lower.match_indices(root).any(|(at, _)| !continues_a_word(&lower, at)));
    let windows = lower.as_bytes().windows(3).enumerate().any(|(at, window)| {
        window[0].is_ascii_alphabetic()
            && window[1] == b':'
            && window[2] == b'\\'
            && (at == 0 || !lower.as_bytes()[at - 1].is_ascii_alphanumeric())
    });
    unix || windows || text.starts_with("\\\\")
}

/// Whether what stands at `at` goes on from a word, as the path of a URL does from its host.
fn continues_a_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(|before| before.is_ascii_alphanumeric() || matches!(before, '.' | '}'))
}

/// `java.lang.IllegalStateException`, `sqlalchemy.exc.OperationalError`, `ActiveRecord::RecordNotFound`.
fn has_dotted_exception(text: &str) -> bool {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | ':' | '$'))).any(
        |word| {
            let word = word.trim_end_matches([':', '.']);
            let is_qualified = word.contains('.') || word.contains("::");
            word.ends_with("Exception") || (is_qualified && (word.ends_with("Error") || word.contains("::")))
        },
    )
}

/// An address of RFC 1918.
fn has_private_address(lower: &str) -> bool {
    lower.split(|letter: char| !(letter.is_ascii_digit() || letter == '.')).any(|word| {
        let mut octets = word.trim_matches('.').split('.').map(|octet| octet.parse::<u8>().ok());
        let address =
            [octets.next().flatten(), octets.next().flatten(), octets.next().flatten(), octets.next().flatten()];
        octets.next().is_none()
            && match address {
                [Some(10), Some(_), Some(_), Some(_)] | [Some(192), Some(168), Some(_), Some(_)] => true,
                [Some(172), Some(second), Some(_), Some(_)] => (16..=31).contains(&second),
                _ => false,
            }
    })
}

/// `password=…`, `"api_key": "…"`.
fn has_assigned_secret(lower: &str) -> bool {
    const NAMES: &[&str] = &[
        "password",
        "passwd",
        "pwd",
        "secret",
        "api_key",
        "apikey",
        "api-key",
        "access_key",
        "accesskey",
        "private_key",
        "access_token",
        "refresh_token",
        "auth_token",
        "client_secret",
        "token",
    ];
    NAMES.iter().any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let rest = lower[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
            let is_assigned = rest.starts_with('=') || rest.starts_with(':');
            let value = rest.get(1..).unwrap_or_default().trim_start_matches([' ', '"', '\'']);
            // "token: missing" is a sentence; a value has no space for a while, or comes behind "=".
            let length = value.find(|letter: char| letter.is_whitespace()).unwrap_or(value.len());
            is_assigned && (rest.starts_with('=') || length >= 12) && length > 0
        })
    })
}

/// `scheme://user:password@host`.
fn has_credentials_in_url(lower: &str) -> bool {
    lower.match_indices("://").any(|(at, separator)| {
        let rest = &lower[at + separator.len()..];
        let authority =
            rest.split(|end: char| end.is_whitespace() || matches!(end, '/' | '?' | '#' | '"' | '\'')).next();
        authority.is_some_and(|authority| authority.contains('@'))
    })
}

/// Tokens that can be told by their first letters: JWTs, and keys of well-known services.
fn has_token(text: &str) -> bool {
    const PREFIXES: &[(&str, usize)] = &[
        ("eyJ", 20),
        ("sk-", 16),
        ("sk_live_", 16),
        ("ghp_", 20),
        ("gho_", 20),
        ("github_pat_", 20),
        ("xoxb-", 16),
        ("AKIA", 16),
        ("AIza", 20),
    ];
    let is_token = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    text.split(|letter: char| !is_token(letter))
        .any(|word| PREFIXES.iter().any(|(prefix, length)| word.len() >= *length && word.starts_with(prefix)))
}

/// Whether metadata of this name is never passed on, whatever its value.
pub(super) fn is_internal_key(key: &str) -> bool {
    const KEYS: &[&str] = &[
        "authorization",
        "cookie",
        "password",
        "secret",
        "token",
        "accesstoken",
        "apikey",
        "credentials",
        "stack",
        "stacktrace",
        "traceback",
        "trace",
        "debug",
        "debuginfo",
        "sql",
        "hostname",
        "env",
    ];
    let plain: String = key.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    KEYS.contains(&plain.to_ascii_lowercase().as_str()) || is_internal(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internals_are_seen() {
        for text in [
            "Traceback (most recent call last):\n  File \"app.py\", line 3, in <module>",
            "TypeError: x is undefined\n    at handle (server.js:12:5)",
            "thread 'main' panicked at src/main.rs:4:5",
            "boom in Task.java:88",
            "failed in agent.py\", line 12",
            "goroutine 7 [running]:",
            "cannot open /var/lib/agent/tasks.db",
            "no such file: C:\\agents\\task.json",
            "\\\\server\\share is gone",
            "(psycopg2.errors.UniqueViolation) duplicate key",
            "SELECT id, body FROM tasks WHERE owner = 'a'",
            "select id from tasks where id = 1",
            "UPDATE tasks SET state = 1",
            "insert into tasks values (1)",
            "[SQL: x] [parameters: y]",
            "<!DOCTYPE html><title>502</title>",
            "<html>oops</html>",
            "error: <b>bold</b>",
            "sqlalchemy.exc.OperationalError: gone",
            "java.lang.IllegalStateException: no",
            "NullPointerException",
            "ActiveRecord::RecordNotFound",
            "connect ECONNREFUSED",
            "upstream localhost:5432 refused",
            "no route to 10.0.3.7:6379",
            "172.20.0.4 is down",
            "192.168.1.1",
            "bell\u{7}",
        ] {
            assert!(is_internal(text), "{text}");
        }
    }

    #[test]
    fn secrets_are_seen() {
        for text in [
            "https://user:hunter2@db.example.com/x",
            "postgres://agent@db/tasks",
            "password=hunter2",
            "token=abc",
            "{\"api_key\": \"0123456789abcdef\"}",
            "Authorization: Basic dXNlcjpwYXNz",
            "sent Bearer eyJhbGciOiJIUzI1NiJ9",
            "key sk-0123456789abcdef0123",
            "AKIA0123456789ABCDEF",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            "-----BEGIN PRIVATE KEY-----",
        ] {
            assert!(is_secret(text) && is_internal(text), "{text}");
        }
    }

    #[test]
    fn harmless_texts_are_left_alone() {
        for text in [
            "",
            "Task not found",
            "gone",
            "no field named foo",
            "Operation not supported: CancelTask",
            "Task t9 is in state TASK_STATE_COMPLETED",
            "message.parts[0].mediaType must be a string",
            "Media type text/plain is not supported; use application/json",
            "GET /tasks/t9 is not allowed, see https://example.com/docs/errors",
            "https://example.com/home/page and https://example.com/tmp/x are fine",
            "Please select a file from the list",
            "Version 99.0 is not supported; supported are 1.0, 0.3",
            "The token is missing",
            "token: expired",
            "Send a pageToken of 20 characters",
            "TaskNotFoundError: Task t9 was not found",
            "Agent is overloaded, retry later",
            "Rate limit of 10.5 requests per second exceeded",
            "Model gpt-4.1.0.2 is not available",
            "Bitte später noch einmal — 再試行",
            "Must be one of: a, b\nor c",
            "Use 8.8.8.8 or 172.32.0.1",
            "Write to support@example.com",
            "A webhook must not be on localhost",
            "if a < b and c > d",
        ] {
            assert!(!is_internal(text), "{text}");
        }
    }

    #[test]
    fn names_of_internals_are_seen_in_any_spelling() {
        for key in ["stackTrace", "stack_trace", "Authorization", "api-key", "SQL", "debug_info"] {
            assert!(is_internal_key(key), "{key}");
        }
        for key in ["taskId", "fields", "state", "pageToken", "supportedVersions", "retryable", "statement_id"] {
            assert!(!is_internal_key(key), "{key}");
        }
    }
}
