//! What the page gives to be copied as Rust compiles against this crate. That the files hold what it gives is the business
//! of `tests/e2e/page-copies.test.mjs`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

/// Each file is the body of a function.
macro_rules! compiled {
    ($($name:ident: $file:literal,)+) => {
        $(
            async fn $name() -> Result<(), Box<dyn Error>> {
                include!($file)
            }
        )+

        #[test]
        fn each_is_a_program() {
            // Made and dropped: what counts is that the compiler takes them.
            $(drop($name());)+
        }
    };
}

compiled! {
    call: "page_snippets/call.rs",
    stream: "page_snippets/stream.rs",
    own_headers: "page_snippets/own_headers.rs",
    odd_params: "page_snippets/odd_params.rs",
    raw_body: "page_snippets/raw_body.rs",
    raw_verb: "page_snippets/raw_verb.rs",
}
