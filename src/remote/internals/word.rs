//! Texts taken apart. The classes of letters are function pointers, so that there is one copy of the code that splits.

/// What a letter may be.
pub(super) type Class = fn(char) -> bool;

/// The words that are made of letters of a class.
pub(super) fn words(text: &str, class: Class) -> impl Iterator<Item = &str> {
    text.split(move |letter| !class(letter)).filter(|word| !word.is_empty())
}

/// The word that a text begins with, and the rest.
pub(super) fn first_word(text: &str, class: Class) -> (&str, &str) {
    text.split_at(text.find(|letter| !class(letter)).unwrap_or(text.len()))
}

/// The word that a text ends with, and what is before it.
pub(super) fn last_word(text: &str, class: Class) -> (&str, &str) {
    text.split_at(text.trim_end_matches(class).len())
}

pub(super) fn is_alphanumeric(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
}

pub(super) fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// Names of programs, hosts and schemes: letters, digits, and marks within.
pub(super) fn is_host(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_')
}
