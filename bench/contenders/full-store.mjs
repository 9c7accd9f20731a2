// Stores with more sessions than anybody makes by hand.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { SAID, temporaryStore, withoutFlush } from './hitl-engine.mjs';

/** How many sessions the product makes itself; the others are those again, under ids of their own. */
const MADE = 20;

/**
 * A store of so many sessions, each of a few records. It lies in memory where the system has files there: making it
 * takes a disk long, and what was just written is read from memory either way.
 * @returns as `temporaryStore`
 */
export async function fullStore(size) {
  withoutFlush();
  const { root, store, remove } = await temporaryStore(undefined, process.env.BENCH_MEMORY);
  const made = [];
  for (let n = 0; n < Math.min(size, MADE); n += 1) made.push(await folderOf(store, root, n));
  for (let n = made.length; n < size; n += 1) {
    const { id, files } = made[n % MADE];
    const other = id.slice(0, -5) + n.toString().padStart(5, '0');
    mkdirSync(path.join(root, other));
    for (const [name, text] of files) writeFileSync(path.join(root, other, name), text.replaceAll(id, other));
  }
  return { root, store, remove };
}

async function folderOf(store, root, n) {
  const session = await store.create({ agent: { model: 'none', tools: [] } });
  const reply = { role: 'model', content: [{ type: 'text', text: `Answer ${n}.` }] };
  await session.append([SAID, { type: 'message-added', message: reply, end: 'stop' }]);
  await session[Symbol.asyncDispose]();
  const folder = path.join(root, session.id);
  return {
    id: session.id,
    files: readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  };
}
