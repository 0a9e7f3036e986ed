// What a client should do about what it sees.

const BY_KIND = {
  TaskNotFound: 'Forget the task, or start it anew. It will not come back under this id.',
  PushNotificationConfigNotFound: 'Create the config again; the task is still there.',
  TaskNotCancelable: 'Nothing is left to cancel. Get the task to see how it ended.',
  PushNotificationNotSupported: 'Poll with GetTask or subscribe instead. The card tells beforehand: capabilities.pushNotifications.',
  UnsupportedOperation: 'Do without, and read the card before asking: another try ends the same.',
  ContentTypeNotSupported: 'Send a media type that the card lists in defaultInputModes, and the request itself as JSON.',
  InvalidAgentResponse: 'The fault is behind the agent. Tell its operator; another agent may do better.',
  ExtendedAgentCardNotConfigured: 'Use the public card.',
  ExtensionSupportRequired: 'Name the extension in A2A-Extensions, if you implement it. If not, you cannot use this agent.',
  VersionNotSupported: 'Send A2A-Version with one of the versions that the error names.',
  Parse: 'Fix what writes the request. If it is right, something on the way cuts it off.',
  InvalidRequest: 'Fix the envelope of the request.',
  MethodNotFound: 'Look at the name and the version: 0.3 has other method names and paths than 1.0.',
  InvalidParams: 'Fix the parameters that are named. A client with a schema finds them before anything is sent.',
};

const BY_ORIGIN = {
  'not-json': 'Whoever answers is no A2A agent. Look at the URL, and at what is in front of it.',
  'content-type': 'Whoever answers is no A2A agent. Look at the URL, and at what is in front of it.',
  'not-a-stream': 'The agent does not stream. Send the message without streaming.',
  'wrong-id': 'Do not believe the answer: it may be somebody else’s. Something between mixes connections up.',
  redirect: 'Find out where the agent is now. Credentials are not carried to another host.',
};

const seconds = (ms) => `${ms / 1000} s`;

/** A verdict and sentences about an error. `idempotent` is whether the operation may be done twice. */
export function advise(error, idempotent) {
  if (error.retryable) {
    const wait = error.retryAfterMs ? `wait ${seconds(error.retryAfterMs)}, as it asks` : 'wait a little, longer each time and with jitter';
    const safe = idempotent
      ? `The operation may be done twice, so: ${wait}, and send it again, a few times at most.`
      : error.notSent
        ? `Nothing was sent, so: ${wait}, and send it again.`
        : 'It may have been done already, so do not send it again blindly: look with ListTasks first, or ask a person.';
    return { tone: 'warn', verdict: 'Retryable', lines: [safe, after(error)].filter(Boolean) };
  }
  return { tone: 'bad', verdict: 'Not retryable', lines: [sentence(error)] };
}

function after(error) {
  if (error.origin === 'transport') return 'If it stays so, leave the agent alone for a while (a breaker), or ask a fallback.';
  if (error.kind === 'Internal') return 'If it stays so, it is the agent’s fault. Its operator finds the request in the log.';
  return undefined;
}

function sentence(error) {
  if (error.httpStatus === 401 || error.reason === 'UNAUTHENTICATED') return 'Get a token, or a new one, and send it in Authorization. The same request without one ends the same.';
  if (error.reason === 'REQUEST_TOO_LARGE') return 'Send less, or a URL in place of the content.';
  if (error.origin !== 'reported') return BY_ORIGIN[error.origin] ?? 'The agent breaks the protocol. Tell its operator; another agent may do better.';
  return BY_KIND[error.kind] ?? 'Show the message to a person: the specification has no name for it.';
}

const BY_STATE = {
  TASK_STATE_COMPLETED: { tone: 'good', verdict: 'Done', lines: ['Use the artifacts.'] },
  TASK_STATE_FAILED: { tone: 'bad', verdict: 'The task failed', lines: ['Show status.message. The call itself went well, so do not retry it as if it had failed; a new task may do better, and costs as much.'] },
  TASK_STATE_REJECTED: { tone: 'bad', verdict: 'The task was rejected', lines: ['The agent will not do this. Change the message, or ask another agent.'] },
  TASK_STATE_INPUT_REQUIRED: { tone: 'warn', verdict: 'Your turn', lines: ['Answer with a message that has the same taskId and contextId.'] },
  TASK_STATE_WORKING: { tone: 'warn', verdict: 'Still at work', lines: ['Poll with GetTask, subscribe, or have yourself notified.'] },
};

/** The same about a task's state. */
export const adviseState = (state) => BY_STATE[state] ?? { tone: 'good', verdict: 'A result', lines: ['Nothing is wrong.'] };
