// The queue of a session: senders and a consumer that die, take back, jump in time, and run out of room.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { MessagePriority, SessionId } from '../../src/core/index.js';
import { isHitlError, ROOT_PATH } from '../../src/core/index.js';
import { ANN } from '../helpers/events.js';
import { agent } from '../sessions/sample-events.js';
import { FuzzProcess, Machine } from './fuzz-process.js';
import { fuzzTarget } from './fuzz.js';

const HERE = { phase: 'turn', path: ROOT_PATH } as const;
const MOST = 4;
const soon = () => AbortSignal.timeout(60_000);

type Death = { readonly at: number; readonly when: 'before' | 'after' } | undefined;

type Step =
  | {
      readonly type: 'send';
      /** The same number is the same message, sent again. */
      readonly number: number;
      readonly priority: MessagePriority;
      readonly overflow: 'reject' | 'drop-lowest';
      readonly death: Death;
    }
  | { readonly type: 'take'; readonly count: number; readonly death: Death }
  | { readonly type: 'withdraw'; readonly number: number; readonly death: Death }
  | { readonly type: 'list' }
  | { readonly type: 'clock'; readonly to: number };

function steps(): fc.Arbitrary<readonly Step[]> {
  const death = fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
    { freq: 2, nil: undefined },
  );
  const number = fc.nat(9);
  const type = <Type extends Step['type']>(name: Type) => fc.constant(name);
  const priority = fc.constantFrom<MessagePriority>('low', 'normal', 'urgent');
  return fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          type: type('send'),
          number,
          priority,
          overflow: fc.constantFrom('reject' as const, 'drop-lowest' as const),
          death,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ type: type('take'), count: fc.integer({ min: 1, max: 3 }), death }),
      },
      { weight: 1, arbitrary: fc.record({ type: type('withdraw'), number, death }) },
      { weight: 1, arbitrary: fc.record({ type: type('list') }) },
      {
        weight: 1,
        arbitrary: fc.record({
          type: type('clock'),
          to: fc.constantFrom(0, Date.UTC(2026, 5), Date.UTC(2106, 1)),
        }),
      },
    ),
    { maxLength: 25 },
  );
}

/** What has to be: who was told what of which message. */
class QueueModel {
  readonly sent = new Set<string>();
  readonly removed = new Set<string>();
  /** Sending or taking back was under way when somebody died: both is right. */
  readonly unknown = new Set<string>();

  /** Delivered once at most, and each that was confirmed and not taken back exactly once. */
  check(delivered: readonly string[], waiting: readonly string[]): void {
    expect(new Set(delivered).size).toBe(delivered.length);
    for (const id of delivered) expect(this.sent.has(id) || this.unknown.has(id)).toBe(true);
    for (const id of waiting) expect(delivered).not.toContain(id);
    const there = new Set([...delivered, ...waiting]);
    for (const id of this.sent)
      if (!this.removed.has(id) && !this.unknown.has(id)) expect(there).toContain(id);
    for (const id of this.removed) if (!this.unknown.has(id)) expect(there).not.toContain(id);
  }
}

class QueueDriver implements Disposable {
  readonly #machine = new Machine();
  readonly #model = new QueueModel();
  readonly #id = 'queue' as SessionId;

  async play(all: readonly Step[]): Promise<void> {
    await this.#inProcess(undefined, async (process) => {
      await using session = await process.store.create({ agent, id: this.#id });
      expect(session.mode).toBe('write');
    });
    for (const step of all) {
      await this.#step(step);
      await this.#check();
    }
    for (let round = 0; round < 20; round += 1)
      await this.#step({ type: 'take', count: 3, death: undefined });
    const { delivered, waiting } = await this.#check();
    expect(waiting).toEqual([]);
    for (const id of this.#model.sent)
      if (!this.#model.removed.has(id) && !this.#model.unknown.has(id)) expect(delivered).toContain(id);
  }

  [Symbol.dispose](): void {
    this.#machine[Symbol.dispose]();
  }

  async #check() {
    return this.#inProcess(undefined, async (process) => {
      const events = this.#machine.journal(this.#id).map(({ event }) => event);
      const delivered = events.flatMap((event) => (event.type === 'inbox-delivered' ? [event.item.id] : []));
      const page = await process.store.mail(this.#id).list();
      const waiting = page.items.map(({ id }) => id);
      expect(page.total).toBeLessThanOrEqual(MOST);
      expect((await process.store.mail(this.#id).list()).items.map(({ id }) => id)).toEqual(waiting);
      this.#model.check(delivered, waiting);
      return { delivered, waiting };
    });
  }

  /** Each step is a process of its own, which may die in it. */
  async #inProcess<T>(death: Death, act: (process: FuzzProcess) => Promise<T>): Promise<T> {
    using process = new FuzzProcess(this.#machine);
    if (death !== undefined) process.fs.fail(death.at, { type: 'crash', when: death.when });
    return await act(process);
  }

  async #step(step: Step): Promise<void> {
    switch (step.type) {
      case 'send':
        return this.#send(step);
      case 'take':
        return this.#take(step.count, step.death);
      case 'withdraw':
        return this.#withdraw(`m${step.number}`, step.death);
      case 'list':
        return;
      case 'clock':
        this.#machine.setClock(step.to);
    }
  }

  async #send({ number, priority, overflow, death }: Extract<Step, { type: 'send' }>): Promise<void> {
    const id = `m${number}`;
    const draft = {
      id,
      text: `text ${number}`,
      from: ANN,
      priority: number % 2 === 0 ? 'normal' : priority,
    } as const;
    const { sent, unknown, removed } = this.#model;
    const isKnown = sent.has(id) || unknown.has(id);
    try {
      const receipt = await this.#inProcess(death, (process) =>
        process.store.mail(this.#id).send(draft, { maxQueue: MOST, overflow }, soon()),
      );
      if (receipt.isNew && unknown.has(id)) unknown.delete(id);
      sent.add(id);
      if (receipt.evicted !== undefined) removed.add(receipt.evicted);
    } catch (error) {
      if (isHitlError(error) && (error.code === 'QUEUE_FULL' || error.code === 'BAD_INPUT')) return;
      if (death === undefined) throw error;
      if (!isKnown) unknown.add(id);
      // Whoever would have made room may be gone or not.
      if (overflow === 'drop-lowest') for (const other of sent) unknown.add(other);
    }
  }

  async #withdraw(id: string, death: Death): Promise<void> {
    try {
      const gone = await this.#inProcess(death, (process) =>
        process.store.mail(this.#id).withdraw([id], soon()),
      );
      for (const one of gone) this.#model.removed.add(one);
    } catch (error) {
      if (death === undefined) throw error;
      this.#model.unknown.add(id);
    }
  }

  async #take(count: number, death: Death): Promise<void> {
    try {
      await this.#inProcess(death, async (process) => {
        await using session = await process.store.open(this.#id, 'write');
        let left = count;
        const inbox = session.inbox();
        const taken = await inbox.take(HERE, soon(), { isLast: () => (left -= 1) === 0 });
        try {
          await session.append(taken.events);
        } finally {
          taken.release();
        }
      });
    } catch (error) {
      if (death === undefined) throw error;
    }
  }
}

fuzzTarget('queue', {
  'loses nothing that was confirmed, delivers nothing twice, and never holds more than it may (G18, G25)': {
    runs: 30,
    property: () =>
      fc.asyncProperty(steps(), async (all) => {
        using driver = new QueueDriver();
        await driver.play(all);
        return true;
      }),
  },
});
