// A request as somebody would write it elsewhere. With its `call`, if the client would send it so.
import { isStreaming } from './request.js';

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const js = (text) => JSON.stringify(text);

/** A literal of Rust that holds the text as it is, between as many # as it needs. */
function rawString(text) {
  const longest = Math.max(0, ...(text.match(/"#*/g) ?? []).map((found) => found.length));
  const hashes = '#'.repeat(Math.max(1, longest));
  return `r${hashes}"${text}"${hashes}`;
}

const RUST_ESCAPES = { '\\b': '\\u{8}', '\\f': '\\u{c}' };
/** JSON's escapes in Rust's form. Half of a pair of surrogates is no character there. */
const rustEscape = (escape) =>
  escape.length === 6 ? (/^\\ud[89a-f]/i.test(escape) ? '\\u{fffd}' : `\\u{${escape.slice(2)}}`) : (RUST_ESCAPES[escape] ?? escape);
/** Literals without a suffix are of 32 bits. */
const rustNumber = (text) => (Number.isSafeInteger(Number(text)) ? (Math.abs(Number(text)) < 2 ** 31 ? text : `${text}_i64`) : /[.eE]/.test(text) ? text : `${text}_f64`);
/** JSON as the macro `json!` takes it. */
const rustJson = (json) =>
  json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token.replace(/\\(?:u[0-9a-f]{4}|.)/gi, rustEscape) : rustNumber(token)));
const rustString = (text) => rustJson(js(text));

export function curl({ method, url, headers, body }) {
  // Brackets are ranges to it, and a header without a value is one to be left out.
  const lines = [`curl -i ${/[[\]{}]/.test(url) ? '-g ' : ''}${method === 'POST' && body ? '' : `-X ${method} `}${shell(url)}`];
  for (const [name, value] of headers) lines.push(`  -H ${shell(value ? `${name}: ${value}` : `${name};`)}`);
  if (body) lines.push(`  --data-raw ${shell(body)}`);
  return lines.join(' \\\n');
}

/** Headers that the client writes itself; the others are the user's. */
export const CLIENTS_OWN = ['accept', 'content-type', 'a2a-version'];
const ownHeaders = (headers) => headers.filter(([name]) => !CLIENTS_OWN.includes(name.toLowerCase()));

export function javascript(request) {
  const { call } = request;
  if (!call) {
    const { method, url, headers, body } = request;
    const init = { method, headers: Object.fromEntries(headers), ...(body ? { body } : {}) };
    return `const response = await fetch(${js(url)}, ${JSON.stringify(init, null, 2)});\nconsole.log(response.status, await response.text());\n`;
  }
  const isStream = isStreaming(call.operation);
  const params = JSON.stringify(call.params, null, 2).replaceAll('\n', '\n  ');
  const headers = Object.fromEntries(ownHeaders(request.headers));
  const options = Object.keys(headers).length ? `, ${JSON.stringify({ headers })}` : '';
  const use = isStream
    ? `for await (const event of client.stream(${js(call.operation)}, ${params})) console.log(event);`
    : `console.log(await client.call(${js(call.operation)}, ${params}));`;
  return `import { A2aClient, A2aError } from '@a2a-edge/client';

const client = await A2aClient.at(${JSON.stringify(request.endpoint)}${options});
try {
  ${use}
} catch (error) {
  if (!(error instanceof A2aError)) throw error;
  console.error(error.name, error.kind, error.code, error.reason, error.retryable, error.retryAfterMs);
}
`;
}

export function rust(request) {
  const { call } = request;
  if (!call) {
    const { method, url, headers, body } = request;
    const lines = headers.map(([name, value]) => `    .header(${rustString(name)}, ${rustString(value)})`);
    if (body) lines.push(`    .body(${rawString(body)})`);
    return `let response = reqwest::Client::new()
    .request(reqwest::Method::${method}, ${rustString(url)})
${lines.join('\n')}
    .send()
    .await?;
println!("{} {}", response.status(), response.text().await?);
`;
  }
  const binding = request.endpoint.binding === 'JSONRPC' ? 'JsonRpc' : 'Rest';
  const isStream = isStreaming(call.operation);
  const own = ownHeaders(request.headers).map(([name, value]) => `(${rustString(name)}.into(), ${rustString(value)}.to_owned())`);
  const options = own.length ? `Options { service: Service { headers: vec![${own.join(', ')}], ..Default::default() }, ..Default::default() }` : 'Options::default()';
  const made = isStream
    ? `Ok(mut events) => {
        while let Some(event) = events.next().await {
            println!("{}", event?);
        }
    }`
    : 'Ok(result) => println!("{result}"),';
  return `use a2a_edge::client::{Client, Options, native};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::remote::{Binding, request::${own.length ? '{Endpoint, Service}' : 'Endpoint'}};
${isStream ? 'use futures_util::StreamExt;\n' : ''}use serde_json::json;

let endpoint = Endpoint::new(${rustString(request.endpoint.url)}, Binding::${binding});
let client = Client::new(endpoint, ${options}, native::ports()?);
let params = json!(${rustJson(JSON.stringify(call.params, null, 4))});
match client.${isStream ? 'stream' : 'call'}(Operation::${call.operation}, params).await {
    ${made}
    Err(error) => eprintln!("{error}: {:?} {} retryable: {}", error.kind(), error.code(), error.is_retryable()),
}
`;
}
