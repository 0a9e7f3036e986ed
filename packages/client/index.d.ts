/** A client for A2A 1.0 agents, in browsers and in Node 20 or later. */

/** What went wrong, as the specification names it. `Custom` is what it does not name. */
export type ErrorKind =
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'ContentTypeNotSupported'
  | 'InvalidAgentResponse'
  | 'ExtendedAgentCardNotConfigured'
  | 'ExtensionSupportRequired'
  | 'VersionNotSupported'
  | 'PushNotificationConfigNotFound'
  | 'Parse'
  | 'InvalidRequest'
  | 'MethodNotFound'
  | 'InvalidParams'
  | 'Internal'
  | 'Custom';

/** Where an error comes from: the agent's own telling, no answer, a request that was not sent, or a fault of the answer. */
export type ErrorOrigin =
  | 'reported'
  | 'transport'
  | 'invalid-request'
  | 'not-json'
  | 'content-type'
  | 'no-version'
  | 'wrong-id'
  | 'result-and-error'
  | 'no-result'
  | 'schema'
  | 'not-a-stream'
  | 'too-large'
  | 'redirect'
  | 'status';

export interface FieldViolation {
  /** Path of the parameter, like `message.parts[0].mediaType`. */
  field: string;
  description: string;
}

/** Any failure of a call, but for one that its caller gave up (AbortError) or got wrong in code (TypeError). */
export abstract class A2aError extends Error {
  /** By the agent's reason, then by its code, then by its status. */
  readonly kind: ErrorKind;
  /** The JSON-RPC code: as received, or that of the kind. */
  readonly code: number;
  /** As received; absent if no answer came. */
  readonly httpStatus?: number;
  /** `ErrorInfo.reason` as received; of a transport error, its own. */
  readonly reason?: string;
  /** For `JSON.stringify`: name, message and all that is here. */
  toJSON(): object;
  /** `ErrorInfo.domain` as received. */
  readonly domain?: string;
  /** `ErrorInfo.metadata` as received. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The structured details as received. */
  readonly details: readonly unknown[];
  /** What was received in their place, such as a text. */
  readonly data?: unknown;
  /** What is wrong with which parameter, whether the agent or the client found it; or with which field of the result. */
  readonly fieldViolations: readonly FieldViolation[];
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Whether it is certain that the agent did not get the request, so that nothing can be done twice. */
  readonly notSent: boolean;
  /** How long the agent asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  /** `WWW-Authenticate` as received. */
  readonly challenge?: string;
  readonly origin: ErrorOrigin;
  /** Of a transport error: what the platform said, such as `connect ECONNREFUSED 127.0.0.1:80`. Not for strangers. */
  readonly cause?: Error;
}

/** The agent reported an error over JSON-RPC, or its answer breaks the rules of the binding. */
export class JsonRpcError extends A2aError {}

/** The agent reported an error over HTTP+JSON, or its answer breaks the rules of the binding. */
export class RestError extends A2aError {}

/** The request breaks the schema of its operation, or a URL is none. Nothing was sent. */
export class ValidationError extends A2aError {}

/** There is no answer, or not all of one. */
export class TransportError extends A2aError {}

export type Binding = 'JSONRPC' | 'HTTP+JSON';

export interface Endpoint {
  /** Absolute URL: of JSON-RPC the endpoint itself, of HTTP+JSON what paths are added to. */
  url: string;
  binding: Binding;
  tenant?: string;
}

/** What happens during a call. Agents are numbered in the order of preference, from 0. `time` is in ms since 1970. */
export type Note =
  | { type: 'attempt'; time: number; agent: number; attempt: number }
  | { type: 'retry'; time: number; agent: number; error: A2aError; waitMs: number }
  | {
      type: 'gave-up';
      time: number;
      agent: number;
      error: A2aError;
      why: 'permanent' | 'not-idempotent' | 'exhausted' | 'deadline' | 'budget' | 'asked-to-wait';
    }
  | { type: 'circuit-open'; time: number; agent: number; retryAfterMs: number };

/** What `Headers` has, by whichever types it is known. */
interface Pairs {
  forEach(each: (value: string, name: string) => void): void;
}

export interface ClientOptions {
  /** Which of the card's interfaces to use; the one that it names first unless said otherwise. */
  binding?: Binding;
  /** `Authorization`, whole: `Bearer …`. */
  authorization?: string;
  /** URIs for `A2A-Extensions`. */
  extensions?: string[];
  /** Further headers of every request: an object, pairs, a `Map`, or `Headers`. */
  headers?: Record<string, string> | Iterable<readonly [string, string]> | Pairs;
  /** How long a call may take with all its retries, or until a stream begins. Default 60 000. */
  timeoutMs?: number;
  /**
   * How long one attempt may take until the head of its answer is there. Default 30 000. Node's own `fetch` waits for
   * 300 000 at most, and as long for each piece of a body; give one of your own as `fetch` for more.
   */
  headTimeoutMs?: number;
  /** How long a stream may be silent. Default 60 000. */
  idleTimeoutMs?: number;
  /** How long a stream may last. Default 3 600 000. */
  streamTimeoutMs?: number;
  /** Longest answer, and longest event of a stream. Default 1 MiB. */
  maxResponseBytes?: number;
  retry?: {
    /** After the first attempt. Default 3; 0 is none. */
    maxRetries?: number;
    /** Upper bound of the first wait, doubled with each. Default 200. */
    baseMs?: number;
    /** Upper bound of every wait but one that the agent asks for. Default 5 000. */
    capMs?: number;
    /** Also of operations that may then be done twice. Default false. */
    sends?: boolean;
  };
  breaker?: {
    /** After how many failures in a row the agent is left alone. Default 5; 0 is never. */
    failures?: number;
    /** For how long. Default 10 000. */
    openMs?: number;
  };
  /** Agents to ask, in this order, when the first is in trouble. */
  fallbacks?: Endpoint[];
  /** In place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Is told what happens in every call, but not while the card is fetched. */
  onNote?: (note: Note) => void;
}

export interface CallOptions {
  /** Gives the call up: it rejects with the signal's reason, and the connection is closed. */
  signal?: AbortSignal;
}

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

// `any`, so that values of interfaces fit as well.
type Json = Record<string, any>;

export interface Part {
  text?: string;
  raw?: string;
  url?: string;
  data?: unknown;
  mediaType?: string;
  filename?: string;
  metadata?: Json;
}

export interface Message {
  /** A message that is sent without one gets one. */
  messageId: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: Part[];
  contextId?: string;
  taskId?: string;
  metadata?: Json;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: Json;
  extensions?: string[];
}

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  timestamp?: string;
}

export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: Json;
}

export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Json;
}

export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: Json;
}

export interface AuthenticationInfo {
  scheme: string;
  credentials?: string;
}

export interface PushConfig {
  tenant?: string;
  id?: string;
  taskId: string;
  url: string;
  token?: string;
  authentication?: AuthenticationInfo;
}

export interface SendMessageParams {
  tenant?: string;
  message: Omit<Message, 'messageId'> & { messageId?: string };
  configuration?: {
    acceptedOutputModes?: string[];
    taskPushNotificationConfig?: Omit<PushConfig, 'taskId'> & { taskId?: string };
    historyLength?: number;
    returnImmediately?: boolean;
  };
  metadata?: Json;
}

export interface ListTasksParams {
  tenant?: string;
  contextId?: string;
  status?: TaskState;
  pageSize?: number;
  pageToken?: string;
  historyLength?: number;
  statusTimestampAfter?: string;
  includeArtifacts?: boolean;
}

export interface ListTasksResult {
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

/** One of the two. */
export type SendMessageResult = { task: Task; message?: undefined } | { message: Message; task?: undefined };

/** One of the four. */
export interface StreamEvent {
  task?: Task;
  message?: Message;
  statusUpdate?: TaskStatusUpdateEvent;
  artifactUpdate?: TaskArtifactUpdateEvent;
}

/** A card has more members than these (specification 4.4). */
export interface AgentCard {
  name: string;
  description: string;
  version: string;
  supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string; tenant?: string }[];
  capabilities: { streaming?: boolean; pushNotifications?: boolean; extendedAgentCard?: boolean } & Json;
  skills: ({ id: string; name: string; description: string; tags: string[] } & Json)[];
  [member: string]: unknown;
}

type Id = { tenant?: string; id: string };

export type StreamingOperation = 'SendStreamingMessage' | 'SubscribeToTask';

export type UnaryOperation =
  | 'SendMessage'
  | 'GetTask'
  | 'ListTasks'
  | 'CancelTask'
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig'
  | 'GetExtendedAgentCard';

/**
 * A client of one agent. Every call rejects with an `A2aError`, with the reason of its signal, or with a `TypeError` for a
 * mistake in its options.
 */
export class A2aClient {
  private constructor();

  /** Fetches the agent's card, and makes a client of the interface that fits best. */
  static connect(url: string | URL, options?: ClientOptions & CallOptions): Promise<A2aClient>;
  /** A client without a look at the card. */
  static at(endpoint: Endpoint, options?: Omit<ClientOptions, 'binding'>): Promise<A2aClient>;

  /** The card that the client was made from. */
  readonly card: AgentCard | undefined;
  /** What the breaker of the first agent lets through now. */
  readonly breaker: 'closed' | 'open' | 'half-open';

  sendMessage(params: SendMessageParams, options?: CallOptions): Promise<SendMessageResult>;
  /** Leaving the loop closes the connection. */
  sendStreamingMessage(params: SendMessageParams, options?: CallOptions): AsyncGenerator<StreamEvent, void, void>;
  getTask(params: Id & { historyLength?: number }, options?: CallOptions): Promise<Task>;
  listTasks(params?: ListTasksParams, options?: CallOptions): Promise<ListTasksResult>;
  cancelTask(params: Id & { metadata?: Json }, options?: CallOptions): Promise<Task>;
  subscribeToTask(params: Id, options?: CallOptions): AsyncGenerator<StreamEvent, void, void>;
  createPushConfig(params: PushConfig, options?: CallOptions): Promise<PushConfig>;
  getPushConfig(params: Id & { taskId: string }, options?: CallOptions): Promise<PushConfig>;
  listPushConfigs(
    params: { tenant?: string; taskId: string; pageSize?: number; pageToken?: string },
    options?: CallOptions,
  ): Promise<{ configs: PushConfig[]; nextPageToken?: string }>;
  deletePushConfig(params: Id & { taskId: string }, options?: CallOptions): Promise<void>;
  getExtendedAgentCard(params?: { tenant?: string }, options?: CallOptions): Promise<AgentCard>;

  /** Any operation that is answered once, by its name in the specification. */
  call(operation: UnaryOperation, params?: object, options?: CallOptions): Promise<any>;
  /** Any operation that is answered with a stream. The agent is asked when the first event is. */
  stream(operation: StreamingOperation, params?: object, options?: CallOptions): AsyncGenerator<any, void, void>;

  /** Frees the memory of this client. What is under way goes on. */
  close(): void;
}

/** Whether the agent failed at the task, or rejected it. */
export function failed(task: Task): boolean;

/** A task that the agent could not or would not finish: an answer, and no error of the call. */
export class TaskFailedError extends Error {
  readonly task: Task;
}

/** The result, unless it is a task that failed: that is thrown as a `TaskFailedError`. */
export function unwrap<T extends SendMessageResult | Task>(result: T): T;

/**
 * Loads the module, once. Everything here does so by itself; call it to have it done early, or to say where the module is
 * if not beside the package's own files: a URL, a `Response`, its bytes, a `WebAssembly.Module`, or a promise of one.
 */
export function load(module?: string | object): Promise<void>;

export interface BuiltRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: string;
}

/** The request that the client would send. The params are not checked. `id` is JSON text. */
export function buildRequest(endpoint: Endpoint, operation: string, params?: object, id?: string): Promise<BuiltRequest>;

/** An exchange that somebody else had. */
export interface Exchange {
  binding: Binding;
  /** By its name in the specification. */
  operation: string;
  /** The id of a JSON-RPC request, as JSON text. */
  id: string;
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

export interface Outcome {
  result?: unknown;
  events?: StreamEvent[];
  error?: A2aError;
}

/** Reads an exchange as the client would. */
export function decode(exchange: Exchange): Promise<Outcome>;
/** What the client would say of an exchange without an answer. */
export function decodeFault(binding: Binding, fault: 'unreachable' | 'no-answer' | 'timed-out' | 'cut-short'): Promise<Outcome>;
