import { describe, expect, test } from 'vitest';

import type { ApprovalRequest, SessionEvent, Tool } from '../../src/core/index.js';
import { openInterrupts, toolRef } from '../../src/core/index.js';
import { DEFAULT_MAX_TURNS } from '../../src/engine/index.js';
import { modelSaid, requestPart, stateAfter, toolSettled, toolStarted, userSaid } from '../helpers/events.js';
import { answer, calls, deferred, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

function many(count: number, name = 'look') {
  return calls(...Array.from({ length: count }, () => [name] as const));
}

function refs(count: number, from = 1): readonly string[] {
  return Array.from({ length: count }, (_, index) => `r${index + from}`);
}

/** A tool whose bodies end when they are told to, in the order in which they were entered. */
function gatedTool() {
  const entered: string[] = [];
  const gates = new Map<string, () => void>();
  const look = tool('look', async (_input, { ref }) => {
    entered.push(ref);
    const gate = deferred();
    gates.set(ref, () => {
      gate.resolve();
    });
    await gate.promise;
    return ref;
  });
  return { look, entered, end: (ref: string) => gates.get(ref)?.() };
}

async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

describe('a reply with many calls', () => {
  test('has eight bodies at a time, and begins the next as soon as one has ended', async () => {
    const { look, entered, end } = gatedTool();
    const running = drive(hi, scene({ replies: [many(20), 'done'], tools: [look] }));
    await idle();
    expect(entered).toEqual(refs(8));
    end('r3');
    await idle();
    expect(entered).toEqual(refs(9));
    end('r1');
    end('r9');
    await idle();
    expect(entered).toEqual(refs(11));
    for (const ref of refs(20)) {
      end(ref);
      await idle();
    }
    const { state } = await running;
    expect(toolOutputs(state)).toEqual(refs(20));
  });

  test('journals each start before its body is entered, and each result before the next start (G9)', async () => {
    const entered: string[] = [];
    const kept: string[] = [];
    const look = tool('look', (_input, { ref }) => {
      entered.push(ref);
      expect(kept).toContain(`started ${ref}#1`);
      return ref;
    });
    const { events } = await drive(hi, scene({ replies: [many(10), 'done'], tools: [look] }), {
      kept: (event) => {
        kept.push(...names([event]));
      },
    });
    expect(entered).toEqual(refs(10));
    expect(names(events).slice(2, 22)).toEqual([
      ...refs(8).map((ref) => `started ${ref}#1`),
      ...refs(8).map((ref) => `settled ${ref} output`),
      'started r9#1',
      'started r10#1',
      'settled r9 output',
      'settled r10 output',
    ]);
  });

  test('looks for an approval just before the call would start, not when the reply came', async () => {
    let now = 'empty';
    const looked: string[] = [];
    const write = tool('write', () => (now = 'written'));
    const check: Tool = {
      ...tool('check', () => 1),
      approval: (): ApprovalRequest => {
        looked.push(now);
        return { facts: { file: now } };
      },
    };
    const reply = calls(...Array.from({ length: 8 }, () => ['write'] as const), ['check']);
    const { state } = await drive(hi, scene({ replies: [reply], tools: [write, check] }));
    expect(looked).toEqual(['written']);
    expect(openInterrupts(state).map(({ payload }) => payload)).toEqual([{ facts: { file: 'written' } }]);
  });

  test('asks what needs asking without taking the room of a body', async () => {
    const entered: string[] = [];
    const pay = tool('pay', () => 'paid', { needsApproval: true });
    const look = tool('look', (_input, { ref }) => entered.push(ref));
    const reply = calls(...Array.from({ length: 12 }, () => ['pay'] as const), ['look']);
    const { state, outcome } = await drive(hi, scene({ replies: [reply], tools: [pay, look] }));
    expect(outcome.type).toBe('interrupted');
    expect(openInterrupts(state).map(({ id }) => id)).toEqual(
      Array.from({ length: 12 }, (_, index) => `i${index + 1}`),
    );
    expect(entered).toEqual(['r13']);
  });

  test('starts no more of them after a stop, and answers those that it did not start (G14, G21)', async () => {
    const stop = new AbortController();
    const entered: string[] = [];
    const look = tool('look', (_input, { ref }) => entered.push(ref));
    const { state } = await drive(hi, scene({ replies: [many(20)], tools: [look] }), {
      signal: stop.signal,
      kept: (event: SessionEvent) => {
        if (event.type === 'tool-settled' && event.ref === toolRef('r8')) stop.abort();
      },
    });
    expect(entered).toEqual(refs(8));
    expect(toolOutputs(state).slice(8)).toEqual(
      Array.from({ length: 12 }, () => 'stopped by the user before it started; it did not run'),
    );
  });

  test('keeps the results of all, whatever fails among them (G15)', async () => {
    const look = tool('look', (_input, { ref }) => {
      if (ref === toolRef('r2')) throw new Error('no');
      return ref;
    });
    const { state, outcome } = await drive(
      hi,
      scene({ replies: [many(12)], tools: [look], onToolError: 'throw' }),
    );
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'failed' } });
    expect(toolOutputs(state)).toEqual(refs(12).map((ref) => (ref === 'r2' ? 'no' : ref)));
  });

  test('whose gate breaks the rules of a tool fails the run once the bodies have ended', async () => {
    const stopped: string[] = [];
    const wait = tool('wait', async (_input, { signal }) => {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      stopped.push('wait');
      return 1;
    });
    const broken: Tool = {
      ...tool('broken', () => 1),
      approval: (async () => null) as unknown as NonNullable<Tool['approval']>,
    };
    const quick = tool('quick', () => 1);
    const reply = calls(['wait'], ...Array.from({ length: 7 }, () => ['quick'] as const), ['broken']);
    const running = drive(hi, scene({ replies: [reply], tools: [wait, quick, broken] }));
    await expect(running).rejects.toThrow(TypeError);
    expect(stopped).toEqual(['wait']);
  });
});

describe('a reply with more than fifty calls', () => {
  const TOO_MANY =
    'not started: the reply requests 60 calls, and at most 50 run per reply; request it again in another reply';

  test('has the first fifty run; the model is told that the others did not', async () => {
    const entered: string[] = [];
    const look = tool('look', (_input, { ref }) => {
      entered.push(ref);
      return ref;
    });
    const { state, events, outcome } = await drive(hi, scene({ replies: [many(60), 'done'], tools: [look] }));
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(entered).toEqual(refs(50));
    expect(names(events).filter((name) => name.endsWith('not-run'))).toEqual(
      refs(10, 51).map((ref) => `settled ${ref} not-run`),
    );
    expect(toolOutputs(state)).toEqual([...refs(50), ...refs(10, 51).map(() => TOO_MANY)]);
  });

  test('asks nobody about those that do not run', async () => {
    const pay = tool('pay', () => 'paid', { needsApproval: true });
    const { state } = await drive(hi, scene({ replies: [many(60, 'pay')], tools: [pay] }));
    expect(openInterrupts(state).length).toBe(50);
  });

  test('has the same ones run after a crash, and finishes what had begun before there was a limit', async () => {
    const entered: string[] = [];
    const look = tool('look', (_input, { ref }) => entered.push(ref), { effect: 'none' });
    const crashed = stateAfter(
      userSaid('hi'),
      modelSaid(refs(60).map((ref) => requestPart('look', ref))),
      ...refs(49).flatMap((ref) => [toolStarted('look', ref, { effect: 'none' }), toolSettled(ref, 'seen')]),
      toolStarted('look', 'r60', { effect: 'none' }),
    );
    const { state } = await drive(crashed, scene({ replies: ['done'], tools: [look] }));
    expect(entered).toEqual(['r50', 'r60']);
    expect(toolOutputs(state).slice(50, 59)).toEqual(refs(9, 51).map(() => TOO_MANY));
  });

  test('is a failure for a program that wants to hear of them', async () => {
    const look = tool('look', () => 1);
    const { outcome } = await drive(hi, scene({ replies: [many(51)], tools: [look], onToolError: 'throw' }));
    expect(outcome).toMatchObject({
      type: 'ended',
      reason: { type: 'failed', error: { code: 'TOOL_FAILED' } },
    });
  });
});

describe('a run without a limit of rounds of its own', () => {
  function endless(maxTurns?: { readonly maxTurns: number | undefined }) {
    const replies = Array.from({ length: 60 }, (_, index) => calls(['look', {}, `r${index + 1}`]));
    const tools = [tool('look', () => 'seen')];
    return scene({
      replies: [...replies, 'done'],
      tools,
      ...(maxTurns !== undefined && { limits: maxTurns }),
    });
  }

  test.for([[undefined], [{ maxTurns: undefined }]] as const)(
    'asks before round 51: %j',
    async ([limits]) => {
      const options = endless(limits);
      const { state, outcome } = await drive(hi, options);
      expect(outcome.type).toBe('interrupted');
      expect(openInterrupts(state).map(({ kind, payload }) => [kind, payload])).toEqual([
        ['limit', { limit: 'turns', max: DEFAULT_MAX_TURNS, spent: DEFAULT_MAX_TURNS }],
      ]);
      const { outcome: end } = await drive(answer(state, { action: 'extend', by: 10 }), options);
      expect(end).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    },
  );

  test('has none where it says so', async () => {
    const { outcome, state } = await drive(hi, endless({ maxTurns: Number.POSITIVE_INFINITY }));
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(state.rounds).toBe(60);
  });

  test('lets the model say its last word behind the last round', async () => {
    const options = endless();
    const replies = Array.from({ length: DEFAULT_MAX_TURNS }, (_, index) =>
      calls(['look', {}, `r${index + 1}`]),
    );
    const { outcome } = await drive(hi, {
      ...options,
      model: scene({ replies: [...replies, 'done'] }).model,
    });
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });
});
