// Programs that use the built library, as text: each reports what it saw.

/** What every program begins with. */
export const HEAD = `import { scriptedModel, scriptedChannel } from 'hitl/testing';
import { createFileStore, createMemoryStore } from 'hitl/sessions';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
const clock = hitl.systemClock;
let ran = 0;
const pay = hitl.defineTool({ name: 'pay', description: 'p', input: z.object({ amount: z.number() }), effect: 'once', needsApproval: true }, () => { ran += 1; return { paid: true }; });
const call = { tools: [{ name: 'pay', input: { amount: 5 }, ref: 'c1' }] };
`;

/** Approves a call, lets the model fail behind it, and goes on with what the error brought. */
export const FAILS_AFTERWARDS = `
const failing = { status: 529, type: 'overloaded_error', message: 'busy', retryable: false };
const asked = await hitl.generate({ model: scriptedModel([call]), tools: [pay], prompt: 'go' });
const resume = { restart: asked.interrupts.map((i) => answers.restart(i)) };
const model = () => ({ id: 'm', async *generate() { throw new hitl.HitlError('MODEL_FAILED', 'busy', { detail: failing }); } });
const first = await failureOf(() => hitl.generate({ model: model(), tools: [pay], messages: asked.messages, resume }));
const after = ran;
const messages = first.detail?.messages;
const again = messages === undefined
  ? await failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done']), tools: [pay], messages: asked.messages, resume }))
  : await failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done']), tools: [pay], messages }));
report({ after, ran, hasMessages: messages !== undefined, failed: first.code ?? null, second: again.message ?? null });
`;

/** An output that the answer schema forbids, given in several ways. */
export const FORBIDDEN = `
const choose = hitl.defineInterrupt({ name: 'choose', description: 'c', answerSchema: () => ({ enum: ['a', 'b'] }) });
const asked = await hitl.generate({ model: scriptedModel([{ tools: [{ name: 'choose', input: {}, ref: 'c1' }] }]), tools: [choose], prompt: 'go' });
const [i] = asked.interrupts;
const part = { toolResponse: { name: 'choose', ref: 'c1', output: 'ZZZ' } };
const json = JSON.parse(JSON.stringify({ ...answers.respond(i, 'a'), resolution: { action: 'respond', output: 'ZZZ' } }));
const tryWith = (respond) => failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done']), tools: [choose], messages: asked.messages, resume: { respond } }));
const told = (result) => ({ code: result.code ?? null, taken: JSON.stringify(result.value?.messages ?? '').includes('ZZZ') });
report({ part: told(await tryWith([part])), json: told(await tryWith([json])) });
`;

/** Resumes and histories that are not of their type. */
export const WRONG_RESUMES = `
const asked = await hitl.generate({ model: scriptedModel([call]), tools: [pay], prompt: 'go' });
const [i] = asked.interrupts;
const good = answers.restart(i);
const of = (resume) => ({ messages: asked.messages, resume });
const cases = {
  'respond null': of({ respond: null }), 'restart text': of({ restart: 'approve' }), 'resume null': of(null),
  'item null': of({ respond: [null] }), 'item 5': of({ respond: [5] }), 'item x': of({ respond: ['x'] }),
  'toolResponse null': of({ respond: [{ toolResponse: null }] }), 'toolRequest null': of({ restart: [{ toolRequest: null }] }),
  'no resolution': of({ restart: [{ id: good.id, digest: good.digest }] }), 'resolution null': of({ restart: [{ ...good, resolution: null }] }),
  'output function': of({ respond: [{ ...good, resolution: { action: 'respond', output: () => 1 } }] }),
  'output bigint': of({ respond: [{ ...good, resolution: { action: 'respond', output: 10n } }] }),
  'output NaN': of({ respond: [{ ...good, resolution: { action: 'respond', output: NaN } }] }),
  'output Date': of({ respond: [{ ...good, resolution: { action: 'respond', output: new Date(0) } }] }),
  'no output': of({ respond: [{ ...good, resolution: { action: 'respond' } }] }),
  'content null': { messages: [{ role: 'user', content: null }] }, 'message null': { messages: [null] }, 'no content': { messages: [{ role: 'user' }] },
  'content text': { messages: [{ role: 'user', content: 'hello' }] }, 'messages text': { messages: 'hello' },
  'role assistant': { messages: [{ role: 'assistant', content: [{ text: 'x' }] }] }, 'role wizard': { messages: [{ role: 'wizard', content: [{ text: 'x' }] }] },
  'no role': { messages: [{ content: [{ text: 'x' }] }] }, 'text 5': { messages: [{ role: 'user', content: [{ text: 5 }] }] },
};
const wrong = [];
for (const [name, request] of Object.entries(cases)) {
  const result = await failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done', 'done']), tools: [pay], ...request }));
  if ('value' in result) wrong.push(name + ': accepted');
  else if (!hitl.isHitlError(result) && result.code === undefined) wrong.push(name + ': ' + result.name);
}
report({ wrong, cases: Object.keys(cases).length });
`;

/** Restarts with metadata that the tool does not take. */
export const WRONG_METADATA = `
let asks = 0;
const t = hitl.defineTool({ name: 't', description: 't', input: z.object({}), resume: z.object({ ok: z.boolean() }), effect: 'once' },
  (input, context) => { if (context.resumed === undefined) { asks += 1; return context.interrupt({ sure: true }); } ran += 1; return 'did'; });
const asked = await hitl.generate({ model: scriptedModel([{ tools: [{ name: 't', input: {}, ref: 'c1' }] }]), tools: [t], prompt: 'go' });
const result = await failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done']), tools: [t], messages: asked.messages, resume: { restart: [answers.restart(asked.interrupts[0], { metadata: { ok: 'yes' } })] } }));
report({ asks, ran, code: result.code ?? null, told: JSON.stringify(result.value?.messages ?? '').includes('does not fit'), open: result.value?.interrupts?.length ?? 0 });
`;

/** A hook that tries again whatever happens. */
export const HOOKED = `
let bodies = 0;
const ask = hitl.defineTool({ name: 'ask', description: 'a', input: z.object({}), effect: 'once' }, (i, c) => { bodies += 1; return c.resumed === undefined ? c.interrupt({ sure: true }) : 'did'; });
const stubborn = hitl.wrapTool(ask, async function retrying(i, c, next) { for (let n = 0; n < 3; n += 1) { try { return await next(); } catch { /* again */ } } return next(); });
const asked = await failureOf(() => hitl.generate({ model: scriptedModel([{ tools: [{ name: 'ask', input: {}, ref: 'c1' }] }]), tools: [stubborn], prompt: 'go' }));
report({ canTell: Object.keys(hitl).some((name) => /^is\\w*Interrupt/.test(name)), bodies, interrupts: asked.value?.interrupts?.length ?? 0 });
`;

/** A model that never stops calling. */
export const NO_ROUNDS = `
let rounds = 0;
const script = scriptedModel(Array.from({ length: 310 }, () => ({ tools: [{ name: 'pay', input: { wrong: 1 } }] })));
const model = { id: 'm', generate(request, signal) { rounds += 1; return script.generate(request, signal); } };

let state = typeof hitl.emptyState === 'function' ? hitl.emptyState() : hitl.emptyState;
const take = (event) => { state = hitl.evolve(state, event); };
const tools = hitl.toolSet([pay]);
take({ type: 'session-created', agent: { model: 'm', tools: [] } });
take({ type: 'message-added', message: { role: 'user', content: [{ type: 'text', text: 'go' }] } });
const events = hitl.run(state, { model, tools, clock, runId: 'r' }, new AbortController().signal);
const end = await failureOf(async () => { for (;;) { const step = await events.next(); if (step.done) return step.value; } });
report({ rounds, end: JSON.stringify(end).slice(0, 300) });
`;

/** Two people agree to a payment, it fails, and one of them says that it runs again. */
export const ONE_OF_TWO = `
const [ann, bob, cyd] = ['ann', 'bob', 'cyd'].map((name) => ({ type: 'person', name, via: 'library' }));
let begun = 0;
const paid = hitl.defineTool({ name: 'pay', description: 'p', input: z.object({ amount: z.number() }), effect: 'once', needsApproval: true, approvers: { need: 2, notRequester: true } }, () => {
  begun += 1;
  throw new Error('the line was cut');
});
const chat = await hitl.openChat({ model: scriptedModel([call, 'done']), store: createMemoryStore({ clock, random: randomBytes }), tools: [paid], by: ann, onToolError: 'ask' });
const say = (by, make) => failureOf(async () => { await chat.answer({ ...make(chat.open[0]), by }); });
await chat.say('pay');
await say(bob, (i) => answers.restart(i));
await say(cyd, (i) => answers.restart(i));
const before = begun;
const kind = chat.open[0]?.kind ?? null;
await say(ann, (i) => answers.retry(i));
await say(bob, (i) => answers.retry(i));
const byOne = begun;
await say(cyd, (i) => answers.retry(i));
report({ before, kind, byOne, byBoth: begun });
`;
