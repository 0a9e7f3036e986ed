//! An agent of one's own: counts words. Everything that can go wrong around it is already taken care of.

use a2a_edge::A2aError;
use a2a_edge::agent::{Agent, Context, Outcome};
use a2a_edge::protocol::card::{AgentCard, AgentSkill};
use a2a_edge::protocol::types::{
    Artifact, GetTaskRequest, SendMessageRequest, SendMessageResponse, Task, TaskState,
};

struct WordCount;

impl Agent for WordCount {
    fn card(&self) -> AgentCard {
        AgentCard::new("Word count", "Counts the words of a text.", "1.0.0")
            .with_skill(AgentSkill::new("count", "Count words", "Counts words.", ["text"]))
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let words = request.message.text().split_whitespace().count();
        if words == 0 {
            return Err(A2aError::invalid_params("message must contain text", ["message.parts"]).into());
        }
        let mut work = cx.tasks().begin(request.message).await?;
        work.add_artifact(Artifact::text("count", words.to_string()));
        Ok(work.save(TaskState::Completed, None).await?.into())
    }

    async fn get_task(&self, cx: &Context, request: GetTaskRequest) -> Outcome<Task> {
        Ok(cx.tasks().get(&request).await?)
    }
}

a2a_edge::serve!(|_vars| Ok(WordCount));
