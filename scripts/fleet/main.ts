// Answers many questions twice at the same time while workers and the server are killed, and counts:
//   npm run fleet -- --questions 4000 --workers 4 --crashes 3
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { PostgresStore } from '../../sessions/postgres/index.js';
import { isJsonObject } from '../../src/core/index.js';
import type { Answer, AnswerFate, Interrupt, SessionId, WaitingItem } from '../../src/core/index.js';
import { isHitlError, openChat } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { startServer } from '../../tools/servers/server.mjs';
import { bundledWorker, payTool, storeAt } from './parts.js';

/** What a person waits for is mostly the worker: many wait at the same time. */
const AT_ONCE = 24;
/** A worker lives so long behind its first word, so that each has work when it dies. */
const LIFE_MS = 2_500;
const RETRY_MS = 200;

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '4000' },
    workers: { type: 'string', default: '4' },
    crashes: { type: 'string', default: '3' },
  },
});
const questions = Number(values.questions);
const server = await startServer();
const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-fleet-'));
const effects = path.join(folder, 'effects');
writeFileSync(effects, '');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Does something with every item, some at the same time. */
async function all<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Does something until the database is there. */
async function insisting<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (thrown) {
      const isAway =
        isHitlError(thrown) && ['SAVE_FAILED', 'STORE_UNAVAILABLE', 'SESSION_LOCKED'].includes(thrown.code);
      if (!isAway) throw thrown;
      await passing(RETRY_MS);
    }
  }
}

async function ask(store: PostgresStore, n: number): Promise<readonly [SessionId, Interrupt]> {
  const model = scriptedModel([{ tools: [{ name: 'pay', input: { n } }] }]);
  const chat = await openChat({ store, model, tools: [payTool(effects)] });
  await chat.say(`pay ${n}`);
  const [question] = chat.open;
  await chat.close();
  if (question === undefined) throw new Error('nothing was asked');
  return [chat.id, question];
}

/** Posts an answer and waits for what becomes of it. @returns true where it is the one that counts */
async function answered(
  store: PostgresStore,
  id: SessionId,
  question: Interrupt,
  name: string,
): Promise<boolean> {
  const { digest } = question;
  const by = { type: 'person', name, via: 'library' } as const;
  const answer: Answer = { id: question.id, digest, resolution: { action: 'restart' }, by };
  try {
    const posted = await insisting(() => store.post(id, answer, { receipt: `${name}-${id}` }));
    const fate = await insisting((): Promise<AnswerFate> => store.fate(posted, AbortSignal.timeout(120_000)));
    return fate.type === 'used' && fate.resolved.by.type === 'person' && fate.resolved.by.name === name;
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ALREADY_ANSWERED') return false;
    throw thrown;
  }
}

const started = performance.now();
const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(0)} s`;
const [ann, bob] = [storeAt(server.url), storeAt(server.url)];
const asked: (readonly [SessionId, Interrupt])[] = [];
await all(
  Array.from({ length: questions }, (_, n) => n),
  async (n) => void asked.push(await ask(ann, n)),
);
say(`${asked.length} questions asked, ${seconds()}`);

const script = await bundledWorker();
const workers = new Set<ChildProcess>();
let kills = 0;
let isKilling = true;

/** Keeps a worker at work: each says that it is ready, and is killed and followed by another one a while later. */
function keepWorking(): void {
  const worker = spawn(process.execPath, [script, server.url, effects], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  workers.add(worker);
  worker.once('message', () => {
    setTimeout(
      () => {
        if (!isKilling) return;
        worker.kill('SIGKILL');
        kills += 1;
      },
      LIFE_MS * (0.5 + Math.random()),
    );
  });
  worker.once('exit', () => {
    workers.delete(worker);
    if (isKilling || workers.size === 0) keepWorking();
  });
}

for (let count = 0; count < Number(values.workers); count += 1) keepWorking();

const progress = setInterval(() => {
  say(`  ${counted} answered, ${kills} workers and ${crashes} servers killed, ${seconds()}`);
}, 30_000).unref();
let counted = 0;
let twice = 0;
let never = 0;
let crashes = 0;
let crashing = Promise.resolve();
const winners = new Map<SessionId, string>();
await all(asked, async ([id, question]) => {
  const [one, other] = await Promise.all([
    answered(ann, id, question, 'ann'),
    answered(bob, id, question, 'bob'),
  ]);
  if (one && other) twice += 1;
  if (!one && !other) never += 1;
  if (one !== other) winners.set(id, one ? 'ann' : 'bob');
  counted += 1;
  if (
    crashes < Number(values.crashes) &&
    counted >= ((crashes + 1) * questions) / (Number(values.crashes) + 1)
  ) {
    crashes += 1;
    crashing = crashing.then(() => server.crash());
  }
});
await crashing;
say(`${counted} answered twice each, ${kills} workers and ${crashes} servers killed, ${seconds()}`);
isKilling = false;

/** Waits until nothing is left to do: what is open then is a doubt that was asked. */
async function doubts(): Promise<ReadonlyMap<SessionId, WaitingItem>> {
  for (;;) {
    const busy = await insisting(async () => {
      let left = 0;
      for await (const { status } of ann.list()) if (status !== 'done' && status !== 'waiting') left += 1;
      return left;
    });
    const open = await insisting(async () => {
      const items = new Map<SessionId, WaitingItem>();
      for await (const item of ann.waiting()) items.set(item.session, item);
      return items;
    });
    if (busy === 0 && [...open.values()].every(({ interrupt }) => interrupt.kind === 'in-doubt')) return open;
    await passing(RETRY_MS);
  }
}

const open = await doubts();
const done = new Map<number, number>();
for (const line of readFileSync(effects, 'utf8').split('\n').filter(Boolean))
  done.set(Number(line), 1 + (done.get(Number(line)) ?? 0));
let lost = 0;
let resolvedTwice = 0;
let untold = 0;
await all(asked, async ([id, question]) => {
  const session = await insisting(() => ann.open(id, 'read'));
  const resolved = session.state.resolved.toArray().filter(({ interrupt }) => interrupt.id === question.id);
  const [first] = resolved;
  if (first?.by.type !== 'person' || first.by.name !== winners.get(id)) lost += 1;
  if (resolved.length !== 1 || session.notices.length > 0) resolvedTwice += 1;
  const input = question.source.type === 'tool' ? question.source.input : {};
  const n = isJsonObject(input) ? Number(input['n']) : -1;
  if (done.get(n) !== 1 && !open.has(id)) untold += 1;
});
const many = [...done.values()].filter((times) => times > 1).length;
for (const worker of workers) {
  worker.removeAllListeners('exit');
  worker.kill('SIGKILL');
}
const facts = {
  questions,
  kills,
  crashes,
  twice,
  never,
  lost,
  resolvedTwice,
  effects: done.size,
  many,
  doubts: open.size,
  untold,
};
say(`${JSON.stringify(facts)} ${seconds()}`);
clearInterval(progress);
await ann.close();
await bob.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
rmSync(script);
const violations = twice + never + lost + resolvedTwice + many + untold;
say(`${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
