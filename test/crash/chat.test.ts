// A chat with three parallel tools and two interrupts, on the real journal, dying at every write of it.
import { describe, expect, test } from 'vitest';

import { triesAll } from '../helpers/kill-points.js';
import { withAppend } from '../helpers/with-append.js';
import { transcriptDocument } from '../../sessions/index.js';
import type { FileStore } from '../../sessions/index.js';
import type { Actor, HumanChannel, JsonValue, Renderer, Session, SessionId } from '../../src/core/index.js';
import { checkMessages, textPart } from '../../src/core/index.js';
import { scriptedModel } from '../../src/models/index.js';
import { converse, keep } from '../../src/repl/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { temporaryStore, tickingClock } from '../sessions/temporary-store.js';

const SCHEDULES = triesAll ? 200 : 12;

class Death extends Error {}

/** When the process dies: before or after its n-th write, counted over all of its lives. */
type Deaths = ReadonlySet<string>;

/** What outlives a process: the disk, and the world that tools change. */
interface World {
  readonly store: FileStore;
  /** Effects by idempotency key, in the order in which they happened. */
  readonly effects: string[];
  /** How often a person was told of an unknown outcome. */
  told: number;
  writes: number;
  readonly died: Set<string>;
}

const PERSON: Actor = { type: 'person', name: 'ann', via: 'library' };

const silent: Renderer = {
  event: () => undefined,
  transient: () => undefined,
  notice: () => undefined,
  pause: () => undefined,
  stopped: () => undefined,
};

function toolsIn(world: World) {
  const schema = {
    type: 'object',
    properties: { amount: { type: 'number' } },
    required: ['amount'],
  } as const;
  const pay = defineTool(
    { name: 'pay', description: 'Pays.', input: schema, effect: 'once' },
    (input, context): JsonValue => {
      if (context.resumed === undefined) return context.interrupt({ confirm: input['amount'] ?? null });
      world.effects.push(context.idempotencyKey);
      return { paid: input['amount'] ?? null };
    },
  );
  const note = defineTool(
    { name: 'note', description: 'Notes.', input: schema, effect: 'once' },
    (input, context): JsonValue => {
      world.effects.push(context.idempotencyKey);
      return { paid: input['amount'] ?? null };
    },
  );
  return toolSet([pay, note]);
}

function modelOf() {
  return scriptedModel([
    {
      text: 'Three things.',
      tools: [
        { name: 'pay', input: { amount: 10 }, ref: 'a' },
        { name: 'note', input: { amount: 1 }, ref: 'b' },
        { name: 'pay', input: { amount: 30 }, ref: 'c' },
      ],
    },
    'Done.',
  ]);
}

/** Answers as a person would who looks at the world when the program does not know. */
function person(world: World): HumanChannel {
  return {
    async ask(open) {
      const [interrupt] = open;
      if (interrupt?.source.type !== 'tool') return { type: 'left-open', why: 'nothing is open' };
      const { id, digest, kind, source } = interrupt;
      const { ref, input } = source;
      const answer = (resolution: Parameters<typeof Object>[0]) =>
        ({ type: 'answered', answer: { id, digest, resolution, by: PERSON } }) as Awaited<
          ReturnType<HumanChannel['ask']>
        >;
      if (kind === 'in-doubt') {
        world.told += 1;
        const amount = (input as { amount: number }).amount;
        const happened = world.effects.some((key) => key.endsWith(`:${ref}`));
        return answer(happened ? { action: 'respond', output: { paid: amount } } : { action: 'retry' });
      }
      return answer(ref === 'a' ? { action: 'restart', input: { amount: 15 } } : { action: 'restart' });
    },
  };
}

/** A session whose process dies at its writes. */
function mortal(session: Session, world: World, deaths: Deaths): Session {
  const die = (point: string): void => {
    if (!deaths.has(point) || world.died.has(point)) return;
    world.died.add(point);
    throw new Death(point);
  };
  return withAppend(session, async (events) => {
    world.writes += 1;
    const { writes } = world;
    die(`before ${writes}`);
    await session.append(events);
    die(`after ${writes}`);
  });
}

/** One life of the process: from opening the session to its end, or to a death. */
async function live(world: World, id: SessionId, deaths: Deaths): Promise<'ended' | 'died'> {
  await using opened = await world.store.open(id, 'write');
  const session = mortal(opened, world, deaths);
  try {
    if (session.state.turns === 0) {
      await keep(
        [{ type: 'message-added', message: { role: 'user', content: [textPart('go')] } }],
        session,
        silent,
      );
    }
    const rest = await converse(
      {
        session,
        renderer: silent,
        channel: person(world),
        run: { model: modelOf(), tools: toolsIn(world), clock: tickingClock(), runId: id },
      },
      new AbortController().signal,
    );
    expect(rest.type).toBe('ended');
    return 'ended';
  } catch (thrown) {
    if (thrown instanceof Death) return 'died';
    throw thrown;
  }
}

async function chat(deaths: Deaths): Promise<{ world: World; document: object }> {
  const world: World = { store: temporaryStore(), effects: [], told: 0, writes: 0, died: new Set() };
  const created = await world.store.create({ agent: { model: 'script', tools: [] } });
  const { id } = created;
  await created[Symbol.asyncDispose]();
  for (let lives = 0; (await live(world, id, deaths)) === 'died'; lives += 1) expect(lives).toBeLessThan(100);
  await using session = await world.store.open(id, 'read');
  expect(checkMessages(session.state.view)).toEqual([]); // G19
  const { messages, status } = transcriptDocument(session);
  return { world, document: { status, messages: messages.map(plain) } };
}

/** What a crash may not change: who said what, and what came of each call. */
function plain({ role, content }: { readonly role: string; readonly content: readonly object[] }): object {
  return {
    role,
    content: content.map((part) => ({ ...part, metadata: undefined })),
  };
}

function expectOnce({ effects }: World): void {
  const refs = effects.map((key) => key.slice(key.lastIndexOf(':') + 1));
  expect([...refs].sort()).toEqual(['a', 'b', 'c']); // each effect exactly once (G10)
}

describe('a chat that dies', () => {
  test('before and after every journal write ends like one that does not, with each effect once (G1, G2, G9, G10, G15)', async () => {
    const calm = await chat(new Set());
    expectOnce(calm.world);
    expect(calm.world.told).toBe(0);
    let tried = 0;
    for (let write = 1; write <= calm.world.writes; write += 1) {
      for (const point of [`before ${write}`, `after ${write}`]) {
        const { world, document } = await chat(new Set([point]));
        expect(world.died).toEqual(new Set([point]));
        expect(document).toEqual(calm.document);
        expectOnce(world);
        tried += 1;
      }
    }
    process.stdout.write(`crash points tried: ${tried} (${calm.world.writes} writes)\n`);
    expect(tried).toBeGreaterThanOrEqual(14);
  });

  test('again and again at random points ends the same (F1)', async () => {
    const calm = await chat(new Set());
    let seed = 20_260_101;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    let deaths = 0;
    for (let schedule = 0; schedule < SCHEDULES; schedule += 1) {
      const points = new Set<string>();
      for (let n = 0; n < 1 + random(6); n += 1)
        points.add(`${random(2) === 0 ? 'before' : 'after'} ${1 + random(20)}`);
      const { world, document } = await chat(points);
      deaths += world.died.size;
      expect(document).toEqual(calm.document);
      expectOnce(world);
    }
    process.stdout.write(`random schedules tried: ${SCHEDULES}, deaths: ${deaths}\n`);
    expect(deaths).toBeGreaterThan(SCHEDULES);
  });
});
