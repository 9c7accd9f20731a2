// Opening long sessions, listing many, folding many events.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { product, program } from '../harness/places.mjs';
import { median } from '../harness/statistics.mjs';
import { temporaryHome } from '../harness/temporary-home.mjs';
import { fullStore } from './full-store.mjs';
import { SAID, temporaryStore, withoutFlush } from './hitl-engine.mjs';

const { emptyState, evolve, fold, openInterrupts } = await product('lib/index.js');

const filling = 'x'.repeat(900);

/** Messages of about 1 kB, by turns of the person and the model. */
function messages(count) {
  return Array.from({ length: count }, (_, n) => ({
    type: 'message-added',
    message: { role: n % 2 === 0 ? 'user' : 'model', content: [{ type: 'text', text: `${n} ${filling}` }] },
  }));
}

/** A question that is still open. */
function question() {
  const ref = 'call_open';
  const content = [{ type: 'tool-request', ref, name: 'ask', input: {} }];
  return [SAID, { type: 'message-added', message: { role: 'model', content }, end: 'tool-use' }];
}

function repeated(times, work) {
  work();
  const walls = [];
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    work();
    walls.push(performance.now() - start);
  }
  return median(walls);
}

async function openLong({ size, snapshot, times }) {
  withoutFlush();
  const { root, store, remove } = await temporaryStore();
  const session = await store.create({ agent: { model: 'none', tools: [] } });
  await session.append([...messages(size), ...question()]);
  await session[Symbol.asyncDispose]();
  const folder = path.join(root, session.id);
  if (!snapshot) rmSync(path.join(folder, 'snapshot.json'), { force: true });
  const hasSnapshot = existsSync(path.join(folder, 'snapshot.json'));
  const file = path.join(folder, 'journal.jsonl');
  const floorMs = repeated(times, () => {
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  });
  const walls = [];
  for (let time = 0; time <= times; time += 1) {
    const start = performance.now();
    const opened = await store.open(session.id, 'read');
    if (opened.state.open?.calls.length !== 1) throw new Error('no open call');
    openInterrupts(opened.state);
    walls.push(performance.now() - start);
    await opened[Symbol.asyncDispose]();
  }
  remove();
  const ms = median(walls.slice(1));
  return { ms, firstMs: walls[0], floorMs, overFloor: ms / floorMs, snapshot: hasSnapshot ? 1 : 0 };
}

async function listMany({ size, times }) {
  const { root, remove } = await fullStore(size);
  const home = temporaryHome({}); // what an empty Node takes depends on variables, such as those of certificates
  const list = (args) => {
    const start = performance.now();
    const child = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 1e9,
      env: { ...home.env, HITL_SESSIONS: root },
    });
    if (child.status !== 0) throw new Error(child.stderr);
    return { wall: performance.now() - start, lines: child.stdout.split('\n').length };
  };
  const words = [program, 'list', '--all'];
  const first = list(words);
  if (first.lines < size) throw new Error(`${first.lines} lines`);
  const walls = [];
  const empty = [];
  for (let time = 0; time < times; time += 1) {
    empty.push(list(['-e', '0']).wall);
    walls.push(list(words).wall);
  }
  remove();
  home.remove();
  const overNode = median(walls.map((wall, index) => wall / empty[index]));
  return { firstMs: first.wall, ms: median(walls), emptyNodeMs: median(empty), overNode };
}

function foldMany({ size, times }) {
  const events = [];
  for (let n = 0; events.length < size; n += 1) {
    const ref = `call_${n}`;
    const request = { type: 'tool-request', ref, name: 'add', input: { a: n, b: 1 } };
    const at = '2026-01-01T00:00:00.000Z';
    const started = {
      ref,
      name: 'add',
      attempt: 1,
      input: { a: n, b: 1 },
      effect: 'none',
      idempotencyKey: ref,
    };
    events.push(
      { type: 'model-started', attempt: 1 },
      { type: 'message-added', message: { role: 'model', content: [request] }, end: 'tool-use' },
      { type: 'tool-started', ...started, startedAt: at },
      { type: 'tool-settled', ref, outcome: { type: 'output', output: n + 1 } },
    );
  }
  const start = evolve(emptyState(), SAID);
  const processor = [];
  for (let time = 0; time <= times; time += 1) {
    globalThis.gc?.();
    const before = process.cpuUsage();
    fold(events.slice(0, size), start);
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1000);
  }
  return { cpuMs: median(processor.slice(1)) };
}

/** @param params `{ what: 'open' | 'list' | 'fold', size, snapshot? }` */
export async function measure({ what, times = 5, ...params }) {
  if (what === 'open') return openLong({ ...params, times });
  return what === 'list' ? listMany({ ...params, times }) : foldMany({ ...params, times });
}
