// Prints what RUSTUP_TOOLCHAIN must be for native cargo, or nothing when the pinned Rust is at hand. Called by .ci/run.
import { main } from './lib/process.mjs';
import { nativeEnv } from './lib/rust.mjs';

await main(async () => {
  process.stdout.write(nativeEnv().RUSTUP_TOOLCHAIN ?? '');
});
