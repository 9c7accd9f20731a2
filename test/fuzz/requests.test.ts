// What a program hands to the library: whatever it is, it is taken for what it says or refused with an error of ours.
import fc from 'fast-check';
import { expect } from 'vitest';
import * as z from 'zod';

import { answerSchema, generate, messagesSchema, resumeSchema } from '../../src/index.js';
import type { Tool, TranscriptMessage } from '../../src/index.js';
import { interruptShapeProblem, isJson, messagesProblem, shapeProblem } from '../../src/core/index.js';
import { interruptSchema } from '../../src/core/told/schemas.js';
import { resumeProblems } from '../../src/engine/read-resume.js';
import { scriptedModel } from '../../src/testing/index.js';
import { cancel, defineTool, reject, respond, restart, retry } from '../../src/tools/index.js';
import { ACTORS, PERSON, RESOLUTIONS } from '../helpers/answers.js';
import { damaged, NO_JSON, ODD_JSON } from '../helpers/damaged.js';
import { fuzzTarget } from './fuzz.js';

const pay: Tool = defineTool(
  { name: 'pay', description: 'p', input: z.object({ amount: z.number() }), needsApproval: true },
  () => ({ paid: true }),
);
const by = PERSON;
const calls = [1, 2, 3, 4].map((amount) => ({ name: 'pay', input: { amount }, ref: `c${amount}` }));

async function asked() {
  const script = scriptedModel([{ text: 'now', tools: calls }]);
  return generate({ model: script, tools: [pay], prompt: 'go' });
}

/** A resume that holds one of everything. */
async function wholeResume(): Promise<object> {
  const [first, second] = (await asked()).interrupts;
  return {
    respond: [
      reject(first!, { reason: 'no', by }),
      { toolResponse: { name: 'pay', ref: 'c3', output: { ok: 1 } }, metadata: { interruptResponse: true } },
    ],
    restart: [
      restart(second!, { input: { amount: 1 }, metadata: { a: [1] } }),
      {
        toolRequest: { name: 'pay', ref: 'c4', input: { amount: 9 } },
        metadata: { replacedInput: { amount: 4 } },
      },
    ],
    metadata: { note: 'x' },
  };
}

/** Answers of every action by everybody. */
const answersOfAll = fc.record({
  id: fc.constant('i1'),
  digest: fc.constant('d'),
  resolution: fc.constantFrom(...RESOLUTIONS),
  by: fc.constantFrom(...ACTORS),
});

/** Answers with a member more than they had, or another one. */
const answersWithMore = fc
  .tuple(
    answersOfAll,
    fc.constantFrom('shown', 'verbatim', 'reason', 'constructor', 'more'),
    fc.constantFrom(...ODD_JSON, { input: 1 }),
  )
  .map(([whole, name, value]) => ({ ...whole, resolution: { ...whole.resolution, [name]: value } }));

const MESSAGES: readonly TranscriptMessage[] = [
  { role: 'system', content: [{ text: 'be kind' }] },
  {
    role: 'user',
    content: [{ text: 'go' }, { media: { url: 'u', contentType: 'c' } }, { data: { a: 1 } }],
    metadata: { a: 1 },
  },
  {
    role: 'model',
    content: [{ reasoning: 'r', metadata: { s: 1 } }, { toolRequest: { name: 'pay', ref: 'c1', input: {} } }],
  },
  {
    role: 'tool',
    content: [{ toolResponse: { name: 'pay', ref: 'c1', output: 1, content: [{ text: 'x' }] } }],
  },
  {
    role: 'model',
    content: [
      {
        toolRequest: { name: 'pay', ref: 'c2', input: { amount: 1 } },
        metadata: { pendingOutput: 1, hitl: { via: 'respond', content: [{ text: 'x' }] } },
      },
      {
        toolRequest: { name: 'pay', ref: 'c3', input: { amount: 1 } },
        metadata: {
          interrupt: true,
          hitl: {
            id: 'i1',
            kind: 'confirmation',
            digest: 'd',
            raisedBy: 'tool',
            allowed: ['restart'],
            raisedAt: 't',
            answerSchema: {},
            bound: { run: 'r', tool: 't' },
            attempts: 1,
          },
        },
      },
    ],
  },
];

/** What a server answers with 400 or 409, and what it does not blame on itself. */
const REFUSALS = ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'NOT_FOUND'];

async function outcomeOf(request: object): Promise<string> {
  const options = { model: scriptedModel(['x', 'done', 'done']), tools: [pay], ...request };
  try {
    const response = await generate(options);
    JSON.stringify(response.messages);
    return 'accepted';
  } catch (thrown) {
    const { name, status } = thrown as { name: string; status?: string };
    return name === 'HitlError' ? String(status) : `${name}: ${String(thrown)}`;
  }
}

const odd = [...ODD_JSON, ...NO_JSON];

fuzzTarget('requests', {
  'a resume that is damaged is refused with an error of ours, or holds what was given': {
    property: async () => {
      const { messages } = await asked();
      return fc.asyncProperty(damaged(await wholeResume(), odd), async (resume) => {
        const outcome = await outcomeOf({ messages, resume });
        expect(['accepted', ...REFUSALS]).toContain(outcome);
        if (outcome === 'accepted') expect(isJson(resume, 'absent')).toBe(true);
        return true;
      });
    },
  },
  'a history that is damaged is refused with an error of ours, or is one': {
    property: () =>
      fc.asyncProperty(damaged(MESSAGES, odd), fc.boolean(), async (messages, isCancelled) => {
        const request = isCancelled ? { messages, cancelOpen: true, prompt: 'more' } : { messages };
        const outcome = await outcomeOf(request);
        expect(['accepted', ...REFUSALS]).toContain(outcome);
        if (outcome === 'accepted' && messages !== undefined) expect(isJson(messages, 'absent')).toBe(true);
        return true;
      }),
  },
  'what else is damaged of a request is refused with an error of ours': {
    property: () =>
      fc.asyncProperty(
        damaged({ prompt: 'go', system: 's', maxTurns: 3, tools: [pay] }, odd),
        async (request) => {
          if (typeof request !== 'object' || request === null) return true;
          expect(['accepted', 'ABORTED', ...REFUSALS]).toContain(await outcomeOf(request));
          return true;
        },
      ),
  },
  'the builders of answers make what is an answer, or refuse with an error of ours': {
    property: async () => {
      const [interrupt] = (await asked()).interrupts;
      const builders = [respond, restart, retry, reject, cancel] as unknown as readonly ((
        ...given: readonly unknown[]
      ) => unknown)[];
      return fc.property(
        fc.constantFrom(...builders),
        damaged(interrupt, odd),
        fc.constantFrom(...odd),
        damaged({ reason: 'r', metadata: 1, by }, odd),
        (build, given, value, options) => {
          try {
            expect(
              shapeProblem(build === builders[0] ? build(given, value, options) : build(given, options)),
            ).toBeUndefined();
          } catch (thrown) {
            expect(thrown).toMatchObject({ name: 'HitlError', status: 'INVALID_ARGUMENT' });
          }
        },
      );
    },
  },
  'the published schemas say of an answer what the library says of it': {
    runs: 1_000,
    property: () =>
      fc.property(
        fc.oneof(
          answersOfAll,
          answersOfAll.chain((whole) => damaged(whole, ODD_JSON)),
          answersWithMore,
        ),
        (answer) => {
          expect(answerSchema.safeParse(answer).success).toBe(shapeProblem(answer) === undefined);
        },
      ),
  },
  'the published schemas say of an interrupt nothing that the library refuses': {
    property: async () => {
      const [interrupt] = (await asked()).interrupts;
      return fc.property(damaged(interrupt, ODD_JSON), (given) => {
        if (interruptSchema.safeParse(given).success) expect(interruptShapeProblem(given)).toBeUndefined();
      });
    },
  },
  'the published schemas say of JSON what the library says of it': {
    property: async () => {
      const resume: unknown = JSON.parse(JSON.stringify(await wholeResume()));
      return fc.property(damaged(MESSAGES, ODD_JSON), damaged(resume, ODD_JSON), (messages, whole) => {
        expect(messagesSchema.safeParse(messages).success).toBe(messagesProblem(messages) === undefined);
        expect(resumeSchema.safeParse(whole).success).toBe(resumeProblems(whole).length === 0);
      });
    },
  },
});
