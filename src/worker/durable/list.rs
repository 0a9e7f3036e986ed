//! Lists: the index says which tasks belong on a page, the tasks say what they are. Where the two differ the index is put
//! right and asked again.

use futures_util::future::try_join_all;

use super::messages::{Entry, Filter, IndexPage, IndexRequest, Note, updated};
use super::objects::{Class, Objects};
use super::tasks::{DurableTasks, index_name};
use crate::ports::{Cursor, MAX_PAGE_SIZE, Owner, StoreError, Stored, TaskPage, TaskQuery};
use crate::protocol::types::Task;

/// How often an index is asked for one page. Tasks that change while they are listed differ from it time and again.
pub(super) const MAX_ROUNDS: u32 = 3;

impl<O: Objects> DurableTasks<O> {
    pub(super) async fn page(&self, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
        let size = query.page_size.clamp(1, MAX_PAGE_SIZE);
        let (name, request) = (index_name(owner), IndexRequest::List(Filter::of(query, size)).encode());
        let mut round = 1;
        loop {
            let page = self.ask(Class::Index, &name, &request, IndexPage::decode).await?;
            let tasks = try_join_all(page.places.iter().map(|(_, place)| self.read(owner, &place.id))).await?;
            let notes: Vec<Note<'_>> = page.places.iter().zip(&tasks).filter_map(|seen| repair(query, seen)).collect();
            if notes.is_empty() || round == MAX_ROUNDS {
                return Ok(shown(query, page, tasks));
            }
            round += 1;
            if self.note(owner, notes).await.is_err() {
                return Ok(shown(query, page, tasks));
            }
        }
    }
}

/// What the index must be told of a task that it shows, if anything.
fn repair<'a>(
    query: &TaskQuery,
    ((revision, place), found): (&'a (u64, Cursor), &'a Option<Stored>),
) -> Option<Note<'a>> {
    match found {
        None => Some(Note::Gone { revision: *revision, id: &place.id }),
        Some(stored) if is_at(&stored.task, place) && matches(query, &stored.task) => None,
        Some(stored) => Some(Note::Known(Entry::of(&stored.task, stored.revision))),
    }
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
