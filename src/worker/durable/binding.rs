//! Reaching the real objects. What is done in JavaScript anyway is done there, in `js/durable.js`.

use futures_util::{StreamExt, stream};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use super::objects::{Class, Fault, Objects, Pieces};
use crate::vars::ConfigError;

/// Names of the bindings in wrangler.toml.
const TASKS_BINDING: &str = "TASK_OBJECTS";
const INDEX_BINDING: &str = "OWNER_INDEX";

#[wasm_bindgen(module = "/js/durable.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    async fn ask(namespace: &JsValue, name: &str, request: &str) -> Result<JsValue, JsValue>;

    /// A reader, or null if the object has nothing to tell.
    #[wasm_bindgen(catch)]
    async fn listen(namespace: &JsValue, name: &str, request: &str) -> Result<JsValue, JsValue>;

    /// Bytes, or undefined at the end.
    #[wasm_bindgen(catch)]
    async fn read(reader: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = hangUp)]
    fn hang_up(reader: &JsValue);
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
struct Reader(JsValue);

impl Drop for Reader {
    fn drop(&mut self) {
        hang_up(&self.0);
    }
}

impl Objects for Namespaces {
    async fn ask(&self, class: Class, name: &str, request: &str) -> Result<String, Fault> {
        Ok(ask(self.of_class(class), name, request).await?.as_string().unwrap_or_default())
    }

    async fn listen(&self, name: &str, request: &str) -> Result<Option<Pieces>, Fault> {
        let reader = listen(&self.tasks, name, request).await?;
        if reader.is_null() {
            return Ok(None);
        }
        let pieces = stream::unfold(Some(Reader(reader)), |reader| async {
            let reader = reader?;
            match read(&reader.0).await {
                Ok(piece) if piece.is_undefined() => None,
                Ok(piece) => Some((Ok(piece.unchecked_into::<Uint8Array>().to_vec()), Some(reader))),
                Err(error) => Some((Err(error.into()), None)),
            }
        });
        Ok(Some(pieces.boxed_local()))
    }
}
