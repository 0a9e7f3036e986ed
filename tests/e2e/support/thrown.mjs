import assert from 'node:assert/strict';

/** What the work throws; that it does. */
export async function thrownBy(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}
