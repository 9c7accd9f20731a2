import { attacks } from './attacks.js';
import { flowModule, runFlow } from './flows.js';
import { at } from './json.js';
import { ledgerOf } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';

const GATED = `graph('pay')
  .fn('prep', () => ({ output: 'ready' }), { effect: 'none' })
  .fn('do', ({ amount }) => { append({ paid: amount }); return { output: amount }; }, { gate: { before: true } })
  .edge('prep', 'do').end('do').build()`;

const REVIEWED = `graph('pay')
  .human('review', { question: ({ amount = null }) => ({ prompt: 'Pay?', payload: { amount }, schema: { enum: ['yes', 'no'] } }) })
  .fn('do', ({ amount }) => { append({ paid: amount }); return { output: amount }; })
  .fn('drop', () => ({ output: 'dropped' }), { effect: 'none' })
  .edge('review', 'do', { when: "state.review == 'yes'" })
  .edge('review', 'drop', { priority: 0 })
  .end('do', 'drop').build()`;

interface Steered {
  readonly flow: string;
  readonly answer: string;
  readonly message: readonly string[];
}

/** Runs a flow to its question, sends a message while that is open, answers, and resumes. */
async function steered(world: World, { flow, answer, message }: Steered): Promise<string> {
  const started = await runFlow(world, flowModule(world, flow), ['--set', 'amount=10']);
  const id = world.session;
  premise(started.status === 3, `nothing was asked: ${String(started.status)} ${started.stderr}`);
  const sent = await world.run(['send', id, '--action', ...message]);
  const answered = await world.run(['answer', id, answer, '--any']);
  const resumed = await world.run(['resume', id]);
  return `send ${String(sent.status)}, answer ${String(answered.status)}, resume ${String(resumed.status)}`;
}

async function raised(world: World, flow: string): Promise<Verdict> {
  const said = await steered(world, {
    flow,
    answer: flow === GATED ? 'y' : 'yes',
    message: ['update-state', '--params', '{"patch":{"amount":1000000}}'],
  });
  const paid = JSON.stringify(ledgerOf(world));
  const wasShown = world
    .eventsOf(world.session, 'interrupt-raised')
    .some((event) => JSON.stringify(event).includes('1000000'));
  return paid.includes('1000000') && !wasShown
    ? broken(`asked about 10, then did ${paid}`)
    : held(`${said}; ledger ${paid}`);
}

async function overruled(world: World, answer: string, message: readonly string[]): Promise<Verdict> {
  const said = await steered(world, { flow: REVIEWED, answer, message });
  const paid = ledgerOf(world);
  return paid.length > 0
    ? broken(`the person said ${answer}, and it paid: ${JSON.stringify(paid)}`)
    : held(said);
}

/** Runs a body that asks, answers, and resumes until nothing is open. */
async function askedBody(
  world: World,
  body: string,
  between: () => void = () => undefined,
): Promise<readonly unknown[]> {
  const flow = flowModule(
    world,
    `graph('body').fn('work', async (state, c) => { ${body} }).end('work').build()`,
  );
  const started = await runFlow(world, flow);
  const id = world.session;
  premise(started.status === 3, `nothing was asked: ${String(started.status)} ${started.stderr}`);
  between();
  const first = ledgerOf(world);
  await world.run(['answer', id, 'true', '--any']);
  await world.run(['resume', id, '--trust']);
  return [...first, 'RESUMED', ...ledgerOf(world).slice(first.length)];
}

attacks('What a person decided at a gate or a node holds for what was shown there', [
  {
    id: 'D1a',
    tried: 'a message that changes the state while a gate is open, then yes',
    run: async (world) => raised(world, GATED),
  },
  {
    id: 'D1b',
    tried: 'a message that changes the state while a person is asked, then yes',
    run: async (world) => raised(world, REVIEWED),
  },
  {
    id: 'D2a',
    tried: 'a message that sets the output of a human node to yes; the person says no',
    run: async (world) =>
      overruled(world, 'no', ['edit-output', '--params', '{"value":"yes"}', '--target', 'review']),
  },
  {
    id: 'D2b',
    tried: 'a message that goes past a human node; the person says no',
    run: async (world) => overruled(world, 'no', ['goto', '--params', '{"node":"do"}']),
  },
  {
    id: 'D2c',
    tried: 'a message that goes past a gate that nobody answered',
    run: async (world) => {
      await runFlow(world, flowModule(world, GATED), ['--set', 'amount=10']);
      const id = world.session;
      premise(world.eventsOf(id, 'interrupt-raised').length > 0, 'nothing was asked');
      await world.run(['send', id, '--action', 'continue']);
      const resumed = await world.run(['resume', id]);
      return ledgerOf(world).length > 0
        ? broken('it paid without an answer of a person')
        : held(`resume ${String(resumed.status)}`);
    },
  },
  {
    id: 'D3a',
    tried: 'a body that asks inside try, with a rollback in its catch',
    run: async (world) => {
      const log = await askedBody(
        world,
        "try { await c.step('deploy', () => { append('deploy'); return 1; }); return { output: await c.ask({ prompt: 'healthy?' }) }; } catch (e) { await c.step('rollback', () => { append('ROLLBACK'); return 1; }); return { output: 'rolled back' }; } finally { append('finally'); }",
      );
      const early = log.slice(0, log.indexOf('RESUMED'));
      premise(early.includes('deploy'), 'the body did not run');
      return heldUnless(
        early.length > 1 ? [`before any answer: ${early.join(', ')}`] : [],
        `ledger ${log.join(', ')}`,
      );
    },
  },
  {
    id: 'D3b',
    tried: 'a body that asks something else when it runs again: whether the first answer is taken for it',
    run: async (world) => {
      const prompt = world.write('prompt.txt', 'Delete it?');
      const log = await askedBody(
        world,
        `const prompt = fs.readFileSync(${JSON.stringify(prompt)}, 'utf8'); const yes = await c.ask({ prompt }); append({ prompt, yes }); return { output: yes };`,
        () => {
          world.write('prompt.txt', 'Keep it?');
        },
      );
      const taken = log.find((line) => at(line, 'prompt') === 'Keep it?');
      return taken === undefined
        ? held(`ledger ${JSON.stringify(log)}`)
        : broken(`yes to “Delete it?” was taken for ${JSON.stringify(taken)}`);
    },
  },
  {
    id: 'D3c',
    tried: 'two steps with one key, before and after an answer',
    run: async (world) => {
      const log = await askedBody(
        world,
        "const a = await c.step('k', () => 1); const b = await c.step('k', () => 2); append([a, b]); await c.ask({ prompt: 'go on?' }); append([a, b]); return { output: 1 };",
      ).catch((error: unknown) =>
        String(error).includes('nothing was asked')
          ? undefined
          : Promise.reject(error instanceof Error ? error : new Error('failed')),
      );
      if (log === undefined) return held('the second step is refused');
      const pairs = log.filter((line) => Array.isArray(line)).map((line) => JSON.stringify(line));
      return new Set(pairs).size > 1
        ? broken(`the body saw ${pairs.join(', then ')}`)
        : held(`always ${pairs[0] ?? ''}`);
    },
  },
  {
    id: 'B1',
    tried: 'a gate is answered with an edit of the state, which promises to ask again',
    run: async (world) => {
      const flow = flowModule(world, GATED);
      const ran = await runFlow(world, flow, ['--set', 'amount=10'], {
        input: 'update-state {"amount":11}\n',
      });
      const asked = world.eventsOf(world.session, 'interrupt-raised').length;
      premise(asked > 0, `no gate: ${ran.stderr}`);
      const paid = ledgerOf(world);
      return paid.length > 0
        ? broken(`it ran ${JSON.stringify(paid)}, status ${String(ran.status)}; nobody said continue`)
        : held(`${String(asked)} questions, status ${String(ran.status)}`);
    },
  },
]);
