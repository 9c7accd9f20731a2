import { attacks } from './attacks.js';
import { at, listAt, textAt } from './json.js';
import { flowModule, runFlow } from './flows.js';
import { ledgerModule, PAY } from './tools.js';
import {
  FAILS_AFTERWARDS,
  FORBIDDEN,
  HEAD,
  HOOKED,
  NO_ROUNDS,
  ONE_OF_TWO,
  WRONG_METADATA,
  WRONG_RESUMES,
} from './library-programs.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

async function library(world: World, source: string, args: readonly string[] = []): Promise<unknown> {
  const { value, ran } = await world.library(`${HEAD}${source}`, { args });
  premise(value !== undefined, `the program gave nothing: ${ran.stderr.slice(0, 600)}`);
  return value;
}

/** Makes a session with the program, and posts an answer to it through the library. */
async function posted(world: World, id: string, answer: string): Promise<unknown> {
  return library(
    world,
    `const [root, id] = process.argv.slice(2);
const store = createFileStore({ root, clock, random: randomBytes });
const session = await store.open(id, 'read');
const [open] = session.state.interrupts ?? hitl.openInterrupts(session.state);
const signal = new AbortController().signal;
report(await failureOf(async () => { const r = await store.postAnswer(id, ${answer}, signal); return r.receipt; }));
`,
    [world.path('home/sessions'), id],
  );
}

function refusals(value: unknown, names: readonly string[]): Verdict {
  const taken = names.filter((name) => at(value, name, 'taken') === true);
  return heldUnless(taken.length > 0 ? [`taken as ${taken.join(' and ')}`] : [], JSON.stringify(value));
}

attacks('The library: answers that come from elsewhere as data are checked, and nothing that ran is lost', [
  {
    id: 'F1',
    tried: 'a `once` tool ran after a yes, then the model failed: the caller goes on with what it has',
    run: async (world) => {
      const value = await library(world, FAILS_AFTERWARDS);
      premise(at(value, 'after') === 1, `the tool did not run once: ${JSON.stringify(value)}`);
      return at(value, 'ran') === 1
        ? held('it ran once')
        : broken(`it ran ${String(at(value, 'ran'))} times; the error has no messages`);
    },
  },
  {
    id: 'F2a',
    tried: 'an answer that its schema forbids, as a raw part and as JSON',
    run: async (world) => refusals(await library(world, FORBIDDEN), ['part', 'json']),
  },
  {
    id: 'F2b',
    tried: 'an answer that its schema forbids, posted to a session of a workflow',
    run: async (world) => {
      const flow = flowModule(
        world,
        "graph('age').human('age', { question: () => ({ prompt: 'Age?', schema: { type: 'integer' } }) }).fn('end', ({ age }) => { append({ age }); return { output: 1 }; }, { effect: 'none' }).edge('age', 'end').end('end').build()",
      );
      await runFlow(world, flow);
      const id = world.session;
      const answer =
        "{ id: open.id, digest: open.digest, resolution: { action: 'respond', output: 'seven' }, by: { type: 'person', name: 'web', via: 'library' } }";
      const value = await posted(world, id, answer);
      await world.run(['resume', id]);
      const isTaken = JSON.stringify(world.eventsOf(id, 'interrupt-resolved')).includes('seven');
      return isTaken
        ? broken('“seven” was taken for an integer')
        : held(textAt(value, 'code') || 'refused when it was used');
    },
  },
  {
    id: 'F2c',
    tried: 'an answer that its schema forbids, from a channel of a session',
    run: async (world) => {
      const value = await library(
        world,
        `const choose = hitl.defineInterrupt({ name: 'choose', description: 'c', answerSchema: () => ({ enum: ['a', 'b'] }) });
const store = createMemoryStore({ clock, random: randomBytes });
const session = await store.create({ agent: { model: 'script', tools: [] } });
await session.append([{ type: 'message-added', message: { role: 'user', content: [{ type: 'text', text: 'go' }] } }]);
const silent = new Proxy({}, { get: () => () => undefined });
const channel = scriptedChannel([{ action: 'respond', output: 'ZZZ' }, 'leave-open']);
const end = await failureOf(() => hitl.converse({ session, run: { model: scriptedModel([{ tools: [{ name: 'choose', input: {}, ref: 'c1' }] }, 'done']), tools: hitl.toolSet([choose]), clock, runId: session.id }, channel, renderer: silent }, new AbortController().signal));
report({ asked: channel.asked.length, end, taken: JSON.stringify(session.state.resolved?.toArray?.() ?? []).includes('ZZZ') });
`,
      );
      premise(Number(at(value, 'asked')) > 0, `nothing was asked: ${JSON.stringify(value)}`);
      return at(value, 'taken') === true
        ? broken('“ZZZ” was taken, which is not one of a and b')
        : held(JSON.stringify(value));
    },
  },
  {
    id: 'F3',
    tried: 'twenty first sessions of a store at the same time',
    run: async (world) => {
      const value = await library(
        world,
        `const store = createFileStore({ root: process.argv[2], clock, random: randomBytes });
const all = await Promise.allSettled(Array.from({ length: 20 }, () => store.create({ agent: { model: 'm', tools: [] } })));
report(all.filter((one) => one.status === 'rejected').map((one) => String(one.reason?.message)));
`,
        [world.path('fresh/store')],
      );
      return heldUnless(
        listAt(value).length > 0
          ? [`${String(listAt(value).length)} of 20 failed: ${String(listAt(value)[0])}`]
          : [],
        'all were made',
      );
    },
  },
  {
    id: 'F4',
    tried: 'two dozen resumes and histories that are not of their type',
    run: async (world) => {
      const value = await library(world, WRONG_RESUMES);
      const wrong = listAt(value, 'wrong').map(String);
      return heldUnless(wrong, `all ${String(at(value, 'cases'))} are refused with a code`);
    },
  },
  {
    id: 'F5',
    tried: 'a restart whose metadata its tool forbids',
    run: async (world) => {
      const value = await library(world, WRONG_METADATA);
      premise(Number(at(value, 'asks')) > 0, 'the tool did not ask');
      const isSpent = at(value, 'code') === null && at(value, 'open') === 0;
      return isSpent
        ? broken('the model is told, the person is not asked again, the question is spent')
        : held(JSON.stringify(value));
    },
  },
  {
    id: 'F6',
    tried: 'a node that asks without a schema and throws on the answer',
    run: async (world) => {
      const flow = flowModule(
        world,
        "graph('n').fn('n', async (s, c) => { const v = Number(await c.ask({ prompt: 'How many?' })); if (Number.isNaN(v)) throw new Error('not a number'); append({ v }); return { output: v }; }, { effect: 'none' }).end('n').build()",
      );
      await runFlow(world, flow);
      const id = world.session;
      await world.run(['answer', id, 'many']);
      const failed = await world.run(['resume', id]);
      const again = await world.run(['resume', id]);
      const asked = world.eventsOf(id, 'interrupt-raised').length;
      premise(asked > 0, 'nothing was asked');
      const isTold = (failed.stderr + again.stderr).includes('rewind');
      return asked > 1 || isTold
        ? held(asked > 1 ? 'asked again' : 'the hint says how to go on')
        : broken(`failed twice with the kept answer, and the hint names no way: ${again.stderr.slice(-160)}`);
    },
  },
  {
    id: 'F7',
    tried: 'an answer to a tool that does not exist, with the ref of an open call',
    run: async (world) => {
      const value = await library(
        world,
        `const asked = await hitl.generate({ model: scriptedModel([call]), tools: [pay], prompt: 'go' });
report(await failureOf(() => hitl.generate({ model: scriptedModel(['x', 'done']), tools: [pay], messages: asked.messages, resume: { respond: [{ toolResponse: { name: 'nope', ref: 'c1', output: 1 } }] } })));`,
      );
      premise(textAt(value, 'code') !== '', `accepted: ${JSON.stringify(value).slice(0, 200)}`);
      const message = textAt(value, 'message');
      return message.includes('earlier turn') ? broken(message) : held(message);
    },
  },
  {
    id: 'F8',
    tried: 'a hook that calls next() again after it caught a question',
    run: async (world) => {
      const value = await library(world, HOOKED);
      premise(Number(at(value, 'bodies')) > 0, 'the body did not run');
      return Number(at(value, 'bodies')) > 1 && at(value, 'canTell') !== true
        ? broken(`the body ran ${String(at(value, 'bodies'))} times for one question`)
        : held(JSON.stringify(value));
    },
  },
  {
    id: 'F9',
    tried: 'a rejection whose reason is an object',
    run: async (world) => {
      const value = await library(
        world,
        `const asked = await hitl.generate({ model: scriptedModel([call]), tools: [pay], prompt: 'go' });
report(await failureOf(async () => { const respond = [answers.reject(asked.interrupts[0], { reason: { why: 'no' } })]; const done = await hitl.generate({ model: scriptedModel(['x', 'done']), tools: [pay], messages: asked.messages, resume: { respond } }); return JSON.stringify(done.messages).includes('[object Object]'); }));`,
      );
      return at(value, 'value') === true
        ? broken('the model reads “[object Object]”')
        : held(JSON.stringify(value));
    },
  },
  {
    id: 'F10',
    tried: 'a model that calls a tool with bad input for ever, under `run` without limits',
    run: async (world) => {
      const value = await library(world, NO_ROUNDS);
      const rounds = Number(at(value, 'rounds'));
      premise(rounds > 1, `it did not loop: ${JSON.stringify(value)}`);
      return rounds > 300 ? broken('more than 300 rounds') : held(`${String(rounds)} rounds`);
    },
  },
  {
    id: 'F11',
    tried: '`generate` without prompt and messages, with maxTurns -1, and with a tool that is none',
    run: async (world) => {
      const value = await library(
        world,
        `const tries = { nothing: {}, turns: { prompt: 'go', maxTurns: -1, limits: { maxTurns: -1 } }, tool: { prompt: 'go', tools: [{ name: 'x' }] } };
const taken = [];
for (const [name, more] of Object.entries(tries)) { const result = await failureOf(() => hitl.generate({ model: scriptedModel(['hi']), tools: [pay], ...more })); if ('value' in result) taken.push(name); else if (result.code === undefined) taken.push(name + ' (' + result.name + ')'); }
report(taken);`,
      );
      return heldUnless(
        listAt(value).map((name) => `${String(name)} is accepted`),
        'all three are refused with a code',
      );
    },
  },
  {
    id: 'F12',
    tried: 'two people agreed to a payment, it failed, and one of them lets it run again',
    run: async (world) => {
      const value = await library(world, ONE_OF_TWO);
      const seen = JSON.stringify(value);
      premise(at(value, 'before') === 1 && at(value, 'kind') === 'error', `it did not fail: ${seen}`);
      if (at(value, 'byOne') !== 1) return broken('it ran by the word of one');
      premise(at(value, 'byBoth') === 2, `both did not let it run: ${seen}`);
      return held('it took both');
    },
  },
  {
    id: 'A1',
    tried: 'an answer from a web handler whose `by` is of another shape',
    run: async (world) => {
      const id = await world.chat(
        world.calling('pay', { to: 'ann', amount: 1 }),
        '-t',
        ledgerModule(world, PAY),
      );
      const answer =
        "{ id: open.id, digest: open.digest, resolution: { action: 'restart' }, by: { kind: 'human', name: 'slack' } }";
      const value = await posted(world, id, answer);
      await world.run(['resume', id, '-p']);
      const ends = await Promise.all([world.run(['show', id]), world.run(['why', id])]);
      const dead = ends.filter(({ status }) => status !== 0);
      return dead.length > 0
        ? broken(`taken; show and why end with ${ends.map(({ status }) => String(status)).join(' and ')}`)
        : held(textAt(value, 'code') || 'show and why work');
    },
  },
]);
