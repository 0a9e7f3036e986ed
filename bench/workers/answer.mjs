// The constant answer of every floor, byte for byte that of floor-rust.
export const ANSWER =
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"no-such-task"}}]}}';
