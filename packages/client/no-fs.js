// What stands in the place of node:fs/promises where there is none.
export async function readFile(url) {
  throw new Error(`there is nothing here to read ${url} with: pass the module to load()`);
}
