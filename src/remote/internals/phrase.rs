//! Fixed phrases, with the least that is needed to leave look-alikes alone.

/// Whether a text has one of the phrases.
pub(super) fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| has(text, phrase))
}

/// Whether a text has a phrase. A phrase begins and ends with whole words; `~` in it stands for anything, and `#` at the
/// end for a digit.
fn has(text: &str, phrase: &str) -> bool {
    let mut rest = text;
    let mut pieces = phrase.split('~').peekable();
    while let Some(piece) = pieces.next() {
        // The first place where a piece fits leaves the most room to the next, so there is no need to try others.
        match find(rest, piece, pieces.peek().is_none()) {
            Some(end) => rest = &rest[end..],
            None => return false,
        }
    }
    true
}

/// Where the first occurrence of a piece ends.
fn find(text: &str, piece: &str, is_last: bool) -> Option<usize> {
    let (piece, has_digit) = piece.strip_suffix('#').map_or((piece, false), |piece| (piece, true));
    let fits = |at: usize| {
        let (before, after) = (&text[..at], &text[at + piece.len()..]);
        let begins = !(ends_in_word(before) && begins_with_word(piece));
        let ends = if has_digit {
            after.starts_with(|first: char| first.is_ascii_digit())
        } else {
            !(is_last && ends_in_word(piece) && begins_with_word(after))
        };
        begins && ends
    };
    text.match_indices(piece).map(|(at, _)| at).find(|at| fits(*at)).map(|at| at + piece.len())
}

fn begins_with_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_of_word)
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_of_word)
}

/// Letters and digits, and whatever is not ASCII: tables of all the world's letters would be larger than these rules.
fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_of_whole_words() {
        for (text, phrase, expected) in [
            ("it is not a function", "is not a function", true),
            ("is not a function:", "is not a function", true),
            ("is not a functional part", "is not a function", false),
            ("this is not a function", "is is not", false),
            ("goroutine 7", "goroutine #", true),
            ("a goroutine is", "goroutine #", false),
            ("ora-00942", "ora-#", true),
            ("flora-1", "ora-#", false),
            ("select a from b where c = 1", "select ~ from ~ where ~ = ", true),
            ("select a where c = 1 from b", "select ~ from ~ where ~ = ", false),
            ("a</b>", "</", true),
            ("éora-1", "ora-#", false),
            ("", "x", false),
        ] {
            assert_eq!(has(text, phrase), expected, "{phrase} in {text}");
        }
    }
}
