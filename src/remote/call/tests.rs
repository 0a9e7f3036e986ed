//! Calls against an agent that does as it is told, on a clock that a test winds.

pub(crate) mod origin;
mod resilience;
mod streaming;
mod unary;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};

use self::origin::Origin;
use super::*;
use crate::memory::{ManualClock, SeededRandom};
use crate::remote::Binding;

const START: Timestamp = Timestamp(1_767_225_600_000);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A caller, what it calls, and the time.
struct Setting {
    origin: Rc<Origin>,
    clock: Rc<ManualClock>,
    caller: Caller,
    notes: Notes,
}

/// What happened, in short.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Watch for Notes {
    fn note(&self, note: &Note<'_>) {
        self.0.borrow_mut().push(match note {
            Note::Attempt { agent, attempt } => format!("{agent}: attempt {attempt}"),
            Note::Retry { agent, .. } => format!("{agent}: retry"),
            Note::GaveUp { agent, why, .. } => format!("{agent}: {why:?}"),
            Note::CircuitOpen { agent, .. } => format!("{agent}: open"),
        });
    }
}

impl Setting {
    fn new(binding: Binding, origin: Origin) -> Self {
        Self::with(binding, origin, 0, |_| {})
    }

    /// Agents are `https://a0.example`, `https://a1.example` and so on.
    fn with(binding: Binding, origin: Origin, fallbacks: usize, configure: impl FnOnce(&mut CallPolicy)) -> Self {
        let mut policy = CallPolicy::default();
        configure(&mut policy);
        let clock = Rc::new(ManualClock::new(START));
        let origin = Rc::new(origin.on(clock.clone()));
        let ports = CallPorts { fetch: origin.clone(), clock: clock.clone(), random: Rc::new(SeededRandom::new(7)) };
        let endpoint = |number: usize| Endpoint::new(format!("https://a{number}.example/rpc"), binding);
        let caller = Caller::new(endpoint(0), (1..=fallbacks).map(endpoint).collect(), policy, ports);
        Self { origin, clock, caller, notes: Notes::default() }
    }

    fn unary(&self, operation: Operation, params: &Value) -> Result<Value, RemoteError> {
        let service = Service::default();
        let call = Call { operation, params, service: &service, watch: Some(&self.notes) };
        self.clock.run(self.caller.unary(call)).expect("the call stands still with nobody asleep")
    }

    fn get_task(&self) -> Result<Value, RemoteError> {
        self.unary(Operation::GetTask, &json!({"id": "t1"}))
    }

    fn send(&self) -> Result<Value, RemoteError> {
        self.unary(Operation::SendMessage, &json!({"message": {}}))
    }

    /// All events of a stream, and the error that it ended with.
    fn events(&self) -> (Vec<Value>, Option<RemoteError>) {
        let service = Service::default();
        let params = json!({"id": "t1"});
        let operation = Operation::SubscribeToTask;
        let call = Call { operation, params: &params, service: &service, watch: Some(&self.notes) };
        let all = async {
            let mut stream = match self.caller.stream(call).await {
                Ok(stream) => stream,
                Err(error) => return (Vec::new(), Some(error)),
            };
            let mut events = Vec::new();
            while let Some(event) = stream.next().await {
                match event {
                    Ok(event) => events.push(event),
                    Err(error) => {
                        assert!(stream.next().await.is_none(), "nothing follows an error");
                        return (events, Some(error));
                    }
                }
            }
            (events, None)
        };
        self.clock.run(all).expect("the stream stands still with nobody asleep")
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.clock.now().0 - START.0)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.0.take()
    }
}
