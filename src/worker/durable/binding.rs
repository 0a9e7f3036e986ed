//! Reaching the real objects. What is done in JavaScript anyway is done there, in `js/durable.js`.

use futures_util::{StreamExt, stream};
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;

use super::objects::{Answer, Class, Fault, Objects};
use crate::vars::ConfigError;

/// Names of the bindings in wrangler.toml.
const TASKS_BINDING: &str = "TASK_OBJECTS";
const INDEX_BINDING: &str = "OWNER_INDEX";

#[wasm_bindgen(module = "/js/durable.js")]
extern "C" {
    /// For each name a text, or who reads lines.
    #[wasm_bindgen(catch)]
    async fn ask(namespace: &JsValue, names: Array, request: &str) -> Result<JsValue, JsValue>;

    /// Reads the lines of one object.
    type Reader;

    /// The first line.
    #[wasm_bindgen(method, getter)]
    fn first(this: &Reader) -> String;

    /// A line, or undefined at the end.
    #[wasm_bindgen(method, catch)]
    async fn next(this: &Reader) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, js_name = hangUp)]
    fn hang_up(this: &Reader);
}

/// The namespaces of both classes, as a Worker's environment has them.
#[derive(Debug, Clone)]
pub struct Namespaces {
    tasks: JsValue,
    index: JsValue,
}

impl Namespaces {
    /// The namespaces bound as `TASK_OBJECTS` and `OWNER_INDEX`.
    ///
    /// # Errors
    /// The name of the binding that is missing.
    pub fn of(env: &JsValue) -> Result<Self, ConfigError> {
        let binding = |name: &'static str| {
            let namespace = Reflect::get(env, &JsValue::from_str(name)).ok().filter(JsValue::is_object);
            let problem = "must be a Durable Object namespace when TASK_STORE is durable";
            namespace.ok_or_else(|| ConfigError::new(name, problem))
        };
        Ok(Self { tasks: binding(TASKS_BINDING)?, index: binding(INDEX_BINDING)? })
    }

    fn of_class(&self, class: Class) -> &JsValue {
        match class {
            Class::Task => &self.tasks,
            Class::Index => &self.index,
        }
    }
}

impl From<JsValue> for Fault {
    fn from(error: JsValue) -> Self {
        // A text is what `js/durable.js` has read of an object's own error.
        if let Some(text) = error.as_string() {
            return Self::passing(&text);
        }
        let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default();
        // "Don't retry" (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
        let overloaded = Reflect::get(&error, &JsValue::from_str("overloaded"));
        if overloaded.is_ok_and(|overloaded| overloaded.is_truthy()) {
            Self::lasting(&text)
        } else {
            Self::passing(&text)
        }
    }
}

/// Hangs up when it is dropped.
struct Call(Reader);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

impl Objects for Namespaces {
    async fn ask(&self, class: Class, names: &[String], request: &str) -> Result<Vec<Answer>, Fault> {
        let names = names.iter().map(|name| JsValue::from_str(name)).collect();
        let answers = ask(self.of_class(class), names, request).await?;
        Ok(answers.unchecked_into::<Array>().iter().map(answer).collect())
    }
}

fn answer(answer: JsValue) -> Answer {
    if let Some(text) = answer.as_string() {
        return Answer { text, lines: None };
    }
    let call = Call(answer.unchecked_into());
    let text = call.0.first();
    let lines = stream::unfold(Some(call), |call| async {
        let call = call?;
        match call.0.next().await {
            Ok(line) => Some((Ok(line.as_string()?), Some(call))),
            Err(error) => Some((Err(error.into()), None)),
        }
    });
    Answer { text, lines: Some(lines.boxed_local()) }
}
