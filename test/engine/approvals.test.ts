import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { JsonValue, Tool } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { checkResume } from '../../src/engine/index.js';
import { defineTool, requireApproval, toolSet } from '../../src/tools/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

/** A tool with a default in its schema, and a note of every run. */
function pay(ran: unknown[], currency = 'EUR') {
  return defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number(), currency: z.string().default(currency) }),
      needsApproval: ({ amount }) => amount > 1,
    },
    (input, { approved }) => {
      ran.push({ input, approved });
      return `paid ${input.amount} ${input.currency}`;
    },
  );
}

function paying(ran: unknown[], amount: number, tools: readonly Tool[] = [pay(ran)]) {
  return scene({ replies: [calls(['pay', { amount }]), 'done'], tools });
}

describe('a call that needs approval', () => {
  test('asks before its body runs, with the input as it would run', async () => {
    const ran: unknown[] = [];
    const { state, events } = await drive(hi, paying(ran, 10));
    expect(names(events).slice(2)).toEqual(['raised i1 confirmation']);
    expect(openInterrupts(state)).toMatchObject([
      {
        kind: 'confirmation',
        payload: {},
        source: { input: { amount: 10, currency: 'EUR' }, raisedBy: 'approval' },
        allowed: ['restart', 'reject', 'respond', 'cancel'],
      },
    ]);
    expect(ran).toEqual([]);
  });

  test('does not ask where its input needs none', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 1));
    expect(toolOutputs(state)).toEqual(['paid 1 EUR']);
    expect(ran).toEqual([{ input: { amount: 1, currency: 'EUR' }, approved: undefined }]);
  });

  test('runs once when a person has agreed, and is told what was shown', async () => {
    const ran: unknown[] = [];
    const options = paying(ran, 10);
    const { state } = await drive(hi, options);
    const { state: after } = await drive(answer(state, { action: 'restart' }), options);
    expect(toolOutputs(after)).toEqual(['paid 10 EUR']);
    expect(ran).toEqual([{ input: { amount: 10, currency: 'EUR' }, approved: { shown: {}, edited: false } }]);
  });

  test('asks again where what would run is not what was shown (G11, G12)', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 10));
    const agreed = answer(state, { action: 'restart' });
    const changed = paying(ran, 10, [pay(ran, 'USD')]);
    const { state: again, events } = await drive(agreed, changed);
    expect(names(events)).toEqual(['raised i2 confirmation']);
    expect(openInterrupts(again)).toMatchObject([{ source: { input: { amount: 10, currency: 'USD' } } }]);
    expect(ran).toEqual([]);
    const { state: after } = await drive(answer(again, { action: 'restart' }), changed);
    expect(toolOutputs(after)).toEqual(['paid 10 USD']);
  });

  test('runs with an edit without asking about the edit again', async () => {
    const ran: unknown[] = [];
    const options = paying(ran, 10);
    const { state } = await drive(hi, options);
    const { state: after } = await drive(answer(state, { action: 'restart', input: { amount: 7 } }), options);
    expect(toolOutputs(after)).toEqual(['paid 7 EUR']);
    expect(ran).toEqual([{ input: { amount: 7, currency: 'EUR' }, approved: { shown: {}, edited: true } }]);
  });

  test.for([
    [{ action: 'reject', reason: 'too much' }, 'the user rejected this call; it did not run: too much'],
    [{ action: 'cancel' }, 'cancelled by the user; it did not run'],
    [{ action: 'respond', output: 'paid by hand' }, 'paid by hand'],
  ] as const)('does not run after %j', async ([resolution, told]) => {
    const ran: unknown[] = [];
    const options = paying(ran, 10);
    const { state } = await drive(hi, options);
    const { state: after } = await drive(answer(state, resolution), options);
    expect(toolOutputs(after)).toEqual([told]);
    expect(ran).toEqual([]);
  });

  test('is an error where its input no longer fits the tool', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 10));
    const other = defineTool(
      { name: 'pay', description: 'Pays.', input: z.object({ sum: z.number() }), needsApproval: true },
      () => ran.push('ran'),
    );
    const { state: after } = await drive(answer(state, { action: 'restart' }), paying(ran, 10, [other]));
    expect(toolOutputs(after)).toEqual([expect.stringContaining('invalid input for `pay`: sum')]);
    expect(ran).toEqual([]);
  });

  test('waits where its tool is not here, and runs where it is', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 10));
    const agreed = answer(state, { action: 'restart' });
    await expect(drive(agreed, paying(ran, 10, []))).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: 'missing tool: `pay`; nothing ran, and approvals still stand',
    });
    expect(toolOutputs((await drive(agreed, paying(ran, 10))).state)).toEqual(['paid 10 EUR']);
  });
});

describe('what the gate in front of a tool says', () => {
  const look = tool('look', () => 'seen');
  const asking = (approval: Tool['approval']): Tool => ({ ...look, ...(approval && { approval }) });
  const payloadAfter = async (made: Tool): Promise<JsonValue | undefined> => {
    const { state } = await drive(hi, scene({ replies: [calls(['look'])], tools: [made] }));
    return openInterrupts(state)[0]?.payload;
  };

  test('is all shown', async () => {
    const request = { reason: 'why', facts: { path: '/etc' }, diff: '+ a', warnings: ['careful'] };
    expect(await payloadAfter(asking(() => request))).toEqual(request);
    expect(await payloadAfter(asking(() => ({ warnings: [] })))).toEqual({});
  });

  test('counts as yes where it cannot be decided (G35)', async () => {
    const broken = asking(() => {
      throw new Error('no policy');
    });
    expect(await payloadAfter(broken)).toEqual({
      warnings: ['cannot determine whether this needs approval: no policy'],
    });
    expect(await payloadAfter(requireApproval(look, () => Promise.reject(new Error('late'))))).toEqual({
      warnings: ['cannot determine whether this needs approval: late'],
    });
  });

  test('binds what an answer must be to what the tool returns', async () => {
    const typed = defineTool(
      { name: 'look', description: 'Looks.', output: z.string(), needsApproval: true },
      () => 'seen',
    );
    const { state } = await drive(hi, scene({ replies: [calls(['look'])], tools: [typed] }));
    expect(openInterrupts(state)[0]?.answerSchema).toEqual({ type: 'string' });
  });
});

describe('an input that cannot be read', () => {
  test('is an error for the model, where the check itself breaks', async () => {
    const broken: Tool = {
      ...tool('look', () => 1),
      parseInput: () => {
        throw new Error('the check broke');
      },
    };
    const { state } = await drive(hi, scene({ replies: [calls(['look']), 'done'], tools: [broken] }));
    expect(toolOutputs(state)).toEqual(['invalid input for `look`: the check broke']);
  });
});

describe('G11 an approval', () => {
  const request = { replies: [calls(['pay', { amount: 10 }]), 'done'] };

  test('is for the tool as it was: a changed schema asks again, and says so', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, scene({ ...request, tools: [pay(ran)] }));
    const agreed = answer(state, { action: 'restart' });
    const changed = await drive(agreed, scene({ replies: ['done'], tools: [pay(ran, 'USD')] }));
    expect(ran).toEqual([]);
    expect(openInterrupts(changed.state)).toMatchObject([
      { id: 'i2', payload: { warnings: [expect.stringContaining('effect has changed') as string] } },
    ]);
    const again = answer(changed.state, { action: 'restart' });
    await drive(again, scene({ replies: ['done'], tools: [pay(ran, 'USD')] }));
    expect(ran).toHaveLength(1);
  });

  test('is for the input that was shown: a tool that reads it differently asks again', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, scene({ ...request, tools: [pay(ran)] }));
    const agreed = answer(state, { action: 'restart' });
    const parseInput: Tool['parseInput'] = () => ({ ok: true, value: { amount: 10, currency: 'USD' } });
    const other = await drive(agreed, scene({ replies: ['done'], tools: [{ ...pay(ran), parseInput }] }));
    expect({ ran, open: openInterrupts(other.state) }).toMatchObject({
      ran: [],
      open: [{ id: 'i2', source: { input: { amount: 10, currency: 'USD' } } }],
    });
  });

  test('is for the tool as it was, also where its own body had asked', async () => {
    const ran: unknown[] = [];
    const asking = (description: string) =>
      defineTool(
        { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number().describe(description) }) },
        ({ amount }, { resumed, interrupt }) => {
          if (resumed === undefined) interrupt('sure?');
          ran.push(amount);
          return 'paid';
        },
      );
    const { state } = await drive(hi, scene({ ...request, tools: [asking('EUR')] }));
    const agreed = answer(state, { action: 'restart' });
    const changed = await drive(agreed, scene({ replies: ['done'], tools: [asking('USD')] }));
    expect({ ran, open: openInterrupts(changed.state) }).toMatchObject({ ran: [], open: [{ id: 'i2' }] });
  });

  test('has a digest that another session or another tool does not have', async () => {
    const digests = new Set<string>();
    for (const [runId, currency] of [
      ['s1', 'EUR'],
      ['s2', 'EUR'],
      ['s1', 'USD'],
    ] as const) {
      const { state } = await drive(hi, { ...scene({ ...request, tools: [pay([], currency)] }), runId });
      for (const { digest } of openInterrupts(state)) digests.add(digest);
    }
    expect(digests.size).toBe(3);
  });
});

describe('a call that a rule forbids', () => {
  const strict = (ran: unknown[]): Tool => ({
    ...pay(ran),
    forbids: (input) => ((input as { amount: number }).amount > 50 ? 'a rule denies it' : undefined),
  });

  test('is asked about, and cannot be agreed to', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 100, [strict(ran)]));
    const [open] = openInterrupts(state);
    if (open === undefined) throw new Error('nothing is open');
    for (const resolution of [{ action: 'restart' }, { action: 'restart', input: { amount: 60 } }] as const) {
      const agreed = {
        id: open.id,
        digest: open.digest,
        resolution,
        by: { type: 'rule', rule: 'r' },
      } as const;
      expect(await checkResume(state, [agreed], toolSet([strict(ran)]))).toMatchObject([
        { kind: 'not-allowed', message: expect.stringContaining('a rule denies it') as string },
      ]);
    }
  });

  test('does not run where it was agreed to before the rule', async () => {
    const ran: unknown[] = [];
    const { state } = await drive(hi, paying(ran, 100));
    const agreed = answer(state, { action: 'restart' });
    const { state: after, events } = await drive(agreed, paying(ran, 100, [strict(ran)]));
    expect(ran).toEqual([]);
    expect(names(events)).not.toContain('started pay');
    expect(after.entries.at(-2)?.message.content).toMatchObject([
      { type: 'tool-response', output: 'a rule denies it; it did not run' },
    ]);
  });
});
