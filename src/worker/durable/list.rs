//! Lists: the index says which tasks belong on a page, the tasks say what they are. Where the two differ the index is put
//! right and asked again.

use super::messages::{Filter, Garbled, IndexPage, IndexRequest, Note, TaskRequest, known, updated};
use super::objects::{Class, Objects};
use super::tasks::{DurableTasks, index_name, read_stored, task_name};
use crate::ports::{Cursor, MAX_PAGE_SIZE, Owner, StoreError, Stored, TaskPage, TaskQuery};
use crate::protocol::types::Task;

/// How often an index is asked for one page. Tasks that change while they are listed differ from it time and again.
pub(super) const MAX_ROUNDS: u32 = 3;

impl<O: Objects> DurableTasks<O> {
    pub(super) async fn page(&self, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
        let size = query.page_size.clamp(1, MAX_PAGE_SIZE);
        let request = IndexRequest::List(Filter::of(query, size)).encode();
        let mut round = 1;
        loop {
            let answer =
                self.ask(Class::Index, index_name(owner), request.clone(), |answer| Ok(answer.to_owned())).await?;
            let page = IndexPage::decode(&answer, size)?;
            let found = self.load(owner, &page).await?;
            let notes = repairs(query, &page, &found);
            if notes.is_empty() || round == MAX_ROUNDS || self.note(owner, &notes).await.is_err() {
                return Ok(shown(query, page, found));
            }
            round += 1;
        }
    }

    /// The tasks of a page, as they are.
    async fn load(&self, owner: &Owner, page: &IndexPage) -> Result<Vec<Option<Stored>>, StoreError> {
        let names: Vec<_> = page.places.iter().map(|(_, place)| task_name(owner, &place.id)).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.ask_all(Class::Task, names, TaskRequest::Get.encode()).await?;
        if answers.len() != page.places.len() {
            return Err(Garbled.into());
        }
        answers.iter().map(|answer| read_stored(&answer.text)).collect()
    }
}

/// What the index must be told of the tasks that it shows, one a line.
fn repairs(query: &TaskQuery, page: &IndexPage, found: &[Option<Stored>]) -> String {
    let mut notes = String::new();
    for ((revision, place), found) in page.places.iter().zip(found) {
        let note = match found {
            None => Note::Gone { revision: *revision, id: &place.id }.encode(),
            Some(stored) if is_at(&stored.task, place) && matches(query, &stored.task) => continue,
            Some(stored) => known(&stored.task, stored.revision),
        };
        notes.push_str(&note);
        notes.push('\n');
    }
    notes
}

fn is_at(task: &Task, place: &Cursor) -> bool {
    updated(task) == place.updated.0
}

fn matches(query: &TaskQuery, task: &Task) -> bool {
    query.state.is_none_or(|state| task.status.state == state)
        && query.since.is_none_or(|since| task.status.timestamp.unwrap_or_default() >= since)
        && query.context_id.as_ref().is_none_or(|context| task.context_id == *context)
}

/// The page, with the tasks as they are.
fn shown(query: &TaskQuery, page: IndexPage, found: Vec<Option<Stored>>) -> TaskPage {
    let listed = found.len();
    let found = found.into_iter().flatten().map(|stored| stored.task);
    let mut tasks: Vec<Task> = found.filter(|task| matches(query, task)).collect();
    tasks.sort_by(|a, b| updated(b).cmp(&updated(a)).then_with(|| a.id.cmp(&b.id)));
    let next = page.places.into_iter().last().filter(|_| page.has_more).map(|(_, place)| place);
    // At least as many as are shown: the index may not have counted them all.
    let total = page.total.saturating_sub(listed - tasks.len());
    TaskPage { tasks, next, total }
}
