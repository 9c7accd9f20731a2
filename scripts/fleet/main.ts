// Answers many questions twice at the same time while workers, lines and the server fail, and counts:
//   npm run fleet -- --questions 4000 --workers 4
//   npm run fleet -- --questions 400 --schedule kills
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { PostgresStore } from '../../sessions/postgres/index.js';
import { pgDriver } from '../../sessions/postgres/index.js';
import type { Answer, AnswerFate, Interrupt, Resolution, SessionId } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import { isHitlError, openChat, openFlow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { pg, startServer } from '../../tools/servers/server.mjs';
import type { Fault } from './faults.js';
import { Fleet, SCHEDULES } from './faults.js';
import type { Kind } from './parts.js';
import { bundledWorker, KINDS, PAYMENTS, payInSteps, payTools, storeAt, TOOL_OF } from './parts.js';

/** What a person waits for is mostly the worker: many wait at the same time. */
const AT_ONCE = 24;
const RETRY_MS = 200;
/** A fleet that has all that it needs comes to rest within this time: the longest pause behind a failure is shorter. */
const PATIENCE_MS = 420_000;
/** Whoever waits for an answer learns of it within this time. */
const FATE_MS = 420_000;
const PEOPLE = ['ann', 'bob'] as const;

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '4000' },
    workers: { type: 'string', default: '4' },
    /** One of them; default: the questions are shared out among all. */
    schedule: { type: 'string' },
  },
});

interface Asked {
  readonly id: SessionId;
  /** Its first payment. */
  readonly n: number;
  readonly kind: Kind;
  readonly questions: readonly Interrupt[];
}

/** The counts that have to be 0, and what else there is to say. */
interface Facts {
  readonly violations: Readonly<Record<string, number>>;
  readonly others: Readonly<Record<string, unknown>>;
}

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

/** Begins a session that asks. */
async function ask(store: PostgresStore, index: number, effects: string): Promise<Asked> {
  const kind = KINDS[index % KINDS.length] ?? 'one';
  const n = PAYMENTS * index;
  if (kind === 'steps') {
    const flow = await openFlow(payInSteps(effects), { store });
    await flow.start({ input: { n } });
    const { id, open: questions } = flow;
    await flow.close();
    return { id, n, kind, questions };
  }
  const calls = kind === 'two' ? [n, n + 1] : [n];
  const model = scriptedModel([
    { tools: calls.map((number) => ({ name: TOOL_OF[kind], input: { n: number } })) },
  ]);
  const tools = payTools(effects).filter(({ name }) => name === TOOL_OF[kind]);
  const chat = await openChat({ store, model, tools });
  await chat.say(`pay ${n}`);
  const asked = { id: chat.id, n, kind, questions: chat.open };
  await chat.close();
  if (asked.questions.length !== calls.length) throw new Error('not all was asked');
  return asked;
}

/**
 * Posts an answer, and waits for what becomes of it.
 * @returns `used` where it decided or is one of the votes that did, `late` where somebody else's did
 */
async function answered(
  store: PostgresStore,
  id: SessionId,
  question: Interrupt,
  name: string,
): Promise<'used' | 'late'> {
  const { digest } = question;
  const by = { type: 'person', name, via: 'library' } as const;
  const resolution: Resolution =
    question.source.type === 'tool' ? { action: 'restart' } : { action: 'respond', output: true };
  const answer: Answer = { id: question.id, digest, resolution, by };
  try {
    const receipt = `${name}-${id}-${question.id}`;
    const posted = await insisting(() => store.post(id, answer, { receipt }));
    const fate = await insisting((): Promise<AnswerFate> => store.fate(posted, AbortSignal.timeout(FATE_MS)));
    return fate.type === 'refused' ? 'late' : 'used';
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ALREADY_ANSWERED') return 'late';
    throw thrown;
  }
}

/** All questions of some sessions, answered by two people at the same time, while things happen. */
async function trial(name: string, faults: readonly Fault[], questions: number): Promise<Facts> {
  const server = await startServer();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-fleet-'));
  const effects = path.join(folder, 'effects');
  writeFileSync(effects, '');
  const sql = pgDriver(pg, server.url);
  const [ann, bob] = [storeAt(server.url), storeAt(server.url)];
  const asked: Asked[] = [];
  for (let made = 0; made < questions; made = asked.reduce((sum, one) => sum + one.questions.length, 0)) {
    const from = asked.length;
    await all(
      Array.from({ length: Math.min(AT_ONCE, questions - made) }, (_, index) => from + index),
      async (n) => void asked.push(await ask(ann, n, effects)),
    );
  }
  const script = await bundledWorker();
  const fleet = new Fleet({
    ...{ url: server.url, script, effects, faults },
    size: Number(values.workers),
    crash: () => server.crash(),
    restart: () => server.restart(),
  });
  await fleet.begin();
  const said = new Map<string, readonly string[]>();
  let unheard = 0;
  const work = asked.flatMap(({ id, questions: open }) => open.map((question) => ({ id, question })));
  const progress = setInterval(() => {
    say(`  ${name}: ${said.size} of ${work.length} answered, ${JSON.stringify(fleet.happened)}`);
  }, 30_000).unref();
  await all(work, async ({ id, question }) => {
    const ends = await Promise.allSettled([
      answered(ann, id, question, 'ann'),
      answered(bob, id, question, 'bob'),
    ]);
    const used = ends.map((end) => (end.status === 'fulfilled' ? end.value : 'unheard'));
    if (used.includes('unheard')) unheard += 1;
    said.set(
      `${id} ${question.id}`,
      PEOPLE.filter((_person, index) => used[index] === 'used'),
    );
  });
  clearInterval(progress);
  await fleet.calm();

  const until = performance.now() + PATIENCE_MS;
  let left: readonly unknown[];
  do {
    await passing(RETRY_MS * 5);
    left = await unrested(sql);
  } while (left.length > 0 && performance.now() < until);
  const facts = await judged({ ann, asked, said, effects });
  await fleet.end();
  await ann.close();
  await bob.close();
  await sql.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(script);
  return {
    violations: { unheard, stranded: left.length, ...facts.violations },
    others: { questions: work.length, ...fleet.happened, ...facts.others },
  };
}

/** What is not quiet: something unread, something due, or somebody at work. */
async function unrested(sql: ReturnType<typeof pgDriver>): Promise<readonly unknown[]> {
  return insisting(() =>
    sql
      .query(
        `select s.id, s.status, s.wakes, s.looked, s.attempts, s.failure from hitl_session s
         where s.wake_at is not null or s.wakes > s.looked and s.waiting > 0 or s.holder is not null
           or s.due_at <= now() or s.status = 'interrupted'
           or exists (select from hitl_open o where o.sid = s.sid and o.kind <> 'in-doubt')`,
      )
      .catch(() => ['the database is away']),
  );
}

interface Judging {
  readonly ann: PostgresStore;
  readonly asked: readonly Asked[];
  readonly said: ReadonlyMap<string, readonly string[]>;
  readonly effects: string;
}

/** What the journals and the effects say. */
async function judged({ ann, asked, said, effects }: Judging): Promise<Facts> {
  const done = new Map<number, number>();
  for (const line of readFileSync(effects, 'utf8').split('\n').filter(Boolean))
    done.set(Number(line), 1 + (done.get(Number(line)) ?? 0));
  const violations = { resolvedTwice: 0, wrongPeople: 0, lost: 0, untold: 0, twice: 0 };
  let doubts = 0;
  await all(asked, async ({ id, n, kind, questions }) => {
    const session = await insisting(() => ann.open(id, 'read'));
    if (session.notices.length > 0) violations.lost += 1;
    const inDoubt = new Set<number>();
    for await (const { event } of session.events())
      if (event.type === 'interrupt-raised' && event.interrupt.kind === 'in-doubt')
        inDoubt.add(numberIn(event.interrupt));
    doubts += inDoubt.size;
    for (const question of questions) {
      const all = session.state.resolved.toArray().filter(({ interrupt }) => interrupt.id === question.id);
      const [first] = all;
      if (all.length !== 1) violations.resolvedTwice += 1;
      const people = said.get(`${id} ${question.id}`) ?? [];
      const counted = (first?.votes ?? [first]).flatMap((one) =>
        one?.by.type === 'person' ? [one.by.name] : [],
      );
      const isRight = kind === 'votes' ? people.length === 2 : people.length === 1;
      if (!isRight || people.some((name) => !counted.includes(name))) violations.wrongPeople += 1;
      const payments =
        kind === 'steps' ? Array.from({ length: PAYMENTS }, (_, k) => n + k) : [numberIn(question)];
      if (payments.some((one) => (done.get(one) ?? 0) > 1)) violations.twice += 1;
      const doubtful = payments.findIndex((one) => inDoubt.has(one));
      const told = doubtful === -1 ? payments : payments.slice(0, doubtful); // what stands behind a doubt waits for it
      if (told.some((one) => done.get(one) !== 1)) violations.untold += 1;
    }
  });
  return { violations, others: { sessions: asked.length, effects: done.size, doubts } };
}

/** The payment that a question is about: the input of a call, or the name of a step. */
function numberIn({ source }: Interrupt): number {
  if (source.type === 'node') return Number(/^pay-(\d+)#/.exec(source.operation ?? '')?.[1] ?? -1);
  const input = source.type === 'tool' ? source.input : {};
  return isJsonObject(input) ? Number(input['n']) : -1;
}

const names = values.schedule === undefined ? Object.keys(SCHEDULES) : [values.schedule];
let violations = 0;
let stranded = 0;
for (const name of names) {
  const faults = SCHEDULES[name];
  if (faults === undefined)
    throw new Error(`no schedule ${name}; there are ${Object.keys(SCHEDULES).join(', ')}`);
  const from = performance.now();
  const { violations: wrong, others } = await trial(
    name,
    faults,
    Math.ceil(Number(values.questions) / names.length),
  );
  const took = ((performance.now() - from) / 1_000).toFixed(0);
  say(`${name}: ${JSON.stringify(others)} ${JSON.stringify(wrong)} ${took} s`);
  const { stranded: left = 0, ...rest } = wrong;
  stranded += left;
  violations += Object.values(rest).reduce((sum, count) => sum + count, 0);
}
say(`${violations} violations, ${stranded} stranded`);
process.exit(violations + stranded === 0 ? 0 : 1);
