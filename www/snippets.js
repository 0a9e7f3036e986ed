// A request as somebody would write it elsewhere.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const js = (text) => JSON.stringify(text);
const raw = (text) => (text.includes('"#') ? `r##"${text}"##` : `r#"${text}"#`);

export function curl({ method, url, headers, body }) {
  const lines = [`curl -i ${method === 'POST' && body ? '' : `-X ${method} `}${shell(url)}`];
  for (const [name, value] of headers) lines.push(`  -H ${shell(`${name}: ${value}`)}`);
  if (body) lines.push(`  --data-binary ${shell(body)}`);
  return lines.join(' \\\n');
}

/** Operation and params, if the request is one that the client would send. */
function asked({ operation, params }) {
  return operation && params !== undefined ? { operation, params } : undefined;
}

/** What of the headers is the user's. */
const OWN = /^(accept|content-type|a2a-version)$/i;
const ownHeaders = (headers) => headers.filter(([name]) => !OWN.test(name));

export function javascript(request) {
  const call = asked(request);
  if (!call) {
    const { method, url, headers, body } = request;
    const init = { method, headers: Object.fromEntries(headers), ...(body ? { body } : {}) };
    return `const response = await fetch(${js(url)}, ${JSON.stringify(init, null, 2)});\nconsole.log(response.status, await response.text());\n`;
  }
  const isStream = /Streaming|Subscribe/.test(call.operation);
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
  const call = asked(request);
  if (!call) {
    const { method, url, headers, body } = request;
    const lines = headers.map(([name, value]) => `    .header(${js(name)}, ${js(value)})`);
    if (body) lines.push(`    .body(${raw(body)})`);
    return `let response = reqwest::Client::new()
    .request(reqwest::Method::${method}, ${js(url)})
${lines.join('\n')}
    .send()
    .await?;
println!("{} {}", response.status(), response.text().await?);
`;
  }
  const binding = request.endpoint.binding === 'JSONRPC' ? 'JsonRpc' : 'Rest';
  const isStream = /Streaming|Subscribe/.test(call.operation);
  const own = ownHeaders(request.headers).map(([name, value]) => `(${js(name)}.into(), ${js(value)}.to_owned())`);
  const options = own.length ? `Options { service: Service { headers: vec![${own.join(', ')}], ..Default::default() }, ..Default::default() }` : 'Options::default()';
  return `use a2a_edge::client::{Client, Options, native};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::remote::{Binding, request::${own.length ? '{Endpoint, Service}' : 'Endpoint'}};
use serde_json::json;

let endpoint = Endpoint::new(${js(request.endpoint.url)}, Binding::${binding});
let client = Client::new(endpoint, ${options}, native::ports()?);
let params = json!(${JSON.stringify(call.params, null, 4)});
match client.${isStream ? 'stream' : 'call'}(Operation::${call.operation}, params).await {
    Ok(${isStream ? '_events' : 'result'}) => println!("${isStream ? 'it streams' : '{result}'}"),
    Err(error) => eprintln!("{error}: {:?} {} retryable: {}", error.kind(), error.code(), error.is_retryable()),
}
`;
}
