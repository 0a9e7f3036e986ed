use proptest::prelude::*;

use super::*;

#[test]
fn task_requests_come_back_as_they_were() {
    let put = Put {
        base: 3,
        ttl_ms: 60_000,
        is_step: false,
        write: "0f",
        index: "abc",
        entry: "+ 4 5 TASK_STATE_WORKING c an id",
        events: "",
        task: r#"{"id":"an id"}"#,
    };
    for request in [
        TaskRequest::Get,
        TaskRequest::Put(put.clone()),
        TaskRequest::Put(Put { is_step: true, events: r#"[{"a":1}]"#, ..put }),
        TaskRequest::Subscribe,
        TaskRequest::Configs,
        TaskRequest::PutConfig { id: "a b", config: r#"{"id":"a b"}"# },
        TaskRequest::DeleteConfig { id: "a b" },
        TaskRequest::Alarm,
    ] {
        assert_eq!(TaskRequest::decode(&request.encode()), Ok(request));
    }
}

#[test]
fn task_answers_come_back_as_they_were() {
    for answer in [
        TaskAnswer::Nothing,
        TaskAnswer::Task { revision: 7, task: r#"{"id":"t"}"# },
        TaskAnswer::Written(8),
        TaskAnswer::Conflict,
        TaskAnswer::Configs(""),
        TaskAnswer::Configs("{}\n{}"),
        TaskAnswer::Full,
        TaskAnswer::Done,
    ] {
        assert_eq!(TaskAnswer::decode(&answer.encode()), Ok(answer));
    }
}

#[test]
fn index_requests_come_back_as_they_were() {
    let all = Filter { page_size: 5, state: None, since: None, context: None, cursor: None };
    for request in [
        IndexRequest::Note { ttl_ms: 9, notes: "" },
        IndexRequest::Note { ttl_ms: 9, notes: "a b\nc" },
        IndexRequest::Alarm,
        IndexRequest::List(all.clone()),
        IndexRequest::List(Filter { cursor: Some((8, "")), ..all.clone() }),
        IndexRequest::List(Filter {
            state: Some("S"),
            since: Some(0),
            context: Some("c".to_owned()),
            cursor: Some((8, "a\nb * c")),
            ..all
        }),
    ] {
        assert_eq!(IndexRequest::decode(&request.encode()), Ok(request));
    }
}

#[test]
fn notes_come_back_as_they_were() {
    for id in ["id", "an id of  many words, even so many"] {
        let entry = Entry { revision: 1, updated: 2, state: "S", context: "c", id };
        for note in [Note::Known(entry), Note::Gone { revision: 3, id }] {
            assert_eq!(Note::decode(&note.encode()), Ok(note));
        }
    }
    for line in ["", "+", "-", "- 1", "- x id", "+ 1 2 S c", "+ x 2 S c id", "* 1 id"] {
        assert_eq!(Note::decode(line), Err(Garbled), "{line:?}");
    }
}

#[test]
fn pages_are_read() {
    let place = |id: &str| (4, Cursor { updated: Timestamp(5), id: id.to_owned() });
    let page = |total, has_more, places| Ok(IndexPage { total, has_more, places });
    assert_eq!(IndexPage::decode("0", 2), page(0, false, vec![]));
    assert_eq!(IndexPage::decode("4 5 a b\n4 5 c\n2", 2), page(2, false, vec![place("a b"), place("c")]));
    assert_eq!(IndexPage::decode("4 5 a b\n4 5 c\n12", 1), page(12, true, vec![place("a b")]));
    for text in ["", "x", "4 5\n1", "4 x a\n1", "4 5 a\n"] {
        assert_eq!(IndexPage::decode(text, 2), Err(Garbled), "{text:?}");
    }
}

#[test]
fn lines_for_subscribers_come_back_as_they_were() {
    let line = told(3, r#"[{"a b":1}]"#);
    assert_eq!(read_told(&line), Ok((3, r#"[{"a b":1}]"#)));
}

proptest! {
    /// Whatever arrives, nothing breaks.
    #[test]
    fn what_is_no_message_is_garbled(text in "(put|step|task|note|list|config|\\+|-)?[ 0-9a\n]{0,12}") {
        let _ = (TaskRequest::decode(&text), TaskAnswer::decode(&text), IndexRequest::decode(&text));
        let _ = (IndexPage::decode(&text, 1), read_told(&text), Note::decode(&text));
    }
}

#[test]
fn messages_that_lack_something_are_garbled() {
    for text in ["", "nonsense", "put 1 2 w", "put 1 2 w i\ne\nv", "put x 2 w i\ne\nv\nt", "config\nid"] {
        assert_eq!(TaskRequest::decode(text), Err(Garbled), "{text:?}");
    }
    for text in ["", "note", "note x", "list 1 * *", "list x * * *", "list 1 * x *"] {
        assert_eq!(IndexRequest::decode(text), Err(Garbled), "{text:?}");
    }
}
