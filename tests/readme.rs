//! What the README shows is what is there.

const README: &str = include_str!("../README.md");

#[test]
fn the_agent_in_the_readme_is_the_example() {
    let example = include_str!("../examples/own-agent/src/lib.rs");
    assert!(README.contains(example.trim_end()), "examples/own-agent/src/lib.rs is not in README.md to the letter");
}
