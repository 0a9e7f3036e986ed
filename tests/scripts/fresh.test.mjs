// A build is skipped only when nothing that went into it has changed.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { inputsOf, isFresh, markFresh, markStale } from '../../scripts/lib/fresh.mjs';

const TOOLS = { rustc: 'rustc 1.97.0' };
let crate;

const write = (name, text) => {
  mkdirSync(path.dirname(path.join(crate, name)), { recursive: true });
  writeFileSync(path.join(crate, name), text);
};
const fresh = ({ tools = TOOLS, optimised = true } = {}) => isFresh(crate, inputsOf(crate, tools, crate), optimised);

beforeEach(() => {
  crate = mkdtempSync(path.join(tmpdir(), 'a2a-edge-fresh-'));
  write('Cargo.toml', '[package]');
  write('src/lib.rs', '// one');
  for (const output of ['index.js', 'index_bg.wasm', 'worker/shim.mjs']) write(`build/${output}`, 'built');
  markFresh(crate, inputsOf(crate, TOOLS, crate), true);
});
afterEach(() => rmSync(crate, { recursive: true }));

test('an unchanged crate is fresh, whatever its files are dated', () => {
  assert.equal(fresh(), true);
  utimesSync(path.join(crate, 'src/lib.rs'), new Date(), new Date());
  assert.equal(fresh(), true);
});

test('a changed, new or renamed source is not', () => {
  write('src/lib.rs', '// two');
  assert.equal(fresh(), false);
  write('src/lib.rs', '// one');
  assert.equal(fresh(), true);
  write('src/deep/other.rs', '');
  assert.equal(fresh(), false);
});

test('nor is a build by other tools, one that lost a file, or one that was begun', () => {
  assert.equal(fresh({ tools: { rustc: 'rustc 1.98.0' } }), false);
  rmSync(path.join(crate, 'build/index_bg.wasm'));
  assert.equal(fresh(), false);
  write('build/index_bg.wasm', 'built');
  assert.equal(fresh(), true);
  markStale(crate);
  assert.equal(fresh(), false);
});

test('a build without wasm-opt is good enough for who asks for no more', () => {
  assert.equal(fresh({ optimised: false }), true);
  markFresh(crate, inputsOf(crate, TOOLS, crate), false);
  assert.equal(fresh({ optimised: false }), true);
  assert.equal(fresh({ optimised: true }), false);
});
