import { expect } from 'vitest';

import type { Answer, JsonValue, Model, ModelReply, Session } from '../../../src/core/index.js';
import { emptyState, evolve, isoTime, openInterrupts, textPart, toolRef } from '../../../src/core/index.js';
import { checkResume, generate } from '../../../src/engine/index.js';
import { crashJournal, isCrash, scriptedChannel } from '../../../src/testing/index.js';
import { toolSet } from '../../../src/tools/index.js';
import { restartOf } from '../answers.js';
import { call, model, reply, request, say, user } from '../parts.js';
import type { SessionWorld } from '../session-world.js';
import { withJournal } from '../session-world.js';
import { ask, echo, pay } from '../tools.js';
import { replayModel, STILL } from '../world.js';

/** A case about sessions: what happens between processes is told by code. */
export interface SessionCase {
  readonly number: number;
  readonly title: string;
  readonly decision?: string;
  readonly play: (world: SessionWorld) => Promise<void>;
}

const paying = [reply(call('pay', { amount: 10 }, 'r1')), reply(say('done'))];

function leaving() {
  return scriptedChannel(['leave-open']);
}

/** A session that waits for the person to agree to a payment. */
async function waiting(world: SessionWorld, replies: readonly ModelReply[] = paying) {
  const id = await world.begin([pay(), ask(), echo()]);
  const rest = await world.goOn(id, { tools: [pay(), ask(), echo()], model: replies, channel: leaving() });
  expect(rest.type).toBe('waiting');
  return id;
}

/** An answer to the first open interrupt, as another process would make it. */
function agree(session: Session, input?: JsonValue): Answer {
  const interrupt = openInterrupts(session.state)[0];
  if (interrupt === undefined) throw new Error('nothing is open');
  const { id, digest } = interrupt;
  return {
    id,
    digest,
    resolution: { action: 'restart', ...(input !== undefined && { input }) },
    by: { type: 'person', name: 'ann', via: 'answer' },
  };
}

const unreachable: Model = {
  id: 'unreachable',
  // oxlint-disable-next-line require-yield -- it fails before there is anything to tell
  async *generate() {
    throw new Error('no route to the model');
  },
};

/** Where a run stands, told by its state alone. */
function standing({ entries, open, rules, usage, turns, rounds, resolved }: Session['state']) {
  return {
    entries: entries.toArray(),
    open,
    rules,
    usage,
    turns,
    rounds,
    resolved: resolved.toArray(),
  };
}

export const SESSIONS: readonly SessionCase[] = [
  {
    number: 84,
    title: 'an interrupted session is saved, and a new process resumes it by its id',
    async play(world) {
      const id = await waiting(world);
      expect(await world.summary(id)).toMatchObject({ status: 'waiting', waiting: 1, turns: 1 });
      const rest = await world.goOn(id, {
        tools: [pay()],
        model: paying,
        channel: scriptedChannel([{ action: 'restart' }]),
      });
      expect(rest).toEqual({ type: 'ended', reason: { type: 'done' } });
      expect(await world.summary(id)).toMatchObject({ status: 'done', waiting: 0, turns: 1 });
      expect(world.ran).toEqual([
        { tool: 'pay', input: { amount: 10 } },
        { tool: 'pay', input: { amount: 10 }, resumed: true },
      ]);
    },
  },
  {
    number: 85,
    title: 'a restart with a changed input is refused, unless it is a recorded edit',
    decision: 'Genkit has no edit here; ours is an explicit resolution that names who made it',
    async play(world) {
      const id = await waiting(world, [
        reply(call('pay', { amount: 10, to: 'Ann' }, 'r1')),
        reply(say('done')),
      ]);
      const history = [
        user('hi'),
        model(request('pay', { amount: 10, to: 'Ann' }, 'r1', { interrupt: { confirm: 10 } })),
      ];
      const forged = request('pay', { amount: 999, to: 'Ann' }, 'r1');
      const reordered = request('pay', { to: 'Ann', amount: 10 }, 'r1');
      const resume = (restart: typeof forged) =>
        generate(
          {
            model: replayModel([reply(), reply(say('done'))], world),
            clock: STILL,
            tools: toolSet([pay()]),
            messages: history,
            resume: { restart },
          },
          world.stop.signal,
        );
      await expect(resume(forged)).rejects.toMatchObject({
        code: 'INVALID_RESUME',
        status: 'INVALID_ARGUMENT',
      });
      await expect(resume(restartOf(reordered))).resolves.toMatchObject({ text: 'done' });

      const edited = { amount: 5, to: 'Ann' };
      await world.goOn(id, {
        tools: [pay()],
        model: paying,
        channel: scriptedChannel([{ action: 'restart', input: edited }]),
      });
      const answered = (await world.events(id)).find(({ type }) => type === 'interrupt-resolved');
      expect(answered).toMatchObject({
        resolution: { action: 'restart', input: edited },
        by: { type: 'script', name: 'scriptedChannel' },
      });
      expect(world.ran.at(-1)).toEqual({
        tool: 'pay',
        input: { amount: 5 },
        resumed: true,
        originalInput: { amount: 10, to: 'Ann' },
      });
    },
  },
  {
    number: 86,
    title: 'two interrupts of one message are both listed, and both answered',
    decision: 'decision 4: answers come one at a time, each durable at once; work starts with the last',
    async play(world) {
      const replies = [reply(call('pay', { amount: 1 }, 'i1'), call('ask', {}, 'i2')), reply(say('done'))];
      const id = await waiting(world, replies);
      expect(await world.summary(id)).toMatchObject({ status: 'waiting', waiting: 2 });
      await world.goOn(id, {
        tools: [pay(), ask()],
        model: replies,
        channel: scriptedChannel([
          { for: { tool: 'ask' }, answer: { action: 'respond', output: { answer: 'y' } } },
          'leave-open',
        ]),
      });
      expect(await world.summary(id)).toMatchObject({ status: 'waiting', waiting: 1 });
      expect(world.ran).toHaveLength(2);
      const rest = await world.goOn(id, {
        tools: [pay(), ask()],
        model: replies,
        channel: scriptedChannel([{ for: { tool: 'pay' }, answer: { action: 'restart' } }]),
      });
      expect(rest).toEqual({ type: 'ended', reason: { type: 'done' } });
      expect(world.ran.slice(2)).toEqual([{ tool: 'pay', input: { amount: 1 }, resumed: true }]);
    },
  },
  {
    number: 87,
    title: 'what changed before the interrupt is there after the resume',
    decision: 'our sessions hold no free state: what changed are messages, results, rules and usage',
    async play(world) {
      const replies = [
        reply(call('echo', 'before', 'r1')),
        reply(call('echo', 'beside', 'r2'), call('pay', { amount: 1 }, 'r3')),
        reply(say('done')),
      ];
      const id = await waiting(world, replies);
      await using before = await world.store().open(id, 'write');
      const rule = { effect: 'allow', tool: 'echo', toolDigest: 'abc' } as const;
      await before.append([{ type: 'rule-added', rule, by: { type: 'rule', rule: 'test' } }]);
      const stood = standing(before.state);
      await before[Symbol.asyncDispose]();
      await using again = await world.store().open(id, 'read');
      expect(standing(again.state)).toEqual(stood);
      await world.goOn(id, {
        tools: [pay(), echo()],
        model: replies,
        channel: scriptedChannel([{ action: 'restart' }]),
      });
      await using after = await world.store().open(id, 'read');
      expect(after.state.rules).toEqual([{ ...rule, madeAt: 3 }]);
      expect(after.state.entries.toArray().slice(0, 3)).toEqual(stood.entries);
      expect(world.ran.map(({ tool, input }) => [tool, input])).toEqual([
        ['echo', 'before'],
        ['echo', 'beside'],
        ['pay', { amount: 1 }],
        ['pay', { amount: 1 }],
      ]);
    },
  },
  {
    number: 88,
    title: 'a failed turn is marked as failed, and the session goes on from what is durable',
    decision: 'Genkit walks back to the last completed snapshot; a journal has nothing to walk back from',
    async play(world) {
      const id = await world.begin();
      const rest = await world.goOn(id, { tools: [], model: unreachable, channel: leaving() });
      expect(rest).toMatchObject({
        type: 'ended',
        reason: { type: 'failed', error: { code: 'MODEL_FAILED', message: 'no route to the model' } },
      });
      expect(await world.summary(id)).toMatchObject({ status: 'failed', turns: 1 });
      const second = await world.goOn(id, { tools: [], model: [reply(say('hello'))], channel: leaving() });
      expect(second).toEqual({ type: 'ended', reason: { type: 'done' } });
      await using session = await world.store().open(id, 'read');
      expect(session.state.entries.toArray().map(({ message }) => message)).toEqual([
        { role: 'user', content: [textPart('hi')] },
        { role: 'model', content: [textPart('hello')] },
      ]);
    },
  },
  {
    number: 89,
    title: "a tool request in a message that is not the model's never waits",
    async play(world) {
      const part = { type: 'tool-request', ref: toolRef('r1'), name: 'ask', input: {} } as const;
      for (const role of ['user', 'system'] as const) {
        const state = evolve(emptyState(), { type: 'message-added', message: { role, content: [part] } });
        expect(state.open).toBeUndefined();
        expect(openInterrupts(state)).toEqual([]);
      }
      const messages = [{ role: 'user' as const, content: [request('ask', {}, 'r1', { interrupt: true })] }];
      const base = { model: replayModel([reply(say('hello'))], world), clock: STILL, messages };
      await expect(generate({ ...base, resume: {} }, world.stop.signal)).rejects.toMatchObject({
        status: 'FAILED_PRECONDITION',
      });
      await expect(generate(base, world.stop.signal)).resolves.toMatchObject({ finishReason: 'stop' });
    },
  },
  {
    number: 90,
    title: 'a failed resume leaves the saved session exactly as it was',
    async play(world) {
      const id = await waiting(world);
      const before = await world.events(id);
      const wrong = scriptedChannel([{ action: 'restart', input: { amount: 'many' } }]);
      await expect(world.goOn(id, { tools: [pay()], model: paying, channel: wrong })).rejects.toMatchObject({
        code: 'BAD_ANSWER',
      });
      expect(await world.events(id)).toEqual(before);
      expect(world.ran).toHaveLength(1);
    },
  },
  {
    number: 91,
    title: 'of two processes that resume one session one wins, and the tool runs once',
    async play(world) {
      const id = await waiting(world);
      await using first = await world.store().open(id, 'write');
      await expect(world.store().open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
      const late = agree(first);
      await first[Symbol.asyncDispose]();
      await world.goOn(id, {
        tools: [pay()],
        model: paying,
        channel: scriptedChannel([{ action: 'restart' }]),
      });
      await using second = await world.store().open(id, 'write');
      expect(await checkResume(second.state, [late], toolSet([pay()]), { complete: false })).toMatchObject([
        { kind: 'stale', interrupt: 'i1' },
      ]);
      await expect(
        second.append([{ type: 'interrupt-resolved', ...late, resolvedAt: isoTime(STILL.now()) }]),
      ).rejects.toMatchObject({
        code: 'ILLEGAL_EVENT',
      });
      expect(world.ran.filter(({ resumed }) => resumed !== undefined)).toHaveLength(1);
    },
  },
  {
    number: 92,
    title: 'after a crash behind a restarted tool its journaled result is used',
    async play(world) {
      const id = await waiting(world);
      const answers = () => scriptedChannel([{ action: 'restart' }]);
      // Resolved, started, settled: the process dies when the third event is durable.
      const dying = (session: Session) =>
        withJournal(session, crashJournal(session, { at: 3, when: 'after' }));
      const crash = await world
        .goOn(id, { tools: [pay()], model: paying, channel: answers() }, dying)
        .catch((error: unknown) => error);
      expect(isCrash(crash)).toBe(true);
      expect((await world.events(id)).at(-1)).toMatchObject({
        type: 'tool-settled',
        outcome: { type: 'output', output: 'paid 10' },
      });
      const rest = await world.goOn(id, { tools: [pay()], model: paying, channel: scriptedChannel([]) });
      expect(rest).toEqual({ type: 'ended', reason: { type: 'done' } });
      expect(world.ran).toHaveLength(2);
      expect(world.requests.at(-1)?.at(-1)).toEqual({
        role: 'tool',
        content: [{ type: 'tool-response', ref: 'r1', name: 'pay', output: 'paid 10' }],
      });
    },
  },
];
