//! The operations on the real KV.
//!
//! By the namespace's own methods and not the `worker` crate's builders: those bring a second serializer along, which would
//! be a twentieth of the upload (docs/decisions.md).

use js_sys::{Array, JSON, JsString, Map, Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::operations::{Fault, KeyPage, Kv, PutOptions};
use crate::protocol::json;

#[wasm_bindgen]
extern "C" {
    /// A KV namespace, as a Worker's environment has it.
    #[derive(Debug, Clone)]
    pub type Namespace;

    #[wasm_bindgen(method, catch)]
    async fn get(this: &Namespace, key: &str, kind: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = get)]
    async fn get_many(this: &Namespace, keys: &Array, kind: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn put(this: &Namespace, key: &str, value: &str, options: &Object) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn delete(this: &Namespace, key: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn list(this: &Namespace, options: &Object) -> Result<JsValue, JsValue>;
}

impl From<JsValue> for Fault {
    fn from(error: JsValue) -> Self {
        // `Error` prints itself as "name: message"; a thrown value of another kind has nothing to say.
        let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.to_string()));
        Self::from_text(&text.unwrap_or_default())
    }
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), Fault> {
    Reflect::set(object, &JsValue::from_str(name), value)?;
    Ok(())
}

fn property(object: &JsValue, name: &str) -> Result<JsValue, Fault> {
    Ok(Reflect::get(object, &JsValue::from_str(name))?)
}

/// What was stored with a key, if it is JSON as it was written.
fn metadata_of(key: &JsValue) -> Result<Option<Value>, Fault> {
    let metadata = property(key, "metadata")?;
    if metadata.is_undefined() || metadata.is_null() {
        return Ok(None);
    }
    let text = String::from(JSON::stringify(&metadata)?);
    Ok(json::parse_own(&text).ok())
}

impl Kv for Namespace {
    async fn get(&self, key: &str) -> Result<Option<String>, Fault> {
        Ok(self.get(key, "text").await?.as_string())
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Fault> {
        let wanted: Array = keys.iter().map(|key| JsValue::from_str(key)).collect();
        let values: Map = self.get_many(&wanted, "text").await?.unchecked_into();
        Ok(keys.iter().map(|key| values.get(&JsValue::from_str(key)).as_string()).collect())
    }

    async fn put(&self, key: &str, value: &str, options: &PutOptions) -> Result<(), Fault> {
        let put = Object::new();
        if let Some(metadata) = &options.metadata {
            set(&put, "metadata", &JSON::parse(&metadata.to_string())?)?;
        }
        if let Some(ttl_s) = options.ttl_s {
            // Exact: seconds in a lifetime are far below 2^53.
            set(&put, "expirationTtl", &JsValue::from_f64(ttl_s as f64))?;
        }
        self.put(key, value, &put).await?;
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), Fault> {
        self.delete(key).await?;
        Ok(())
    }

    async fn list(&self, prefix: &str, cursor: Option<String>) -> Result<KeyPage, Fault> {
        let options = Object::new();
        set(&options, "prefix", &JsValue::from_str(prefix))?;
        if let Some(cursor) = cursor {
            set(&options, "cursor", &JsValue::from_str(&cursor))?;
        }
        let page = self.list(&options).await?;
        let is_last = property(&page, "list_complete")?.is_truthy();
        let cursor = property(&page, "cursor")?.as_string().filter(|_| !is_last);
        if !is_last && cursor.is_none() {
            return Err(Fault::lasting("KV has more keys, but gave no cursor"));
        }
        let mut keys = Vec::new();
        for key in property(&page, "keys")?.unchecked_into::<Array>().iter() {
            let name = property(&key, "name")?.dyn_into::<JsString>()?;
            keys.push((String::from(name), metadata_of(&key)?));
        }
        Ok(KeyPage { keys, cursor })
    }
}
