// PostgreSQL in this process, in memory. Its first files are made once, and read from then on: making them takes four times
// as long.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';

/** Beside the packages, so that it goes with the one that made it. */
const kept = new URL('../node_modules/.pglite.tar', import.meta.url);

export async function createPglite() {
  return PGlite.create({ loadDataDir: await firstFiles() });
}

async function firstFiles() {
  try {
    return new Blob([await readFile(kept)]);
  } catch {
    const made = await PGlite.create();
    const files = await made.dumpDataDir('none');
    await made.close();
    const aside = new URL(`${kept}.${process.pid}`);
    await writeFile(aside, Buffer.from(await files.arrayBuffer()));
    await rename(aside, kept);
    return files;
  }
}
