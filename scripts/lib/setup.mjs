// The set-up: everything a build needs, installed side by side when it is missing.
import { ensureNodeModules } from './npm.mjs';
import { wasmBindgenVersion } from './project.mjs';
import { ensureWasmToolchain } from './rust.mjs';
import { ensureTools } from './tools.mjs';

/** @returns {Promise<{toolchain: object, tools: {bindgen: string, workerBuild: string}}>} */
export async function setup(crateDir) {
  const results = await Promise.allSettled([
    ensureWasmToolchain(),
    ensureTools(wasmBindgenVersion(crateDir)),
    ensureNodeModules(),
  ]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return { toolchain: results[0].value, tools: results[1].value };
}
