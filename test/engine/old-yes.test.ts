// A yes is for the code that was there, and it has a time: calls of tools.
import { describe, expect, test } from 'vitest';

import type { Actor, JsonValue, RunState, SessionEvent, Tool } from '../../src/core/index.js';
import {
  answerEvents,
  evolve,
  fold,
  isoTime,
  openInterrupts,
  plainAnswer,
  waitingApprovals,
} from '../../src/core/index.js';
import type { FakeClock } from '../../src/testing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { ANN, PROVED_ANN, stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

/** A tool that needs a yes, of one version; says which body ran. */
function deploy(version: string, ran: string[], more: Parameters<typeof tool>[2] = {}): Tool {
  const body = (): JsonValue => {
    ran.push(version);
    return version;
  };
  return tool('deploy', body, { needsApproval: true, version, ...more });
}

/** The state after a yes at the time of the clock, as every door keeps it. */
function approve(state: RunState, clock: FakeClock, by: Actor = ANN): RunState {
  const [open] = openInterrupts(state);
  const given = { id: open!.id, digest: open!.digest, resolution: { action: 'restart' as const }, by };
  const kept = plainAnswer(given, { interrupt: open! });
  return fold(answerEvents(kept, state, { at: isoTime(clock.now()) }), state);
}

function asked(state: RunState): unknown {
  return openInterrupts(state).map(({ payload }) => payload);
}

const CHANGED = { warnings: ['asked again: the code of `deploy` has changed since it was approved'] };

describe('the code of a yes', () => {
  async function approved(ran: string[], before: Tool, by?: Actor): Promise<RunState> {
    const clock = fakeClock();
    const { state } = await drive(hi, scene({ replies: [calls(['deploy'])], tools: [before], clock }));
    expect(ran).toEqual([]);
    return approve(state, clock, by);
  }

  test('is the one that runs: other code asks again and says so, and then runs (rivals 5)', async () => {
    const ran: string[] = [];
    const state = await approved(ran, deploy('1', ran));
    const options = scene({ tools: [deploy('2', ran)] });
    const again = await drive(state, options);
    expect([asked(again.state), ran]).toEqual([[CHANGED], []]);
    await drive(approve(again.state, options.clock), options);
    expect(ran).toEqual(['2']);
  });

  test('needs no other yes where it is the same, in another process', async () => {
    const ran: string[] = [];
    const state = await approved(ran, deploy('1', ran));
    const { events } = await drive(state, scene({ tools: [deploy('1', ran)] }));
    expect(ran).toEqual(['1']);
    expect(events[0]).toMatchObject({ type: 'tool-started', code: 'version:1' });
  });

  test('is not known of a tool that names none, and one that names some later asks again', async () => {
    const ran: string[] = [];
    const { code: _none, ...bare } = deploy('1', ran);
    const state = await approved(ran, bare);
    const { state: again } = await drive(state, scene({ tools: [deploy('1', ran)] }));
    expect([asked(again), ran]).toEqual([[CHANGED], []]);
  });

  test('is held by the fold: a start of other code is refused', async () => {
    const state = await approved([], deploy('1', []));
    const { events } = await drive(state, scene({ tools: [deploy('1', [])] }));
    const [started] = events;
    const forged = { ...started, code: 'version:2' } as SessionEvent;
    expect(() => evolve(state, forged)).toThrow('needs a new approval: the code of `deploy` has changed');
  });

  test('of people whom its question names is not kept for other code by one person', async () => {
    const ran: string[] = [];
    const approvers = { need: 1, from: ['ann'] };
    const state = await approved(ran, deploy('1', ran, { approvers }), PROVED_ANN);
    expect(waitingApprovals(state)).toEqual([]);
    const kept = [{ was: 'version:1', now: 'version:2' }];
    const moved = evolve(state, { type: 'approvals-kept', kept, by: ANN });
    const { state: again } = await drive(moved, scene({ tools: [deploy('2', ran, { approvers })] }));
    expect([asked(again), ran]).toEqual([[CHANGED], []]);
  });

  test('counts for other code once a person said so, and for no third one', async () => {
    const ran: string[] = [];
    const state = await approved(ran, deploy('1', ran));
    const [waiting] = waitingApprovals(state);
    expect(waiting).toMatchObject({ code: 'version:1', call: { tool: 'deploy' } });
    const kept = evolve(state, {
      type: 'approvals-kept',
      kept: [{ was: 'version:1', now: 'version:2' }],
      by: ANN,
    });
    const { state: third } = await drive(kept, scene({ tools: [deploy('3', ran)] }));
    expect([asked(third), ran]).toEqual([[CHANGED], []]);
    const done = await drive(kept, scene({ tools: [deploy('2', ran)] }));
    expect([toolOutputs(done.state), ran]).toEqual([['2'], ['2']]);
  });

  test('is that of a call which a person lets run again after a crash', async () => {
    const ran: string[] = [];
    const before = deploy('1', ran, { needsApproval: false });
    const dies = scene({ replies: [calls(['deploy'])], tools: [before] });
    let crashed = hi;
    await drive(hi, dies, {
      kept: (event, state) => {
        crashed = event.type === 'tool-started' ? state : crashed;
      },
    });
    const doubt = await drive(crashed, scene({ tools: [before] }));
    const { state } = await drive(
      answer(doubt.state, { action: 'retry' }),
      scene({ tools: [deploy('2', ran, { needsApproval: false })] }),
    );
    expect([asked(state), ran]).toEqual([[CHANGED], ['1']]);
    await drive(answer(state, { action: 'restart' }), scene({ tools: [deploy('2', ran)] }));
    expect(ran).toEqual(['1', '2']);
  });
});

describe('the time of a yes', () => {
  const OVER = (until: string) => ({
    warnings: [`asked again: approved by ann at 2026-01-01 00:00:01 UTC, valid until ${until} UTC`],
  });

  test.for([
    ['of the question', { deadline: { timeout: '4s' } }, 8_000, '00:00:04'],
    ['that the tool says', { approvalLasts: '15m' }, 901_000, '00:15:01'],
    [
      'that the tool says beside a deadline',
      { deadline: { timeout: '1h' }, approvalLasts: '5s' },
      6_000,
      '00:00:06',
    ],
  ] as const)('is the one %s: too late it is asked again (rivals 6)', async ([, more, later, until]) => {
    const ran: string[] = [];
    const clock = fakeClock();
    const options = scene({ replies: [calls(['deploy'])], tools: [deploy('1', ran, more)], clock });
    const { state } = await drive(hi, options);
    await clock.advance(1_000);
    const yes = approve(state, clock);
    await clock.advance(later);
    const again = await drive(yes, options);
    expect([asked(again.state), ran]).toEqual([[OVER(until)], []]);
    await drive(approve(again.state, clock), scene({ tools: [deploy('1', ran, more)], clock }));
    expect(ran).toEqual(['1']);
  });

  test('may be longer than that of the question, where the tool says so', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    const made = deploy('1', ran, { deadline: { timeout: '4s' }, approvalLasts: '1h' });
    const options = scene({ replies: [calls(['deploy']), 'done'], tools: [made], clock });
    const yes = approve((await drive(hi, options)).state, clock);
    await clock.advance(600_000);
    await drive(yes, options);
    expect(ran).toEqual(['1']);
  });

  test('is looked at when the start is journaled: a gate that takes too long asks again', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    let slow = false;
    const made: Tool = {
      ...deploy('1', ran),
      approval: async () => {
        if (slow) await clock.advance(10_000);
        return { deadline: { approvalLasts: '5s' } };
      },
    };
    const options = scene({ replies: [calls(['deploy'])], tools: [made], clock });
    const yes = approve((await drive(hi, options)).state, clock);
    slow = true;
    const again = await drive(yes, options);
    expect(ran).toEqual([]);
    expect(openInterrupts(again.state)).toHaveLength(1);
  });

  test('is used up by the start: what a crash cut off is in doubt, and a retry needs no other yes', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    const made = deploy('1', ran, { approvalLasts: '5s' });
    const options = scene({ replies: [calls(['deploy'])], tools: [made], clock });
    const yes = approve((await drive(hi, options)).state, clock);
    let crashed = yes;
    await drive(yes, scene({ tools: [made], clock }), {
      kept: (event, state) => {
        crashed = event.type === 'tool-started' ? state : crashed;
      },
    });
    await clock.advance(60_000);
    const doubt = await drive(crashed, scene({ tools: [made], clock }));
    expect(openInterrupts(doubt.state)).toMatchObject([{ kind: 'in-doubt' }]);
    await drive(answer(doubt.state, { action: 'retry' }), scene({ tools: [made], clock }));
    expect(ran).toEqual(['1', '1']);
  });

  test('runs from when it was said, where it lay in an inbox first (rivals 6)', async () => {
    const ran: string[] = [];
    const clock = fakeClock();
    const options = scene({
      replies: [calls(['deploy'])],
      tools: [deploy('1', ran, { approvalLasts: '5s' })],
      clock,
    });
    const { state } = await drive(hi, options);
    const saidAt = isoTime(clock.now());
    await clock.advance(60_000);
    const [open] = openInterrupts(state);
    const given = { id: open!.id, digest: open!.digest, resolution: { action: 'restart' as const }, by: ANN };
    const at = isoTime(clock.now());
    const [decided] = answerEvents(plainAnswer(given, { interrupt: open! }), state, { at, saidAt });
    expect(decided).toMatchObject({ resolvedAt: at, validUntil: '2026-01-01T00:00:05.000Z' });
    await drive(evolve(state, decided!), options);
    expect(ran).toEqual([]);
  });

  test('is held by the fold: a start too late is refused, and so is a longer time than was said', async () => {
    const clock = fakeClock();
    const made = deploy('1', [], { approvalLasts: '5s' });
    const { state } = await drive(hi, scene({ replies: [calls(['deploy'])], tools: [made], clock }));
    const [open] = openInterrupts(state);
    const given = { id: open!.id, digest: open!.digest, resolution: { action: 'restart' as const }, by: ANN };
    const [decided] = answerEvents(plainAnswer(given, { interrupt: open! }), state, {
      at: isoTime(clock.now()),
    });
    expect(decided).toMatchObject({ validUntil: '2026-01-01T00:00:05.000Z' });
    const longer = { ...decided, validUntil: '2027-01-01T00:00:00.000Z' } as SessionEvent;
    expect(() => evolve(state, longer)).toThrow(
      "the answer's expiry is wrong: expected 2026-01-01T00:00:05.000Z",
    );
    const yes = evolve(state, decided!);
    const { events } = await drive(yes, scene({ tools: [made], clock }));
    const late = { ...events[0], startedAt: '2026-01-01T00:00:06.000Z' } as SessionEvent;
    expect(() => evolve(yes, late)).toThrow('needs a new approval: approved by ann');
  });

  test('that nobody can read waits without one, and the question says so', async () => {
    const made: Tool = { ...deploy('1', []), approval: () => ({ deadline: { approvalLasts: 'soon' } }) };
    const { state } = await drive(hi, scene({ replies: [calls(['deploy'])], tools: [made] }));
    expect(asked(state)).toEqual([
      {
        warnings: [
          'its deadline is ignored: `approvalLasts` must be a duration such as 90s, 30m or 2h, got `soon`',
        ],
      },
    ]);
  });
});
