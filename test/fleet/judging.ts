// What the journals, the rows and the effects of a fleet say when all is over.
import { readFileSync } from 'node:fs';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import type { Interrupt } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import type { Asked } from './people.js';
import { PAYMENTS } from './parts.js';
import { all, insisting } from './people.js';

/** The counts that have to be 0, and what else there is to say. */
export interface Facts {
  readonly violations: Readonly<Record<string, number>>;
  readonly others: Readonly<Record<string, unknown>>;
}

/** What is not quiet: something unread, something due, or somebody at work. */
export async function unrested(sql: SqlDriver): Promise<readonly unknown[]> {
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
export async function judged({ ann, asked, said, effects }: Judging): Promise<Facts> {
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
