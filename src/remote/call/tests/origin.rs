//! An agent that does as it is told.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};

use crate::memory::ManualClock;
use crate::ports::{Clock, Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead, Timestamp};

/// What it does with one request.
#[derive(Clone)]
pub(crate) enum Script {
    /// Fails before the head.
    Fails(FetchError),
    /// The same, after so many milliseconds.
    FailsAfter(u64, FetchError),
    /// Never sends a head.
    Hangs,
    /// Answers, after so many milliseconds.
    Answers(u64, Answer),
}

#[derive(Clone, Default)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Piece>,
}

#[derive(Clone)]
pub(crate) enum Piece {
    /// Bytes, in which `$ID` stands for the id of the request.
    Bytes(Vec<u8>),
    /// Milliseconds of silence.
    Wait(u64),
    /// As many that pass although the next piece is ready.
    Takes(u64),
    /// The connection breaks.
    Breaks,
    /// The platform says this.
    Fails(FetchError),
    /// Nothing more, for ever.
    Stalls,
}

impl Answer {
    pub(crate) fn new(status: u16, content_type: &str, body: &str) -> Self {
        Self { status, ..Self::default() }.header("Content-Type", content_type).piece(Piece::Bytes(body.into()))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn piece(mut self, piece: Piece) -> Self {
        self.pieces.push(piece);
        self
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.piece(Piece::Bytes(text.into()))
    }
}

impl From<Answer> for Script {
    fn from(answer: Answer) -> Self {
        Self::Answers(0, answer)
    }
}

/// A JSON-RPC answer with a result.
pub(crate) fn result(result: &str) -> Answer {
    Answer::new(200, "application/json", &format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

/// A JSON-RPC answer with an error.
pub(crate) fn error(code: i32) -> Answer {
    Answer::new(
        200,
        "application/json",
        &format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"m"}}}}"#),
    )
}

pub(crate) fn task() -> Answer {
    result(r#"{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}"#)
}

/// All agents at once: each request is taken by the next script of its host, the last one again and again.
#[derive(Default)]
pub(crate) struct Origin {
    scripts: RefCell<Vec<(String, VecDeque<Script>)>>,
    seen: RefCell<Vec<(Timestamp, FetchRequest)>>,
    open: Rc<Cell<usize>>,
    clock: Rc<ManualClock>,
}

impl Origin {
    /// Agent `https://a0.example` with these scripts.
    pub(crate) fn new<S: Into<Script>>(scripts: impl IntoIterator<Item = S>) -> Self {
        Self::default().and("a0.example", scripts)
    }

    pub(crate) fn and<S: Into<Script>>(self, host: &str, scripts: impl IntoIterator<Item = S>) -> Self {
        self.scripts.borrow_mut().push((host.to_owned(), scripts.into_iter().map(Into::into).collect()));
        self
    }

    pub(crate) fn on(mut self, clock: Rc<ManualClock>) -> Self {
        self.clock = clock;
        self
    }

    /// Requests so far, each with the milliseconds since `start`.
    pub(crate) fn seen(&self) -> Vec<(Timestamp, FetchRequest)> {
        self.seen.borrow().clone()
    }

    /// How many were sent to each host, as `a0 a0 a1`.
    pub(crate) fn hosts(&self) -> String {
        let host = |request: &FetchRequest| request.url[8..].split('.').next().unwrap_or_default().to_owned();
        self.seen.borrow().iter().map(|(_, request)| host(request)).collect::<Vec<_>>().join(" ")
    }

    /// How many bodies are neither read to the end nor dropped.
    pub(crate) fn open(&self) -> usize {
        self.open.get()
    }

    fn script(&self, url: &str) -> Script {
        let mut scripts = self.scripts.borrow_mut();
        let (_, queue) =
            scripts.iter_mut().find(|(host, _)| format!("{url}/").starts_with(&format!("https://{host}/"))).unwrap();
        if queue.len() > 1 { queue.pop_front().unwrap() } else { queue.front().unwrap().clone() }
    }
}

/// Counts itself while it lives.
struct Open(Rc<Cell<usize>>);

impl Open {
    fn new(count: &Rc<Cell<usize>>) -> Self {
        count.set(count.get() + 1);
        Self(count.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Fetch for Origin {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let script = self.script(&request.url);
        let id = request.body.as_deref().and_then(|body| {
            let body: serde_json::Value = serde_json::from_str(body).ok()?;
            body.get("id").map(ToString::to_string)
        });
        self.seen.borrow_mut().push((self.clock.now(), request.clone()));
        let (clock, open) = (self.clock.clone(), Open::new(&self.open));
        async move {
            match script {
                Script::Fails(error) => Err(error),
                Script::FailsAfter(delay, error) => {
                    clock.sleep(Duration::from_millis(delay)).await;
                    Err(error)
                }
                Script::Hangs => {
                    std::future::pending::<()>().await;
                    drop(open);
                    Err(FetchError::TimedOut)
                }
                Script::Answers(delay, answer) => {
                    if delay > 0 {
                        clock.sleep(Duration::from_millis(delay)).await;
                    }
                    let id = id.unwrap_or_default();
                    let body = stream::unfold((answer.pieces.into_iter(), open), move |(mut pieces, open)| {
                        let (clock, id) = (clock.clone(), id.clone());
                        async move {
                            loop {
                                return match pieces.next()? {
                                    Piece::Wait(millis) => {
                                        clock.sleep(Duration::from_millis(millis)).await;
                                        continue;
                                    }
                                    Piece::Takes(millis) => {
                                        clock.advance(Duration::from_millis(millis));
                                        continue;
                                    }
                                    Piece::Stalls => std::future::pending().await,
                                    Piece::Breaks => Some((Err(FetchError::CutShort("gone".into())), (pieces, open))),
                                    Piece::Fails(error) => Some((Err(error), (pieces, open))),
                                    Piece::Bytes(bytes) => {
                                        let bytes = match String::from_utf8(bytes) {
                                            Ok(text) => text.replace("$ID", &id).into_bytes(),
                                            Err(error) => error.into_bytes(),
                                        };
                                        Some((Ok(bytes), (pieces, open)))
                                    }
                                };
                            }
                        }
                    });
                    let head = ResponseHead { status: answer.status, headers: answer.headers };
                    Ok(FetchResponse { head, body: body.boxed_local() })
                }
            }
        }
        .boxed_local()
    }
}
