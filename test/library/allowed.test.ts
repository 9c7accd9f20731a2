import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Answer, AnswerWay, Interrupt, JsonValue, TranscriptMessage } from '../../src/index.js';
import { answers, defineInterrupt, defineTool, generate, requireApproval } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

let ran: unknown[] = [];
const input = z.object({ amount: z.number() });
const definition = { name: 'pay', description: 'Pays.', input } as const;
const body = (given: JsonValue) => {
  ran.push(given);
  return 'paid';
};

const gated = (allowed: readonly AnswerWay[]) =>
  defineTool({ ...definition, needsApproval: true, allowed }, body);

/** Every way in which a gate can be narrowed, and one in which a body can. */
const raisers = (allowed: readonly AnswerWay[]) => ({
  needsApproval: gated(allowed),
  approval: defineTool({ ...definition, approval: () => ({ reason: 'why', allowed }) }, body),
  requireApproval: requireApproval(defineTool(definition, body), () => ({ allowed })),
  'context.interrupt': defineTool(definition, (given, context) =>
    context.resumed === undefined ? context.interrupt('sure?', { allowed }) : body(given),
  ),
});

async function ask(tool: ReturnType<typeof gated>) {
  ran = [];
  const model = scriptedModel([{ tools: [{ name: tool.name, input: { amount: 5 }, ref: 'c1' }] }]);
  const asked = await generate({ model, tools: [tool], prompt: 'go' });
  const messages = JSON.parse(JSON.stringify(asked.messages)) as TranscriptMessage[];
  const [interrupt] = asked.interrupts;
  if (interrupt === undefined) throw new Error('nothing asks');
  const answer = (resolution: Answer['resolution']) => {
    const by = { type: 'person', name: 'ann', via: 'library' } as const;
    const resume = [{ id: interrupt.id, digest: interrupt.digest, resolution, by }];
    return generate({ model: scriptedModel(['x', 'ok']), tools: [tool], messages, resume }).then(
      () => 'taken',
      (thrown: unknown) => (thrown as Error).message,
    );
  };
  return { interrupt, answer };
}

describe.for(Object.keys(raisers(['reject'])) as (keyof ReturnType<typeof raisers>)[])(
  'L7: what %s narrows to edits',
  (name) => {
    const tool = () => raisers(['edit', 'reject'])[name];

    test('cannot be approved as it is, nor answered in its place, whoever made the answer', async () => {
      const { interrupt, answer } = await ask(tool());
      expect([interrupt.allowed, interrupt.edit]).toEqual([['restart', 'reject'], 'required']);
      const only = '`restart` does not answer `pay#c1` (i1); it only runs with a changed input';
      expect(await answer({ action: 'restart' })).toBe(only);
      expect(await answer({ action: 'restart', input: { amount: 5 } })).toBe(only);
      expect(await answer({ action: 'respond', output: 'paid' })).toBe(
        '`respond` does not answer `pay#c1` (i1); it takes: restart with a changed input, reject',
      );
      expect(ran).toEqual([]);
    });

    test('runs what a person wrote', async () => {
      const { answer } = await ask(tool());
      expect(await answer({ action: 'restart', input: { amount: 6 } })).toBe('taken');
      expect(ran).toEqual([{ amount: 6 }]);
    });

    test('is refused by the builders, too', async () => {
      const { interrupt } = await ask(tool());
      expect(() => answers.restart(interrupt)).toThrow('it only runs with a changed input');
      expect(() => answers.cancel(interrupt)).toThrow('`cancel` does not answer');
      expect(answers.restart(interrupt, { input: { amount: 1 } }).resolution.action).toBe('restart');
    });
  },
);

describe('a gate', () => {
  test('may allow everything but an edit', async () => {
    const { interrupt, answer } = await ask(gated(['approve', 'reject']));
    expect([interrupt.allowed, interrupt.edit]).toEqual([['restart', 'reject'], 'refused']);
    expect(await answer({ action: 'restart', input: { amount: 6 } })).toBe(
      '`restart` does not answer `pay#c1` (i1); it only runs with the input as shown',
    );
    expect(await answer({ action: 'restart', input: { amount: 5 } })).toBe('taken');
    expect(ran).toEqual([{ amount: 5 }]);
  });

  test('in front of a gate narrows it further, and never widens it', async () => {
    const own = gated(['edit', 'reject', 'respond']);
    const both = requireApproval(own, () => ({ allowed: ['restart', 'reject'] }));
    const { interrupt } = await ask(both);
    expect([interrupt.allowed, interrupt.edit]).toEqual([['restart', 'reject'], 'required']);
  });

  test('that names nothing anybody knows lets nothing run', async () => {
    const tool = defineTool({ ...definition, approval: () => ({ allowed: ['aprove' as 'approve'] }) }, body);
    const { interrupt } = await ask(tool);
    expect(interrupt.allowed).toEqual(['reject', 'cancel']);
  });

  test.for([[[]], [['aprove']], ['edit']])('is not defined with %j', ([allowed]) => {
    expect(() => gated(allowed as never)).toThrow('`allowed` of tool `pay` must be a list of valid actions');
  });

  test('holds where the message that carries it was widened', async () => {
    const { interrupt } = await ask(gated(['edit']));
    const wider: Interrupt = { ...interrupt, allowed: ['restart', 'respond'] };
    const answer = answers.respond(wider, 'paid');
    const model = scriptedModel([{ tools: [{ name: 'pay', input: { amount: 5 }, ref: 'c1' }] }]);
    const asked = await generate({ model, tools: [gated(['edit'])], prompt: 'go' });
    await expect(
      generate({ model, tools: [gated(['edit'])], messages: asked.messages, resume: [answer] }),
    ).rejects.toThrow('`respond` does not answer');
  });
});

test('a tool that only asks may be one that cannot be cancelled', async () => {
  const pick = defineInterrupt({ name: 'pay', description: 'Asks.', input, allowed: ['respond'] });
  const { interrupt, answer } = await ask(pick);
  expect(interrupt.allowed).toEqual(['respond']);
  expect(await answer({ action: 'cancel' })).toContain('it takes: respond');
  expect(await answer({ action: 'respond', output: 'a' })).toBe('taken');
});
