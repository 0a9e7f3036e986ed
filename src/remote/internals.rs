//! Texts that must not be passed on: internals of the agent that sent them, and secrets.
//!
//! A guess, and one that errs on the side of silence: what is suspected is replaced by the default text of its kind, so
//! that the caller loses a sentence and never the kind of error. No regular expressions: they would cost more of the
//! upload than all of the normaliser.
//!
//! | module | what it tells from what |
//! |---|---|
//! | here | stacks, crashes, queries and markup, by the words that machines use |
//! | [`places`] | paths, hosts and addresses from dates, ratios and public URLs |
//! | [`secrets`] | credentials from talk about them |

mod phrase;
mod places;
mod secrets;
mod word;

use phrase::has_any;
use word::{first_word, is_alphanumeric, words};

pub(super) use secrets::is_secret;

/// Whether a text looks like something that only its author should see: a stack, a path, a query, markup, an address, a
/// secret.
pub(super) fn is_internal(text: &str) -> bool {
    // A query or a sentence may go over several lines; byte positions do not matter below.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = flat.to_ascii_lowercase();
    is_secret(text)
        || has_any(&lower, TRACES)
        || has_any(&lower, QUERIES)
        || has_any(&flat, CAPITAL_QUERIES)
        || has_any(&lower, MARKUP)
        || has_frame(text)
        || has_source_line(&lower)
        || has_exception(&flat)
        || has_environment(&flat)
        || places::has_place(&lower)
        || text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
}

/// Stack traces, crashes, and what runtimes say, in lower case.
const TRACES: &[&str] = &[
    // Python
    "traceback (most recent call last)",
    "during handling of the above exception",
    "'nonetype' object",
    "object has no attribute",
    "site-packages/",
    "runtimeerror",
    "attributeerror",
    "keyerror",
    "indexerror",
    "nameerror",
    "assertionerror",
    "importerror",
    "modulenotfounderror",
    "filenotfounderror",
    "permissionerror",
    "oserror",
    "zerodivisionerror",
    "recursionerror",
    "unboundlocalerror",
    "notimplementederror",
    "unicodedecodeerror",
    "unicodeencodeerror",
    "[errno #",
    "object at 0x~",
    // JavaScript
    "typeerror",
    "referenceerror",
    "syntaxerror",
    "rangeerror",
    "cannot read properties of",
    "is not a function",
    "cannot find module '",
    "in json at position #",
    "unhandledpromiserejectionwarning",
    "javascript heap out of memory",
    "<anonymous>",
    "node_modules/",
    // Rust, Go, C
    "panicked at",
    "stack backtrace",
    "called `~::unwrap()` on",
    "index out of bounds",
    "panic:",
    "goroutine #",
    "goroutines are asleep",
    "(0xc#",
    "overflowed its stack",
    "runtime error:",
    "segmentation fault",
    "segfault",
    "core dumped",
    "terminate called",
    "signal: killed",
    // Java, .NET
    "exception in thread",
    "caused by:",
    "object reference not set",
    "whitelabel error page",
    // PHP, Ruby, Elixir
    "php fatal error",
    "uncaught error",
    "call to undefined",
    "undefined variable $",
    "undefined method `",
    "undefined method '",
    "undefined local variable or method",
    "for nil:nilclass",
    "errno::",
    "no match of right hand side",
    // Any
    "stacktrace",
    "stack trace:",
    "no such file or directory",
];

/// What databases and their drivers say.
const QUERIES: &[&str] = &[
    "sqlstate",
    "psycopg",
    "psycopg2",
    "sqlalchemy",
    "sqlite",
    "sqlite3",
    "[sql:",
    "ora-#",
    "e11000",
    "activerecord::",
    "mongoservererror",
    "prisma.~invocation",
    "mysql error",
    "in your sql syntax",
    "syntax error at or near",
    "deadlock detected",
    "violates ~ constraint",
    "unique constraint failed",
    "too many clients already",
    "server has gone away",
    "lock wait timeout exceeded",
    "host=~ user=",
    "host=~ port=",
    "relation \"~\" does not exist",
    "table '~' doesn't exist",
    "unknown column '~' in '",
    "no such table:",
    "access denied for user",
    "password authentication failed",
    "noauth authentication required",
    "wrongtype operation",
    // Clauses that no sentence has
    "select * from",
    "select ~ from ~ where ~ = ",
    "insert into ~ values (",
    "update ~ set ~ = ~ where ",
    "delete from ~ where ~ = ",
];

/// SQL as it is mostly written; no sentence is.
const CAPITAL_QUERIES: &[&str] =
    &["SELECT ~ FROM", "INSERT INTO", "UPDATE ~ SET", "DELETE FROM", "CREATE TABLE", "ALTER TABLE", "DROP TABLE"];

/// Pages, and pieces of them. A word between angle brackets may be a blank to fill in.
const MARKUP: &[&str] = &[
    "<!doctype",
    "<!--",
    "</",
    "<?xml",
    "<html",
    "<head",
    "<body",
    "<pre",
    "<script",
    "<style",
    "<div",
    "<span",
    "<p>",
    "<h1",
    "<br",
    "<hr",
    "<table",
    "<center",
    "<iframe",
    "<svg",
    "<img",
    "<a href",
];

/// `    at handle (server.js:12:5)`, `   at Acme.Runner.Run() in …`: an indented line of a stack.
fn has_frame(text: &str) -> bool {
    text.lines().filter(|line| line.starts_with([' ', '\t'])).any(|line| {
        let call = line.trim_start().strip_prefix("at ").and_then(|frame| frame.split_once('('));
        call.is_some_and(|(function, rest)| {
            let place = rest.split(')').next().unwrap_or_default();
            place.is_empty() || place.contains([':', '.']) || function.contains('.')
        })
    })
}

/// `app.py", line 3`, `main.rs:12:5`, `Task.java:88`, `index.php on line 12`, `index.php(12)`.
fn has_source_line(lower: &str) -> bool {
    const EXTENSIONS: &[&str] =
        &["py", "rs", "js", "mjs", "cjs", "ts", "tsx", "java", "kt", "go", "rb", "php", "cs", "c", "cpp", "ex", "exs"];
    lower.match_indices('.').any(|(at, dot)| {
        let (extension, rest) = first_word(&lower[at + dot.len()..], is_alphanumeric);
        let rest = rest.trim_start_matches(['"', '\'']);
        let line = [", line ", ":line ", " on line ", " line "].iter().find_map(|words| rest.strip_prefix(words));
        EXTENSIONS.contains(&extension)
            && match line {
                Some(number) => matches!(number.as_bytes(), [b'0'..=b'9', ..]),
                None => matches!(rest.as_bytes(), [b':' | b'(', b'0'..=b'9', ..]),
            }
    })
}

/// `NullPointerException`, `sqlalchemy.exc.OperationalError`, `Net::ReadTimeout`, `tokio::runtime::Handle`.
fn has_exception(text: &str) -> bool {
    const ENDINGS: &[&str] = &["Error", "Timeout", "NotFound", "Denied", "Refused", "Unavailable"];
    words(text, is_qualified_name).any(|word| {
        let word = word.trim_end_matches([':', '.']);
        let is_qualified = word.contains('.') || word.contains("::");
        word.ends_with("Exception")
            || (is_qualified && ENDINGS.iter().any(|ending| word.ends_with(ending)))
            || word.matches("::").nth(1).is_some()
    })
}

fn is_qualified_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | ':' | '$')
}

/// `HOME=/root PATH=…`: variables in capitals, more than one.
fn has_environment(text: &str) -> bool {
    let is_variable = |word: &&str| {
        word.split_once('=').is_some_and(|(name, value)| {
            let is_capital = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
            !name.is_empty() && name.bytes().all(is_capital) && !is_digits(name) && !value.is_empty()
        })
    };
    text.split(' ').filter(is_variable).nth(1).is_some()
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
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
mod tests;
