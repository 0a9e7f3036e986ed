//! The classes of the objects, which the Worker exports. Their JavaScript side (`js/durable.js`) keeps what must outlive
//! a WebAssembly instance, the subscribers; the logic is called for each request, synchronously and within a transaction,
//! and keeps nothing.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use super::storage::{Broken, Param, Reply, Sql};
use super::{index, task};

#[wasm_bindgen(module = "/js/durable.js")]
extern "C" {
    #[wasm_bindgen(js_name = durableObject)]
    fn durable_object(is_task: bool, ctx: JsValue, env: JsValue) -> JsValue;
}

/// The class of the objects that keep a task each: bound as `TASK_OBJECTS`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TaskObject;

#[wasm_bindgen]
impl TaskObject {
    /// Called by the platform.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_ret_no_self)] // a constructor in JavaScript may return another object
    pub fn new(ctx: JsValue, env: JsValue) -> JsValue {
        durable_object(true, ctx, env)
    }
}

/// The class of the objects that index the tasks of an owner each: bound as `OWNER_INDEX`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct OwnerIndex;

#[wasm_bindgen]
impl OwnerIndex {
    /// Called by the platform.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_ret_no_self)]
    pub fn new(ctx: JsValue, env: JsValue) -> JsValue {
        durable_object(false, ctx, env)
    }
}

/// Answers a request to an object, or its alarm. `run` takes a statement and an array of its parameters and gives the
/// cells of its rows, one a line. Gives what the request comes to: the answer, what to publish (text or null), when the
/// alarm is to ring (milliseconds or null), and whether the caller listens.
///
/// # Errors
/// A text for the log. The transaction must be taken back.
#[wasm_bindgen(js_name = objectAnswer)]
#[doc(hidden)]
pub fn object_answer(is_task: bool, run: &Function, now: f64, request: &str) -> Result<Array, JsValue> {
    let (sql, now) = (Database(run), now as u64);
    let reply = if is_task { task::answer(&sql, now, request) } else { index::answer(&sql, now, request) };
    let Reply { answer, publish, alarm, listens } = reply.map_err(|Broken(text)| JsValue::from_str(&text))?;
    let publish = publish.map_or(JsValue::NULL, |line| JsValue::from_str(&line));
    // Exact: times are far below 2^53 milliseconds.
    let alarm = alarm.map_or(JsValue::NULL, |at| JsValue::from_f64(at as f64));
    Ok(Array::of4(&JsValue::from_str(&answer), &publish, &alarm, &JsValue::from_bool(listens)))
}

struct Database<'a>(&'a Function);

impl Sql for Database<'_> {
    fn run(&self, statement: &str, params: &[Param<'_>]) -> Result<String, Broken> {
        let params: Array = params.iter().map(value).collect();
        let cells = self.0.call2(&JsValue::UNDEFINED, &JsValue::from_str(statement), &params).map_err(|error| {
            let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
            Broken(text.unwrap_or_default())
        })?;
        Ok(cells.as_string().unwrap_or_default())
    }
}

fn value(param: &Param<'_>) -> JsValue {
    match param {
        Param::Number(number) => JsValue::from_f64(*number as f64),
        Param::Text(text) => JsValue::from_str(text),
        Param::Null => JsValue::NULL,
    }
}
