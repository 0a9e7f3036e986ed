//! The operations on the real KV.

use worker::kv::{KvError, KvStore};

use super::operations::{Fault, KeyPage, Kv, PutOptions};

impl From<KvError> for Fault {
    fn from(error: KvError) -> Self {
        Self::from_text(&error.to_string())
    }
}

impl Kv for KvStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Fault> {
        Ok(self.get(key).text().await?)
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Fault> {
        let mut values = self.get_bulk(keys).text().await?;
        Ok(keys.iter().map(|key| values.remove(key).flatten()).collect())
    }

    async fn put(&self, key: &str, value: &str, options: &PutOptions) -> Result<(), Fault> {
        let mut put = self.put(key, value)?.metadata(&options.metadata)?;
        if let Some(ttl_s) = options.ttl_s {
            put = put.expiration_ttl(ttl_s);
        }
        Ok(put.execute().await?)
    }

    async fn list(&self, prefix: &str, cursor: Option<String>) -> Result<KeyPage, Fault> {
        let mut list = self.list().prefix(prefix.to_owned());
        if let Some(cursor) = cursor {
            list = list.cursor(cursor);
        }
        let page = list.execute().await?;
        if !page.list_complete && page.cursor.is_none() {
            return Err(Fault::lasting("KV has more keys, but gave no cursor"));
        }
        Ok(KeyPage {
            keys: page.keys.into_iter().map(|key| (key.name, key.metadata)).collect(),
            cursor: page.cursor.filter(|_| !page.list_complete),
        })
    }
}
